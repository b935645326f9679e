package store

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// Bounds of a page; tests lower them.
var (
	// rowLimit bounds the rows that a page reads when a filter has no index. The page then ends early, and its cursor
	// continues after the last row that was read.
	rowLimit = 1000

	// idLimit is the number of ids up to which a page is sorted from the rows of an index in another order.
	idLimit = 1000
)

// The sorts of lists, beside the order of creation.
const (
	byUpdate   = "updated_at"
	byPriority = "priority"
	byDueDate  = "due_at"
	byAge      = "age"
)

var (
	everyStatus     = wf.RequestStatus("").Values()
	everyTaskStatus = wf.TaskStatus("").Values()
	liveStatus      = []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed}
	everyRole       = []wf.InboxRole{wf.InboxHolder, wf.InboxCandidate}
)

// requestKey is the position of a request in a list: its id and its sort values.
type requestKey struct {
	ID                   string
	CreatedMS, UpdatedMS int64
}

// requestOrder returns an order of requests, newest first.
func requestOrder(sort string) (sqldb.List[requestKey], error) {
	return sortedBy(sort, sqldb.List[requestKey]{
		Name: "requests", Sort: "created_at", Numbers: []string{"request.created_ms"}, ID: "request.id", Desc: true,
		Place: func(k requestKey) ([]int64, string) { return []int64{k.CreatedMS}, k.ID },
	}, sqldb.List[requestKey]{
		Name: "requests", Sort: byUpdate, Numbers: []string{"request.updated_ms"}, ID: "request.id", Desc: true,
		Place: func(k requestKey) ([]int64, string) { return []int64{k.UpdatedMS}, k.ID },
	})
}

// sortedBy returns the order with the name, or the first one when name is empty.
func sortedBy[R any](name string, orders ...sqldb.List[R]) (sqldb.List[R], error) {
	i := slices.IndexFunc(orders, func(l sqldb.List[R]) bool { return name == "" || l.Sort == name })
	if i < 0 {
		return sqldb.List[R]{}, refusal.At(reason.BadParameter, "/sort", "not a sort of this list")
	}
	return orders[i], nil
}

// partsOf is the table of the requests of a person, in the order of creation; it has one argument.
const partsOf = "(SELECT request_id AS id, created_ms FROM participant WHERE user_id = ? AND reader) AS request"

// requestQuery returns the query of a filter. In the order of creation the requests of a person are scanned by
// participant; requesters and submitters are participants.
func requestQuery(db *gorm.DB, f wf.RequestFilter) (l listQuery[requestKey], err error) {
	if l.List, err = requestOrder(f.Sort); err != nil {
		return l, err
	}
	created, left, owner := f.Sort != byUpdate, f, len(f.Owned) > 0
	part := func(user string) scan { return scan{from: partsOf, fromArgs: []any{printable(user)}} }
	person := cmp.Or(f.Participant, f.Requester)
	if !owner {
		person = cmp.Or(f.Own, person)
	}
	switch {
	case created && person != "":
		l.scans = []scan{part(person)}
	case created && owner && f.Own != "":
		for _, s := range ownedScans(f.Owned) {
			l.scans = append(l.scans, s.and(cond("NOT "+hasPart, printable(f.Own))))
		}
		l.scans, person, left.Owned = append(l.scans, part(f.Own)), f.Own, nil
	case f.Requester != "":
		l.scans, left.Requester, person = []scan{cond("request.requester_id = ?", printable(f.Requester))}, "", ""
		if slices.Equal(f.Status, []wf.RequestStatus{wf.RequestChangesRequested}) { // an index has only these
			l.scans = splitScans(l.scans, "request.status", f.Status)
		}
	default:
		l.scans, left.Status, person = requestsInStatus(f), nil, ""
		if created && len(f.PolicyKey) > 0 && len(f.PolicyKey) <= maxSplit {
			l.scans, left.PolicyKey = splitScans(l.scans, "request.policy_key", printables(f.PolicyKey)), nil
		}
	}
	if created {
		for i, s := range l.scans {
			l.scans[i] = s.and(createdBetween(f))
		}
		left.CreatedAfter, left.CreatedBefore = time.Time{}, time.Time{}
	}
	for _, covered := range []*string{&left.Own, &left.Participant} {
		if person != "" && *covered == person {
			*covered = ""
		}
	}
	l.from, l.columns = "request", "request.id, "+strings.Join(l.Numbers, ", ")
	l.filter, l.join = conditions(db, left), "JOIN request ON request.id = merged.id"
	return l, nil
}

