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

var (
	liveStatus = []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed}
	taskStatus = []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed, wf.TaskCompleted, wf.TaskSkipped, wf.TaskCancelled}
)

// overdueRequests selects the requests whose time is over although they are not final.
// They are few: timers end them.
const overdueRequests = "(SELECT id FROM request WHERE expires_ms > 0 AND expires_ms <= ? AND " + openStatus + ")"

// taskKey is where a task stands in a list.
type taskKey struct {
	ID        string
	Urgency   int64
	CreatedMS int64
}

// taskList is how a list of tasks is read: from inboxes when it is of what somebody may
// act on now, else from the tasks. Both have the same columns to sort and filter by,
// except those of the request, which only inboxes have.
type taskList struct {
	wf.TaskFilter
	user   string // whose inbox; empty to read tasks
	role   wf.InboxRole
	search scan // of Q
}

func listOf(f wf.TaskFilter) taskList {
	live := len(f.Status) > 0 && !slices.ContainsFunc(f.Status, func(s wf.TaskStatus) bool { return !slices.Contains(liveStatus, s) })
	switch {
	case f.RequestID != "":
		return taskList{TaskFilter: f} // has few tasks
	case f.Inbox != "":
		return taskList{TaskFilter: f, user: f.Inbox}
	case f.Candidate != "":
		return taskList{TaskFilter: f, user: f.Candidate, role: wf.InboxCandidate}
	case f.Assignee != "" && live:
		return taskList{TaskFilter: f, user: f.Assignee, role: wf.InboxHolder}
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

// scans are the parts of the list that an index has in an order.
func (l taskList) scans(order string) []scan {
	var all []scan
	switch {
	case l.RequestID != "":
		return l.inStatus(scan{where: "1 = 1"})
	case l.user == "" && l.Assignee == "" && l.Kind == wf.RescueTask: // few
		return l.inStatus(scan{where: "task.kind = 'rescue'"})
	case l.user != "":
		roles, status := []wf.InboxRole{wf.InboxHolder, wf.InboxDelegate, wf.InboxCandidate}, liveStatus
		if l.role != "" {
			roles = []wf.InboxRole{l.role}
		}
		if len(l.Status) > 0 {
			status = slices.DeleteFunc(slices.Clone(status), func(s wf.TaskStatus) bool { return !slices.Contains(l.Status, s) })
		}
		all = split(split([]scan{{"inbox.user_id = ?", []any{printable(l.user)}}}, "inbox.role", roles), "inbox.status", status)
	default:
		all = l.inStatus(l.whose())
	}
	if order == byPriority {
		return all
	}
	return split(all, l.table()+".urgency", []int64{0, 1, 2, 3})
}

// whose is the scan of all tasks of the list.
func (l taskList) whose() scan {
	if l.Assignee == "" {
		return scan{where: "1 = 1"}
	}
	return scan{"task.assignee_id <> '' AND task.assignee_id = ?", []any{printable(l.Assignee)}}
}

// inStatus splits a scan of tasks by their status. The tasks of overdue requests are
// cancelled, whatever is stored.
func (l taskList) inStatus(s scan) []scan {
	if len(l.Status) == 0 {
		return split([]scan{s}, "task.status", taskStatus)
	}
	var all []scan
	for _, status := range taskStatus {
		part := s.and("task.status = ?", status)
		if !slices.Contains(liveStatus, status) {
			if slices.Contains(l.Status, status) {
				all = append(all, part)
			}
			continue
		}
		if slices.Contains(l.Status, status) {
			all = append(all, part.and("task.request_id NOT IN "+overdueRequests, ms(l.AsOf)))
		}
		if slices.Contains(l.Status, wf.TaskCancelled) {
			all = append(all, part.and("task.request_id IN "+overdueRequests, ms(l.AsOf)))
		}
	}
	return all
}

// narrow adds what the scans do not say.
func (l taskList) narrow(q *gorm.DB) *gorm.DB { return l.sift(l.bound(q)) }

// bound adds whose tasks, and of which request.
func (l taskList) bound(q *gorm.DB) *gorm.DB {
	if l.user != "" {
		q = q.Where("inbox.request_id NOT IN "+overdueRequests, ms(l.AsOf))
	}
	return l.others(equalID(q, l.table()+".request_id", l.RequestID), l.table())
}

// sift adds the filters that the order of the list says nothing about.
func (l taskList) sift(q *gorm.DB) *gorm.DB {
	table, of := l.table(), "request"
	if l.user != "" {
		of = table
	}
	if of == "request" && len(l.PolicyKey)+len(l.ArtifactType) > 0 || l.Q != "" {
		q = q.Joins("JOIN request ON request.id = " + table + ".request_id")
	}
	q = sqldb.OneOf(q, table+".stage_key", l.StageKey)
	q = sqldb.OneOf(q, of+".policy_key", l.PolicyKey)
	q = sqldb.OneOf(q, of+".artifact_type", l.ArtifactType)
	q = sqldb.Equal(q, table+".kind", l.Kind)
	if l.Q != "" {
		q = q.Where(l.search.where, l.search.args...)
	}
	return q
}

// sifted reports whether there are such filters, and no index has what they ask for.
func (l taskList) sifted() bool {
	return l.RequestID == "" && (l.Q != "" || l.user == "" && len(l.StageKey)+len(l.PolicyKey)+len(l.ArtifactType)+len(l.Kind) > 0)
}

// keys are those of the page and of one task more. What many tasks have is found among
// the next ones in order; else what few have is found by the filter, and then sorted.
func (l taskList) keys(db *gorm.DB, order sqldb.List[taskKey], paging sqldb.Paging[taskKey]) (keys []taskKey, err error) {
	columns, scans := l.id()+" AS id, "+l.table()+".urgency, "+l.table()+".created_ms", l.scans(order.Sort)
	if l.sifted() {
		fields := columns + ", inbox.task_id, inbox.request_id, inbox.stage_key, inbox.policy_key, inbox.artifact_type, inbox.kind"
		if l.user == "" {
			fields = columns + ", task.request_id, task.stage_key, task.kind"
		}
		first := paging
		first.Limit = window
		near := pageOf(db, order, first, fields, l.table(), scans, l.bound)
		err := l.sift(db.Table("(?) AS "+l.table(), near).Select(columns)).Order(order.OrderBy()).Limit(paging.Limit).Scan(&keys).Error
		if err != nil || len(keys) == paging.Limit {
			return keys, err
		}
		if keys, scans = nil, l.scans(byPriority); l.user == "" && len(l.Status) == 0 {
			scans = []scan{l.whose()}
		}
	}
	err = pageOf(db, order, paging, columns, l.table(), scans, l.narrow).Scan(&keys).Error
	return keys, err
}

// others adds the people by whom the list is not read.
func (l taskList) others(q *gorm.DB, table string) *gorm.DB {
	for _, other := range []struct {
		user string
		role wf.InboxRole
	}{{l.Inbox, ""}, {l.Candidate, wf.InboxCandidate}} {
		if other.user == "" || other.user == l.user && other.role == l.role {
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

// Tasks lists tasks.
func (s *Store) Tasks(ctx context.Context, f wf.TaskFilter, p wf.Page) (items []wf.TaskItem, nextPage string, err error) {
	l := listOf(f)
	order, err := sortedBy(l.orders(), f.Sort)
	if err != nil {
		return nil, "", err
	}
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		paging, err := order.Paging(s.db, db, f, sqldb.Page(p))
		if err != nil {
			return err
		}
		if l.search, err = searchRequests(db, f.Q); err != nil {
			return err
		}
		keys, err := l.keys(db, order, paging)
		if err != nil {
			return err
		}
		if keys, nextPage, err = paging.Cut(keys); err != nil {
			return err
		}
		items, err = tasksOf(db, keys)
		return err
	})
	return items, nextPage, failed(err, "list tasks")
}

// tasksOf loads the tasks with these keys, in their order.
func tasksOf(db *gorm.DB, keys []taskKey) ([]wf.TaskItem, error) {
	place := map[string]int{}
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i], place[k.ID] = k.ID, i
	}
	var rows []taskRow
	if err := db.Find(&rows, "id IN ?", ids).Error; err != nil {
		return nil, err
	}
	slices.SortFunc(rows, func(a, b taskRow) int { return place[a.ID] - place[b.ID] })
	return taskItems(db, rows)
}

// TaskStats counts the tasks that pass the filter, by status and policy. It stops where
// there are more than wf.MaxCount, and says so.
func (s *Store) TaskStats(ctx context.Context, f wf.TaskFilter) ([]wf.TaskCount, bool, error) {
	lists := []taskList{listOf(f)}
	if f.Assignee != "" && len(f.Status) == 0 { // what is open stands in inboxes
		live, over := f, f
		live.Status, over.Status = liveStatus, []wf.TaskStatus{wf.TaskCompleted, wf.TaskSkipped, wf.TaskCancelled}
		lists = []taskList{listOf(live), listOf(over)}
	}
	db := s.db.Read(ctx)
	var queries []string
	var all []any
	for _, l := range lists {
		parts, err := l.counted(db)
		if err != nil {
			return nil, false, failed(err, "count tasks")
		}
		for _, part := range parts {
			queries, all = append(queries, "SELECT * FROM (?) AS part"), append(all, part.Limit(wf.MaxCount+1))
		}
	}
	counts := []wf.TaskCount{}
	if len(queries) == 0 {
		return counts, false, nil
	}
	err := db.Table("(SELECT * FROM ("+strings.Join(queries, " UNION ALL ")+") AS parts LIMIT ?) AS counted", append(all, wf.MaxCount+1)...).
		Select("status, policy_key, count(*) AS count").Group("1, 2").Order("1, 2").Find(&counts).Error
	var total int64
	for _, c := range counts {
		total += c.Count
	}
	if total > wf.MaxCount {
		counts[len(counts)-1].Count--
	}
	return counts, total > wf.MaxCount, failed(err, "count tasks")
}

// counted are the queries for the statuses and policies of the tasks of a list.
func (l taskList) counted(db *gorm.DB) (parts []*gorm.DB, err error) {
	if l.search, err = searchRequests(db, l.Q); err != nil {
		return nil, err
	}
	columns, args := "inbox.status, inbox.policy_key", []any(nil)
	if l.user == "" {
		columns = "CASE WHEN task.status IN ? AND task.request_id IN " + overdueRequests + " THEN 'cancelled' ELSE task.status END AS status, " +
			"(SELECT request.policy_key FROM request WHERE request.id = task.request_id) AS policy_key"
		args = []any{liveStatus, ms(l.AsOf)}
	}
	for _, part := range l.scans(byPriority) {
		parts = append(parts, l.narrow(db.Table(l.table()).Select(columns, args...).Where(part.where, part.args...)))
	}
	return parts, nil
}

// CountTasks counts the tasks that pass the filter, and stops as TaskStats does.
func (s *Store) CountTasks(ctx context.Context, f wf.TaskFilter) (n int64, more bool, err error) {
	counts, more, err := s.TaskStats(ctx, f)
	for _, c := range counts {
		n += c.Count
	}
	return n, more, err
}
