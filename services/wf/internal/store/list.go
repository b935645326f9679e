package store

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
)

// Bounds of a page; tests lower them.
var (
	// rowLimit bounds the rows that a page reads when a filter has no index. The page then ends early, and its cursor
	// continues after the last row that was read.
	rowLimit = 1000

	// idLimit is the number of ids up to which a page is sorted from the rows of an index in another order.
	idLimit = 1000
)

// maxSplit bounds the policies that a list scans one by one.
const maxSplit = 10

var (
	everyStatus     = wf.RequestStatus("").Values()
	everyTaskStatus = wf.TaskStatus("").Values()
	everyRole       = []wf.InboxRole{wf.InboxHolder, wf.InboxCandidate}
)

const (
	byCreation = "created_at" // newest first
	byAge      = "age"        // oldest first
	byDueDate  = "due_at"     // rows without a date last
)

// sorts are the orders of requests and tasks by columns of both, then by the id.
var sorts = map[string][]string{
	byCreation: {"created_ms"}, byAge: {"created_ms"},
	"priority": {"urgency", "created_ms"}, byDueDate: {"due_ms", "created_ms"},
}

// rowKey is the position of a row in a list.
type rowKey struct {
	ID, RequestID             string // RequestID of a task
	Urgency, CreatedMS, DueMS int64  // DueMS is 0 without a due date
}

// undated is the due date of rows without one in an order.
const undated = math.MaxInt64

// orderOf returns the order of a list by the name of its sort. id is the column of the ids.
func orderOf(list, id, sort string) sqldb.List[rowKey] {
	sort = cmp.Or(sort, byCreation)
	return sqldb.List[rowKey]{
		Name: list, Sort: sort, Numbers: sorts[sort], ID: id, Desc: sort == byCreation,
		Place: func(k rowKey) ([]int64, string) {
			value := map[string]int64{"urgency": k.Urgency, "created_ms": k.CreatedMS, "due_ms": cmp.Or(k.DueMS, undated)}
			return sqldb.Values(sorts[sort], func(column string) int64 { return value[column] }), k.ID
		},
	}
}

// lastDue returns the latest due date of a filter, undated if rows without a date are in the list.
func lastDue(due wf.DueFilter, now time.Time) (last int64) {
	last = undated
	if due.Overdue != nil && *due.Overdue {
		last = ms(now)
	}
	if !due.Before.IsZero() {
		last = min(last, ms(due.Before)-1)
	}
	return last
}

// statusScans returns one scan for each status of a filter. Overdue objects, which are not over, read as ended, whatever
// their stored status; see wf.Request.AsOf.
func statusScans[S ~string](column string, asked, every []S, ended S, overdue scan) (scans []scan) {
	if len(asked) == 0 {
		return splitScans([]scan{{}}, column, every)
	}
	for _, status := range asked {
		scans = append(scans, cond(column+" = ?", status).and(overdue.not()))
		if status == ended {
			scans = append(scans, overdue)
		}
	}
	return scans
}

// partsOf returns the scan of the requests of a person, in the order of creation.
func partsOf(user string) scan {
	s := cond("request.user_id = ?", printable(user))
	s.from = "(SELECT user_id, request_id AS id, created_ms FROM participant WHERE reader) AS request"
	return s
}

