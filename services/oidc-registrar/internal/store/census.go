package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/sqldb"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// maxCensus is how many rows of a kind are counted at most.
const maxCensus = 100_000

// Census is how much there is of what operators look at.
type Census struct {
	Clients map[registrar.ClientStatus]int64
	Calls   map[registrar.CallKind]int64 // to the identity provider, that are owed
	Late    time.Duration                // how long the first of those has been due
	Stuck   int64                        // clients that are PENDING although no call is owed for them

	Differences map[registrar.DifferenceKind]int64 // at the provider

	Doubtful int64 // clients of which somebody has to find out what the provider has
	Outbox   outboxdb.Census
}

// TakeCensus counts what there is, each kind up to 100,000.
func (s *Store) TakeCensus(ctx context.Context) (Census, error) {
	c := Census{Clients: map[registrar.ClientStatus]int64{}, Calls: map[registrar.CallKind]int64{}, Differences: map[registrar.DifferenceKind]int64{}}
	now, err := s.Now(ctx)
	if err != nil {
		return c, err
	}
	err = s.db.Snapshot(ctx, func(db *gorm.DB) (err error) {
		if err := c.take(db, now); err != nil {
			return err
		}
		c.Outbox, err = s.Outbox.TakeCensus(db, now)
		return err
	})
	return c, failed(err, "count clients and calls")
}

func (c *Census) take(db *gorm.DB, now time.Time) error {
	var clients []struct {
		Status registrar.ClientStatus
		Number int64
	}
	err := db.Raw("SELECT status, count(*) AS number FROM (SELECT status FROM client LIMIT ?) AS c GROUP BY status", maxCensus).Scan(&clients).Error
	if err != nil {
		return err
	}
	for _, row := range clients {
		c.Clients[row.Status] = row.Number
	}
	var calls []struct {
		Kind   registrar.CallKind
		Number int64
	}
	err = db.Raw("SELECT kind, count(*) AS number FROM (SELECT kind FROM idp_call WHERE due_ms < ? LIMIT ?) AS c GROUP BY kind",
		sqldb.Millis(registrar.Parked), maxCensus).Scan(&calls).Error
	if err != nil {
		return err
	}
	for _, row := range calls {
		c.Calls[row.Kind] = row.Number
	}
	var differences []struct {
		Kind   registrar.DifferenceKind
		Number int64
	}
	err = db.Raw("SELECT kind, count(*) AS number FROM (SELECT kind FROM difference LIMIT ?) AS d GROUP BY kind", maxCensus).Scan(&differences).Error
	if err != nil {
		return err
	}
	for _, row := range differences {
		c.Differences[row.Kind] = row.Number
	}
	var due int64
	if err := db.Raw("SELECT coalesce(min(due_ms), 0) FROM idp_call").Scan(&due).Error; err != nil {
		return err
	}
	if due > 0 && due < sqldb.Millis(registrar.Parked) {
		c.Late = max(0, now.Sub(sqldb.Time(due)))
	}
	err = db.Raw("SELECT count(*) FROM (SELECT 1 FROM client WHERE doubtful LIMIT ?) AS c", maxCensus).Scan(&c.Doubtful).Error
	if err != nil {
		return err
	}
	return db.Raw(`SELECT count(*) FROM (SELECT 1 FROM client WHERE status = ? AND NOT EXISTS (SELECT 1 FROM idp_call WHERE client_id = client.id) LIMIT ?) AS c`,
		registrar.ClientPending, maxCensus).Scan(&c.Stuck).Error
}
