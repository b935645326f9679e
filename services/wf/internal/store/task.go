package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// taskRow is a task without its decision. It is hot: see the package.
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
	Rules                                        string
	Required, Added, Rescue                      bool
	Replaces                                     int
	OnBehalfOfID, OnBehalfOf                     string
	DelegationID                                 sql.NullString
	SharedWithID, SharedWith                     string
	ReassignedFrom                               string
	ReassignCount                                int
	CloseReason                                  wf.CloseReason
	CreatedMS, UpdatedMS, ClaimedMS, CompletedMS int64
	Rev                                          int64

	// What tasks are listed by: of the request, where it never changes.
	Urgency                 int64 // its priority
	PolicyKey, ArtifactType string
}

var taskTable = sqldb.TableOf[taskRow]()

func rowOfTask(r wf.Request, ordinal int) (taskRow, error) {
	var c codec
	t := r.Tasks[ordinal]
	return taskRow{
		ID: t.ID, RequestID: r.ID, StageRunID: r.Run(t).ID, Ordinal: ordinal, StageKey: t.StageKey, Run: t.StageRun, Seat: t.Seat,
		Kind: t.Kind, Status: t.Status,
		AssigneeID: userID(t.Assignee), Assignee: c.text(t.Assignee), Owner: c.text(t.Owner),
		Rules: c.text(t.Rules), Required: t.Required, Added: t.Added, Rescue: t.Rescue, Replaces: t.Replaces,
		OnBehalfOfID: userID(t.OnBehalfOf), OnBehalfOf: c.text(t.OnBehalfOf), DelegationID: optional(t.DelegationID),
		SharedWithID: userID(t.SharedWith), SharedWith: c.text(t.SharedWith),
		ReassignedFrom: c.text(t.ReassignedFrom), ReassignCount: t.ReassignCount, CloseReason: t.CloseReason,
		CreatedMS: ms(t.CreatedAt), UpdatedMS: ms(t.UpdatedAt), ClaimedMS: ms(t.ClaimedAt), CompletedMS: ms(t.CompletedAt), Rev: t.Rev,
		Urgency: urgencies[r.Priority], PolicyKey: r.PolicyKey, ArtifactType: r.ArtifactType,
	}, c.err
}

// task returns the task with its decision, which is JSON, or empty.
func (r taskRow) task(decision string) (wf.Task, error) {
	var c codec
	t := wf.Task{
		ID: r.ID, RequestID: r.RequestID, StageKey: r.StageKey, StageRun: r.Run, Seat: r.Seat, Kind: r.Kind, Status: r.Status,
		Required: r.Required, Added: r.Added, Rescue: r.Rescue, Replaces: r.Replaces, DelegationID: r.DelegationID.String,
		ReassignCount: r.ReassignCount, CloseReason: r.CloseReason,
		CreatedAt: at(r.CreatedMS), UpdatedAt: at(r.UpdatedMS), ClaimedAt: at(r.ClaimedMS), CompletedAt: at(r.CompletedMS), Rev: r.Rev,
	}
	c.read(r.Assignee, &t.Assignee)
	c.read(r.Owner, &t.Owner)
	c.read(r.Rules, &t.Rules)
	c.read(r.OnBehalfOf, &t.OnBehalfOf)
	c.read(r.SharedWith, &t.SharedWith)
	c.read(r.ReassignedFrom, &t.ReassignedFrom)
	c.read(decision, &t.Decision)
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

var decisionTable = sqldb.TableOf[decisionRow]()

// decidedTask is a task with its decision, in one row.
type decidedTask struct {
	Task     taskRow `gorm:"embedded"`
	Decision string
}

func (r decidedTask) task() (wf.Task, error) { return r.Task.task(r.Decision) }

// decidedTasks selects rows of decidedTask. A join would read the whole table of decisions
// as long as PostgreSQL takes it for a small one.
var decidedTasks = taskTable.From("coalesce((SELECT body FROM decision WHERE task_id = task.id), '') AS decision")

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
			stmts = append(stmts, taskTable.Update(old, row, "")...)
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
	return slices.Concat(stmts, taskTable.Insert("", added...), decisionTable.Insert("", decided...)), nil
}

// What a list of tasks shows of their runs and requests. Of people it shows those who may
// take a task of a pool, and it takes long to read them.
var (
	shownRuns     = stageTable.Without("people", "excluded", "observers", "tally", "skip", "last_error")
	shownRequests = requestTable.Without("context", "attachments", "labels", "status_reason", "comment", "callback_url", "chain_seq", "chain_hash")
)

