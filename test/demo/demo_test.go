package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/test/demo/story"
)

func TestTheStoryHoldsAgainstTheRealPrograms(t *testing.T) {
	dir := t.TempDir()
	program := build(t, dir, "../../services/wf", "wf")
	wf := start(t, program, "WF_LISTEN", dir)
	registrar := start(t, build(t, dir, "../../services/oidc-registrar", "oidc-registrar"), "REGISTRAR_LISTEN", dir)
	for _, name := range []string{"a fresh database", "the same database again"} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := story.Run(t.Context(), &out, story.Options{WF: wf, Registrar: registrar, Data: filepath.Join(dir, ".data"), Program: program}); err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
		})
	}
}

func TestAStoryThatGoesWrongNamesTheStep(t *testing.T) {
	for name, tt := range map[string]struct {
		answer string
		want   string
	}{
		"health is another status": {`{"response":{"status":"DOWN"},"errors":[]}`, `step 1 (The service is up): status is "DOWN", want "UP"`},
		"an answer is not JSON":    {`<html>`, `step 1 (The service is up): read the answer "<html>"`},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Write([]byte(tt.answer))
			}))
			defer server.Close()
			var out bytes.Buffer
			err := story.Run(t.Context(), &out, story.Options{WF: server.URL, Data: t.TempDir()})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("Run() = %v, want %s…", err, tt.want)
			}
		})
	}
}

func TestAStorySaysHowToStartAServiceThatIsNotThere(t *testing.T) {
	var out bytes.Buffer
	err := story.Run(t.Context(), &out, story.Options{WF: "http://" + freeAddress(t), Data: t.TempDir()})
	if want := "step 1 (The service is up): is the service up? make run starts it: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("Run() = %v, want %s…", err, want)
	}
}

// build compiles a program of a service into dir and returns its path.
func build(t *testing.T, dir, module, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", path, "./cmd/"+name)
	cmd.Dir, cmd.Env = module, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	return path
}

// start runs a program with --dev in dir, waits until it is ready and returns its
// base URL. When the test ends it stops the program, which has to exit with 0.
func start(t *testing.T, program, listenVariable, dir string) string {
	t.Helper()
	address := freeAddress(t)
	var logs bytes.Buffer
	cmd := exec.Command(program, "serve", "--dev")
	cmd.Dir, cmd.Env = dir, []string{listenVariable + "=" + address}
	cmd.Stdout, cmd.Stderr = &logs, &logs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("%s ended with %v\n%s", program, err, &logs)
			}
		case <-time.After(30 * time.Second):
			cmd.Process.Kill()
			t.Errorf("%s does not stop\n%s", program, &logs)
		}
	})
	url := "http://" + address
	if err := ready(t.Context(), url, ended); err != nil {
		t.Fatal(err)
	}
	return url
}

// ready waits until the program says that it is, or has ended.
func ready(ctx context.Context, url string, ended chan error) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", nil)
		if err != nil {
			return err
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-tick.C:
		case err := <-ended:
			ended <- err // for the cleanup
			return errors.New("ended before it was ready")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// freeAddress returns an address of this machine on which nobody listens now.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
