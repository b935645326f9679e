package store

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
)

// projections are the rows for lists that follow from a request. They are written with its document and never read
// for a decision.
type projections struct {
	tasks        []taskRow
	inbox        []inboxRow
	participants []participantRow
}

// taskRow is a task with its decision.
type taskRow struct {
	ID           string `gorm:"primaryKey"`
	RequestID    string
	PolicyKey    string
	ArtifactType string
	StageKey     string
	Run          int // of the stage
	Kind         wf.TaskKind
	Status       wf.TaskStatus
	Urgency      int64 // derived from the priority, 0 is the most urgent
	AssigneeID   string
	ClaimedByID  string
	Action       wf.Action // of the decision
	ActorID      string
	DecidedMS    int64
	CreatedMS    int64
	DueMS        int64 // of the run
}

// inboxRow is an entry of wf.Request.Inbox: a person can act on a task.
type inboxRow struct {
	UserID       string `gorm:"primaryKey"`
	PolicyKey    string
	StageKey     string
	ArtifactType string
	Kind         wf.TaskKind
	Role         wf.InboxRole `gorm:"primaryKey"`
	Status       wf.TaskStatus
	Urgency      int64  `gorm:"primaryKey;autoIncrement:false"`
	CreatedMS    int64  `gorm:"primaryKey;autoIncrement:false"` // of the task
	TaskID       string `gorm:"primaryKey"`
	RequestID    string
	DueMS        int64 // of the run
	Delegable    bool  // delegations give a right
}

// participantRow is the part of a person in a request.
type participantRow struct {
	UserID    string `gorm:"primaryKey"`
	CreatedMS int64  `gorm:"primaryKey;autoIncrement:false"` // of the request
	RequestID string `gorm:"primaryKey"`
	Approver  bool   // is or was assignee or candidate
	Reader    bool   // participant
	Live      bool   // see wf.Part
}

var (
	taskTable        = sqldb.TableOf[taskRow]()
	inboxTable       = sqldb.TableOf[inboxRow]()
	participantTable = sqldb.TableOf[participantRow]()
)

// project returns the projections of a request.
func project(r wf.Request) (p projections) {
	urgency := r.Priority.Urgency()
	for _, t := range r.Tasks {
		row := taskRow{
			ID: t.ID, RequestID: r.ID, PolicyKey: r.PolicyKey, ArtifactType: r.ArtifactType, StageKey: t.StageKey, Run: t.StageRun, Kind: t.Kind,
			Status: t.Status, Urgency: urgency, AssigneeID: userID(t.Assignee), ClaimedByID: userID(t.ClaimedBy),
			CreatedMS: ms(t.CreatedAt), DueMS: ms(r.Run(t).DueAt),
		}
		if d := t.Decision; d != nil {
			row.Action, row.ActorID, row.DecidedMS = d.Action, d.Actor.ID, ms(d.DecidedAt.Time)
		}
		p.tasks = append(p.tasks, row)
	}
	for _, e := range r.Inbox() {
		p.inbox = append(p.inbox, inboxRow{
			UserID: e.UserID, PolicyKey: r.PolicyKey, StageKey: e.Task.StageKey, ArtifactType: r.ArtifactType, Kind: e.Task.Kind,
			Role: e.Role, Status: e.Task.Status, Urgency: urgency, CreatedMS: ms(e.Task.CreatedAt), TaskID: e.Task.ID, RequestID: r.ID,
			DueMS: ms(r.Run(e.Task).DueAt), Delegable: r.Run(e.Task).Delegable,
		})
	}
	parts := r.Parts()
	for _, id := range slices.Sorted(maps.Keys(parts)) {
		part := parts[id]
		p.participants = append(p.participants, participantRow{
			UserID: id, CreatedMS: ms(r.CreatedAt), RequestID: r.ID, Approver: part.Asked, Reader: part.Reader, Live: part.Live,
		})
	}
	return p
}

func userID(u *identity.User) string {
	if u == nil {
		return ""
	}
	return u.ID
}