// maxSplit bounds the policies that a list scans one by one.
const maxSplit = 10

// ownedScans returns the scans of the requests of owned policies.
func ownedScans(policies []string) []scan {
	keys := printables(policies)
	if len(keys) > maxSplit {
		return splitScans([]scan{whereIn("request.policy_key", keys)}, "request.status", everyStatus)
	}
	return splitScans(splitScans([]scan{{}}, "request.policy_key", keys), "request.status", everyStatus)
}

// requestsInStatus returns one scan for each status of a filter. Overdue requests read as expired,
// whatever their stored status; see wf.Request.AsOf.
func requestsInStatus(f wf.RequestFilter) (scans []scan) {
	if len(f.Status) == 0 {
		return splitScans([]scan{{}}, "request.status", everyStatus)
	}
	for _, status := range f.Status {
		inTime := cond("NOT "+overdue, ms(f.AsOf)).when(!status.Final())
		scans = append(scans, cond("request.status = ?", status).and(inTime))
		if status == wf.RequestExpired {
			scans = append(scans, cond(overdue, ms(f.AsOf)))
		}
	}
	return scans
}

// createdBetween returns the condition of a filter on the time of creation.
func createdBetween(f wf.RequestFilter) scan {
	return allOf(
		cond("request.created_ms > ?", ms(f.CreatedAfter)).when(!f.CreatedAfter.IsZero()),
		cond("request.created_ms < ?", ms(f.CreatedBefore)).when(!f.CreatedBefore.IsZero()),
	)
}

// conditions returns the condition of a filter, empty for an empty filter. Expired requests have no due date.
func conditions(db *gorm.DB, f wf.RequestFilter) scan {
	status := cond("request.status IN ? AND NOT "+overdue, f.Status, ms(f.AsOf))
	if slices.Contains(f.Status, wf.RequestExpired) {
		status = cond("(request.status IN ? OR "+overdue+")", f.Status, ms(f.AsOf))
	}
	due := func(before string, t time.Time) scan {
		return cond("(NOT "+overdue+" AND request.due_ms > 0 AND request.due_ms "+before+" ?)", ms(f.AsOf), ms(t))
	}
	own := cond(hasPart, printable(f.Own))
	if len(f.Owned) > 0 {
		own = anyOf(own, whereIn("request.policy_key", f.Owned))
	}
	return allOf(
		status.when(len(f.Status) > 0),
		whereIn("request.policy_key", f.PolicyKey),
		whereIn("request.artifact_type", f.ArtifactType),
		whereIn("request.artifact_id", f.ArtifactID),
		cond("request.requester_id = ?", printable(f.Requester)).when(f.Requester != ""),
		cond(hasPart, printable(f.Participant)).when(f.Participant != ""),
		own.when(f.Own != ""),
		createdBetween(f),
		labelScan(db, "request.labels", f.Labels),
		ofStanding(f),
		due("<=", f.AsOf).is(f.Due.Overdue),
		due("<", f.Due.Before).when(!f.Due.Before.IsZero()),
		cond("request.status = 'approved' AND request.valid_until_ms > 0 AND request.valid_until_ms < ?", ms(f.ValidBefore)).
			when(!f.ValidBefore.IsZero()),
		textMatch(f.Q).when(f.Q != ""),
	)
}

// ofStanding returns the condition of a filter on the standing of approvals. An approval past its validity
// reads as lapsed, whatever its stored standing; see wf.Request.AsOf.
func ofStanding(f wf.RequestFilter) scan {
	const stands = "request.status = 'approved' AND request.standing = '' AND "
	var some []scan
	for _, standing := range f.Standing {
		one := cond("request.standing = ?", standing)
		switch standing {
		case wf.StandingPending:
			one = cond(stands+"request.valid_from_ms > ?", ms(f.AsOf))
		case wf.StandingInForce:
			one = cond(stands+"request.valid_from_ms <= ? AND NOT "+lapsed, ms(f.AsOf), ms(f.AsOf))
		case wf.StandingLapsed:
			one = anyOf(one, cond(lapsed, ms(f.AsOf)))
		}
		some = append(some, one)
	}
	return anyOf(some...)
}

