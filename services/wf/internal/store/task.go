package store

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
)

// taskRow is a task without its decision, written on the hot path; see the package comment.
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
	ReplacesSeat                                 int
	OnBehalfOfID, OnBehalfOf                     string
	DelegationID                                 sql.NullString
	SharedWithID, SharedWith                     string
	ReassignedFrom, AssignedBy                   string
	ReassignCount                                int
	CloseReason                                  wf.CloseReason
	CreatedMS, UpdatedMS, ClaimedMS, CompletedMS int64
	Rev                                          int64

	// Sort and filter columns, copied from immutable members of the request.
	Urgency                 int64 // derived from its priority
	DueMS                   int64 // of the run
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
		Rules: c.text(t.Rules), Required: t.Required, Added: t.Added, Rescue: t.Rescue, ReplacesSeat: t.Replaces,
		OnBehalfOfID: userID(t.OnBehalfOf), OnBehalfOf: c.text(t.OnBehalfOf), DelegationID: nullString(t.DelegationID),
		SharedWithID: userID(t.SharedWith), SharedWith: c.text(t.SharedWith),
		ReassignedFrom: c.text(t.ReassignedFrom), AssignedBy: c.text(t.PlacedBy), ReassignCount: t.ReassignCount, CloseReason: t.CloseReason,
		CreatedMS: ms(t.CreatedAt), UpdatedMS: ms(t.UpdatedAt), ClaimedMS: ms(t.ClaimedAt), CompletedMS: ms(t.CompletedAt), Rev: t.Rev,
		Urgency: r.Priority.Urgency(), DueMS: ms(r.Run(t).DueAt), PolicyKey: r.PolicyKey, ArtifactType: r.ArtifactType,
	}, c.err
}

// task decodes the task. decision is the JSON of its decision, or empty.
func (r taskRow) task(c *codec, decision string) (wf.Task, error) {
	t := wf.Task{
		ID: r.ID, RequestID: r.RequestID, StageKey: r.StageKey, StageRun: r.Run, Seat: r.Seat, Kind: r.Kind, Status: r.Status,
		Required: r.Required, Added: r.Added, Rescue: r.Rescue, Replaces: r.ReplacesSeat, DelegationID: r.DelegationID.String,
		ReassignCount: r.ReassignCount, CloseReason: r.CloseReason,
		CreatedAt: at(r.CreatedMS), UpdatedAt: at(r.UpdatedMS), ClaimedAt: at(r.ClaimedMS), CompletedAt: at(r.CompletedMS), Rev: r.Rev,
	}
	t.Assignee, t.Owner, t.OnBehalfOf = c.maybeUser(r.Assignee), c.maybeUser(r.Owner), c.maybeUser(r.OnBehalfOf)
	t.SharedWith, t.ReassignedFrom = c.maybeUser(r.SharedWith), c.maybeUser(r.ReassignedFrom)
	t.PlacedBy = c.maybeUser(r.AssignedBy)
	t.Rules, t.Decision = read[[]int](c, r.Rules), read[*wf.Decision](c, decision)
	return t, wrapError(c.err, "read task %s", r.ID)
}

func userID(u *identity.User) string {
	if u == nil {
		return ""
	}
	return u.ID
}

// nullString returns NULL for an empty id.
func nullString(id string) sql.NullString { return sql.NullString{String: id, Valid: id != ""} }

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

func (r decidedTask) task(c *codec) (wf.Task, error) { return r.Task.task(c, r.Decision) }

// decisionOfTask selects the decision of a task, or the empty text. With a join, PostgreSQL would
// scan the table of decisions as long as its statistics show a small table.
const decisionOfTask = "coalesce((SELECT body FROM decision WHERE task_id = task.id), '') AS decision"

// decidedTasks selects rows of decidedTask.
var decidedTasks = taskTable.From(decisionOfTask)

// putTasks returns the statements that write new and changed tasks of after, and the new decisions.
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