// putProjections returns the statements that turn the projections of before into those of after.
func (tx *Tx) putProjections(before, after wf.Request) []sqldb.Stmt {
	was, is := project(before), project(after)
	gone := func(table, columns, types string, rows [][]any) []sqldb.Stmt {
		return deleteRows(tx.Name() == "postgres", table, columns, types, rows)
	}
	return slices.Concat(
		participantTable.Insert(` ON CONFLICT (user_id, created_ms, request_id)
			DO UPDATE SET approver = excluded.approver, reader = excluded.reader, live = excluded.live`,
			subtract(is.participants, was.participants)...),
		gone("participant", "user_id, created_ms, request_id", "text bigint uuid",
			sqldb.Values(subtractKeys(was.participants, is.participants, func(p participantRow) any { return p.UserID }),
				func(p participantRow) []any { return []any{p.UserID, p.CreatedMS, p.RequestID} })),
		taskTable.Insert(` ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, status = excluded.status,
			assignee_id = excluded.assignee_id, claimed_by_id = excluded.claimed_by_id, action = excluded.action, actor_id = excluded.actor_id,
			decided_ms = excluded.decided_ms, due_ms = excluded.due_ms`, subtract(is.tasks, was.tasks)...),
		gone("inbox", "user_id, role, urgency, created_ms, task_id", "text text bigint bigint uuid",
			sqldb.Values(subtract(was.inbox, is.inbox),
				func(e inboxRow) []any { return []any{e.UserID, string(e.Role), e.Urgency, e.CreatedMS, e.TaskID} })),
		inboxTable.Insert("", subtract(is.inbox, was.inbox)...),
	)
}

// subtract returns the rows that are absent from others.
func subtract[R comparable](rows, others []R) []R {
	return subtractKeys(rows, others, func(row R) any { return row })
}

// subtractKeys returns the rows whose key is absent from others.
func subtractKeys[R any](rows, others []R, key func(R) any) []R {
	among := map[any]bool{}
	for _, row := range others {
		among[key(row)] = true
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row R) bool { return among[key(row)] })
}

// deleteRows returns the statements that delete rows by the values of columns, of these types in PostgreSQL.
func deleteRows(postgres bool, table, columns, types string, rows [][]any) (stmts []sqldb.Stmt) {
	var marks []string
	for _, name := range strings.Fields(types) {
		if mark := "?"; postgres {
			marks = append(marks, mark+"::"+name)
		} else {
			marks = append(marks, mark)
		}
	}
	tuple := "(" + strings.Join(marks, ", ") + ")"
	for len(rows) > 0 {
		n := sqldb.Chunk(len(rows))
		stmts = append(stmts, sqldb.Stmt{
			SQL:  "DELETE FROM " + table + " WHERE (" + columns + ") IN (VALUES " + tuple + strings.Repeat(", "+tuple, n-1) + ")",
			Args: slices.Concat(rows[:n]...),
		})
		rows = rows[n:]
	}
	return stmts
}

// hasPart is the condition that a person is a participant of a request.
const hasPart = `EXISTS (SELECT 1 FROM participant p WHERE p.user_id = ? AND p.created_ms = request.created_ms
	AND p.request_id = request.id AND p.reader)`

// HasPart reports whether a person is a participant of a request. It locks nothing.
func (tx *Tx) HasPart(user, request string) (bool, error) {
	var found int
	err := tx.Batch(sqldb.Stmt{
		SQL: "SELECT 1 AS found FROM request WHERE id = ? AND " + hasPart, Args: []any{request, printable(user)}, Into: &found,
	})
	return found == 1, wrapError(err, "look for a participant of request %s", request)
}

// WasAsked reports whether a person is or was an assignee, candidate or delegate in any request.
func (s *Store) WasAsked(ctx context.Context, user string) (bool, error) {
	found, err := ids(
		s.db.Read(ctx).Model(&participantRow{}).Select("request_id").Where("user_id = ? AND approver", printable(user)).Limit(1),
		"look for an approver",
	)
	return len(found) > 0, err
}
