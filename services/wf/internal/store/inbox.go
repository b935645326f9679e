package store

import (
	"context"
	"slices"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
)

// inboxRow says that a person may act on a task now: it is wf.Request.Inbox, with what
// inboxes are sorted and filtered by. All of it stands in the request and its tasks, and
// none of it changes while an entry lasts but the role and the status.
type inboxRow struct {
	UserID       string `gorm:"primaryKey"`
	Role         wf.InboxRole
	Status       wf.TaskStatus
	Urgency      int64  // of the request's priority, 0 for the most urgent
	CreatedMS    int64  // of the task
	TaskID       string `gorm:"primaryKey"`
	RequestID    string
	Kind         wf.TaskKind
	StageKey     string
	PolicyKey    string
	ArtifactType string
}

func (inboxRow) TableName() string { return "inbox" }

var inboxTable = sqldb.TableOf[inboxRow]()

func inboxOf(r wf.Request) []inboxRow {
	entries := r.Inbox()
	rows := make([]inboxRow, len(entries))
	for i, e := range entries {
		rows[i] = inboxRow{
			UserID: e.UserID, Urgency: urgencies[r.Priority], CreatedMS: ms(e.Task.CreatedAt), TaskID: e.Task.ID, RequestID: r.ID,
			Role: e.Role, Status: e.Task.Status, Kind: e.Task.Kind, StageKey: e.Task.StageKey, PolicyKey: r.PolicyKey, ArtifactType: r.ArtifactType,
		}
	}
	return rows
}

// putInbox returns the statements that make the inboxes those of after. What was in them
// is known from before, unless an older version of the service has written it.
func (tx *Tx) putInbox(before, after wf.Request) []sqldb.Stmt {
	was, is := inboxOf(before), inboxOf(after)
	if before.Unlisted {
		return append([]sqldb.Stmt{unlist(before.ID)}, inboxTable.Insert("", is...)...)
	}
	kept := map[inboxRow]bool{}
	for _, row := range is {
		kept[row] = true
	}
	gone := slices.DeleteFunc(slices.Clone(was), func(row inboxRow) bool { return kept[row] })
	clear(kept)
	for _, row := range was {
		kept[row] = true
	}
	return append(tx.takeOut(gone), inboxTable.Insert("", slices.DeleteFunc(is, func(row inboxRow) bool { return kept[row] })...)...)
}

// unlist takes a request out of every inbox. It reads them all: nothing finds the entries
// of a request, and nobody needs that but for a request of an older version.
func unlist(requestID string) sqldb.Stmt {
	return sqldb.Stmt{SQL: "DELETE FROM inbox WHERE request_id = ?", Args: []any{requestID}}
}

// takeOut returns the statements that delete entries.
func (tx *Tx) takeOut(rows []inboxRow) []sqldb.Stmt {
	if len(rows) == 0 {
		return nil
	}
	if tx.Name() == "sqlite" {
		stmts := make([]sqldb.Stmt, len(rows))
		for i, row := range rows {
			stmts[i] = sqldb.Stmt{
				SQL:  "DELETE FROM inbox WHERE user_id = ? AND role = ? AND status = ? AND urgency = ? AND created_ms = ? AND task_id = ?",
				Args: []any{row.UserID, row.Role, row.Status, row.Urgency, row.CreatedMS, row.TaskID},
			}
		}
		return stmts
	}
	column := func(of func(inboxRow) string) []string {
		all := make([]string, len(rows))
		for i, row := range rows {
			all[i] = of(row)
		}
		return all
	}
	created := make([]int64, len(rows))
	for i, row := range rows {
		created[i] = row.CreatedMS
	}
	return []sqldb.Stmt{{
		SQL: `DELETE FROM inbox USING unnest(?::text[], ?::text[], ?::text[], ?::bigint[], ?::uuid[]) AS gone (user_id, role, status, created_ms, task_id)
			WHERE inbox.user_id = gone.user_id AND inbox.role = gone.role AND inbox.status = gone.status
			AND inbox.urgency = ? AND inbox.created_ms = gone.created_ms AND inbox.task_id = gone.task_id`,
		Args: []any{
			column(func(r inboxRow) string { return r.UserID }), column(func(r inboxRow) string { return string(r.Role) }),
			column(func(r inboxRow) string { return string(r.Status) }), created, column(func(r inboxRow) string { return r.TaskID }), rows[0].Urgency,
		},
	}}
}

// OldRequests returns the ids of requests that an older version of the service has
// written beside this one, so that their inboxes are not what they should be.
func (s *Store) OldRequests(ctx context.Context, limit int) ([]string, error) {
	return ids(s.db.Read(ctx).Raw("SELECT id FROM request WHERE listed_rev <> rev ORDER BY id LIMIT ?", limit), "list requests of an older version")
}

// Relist makes the inboxes those of a request that is locked, if an older version has
// written it.
func (tx *Tx) Relist(r wf.Request) error {
	if !r.Unlisted {
		return nil
	}
	stmts := append(tx.putInbox(r, r), sqldb.Stmt{SQL: "UPDATE request SET listed_rev = rev WHERE id = ?", Args: []any{r.ID}, Want: 1})
	return failed(tx.Batch(stmts...), "list request %s", r.ID)
}
