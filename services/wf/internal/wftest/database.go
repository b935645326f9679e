package wftest

import (
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/services/wf/internal/server"
)

// Schema has the databases of the tests of a package, of both kinds.
var Schema = sqldbtest.Schema{Migrate: server.Program().Migrate}

// Main is the TestMain of a package that uses Schema.
func Main(m *testing.M) { os.Exit(Schema.Run(m)) }

// Connect opens a database until the test ends.
func Connect(t testing.TB, url string, now func() time.Time) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), url, sqldb.Options{Now: now, Logger: quiet, Patience: Patience})
	Must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Rows counts the rows of every table.
func Rows(t testing.TB, db *sqldb.DB) map[string]int64 {
	t.Helper()
	query := "SELECT name FROM sqlite_schema WHERE type = 'table'"
	if db.Postgres() {
		query = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
	}
	var tables []string
	Must(t, db.Read(t.Context()).Raw(query).Scan(&tables).Error)
	rows := map[string]int64{}
	for _, table := range tables {
		var n int64
		Must(t, db.Read(t.Context()).Raw("SELECT count(*) FROM "+table).Scan(&n).Error)
		rows[table] = n
	}
	return rows
}

// Disarm drops every trigger, as the owner of the database can.
func Disarm(t testing.TB, db *sqldb.DB) {
	t.Helper()
	query := "SELECT 'DROP TRIGGER ' || name FROM sqlite_schema WHERE type = 'trigger'"
	if db.Postgres() {
		query = "SELECT 'DROP TRIGGER ' || tgname || ' ON ' || relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid " +
			"WHERE NOT tgisinternal"
	}
	var drops []string
	Must(t, db.Read(t.Context()).Raw(query).Scan(&drops).Error)
	for _, drop := range drops {
		Must(t, db.Read(t.Context()).Exec(drop).Error)
	}
}

var quiet = slog.New(slog.DiscardHandler)

// people are the ids that tests use for users.
const people = "ana bo cy dan dee dora eli eve fay gus hal kim max rita root sam stan vic zoe"

// MeetPeople stores the people of tests without names, as if each had signed in.
func MeetPeople(t testing.TB, db *sqldb.DB) {
	t.Helper()
	var args []any
	for _, id := range strings.Fields(people) {
		args = append(args, id)
	}
	const columns = "id, username, name, email, folded_id, folded_username, folded_name"
	rows := strings.TrimPrefix(strings.Repeat(", (?, '', '', '', '', '', '')", len(args)), ", ")
	Must(t, db.Do(t.Context(), func(tx *sqldb.Tx) error {
		return tx.Exec("INSERT INTO person ("+columns+") VALUES "+rows+" ON CONFLICT DO NOTHING", args...).Error
	}))
}
