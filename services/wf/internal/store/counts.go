package store

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// maxCounted limits the rows counted per kind, which bounds the cost of one count.
const maxCounted = 100_000

// Counts holds the numbers of open requests, open tasks, deliveries and live processes.
type Counts struct {
	Requests  map[wf.RequestStatus]int64 // open requests
	Tasks     map[string]int64           // open tasks by policy
	Overdue   int64                      // open tasks of expired requests
	Outbox    outboxdb.Counts
	Processes int64 // live processes of the service
	At        time.Time
}

// Counts counts open requests, tasks, deliveries and processes, at most 100,000 per kind.
func (s *Store) Counts(ctx context.Context) (Counts, error) {
	c := Counts{Requests: map[wf.RequestStatus]int64{}, Tasks: map[string]int64{}}
	var err error
	if c.At, err = s.Now(ctx); err != nil {
		return c, err
	}
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		const openTasks = "task WHERE status IN ('open', 'claimed')"
		if err := countBy(db, c.Requests, "status", "request WHERE "+openStatus); err != nil {
			return err
		}
		if err := countBy(db, c.Tasks, "policy_key", openTasks); err != nil {
			return err
		}
		overdue := "(SELECT 1 FROM " + openTasks + " AND request_id IN " + overdueRequests + " LIMIT ?) AS t"
		if err := db.Table(overdue, ms(c.At), maxCounted).Count(&c.Overdue).Error; err != nil {
			return err
		}
		if err := db.Table("("+heartbeat.Alive+") AS p", heartbeat.Since(c.At)).Count(&c.Processes).Error; err != nil {
			return err
		}
		var err error
		c.Outbox, err = s.Outbox.Counts(db, c.At)
		return err
	})
	return c, failed(err, "count open requests, tasks and deliveries")
}

// countBy counts rows by the value of a column.
func countBy[V ~string](db *gorm.DB, counts map[V]int64, column, rows string) error {
	var found []struct {
		Value  V
		Number int64
	}
	err := db.Table("(SELECT "+column+" AS value FROM "+rows+" LIMIT ?) AS r", maxCounted).
		Select("value, count(*) AS number").Group("value").Scan(&found).Error
	for _, f := range found {
		counts[f.Value] = f.Number
	}
	return err
}

// A pass of a search checks up to stuckPages pages of open requests of one status. A statement checks one
// page, so that it stays far below statement_timeout on a busy server.
const (
	stuckPages = 10
	stuckPage  = 2_000
)

// isStuck is the condition of a row r of request that has no open task and no stage with a retry. Both
// subqueries use the indexes on request_id alone: with "status IN ('open', 'claimed')" and "retry_ms > 0"
// PostgreSQL reads every open task for each request until the first ANALYZE.
const isStuck = `NOT EXISTS (SELECT 1 FROM task t JOIN stage_run s ON s.id = t.stage_run_id
		WHERE t.request_id = r.id AND t.status NOT IN ('completed', 'skipped', 'cancelled') AND s.status IN ('active', 'blocked'))
	AND NOT EXISTS (SELECT 1 FROM stage_run s WHERE s.request_id = r.id AND s.status IN ('resolving', 'blocked') AND s.retry_ms <> 0)`

// namedStuck is the number of stuck requests whose ids a search returns.
const namedStuck = 10

// Stuck is the number of stuck requests, with the ids of the first ten.
type Stuck struct {
	Number int64
	IDs    []string
}

func (s Stuck) and(more Stuck) Stuck {
	ids := slices.Concat(s.IDs, more.IDs)
	return Stuck{s.Number + more.Number, ids[:min(len(ids), namedStuck)]}
}

// StuckSearch finds open requests without an open task or a pending retry. None should exist. Each
// call of Next continues after the previous one, so that every request is checked.
type StuckSearch struct {
	store *Store
	pages int
	page  int64
	last  map[wf.RequestStatus]requestPlace
	found map[wf.RequestStatus][2]Stuck // in the previous and in the current round
}

type requestPlace struct {
	CreatedMS int64
	ID        string
}

