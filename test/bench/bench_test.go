package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/countersign/countersign/test/programs"
)

// postgres returns the URL of the tests' PostgreSQL server. Without one the test is skipped; with
// COUNTERSIGN_REQUIRE_POSTGRES=1 it fails.
func postgres(t *testing.T) string {
	t.Helper()
	url := os.Getenv("TEST_POSTGRES_URL")
	if url == "" && os.Getenv("COUNTERSIGN_REQUIRE_POSTGRES") == "1" {
		t.Fatal("TEST_POSTGRES_URL is not set and COUNTERSIGN_REQUIRE_POSTGRES=1")
	}
	if url == "" {
		t.Skip("TEST_POSTGRES_URL is not set; make test sets it")
	}
	return url
}

func TestAShortRunReportsEveryPart(t *testing.T) {
	server, bin := postgres(t), ""
	for _, s := range []subject{wf, registrar} {
		bin = filepath.Dir(programs.Build(t, s.program))
	}
	var out, progress bytes.Buffer
	if err := run(t.Context(), flags{Rounds: 1, Seconds: 0.01, Requests: 600, Bin: bin, Postgres: server}, &out, &progress); err != nil {
		t.Fatalf("run() = %v\n%s", err, &progress)
	}
	for _, want := range []string{
		"create request  PostgreSQL", "decide task      SQLite", "register, partner management", "register, client management", "register, RFC 7591",
		"memory, idle", "bytes of a request", "ben tasks inbox=me ", "ana admin/audit",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report has no %q:\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
		t.Errorf("the report contains an invalid number:\n%s", &out)
	}
}

func TestCallsWithoutAnEffectFailARun(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	err = checkCount(t.Context(), conn, step{count: "SELECT 7"}, func() (int, error) { return 3, nil })
	if err == nil || err.Error() != "done 3 times, but the database has 0 more" {
		t.Errorf("counted() = %v", err)
	}
}
