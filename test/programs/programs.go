// Package programs builds and starts the programs of the services, for tests.
package programs

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/timetest"
)

// Build compiles the program of a service and returns its path. It requires a test in a folder of this
// module. The packages of tests share a program in .cache, which is linked only when it has changed.
func Build(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.Abs("../../.cache/programs")
	if err == nil {
		err = os.MkdirAll(dir, 0o750)
	}
	if err != nil {
		t.Fatal(err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, name+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }() // releases the lock
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if _, ok := built.Load(path); ok {
		return path
	}
	// The flags of make build and of the images, so that packages are compiled once.
	args := []string{"build", "-trimpath", "-o", path, "./cmd/" + name}
	cmd := exec.CommandContext(t.Context(), "go", args...) // #nosec G204 -- a program of this repository
	cmd.Dir, cmd.Env = filepath.Join("../../services", name), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	built.Store(path, true)
	return path
}

// built has the paths of the programs in .cache that this process has compiled.
var built sync.Map

// Process is a process of a program.
type Process struct {
	Log logtest.Log // of stdout and stderr

	t     testing.TB
	cmd   *exec.Cmd
	ended chan struct{}
}

// Run starts a program in dir with the environment env. The end of the test kills it.
func Run(t testing.TB, dir string, env []string, program string, args ...string) *Process {
	t.Helper()
	p := &Process{t: t, cmd: exec.Command(program, args...), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = dir, env
	p.cmd.Stdout, p.cmd.Stderr = &p.Log, &p.Log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
	})
	return p
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal sends a signal unless the process has ended.
func (p *Process) Signal(s os.Signal) { _ = p.cmd.Process.Signal(s) }

// Done returns a channel that is closed at the end of the process.
func (p *Process) Done() <-chan struct{} { return p.ended }

// Wait waits for its end and returns the exit status, which is -1 after a signal.
func (p *Process) Wait() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(5 * time.Minute):
		p.t.Fatalf("%s does not end\n%s", p.cmd.Path, p.Log.String())
	}
	return p.cmd.ProcessState.ExitCode()
}

// Ready waits until the service at url is ready.
func (p *Process) Ready(url string) {
	p.t.Helper()
	timetest.Eventually(p.t, "the service at "+url+" is ready", func() bool {
		select {
		case <-p.ended:
			p.t.Fatalf("%s ended before it was ready\n%s", p.cmd.Path, p.Log.String())
		default:
		}
		response, err := http.Get(url + "/readyz") // #nosec G107 -- a program of the test
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// Start runs a program with --dev in dir until the end of the test and returns its base URL. env is
// added to its environment. The program must exit with 0.
func Start(t *testing.T, program, listenVariable, dir string, env ...string) string {
	t.Helper()
	address := FreeAddress(t)
	p := Run(t, dir, append([]string{
		listenVariable + "=" + address, strings.Replace(listenVariable, "LISTEN", "ADMIN_LISTEN", 1) + "=off",
	}, env...), program, "serve", "--dev")
	t.Cleanup(func() {
		p.Signal(syscall.SIGTERM)
		if status := p.Wait(); status != 0 {
			t.Errorf("%s ended with %d\n%s", program, status, p.Log.String())
		}
	})
	url := "http://" + address
	p.Ready(url)
	return url
}

// FreeAddress returns a free address of this machine.
func FreeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}
