// Package programs builds and starts the programs of the services, for tests.
package programs

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Build compiles the program of a service into dir and returns its path. The test stands in
// a folder of this module.
func Build(t *testing.T, dir, name string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", path, "./cmd/"+name)
	cmd.Dir, cmd.Env = filepath.Join("../../services", name), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	return path
}

// Start runs a program with --dev in dir, waits until it is ready and returns its
// base URL. When the test ends it stops the program, which has to exit with 0.
func Start(t *testing.T, program, listenVariable, dir string) string {
	t.Helper()
	address := FreeAddress(t)
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
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("%s ended with %v\n%s", program, err, &logs)
			}
		case <-time.After(30 * time.Second):
			_ = cmd.Process.Kill()
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
			_ = res.Body.Close()
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

// FreeAddress returns an address of this machine on which nobody listens now.
func FreeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
