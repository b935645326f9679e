package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf/internal/server"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// asProgram makes the test binary the program itself.
const asProgram = "COUNTERSIGN_TEST_AS_PROGRAM"

var must = wftest.Must

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program is a process of the real program.
type program struct {
	t        *testing.T
	cmd      *exec.Cmd
	out, err logtest.Log
	ended    chan struct{}
}

// start runs the program with these arguments, in an empty folder, with env as its whole
// environment. The test kills it at its end. Without GORACE the race detector delays
// each exit by a second.
func start(t *testing.T, dir string, env []string, args ...string) *program {
	t.Helper()
	binary, err := os.Executable()
	must(t, err)
	p := &program{t: t, cmd: exec.Command(binary, args...), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = dir, append([]string{asProgram + "=1", "GORACE=atexit_sleep_ms=0"}, env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	must(t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
	})
	return p
}

// status awaits the end and returns the exit status.
func (p *program) status() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(5 * time.Minute):
		p.t.Fatalf("%q did not end:\n%s", p.cmd.Args, &p.err)
	}
	return p.cmd.ProcessState.ExitCode()
}

// runs runs the program to its end.
func runs(t *testing.T, dir string, env []string, args ...string) (status int, out, text string) {
	t.Helper()
	p := start(t, dir, env, args...)
	return p.status(), p.out.String(), p.err.String()
}

// address returns the listen address, once the program serves.
func (p *program) address() string {
	p.t.Helper()
	var address string
	p.until("it listens", func() bool {
		for line := range strings.Lines(p.err.String()) {
			var record struct{ Msg, Address string }
			if json.Unmarshal([]byte(line), &record) == nil && record.Msg == "listening" {
				address = record.Address
			}
		}
		return address != ""
	})
	return address
}

// until polls a condition. It fails the test if the program ends first.
func (p *program) until(what string, ok func() bool) {
	p.t.Helper()
	timetest.Eventually(p.t, what, func() bool {
		select {
		case <-p.ended:
			p.t.Fatalf("%s: ended with %d:\n%s", what, p.cmd.ProcessState.ExitCode(), &p.err)
		default:
		}
		return ok()
	})
}

// get calls the program and returns the status of its answer, 0 for none.
func get(t *testing.T, url, token string) int {
	t.Helper()
	r, _ := wftest.Send(t.Context(), http.MethodGet, url, token, nil)
	return r.Status
}

// ready returns the URL of the program, once it is ready.
func (p *program) ready() string {
	p.t.Helper()
	url := "http://" + p.address()
	p.until("it is ready", func() bool { return get(p.t, url+"/readyz", "") == http.StatusOK })
	return url
}

// development is an environment in which serve runs.
func development(database string) []string {
	return []string{"WF_DEV=true", "WF_LISTEN=127.0.0.1:0", "WF_ADMIN_LISTEN=127.0.0.1:0", "WF_DATABASE_URL=" + database}
}

func TestTheProgramRunsFromItsEnvironmentAlone(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		dir := t.TempDir()
		env := development(url)
		p := start(t, dir, env, "serve")
		address := strings.TrimPrefix(p.ready(), "http://")
		status, token, text := runs(t, dir, env, "token", "--sub", "ana", "--role", "WF_VIEWER")
		token, rest, _ := strings.Cut(token, "\n")
		if status != 0 || rest != "" || strings.Count(token, ".") != 2 || text != "" {
			t.Fatalf("token ended with %d, printed %q and %q", status, token+"\n"+rest, text)
		}
		for path, want := range map[string]int{"/v1/wf/policies": 200, "/v1/wf/requests": 200, "/v1/wf/admin/deliveries": 200, "/docs": 200} {
			if got := get(t, "http://"+address+path, token); got != want {
				t.Errorf("GET %s: %d, want %d", path, got, want)
			}
		}
		if got := get(t, "http://"+address+"/v1/wf/policies", ""); got != http.StatusUnauthorized {
			t.Errorf("without a token: %d, want 401", got)
		}
		p.until("it greets", func() bool { return strings.Contains(p.out.String(), "http://"+address) })

		listen := []string{"WF_LISTEN=" + address}
		if status, out, text := runs(t, dir, listen, "healthcheck"); status != 0 || out+text != "" {
			t.Errorf("healthcheck of a running service ended with %d, printed %q", status, out+text)
		}
		must(t, p.cmd.Process.Signal(syscall.SIGTERM))
		if status := p.status(); status != 0 {
			t.Errorf("after SIGTERM it ended with %d:\n%s", status, &p.err)
		}
		if status, _, text := runs(t, dir, listen, "healthcheck"); status != 1 || !strings.Contains(text, "wf: ") {
			t.Errorf("healthcheck of nothing ended with %d, printed %q", status, text)
		}
	})
}