// requestQuery returns the query of a filter. In the order of creation the requests of a person are scanned by
// participant; requesters and submitters are participants.
func requestQuery(db *gorm.DB, f wf.RequestFilter) (q listQuery, err error) {
	if f.Own == f.Participant || f.Own == f.Requester {
		f.Own, f.Owned = "", nil
	}
	if f.Participant == "" && len(f.Owned) == 0 {
		f.Participant, f.Own = f.Own, ""
	}
	q.List = orderOf("requests", "id", f.Sort)
	q.from, q.columns = "request", "id, "+strings.Join(q.Numbers, ", ")
	q.join, q.lastDue = "JOIN request ON request.id = merged.id", lastDue(f.Due, f.AsOf)
	q.scans = statusScans("request.status", f.Status, everyStatus, wf.RequestExpired, cond(overdue, ms(f.AsOf)))
	left, byTime := f, len(q.Numbers) == 1
	left.Status = nil
	switch {
	case !byTime:
	case f.Requester != "":
		q.scans, left.Requester = eachScan(q.scans, cond("request.requester_id = ?", printable(f.Requester))), ""
	case f.Participant != "":
		q.scans = []scan{partsOf(f.Participant)}
		left.Participant, left.Status = "", f.Status
	case f.Own != "" && len(f.Owned) <= maxSplit:
		owned := splitScans(q.scans, "request.policy_key", printables(f.Owned))
		q.scans, q.distinct = append(owned, partsOf(f.Own)), true
		left.Own, left.Owned, left.Status = "", nil, f.Status
	case len(f.PolicyKey) > 0 && len(f.PolicyKey) <= maxSplit:
		q.scans, left.PolicyKey = splitScans(q.scans, "request.policy_key", printables(f.PolicyKey)), nil
	}
	if byTime {
		q.scans = eachScan(q.scans, createdBetween(f))
		left.CreatedAfter, left.CreatedBefore = time.Time{}, time.Time{}
	}
	if q.filter = conditions(db, left); q.filter.where == "" {
		return q, nil
	}
	ids, few, err := selectIDs(indexedRequests(db, f)...)
	if few && err == nil {
		q.scans, q.filter, q.distinct = []scan{conditions(db, f).and(among(db, "request.id", ids))}, scan{}, false
	}
	return q, err
}

// createdBetween returns the condition of a filter on the time of creation.
func createdBetween(f wf.RequestFilter) scan {
	return allOf(
		cond("request.created_ms > ?", ms(f.CreatedAfter)).when(!f.CreatedAfter.IsZero()),
		cond("request.created_ms < ?", ms(f.CreatedBefore)).when(!f.CreatedBefore.IsZero()),
	)
}

// statusAt and standingAt are the status and the standing of a request at a time, whatever the stored ones; see
// wf.Request.AsOf. They have one and two arguments, all the time.
const (
	statusAt   = "CASE WHEN " + overdue + " THEN 'expired' ELSE request.status END"
	standingAt = "CASE WHEN " + lapsed + " THEN 'lapsed' WHEN request.status <> 'approved' OR request.standing <> '' " +
		"THEN request.standing WHEN request.valid_from_ms > ? THEN 'pending' ELSE 'in_force' END"
)

// conditions returns the condition of a filter, empty for an empty filter. Expired requests have no due date.
func conditions(db *gorm.DB, f wf.RequestFilter) scan {
	now := ms(f.AsOf)
	due := func(before string, t time.Time) scan {
		return cond("(NOT "+overdue+" AND request.due_ms > 0 AND request.due_ms "+before+" ?)", now, ms(t))
	}
	own := cond(hasPart, printable(f.Own))
	if len(f.Owned) > 0 {
		own = anyOf(own, whereIn("request.policy_key", f.Owned))
	}
	return allOf(
		cond(statusAt+" IN ?", now, f.Status).when(len(f.Status) > 0),
		whereIn("request.policy_key", f.PolicyKey),
		whereIn("request.artifact_type", f.ArtifactType),
		whereIn("request.artifact_id", f.ArtifactID),
		cond("request.requester_id = ?", printable(f.Requester)).when(f.Requester != ""),
		cond(hasPart, printable(f.Participant)).when(f.Participant != ""),
		own.when(f.Own != ""),
		createdBetween(f),
		labelScan(db, "request.labels", f.Labels),
		cond(standingAt+" IN ?", now, now, f.Standing).when(len(f.Standing) > 0),
		due("<=", f.AsOf).is(f.Due.Overdue),
		due("<", f.Due.Before).when(!f.Due.Before.IsZero()),
		cond("request.status = 'approved' AND request.valid_until_ms > 0 AND request.valid_until_ms < ?", ms(f.ValidBefore)).
			when(!f.ValidBefore.IsZero()),
		textMatch(f.Q).when(f.Q != ""),
	)
}

