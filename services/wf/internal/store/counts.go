package store

import (
	"context"
	"database/sql"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// maxCounted limits the rows counted per kind, which bounds the cost of one count; tests lower it.
var maxCounted = 100_000

// Counts holds the numbers of open requests, open tasks, deliveries and live processes.
type Counts struct {
	Requests  map[wf.RequestStatus]int64 // open requests
	Tasks     map[string]int64           // open tasks by policy
	Overdue   map[string]int64           // of Tasks, those past their due date
	Stuck     []string                   // ids of stuck requests, the oldest first; none should exist
	Lags      Lags
	Outbox    outboxdb.Counts
	Processes int64 // live processes of the service
	At        time.Time
}

// Lags holds for each loop the age of its oldest due row; 0 without a due row.
type Lags struct{ Expiry, Lapses, Deadlines time.Duration }

// Counts counts open requests, tasks, deliveries and processes, at most 100,000 per kind.
func (s *Store) Counts(ctx context.Context) (Counts, error) {
	c := Counts{Requests: map[wf.RequestStatus]int64{}, Tasks: map[string]int64{}, Overdue: map[string]int64{}}
	var err error
	if c.At, err = s.Now(ctx); err != nil {
		return c, err
	}
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		if err := countRequests(db, c.Requests); err != nil {
			return err
		}
		if err := db.Table("request").Where("stuck").Order("created_ms, id").Limit(maxCounted).Pluck("id", &c.Stuck).Error; err != nil {
			return err
		}
		tasks, err := countTasks(db, c.At)
		if err != nil {
			return err
		}
		for _, f := range tasks {
			c.Tasks[f.PolicyKey], c.Overdue[f.PolicyKey] = f.Tasks, f.Overdue
		}
		if err := readLags(db, &c); err != nil {
			return err
		}
		if err := db.Table("("+heartbeat.Alive+") AS p", heartbeat.LivenessCutoff(c.At)).Count(&c.Processes).Error; err != nil {
			return err
		}
		c.Outbox, err = s.Outbox.Counts(db, c.At)
		return err
	})
	return c, wrapError(err, "count open requests, tasks and deliveries")
}

func countRequests(db *gorm.DB, counts map[wf.RequestStatus]int64) error {
	var found []struct {
		Status wf.RequestStatus
		Number int64
	}
	err := db.Table("(SELECT status FROM request WHERE "+openStatus+" LIMIT ?) AS r", maxCounted).
		Select("status, count(*) AS number").Group("status").Scan(&found).Error
	for _, f := range found {
		counts[f.Status] = f.Number
	}
	return err
}

// countTasks counts the open tasks of each policy at a time, of the first 100,000.
func countTasks(db *gorm.DB, now time.Time) (found []wf.PolicyFigures, err error) {
	open := db.Table("task AS merged").Select("policy_key, created_ms, "+late+" AS late", ms(now), ms(now)).
		Where(openTask).Limit(maxCounted)
	const counts = "count(*) AS tasks, count(CASE WHEN late THEN 1 END) AS overdue, min(created_ms) AS oldest_ms"
	err = db.Table("(?) AS t", open).Select("policy_key, " + counts).Group("policy_key").Find(&found).Error
	return found, err
}

// readLags reads the earliest timer of each loop, by its index.
func readLags(db *gorm.DB, c *Counts) error {
	for timer, lag := range map[Timer]*time.Duration{
		EndTimer: &c.Lags.Expiry, LapseTimer: &c.Lags.Lapses, DeadlineTimer: &c.Lags.Deadlines,
	} {
		var first sql.NullInt64
		column := string(timer)
		if err := db.Table("request").Select("min(" + column + ")").Where(column + " > 0").Scan(&first).Error; err != nil {
			return err
		}
		if first.Valid {
			*lag = max(0, c.At.Sub(at(first.Int64)))
		}
	}
	return nil
}

// StuckRequests lists open requests without an open task or a pending retry, the oldest first.
func (s *Store) StuckRequests(ctx context.Context, p wf.Page) (page []wf.Request, nextPage string, err error) {
	db := s.db.Read(ctx)
	q := db.Table("request").Where("stuck").Select("id, created_ms")
	keys, nextPage, err := orderOf("stuck", "id", byAge).Page(s.db, q, nil, p)
	if err == nil {
		var found map[string]wf.Request
		found, err = requestsByID(db, false, idsOf(keys))
		page = sqldb.Values(keys, func(k rowKey) wf.Request { return found[k.ID] })
	}
	return page, nextPage, wrapError(err, "list stuck requests")
}
