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
	for _, loop := range []struct {
		lag *time.Duration
		Timer
	}{{&c.Lags.Expiry, EndTimer}, {&c.Lags.Lapses, LapseTimer}, {&c.Lags.Deadlines, DeadlineTimer}} {
		var first sql.NullInt64
		if err := db.Table("request").Select("min(" + loop.column + ")").Where(loop.column + " > 0 AND " + loop.where).Scan(&first).Error; err != nil {
			return err
		}
		if first.Valid {
			*loop.lag = max(0, c.At.Sub(at(first.Int64)))
		}
	}
	return nil
}

// isStuck is the condition of a row of merged, the rows of request, that has no open task and no retry. The subquery
// uses the index on request_id alone: with "status IN ('open', 'claimed')" PostgreSQL reads every open task for each
// request until the first ANALYZE.
const isStuck = `merged.retry_ms = 0 AND NOT EXISTS (SELECT 1 FROM task t
	WHERE t.request_id = merged.id AND t.status NOT IN ('completed', 'skipped', 'cancelled'))`

// stuckRequests lists stuck requests, the oldest first. One index returns the requests of a status in this order.
func stuckRequests() listQuery {
	return listQuery{
		List: orderOf("stuck", "id", byAge), from: "request",
		columns: "id, created_ms, retry_ms", filter: cond(isStuck),
		scans: splitScans([]scan{{}}, "request.status", []wf.RequestStatus{wf.RequestInReview, wf.RequestBlocked}),
	}
}

// StuckRequests lists open requests without an open task or a pending retry, the oldest first. A page reads at most
// rowLimit open requests.
func (s *Store) StuckRequests(ctx context.Context, p wf.Page) (page []wf.Request, nextPage string, err error) {
	db := s.db.Read(ctx)
	keys, nextPage, err := stuckRequests().read(s.db, db, struct{}{}, p)
	if err == nil {
		var found map[string]wf.Request
		found, err = requestsByID(db, false, idsOf(keys))
		page = sqldb.Values(keys, func(k rowKey) wf.Request { return found[k.ID] })
	}
	return page, nextPage, wrapError(err, "list stuck requests")
}

// stuckPages is the number of pages of StuckRequests in a pass of a search, and namedStuck the number of ids
// that a search returns.
const (
	stuckPages = 20
	namedStuck = 10
)

// Stuck is the number of stuck requests, with the ids of the first ten.
type Stuck struct {
	Number int64
	IDs    []string
}

// StuckSearch finds stuck requests. None should exist. Each call of Next continues after the previous one, so
// that every request is checked.
type StuckSearch struct {
	store *Store
	pages int
	page  wf.Page
	found [2]Stuck // in the previous and in the current round
}

// NewStuckSearch returns a search at the start of its first round.
func (s *Store) NewStuckSearch() *StuckSearch {
	return &StuckSearch{store: s, pages: stuckPages, page: wf.Page{Limit: 200}}
}

// Next checks the next pages and returns the larger result of the last complete round and the current round.
func (f *StuckSearch) Next(ctx context.Context) (Stuck, error) {
	for range f.pages {
		page, next, err := f.store.StuckRequests(ctx, f.page)
		if err != nil {
			return Stuck{}, err
		}
		current := &f.found[1]
		current.Number += int64(len(page))
		for _, r := range page[:min(len(page), namedStuck-len(current.IDs))] {
			current.IDs = append(current.IDs, r.ID)
		}
		if f.page.Cursor = next; next == "" { // end of the round
			f.found = [2]Stuck{f.found[1]}
			break
		}
	}
	if f.found[1].Number > f.found[0].Number {
		return f.found[1], nil
	}
	return f.found[0], nil
}
