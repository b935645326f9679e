package main

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// encoded is what a client sends: a start-up message and then these.
func encoded(t *testing.T, messages ...pgproto3.FrontendMessage) []byte {
	t.Helper()
	start := &pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersionNumber, Parameters: map[string]string{"user": "wf"}}
	var wire []byte
	for _, m := range append([]pgproto3.FrontendMessage{start}, messages...) {
		var err error
		if wire, err = m.Encode(wire); err != nil {
			t.Fatal(err)
		}
	}
	return wire
}

func TestARecorderPassesMessagesOnAndKeepsTheTransactionsThatNameACall(t *testing.T) {
	bind := func(name string, args ...string) *pgproto3.Bind {
		m := &pgproto3.Bind{PreparedStatement: name}
		for _, arg := range args {
			m.Parameters = append(m.Parameters, []byte(arg))
		}
		return m
	}
	sync := &pgproto3.Sync{}
	sent := encoded(t,
		&pgproto3.Query{String: "BEGIN; SELECT 1"},
		&pgproto3.Parse{Name: "a", Query: "INSERT $1"}, bind("a", "another call"), sync,
		&pgproto3.Query{String: "commit"},

		&pgproto3.Query{String: "begin"},
		bind("a", "this call"), bind("a", "more"), sync,
		&pgproto3.Parse{Query: "UPDATE $1"}, bind("", "x"), sync,
		&pgproto3.Query{String: "COMMIT"},

		&pgproto3.Parse{Query: "SELECT $1"}, bind("", "this call"), sync,
		bind("a", "by itself"), sync,
	)
	r := &recorder{}
	var passed bytes.Buffer
	c := conversation{recorder: r, names: map[string]string{}}
	if err := c.relay(&passed, bytes.NewReader(sent)); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if !bytes.Equal(passed.Bytes(), sent) {
		t.Errorf("passed on %q, want %q", &passed, sent)
	}

	var sql []string
	trips := map[int]bool{}
	for _, s := range r.take([]string{"this call"}) {
		sql = append(sql, s.sql)
		trips[s.trip] = true
	}
	want := []string{"begin", "INSERT $1", "INSERT $1", "UPDATE $1", "COMMIT", "SELECT $1"}
	if !slices.Equal(sql, want) || len(trips) != 5 {
		t.Errorf("take() = %q in %d round trips, want %q in 5", sql, len(trips), want)
	}
	if again := r.take([]string{"this call"}); again != nil {
		t.Errorf("a second take() = %v, want nothing", again)
	}
}
