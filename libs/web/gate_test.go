package web_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
)

// gated is a server with an operation and an open one for its health, and what its
// database answers.
type gated struct {
	t      *testing.T
	server *web.Server
	log    *logtest.Log
	ping   func(context.Context) error

	readOnly atomic.Bool  // the database takes no writes
	tries    atomic.Int64 // to write
}

func newGated(t *testing.T) *gated {
	t.Helper()
	g := &gated{t: t, log: &logtest.Log{}}
	g.server = web.New(web.Options{Failure: refuse, Open: []string{"/v1/health"}, Logger: g.log.Logger()})
	huma.Register(g.server.API, huma.Operation{OperationID: "read", Method: "GET", Path: "/v1/things"},
		func(context.Context, *struct{}) (*struct{ Body string }, error) {
			return &struct{ Body string }{"done"}, nil
		})
	for path, why := range map[string]func(context.Context) error{"/v1/health": g.server.Health, "/readyz": g.server.Ready} {
		huma.Register(g.server.API, huma.Operation{OperationID: path[1:], Method: "GET", Path: path},
			func(ctx context.Context, _ *struct{}) (*struct{ Body string }, error) {
				if err := why(ctx); err != nil {
					return nil, err
				}
				return &struct{ Body string }{"UP"}, nil
			})
	}
	g.server.ServeDocuments()
	return g
}

func (g *gated) open() {
	g.ping = func(context.Context) error { return nil }
	g.server.Start(g.database())
}

// database is one whose Ping is that of the test.
func (g *gated) database() web.Database {
	writable := func() error {
		if g.readOnly.Load() {
			return errPassword
		}
		return nil
	}
	return web.Database{
		Ping: func(ctx context.Context) error { return g.ping(ctx) }, Writable: writable,
		TryWrite: func(context.Context) error { g.tries.Add(1); return writable() },
	}
}

// want fails the test unless GET path has the status and a body with the text.
func (g *gated) want(path string, status int, text string) *recorder {
	g.t.Helper()
	req, _ := http.NewRequestWithContext(g.t.Context(), "GET", path, nil)
	r := &recorder{header: http.Header{}}
	g.server.ServeHTTP(r, req)
	if r.status != status || !strings.Contains(r.String(), text) {
		g.t.Errorf("%s: %d %s, want %d %s", path, r.status, r, status, text)
	}
	if (r.header.Get("Retry-After") != "") != (status == http.StatusServiceUnavailable) {
		g.t.Errorf("%s: %d with Retry-After %q", path, r.status, r.header.Get("Retry-After"))
	}
	return r
}

func TestACallWaitsForTheStart(t *testing.T) {
	for name, test := range map[string]struct {
		after time.Duration // of the start
		tried error         // of the database, twice before the call
		path  string
		want  string
		took  time.Duration
	}{
		"a quick start":           {time.Second, nil, "/v1/things", "done", time.Second},
		"a slow start":            {time.Minute, nil, "/v1/things", "the service is starting", 5 * time.Second},
		"no database":             {time.Second, errPassword, "/v1/things", "the database cannot be reached", 0},
		"a probe":                 {time.Second, nil, "/readyz", "the service is starting", 0},
		"the health of a replica": {time.Second, nil, "/v1/health", "the service is starting", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			g := newGated(t)
			for range 2 {
				g.server.RecordDatabaseCheck(t.Context(), test.tried)
			}
			go func() {
				time.Sleep(test.after)
				g.open()
			}()
			begin, status := time.Now(), 503
			if test.want == "done" {
				status = 200
			}
			g.want(test.path, status, test.want)
			if took := time.Since(begin); took != test.took {
				t.Errorf("%s: the reply took %s, want %s", name, took, test.took)
			}
			time.Sleep(test.after)
		})
	}
}