// Replicas are rolled out together: one migrates, the others block, all serve.
func TestInstancesThatStartTogetherServeTogether(t *testing.T) {
	url, dir := sqldbtest.Postgres(t), t.TempDir()
	var replicas []*program
	for range 3 {
		replicas = append(replicas, start(t, dir, development(url), "serve"))
	}
	_, token, _ := runs(t, dir, nil, "token", "--sub", "ana", "--role", "WF_ADMIN")
	for _, p := range replicas {
		if got := get(t, p.ready()+"/v1/wf/policies", strings.TrimSpace(token)); got != http.StatusOK {
			t.Errorf("%d, want 200: replicas in one folder have one issuer", got)
		}
	}
	db := wftest.Connect(t, url, nil)
	var twice []int64
	const query = "SELECT version_id FROM goose_db_version GROUP BY version_id HAVING count(*) > 1"
	if err := db.Read(t.Context()).Raw(query).Scan(&twice).Error; err != nil || len(twice) > 0 {
		t.Errorf("migrated twice: %v, %v", twice, err)
	}
	for _, p := range replicas {
		must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	}
	for _, p := range replicas {
		if status := p.status(); status != 0 {
			t.Errorf("ended with %d:\n%s", status, &p.err)
		}
	}
}

func TestAProblemEndsTheProgramWithOneWordForEachVariable(t *testing.T) {
	dir := t.TempDir()
	status, _, text := runs(t, dir, []string{"WF_DRAIN_DELAY=-1s", "WF_OUTBOUND_ALLOW=x"}, "serve")
	if status != 1 {
		t.Errorf("ended with %d, want 1", status)
	}
	for _, name := range []string{"WF_AUTH_ISSUER", "WF_DRAIN_DELAY", "WF_OUTBOUND_ALLOW"} {
		if strings.Count(text, name) != 1 {
			t.Errorf("%s is not named once:\n%s", name, text)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".data")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program that cannot start has made its folder: %v", err)
	}
}

func TestHelpAndProblemsShowNoSecret(t *testing.T) {
	dir := t.TempDir()
	const canary = "canary-4f1c"
	secrets := []string{
		"WF_DATABASE_URL=postgres://wf:" + canary + "@127.0.0.1:1/wf", "WF_ENC_KEYS=" + canary,
		"WF_RESOLVERS=oncall=https://oncall.example/?" + canary + " " + canary, "WF_CALLBACK_HOSTS=caller.example=" + canary,
	}
	for name, tt := range map[string]struct {
		env  []string
		args []string
	}{
		"help":                            {secrets, []string{"--help"}},
		"help of serve":                   {secrets, []string{"serve", "--help"}},
		"bad secrets":                     {secrets, []string{"serve"}},
		"a secret without a name":         {[]string{"WF_RESOLVERS=" + canary}, []string{"serve"}},
		"a padded secret without a name":  {[]string{"WF_RESOLVERS=whsec_" + canary + "="}, []string{"serve"}},
		"a host without a name":           {[]string{"WF_CALLBACK_HOSTS=" + canary}, []string{"serve"}},
		"a bad key":                       {[]string{"WF_ENC_KEYS=k1:" + canary}, []string{"rekey"}},
		"a database of no kind":           {[]string{"WF_DATABASE_URL=" + canary}, []string{"migrate"}},
		"a database that is no URL":       {[]string{"WF_DATABASE_URL=postgres://wf:" + canary + "@[::1/wf"}, []string{"migrate"}},
		"a database with a bad parameter": {[]string{"WF_DATABASE_URL=postgres://wf:" + canary + "@127.0.0.1:1/wf?sslmode=odd"}, []string{"migrate"}},
	} {
		_, out, text := runs(t, dir, tt.env, tt.args...)
		if strings.Contains(out+text, canary) {
			t.Errorf("%s shows a secret:\n%s%s", name, out, text)
		}
	}
}

func TestHelpNamesEveryVariable(t *testing.T) {
	settings, err := server.Program().Describe(&serveCommand{})
	must(t, err)
	status, out, _ := runs(t, t.TempDir(), nil, "serve", "--help")
	if status != 0 {
		t.Errorf("ended with %d", status)
	}
	for _, s := range settings {
		if !strings.Contains(out, s.Variable) {
			t.Errorf("serve --help does not name %s", s.Variable)
		}
	}
}
