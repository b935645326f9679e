package store

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// inboxRow is an entry of wf.Request.Inbox: a person can act on a task. It copies the sort and
// filter columns of the request and the task.
type inboxRow struct {
	UserID       string `gorm:"primaryKey"`
	Role         wf.InboxRole
	Status       wf.TaskStatus
	Urgency      int64  // derived from the request's priority, 0 is the most urgent
	CreatedMS    int64  // of the task
	DueMS        int64  // of the run
	TaskID       string `gorm:"primaryKey"`
	RequestID    string
	Kind         wf.TaskKind
	StageKey     string
	PolicyKey    string
	ArtifactType string
}

var inboxTable = sqldb.TableOf[inboxRow]()

// inboxOfTask joins a task with an inbox entry by all columns of the key, so that no other entry is
// read.
const inboxOfTask = `(task.id, task.urgency, task.created_ms) = (inbox.task_id, inbox.urgency, inbox.created_ms)
	AND inbox.role IN ('holder', 'delegate', 'candidate')`

func inboxOf(r wf.Request) []inboxRow {
	entries := r.Inbox()
	rows := make([]inboxRow, len(entries))
	for i, e := range entries {
		rows[i] = inboxRow{
			UserID: e.UserID, Urgency: r.Priority.Urgency(), CreatedMS: ms(e.Task.CreatedAt), DueMS: ms(r.Run(e.Task).DueAt), TaskID: e.Task.ID, RequestID: r.ID,
			Role: e.Role, Status: e.Task.Status, Kind: e.Task.Kind, StageKey: e.Task.StageKey, PolicyKey: r.PolicyKey, ArtifactType: r.ArtifactType,
		}
	}
	return rows
}

// putInbox returns the statements that turn the inbox entries of before into those of after.
func (tx *Tx) putInbox(before, after wf.Request) []sqldb.Stmt {
	was, is := inboxOf(before), inboxOf(after)
	return append(tx.takeOut(subtractRows(was, is)), inboxTable.Insert("", subtractRows(is, was)...)...)
}

// subtractRows returns the rows that are absent from others.
func subtractRows(rows, others []inboxRow) []inboxRow {
	among := map[inboxRow]bool{}
	for _, row := range others {
		among[row] = true
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row inboxRow) bool { return among[row] })
}

// takeOut returns the statements that delete entries.
func (tx *Tx) takeOut(rows []inboxRow) []sqldb.Stmt {
	tuple := "(?, ?, ?, ?, ?)"
	if tx.Name() == "postgres" {
		tuple = "(?::text, ?::text, ?::bigint, ?::bigint, ?::uuid)"
	}
	var stmts []sqldb.Stmt
	for len(rows) > 0 {
		n := sqldb.Chunk(len(rows))
		stmt := sqldb.Stmt{
			SQL: "DELETE FROM inbox WHERE (user_id, role, urgency, created_ms, task_id) IN (VALUES " + tuple + strings.Repeat(", "+tuple, n-1) + ")",
		}
		for _, row := range rows[:n] {
			stmt.Args = append(stmt.Args, row.UserID, string(row.Role), row.Urgency, row.CreatedMS, row.TaskID)
		}
		stmts, rows = append(stmts, stmt), rows[n:]
	}
	return stmts
}
