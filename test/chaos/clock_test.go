package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/test/programs"
)

// A replica whose clock is off answers 503, and its loops follow the clock of the database: nothing comes early, late or
// twice.
func TestAClockThatIsOffMovesNoDate(t *testing.T) {
	chaos(t)
	database := sqldbtest.Postgres(t)
	s := wf(t, database)
	off := *s
	off.program = withClock(t)
	front := *s
	front.env = append(slices.Clone(s.env), s.prefix+"WORKERS=false")
	api := front.begin("")
	root, ana := s.caller(api.url), s.callerAs(api.url, "ana")
	root.duePolicy(t)
	for _, shift := range []time.Duration{10 * time.Minute, -10 * time.Minute, 2 * time.Hour, -2 * time.Hour} {
		off := off
		off.env = append(slices.Clone(s.env), fmt.Sprintf("CHAOS_CLOCK=%d", int(shift.Seconds())))
		jumps := shift.Abs() > time.Hour // the clock is right at the start
		if jumps {
			off.env = append(off.env, "CHAOS_CLOCK_AFTER=5")
		}
		shifted := off.start("")
		if jumps {
			shifted.Ready(shifted.url)
		}
		timetest.Eventually(t, "the clock is found to be off", func() bool {
			return strings.Contains(shifted.Log.String(), "clock differs from the database's")
		})
		if a, err := s.caller(shifted.url).call("GET", requests+"?limit=1", ""); err != nil || a.status != 503 {
			t.Errorf("%s: answered %d, %v", shift, a.status, err)
		}
		for range 2 { // the second time with a replica whose clock is right
			at := time.Now().Add(3 * time.Second)
			r, l := root.begin(t, at, at.Add(time.Hour)), root.begin(t, at.Add(time.Hour), at)
			ana.must(t, "POST", "/v1/wf/tasks/"+l.Tasks[0].ID+"/decision", `{"action":"approve"}`, 200)
			root.once(t, r.ID, "stage.due", at)
			root.once(t, r.ID, "stage.escalated", at)
			root.once(t, l.ID, "request.lapsed", at)
			if late := time.Since(at); late > 5*time.Second {
				t.Errorf("%s: events came %s late", shift, late)
			}
			s.begin("")
		}
		shifted.Signal(syscall.SIGTERM)
		shifted.Wait()
	}
}

// clockFile names the file with the shift of the database's clock, in a process whose PostgreSQL server runs under
// libfaketime.
const clockFile = "FAKETIME_TIMESTAMP_FILE"

// The clock of the database steps while two replicas serve. A date applies from its instant by that clock, once, also
// when the clock returns to before it. Beyond a difference of a minute the replicas answer 503.
func TestAStepOfTheDatabaseClockRepeatsNoDate(t *testing.T) {
	chaos(t)
	if os.Getenv(clockFile) == "" {
		underFakeTime(t)
		return
	}
	database := sqldbtest.Postgres(t)
	s := wf(t, database)
	replicas := []*replica{s.begin(""), s.begin("")}
	root, ana, ben := s.caller(replicas[0].url), s.callerAs(replicas[0].url, "ana"), s.callerAs(replicas[1].url, "ben")
	root.duePolicy(t)

	const small = 30 * time.Second
	at := time.Now().Add(small - 5*time.Second)
	due, lapses := root.begin(t, at, at.Add(time.Hour)), root.begin(t, at.Add(3*time.Hour), at)
	ana.must(t, "POST", "/v1/wf/tasks/"+lapses.Tasks[0].ID+"/decision", `{"action":"approve"}`, 200)
	later := root.begin(t, at.Add(time.Hour), at.Add(4*time.Hour))
	delegated := root.begin(t, at.Add(3*time.Hour), at.Add(4*time.Hour))
	ana.must(t, "POST", "/v1/wf/delegations", fmt.Sprintf(`{"delegate_to":"ben","mode":"share","return_on_end":false,"ends_at":%q}`,
		at.UTC().Format(time.RFC3339Nano)), 201)
	decision := "/v1/wf/tasks/" + delegated.Tasks[0].ID + "/decision"

	setLead(t, database, small)
	root.once(t, due.ID, "stage.due", at)
	root.once(t, due.ID, "stage.escalated", at)
	root.once(t, lapses.ID, "request.lapsed", at)
	ben.must(t, "POST", decision, `{"action":"approve"}`, 403)

	setLead(t, database, 0)
	during := root.begin(t, at.Add(3*time.Hour), at.Add(4*time.Hour))
	ana.must(t, "POST", "/v1/wf/tasks/"+during.Tasks[0].ID+"/decision", `{"action":"approve"}`, 200)
	ana.must(t, "POST", decision, `{"action":"approve"}`, 200)

	setLead(t, database, 2*time.Hour)
	for _, r := range replicas {
		timetest.Eventually(t, "503 of a replica", func() bool {
			a, err := s.caller(r.url).call("GET", requests+"?limit=1", "")
			return err == nil && a.status == 503
		})
	}
	setLead(t, database, 0)
	for _, r := range replicas {
		r.Ready(r.url)
	}
	root.once(t, later.ID, "stage.due", at.Add(time.Hour)) // the clock had passed it
	root.once(t, due.ID, "stage.due", at)
	root.once(t, due.ID, "stage.escalated", at)
	root.once(t, lapses.ID, "request.lapsed", at)
	for _, r := range []request{due, lapses, later, delegated, during} {
		if chain := string(root.must(t, "GET", requests+"/"+r.ID+"/events?verify=true&limit=200", "", 200).body); !strings.Contains(chain, `"valid":true`) {
			t.Errorf("the timeline of %s does not verify: %s", r.ID, chain)
		}
	}
}