// taskItems loads the tasks with these ids, in their order, and what belongs to them.
func taskItems(tx *sqldb.Tx, ids []string) ([]wf.TaskItem, error) {
	which, arg := sqldb.Among(tx.DB, "id", ids)
	their := func(column string) string {
		return " WHERE id IN (SELECT " + column + " FROM task WHERE " + which + ")"
	}
	var rows []decidedTask
	runs, requests := map[string]stageRow{}, map[string]requestRow{}
	var people string
	err := tx.Load(
		tasksWhere(&rows, which, arg),
		sqldb.Select{
			SQL: shownRuns.From("CASE WHEN need > 0 THEN people ELSE '' END") + their("stage_run_id"), Args: []any{arg},
			Each: shownRuns.Each(func(r stageRow) {
				r.People = people
				runs[r.ID] = r
			}, &people),
		},
		sqldb.Select{
			SQL: shownRequests.From() + their("request_id"), Args: []any{arg},
			Each: shownRequests.Each(func(r requestRow) { requests[r.ID] = r }),
		})
	if err != nil {
		return nil, err
	}
	rows = inOrder(rows, ids, func(r decidedTask) string { return r.Task.ID })
	tasks, err := all(rows, decidedTask.task)
	if err != nil {
		return nil, err
	}
	siblings, err := siblingsOf(tx, rows, tasks, runs)
	if err != nil {
		return nil, err
	}
	items, pools := make([]wf.TaskItem, len(rows)), map[string][]wf.Approver{} // most pools of a policy have the same people
	for i, row := range rows {
		items[i] = wf.TaskItem{Task: tasks[i], Siblings: siblings[row.Task.StageRunID]}
		run := runs[row.Task.StageRunID]
		stored := run.People
		people, known := pools[stored]
		if known = known && !run.Fallback; known {
			run.People = ""
		}
		if items[i].Run, err = run.stage(); err != nil {
			return nil, err
		}
		if known {
			items[i].Run.People = slices.Clone(people)
		} else if !run.Fallback {
			pools[stored] = items[i].Run.People
		}
		if items[i].Request, err = requests[row.Task.RequestID].request(); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// tasksWhere is the query for the tasks that a condition selects, with their decisions.
func tasksWhere(rows *[]decidedTask, where string, args ...any) sqldb.Select {
	var decision string
	return sqldb.Select{
		SQL: decidedTasks + " WHERE " + where, Args: args,
		Each: taskTable.Each(func(row taskRow) { *rows = append(*rows, decidedTask{row, decision}) }, &decision),
	}
}

// siblingsOf returns, by the id of the run, the tasks of the pools that offer one of these.
func siblingsOf(tx *sqldb.Tx, rows []decidedTask, tasks []wf.Task, runs map[string]stageRow) (map[string][]wf.Task, error) {
	siblings := map[string][]wf.Task{}
	for _, row := range rows {
		if runs[row.Task.StageRunID].Need > 0 && row.Task.AssigneeID == "" {
			siblings[row.Task.StageRunID] = nil
		}
	}
	if len(siblings) == 0 {
		return siblings, nil
	}
	in, pools := sqldb.Among(tx.DB, "stage_run_id", slices.Collect(maps.Keys(siblings)))
	read, ids := sqldb.Among(tx.DB, "id", sqldb.Values(tasks, func(t wf.Task) string { return t.ID }))
	var others []decidedTask
	if err := tx.Load(tasksWhere(&others, in+" AND NOT "+read, pools, ids)); err != nil {
		return nil, err
	}
	more, err := all(others, decidedTask.task)
	if err != nil {
		return nil, err
	}
	tasks = slices.Concat(tasks, more)
	for i, row := range slices.Concat(rows, others) {
		if known, ok := siblings[row.Task.StageRunID]; ok {
			siblings[row.Task.StageRunID] = append(known, tasks[i])
		}
	}
	return siblings, nil
}

// RequestsToRoute returns the ids of the requests, in ascending order, in which who
// delegates has something to do, for themself or for another.
func (tx *Tx) RequestsToRoute(d wf.Delegation) ([]string, error) {
	return ids(tx.Raw(`SELECT request_id FROM inbox WHERE user_id = ?
		UNION SELECT r.request_id FROM stage_candidate c JOIN stage_run r ON r.id = c.stage_run_id WHERE c.user_id = ?
		ORDER BY 1`, d.User.ID, d.User.ID), "list what waits for %s", d.User.ID)
}

// RequestsRouted returns the ids of the requests, in ascending order, in which somebody
// stands in by way of a delegation: by it alone, or by one that it leads to.
func (tx *Tx) RequestsRouted(delegationID string) ([]string, error) {
	return ids(tx.Raw(`WITH RECURSIVE led (id, delegate_id, starts_ms, ends_ms) AS (
			SELECT id, delegate_id, starts_ms, ends_ms FROM delegation WHERE id = ?
			UNION
			SELECT d.id, d.delegate_id, d.starts_ms, d.ends_ms FROM delegation d
			JOIN led ON d.user_id = led.delegate_id AND d.starts_ms < led.ends_ms AND d.ends_ms > led.starts_ms)
		SELECT request_id FROM task WHERE status IN ('open', 'claimed') AND delegation_id IN (SELECT id FROM led)
		UNION
		SELECT r.request_id FROM stage_candidate c JOIN stage_run r ON r.id = c.stage_run_id
		WHERE c.delegation_id IN (SELECT id FROM led)
		ORDER BY 1`, delegationID), "list what delegation %s has routed", delegationID)
}

// LivePeople returns the people who have something to do: who hold a task that is not
// over, or may take one, in the order of their ids from the one after a given id on, and
// at most limit of them.
func (s *Store) LivePeople(ctx context.Context, after string, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Raw(`SELECT id FROM (
			SELECT DISTINCT user_id AS id FROM inbox WHERE user_id > ? AND role = 'holder'
			UNION SELECT DISTINCT user_id AS id FROM stage_candidate WHERE user_id > ?) people
		ORDER BY id LIMIT ?`, after, after, limit), "list people with something to do")
}
