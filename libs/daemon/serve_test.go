package daemon_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptrace"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/libs/web"
)

// office is a service with a blocked call and a job that ends slowly.
type office struct {
	t        *testing.T
	settings daemon.Settings
	service  daemon.Service
	db       *sqldb.DB
	log      logtest.Log

	url     string
	stop    context.CancelFunc
	ended   chan error
	ready   chan string
	waiting chan struct{} // receives one for each blocked call
	answer  chan struct{} // closed to release them
	endWork chan error    // the error of the job at its cancellation

	mu    sync.Mutex
	steps []string
}

func (o *office) step(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.steps = append(o.steps, name)
}

func (o *office) said() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.steps)
}

// newOffice returns a service with a drain delay. Serve has not been called.
func newOffice(t *testing.T, drain time.Duration) *office {
	t.Helper()
	o := &office{
		t: t, ended: make(chan error, 1), ready: make(chan string, 1), waiting: make(chan struct{}, 10),
		answer: make(chan struct{}), endWork: make(chan error, 1),
	}
	dir := t.TempDir()
	o.settings = daemon.Settings{
		Prefix: "X_", Dev: true, DataDir: dir, Listen: "127.0.0.1:0", DatabaseURL: daemon.Secret("sqlite:" + filepath.Join(dir, "x.db")),
		AuthAudience: "x", DrainDelay: &drain,
	}
	verifier, err := o.settings.Verifier(o.log.Logger())
	if err != nil {
		t.Fatal(err)
	}
	api := web.New(web.Options{
		Title: "Office", Version: "1", Logger: o.log.Logger(), Open: []string{"/readyz"},
		Failure: func(_ context.Context, _ web.Operation, err error) error {
			if refused, ok := errors.AsType[*refusal.Error](err); ok && refused.Reason != web.Internal {
				return web.Refuse(http.StatusServiceUnavailable, "X-1", refused.Message, nil)
			}
			return err
		},
	})
	get := func(path string, answer func(context.Context) error) {
		huma.Register(api.API, huma.Operation{OperationID: path[1:], Method: "GET", Path: path},
			func(ctx context.Context, _ *struct{}) (*struct{ Body string }, error) {
				return &struct{ Body string }{"done"}, answer(ctx)
			})
	}
	get("/readyz", api.Ready)
	get("/quick", func(context.Context) error { return nil })
	get("/slow", func(context.Context) error {
		o.waiting <- struct{}{}
		<-o.answer
		o.step("call answered")
		return o.db.Ping(context.Background())
	})
	o.service = daemon.Service{
		API: api, Verifier: verifier,
		Program: daemon.Program{Name: "x", Audience: "x-audience", Prefix: "X_", Schema: schema("00001_office.sql")},
		Open: func(_ context.Context, db *sqldb.DB) error {
			o.db = db
			return nil
		},
		Work: func() []func(context.Context) error {
			return []func(context.Context) error{func(ctx context.Context) error {
				select {
				case <-ctx.Done():
					o.step("work cancelled")
				case err := <-o.endWork:
					return err
				}
				err := <-o.endWork
				if err := o.db.Ping(context.WithoutCancel(ctx)); err != nil {
					t.Errorf("the database, at the end of the work: %v", err)
				}
				o.step("work ended")
				return err
			}}
		},
		Ready: func(address string) { o.ready <- address },
	}
	return o
}

// serve serves it until stop is called.
func (o *office) serve() {
	o.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	o.stop = stop
	go func() {
		o.ended <- o.settings.Serve(ctx, o.log.Logger(), o.service)
		close(o.ended)
	}()
	o.t.Cleanup(func() {
		stop()
		timetest.Await(o.t, o.ended, "the service ends")
	})
}

func (o *office) begin() {
	o.t.Helper()
	o.serve()
	o.url = "http://" + timetest.Await(o.t, o.ready, "the service is ready")
}

// get makes a call and reports whether it used an existing connection, and whether the reply closes
// the connection.
func (o *office) get(client *http.Client, path string) (status int, reused, closes bool) {
	o.t.Helper()
	ctx := httptrace.WithClientTrace(o.t.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }})
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url+path, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		o.t.Errorf("GET %s: %v", path, err)
		return 0, false, false
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode, reused, response.Close
}

