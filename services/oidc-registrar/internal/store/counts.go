package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/work/workdb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// maxCounted is the maximum count of each kind.
const maxCounted = 100_000

// Counts holds the counts for the operators' gauges.
type Counts struct {
	Clients map[registrar.ClientStatus]int64
	Calls   map[registrar.CallKind]int64 // pending, to the identity provider
	Late    time.Duration                // time since the due time of the oldest
	Stuck   int64                        // PENDING clients without a pending call

	Differences map[registrar.DifferenceKind]int64 // at the provider

	OutcomeUnknown int64 // clients with an unknown outcome at the provider
	Outbox         outboxdb.Counts
}

// Counts counts up to 100,000 rows of each kind.
func (s *Store) Counts(ctx context.Context) (Counts, error) {
	var c Counts
	now, err := s.Now(ctx)
	if err != nil {
		return c, err
	}
	err = s.db.Snapshot(ctx, func(db *gorm.DB) (err error) {
		if err := c.take(db, now); err != nil {
			return err
		}
		c.Outbox, err = s.Outbox.Counts(db, now)
		return err
	})
	return c, wrapError(err, "count clients and calls")
}

func (c *Counts) take(db *gorm.DB, now time.Time) (err error) {
	if c.Clients, err = countBy[registrar.ClientStatus](db, "SELECT status AS kind FROM client"); err != nil {
		return err
	}
	if c.Calls, err = countBy[registrar.CallKind](db, "SELECT kind FROM idp_call WHERE due_ms < ?", sqldb.Millis(registrar.HeldUntil)); err != nil {
		return err
	}
	if c.Differences, err = countBy[registrar.DifferenceKind](db, "SELECT kind FROM difference"); err != nil {
		return err
	}
	var due int64
	inFlight, since := workdb.InFlight(now)
	err = db.Table("idp_call").Select("coalesce(min(due_ms), 0)").Where("NOT "+inFlight, since).Scan(&due).Error
	if err != nil {
		return err
	}
	if due > 0 && due < sqldb.Millis(registrar.HeldUntil) {
		c.Late = max(0, now.Sub(sqldb.Time(due)))
	}
	err = db.Table("(SELECT 1 FROM client WHERE outcome_unknown LIMIT ?) AS c", maxCounted).Count(&c.OutcomeUnknown).Error
	if err != nil {
		return err
	}
	stuck := "(SELECT 1 FROM client WHERE status = ? AND NOT EXISTS (SELECT 1 FROM idp_call WHERE client_id = client.id) LIMIT ?) AS c"
	return db.Table(stuck, registrar.ClientPending, maxCounted).Count(&c.Stuck).Error
}

// countBy counts rows by kind, the only column of the query.
func countBy[K ~string](db *gorm.DB, query string, args ...any) (map[K]int64, error) {
	var rows []struct {
		Kind   K
		Number int64
	}
	err := db.Table("("+query+" LIMIT ?) AS counted", append(args, maxCounted)...).
		Select("kind, count(*) AS number").Group("kind").Scan(&rows).Error
	counts := map[K]int64{}
	for _, row := range rows {
		counts[row.Kind] = row.Number
	}
	return counts, err
}