// indexedRequests returns the queries for the ids of requests by the indexes of a filter's members.
func indexedRequests(db *gorm.DB, f wf.RequestFilter) (queries []*gorm.DB) {
	if len(f.ArtifactID) > 0 {
		queries = append(queries, sqldb.OneOf(db.Table("request").Select("id"), "artifact_id", f.ArtifactID))
	}
	queries = append(queries, indexedText(db, f.Q)...)
	if labels := labelScan(db, "labels", f.Labels); labels.where != "" && db.Name() == "postgres" {
		queries = append(queries, labels.of(db.Table("request").Select("id")))
	}
	if id := cmp.Or(f.Participant, f.Requester); id != "" {
		parts := db.Table("participant").Select("request_id").Where("user_id = ? AND reader", printable(id))
		queries = append(queries, parts)
	}
	return queries
}

// Requests lists requests by their summaries. The status is as of f.AsOf.
func (s *Store) Requests(
	ctx context.Context, f wf.RequestFilter, p wf.Page,
) (list []wf.Request, nextPage string, err error) {
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		f.AsOf = cmp.Or(f.AsOf, tx.Now())
		q, err := requestQuery(tx.DB, f)
		if err != nil {
			return err
		}
		keys, next, err := q.read(s.db, tx.DB, f, p)
		if err != nil {
			return err
		}
		requests, err := requestsByID(tx.DB, false, idsOf(keys))
		for _, k := range keys {
			list = append(list, requests[k.ID].AsOf(f.AsOf))
		}
		nextPage = next
		return err
	})
	return list, nextPage, wrapError(err, "list requests")
}

// Assignees returns the assignees of the open tasks of requests, by request.
func (s *Store) Assignees(ctx context.Context, requests []string) (map[string][]identity.User, error) {
	var rows []taskRow
	db := s.db.Read(ctx)
	err := among(db, "request_id", requests).of(db).Select("request_id", "assignee_id", "status").
		Order("request_id, id").Find(&rows, "assignee_id <> ''").Error
	if err != nil {
		return nil, wrapError(err, "read assignees")
	}
	// By a condition on the status, SQLite would search all live tasks.
	rows = slices.DeleteFunc(rows, func(r taskRow) bool { return r.Status != wf.TaskOpen && r.Status != wf.TaskClaimed })
	people, err := s.KnownPeople(ctx, sqldb.Values(rows, func(r taskRow) string { return r.AssigneeID }))
	of := map[string][]identity.User{}
	for _, r := range rows {
		u := people[r.AssigneeID]
		u.ID = r.AssigneeID
		of[r.RequestID] = append(of[r.RequestID], u)
	}
	return of, err
}

// overdueRequests selects the overdue requests. They are few, because timers close them.
const overdueRequests = "(SELECT id FROM request WHERE " + overdue + ")"

// openTask selects the tasks that are not over.
const openTask = "status IN ('open', 'claimed')"

