package store

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// urgencies maps priorities to their sort values.
var urgencies = map[wf.Priority]int64{wf.PriorityUrgent: 0, wf.PriorityHigh: 1, wf.PriorityNormal: 2, wf.PriorityLow: 3}

var liveStatus = []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed}

// overdueRequests selects the expired requests whose status is not final. They are few, because
// timers close them.
const overdueRequests = "(SELECT id FROM request WHERE expires_ms > 0 AND expires_ms <= ? AND " + openStatus + ")"

// taskKey is the position of a task in a list.
type taskKey struct {
	ID        string
	Urgency   int64
	CreatedMS int64
	RequestID string
}

var taskKeys = sqldb.TableOf[taskKey]()

// taskList is the access path of a task list: a user's inbox for tasks that the user can act on,
// otherwise the task table. Both tables have the same sort and filter columns.
type taskList struct {
	wf.TaskFilter
	user string // owner of the inbox; empty to read the task table
	role wf.InboxRole
}

func listOf(f wf.TaskFilter) taskList {
	live := len(f.Status) > 0 && !slices.ContainsFunc(f.Status, func(s wf.TaskStatus) bool { return !slices.Contains(liveStatus, s) })
	switch {
	case f.RequestID != "":
		return taskList{TaskFilter: f} // a request has few tasks
	case f.Candidate != "":
		return taskList{TaskFilter: f, user: f.Candidate, role: wf.InboxCandidate}
	case f.Assignee != "" && (live || f.Inbox != ""): // inboxes contain only live tasks
		return taskList{TaskFilter: f, user: f.Assignee, role: wf.InboxHolder}
	case f.Inbox != "":
		return taskList{TaskFilter: f, user: f.Inbox, role: f.Role}
	default:
		return taskList{TaskFilter: f}
	}
}

// table returns the table of the list.
func (l taskList) table() string {
	if l.user != "" {
		return "inbox"
	}
	return "task"
}

// id returns the column with the task id.
func (l taskList) id() string {
	if l.user != "" {
		return "inbox.task_id"
	}
	return "task.id"
}

// orders returns the orders of the list; the first is the default.
func (l taskList) orders() []sqldb.List[taskKey] {
	created, urgency := l.table()+".created_ms", l.table()+".urgency"
	return []sqldb.List[taskKey]{
		{
			Name: "tasks", Sort: "created_at", Numbers: []string{created}, ID: l.id(), Desc: true,
			Place: func(k taskKey) ([]int64, string) { return []int64{k.CreatedMS}, k.ID },
		},
		{
			Name: "tasks", Sort: byPriority, Numbers: []string{urgency, created}, ID: l.id(),
			Place: func(k taskKey) ([]int64, string) { return []int64{k.Urgency, k.CreatedMS}, k.ID },
		},
	}
}

const byPriority = "priority"

// whose returns the condition on the leading index columns: the inbox owner or the assignee.
func (l taskList) whose() scan {
	switch {
	case l.user != "":
		return scan{"inbox.user_id = ?", []any{printable(l.user)}}
	case l.Assignee != "":
		return scan{"task.assignee_id <> '' AND task.assignee_id = ?", []any{printable(l.Assignee)}}
	default:
		return scan{where: "1 = 1"}
	}
}

// filed lists the leading index columns of tasks and inboxes.
var filed = []string{"policy_key", "stage_key", "artifact_type", "kind"}

// shelf returns the skip scan for an order.
func (l taskList) shelf(db *gorm.DB, order string) shelf {
	s := shelf{table: l.table(), where: l.whose(), by: slices.Concat(filed, []string{"status"})}
	switch {
	case l.user != "":
		s.by = slices.Concat(filed, []string{"role", "status"})
	case l.Assignee != "":
	case len(l.PolicyKey) > 0:
		s.within = sqldb.OneOf(db.Table("policy").Select("policy_key"), "policy_key", l.PolicyKey)
	case len(l.StageKey)+len(l.ArtifactType)+len(l.Kind) == 0:
		s.by = []string{"status"}
	}
	if order != byPriority {
		s.by = append(s.by, "urgency")
	}
	return s
}

// narrow adds the filters on columns that both the table and its index have.
func (l taskList) narrow(q *gorm.DB, table string) *gorm.DB {
	q = sqldb.OneOf(q, table+".policy_key", l.PolicyKey)
	q = sqldb.OneOf(q, table+".stage_key", l.StageKey)
	q = sqldb.OneOf(q, table+".artifact_type", l.ArtifactType)
	q = sqldb.Equal(q, table+".kind", l.Kind)
	if l.user != "" {
		q = sqldb.Equal(q, table+".role", l.role)
	}
	return sqldb.OneOf(q, table+".status", l.Status)
}

