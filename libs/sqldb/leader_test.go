package sqldb_test

import (
	"testing"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
)

// leads asks a candidate.
func leads(t *testing.T, l *sqldb.Leader) bool {
	t.Helper()
	leads, err := l.TryLead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return leads
}

func TestOneOfSeveralProcessesLeads(t *testing.T) {
	url := sqldbtest.Postgres(t)
	one := open(t, url, sqldb.Options{})
	two, err := sqldb.Open(t.Context(), url, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	first, second := one.Leader("x"), two.Leader("x")
	if !leads(t, first) || leads(t, second) || !leads(t, first) {
		t.Error("the first to ask leads, and nobody else")
	}
	if !leads(t, two.Leader("y")) {
		t.Error("somebody leads another thing")
	}
	first.Resign()
	if !leads(t, second) || leads(t, first) {
		t.Error("who resigns leaves the lead to others")
	}
	// The server ends the connection that holds the lead, as when the network does.
	err = one.Read(t.Context()).Exec("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())").Error
	if err != nil {
		t.Fatal(err)
	}
	timetest.Eventually(t, "the lead is free", func() bool { return leads(t, first) })
	if leads(t, second) {
		t.Error("who lost the connection has lost the lead")
	}
	if err := two.Close(); err != nil {
		t.Error(err)
	}
}

func TestEverybodyLeadsOnSQLite(t *testing.T) {
	l := open(t, sqldbtest.SQLite(t), sqldb.Options{}).Leader("x")
	if !leads(t, l) {
		t.Error("it does not lead")
	}
	l.Resign()
}