// indexedRequests returns the queries for the ids of requests by the indexes of a filter's members.
func indexedRequests(db *gorm.DB, f wf.RequestFilter) (queries []*gorm.DB) {
	if len(f.ArtifactID) > 0 {
		queries = append(queries, sqldb.OneOf(db.Table("request").Select("id"), "artifact_id", f.ArtifactID))
	}
	queries = append(queries, indexedText(db, f.Q)...)
	if labels := labelScan(db, "labels", f.Labels); labels.where != "" && db.Name() == "postgres" {
		queries = append(queries, db.Table("request").Select("id").Where(labels.where, labels.args...))
	}
	own := f.Own
	if len(f.Owned) > 0 {
		own = ""
	}
	if id := cmp.Or(f.Participant, own, f.Requester); id != "" {
		queries = append(queries, db.Table("participant").Select("request_id").Where("user_id = ? AND reader", printable(id)))
	}
	return queries
}

// Requests lists requests by their summaries. The status is as of f.AsOf.
func (s *Store) Requests(
	ctx context.Context, f wf.RequestFilter, p wf.Page,
) (list []wf.Request, nextPage string, err error) {
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		if f.AsOf.IsZero() {
			f.AsOf = tx.Now()
		}
		l, err := requestQuery(tx.DB, f)
		if err != nil {
			return err
		}
		if l.filter.where != "" {
			ids, few, err := selectIDs(indexedRequests(tx.DB, f)...)
			if err != nil {
				return err
			}
			if few {
				l.scans, l.filter = []scan{allOf(conditions(tx.DB, f), among(tx.DB, "request.id", ids))}, scan{}
			}
		}
		paging, err := l.Paging(s.db, tx.DB, f, p)
		if err != nil {
			return err
		}
		var keys []requestKey
		if keys, nextPage, err = l.page(tx.DB, paging); err != nil {
			return err
		}
		requests, err := requestsByID(tx.DB, false, sqldb.Values(keys, func(k requestKey) string { return k.ID }))
		for _, k := range keys {
			list = append(list, requests[k.ID].AsOf(f.AsOf))
		}
		return err
	})
	return list, nextPage, wrapError(err, "list requests")
}

// Assignees returns the assignees of the open tasks of requests, by request.
func (s *Store) Assignees(ctx context.Context, requests []string) (map[string][]identity.User, error) {
	var rows []taskRow
	in := among(s.db.Read(ctx), "request_id", requests)
	err := s.db.Read(ctx).Select("request_id", "assignee_id").Where(in.where, in.args...).
		Order("request_id, id").Find(&rows, "status IN ? AND assignee_id <> ''", liveStatus).Error
	if err != nil {
		return nil, wrapError(err, "read assignees")
	}
	people, err := s.KnownPeople(ctx, sqldb.Values(rows, func(r taskRow) string { return r.AssigneeID }))
	of := map[string][]identity.User{}
	for _, r := range rows {
		u, known := people[r.AssigneeID]
		if !known {
			u.ID = r.AssigneeID
		}
		of[r.RequestID] = append(of[r.RequestID], u)
	}
	return of, err
}

// overdueRequests selects the expired requests whose status is not final. They are few, because
// timers close them.
const overdueRequests = "(SELECT id FROM request WHERE ends_ms > 0 AND ends_ms <= ? AND " + openStatus + ")"

// taskKey is the position of a task in a list.
type taskKey struct {
	ID, RequestID             string
	Urgency, CreatedMS, DueMS int64 // DueMS is 0 without a due date
}

// undated is the first number of tasks without a due date in the order of due dates.
const undated = math.MaxInt64

// dates selects tasks by the presence of a due date.
type dates int

const (
	anyDate dates = iota
	withDate
	withoutDate
)

// taskList is the access path of a task list: a user's inbox for tasks that the user can act on,
// otherwise the task table. Both tables have the same sort and filter columns.
type taskList struct {
	wf.TaskFilter
	table, id string
	user      string // owner of the inbox; empty to read the task table
	role      wf.InboxRole
	given     []approver.Delegation // extend the inbox of the user
	dates     dates
}