// bound adds the filters that need the row: other users, and no overdue request. Live tasks of
// overdue requests read as cancelled, whatever their stored status.
func (l taskList) bound(q *gorm.DB) *gorm.DB {
	switch {
	case l.user != "":
		q = q.Where("inbox.request_id NOT IN "+overdueRequests, ms(l.AsOf))
	case slices.ContainsFunc(l.Status, func(s wf.TaskStatus) bool { return slices.Contains(liveStatus, s) }):
		q = q.Where("(task.status NOT IN ? OR task.request_id NOT IN "+overdueRequests+")", liveStatus, ms(l.AsOf))
	}
	return l.others(equalID(q, l.table()+".request_id", l.RequestID), l.table())
}

// rows returns disjoint queries for the rows of the list: one by stored status and, for cancelled
// tasks, one for the live tasks of overdue requests. from modifies each query.
func (l taskList) rows(db *gorm.DB, columns string, from func(*gorm.DB) *gorm.DB) []*gorm.DB {
	whose := l.whose()
	as := func(l taskList) *gorm.DB {
		return l.narrow(l.bound(from(db.Table(l.table()).Select(columns))), l.table()).Where(whose.where, whose.args...)
	}
	rows := []*gorm.DB{as(l)}
	if l.user == "" && slices.Contains(l.Status, wf.TaskCancelled) {
		l.Status = nil
		rows = append(rows, as(l).Where("task.status IN ? AND task.request_id IN "+overdueRequests, liveStatus, ms(l.AsOf)))
	}
	return rows
}

// columns returns the columns of a taskKey.
func (l taskList) columns() string {
	return strings.Join([]string{l.id() + " AS id", l.table() + ".urgency", l.table() + ".created_ms", l.table() + ".request_id"}, ", ")
}

// page returns the query for one page of the list.
func (l taskList) page(db *gorm.DB, order sqldb.List[taskKey], paging sqldb.Paging[taskKey]) *gorm.DB {
	rows := l.rows(db, l.columns(), func(q *gorm.DB) *gorm.DB { return q })
	for i := range rows {
		rows[i] = paging.Apply(rows[i])
	}
	if l.RequestID == "" { // a request has few tasks
		rows[0] = page(db, l.shelf(db, order.Sort), order, paging, strings.ReplaceAll(l.columns(), l.table()+".", "part."),
			func(q *gorm.DB) *gorm.DB { return l.narrow(q, "run") }, l.bound)
	}
	return mergePages(db, order, paging, rows)
}

// matching returns the query for one page of the tasks whose requests satisfy match.
func (l taskList) matching(db *gorm.DB, order sqldb.List[taskKey], paging sqldb.Paging[taskKey], match scan) *gorm.DB {
	rows := l.rows(db, l.columns(), func(q *gorm.DB) *gorm.DB {
		if l.user != "" {
			q = q.Joins("JOIN task ON " + inboxOfTask)
		}
		return q.Joins("JOIN request ON request.id = task.request_id").Where(match.where, match.args...)
	})
	for i := range rows {
		rows[i] = paging.Apply(rows[i])
	}
	return mergePages(db, order, paging, rows)
}

// keys reads a page of keys and returns the cursor of the next page.
func (l taskList) keys(db *gorm.DB, order sqldb.List[taskKey], paging sqldb.Paging[taskKey]) (keys []taskKey, nextPage string, err error) {
	if l.Q != "" {
		return searched(db, textMatch(l.Q), order, taskKeys, paging, "listed JOIN request ON request.id = listed.request_id",
			func(p sqldb.Paging[taskKey]) *gorm.DB { return l.page(db, order, p) },
			func() (scan, bool, error) { return indexed(db, l.Q, nil) },
			func(match scan) *gorm.DB { return l.matching(db, order, paging, match) })
	}
	return readPage(l.page(db, order, paging), taskKeys, paging)
}

// others adds the user filters that the access path does not apply.
func (l taskList) others(q *gorm.DB, table string) *gorm.DB {
	for _, other := range []struct {
		user string
		role wf.InboxRole
	}{{l.Inbox, ""}, {l.Candidate, wf.InboxCandidate}} {
		if other.user == "" || other.user == l.user && (other.role == "" || other.role == l.role) {
			continue
		}
		in := "EXISTS (SELECT 1 FROM inbox other WHERE other.user_id = ? AND other.task_id = " + l.id()
		args := []any{printable(other.user)}
		if other.role != "" {
			in, args = in+" AND other.role = ?", append(args, other.role)
		}
		q = q.Where(in+") AND NOT "+table+".request_id IN "+overdueRequests, append(args, ms(l.AsOf))...)
	}
	switch {
	case l.Assignee == "" || l.user == l.Assignee && l.role == wf.InboxHolder:
		return q
	case l.user == "":
		return sqldb.Equal(q, "task.assignee_id", l.Assignee)
	default:
		return q.Where("EXISTS (SELECT 1 FROM task held WHERE held.id = inbox.task_id AND held.assignee_id = ?)", printable(l.Assignee))
	}
}

