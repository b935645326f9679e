package store

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
)

var (
	liveStatus      = []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed}
	everyTaskStatus = []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed, wf.TaskCompleted, wf.TaskSkipped, wf.TaskCancelled}
	everyRole       = []wf.InboxRole{wf.InboxHolder, wf.InboxCandidate}
)

// overdueRequests selects the expired requests whose status is not final. They are few, because
// timers close them.
const overdueRequests = "(SELECT id FROM request WHERE ends_ms > 0 AND ends_ms <= ? AND " + openStatus + ")"

const (
	byPriority = "priority"
	byDueDate  = "due_at"
)

// taskKey is the position of a task in a list.
type taskKey struct {
	ID        string
	RequestID string
	Urgency   int64
	CreatedMS int64
	DueMS     int64 // 0 without a due date
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
	dates     dates
}

func listOf(f wf.TaskFilter) taskList {
	l := taskList{TaskFilter: f, table: "inbox", id: "inbox.task_id"}
	live := len(f.Status) > 0 && !slices.ContainsFunc(f.Status, func(s wf.TaskStatus) bool { return !slices.Contains(liveStatus, s) })
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
	return l
}

// order returns an order of the list.
func (l taskList) order(sort string) (sqldb.List[taskKey], error) {
	created, urgency := l.table+".created_ms", l.table+".urgency"
	return sortedBy([]sqldb.List[taskKey]{
		{
			Name: "tasks", Sort: "created_at", Numbers: []string{created}, ID: l.id, Desc: true,
			Place: func(k taskKey) ([]int64, string) { return []int64{k.CreatedMS}, k.ID },
		},
		{
			Name: "tasks", Sort: byDueDate, Numbers: []string{l.table + ".due_ms", created}, ID: l.id,
			Place: func(k taskKey) ([]int64, string) { return []int64{cmp.Or(k.DueMS, undated), k.CreatedMS}, k.ID },
		},
		{
			Name: "tasks", Sort: byPriority, Numbers: []string{urgency, created}, ID: l.id,
			Place: func(k taskKey) ([]int64, string) { return []int64{k.Urgency, k.CreatedMS}, k.ID },
		},
	}, sort)
}

// scans returns the scans of the list in the order of priority, or of due dates for tasks with one. Live tasks of
// overdue requests read as cancelled, whatever their stored status; inboxes leave them out.
func (l taskList) scans() (scans []scan) {
	all := allOf(
		cond(l.table+".due_ms > 0"),
		cond(l.table+".due_ms <= ?", ms(l.AsOf)).when(l.Due.Overdue != nil && *l.Due.Overdue),
		cond(l.table+".due_ms < ?", ms(l.Due.Before)).when(!l.Due.Before.IsZero()),
	).when(l.dates == withDate)
	if l.user != "" {
		all = all.intersect("inbox.request_id NOT IN "+overdueRequests, ms(l.AsOf))
		own, delegated := inboxScans(l.user, l.role, l.given())
		for _, in := range append(own, delegated...) {
			scans = append(scans, allOf(in, all))
		}
		return scans
	}
	switch {
	case l.RequestID != "" && !isID(l.RequestID):
		return []scan{{where: "1 = 0"}}
	case l.RequestID != "":
		all = all.intersect("task.request_id = ?", l.RequestID)
	case l.Assignee != "":
		all = all.intersect("task.assignee_id <> '' AND task.assignee_id = ?", printable(l.Assignee))
	}
	if len(l.Status) == 0 {
		return splitScans([]scan{all}, "task.status", everyTaskStatus)
	}
	for _, status := range l.Status {
		in := all.intersect("task.status = ?", status)
		if slices.Contains(liveStatus, status) {
			in = in.intersect("task.request_id NOT IN "+overdueRequests, ms(l.AsOf))
		}
		scans = append(scans, in)
		if status == wf.TaskCancelled {
			scans = append(scans, all.intersect("task.status IN ? AND task.request_id IN "+overdueRequests, liveStatus, ms(l.AsOf)))
		}
	}
	return scans
}

