package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/countersign/countersign/test/programs"
)

// postgres returns the URL of the tests' PostgreSQL server. Without one the test is
// skipped; with COUNTERSIGN_REQUIRE_POSTGRES=1, as under make test, it fails.
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

func TestAShortRunMeasuresBothServicesWebhooksListsAndPages(t *testing.T) {
	server := postgres(t)
	if _, err := findPgbench(t.Context()); err != nil {
		t.Skip(err)
	}
	bin := t.TempDir()
	for _, s := range []subject{wf, registrar} {
		programs.Build(t, bin, s.program)
	}
	var out, progress bytes.Buffer
	err := run(t.Context(), flags{Rounds: 1, Seconds: 0.01, Paced: 0.1, Backlog: 60, Stuck: 150, Listed: 600, Waiting: 60, People: 20, Imported: 100, Bin: bin, Postgres: server}, &out, &progress)
	if err != nil {
		t.Fatalf("run() = %v\n%s", err, &progress)
	}
	for _, want := range []string{"create request", "decide task", "register, partner oidc/client", "register, RFC 7591", "PostgreSQL, provider", "SQLite", "ready on one in place", "oidc-registrar: memory", "3 processes", "while another hangs", "metrics and traces", "webhooks: one process", "ben tasks inbox=me", "bytes a request", "lists: on SQLite", "60 open tasks of 20 people", "a first visit", "inbox: 99 %", "import again"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report has no %q", want)
		}
	}
	for _, never := range []string{"NaN", "Inf"} {
		if strings.Contains(out.String(), never) {
			t.Errorf("the report has a number that is none:\n%s", &out)
		}
	}
}

func TestAScriptSendsArgumentsApartAndMakesNewOnesForWhatIsUnique(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	const id = "0199c2c0-7a10-7cc3-9e0f-5f0d6b1c2d3e"
	w := writer{conn: conn, unique: map[string]int{}}
	got, err := w.script(t.Context(), []statement{
		{sql: "BEGIN; SELECT 1"},
		{trip: 1, sql: "SELECT $1::uuid, $2::text, $3::bigint, $4::text", args: [][]byte{[]byte(id), []byte(id), {0, 0, 0, 0, 0, 0, 1, 0}, nil}, formats: []int16{0, 0, 1, 0}},
		{trip: 1, sql: "SELECT $2::text, $1::text, $3::text", args: [][]byte{[]byte("key-1"), []byte("a: 'b'"), {}}},
	}, []string{"key-1"})
	if err != nil {
		t.Fatal(err)
	}
	want := `\set tx :base + :done * :clients + :client_id
\set done :done + 1
\set u0 :tx * 100 + 0
\set u1 :tx * 100 + 1
BEGIN; SELECT 1;
SELECT lpad(:u0::text, 32, '0')::uuid::uuid, lpad(:u0::text, 36, '0')::text, :c1_3::bigint, NULL::text;
SELECT :c2_2::text, lpad(:u1::text, 19, '0')::text, ''::text;
`
	if got.text != want {
		t.Errorf("script is\n%s\nwant\n%s", got.text, want)
	}
	if variables := strings.Join(got.variables, "|"); variables != "c1_3=256|c2_2=a: 'b'" {
		t.Errorf("variables are %s", variables)
	}
	if got.statements != 4 || got.trips != 2 {
		t.Errorf("script counts %d statements in %d round trips, want 4 in 2", got.statements, got.trips)
	}
}

func TestACountThatDiffersFromWhatWasDoneFails(t *testing.T) {
	conn, err := pgx.Connect(t.Context(), postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	nothing := step{count: "SELECT 7"}
	err = counted(t.Context(), conn, nothing, func() (int, error) { return 3, nil })
	if err == nil || err.Error() != "done 3 times, but the database has 0 more" {
		t.Errorf("counted() = %v", err)
	}
}

func TestListsThatWereNotMeasuredMeetNoGoal(t *testing.T) {
	if goals := (listed{database: "SQLite"}).goals(); len(goals) != 0 {
		t.Errorf("nothing was measured, and yet %v", goals)
	}
	one := listed{lists: []listSpeed{{list: list{name: "ana requests "}, speed: speed{p99: time.Second}}}}
	if goals := one.goals(); len(goals) != 1 || goals[0].met {
		t.Errorf("a list that takes a second: %v", goals)
	}
}

func TestTheProcessorTimeOfAProcessIsReadWithItsName(t *testing.T) {
	name, before, err := processorTime(os.Getpid())
	if err != nil || name == "" || !strings.HasPrefix(filepath.Base(os.Args[0]), name) {
		t.Fatalf("this process is %q, %v", name, err)
	}
	for had := before; had == before; { // until a tick of its time is over
		if _, had, err = processorTime(os.Getpid()); err != nil {
			t.Fatal(err)
		}
	}
}
