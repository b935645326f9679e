package server

import (
	"context"
	"fmt"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// purgeBatch is the number of events or deliveries that are deleted in one transaction.
const purgeBatch = 1000

// purgeEvery is the interval of the purge.
const purgeEvery = time.Hour

// retention returns the loop that deletes expired refusals and deliveries in one process at a time.
// The database role of the service may lack the right to delete. Then the owner of the tables runs
// oidc-registrar purge.
func (s *Service) retention() func(context.Context) error {
	leader := s.db.Leader("purge")
	var next time.Time
	pass := func(ctx context.Context) (bool, error) {
		if leads, err := leader.Leads(ctx); err != nil || !leads || time.Now().Before(next) {
			return false, err
		}
		_, err := s.Core.Purge(ctx, s.config.kept(), purgeBatch)
		if err != nil && !sqldb.IsDenied(err) {
			return false, err
		}
		next = time.Now().Add(purgeEvery)
		return false, nil
	}
	return s.leading(leader, &daemon.Loop{Name: "retention", Every: time.Minute, Pass: pass})
}

// kept returns the retention periods.
func (r Retention) kept() engine.Kept {
	return engine.Kept{Refusals: time.Duration(r.Refusals), Deliveries: time.Duration(r.Deliveries)}
}

// Purge deletes expired events and deliveries, or counts them in a dry run. It reports their
// number, also after an error.
func Purge(ctx context.Context, db *sqldb.DB, r Retention, dryRun bool) (done string, err error) {
	core := engine.New(engine.Options{Store: store.New(db)})
	if dryRun {
		n, err := core.Purgeable(ctx, r.kept())
		return fmt.Sprintf("dry run, nothing was deleted: %d events and %d deliveries are old enough; --no-dry-run deletes them", n.Events, n.Deliveries), err
	}
	n, err := core.Purge(ctx, r.kept(), purgeBatch)
	return fmt.Sprintf("deleted %d events, %d deliveries", n.Events, n.Deliveries), err
}
