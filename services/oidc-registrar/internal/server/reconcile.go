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
	n, err := core.Reconciliation.Reconcile(
		ctx,
		operator,
		engine.Reconciling{Found: said.writeDifference, Skipped: said.writeSkipped, Unknown: said.writeUnknown},
	)
	done = "compared with the identity provider: " + formatCounts(n)
	if m := core.Reconciliation.Unlisted(); m != "" {
		done += "; " + m
	}
	if err == nil && !n.Complete() {
		err = errors.New("not every client is the same at the identity provider")
	}
	return done, err
}

// formatCounts returns the counts of a comparison as text.
func formatCounts(n engine.Reconciled) string {
	return fmt.Sprintf(
		"%d clients are the same, %d changed, %d missing, %d locked, %d unreadable; not compared: %d waiting, %d doubtful; %d only at the provider",
		n.Same,
		n.Changed,
		n.Missing,
		n.Locked,
		n.Unread,
		n.Waiting,
		n.OutcomeUnknown,
		n.Unknown,
	)
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
	words := map[registrar.DifferenceKind]string{
		registrar.DifferenceMissing: "missing at the identity provider", registrar.DifferenceChanged: "different at the identity provider: ",
		registrar.DifferenceLocked: "locked: the identity provider rejects its token, so the client is gone or the token is void; " + idp.NeedsManager,
	}
	l.write("client %s: %s%s", id, words[d.Kind], strings.Join(d.Fields, ", "))
}

func (l *lines) writeSkipped(id, reason string) { l.write("client %s: not compared: %s", id, reason) }

func (l *lines) writeUnknown(c idp.Listed) {
	l.write(
		"client %s of the identity provider (%s): registered for client %s, which does not exist here or has another client there",
		c.ProviderClientID,
		c.Name,
		c.ClientID,
	)
}
