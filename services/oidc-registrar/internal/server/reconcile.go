package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
)

// Reconcile compares every client with the identity provider and writes each difference to out.
func Reconcile(ctx context.Context, db *sqldb.DB, m Moving, dev bool, out io.Writer) (done string, err error) {
	core, err := m.core(db, dev)
	if err != nil {
		return "", err
	}
	if err := core.Reconciliation.CheckComparable(); err != nil {
		if m.IDP == "local" {
			return refusal.MessageOf(err), nil
		}
		return "", errors.New(refusal.MessageOf(err))
	}
	sum, err := core.Reconciliation.Reconcile(ctx, operator, func(f engine.Finding) { writeFinding(out, f) })
	counts := make([]string, len(engine.Results))
	for i, result := range engine.Results {
		counts[i] = fmt.Sprintf("%d %s", sum[result], result)
	}
	done = "compared with the identity provider: " + strings.Join(counts[:compared], ", ") +
		"; not compared: " + strings.Join(counts[compared:], ", ")
	lists, unreturned := core.Reconciliation.Limits()
	if !lists {
		done += "; clients that only the identity provider has cannot be seen: it does not list clients for this service"
	}
	if len(unreturned) > 0 {
		done += "; not compared, since the identity provider never returns them: " + strings.Join(unreturned, ", ")
	}
	if err == nil && !sum.Complete() {
		err = errors.New("not every client is the same at the identity provider")
	}
	return done, err
}

// compared is the number of the results of compared clients, which are the first.
const compared = 4

// writeFinding writes a line for a client that differs or is not compared, or for each of its members.
func writeFinding(out io.Writer, f engine.Finding) {
	switch l := f.Listed; {
	case l.ClientID != "":
		fmt.Fprintf(out, "client %s of the identity provider (%s): unknown: it does not exist here\n", l.ClientID, l.Name)
	case f.Kind == registrar.DifferenceMissing:
		fmt.Fprintf(out, "client %s: missing at the identity provider\n", f.ClientID)
	case f.Kind == registrar.DifferenceLocked:
		fmt.Fprintf(out, "client %s: not compared: locked: the identity provider rejects its token, so the client is gone or "+
			"the token is void; %s\n", f.ClientID, idp.NeedsManager)
	case f.Note != "":
		fmt.Fprintf(out, "client %s: not compared: %s\n", f.ClientID, f.Note)
	}
	for _, m := range f.Members {
		fmt.Fprintf(out, "client %s: different at the identity provider: %s is %q, here %q\n", f.ClientID, m.Member, m.There, m.Here)
	}
}