func listOf(f wf.TaskFilter) taskList {
	l := taskList{TaskFilter: f, table: "inbox", id: "inbox.task_id"}
	ended := func(s wf.TaskStatus) bool { return !slices.Contains(liveStatus, s) }
	live := len(f.Status) > 0 && !slices.ContainsFunc(f.Status, ended)
	switch {
	case f.RequestID != "": // a request has few tasks
	case f.Candidate != "" && f.Inbox != "" && f.Inbox != f.Candidate:
	case f.Candidate != "":
		l.user, l.role = f.Candidate, wf.InboxCandidate
	case f.Assignee != "" && (live && f.Inbox == "" || f.Inbox == f.Assignee): // inboxes contain only live tasks
		l.user, l.role = f.Assignee, wf.InboxHolder
	case f.Inbox != "" && f.Assignee == "":
		l.user, l.role = f.Inbox, f.Role
	}
	if l.user == "" {
		l.table, l.id = "task", "task.id"
	}
	if l.user == l.Inbox {
		l.given = f.Delegations
	}
	return l
}

// order returns an order of the list.
func (l taskList) order() (sqldb.List[taskKey], error) {
	created, urgency, due := l.table+".created_ms", l.table+".urgency", l.table+".due_ms"
	by := func(sort string, desc bool, place func(taskKey) []int64, numbers ...string) sqldb.List[taskKey] {
		return sqldb.List[taskKey]{
			Name: "tasks", Sort: sort, Numbers: numbers, ID: l.id, Desc: desc,
			Place: func(k taskKey) ([]int64, string) { return place(k), k.ID },
		}
	}
	return sortedBy(l.Sort,
		by("created_at", true, func(k taskKey) []int64 { return []int64{k.CreatedMS} }, created),
		by(byAge, false, func(k taskKey) []int64 { return []int64{k.CreatedMS} }, created),
		by(byDueDate, false, func(k taskKey) []int64 { return []int64{cmp.Or(k.DueMS, undated), k.CreatedMS} }, due, created),
		by(byPriority, false, func(k taskKey) []int64 { return []int64{k.Urgency, k.CreatedMS} }, urgency, created),
	)
}

// scans returns the scans of the list in the order of priority, or of due dates for tasks with one. Live tasks of
// overdue requests read as cancelled, whatever their stored status; inboxes leave them out.
func (l taskList) scans() (scans []scan) {
	over := " IN " + overdueRequests
	all := allOf(
		cond(l.table+".due_ms > 0"),
		cond(l.table+".due_ms <= ?", ms(l.AsOf)).when(l.Due.Overdue != nil && *l.Due.Overdue),
		cond(l.table+".due_ms < ?", ms(l.Due.Before)).when(!l.Due.Before.IsZero()),
	).when(l.dates == withDate).and(cond(l.table+".created_ms <= ?", ms(l.Until)).when(!l.Until.IsZero()))
	if l.user != "" {
		for _, in := range inboxScans(l.user, l.role, l.given) {
			scans = append(scans, in.and(all).and(cond("inbox.request_id NOT"+over, ms(l.AsOf))))
		}
		return scans
	}
	switch {
	case l.RequestID != "" && !isID(l.RequestID):
		return []scan{cond("1 = 0")}
	case l.RequestID != "":
		all = all.and(cond("task.request_id = ?", l.RequestID))
	case l.Assignee != "":
		all = all.and(cond("task.assignee_id <> '' AND task.assignee_id = ?", printable(l.Assignee)))
	}
	if len(l.Status) == 0 {
		return splitScans([]scan{all}, "task.status", everyTaskStatus)
	}
	for _, status := range l.Status {
		inTime := cond("task.request_id NOT"+over, ms(l.AsOf)).when(slices.Contains(liveStatus, status))
		scans = append(scans, allOf(all, cond("task.status = ?", status), inTime))
		if status == wf.TaskCancelled {
			scans = append(scans, all.and(cond("task.status IN ? AND task.request_id"+over, liveStatus, ms(l.AsOf))))
		}
	}
	return scans
}

