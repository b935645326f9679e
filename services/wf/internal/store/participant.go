package store

import (
	"context"

	"github.com/countersign/countersign/libs/sqldb"
)

// hasPart is the condition that a person has or had a part in a request.
const hasPart = `EXISTS (SELECT 1 FROM participant p WHERE p.user_id = ? AND p.request_id = request.id
	AND (p.policy_key, p.artifact_type, p.created_ms) = (request.policy_key, request.artifact_type, request.created_ms))`

// HasPart reports whether a person has or had a part in a request. It locks nothing.
func (tx *Tx) HasPart(user, request string) (bool, error) {
	var found int
	err := tx.Load(sqldb.Select{
		SQL: "SELECT 1 AS found FROM request WHERE id = ? AND " + hasPart, Args: []any{request, printable(user)}, Into: &found,
	})
	return found == 1, failed(err, "look for a participant of request %s", request)
}

// HasPart reports whether a person has or had a part in any request.
func (s *Store) HasPart(ctx context.Context, user string) (bool, error) {
	found, err := ids(s.db.Read(ctx).Model(&participantRow{}).Select("request_id").Where("user_id = ?", printable(user)).Limit(1), "look for a participant")
	return len(found) > 0, err
}