// Tasks lists tasks with their requests and runs. The status is as of f.AsOf.
func (s *Store) Tasks(ctx context.Context, f wf.TaskFilter, p wf.Page) (items []wf.TaskItem, nextPage string, err error) {
	err = s.db.View(ctx, func(tx *sqldb.Tx) error {
		if f.AsOf.IsZero() {
			f.AsOf = tx.Now()
		}
		l := listOf(f)
		order, err := sortedBy(l.orders(), f.Sort)
		if err != nil {
			return err
		}
		paging, err := order.Paging(s.db, tx.DB, f, sqldb.Page(p))
		if err != nil {
			return err
		}
		var keys []taskKey
		if keys, nextPage, err = l.keys(tx.DB, order, paging); err != nil || len(keys) == 0 {
			return err
		}
		items, err = taskItems(tx, sqldb.Values(keys, func(k taskKey) string { return k.ID }))
		return err
	})
	for i, item := range items {
		items[i] = item.AsOf(f.AsOf)
	}
	return items, nextPage, failed(err, "list tasks")
}

// TaskStats counts the tasks of the filter by status and policy; it ignores the text filter. It
// counts at most wf.MaxCount tasks and reports whether there are more.
func (s *Store) TaskStats(ctx context.Context, f wf.TaskFilter) ([]wf.TaskCount, bool, error) {
	counts := []wf.TaskCount{}
	err := s.counted(ctx, f).Select("status, policy_key, count(*) AS count").Group("1, 2").Order("1, 2").Find(&counts).Error
	var total int64
	for _, c := range counts {
		total += c.Count
	}
	if total > wf.MaxCount {
		counts[len(counts)-1].Count--
	}
	return counts, total > wf.MaxCount, failed(err, "count tasks")
}

// CountTasks counts the tasks of the filter with the limit of TaskStats.
func (s *Store) CountTasks(ctx context.Context, f wf.TaskFilter) (n int64, more bool, err error) {
	err = s.counted(ctx, f).Select("count(*)").Scan(&n).Error
	return min(n, wf.MaxCount), n > wf.MaxCount, failed(err, "count tasks")
}

// counted returns the query for the status and the policy of the tasks of the filter, at most
// wf.MaxCount + 1 rows.
func (s *Store) counted(ctx context.Context, f wf.TaskFilter) *gorm.DB {
	lists := []taskList{listOf(f)}
	if lists[0].user == "" && f.Assignee != "" && len(f.Status) == 0 { // inboxes contain the live tasks
		live, over := f, f
		live.Status, over.Status = liveStatus, []wf.TaskStatus{wf.TaskCompleted, wf.TaskSkipped, wf.TaskCancelled}
		lists = []taskList{listOf(live), listOf(over)}
	}
	db := s.db.Read(ctx)
	enough := func(q *gorm.DB) *gorm.DB { return q.Limit(wf.MaxCount + 1) }
	var rows []*gorm.DB
	for _, l := range lists {
		if l.role != "" { // a scan of the whole inbox would read the other roles too
			rows = append(rows, enough(l.shelf(db, byPriority).rows(db, "part.status, part.policy_key",
				func(q *gorm.DB) *gorm.DB { return l.narrow(q, "run") }, func(q *gorm.DB) *gorm.DB { return enough(l.bound(q)) })))
			continue
		}
		columns, args := "inbox.status, inbox.policy_key", []any(nil)
		if l.user == "" {
			columns = "CASE WHEN task.status IN ? AND task.request_id IN " + overdueRequests + " THEN 'cancelled' ELSE task.status END AS status, task.policy_key"
			args = []any{liveStatus, ms(l.AsOf)}
		}
		for _, q := range l.rows(db, "*", func(q *gorm.DB) *gorm.DB { return q.Select(columns, args...) }) {
			rows = append(rows, enough(q))
		}
	}
	if len(rows) == 1 {
		return db.Table("(?) AS counted", rows[0])
	}
	all, args := union(rows)
	return db.Table("(?) AS counted", enough(db.Table("("+all+") AS parts", args...)))
}