// The columns of runs and requests for a list of tasks. They exclude the people of runs, which are
// slow to read.
var (
	shownRuns     = stageTable.Omit("approvers", "excluded", "observers", "tally", "skip", "last_error")
	shownRequests = requestTable.Omit(
		"folded_title",
		"folded_artifact_id",
		"context",
		"attachments",
		"labels",
		"status_reason",
		"comment",
		"callback_url",
		"chain_seq",
		"chain_hash",
	)

	shownTasks = "SELECT " + taskTable.ColumnsOf("task") + ", " + shownRuns.ColumnsOf("run") + ", " + shownRequests.ColumnsOf("request") +
		", " + decisionOfTask + " FROM task JOIN stage_run run ON run.id = task.stage_run_id JOIN request ON request.id = task.request_id"
)

// taskItems loads the tasks with the ids, in the order of ids, with their requests and runs.
func taskItems(tx *sqldb.Tx, ids []string) ([]wf.TaskItem, error) {
	items, places := make([]wf.TaskItem, len(ids)), placesOf(ids)
	runs := map[string][]*wf.TaskItem{}
	var c codec
	var row decidedTask
	var run stageRow
	var request requestRow
	columns := slices.Concat(taskTable.Into(&row.Task), shownRuns.Into(&run), shownRequests.Into(&request), []any{&row.Decision})
	which, arg := sqldb.Among(tx.DB, "task.id", ids)
	err := tx.Load(sqldb.Select{SQL: shownTasks + " WHERE " + which, Args: []any{arg}, Each: func(scan func(into ...any) error) (err error) {
		if err := scan(columns...); err != nil {
			return err
		}
		item := &items[places[row.Task.ID]]
		if item.Task, err = row.task(&c); err != nil {
			return err
		}
		if item.Run, err = run.stage(&c); err != nil {
			return err
		}
		if item.Run.Pool && item.Task.Assignee == nil {
			runs[run.ID] = append(runs[run.ID], item)
		}
		item.Request, err = request.request(&c)
		return err
	}})
	if err == nil {
		err = readRuns(tx, &c, runs)
	}
	return items, err
}

// LoadRuns loads the people and the assigned tasks of the runs of the items that needs selects.
func (s *Store) LoadRuns(ctx context.Context, items []wf.TaskItem, needs func(wf.TaskItem) bool) error {
	runs := map[string][]*wf.TaskItem{}
	for i := range items {
		if needs(items[i]) {
			runs[items[i].Run.ID] = append(runs[items[i].Run.ID], &items[i])
		}
	}
	if len(runs) == 0 {
		return nil
	}
	return wrapError(s.db.View(ctx, func(tx *sqldb.Tx) error { return readRuns(tx, new(codec), runs) }), "load the runs of tasks")
}

// tasksWhere returns the query for tasks by a condition, with their decisions.
func tasksWhere(rows *[]decidedTask, where string, args ...any) sqldb.Select {
	var decision string
	return sqldb.Select{
		SQL: decidedTasks + " WHERE " + where, Args: args,
		Each: taskTable.Each(func(row taskRow) { *rows = append(*rows, decidedTask{row, decision}) }, &decision),
	}
}

// Assignees returns the assignees of the open and claimed tasks of requests, by request id.
func (s *Store) Assignees(ctx context.Context, requests []string) (map[string][]identity.User, error) {
	var rows []taskRow
	db := s.db.Read(ctx)
	where, ids := sqldb.Among(db, "request_id", requests)
	err := db.Select("request_id", "assignee").Where(where, ids).
		Where("status IN ? AND assignee_id <> ''", []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed}).
		Order("request_id, ordinal").Find(&rows).Error
	var c codec
	assignees := map[string][]identity.User{}
	for _, row := range rows {
		assignees[row.RequestID] = append(assignees[row.RequestID], read[identity.User](&c, row.Assignee))
	}
	return assignees, wrapError(cmp.Or(err, c.err), "read the assignees of requests")
}