// taskQuery returns the query of a filter: of the tasks of some requests, of a user's inbox, or of the tasks by status.
// Live tasks of overdue requests read as cancelled, whatever their stored status; inboxes leave them out.
func taskQuery(db *gorm.DB, f wf.TaskFilter) (q listQuery, err error) {
	var requests []string
	few := f.RequestID != ""
	if f.Q != "" && !few {
		if requests, few, err = selectIDs(indexedText(db, f.Q)...); err != nil {
			return q, err
		}
	}
	over := cond("(task."+openTask+" AND task.request_id IN "+overdueRequests+")", ms(f.AsOf))
	q.scans = statusScans("task.status", f.Status, everyTaskStatus, wf.TaskCancelled, over)
	left, id, inboxes := f, "id", inboxesOf(f)
	q.from = "task"
	switch {
	case f.RequestID != "" && !isID(f.RequestID):
		q.scans = []scan{cond("1 = 0")}
	case f.RequestID != "": // an equality: SQLite searches it by its index in the order of creation
		q.scans = eachScan(q.scans, cond("task.request_id = ?", f.RequestID))
	case few:
		q.scans = eachScan(q.scans, among(db, "task.request_id", requests))
	case len(inboxes) > 0:
		q.from, id, q.distinct = "inbox", "task_id", len(f.Delegations) > 0
		q.scans, inboxes = eachScan(inboxes[0], cond("inbox.request_id NOT IN "+overdueRequests, ms(f.AsOf))), inboxes[1:]
	case f.Assignee != "":
		held := cond("task.assignee_id <> '' AND task.assignee_id = ?", printable(f.Assignee))
		q.scans, left.Assignee = eachScan(q.scans, held), ""
	}
	q.List, q.byUrgency, q.lastDue = orderOf("tasks", id, f.Sort), !few, lastDue(f.Due, f.AsOf)
	q.columns = id + " AS id, urgency, created_ms, request_id, policy_key, stage_key, artifact_type, kind, status, due_ms"
	q.filter = taskConditions(left, q.from == "inbox", inboxes)
	if f.Q != "" {
		q.join = "JOIN request ON request.id = merged.request_id"
	}
	return q, nil
}

// taskConditions returns the condition of a filter on the rows of scans, named merged. The tasks are in each of the
// inboxes; live ones are in an inbox already.
func taskConditions(f wf.TaskFilter, live bool, inboxes [][]scan) scan {
	inTime := cond("merged.request_id NOT IN "+overdueRequests, ms(f.AsOf))
	all := allOf(
		whereIn("merged.policy_key", f.PolicyKey),
		whereIn("merged.stage_key", f.StageKey),
		whereIn("merged.artifact_type", f.ArtifactType),
		cond("merged.kind = ?", f.Kind).when(f.Kind != ""),
		whereIn("merged.status", f.Status).when(live),
		cond(late, ms(f.AsOf), ms(f.AsOf)).is(f.Due.Overdue),
		cond("merged.due_ms > 0 AND merged.due_ms < ?", ms(f.Due.Before)).when(!f.Due.Before.IsZero()),
		cond("EXISTS (SELECT 1 FROM task held WHERE held.id = merged.id AND held.assignee_id = ?)", printable(f.Assignee)).
			when(f.Assignee != ""),
		cond("EXISTS (SELECT 1 FROM request WHERE request.id = merged.request_id AND "+hasPart+")", printable(f.Own)).
			when(f.Own != "" && !live && len(inboxes) == 0), // an inbox has only tasks of readers
		textMatch(f.Q).when(f.Q != ""),
	)
	for _, entries := range inboxes {
		all = all.and(anyOf(sqldb.Values(entries, func(entry scan) scan {
			return cond("EXISTS (SELECT 1 FROM inbox WHERE "+entry.where+" AND inbox.urgency = merged.urgency "+
				"AND inbox.created_ms = merged.created_ms AND inbox.task_id = merged.id)", entry.args...)
		})...)).and(inTime)
	}
	return all
}

// late is the condition that a task is open and past its due date. Its arguments are the time, twice.
const late = "(merged.due_ms > 0 AND merged.due_ms <= ? AND merged." + openTask + " AND merged.request_id NOT IN " +
	overdueRequests + ")"