// NewStuckSearch returns a search at the start of its first round.
func (s *Store) NewStuckSearch() *StuckSearch {
	return &StuckSearch{store: s, pages: stuckPages, page: stuckPage, last: map[wf.RequestStatus]requestPlace{},
		found: map[wf.RequestStatus][2]Stuck{}}
}

// firstID sorts before every id.
const firstID = "00000000-0000-0000-0000-000000000000"

// Next checks the next pages of each status and returns the stuck requests. Per status, it returns
// the larger result of the last complete round and the current round.
func (f *StuckSearch) Next(ctx context.Context) (all Stuck, err error) {
	for _, status := range []wf.RequestStatus{wf.RequestInReview, wf.RequestBlocked} {
		for n, more := 0, true; more && n < f.pages; n++ {
			if more, err = f.next(ctx, status); err != nil {
				return Stuck{}, failed(err, "look for stuck requests")
			}
		}
		found := f.found[status][0]
		if f.found[status][1].Number > found.Number {
			found = f.found[status][1]
		}
		all = all.and(found)
	}
	return all, nil
}

// next checks the next page of a status. It returns false at the end of the round.
func (f *StuckSearch) next(ctx context.Context, status wf.RequestStatus) (more bool, err error) {
	from, going := f.last[status]
	if !going {
		from = requestPlace{CreatedMS: -1, ID: firstID}
	}
	const page = "(SELECT id, created_ms FROM request WHERE status = ? AND (created_ms, id) > (?, ?) ORDER BY created_ms, id LIMIT ?) AS r"
	args := []any{status, from.CreatedMS, from.ID, f.page}
	var looked struct{ Number, Stuck int64 }
	var end requestPlace
	var ids []string
	err = f.store.db.Snapshot(ctx, func(db *gorm.DB) error {
		err := db.Table(page, args...).Select("count(*) AS number, coalesce(sum(CASE WHEN " + isStuck + " THEN 1 ELSE 0 END), 0) AS stuck").
			Scan(&looked).Error
		if err == nil && looked.Stuck > 0 {
			err = db.Table(page, args...).Select("id").Where(isStuck).Order("created_ms, id").Limit(namedStuck).Scan(&ids).Error
		}
		if err != nil || looked.Number < f.page {
			return err
		}
		return db.Table(page, args...).Order("created_ms DESC, id DESC").Limit(1).Scan(&end).Error
	})
	if err != nil {
		return false, err
	}
	found, more := f.found[status], looked.Number == f.page
	if found[1] = found[1].and(Stuck{looked.Stuck, ids}); more {
		f.last[status] = end
	} else { // end of the round
		delete(f.last, status)
		found = [2]Stuck{found[1]}
	}
	f.found[status] = found
	return more, nil
}

// StuckRequest is an open request without an open task or a pending retry.
type StuckRequest struct {
	ID                   string
	PolicyKey            string
	PolicyVersion        int
	Status               wf.RequestStatus
	Title                string
	CreatedMS, UpdatedMS int64
}

// openByCreation orders stuck requests by creation time.
var openByCreation = sqldb.List[StuckRequest]{
	Name: "stuck", Sort: "created_at", Numbers: []string{"r.created_ms"}, ID: "r.id",
	Place: func(r StuckRequest) ([]int64, string) { return []int64{r.CreatedMS}, r.ID },
}

// StuckRequests lists stuck requests, the oldest first. It reads every open request until the page is full.
func (s *Store) StuckRequests(ctx context.Context, p wf.Page) ([]StuckRequest, string, error) {
	q := s.db.Read(ctx).Table("request AS r").
		Select("r.id, r.policy_key, r.policy_version, r.status, r.title, r.created_ms, r.updated_ms").
		Where("r.status IN ?", []wf.RequestStatus{wf.RequestInReview, wf.RequestBlocked}).Where(isStuck)
	rows, nextPage, err := openByCreation.Page(s.db, q, struct{}{}, sqldb.Page(p))
	return rows, nextPage, failed(err, "list stuck requests")
}
