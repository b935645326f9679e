package store

import (
	"context"

	"github.com/countersign/countersign/libs/sqldb"
)

// hasPart is the condition that a person is a participant of a request.
const hasPart = `EXISTS (SELECT 1 FROM participant p WHERE p.user_id = ? AND p.created_ms = request.created_ms
	AND p.request_id = request.id AND p.reader)`

// HasPart reports whether a person is a participant of a request. It locks nothing.
func (tx *Tx) HasPart(user, request string) (bool, error) {
	var found int
	err := tx.Load(sqldb.Select{
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