// filter returns the conditions without an index, for rows of the scans named merged.
func (l taskList) filter() scan {
	otherHolder := l.RequestID != "" || l.user != "" && (l.user != l.Assignee || l.role != wf.InboxHolder)
	return allOf(
		whereIn("merged.policy_key", l.PolicyKey),
		whereIn("merged.stage_key", l.StageKey),
		whereIn("merged.artifact_type", l.ArtifactType),
		cond("merged.kind = ?", l.Kind).when(l.Kind != ""),
		whereIn("merged.status", l.Status).when(l.user != ""),
		cond(late, ms(l.AsOf), liveStatus, ms(l.AsOf)).is(l.Due.Overdue),
		cond("merged.due_ms > 0 AND merged.due_ms < ?", ms(l.Due.Before)).when(!l.Due.Before.IsZero()),
		cond("merged.due_ms = 0").when(l.dates == withoutDate),
		l.inInbox(inboxScans(l.Inbox, l.Role, l.Delegations)).when(l.Inbox != "" && l.user != l.Inbox),
		l.inInbox(inboxScans(l.Candidate, wf.InboxCandidate, nil)).when(l.Candidate != "" && l.user != l.Candidate),
		cond("EXISTS (SELECT 1 FROM task held WHERE held.id = merged.id AND held.assignee_id = ?)", printable(l.Assignee)).
			when(l.Assignee != "" && otherHolder),
		cond("EXISTS (SELECT 1 FROM request WHERE request.id = merged.request_id AND "+hasPart+")", printable(l.Own)).
			when(l.Own != "" && l.user == "" && l.Inbox == ""), // an inbox has only tasks of readers
	)
}

// late is the condition that a task is open and past its due date.
const late = "(merged.due_ms > 0 AND merged.due_ms <= ? AND merged.status IN ? AND merged.request_id NOT IN " +
	overdueRequests + ")"

// inInbox returns the condition that a task is among the entries of scans.
func (l taskList) inInbox(entries []scan) scan {
	return anyOf(sqldb.Values(entries, func(entry scan) scan {
		return cond("EXISTS (SELECT 1 FROM inbox WHERE "+entry.where+" AND inbox.urgency = merged.urgency "+
			"AND inbox.created_ms = merged.created_ms AND inbox.task_id = merged.id)", entry.args...)
	})...).and(cond("merged.request_id NOT IN "+overdueRequests, ms(l.AsOf)))
}

// query returns the query of the list, with the text of the filter.
func (l taskList) query(db *gorm.DB, order sqldb.List[taskKey]) (q listQuery[taskKey], err error) {
	q = listQuery[taskKey]{List: order, distinct: len(l.given) > 0, from: l.table, scans: l.scans(), filter: l.filter()}
	q.columns = l.id + " AS id"
	const shared = "urgency created_ms request_id policy_key stage_key artifact_type kind status due_ms"
	for column := range strings.FieldsSeq(shared) {
		q.columns += ", " + l.table + "." + column
	}
	few := false
	if l.Q != "" {
		q.join, q.filter = "JOIN request ON request.id = merged.request_id", q.filter.and(textMatch(l.Q))
		var ids []string
		if ids, few, err = selectIDs(indexedText(db, l.Q)...); few && err == nil {
			if l.user != "" {
				q.from = "task JOIN inbox ON " + inboxOfTask
			}
			for i, s := range q.scans {
				q.scans[i] = s.and(among(db, "task.request_id", ids))
			}
		}
	}
	if !few && l.dates != withDate && l.Sort != byPriority { // the index has the urgency before the time
		q.scans = splitScans(q.scans, l.table+".urgency", []int64{0, 1, 2, 3})
	}
	return q, err
}

// page reads a page of keys and returns the cursor of the next page. In the order of due dates it reads the tasks with
// a date by an index of these, and completes the page with the others in the order of creation.
func (l taskList) page(
	db *gorm.DB, order sqldb.List[taskKey], paging sqldb.Paging[taskKey],
) (keys []taskKey, nextPage string, err error) {
	if order.Sort != byDueDate {
		return l.keys(db, order, paging)
	}
	l.dates = withDate
	keys, nextPage, err = l.keys(db, order, paging)
	datedOnly := l.Due.Overdue != nil && *l.Due.Overdue || !l.Due.Before.IsZero()
	if err != nil || nextPage != "" || len(keys) >= paging.Limit || datedOnly {
		return keys, nextPage, err
	}
	l.dates, order.Numbers = withoutDate, order.Numbers[1:]
	rest := paging.Tail(undated)
	rest.Limit -= len(keys)
	others, nextPage, err := l.keys(db, order, rest)
	return append(keys, others...), nextPage, err
}

// keys reads the keys of a page, with the row beyond it, or fewer and the cursor of the next page.
func (l taskList) keys(
	db *gorm.DB, order sqldb.List[taskKey], paging sqldb.Paging[taskKey],
) ([]taskKey, string, error) {
	q, err := l.query(db, order)
	if err != nil {
		return nil, "", err
	}
	return q.rows(db, paging)
}

