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
	"github.com/countersign/countersign/libs/web"
)

// gated is a server with an operation and an open one for its health, and what its
// database answers.
type gated struct {
	t      *testing.T
	server *web.Server
	log    *logtest.Log
	ping   func(context.Context) error
}

func closed(t *testing.T) *gated {
	t.Helper()
	g := &gated{t: t, log: &logtest.Log{}}
	g.server = web.New(web.Options{Failure: refuse, Open: []string{"/v1/health"}, Logger: g.log.Logger()})
	huma.Register(g.server.API, huma.Operation{OperationID: "read", Method: "GET", Path: "/v1/things"},
		func(context.Context, *struct{}) (*struct{ Body string }, error) {
			return &struct{ Body string }{"done"}, nil
		})
	huma.Register(g.server.API, huma.Operation{OperationID: "health", Method: "GET", Path: "/v1/health"},
		func(ctx context.Context, _ *struct{}) (*struct{ Body string }, error) {
			if err := g.server.Health(ctx); err != nil {
				return nil, err
			}
			return &struct{ Body string }{"UP"}, nil
		})
	if err := g.server.ServeDocuments(); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *gated) open() {
	g.ping = func(context.Context) error { return nil }
	g.server.Start(func(ctx context.Context) error { return g.ping(ctx) })
}

// want fails the test unless GET path has the status and a body with the text.
func (g *gated) want(path string, status int, text string) {
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
}

func TestAClosedGateLetsOnlyOpenPathsPass(t *testing.T) {
	g := closed(t)
	for _, path := range []string{"/v1/things", "/v1/health", "/nowhere"} {
		g.want(path, 503, "the service is starting")
	}
	for path, status := range map[string]int{"/openapi.json": 200, "/openapi.yaml": 200, "/docs": 200, "/": 200, "/livez": 404, "/readyz": 404, "/version": 404} {
		g.want(path, status, "")
	}
	g.open()
	g.want("/v1/things", 200, "done")
	g.want("/v1/health", 200, "UP")
	g.server.Stop()
	for range 2 {
		for _, path := range []string{"/v1/things", "/v1/health", "/nowhere"} {
			g.want(path, 503, "the service is stopping")
		}
		g.open() // too late: it is stopped for good
	}
}

func TestTheGateFollowsTheDatabase(t *testing.T) {
	g := closed(t)
	g.open()
	g.ping = func(context.Context) error { return errPassword }
	g.want("/v1/things", 200, "done") // until somebody asks
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
	g.want("/v1/health", 200, "UP") // it asks, also when calls are refused
	g.want("/v1/things", 200, "done")
	if n := strings.Count(g.log.String(), `"reachable":false`); n != 2 || strings.Count(g.log.String(), `"reachable":true`) != 2 {
		t.Errorf("log: %s", g.log)
	}
}

func TestACallerWhoHangsUpSaysNothingAboutTheDatabase(t *testing.T) {
	g := closed(t)
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
		g := closed(t)
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

func TestACallThatTookTooLongSaysWhyTheGateIsClosed(t *testing.T) {
	for down, want := range map[bool]web.Reason{true: web.DatabaseDown, false: web.OutOfTime} {
		synctest.Test(t, func(t *testing.T) {
			var got web.Reason
			s := web.New(web.Options{Failure: func(ctx context.Context, op web.Operation, err error) error {
				if refusal, ok := errors.AsType[*web.Refusal](err); ok {
					got = refusal.Reason
				}
				return refuse(ctx, op, err)
			}})
			s.Start(func(context.Context) error {
				if down {
					return errPassword
				}
				return nil
			})
			huma.Register(s.API, huma.Operation{OperationID: "wait", Method: "GET", Path: "/wait"},
				func(ctx context.Context, _ *struct{}) (*struct{ Body string }, error) {
					_ = s.Probe(ctx)
					<-ctx.Done()
					return nil, ctx.Err()
				})
			req, _ := http.NewRequestWithContext(t.Context(), "GET", "/wait", nil)
			r := &recorder{header: http.Header{}}
			s.ServeHTTP(r, req)
			if r.status != 503 || got != want {
				t.Errorf("down %t: %d, %s, want %s", down, r.status, got, want)
			}
		})
	}
}
