package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/jobs"
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
	leader := db.Leader(jobs.Comparer)
	leads, err := leader.TryLead(ctx)
	if err != nil {
		return "", err
	}
	if !leads {
		return "", errors.New("another process is reconciling")
	}
	defer leader.Resign()
	said := lines{out: out}
	n, err := core.Reconciliation.Reconcile(ctx, operator,
		engine.Reconciling{Found: said.writeDifference, Skipped: said.writeSkipped, Unknown: said.writeUnknown})
	done = "compared with the identity provider: " + formatCounts(n)
	lists, unreturned := core.Reconciliation.Limits()
	if !lists {
		done += "; clients that only the identity provider has cannot be seen: it does not list clients for this service"
	}
	if len(unreturned) > 0 {
		done += "; not compared, since the identity provider never returns them: " + strings.Join(unreturned, ", ")
	}
	if err == nil && !n.Complete() {
		err = errors.New("not every client is the same at the identity provider")
	}
	return done, err
}

// formatCounts returns the counts of a comparison as text.
func formatCounts(n engine.Reconciled) string {
	return fmt.Sprintf("%d same, %d different, %d missing, %d unknown; "+
		"not compared: %d locked, %d unreadable, %d waiting, %d doubtful",
		n.Same, n.Different, n.Missing, n.Unknown, n.Locked, n.Unread, n.Waiting, n.OutcomeUnknown)
}

// lines writes a line for each client that differs or is not compared.
type lines struct {
	lock sync.Mutex
	out  io.Writer
}

func (l *lines) write(format string, args ...any) {
	l.lock.Lock()
	defer l.lock.Unlock()
	fmt.Fprintf(l.out, format+"\n", args...)
}

func (l *lines) writeDifference(id string, d registrar.Difference) {
	switch d.Kind {
	case registrar.DifferenceMissing:
		l.write("client %s: missing at the identity provider", id)
	case registrar.DifferenceLocked:
		l.write("client %s: not compared: locked: the identity provider rejects its token, so the client is gone or "+
			"the token is void; %s", id, idp.NeedsManager)
	case registrar.DifferenceMembers:
		for _, m := range d.Members {
			l.write("client %s: different at the identity provider: %s is %q, here %q", id, m.Member, m.There, m.Here)
		}
	}
}

func (l *lines) writeSkipped(id, reason string) { l.write("client %s: not compared: %s", id, reason) }

func (l *lines) writeUnknown(c idp.Listed) {
	l.write("client %s of the identity provider (%s): unknown: registered for client %s, which does not exist here "+
		"or has another client there", c.ProviderClientID, c.Name, c.ClientID)
}