// Tasks lists tasks with their requests and runs, without the content. The status is as of f.AsOf.
func (s *Store) Tasks(
	ctx context.Context, f wf.TaskFilter, p wf.Page,
) (items []wf.TaskItem, nextPage string, err error) {
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		f.AsOf = cmp.Or(f.AsOf, tx.Now())
		q, err := taskQuery(tx.DB, f)
		if err != nil {
			return err
		}
		keys, next, err := q.read(s.db, tx.DB, f, p)
		if err != nil {
			return err
		}
		requests, err := requestsByID(tx.DB, true, sqldb.Values(keys, func(k rowKey) string { return k.RequestID }))
		items = sqldb.Values(keys, func(k rowKey) wf.TaskItem { return requests[k.RequestID].ItemOf(k.ID, f.AsOf) })
		nextPage = next
		return err
	})
	return items, nextPage, wrapError(err, "list tasks")
}

// PageAfter returns the page of a list of tasks that follows the place of a task.
func (s *Store) PageAfter(ctx context.Context, f wf.TaskFilter, r wf.Request, t wf.Task, limit int) (wf.Page, error) {
	paging, err := orderOf("tasks", "id", f.Sort).Paging(s.db, s.db.Read(ctx), f, wf.Page{})
	if err != nil {
		return wf.Page{}, wrapError(err, "find the place of task %s", t.ID)
	}
	cursor, err := paging.Cursor(rowKey{
		ID: t.ID, Urgency: r.Priority.Urgency(), CreatedMS: ms(t.CreatedAt), DueMS: ms(r.Run(t).DueAt),
	})
	return wf.Page{Limit: limit, Cursor: cursor}, err
}

// TaskStats counts the tasks of the filter by status and policy; it ignores the text filter. It
// counts at most wf.MaxCount tasks and reports whether there are more.
func (s *Store) TaskStats(ctx context.Context, f wf.TaskFilter) ([]wf.TaskCount, bool, error) {
	counts := []wf.TaskCount{}
	q, err := countedTasks(s.db.Read(ctx), f)
	if err == nil {
		err = q.Select("status, policy_key, count(*) AS count, sum(late) AS overdue").
			Group("1, 2").Order("1, 2").Find(&counts).Error
	}
	more := wf.TotalOf(counts) > wf.MaxCount
	if more {
		counts[len(counts)-1].Count--
	}
	return counts, more, wrapError(err, "count tasks")
}

// InboxFigures counts the tasks of the filter by age.
func (s *Store) InboxFigures(ctx context.Context, f wf.TaskFilter) (n wf.InboxFigures, err error) {
	const within = "count(CASE WHEN created_ms > ? THEN 1 END)"
	since := func(days int) int64 { return ms(f.AsOf.AddDate(0, 0, -days)) }
	q, err := countedTasks(s.db.Read(ctx), f)
	if err == nil {
		err = q.Select("count(*) AS tasks, count(CASE WHEN late = 1 THEN 1 END) AS overdue, "+within+" AS day, "+
			within+" AS three_days, "+within+" AS week", since(1), since(3), since(7)).Find(&n).Error
	}
	return n, wrapError(err, "count the tasks of an inbox")
}

// countedTasks returns the query for the status, age and policy of the tasks of the filter, at most wf.MaxCount and
// one.
func countedTasks(db *gorm.DB, f wf.TaskFilter) (*gorm.DB, error) {
	f.Q = ""
	q, err := taskQuery(db, f)
	if err != nil {
		return nil, err
	}
	const columns = "CASE WHEN merged." + openTask + " AND merged.request_id IN " + overdueRequests +
		" THEN 'cancelled' ELSE merged.status END AS status, merged.id, merged.policy_key, merged.created_ms, " +
		"CASE WHEN " + late + " THEN 1 ELSE 0 END AS late"
	now := ms(f.AsOf)
	rows := sqldb.Values(q.parts(db), func(part *gorm.DB) *gorm.DB {
		rows := db.Table("(?) AS merged", part).Select(columns, now, now, now)
		return q.filter.of(rows).Limit(wf.MaxCount + 1)
	})
	return db.Table("(?) AS counted", union(db, rows, q.distinct).Limit(wf.MaxCount+1)), nil
}