func TestAClosedGateLetsOnlyOpenPathsPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // a call waits for the start
		g := newGated(t)
		for _, path := range []string{"/v1/things", "/v1/health", "/readyz", "/nowhere"} {
			g.want(path, 503, "the service is starting")
		}
		for path, status := range map[string]int{"/openapi.json": 200, "/openapi.yaml": 200, "/docs": 200, "/": 302, "/livez": 404, "/version": 404} {
			g.want(path, status, "")
		}
		g.open()
		g.want("/v1/things", 200, "done")
		g.want("/v1/health", 200, "UP")
	})
}

func TestAWrongClockRefusesEveryCall(t *testing.T) {
	g := newGated(t)
	g.open()
	g.server.ClockOff(true)
	for _, path := range []string{"/v1/things", "/v1/health", "/readyz"} {
		g.want(path, 503, "the clock of this replica is wrong")
	}
	g.server.ClockOff(false)
	g.want("/v1/things", 200, "done")
	g.want("/readyz", 200, "UP")
}

func TestDrainIsReportedAndRefusesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // a call waits for the start
		g := newGated(t)
		if r := g.want("/openapi.json", 200, ""); r.header.Get("Connection") != "" {
			t.Error("a connection is closed before the drain")
		}
		g.server.Drain()
		g.want("/v1/health", 503, "the service is stopping")
		g.want("/readyz", 503, "the service is stopping")
		g.want("/v1/things", 503, "the service is starting")
		g.open() // it drains for good
		for path, want := range map[string]struct {
			status int
			text   string
		}{
			"/v1/health": {503, "the service is stopping"}, "/v1/things": {200, "done"}, "/nowhere": {404, ""}, "/docs": {200, ""}, "//": {404, ""},
		} {
			if r := g.want(path, want.status, want.text); r.header.Get("Connection") != "close" {
				t.Errorf("%s: the connection is kept", path)
			}
		}
	})
}

func TestACallThatRunsWhenTheDrainBeginsClosesItsConnection(t *testing.T) {
	g := newGated(t)
	huma.Register(g.server.API, huma.Operation{OperationID: "drain", Method: "POST", Path: "/v1/drain"},
		func(context.Context, *struct{}) (*struct{ Body string }, error) {
			g.server.Drain()
			return &struct{ Body string }{"drains"}, nil
		})
	g.open()
	req, _ := http.NewRequestWithContext(t.Context(), "POST", "/v1/drain", nil)
	r := &recorder{header: http.Header{}}
	g.server.ServeHTTP(r, req)
	if r.status != 200 || r.header.Get("Connection") != "close" {
		t.Errorf("%d, Connection %q", r.status, r.header.Get("Connection"))
	}
}

func TestTheGateFollowsTheDatabase(t *testing.T) {
	g := newGated(t)
	g.open()
	g.ping = func(context.Context) error { return errPassword }
	g.want("/v1/things", 200, "done") // until the first query
	g.want("/v1/health", 503, "the database cannot be reached")
	g.want("/v1/things", 503, "the database cannot be reached")
	g.want("/v1/health", 503, "the database cannot be reached")

	g.ping = func(context.Context) error { return nil }
	if err := g.server.Probe(t.Context()); err != nil {
		t.Error(err)
	}
	g.want("/v1/things", 200, "done")
	g.ping = func(context.Context) error { return errPassword }
	g.want("/v1/health", 503, "the database cannot be reached")
	g.ping = func(context.Context) error { return nil }
	g.want("/v1/health", 200, "UP") // it queries, also while calls are refused
	g.want("/v1/things", 200, "done")
	if n := strings.Count(g.log.String(), `"reachable":false`); n != 2 || strings.Count(g.log.String(), `"reachable":true`) != 2 {
		t.Errorf("log: %s", g.log)
	}
}

func TestCallerDisconnectDoesNotReportTheDatabaseDown(t *testing.T) {
	g := newGated(t)
	g.open()
	g.ping = func(ctx context.Context) error { return ctx.Err() }
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	if err := g.server.Health(gone); err != nil {
		t.Errorf("health = %v", err)
	}
	g.ping = func(ctx context.Context) error {
		if _, limited := ctx.Deadline(); !limited {
			return errors.New("the database may take for ever")
		}
		return nil
	}
	if err := g.server.Health(gone); err != nil {
		t.Errorf("health = %v", err)
	}
}

func TestTheWatchLetsCallsInAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t)
		g.open()
		var up atomic.Bool
		g.ping = func(context.Context) error {
			if up.Load() {
				return nil
			}
			return errPassword
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- g.server.Watch(ctx) }()
		time.Sleep(1500 * time.Millisecond)
		g.want("/v1/things", 503, "the database cannot be reached")
		up.Store(true)
		time.Sleep(time.Second)
		g.want("/v1/things", 200, "done")
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Watch = %v", err)
		}
	})
}

func TestTimedOutCallReportsReasonForClosedGate(t *testing.T) {
	for down, want := range map[bool]refusal.Reason{true: web.DatabaseDown, false: web.OutOfTime} {
		synctest.Test(t, func(t *testing.T) {
			var got refusal.Reason
			s := web.New(web.Options{Failure: func(ctx context.Context, op web.Operation, err error) error {
				if refused, ok := errors.AsType[*refusal.Error](err); ok {
					got = refused.Reason
				}
				return refuse(ctx, op, err)
			}})
			s.Start(web.Database{Writable: func() error { return nil }, Ping: func(context.Context) error {
				if down {
					return errPassword
				}
				return nil
			}})
			huma.Register(s.API, huma.Operation{OperationID: "wait", Method: "GET", Path: "/wait"},
				func(ctx context.Context, _ *struct{}) (*struct{ Body string }, error) {
					_ = s.Probe(ctx)
					<-ctx.Done()
					return nil, ctx.Err()
				})
			req, _ := http.NewRequestWithContext(t.Context(), "GET", "/wait", nil)
			r := &recorder{header: http.Header{}}
			begun := time.Now()
			s.ServeHTTP(r, req)
			took := time.Since(begun)
			if r.status != 503 || got != want || took != 10*time.Second || r.header.Get("Retry-After") == "" {
				t.Errorf("down %t: %d, %s after %s, want %s", down, r.status, got, took, want)
			}
		})
	}
}

func TestGateReportsDatabaseDownFromSecondStartupCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // a call waits for the start
		g := newGated(t)
		for _, step := range []struct {
			tried error
			want  string
		}{
			{errPassword, "the service is starting"}, {errPassword, "the database cannot be reached"}, {errPassword, "the database cannot be reached"},
			{nil, "the service is starting"}, {errPassword, "the database cannot be reached"}, {nil, "the service is starting"},
		} {
			g.server.RecordDatabaseCheck(t.Context(), step.tried)
			for _, path := range []string{"/v1/things", "/v1/health", "/readyz"} {
				g.want(path, 503, step.want)
			}
		}
		g.open()
		g.want("/v1/things", 200, "done")
	})
}

func TestADatabaseThatTakesNoWritesIsIllAndReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated(t)
		g.open()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- g.server.Watch(ctx) }()
		time.Sleep(10500 * time.Millisecond)
		if n := g.tries.Load(); n != 0 {
			t.Errorf("%d tries to write while writes work", n)
		}
		g.readOnly.Store(true)
		for path, want := range map[string]struct {
			status int
			text   string
		}{"/v1/health": {503, "the database takes no writes"}, "/readyz": {200, "UP"}, "/v1/things": {200, "done"}} {
			g.want(path, want.status, want.text)
		}
		time.Sleep(70 * time.Second)
		if n := g.tries.Load(); n != 14 {
			t.Errorf("%d tries to write in 70 seconds, want one every 5", n)
		}
		g.readOnly.Store(false)
		g.want("/v1/health", 200, "UP")
		time.Sleep(time.Second)
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Watch = %v", err)
		}
		if log := g.log.String(); strings.Count(log, `"takes_writes":false`) != 2 || strings.Count(log, `"takes_writes":true`) != 1 {
			t.Errorf("log, of 70 seconds: %s", log)
		}
	})
}
