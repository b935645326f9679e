package store

import (
	"context"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf/policy"
)

// hasPart is the condition that a person has or had a part in a request.
const hasPart = `EXISTS (SELECT 1 FROM participant p WHERE p.user_id = ? AND p.created_ms = request.created_ms
	AND p.request_id = request.id)`

// HasPart reports whether a person has or had a part in a request. It locks nothing.
func (tx *Tx) HasPart(user, request string) (bool, error) {
	var found int
	err := tx.Load(sqldb.Select{
		SQL: "SELECT 1 AS found FROM request WHERE id = ? AND " + hasPart, Args: []any{request, printable(user)}, Into: &found,
	})
	return found == 1, wrapError(err, "look for a participant of request %s", request)
}

// Part is the part of a person in a request.
type Part struct {
	Has     bool  // now or earlier
	LeftSeq int64 // seq of the event that ended the part; 0 while it lasts

	Owners policy.Callers // of the policy of the request
}

// partOf returns the query for the part of a person in a request.
func partOf(user string, ref RequestRef, into *Part) sqldb.Select {
	return sqldb.Select{
		SQL: `SELECT p.left_seq FROM request JOIN participant p ON (p.user_id, p.created_ms, p.request_id) =
			(?, request.created_ms, request.id) WHERE request.id = ` + ref.which,
		Args: []any{printable(user), ref.id},
		Each: func(scan func(into ...any) error) error {
			into.Has = true
			return scan(&into.LeftSeq)
		},
	}
}

// WasAsked reports whether a person is or was an assignee, candidate or delegate in any request.
func (s *Store) WasAsked(ctx context.Context, user string) (bool, error) {
	found, err := ids(
		s.db.Read(ctx).Model(&participantRow{}).Select("request_id").Where("user_id = ? AND approver", printable(user)).Limit(1),
		"look for an approver",
	)
	return len(found) > 0, err
}