// readRuns reads the people and the assigned tasks of runs. runs maps run ids to the tasks in a
// list.
func readRuns(tx *sqldb.Tx, c *codec, runs map[string][]*wf.TaskItem) error {
	if len(runs) == 0 {
		return nil
	}
	var id, text string
	people := map[string][]approver.Approver{} // decoded once per text: most pools of a policy are equal, and decoding is slow
	keys := slices.Collect(maps.Keys(runs))
	which, ids := sqldb.Among(tx.DB, "id", keys)
	theirs, _ := sqldb.Among(tx.DB, "stage_run_id", keys)
	var taken []decidedTask
	err := tx.Load(
		sqldb.Select{SQL: "SELECT id, approvers FROM stage_run WHERE " + which, Args: []any{ids}, Each: func(scan func(into ...any) error) error {
			if err := scan(&id, &text); err != nil {
				return err
			}
			stored, known := people[text]
			if !known {
				stored = read[[]approver.Approver](c, text)
				people[text] = stored
			}
			for _, item := range runs[id] {
				item.Run.People = slices.Clone(stored)
			}
			return wrapError(c.err, "read the people of stage run %s", id)
		}},
		tasksWhere(&taken, theirs+" AND assignee_id <> ''", ids))
	if err != nil {
		return err
	}
	for _, row := range taken {
		task, err := row.task(c)
		if err != nil {
			return err
		}
		for _, item := range runs[row.Task.StageRunID] {
			item.Siblings = append(item.Siblings, task)
		}
	}
	return nil
}

// RequestsToRoute returns at most limit ids of requests with an inbox entry or a candidacy of the
// delegator. The ids are ascending and greater than after.
func (tx *DelegationTx) RequestsToRoute(d approver.Delegation, after string, limit int) ([]string, error) {
	after = cmp.Or(after, firstID)
	return ids(tx.Table(`(SELECT request_id FROM inbox WHERE user_id = ? AND request_id > ?
		UNION SELECT r.request_id FROM stage_candidate c JOIN stage_run r ON r.id = c.stage_run_id
		WHERE c.user_id = ? AND r.request_id > ?) AS found`, d.User.ID, after, d.User.ID, after).Order("request_id").Limit(limit), "list the requests of %s", d.User.ID)
}

// RequestsRouted returns at most limit ids of requests with open tasks or candidates routed by a
// delegation or by later delegations of its chain. The ids are ascending and greater than after.
func (tx *DelegationTx) RequestsRouted(delegationID, after string, limit int) ([]string, error) {
	after = cmp.Or(after, firstID)
	return ids(tx.Table(`(WITH RECURSIVE led (id, delegate_id, starts_ms, ends_ms) AS (
			SELECT id, delegate_id, starts_ms, ends_ms FROM delegation WHERE id = ?
			UNION
			SELECT d.id, d.delegate_id, d.starts_ms, d.ends_ms FROM delegation d
			JOIN led ON d.user_id = led.delegate_id AND d.starts_ms < led.ends_ms AND d.ends_ms > led.starts_ms)
		SELECT request_id FROM task WHERE status IN ('open', 'claimed') AND delegation_id IN (SELECT id FROM led) AND request_id > ?
		UNION
		SELECT r.request_id FROM stage_candidate c JOIN stage_run r ON r.id = c.stage_run_id
		WHERE c.delegation_id IN (SELECT id FROM led) AND r.request_id > ?) AS found`, delegationID, after, after).Order("request_id").Limit(limit), "list the requests routed by delegation %s", delegationID)
}

// LivePeople returns at most limit ids of people with a live task or a candidacy. The ids are
// ascending and greater than after.
func (s *Store) LivePeople(ctx context.Context, after string, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Table(`(SELECT DISTINCT user_id AS id FROM inbox WHERE user_id > ? AND role = 'holder'
		UNION SELECT DISTINCT user_id AS id FROM stage_candidate WHERE user_id > ?) AS people`, after, after).Order("id").Limit(limit), "list people with something to do")
}
