package sqldb_test

import (
	"testing"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
)

// leads reports whether a candidate is the leader.
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
		t.Error("the first candidate is not the only leader")
	}
	if !leads(t, two.Leader("y")) {
		t.Error("another lock has a leader")
	}
	first.Resign()
	if !leads(t, second) || leads(t, first) {
		t.Error("a resigned leader still leads")
	}
	// The server ends the connection that holds the lead, as when the network does.
	err = one.Read(t.Context()).Exec("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())").Error
	if err != nil {
		t.Fatal(err)
	}
	timetest.Eventually(t, "the lead is free", func() bool { return leads(t, first) })
	if leads(t, second) {
		t.Error("a leader without its connection still leads")
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