// filter returns the conditions without an index for the columns of a table, without the text.
func (l taskList) filter(table, id string) scan {
	otherHolder := l.RequestID != "" || l.user != "" && (l.user != l.Assignee || l.role != wf.InboxHolder)
	return allOf(
		whereIn(table+".policy_key", l.PolicyKey),
		whereIn(table+".stage_key", l.StageKey),
		whereIn(table+".artifact_type", l.ArtifactType),
		cond(table+".kind = ?", l.Kind).when(l.Kind != ""),
		whereIn(table+".status", l.Status).when(l.user != ""),
		l.overdue(table).is(l.Due.Overdue),
		cond(table+".due_ms > 0 AND "+table+".due_ms < ?", ms(l.Due.Before)).when(!l.Due.Before.IsZero()),
		cond(table+".due_ms = 0").when(l.dates == withoutDate),
		l.inInbox(table, id, l.Inbox, l.Role, l.Delegations).when(l.Inbox != "" && l.user != l.Inbox),
		l.inInbox(table, id, l.Candidate, wf.InboxCandidate, nil).when(l.Candidate != "" && l.user != l.Candidate),
		cond("EXISTS (SELECT 1 FROM task held WHERE held.id = "+id+" AND held.assignee_id = ?)", printable(l.Assignee)).
			when(l.Assignee != "" && otherHolder),
		cond("EXISTS (SELECT 1 FROM request WHERE request.id = "+table+".request_id AND "+hasPart+")", printable(l.Own)).
			when(l.Own != "" && l.user == "" && l.Inbox == ""), // an inbox has only tasks of readers
	)
}

// overdue returns the condition that a task of a table is open and past its due date.
func (l taskList) overdue(table string) scan {
	return scan{
		"(" + table + ".due_ms > 0 AND " + table + ".due_ms <= ? AND " + table + ".status IN ? AND " + table + ".request_id NOT IN " + overdueRequests + ")",
		[]any{ms(l.AsOf), liveStatus, ms(l.AsOf)},
	}
}

// given returns the delegations that extend the inbox of the list.
func (l taskList) given() []approver.Delegation {
	if l.user != l.Inbox {
		return nil
	}
	return l.Delegations
}

// inInbox returns the condition that a task is in a user's inbox.
func (l taskList) inInbox(table, id, user string, role wf.InboxRole, given []approver.Delegation) (in scan) {
	own, delegated := inboxScans(user, role, given)
	for _, entry := range append(own, delegated...) {
		if in.where != "" {
			in.where += " OR "
		}
		in = scan{in.where + "EXISTS (SELECT 1 FROM inbox WHERE " + entry.where + " AND inbox.urgency = " + table + ".urgency AND inbox.created_ms = " +
			table + ".created_ms AND inbox.task_id = " + id + ")", append(in.args, entry.args...)}
	}
	return allOf(scan{"(" + in.where + ")", in.args}, cond(table+".request_id NOT IN "+overdueRequests, ms(l.AsOf)))
}

// page reads a page of keys and returns the cursor of the next page. In the order of due dates it reads the tasks with
// a date by an index of these, and completes the page with the others in the order of creation.
func (l taskList) page(s *Store, db *gorm.DB, p wf.Page) (keys []taskKey, nextPage string, err error) {
	order, err := l.order(l.Sort)
	if err != nil {
		return nil, "", err
	}
	paging, err := order.Paging(s.db, db, l.TaskFilter, p)
	if err != nil {
		return nil, "", err
	}
	if order.Sort == byDueDate {
		l.dates = withDate
	}
	if keys, nextPage, err = l.keys(db, order, paging); err != nil || nextPage != "" {
		return keys, nextPage, err
	}
	if late := l.Due.Overdue; order.Sort == byDueDate && len(keys) < paging.Limit && (late == nil || !*late) && l.Due.Before.IsZero() {
		l.dates, order.Numbers = withoutDate, order.Numbers[1:]
		rest := paging.Tail(undated)
		rest.Limit -= len(keys)
		var others []taskKey
		if others, nextPage, err = l.keys(db, order, rest); err != nil || nextPage != "" {
			return append(keys, others...), nextPage, err
		}
		keys = append(keys, others...)
	}
	return paging.Cut(keys)
}

