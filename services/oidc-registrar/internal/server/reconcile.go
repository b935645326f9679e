package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
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
	done = "compared with the identity provider: " + strings.Join(counts, ", ")
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

// writeFinding writes a line for a finding, or for each member that differs.
func writeFinding(out io.Writer, f engine.Finding) {
	for _, m := range f.Members {
		fmt.Fprintf(out, "client %s: different at the identity provider: %s is %q, here %q\n",
			f.ClientID, m.Member, m.There, m.Here)
	}
	if f.Members == nil {
		fmt.Fprintln(out, strings.TrimSuffix(fmt.Sprintf("client %s: %s: %s", f.ClientID, f.Result, f.Note), ": "))
	}
}
