package server

import (
	"context"
	"fmt"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/oidc-registrar/internal/register"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
)

// purgeBatch is how many events or deliveries are deleted in one transaction.
const purgeBatch = 1000

// purgeEvery is how often the worker looks for what is old enough.
const purgeEvery = time.Hour

// retention is the loop in which one process at a time deletes refusals and deliveries that
// are old enough. The role of the service may have no right to: then the owner of the tables does
// it, with oidc-registrar purge.
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

// kept is how long objects are kept.
func (r Retention) kept() register.Kept {
	return register.Kept{Refusals: time.Duration(r.Refusals), Deliveries: time.Duration(r.Deliveries)}
}

// Purge deletes what is old enough, or counts it in a dry run, and says how many
// events and deliveries that is; after an error, how many were deleted before it.
func Purge(ctx context.Context, db *sqldb.DB, r Retention, dryRun bool) (done string, err error) {
	core := register.New(register.Options{Store: store.New(db)})
	if dryRun {
		n, err := core.Purgeable(ctx, r.kept())
		return fmt.Sprintf("dry run, nothing was deleted: %d events and %d deliveries are old enough; --no-dry-run deletes them", n.Events, n.Deliveries), err
	}
	n, err := core.Purge(ctx, r.kept(), purgeBatch)
	return fmt.Sprintf("deleted %d events, %d deliveries", n.Events, n.Deliveries), err
}
