package store

import (
	"context"
	"database/sql"
	"slices"

	"gorm.io/gorm"

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

func (taskRow) TableName() string { return "task" }

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

func (decisionRow) TableName() string { return "decision" }

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

// taskItems adds to tasks what belongs to them.
func taskItems(db *gorm.DB, rows []taskRow) ([]wf.TaskItem, error) {
	var ids, runIDs, requestIDs []string
	for _, row := range rows {
		ids, runIDs, requestIDs = append(ids, row.ID), append(runIDs, row.StageRunID), append(requestIDs, row.RequestID)
	}
	var decisions []decisionRow
	var runs []stageRow
	var owners []requestRow
	if err := db.Find(&decisions, "task_id IN ?", ids).Error; err != nil {
		return nil, err
	}
	if err := db.Find(&runs, "id IN ?", runIDs).Error; err != nil {
		return nil, err
	}
	if err := db.Omit("context", "attachments").Find(&owners, "id IN ?", requestIDs).Error; err != nil {
		return nil, err
	}
	decided := by(decisions, func(r decisionRow) string { return r.TaskID })
	runOf := by(runs, func(r stageRow) string { return r.ID })
	requestOf := by(owners, func(r requestRow) string { return r.ID })
	siblings, err := siblingsOf(db, rows, runOf)
	if err != nil {
		return nil, err
	}
	return all(rows, func(row taskRow) (item wf.TaskItem, err error) {
		if item.Task, err = row.task(decided[row.ID].Body); err != nil {
			return item, err
		}
		if item.Run, err = runOf[row.StageRunID].stage(); err != nil {
			return item, err
		}
		item.Siblings = siblings[row.StageRunID]
		item.Request, err = requestOf[row.RequestID].request()
		return item, err
	})
}

// siblingsOf returns, by the id of the run, the tasks of the pools that offer one of these.
func siblingsOf(db *gorm.DB, rows []taskRow, runs map[string]stageRow) (map[string][]wf.Task, error) {
	var pools []string
	for _, row := range rows {
		if runs[row.StageRunID].Need > 0 && row.AssigneeID == "" && !slices.Contains(pools, row.StageRunID) {
			pools = append(pools, row.StageRunID)
		}
	}
	siblings := map[string][]wf.Task{}
	if len(pools) == 0 {
		return siblings, nil
	}
	var found []decidedTask
	if err := db.Raw(decidedTasks+" WHERE stage_run_id IN ?", pools).Scan(&found).Error; err != nil {
		return nil, err
	}
	for _, row := range found {
		t, err := row.task()
		if err != nil {
			return nil, err
		}
		siblings[row.Task.StageRunID] = append(siblings[row.Task.StageRunID], t)
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
