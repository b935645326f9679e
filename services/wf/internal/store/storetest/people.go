// Package storetest prepares databases for tests.
package storetest

import (
	"context"
	"strings"

	"github.com/countersign/countersign/libs/sqldb"
)

// people are the ids that tests use for users.
const people = "ana bo cy dan dee dora eli eve fay gus hal kim max rita root sam stan vic zoe"

// MeetPeople stores the people of tests without names, as if each had signed in.
func MeetPeople(ctx context.Context, db *sqldb.DB) error {
	var args []any
	for _, id := range strings.Fields(people) {
		args = append(args, id)
	}
	const columns = "id, username, name, email, folded_id, folded_username, folded_name, updated_ms"
	rows := strings.TrimPrefix(strings.Repeat(", (?, '', '', '', '', '', '', 0)", len(args)), ", ")
	return db.Do(ctx, func(tx *sqldb.Tx) error {
		return tx.Exec("INSERT INTO person ("+columns+") VALUES "+rows+" ON CONFLICT DO NOTHING", args...).Error
	})
}
