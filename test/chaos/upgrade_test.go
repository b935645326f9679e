package chaos

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/test/programs"
)

// An upgrade as in docs/operating.md: the migration of a new version runs while replicas of the old one
// serve calls, then the replicas are replaced one by one. make check SUITE=chaos runs it with 200,000 requests.
func TestAnUpgradeUnderLoadRefusesNoCall(t *testing.T) {
	copies := 2000
	if os.Getenv("COUNTERSIGN_CHAOS") == "1" {
		copies = 200_000
	}
	database := sqldbtest.Postgres(t)
	s := wf(t, database, "DRAIN_DELAY=1s")
	next := *s
	var version int
	next.program, version = withFixture(t)
	replicas := []*replica{s.begin(""), s.begin("")}
	admin := s.caller(replicas[0].url)
	admin.policy(t)
	admin.must(t, "POST", requests, `{"policy_key":"spend"}`, 201)
	copyRequests(t, database, copies)
	var copied []int // lengths of the logs: the copy is one long transaction, which no operator runs beside a service
	for _, r := range replicas {
		copied = append(copied, len(r.Log.String()))
	}

	b := balance(t, 100*time.Millisecond, replicas...)
	load := s.loads(b.url, 6, creates, lists, creates)
	approvals := s.loadsAs(b.url, "ana", 2, decides(t, s, b.url))
	served := func(n int) {
		t.Helper()
		until := load.total() + n
		timetest.Eventually(t, "calls are answered", func() bool { return load.total() >= until })
	}
	served(200)
	begin := time.Now()
	migration := programs.Run(t, s.dir, next.env, next.program, "migrate")
	if status := migration.Wait(); status != 0 {
		t.Errorf("the migration ended with %d", status)
	}
	took := time.Since(begin)
	served(200) // old replicas on the new schema
	for i, old := range replicas {
		old.Signal(syscall.SIGTERM)
		if status := old.Wait(); status != 0 {
			t.Errorf("a replica ended with %d: %s", status, old.lastLine())
		}
		replicas[i] = next.begin(old.address())
		timetest.Eventually(t, "the balancer uses the new replica", func() bool { return b.sees(replicas[i]) })
		served(100) // one old, one new
		for line := range strings.Lines(old.Log.String()[copied[i]:]) {
			for _, problem := range []string{"cannot be reached", "statement timeout", "deadlock"} {
				if strings.Contains(line, problem) {
					t.Errorf("a replica logs %s", line)
				}
			}
		}
	}
	decided, refusedDecisions, howDecisions := approvals.ends()
	calls, refused, how := load.ends()
	t.Logf("%d requests; the migration took %s and waited %d times for callers; %d calls and %d decisions, the longest took %s", copies,
		took.Round(time.Millisecond), strings.Count(migration.Log.String(),
			"trying again"), calls, decided, max(load.longest, approvals.longest).Round(time.Millisecond))
	if refused+refusedDecisions > 0 {
		t.Errorf("%d of %d calls and %d of %d decisions were refused:\n%s\n%s", refused, calls,
			refusedDecisions, decided, how, howDecisions)
	}
	if log := migration.Log.String(); strings.Contains(log, "deadlock") || strings.Contains(log, "40P01") {
		t.Errorf("the migration has locked tables in another order than the callers:\n%s", log)
	}
	if !strings.Contains(migration.Log.String(), fmt.Sprintf(`"version":%d`, version)) {
		t.Errorf("the migration was not applied:\n%s", migration.Log.String())
	}
}

// withFixture builds wf with one more migration and returns its number.
func withFixture(t *testing.T) (program string, version int) {
	t.Helper()
	fixture, err := filepath.Abs("testdata/fixture.sql")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs("../../services/wf/internal/store/migrations")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "postgres", "*.sql"))
	if err != nil {
		t.Fatal(err)
	}
	version = len(files) + 1
	replace := map[string]string{}
	for _, kind := range []string{"postgres", "sqlite"} {
		replace[filepath.Join(folder, kind, fmt.Sprintf("%04d_fixture.sql", version))] = fixture
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	write(t, overlay, string(text))
	return programs.Build(t, "wf", "-overlay", overlay), version
}

// copyRequests copies the only request with its rows. Each copy has ids of its own.
func copyRequests(t *testing.T, database string, copies int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, table := range []string{"request", "stage_run", "task", "participant", "inbox", "event"} {
		rows, err := conn.Query(t.Context(), `SELECT CASE
				WHEN data_type = 'uuid' THEN format('md5(%I::text || n)::uuid', column_name)
				WHEN table_name = 'event' AND column_name = 'chain' THEN 'md5(chain || n)::uuid::text'
				ELSE quote_ident(column_name) END
			FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position`, table)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		filter := ""
		if table == "event" {
			filter = "WHERE chain <> 'service'"
		}
		if _, err := conn.Exec(t.Context(), fmt.Sprintf("INSERT INTO %s SELECT %s FROM %s, generate_series(1, %d) n %s",
			table, strings.Join(columns, ", "), table, copies, filter)); err != nil {
			t.Fatalf("copy %s: %v", table, err)
		}
	}
	if _, err := conn.Exec(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
}

// decides returns a step that approves a task of the approver of the policy.
func decides(t *testing.T, s *service, base string) step {
	t.Helper()
	c := s.callerAs(base, "ana")
	var page struct {
		Response struct{ Items []struct{ ID string } }
	}
	if err := json.Unmarshal(c.must(t, "GET", "/v1/wf/tasks?inbox=me&status=open&limit=100", "", 200).body,
		&page); err != nil {
		t.Fatal(err)
	}
	var next atomic.Int64
	return func() (method, path, body string, status int) {
		if n := int(next.Add(1)) - 1; n < len(page.Response.Items) {
			return "POST", "/v1/wf/tasks/" + page.Response.Items[n].ID + "/decision", `{"action":"approve"}`, 200
		}
		return lists()
	}
}
