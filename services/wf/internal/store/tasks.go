package store

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// urgencies are the priorities as lists are sorted by them.
var urgencies = map[wf.Priority]int64{wf.PriorityUrgent: 0, wf.PriorityHigh: 1, wf.PriorityNormal: 2, wf.PriorityLow: 3}

var liveStatus = []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed}

// overdueRequests selects the requests whose time is over although they are not final.
// They are few: timers end them.
const overdueRequests = "(SELECT id FROM request WHERE expires_ms > 0 AND expires_ms <= ? AND " + openStatus + ")"

// taskKey is where a task stands in a list.
type taskKey struct {
	ID        string
	Urgency   int64
	CreatedMS int64
	RequestID string
}

var taskKeys = sqldb.TableOf[taskKey]()

// taskList is how a list of tasks is read: from inboxes when it is of what somebody may
// act on now, else from the tasks. Both have the same columns to sort and filter by.
type taskList struct {
	wf.TaskFilter
	user string // whose inbox; empty to read tasks
	role wf.InboxRole
}

func listOf(f wf.TaskFilter) taskList {
	live := len(f.Status) > 0 && !slices.ContainsFunc(f.Status, func(s wf.TaskStatus) bool { return !slices.Contains(liveStatus, s) })
	switch {
	case f.RequestID != "":
		return taskList{TaskFilter: f} // has few tasks
	case f.Candidate != "":
		return taskList{TaskFilter: f, user: f.Candidate, role: wf.InboxCandidate}
	case f.Assignee != "" && (live || f.Inbox != ""): // what is in an inbox is live
		return taskList{TaskFilter: f, user: f.Assignee, role: wf.InboxHolder}
	case f.Inbox != "":
		return taskList{TaskFilter: f, user: f.Inbox, role: f.Role}
	default:
		return taskList{TaskFilter: f}
	}
}

// table is what the list is read from.
func (l taskList) table() string {
	if l.user != "" {
		return "inbox"
	}
	return "task"
}

// id is the column of the task's id.
func (l taskList) id() string {
	if l.user != "" {
		return "inbox.task_id"
	}
	return "task.id"
}

// orders are the orders of the list; the first is the default.
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

// whose is the part of all tasks, or inboxes, that the list is of.
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

// filed are the columns by which tasks and inboxes are filed.
var filed = []string{"policy_key", "stage_key", "artifact_type", "kind"}

// shelf is the index that the list is read from, in an order.
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

// narrow adds the filters by columns that a table of tasks and a shelf have.
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

// bound adds what a row says that a shelf does not: whose it is, and that its request is
// not overdue, whose tasks are cancelled whatever is stored.
func (l taskList) bound(q *gorm.DB) *gorm.DB {
	switch {
	case l.user != "":
		q = q.Where("inbox.request_id NOT IN "+overdueRequests, ms(l.AsOf))
	case slices.ContainsFunc(l.Status, func(s wf.TaskStatus) bool { return slices.Contains(liveStatus, s) }):
		q = q.Where("(task.status NOT IN ? OR task.request_id NOT IN "+overdueRequests+")", liveStatus, ms(l.AsOf))
	}
	return l.others(equalID(q, l.table()+".request_id", l.RequestID), l.table())
}

// rows are the queries for the columns of the list's rows, of which none finds a row of
// another: for those that are what they say, and for those that are cancelled since their
// request is overdue, which are few. from adds to each of them.
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

// columns are those of a taskKey.
func (l taskList) columns() string {
	return strings.Join([]string{l.id() + " AS id", l.table() + ".urgency", l.table() + ".created_ms", l.table() + ".request_id"}, ", ")
}

// page is the query for a page of the list.
func (l taskList) page(db *gorm.DB, order sqldb.List[taskKey], paging sqldb.Paging[taskKey]) *gorm.DB {
	rows := l.rows(db, l.columns(), func(q *gorm.DB) *gorm.DB { return q })
	for i := range rows {
		rows[i] = paging.Apply(rows[i])
	}
	if l.RequestID == "" { // else there are few
		rows[0] = page(db, l.shelf(db, order.Sort), order, paging, strings.ReplaceAll(l.columns(), l.table()+".", "part."),
			func(q *gorm.DB) *gorm.DB { return l.narrow(q, "run") }, l.bound)
	}
	return mergePages(db, order, paging, rows)
}

// matching is the query for a page of the tasks of the requests that an index finds.
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

// keys reads the keys of a page, and the cursor of the next one.
func (l taskList) keys(db *gorm.DB, order sqldb.List[taskKey], paging sqldb.Paging[taskKey]) (keys []taskKey, nextPage string, err error) {
	if l.Q != "" {
		return searched(db, textMatch(l.Q), order, taskKeys, paging, "listed JOIN request ON request.id = listed.request_id",
			func(p sqldb.Paging[taskKey]) *gorm.DB { return l.page(db, order, p) },
			func() (scan, bool, error) { return indexed(db, l.Q, nil) },
			func(match scan) *gorm.DB { return l.matching(db, order, paging, match) })
	}
	return readPage(l.page(db, order, paging), taskKeys, paging)
}

// others adds the people by whom the list is not read.
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

// Tasks lists tasks as callers read them.
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

// TaskStats counts the tasks that pass the filter, whatever their text, by status and
// policy. It stops where there are more than wf.MaxCount, and says so.
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

// CountTasks counts the tasks that pass the filter, and stops as TaskStats does.
func (s *Store) CountTasks(ctx context.Context, f wf.TaskFilter) (n int64, more bool, err error) {
	err = s.counted(ctx, f).Select("count(*)").Scan(&n).Error
	return min(n, wf.MaxCount), n > wf.MaxCount, failed(err, "count tasks")
}

// counted is the query for the status and the policy of the tasks that pass the filter, of
// which it finds no more than it takes to see that they are more than wf.MaxCount.
func (s *Store) counted(ctx context.Context, f wf.TaskFilter) *gorm.DB {
	lists := []taskList{listOf(f)}
	if lists[0].user == "" && f.Assignee != "" && len(f.Status) == 0 { // what is open stands in inboxes
		live, over := f, f
		live.Status, over.Status = liveStatus, []wf.TaskStatus{wf.TaskCompleted, wf.TaskSkipped, wf.TaskCancelled}
		lists = []taskList{listOf(live), listOf(over)}
	}
	db := s.db.Read(ctx)
	enough := func(q *gorm.DB) *gorm.DB { return q.Limit(wf.MaxCount + 1) }
	var rows []*gorm.DB
	for _, l := range lists {
		if l.role != "" { // a scan of the whole inbox would read those of the other role
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