// Tasks lists tasks with their requests and runs, without the content. The status is as of f.AsOf.
func (s *Store) Tasks(
	ctx context.Context, f wf.TaskFilter, p wf.Page,
) (items []wf.TaskItem, nextPage string, err error) {
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		if f.AsOf.IsZero() {
			f.AsOf = tx.Now()
		}
		l := listOf(f)
		order, err := l.order()
		if err != nil {
			return err
		}
		paging, err := order.Paging(s.db, tx.DB, f, p)
		if err != nil {
			return err
		}
		keys, next, err := l.page(tx.DB, order, paging)
		if err == nil && next == "" {
			keys, next, err = paging.Cut(keys)
		}
		if err != nil {
			return err
		}
		nextPage = next
		items, err = taskItems(tx.DB, keys, f.AsOf)
		return err
	})
	return items, nextPage, wrapError(err, "list tasks")
}

// taskItems loads the tasks with the keys, as of a time.
func taskItems(db *gorm.DB, keys []taskKey, now time.Time) ([]wf.TaskItem, error) {
	requests, err := requestsByID(db, true, sqldb.Values(keys, func(k taskKey) string { return k.RequestID }))
	return sqldb.Values(keys, func(k taskKey) wf.TaskItem { return requests[k.RequestID].ItemOf(k.ID, now) }), err
}

// PageAfter returns the page of a list of tasks that follows the place of a task.
func (s *Store) PageAfter(ctx context.Context, f wf.TaskFilter, r wf.Request, t wf.Task, limit int) (wf.Page, error) {
	order, err := listOf(f).order()
	if err != nil {
		return wf.Page{}, err
	}
	paging, err := order.Paging(s.db, s.db.Read(ctx), f, wf.Page{})
	if err != nil {
		return wf.Page{}, wrapError(err, "find the place of task %s", t.ID)
	}
	cursor, err := paging.Cursor(taskKey{
		ID: t.ID, Urgency: r.Priority.Urgency(), CreatedMS: ms(t.CreatedAt), DueMS: ms(r.Run(t).DueAt),
	})
	return wf.Page{Limit: limit, Cursor: cursor}, err
}

// TaskStats counts the tasks of the filter by status and policy; it ignores the text filter. It
// counts at most wf.MaxCount tasks and reports whether there are more.
func (s *Store) TaskStats(ctx context.Context, f wf.TaskFilter) ([]wf.TaskCount, bool, error) {
	counts := []wf.TaskCount{}
	err := s.countQuery(ctx, f).Select("status, policy_key, count(*) AS count, sum(late) AS overdue").
		Group("1, 2").Order("1, 2").Find(&counts).Error
	var total int64
	for _, c := range counts {
		total += c.Count
	}
	if total > wf.MaxCount {
		counts[len(counts)-1].Count--
	}
	return counts, total > wf.MaxCount, wrapError(err, "count tasks")
}

// CountTasks counts the tasks of the filter with the limit of TaskStats.
func (s *Store) CountTasks(ctx context.Context, f wf.TaskFilter) (n int64, more bool, err error) {
	err = s.countQuery(ctx, f).Count(&n).Error
	return min(n, wf.MaxCount), n > wf.MaxCount, wrapError(err, "count tasks")
}

// countQuery returns the query for the status and the policy of the tasks of the filter, at most
// wf.MaxCount + 1 rows.
func (s *Store) countQuery(ctx context.Context, f wf.TaskFilter) *gorm.DB {
	f.Q = ""
	l, db := listOf(f), s.db.Read(ctx)
	q, _ := l.query(db, sqldb.List[taskKey]{}) // fails only with a text
	const columns = "CASE WHEN merged.status IN ? AND merged.request_id IN " + overdueRequests +
		" THEN 'cancelled' ELSE merged.status END AS status, merged.id, merged.policy_key, " +
		"CASE WHEN " + late + " THEN 1 ELSE 0 END AS late"
	now := ms(l.AsOf)
	rows := sqldb.Values(q.parts(db), func(part *gorm.DB) *gorm.DB {
		return db.Table("(?) AS merged", part).Select(columns, liveStatus, now, now, liveStatus, now).
			Where(q.filter.where, q.filter.args...).Limit(wf.MaxCount + 1)
	})
	return db.Table("(?) AS counted", union(db, rows, q.distinct).Limit(wf.MaxCount+1))
}