// keys reads the keys of a page, with the row beyond it, or fewer and the cursor of the next page.
func (l taskList) keys(db *gorm.DB, order sqldb.List[taskKey], paging sqldb.Paging[taskKey]) ([]taskKey, string, error) {
	q := listQuery[taskKey]{List: order, distinct: len(l.given()) > 0, from: l.table, scans: l.scans(), filter: l.filter("merged", "merged.id")}
	q.columns = l.id + " AS id"
	for _, column := range []string{"urgency", "created_ms", "request_id", "policy_key", "stage_key", "artifact_type", "kind", "status", "due_ms"} {
		q.columns += ", " + l.table + "." + column
	}
	inOrder := q.scans
	if l.dates != withDate && l.Sort != byPriority { // the index has the urgency before the time
		inOrder = splitScans(q.scans, l.table+".urgency", []int64{0, 1, 2, 3})
	}
	if l.Q == "" {
		q.scans = inOrder
		return q.rows(db, paging)
	}
	text := textMatch(l.Q)
	ids, few, err := selectIDs(indexedText(db, l.Q)...)
	if err != nil {
		return nil, "", err
	}
	if !few {
		q.scans = inOrder
		q.filter, q.join = allOf(q.filter, text), "JOIN request ON request.id = merged.request_id"
		return q.rows(db, paging)
	}
	if q.filter = (scan{}); l.user != "" {
		q.from = "task JOIN inbox ON " + inboxOfTask
	}
	which, arg := sqldb.Among(db, "task.request_id", ids)
	filter := l.filter(l.table, l.id).intersect("EXISTS (SELECT 1 FROM request WHERE request.id = task.request_id AND "+text.where+")", text.args...)
	for i := range q.scans {
		q.scans[i] = allOf(q.scans[i], cond(which, arg), filter)
	}
	return q.rows(db, paging)
}

// Tasks lists tasks with their requests and runs. The status is as of f.AsOf.
func (s *Store) Tasks(ctx context.Context, f wf.TaskFilter, p wf.Page) (items []wf.TaskItem, nextPage string, err error) {
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		if f.AsOf.IsZero() {
			f.AsOf = tx.Now()
		}
		var keys []taskKey
		if keys, nextPage, err = listOf(f).page(s, tx.DB, p); err != nil {
			return err
		}
		items, err = taskItems(tx.DB, keys, f.AsOf)
		return err
	})
	return items, nextPage, wrapError(err, "list tasks")
}

// taskItems loads the tasks with the keys, as of a time.
func taskItems(db *gorm.DB, keys []taskKey, now time.Time) ([]wf.TaskItem, error) {
	requests, err := requestsByID(db, sqldb.Values(keys, func(k taskKey) string { return k.RequestID }))
	items := make([]wf.TaskItem, len(keys))
	for i, k := range keys {
		items[i] = requests[k.RequestID].ItemOf(k.ID, now)
	}
	return items, err
}

// TaskStats counts the tasks of the filter by status and policy; it ignores the text filter. It
// counts at most wf.MaxCount tasks and reports whether there are more.
func (s *Store) TaskStats(ctx context.Context, f wf.TaskFilter) ([]wf.TaskCount, bool, error) {
	counts := []wf.TaskCount{}
	err := s.countQuery(ctx, f).Select("status, policy_key, count(*) AS count, sum(late) AS overdue").Group("1, 2").Order("1, 2").Find(&counts).Error
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
	l, db := listOf(f), s.db.Read(ctx)
	status, args := "inbox.status", []any(nil)
	if l.user == "" {
		status = "CASE WHEN task.status IN ? AND task.request_id IN " + overdueRequests + " THEN 'cancelled' ELSE task.status END AS status"
		args = []any{liveStatus, ms(l.AsOf)}
	}
	late := l.overdue(l.table)
	args = append(args, late.args...)
	filter := l.filter(l.table, l.id)
	var rows []*gorm.DB
	for _, in := range l.scans() {
		all := allOf(in, filter)
		rows = append(rows, db.Table(l.table).
			Select(status+", "+l.id+" AS id, "+l.table+".policy_key, CASE WHEN "+late.where+" THEN 1 ELSE 0 END AS late", args...).
			Where(all.where, all.args...).Limit(wf.MaxCount+1))
	}
	return db.Table("(?) AS counted", union(db, rows, len(l.given()) > 0).Limit(wf.MaxCount+1))
}