// underFakeTime runs the test with a PostgreSQL server of its own under libfaketime.
func underFakeTime(t *testing.T) {
	t.Helper()
	libraries, err := filepath.Glob("/usr/lib/*/faketime/libfaketime.so.1")
	if err != nil || len(libraries) == 0 {
		t.Skip("libfaketime is not installed: apt-get install libfaketime")
	}
	dir, err := os.MkdirTemp("", "clock") // unlike t.TempDir, the server's user can read it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, "shift")
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // read by the server's user
		t.Fatal(err)
	}
	shiftClock(t, file, 0)
	inner := exec.Command("../../deploy/dev/postgres.sh", "run", os.Args[0], "-test.v", "-test.run", "^"+t.Name()+"$")
	inner.Env = append(os.Environ(), "LD_PRELOAD="+libraries[0], clockFile+"="+file, "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1")
	out, err := inner.CombinedOutput()
	if err != nil || strings.Contains(string(out), "--- SKIP") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// setLead sets the lead of the database's clock.
func setLead(t *testing.T, database string, lead time.Duration) {
	t.Helper()
	shiftClock(t, os.Getenv(clockFile), lead)
	db, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	timetest.Eventually(t, "a database clock that leads by "+lead.String(), func() bool {
		var now time.Time
		if err := db.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&now); err != nil {
			t.Fatal(err)
		}
		return (time.Until(now) - lead).Abs() < 2*time.Second
	})
}

// shiftClock writes the lead of the clock for libfaketime.
func shiftClock(t *testing.T, file string, lead time.Duration) {
	t.Helper()
	next := file + ".next"
	if err := os.WriteFile(next, fmt.Appendf(nil, "+%d\n", int(lead.Seconds())), 0o644); err != nil { //nolint:gosec // read by the server's user
		t.Fatal(err)
	}
	if err := os.Rename(next, file); err != nil {
		t.Fatal(err)
	}
}

// withClock builds wf with a clock that CHAOS_CLOCK shifts by seconds, CHAOS_CLOCK_AFTER seconds after the start.
func withClock(t *testing.T) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const now = "\tmono -= startNano\n\tsec += unixToInternal - minWall\n"
	shifted := strings.Replace(string(source), now, now+"\tif mono >= chaosAfter*1e9 {\n\t\tsec += chaosClock\n\t}\n", 1)
	if shifted == string(source) {
		t.Fatal("time.Now has changed")
	}
	shifted = strings.Replace(shifted, "import (\n", "import (\n\t\"syscall\"\n", 1) + `
var chaosClock, chaosAfter = chaosNumber("CHAOS_CLOCK"), chaosNumber("CHAOS_CLOCK_AFTER")

func chaosNumber(name string) (number int64) {
	text, _ := syscall.Getenv(name)
	for _, digit := range text {
		if digit != '-' {
			number = number*10 + int64(digit-'0')
		}
	}
	if text != "" && text[0] == '-' {
		return -number
	}
	return number
}
`
	replaced := filepath.Join(t.TempDir(), "time.go")
	write(t, replaced, shifted)
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{file: replaced}})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	write(t, overlay, string(text))
	return programs.Build(t, "wf", "-overlay", overlay)
}
