package store

import (
	"context"
	"database/sql"
	"slices"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

type taskRow struct {
	ID                                           string `gorm:"primaryKey"`
	RequestID                                    string
	StageRunID                                   string
	Ordinal                                      int
	StageKey                                     string
	Run, Seat                                    int
	Kind                                         wf.TaskKind
	Status                                       wf.TaskStatus
	AssigneeID, Assignee                         string
	Owner                                        string
	Slot                                         int
	Rules                                        string
	Required, Added                              bool
	OnBehalfOfID, OnBehalfOf                     string
	DelegationID                                 sql.NullString
	SharedWithID, SharedWith                     string
	ReassignedFrom                               string
	ReassignCount                                int
	CloseReason                                  wf.CloseReason
	CreatedMS, UpdatedMS, ClaimedMS, CompletedMS int64
	Rev                                          int64
}

func (taskRow) TableName() string { return "task" }

var taskTable = tableOf[taskRow]()

func rowOfTask(r wf.Request, ordinal int) (taskRow, error) {
	var c codec
	t := r.Tasks[ordinal]
	return taskRow{
		ID: t.ID, RequestID: r.ID, StageRunID: r.Run(t).ID, Ordinal: ordinal, StageKey: t.StageKey, Run: t.StageRun, Seat: t.Seat,
		Kind: t.Kind, Status: t.Status,
		AssigneeID: userID(t.Assignee), Assignee: c.text(t.Assignee), Owner: c.text(t.Owner),
		Slot: t.Slot, Rules: c.text(t.Rules), Required: t.Required, Added: t.Added,
		OnBehalfOfID: userID(t.OnBehalfOf), OnBehalfOf: c.text(t.OnBehalfOf), DelegationID: optional(t.DelegationID),
		SharedWithID: userID(t.SharedWith), SharedWith: c.text(t.SharedWith),
		ReassignedFrom: c.text(t.ReassignedFrom), ReassignCount: t.ReassignCount, CloseReason: t.CloseReason,
		CreatedMS: ms(t.CreatedAt), UpdatedMS: ms(t.UpdatedAt), ClaimedMS: ms(t.ClaimedAt), CompletedMS: ms(t.CompletedAt), Rev: t.Rev,
	}, c.err
}

// task returns the task with its decision, which is in decided by the task's id.
func (r taskRow) task(decided map[string]decisionRow) (wf.Task, error) {
	var c codec
	t := wf.Task{
		ID: r.ID, RequestID: r.RequestID, StageKey: r.StageKey, StageRun: r.Run, Seat: r.Seat, Kind: r.Kind, Status: r.Status,
		Slot: r.Slot, Required: r.Required, Added: r.Added, DelegationID: r.DelegationID.String,
		ReassignCount: r.ReassignCount, CloseReason: r.CloseReason,
		CreatedAt: at(r.CreatedMS), UpdatedAt: at(r.UpdatedMS), ClaimedAt: at(r.ClaimedMS), CompletedAt: at(r.CompletedMS), Rev: r.Rev,
	}
	c.read(r.Assignee, &t.Assignee)
	c.read(r.Owner, &t.Owner)
	c.read(r.Rules, &t.Rules)
	c.read(r.OnBehalfOf, &t.OnBehalfOf)
	c.read(r.SharedWith, &t.SharedWith)
	c.read(r.ReassignedFrom, &t.ReassignedFrom)
	c.read(decided[r.ID].Body, &t.Decision)
	return t, failed(c.err, "read task %s", r.ID)
}

func userID(u *wf.User) string {
	if u == nil {
		return ""
	}
	return u.ID
}

// optional is NULL for an empty id.
func optional(id string) sql.NullString { return sql.NullString{String: id, Valid: id != ""} }

type decisionRow struct {
	ID        string `gorm:"primaryKey"`
	TaskID    string
	RequestID string
	Revision  int
	Action    wf.Action
	ActorID   string
	DecidedMS int64
	Body      string
}

func (decisionRow) TableName() string { return "decision" }

var decisionTable = tableOf[decisionRow]()

// putTasks returns the statements that write the tasks of after that are new or
// differ from before, and the new decisions.
func putTasks(before, after wf.Request) ([]sqldb.Stmt, error) {
	var stmts []sqldb.Stmt
	var added []taskRow
	var decided []decisionRow
	for i, t := range after.Tasks {
		row, err := rowOfTask(after, i)
		if err != nil {
			return nil, err
		}
		known := i < len(before.Tasks)
		if known {
			old, err := rowOfTask(before, i)
			if err != nil {
				return nil, err
			}
			stmts = append(stmts, taskTable.update(old, row, "")...)
		} else {
			added = append(added, row)
		}
		if t.Decision != nil && (!known || before.Tasks[i].Decision == nil) {
			var c codec
			decided = append(decided, decisionRow{
				ID: t.Decision.ID, TaskID: t.ID, RequestID: after.ID, Revision: t.Decision.Revision, Action: t.Decision.Action,
				ActorID: t.Decision.Actor.ID, DecidedMS: ms(t.Decision.DecidedAt.Time), Body: c.text(t.Decision),
			})
			if c.err != nil {
				return nil, c.err
			}
		}
	}
	return slices.Concat(stmts, taskTable.insert("", added...), decisionTable.insert("", decided...)), nil
}

// TaskFilter narrows Tasks. What is zero does not; the values of a slice are
// alternatives.
type TaskFilter struct {
	Assignee  string // user id of the holder
	Candidate string // user id of one who may claim it now
	Inbox     string // user id of one who may act on it now: as holder, delegate or candidate

	RequestID    string
	Status       []wf.TaskStatus
	StageKey     []string
	PolicyKey    []string
	ArtifactType []string
	Kind         wf.TaskKind
	Q            string // part of the request's title or artifact id, in any case

	// Sort is created_at, newest first, when empty; or priority, the most urgent
	// first and of those the oldest.
	Sort string
}

// TaskItem is a task in a list, with its stage run and its request, which comes
// without context, attachments, stages and tasks.
type TaskItem struct {
	Task    wf.Task
	Run     wf.StageRun
	Request wf.Request
}

const liveTask = "task.status IN ('open', 'claimed')"

// claimable selects the ids of tasks that a person may claim: open, unassigned, of
// a pool in which he is a candidate for the seat, and where neither he nor another
// who brings the same voice has a seat.
const claimable = `SELECT t.id FROM stage_candidate c JOIN task t ON t.stage_run_id = c.stage_run_id
	WHERE c.user_id = ? AND t.status = 'open' AND t.kind = 'approver' AND t.assignee_id = '' AND (t.slot < 0 OR t.slot = c.rule)
	AND NOT EXISTS (SELECT 1 FROM task s WHERE s.stage_run_id = c.stage_run_id AND s.kind = 'approver'
		AND s.status IN ('open', 'claimed', 'completed') AND s.assignee_id <> ''
		AND (s.assignee_id = c.mandate_id OR s.on_behalf_of_id = c.mandate_id))`

// priorityRank orders the priorities of the joined request.
const priorityRank = "CASE request.priority WHEN 'urgent' THEN 0 WHEN 'high' THEN 1 WHEN 'normal' THEN 2 ELSE 3 END"

var taskSorting = []sorting{
	byCreation("task"),
	{name: "priority", numbers: []string{priorityRank, "task.created_ms"}, id: "task.id", validID: isID},
}

var ranks = map[wf.Priority]int64{wf.Urgent: 0, wf.High: 1, wf.Normal: 2, wf.Low: 3}

func taskQuery(db *gorm.DB, f TaskFilter) *gorm.DB {
	q := db.Model(&taskRow{}).Joins("JOIN request ON request.id = task.request_id")
	q = equal(q, "task.assignee_id", f.Assignee)
	if id := printable(f.Candidate); id != "" {
		q = q.Where("task.id IN ("+claimable+")", id)
	}
	if id := printable(f.Inbox); id != "" {
		q = q.Where(`task.id IN (SELECT task.id FROM task WHERE task.assignee_id = ? AND `+liveTask+`
			UNION SELECT task.id FROM task WHERE task.shared_with_id = ? AND `+liveTask+`
			UNION `+claimable+`)`, id, id, id)
	}
	q = equalID(q, "task.request_id", f.RequestID)
	q = oneOf(q, "task.status", f.Status)
	q = oneOf(q, "task.stage_key", f.StageKey)
	q = oneOf(q, "request.policy_key", f.PolicyKey)
	q = oneOf(q, "request.artifact_type", f.ArtifactType)
	q = equal(q, "task.kind", string(f.Kind))
	return search(q, f.Q, "request.title", "request.artifact_id")
}

// Tasks lists tasks.
func (s *Store) Tasks(ctx context.Context, f TaskFilter, p Page) ([]TaskItem, string, error) {
	order, err := sortedBy(taskSorting, f.Sort)
	if err != nil {
		return nil, "", err
	}
	if p, err = s.bind(ctx, p, "tasks", f); err != nil {
		return nil, "", err
	}
	var items []TaskItem
	var more string
	err = s.snapshot(ctx, func(db *gorm.DB) error {
		q, err := order.apply(taskQuery(db, f), p)
		if err != nil {
			return err
		}
		var rows []taskRow
		if err := q.Find(&rows).Error; err != nil {
			return err
		}
		if items, err = taskItems(db, rows); err != nil {
			return err
		}
		items, more, err = next(order, p, items, func(i TaskItem) ([]int64, string) {
			if order.name == "priority" {
				return []int64{ranks[i.Request.Priority], ms(i.Task.CreatedAt)}, i.Task.ID
			}
			return []int64{ms(i.Task.CreatedAt)}, i.Task.ID
		})
		return err
	})
	return items, more, failed(err, "list tasks")
}

// taskItems adds to tasks what belongs to them.
func taskItems(db *gorm.DB, rows []taskRow) ([]TaskItem, error) {
	var ids, runIDs, requestIDs []string
	for _, row := range rows {
		ids, runIDs, requestIDs = append(ids, row.ID), append(runIDs, row.StageRunID), append(requestIDs, row.RequestID)
	}
	var found requestRows
	var owners []requestRow
	if err := db.Find(&found.decisions, "task_id IN ?", ids).Error; err != nil {
		return nil, err
	}
	if err := db.Find(&found.stages, "id IN ?", runIDs).Error; err != nil {
		return nil, err
	}
	if err := db.Omit("context", "attachments").Find(&owners, "id IN ?", requestIDs).Error; err != nil {
		return nil, err
	}
	decided := map[string]decisionRow{}
	for _, d := range found.decisions {
		decided[d.TaskID] = d
	}
	runOf := map[string]stageRow{}
	for _, r := range found.stages {
		runOf[r.ID] = r
	}
	requestOf := map[string]requestRow{}
	for _, r := range owners {
		requestOf[r.ID] = r
	}
	return all(rows, func(row taskRow) (item TaskItem, err error) {
		if item.Task, err = row.task(decided); err != nil {
			return item, err
		}
		if item.Run, err = runOf[row.StageRunID].stage(); err != nil {
			return item, err
		}
		item.Request, err = requestOf[row.RequestID].request()
		return item, err
	})
}

// TaskCount is how many tasks of a policy have a status.
type TaskCount struct {
	Status    wf.TaskStatus
	PolicyKey string
	Count     int64
}

// TaskStats counts the tasks that pass the filter, by status and policy.
func (s *Store) TaskStats(ctx context.Context, f TaskFilter) ([]TaskCount, error) {
	counts := []TaskCount{}
	err := taskQuery(s.read(ctx), f).Select("task.status, request.policy_key, count(*) AS count").
		Group("task.status, request.policy_key").Order("task.status, request.policy_key").Find(&counts).Error
	return counts, failed(err, "count tasks")
}

// OpenTasksOf returns the ids of the requests, in ascending order, in which a person
// holds an open task that no delegation has touched.
func (tx *Tx) OpenTasksOf(user string) ([]string, error) {
	var ids []string
	err := tx.Model(&taskRow{}).Distinct("request_id").
		Where("status = 'open' AND assignee_id <> '' AND assignee_id = ? AND on_behalf_of_id = '' AND shared_with_id = ''", user).
		Order("request_id").Pluck("request_id", &ids).Error
	return ids, failed(err, "list open tasks of %s", user)
}

// TasksRouted returns the ids of the requests, in ascending order, in which a
// delegation may have put the delegate somewhere: on an open task, or among the
// candidates of a pool.
func (tx *Tx) TasksRouted(delegationID string) ([]string, error) {
	var ids []string
	err := tx.Raw(`SELECT request_id FROM task WHERE status = 'open' AND delegation_id = ?
		UNION
		SELECT r.request_id FROM delegation d
		JOIN stage_candidate c ON c.user_id = d.delegate_id AND c.mandate_id <> c.user_id
		JOIN stage_run r ON r.id = c.stage_run_id AND r.status IN ('active', 'blocked')
		WHERE d.id = ?
		ORDER BY 1`, delegationID, delegationID).Scan(&ids).Error
	return ids, failed(err, "list tasks routed by delegation %s", delegationID)
}

// LiveAssignees returns the people who hold a task that is not over, in the order of
// their ids from the one after a given id on, and at most limit of them.
func (s *Store) LiveAssignees(ctx context.Context, after string, limit int) ([]string, error) {
	var ids []string
	err := s.read(ctx).Model(&taskRow{}).Distinct("assignee_id").
		Where("assignee_id <> '' AND assignee_id > ? AND status IN ('open', 'claimed')", after).
		Order("assignee_id").Limit(limit).Pluck("assignee_id", &ids).Error
	return ids, failed(err, "list assignees")
}

// HeldBy returns the ids of the requests, in ascending order, in which a person holds
// a task that is not over.
func (s *Store) HeldBy(ctx context.Context, user string) ([]string, error) {
	var ids []string
	err := s.read(ctx).Model(&taskRow{}).Distinct("request_id").
		Where("assignee_id <> '' AND assignee_id = ? AND status IN ('open', 'claimed')", user).
		Order("request_id").Pluck("request_id", &ids).Error
	return ids, failed(err, "list tasks of %s", user)
}