func TestAStopRefusesNoCall(t *testing.T) {
	o := newOffice(t, 2*time.Second)
	o.begin()
	idle, slow, probe := &http.Client{Transport: &http.Transport{}}, &http.Client{Transport: &http.Transport{}},
		&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if status, _, closes := o.get(idle, "/quick"); status != 200 || closes {
		t.Fatalf("before the stop: %d, closes %t", status, closes)
	}
	answered := make(chan int, 1)
	go func() {
		status, _, _ := o.get(slow, "/slow")
		answered <- status
	}()
	timetest.Await(t, o.waiting, "a call runs")

	o.stop()
	timetest.Eventually(t, "readiness reports the stop", func() bool {
		status, _, _ := o.get(probe, "/readyz")
		return status == 503
	})
	if status, reused, closes := o.get(idle, "/quick"); status != 200 || !reused || !closes {
		t.Errorf("on a connection from before: %d, reused %t, closes %t, want 200 and the last", status, reused, closes)
	}
	if status, reused, closes := o.get(idle, "/quick"); status != 200 || reused || !closes {
		t.Errorf("on a new connection: %d, reused %t, closes %t", status, reused, closes)
	}
	if steps := o.said(); len(steps) > 0 {
		t.Errorf("during the drain: %q", steps)
	}
	timetest.Eventually(t, "the cancellation of the work", func() bool { return slices.Contains(o.said(), "work cancelled") })
	timetest.Eventually(t, "the listener is closed", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(o.url, "http://"))
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	close(o.answer)
	if status := timetest.Await(t, answered, "the call that ran is answered"); status != 200 {
		t.Errorf("the call that ran: %d", status)
	}
	o.endWork <- nil
	if err := timetest.Await(t, o.ended, "the service ends"); err != nil {
		t.Errorf("Serve = %v", err)
	}
	if want := []string{"work cancelled", "call answered", "work ended"}; !slices.Equal(o.said(), want) {
		t.Errorf("steps %q, want %q", o.said(), want)
	}
	if lines := strings.Split(strings.TrimSpace(o.log.String()), "\n"); !strings.Contains(lines[len(lines)-1], `"msg":"stopped"`) {
		t.Errorf("the last line of the log is %s", lines[len(lines)-1])
	}
}

func TestWorkThatFailsStopsTheServiceAsASignalDoes(t *testing.T) {
	o := newOffice(t, 2*time.Second)
	o.begin()
	answered := make(chan int, 1)
	go func() {
		status, _, _ := o.get(http.DefaultClient, "/slow")
		answered <- status
	}()
	timetest.Await(t, o.waiting, "a call runs")
	broken := errors.New("broken")
	o.endWork <- broken
	timetest.Eventually(t, "it drains", func() bool {
		status, _, _ := o.get(http.DefaultClient, "/readyz")
		return status == 503
	})
	close(o.answer)
	if status := timetest.Await(t, answered, "the call is answered"); status != 200 {
		t.Errorf("the call that ran: %d", status)
	}
	if err := timetest.Await(t, o.ended, "the service ends"); !errors.Is(err, broken) {
		t.Errorf("Serve = %v", err)
	}
}

// told calls a function at the read of a migration.
type told struct {
	read func()
	fs.FS
}

func (f told) Open(name string) (fs.File, error) {
	if strings.HasSuffix(name, ".sql") {
		f.read()
	}
	return f.FS.Open(name)
}

// A service that was never ready receives no calls, so the stop is not delayed.
func TestAStopBeforeTheServiceIsReadyTakesNoTime(t *testing.T) {
	for name, when := range map[string]func(o *office, begun chan struct{}){
		"while the database is away": func(o *office, begun chan struct{}) {
			o.settings.DatabaseURL = "postgres://u@127.0.0.1:1/none"
			close(begun)
		},
		"while it migrates": func(o *office, begun chan struct{}) {
			o.service.Program.Schema.Files = told{sync.OnceFunc(func() { close(begun) }), fstest.MapFS{"migrations/sqlite/00001_office.sql": {Data: []byte(`-- +goose Up
				CREATE TABLE office AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n;`)}}}
		},
		"while it opens": func(o *office, begun chan struct{}) {
			o.service.Open = func(ctx context.Context, _ *sqldb.DB) error {
				close(begun)
				<-ctx.Done()
				return fmt.Errorf("open: %w", ctx.Err())
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, begun := newOffice(t, time.Hour), make(chan struct{})
			when(o, begun)
			o.serve()
			timetest.Await(t, begun, "it has begun")
			o.stop()
			if err := timetest.Await(t, o.ended, "the service ends"); err != nil {
				t.Errorf("Serve = %v", err)
			}
		})
	}
}
