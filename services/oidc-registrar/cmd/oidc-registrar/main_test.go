package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// The test binary is also the program: with this variable it runs main.
const asProgram = "COUNTERSIGN_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// command returns the program in a folder, with no settings in its environment. Without
// GORACE the race detector delays each exit by a second.
func command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Dir, cmd.Env = dir, []string{asProgram + "=1", "GORACE=atexit_sleep_ms=0"}
	return cmd
}

// process is the program, running.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	url string
}

// serve starts the program in a folder with nothing but the environment, and returns
// when it is ready.
func serve(t *testing.T, dir string, env ...string) *process {
	t.Helper()
	cmd := command(context.WithoutCancel(t.Context()), dir, "serve")
	cmd.Env = slices.Concat(cmd.Env, []string{"REGISTRAR_DEV=true", "REGISTRAR_LISTEN=127.0.0.1:0", "REGISTRAR_ADMIN_LISTEN=127.0.0.1:0"}, env)
	logs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	p := &process{t: t, cmd: cmd}
	ready := make(chan string, 1)
	go func() {
		address := ""
		for lines := bufio.NewScanner(logs); lines.Scan(); {
			var line struct{ Msg, Address string }
			_ = json.Unmarshal(lines.Bytes(), &line)
			switch line.Msg {
			case "listening":
				address = line.Address
			case "ready":
				ready <- address
			}
		}
	}()
	p.url = "http://" + timetest.Await(t, ready, "the program is ready")
	return p
}

// program runs another command of the program and returns its output.
func program(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := command(t.Context(), dir, args...).Output()
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func (p *process) call(method, path, token string, body any) (int, string, error) {
	p.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, bytes.NewReader(raw))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), err
}

func TestTheProgramServesFromItsEnvironmentAndStopsOnSIGTERM(t *testing.T) {
	dir := t.TempDir()
	p := serve(t, dir)
	token := program(t, dir, "token", "--sub=ana", "--role=AUTH_PARTNER", "--claim=partner_id=demo-partner")
	status, body, err := p.call("POST", "/v1/partnermanager/oidc/client", token, registrartest.PartnerRequest(registrartest.Key(t), nil))
	if err != nil || status != 200 || !strings.Contains(body, `"status":"ACTIVE"`) {
		t.Errorf("%d %s, %v", status, body, err)
	}
	program(t, dir, "healthcheck", "--listen="+strings.TrimPrefix(p.url, "http://"))
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	if info, err := os.Stat(dir + "/.data/dev-issuer.jwk"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the development key: %v, %v", info, err)
	}
}

func TestMigrateAndHealthcheckEnd(t *testing.T) {
	dir := t.TempDir()
	program(t, dir, "migrate", "--dev")
	if _, err := os.Stat(dir + "/.data/registrar.db"); err != nil {
		t.Error(err)
	}
	process := &daemon.Process{Context: t.Context(), Out: io.Discard, Logs: io.Discard}
	if err := server.Program().Run(&commands{}, []string{"healthcheck", "--listen=127.0.0.1:1"}, process); err == nil {
		t.Error("a service that is not there is healthy")
	}
}

// An operator copies the database and deletes old rows.
func TestBackupAndPurgeReportTheirResults(t *testing.T) {
	dir := t.TempDir()
	program(t, dir, "migrate", "--dev")
	for want, args := range map[string][]string{
		": copied to copy.db, schema version ": {"backup", "--dev", "copy.db"},
		": dry run, nothing was deleted: 0 events and 0 deliveries are old enough; --no-dry-run deletes them": {"purge", "--dev"},
		": deleted 0 events, 0 deliveries": {"purge", "--dev", "--no-dry-run"},
	} {
		if out := program(t, dir, args...); !strings.Contains(out, want) {
			t.Errorf("%s printed %q, want %q", args, out, want)
		}
	}
	if info, err := os.Stat(dir + "/copy.db"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy: %v, %v", info, err)
	}
}
