package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf/internal/server"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

func TestMain(m *testing.M) { wftest.Main(m) }

var must = wftest.Must

// service is the whole of it, in this process.
type service struct {
	t      *testing.T
	config server.Config
	log    *logtest.Log
	url    string
	ready  chan string // the address, once calls are taken
	stop   context.CancelFunc
	ended  chan error // result of Run
}

// development is a configuration for tests, on the database.
func development(t *testing.T, database string) server.Config {
	c := defaults(t)
	c.AuthIssuer, c.Dev, c.Listen, c.AdminListen, c.DataDir = "", true, "127.0.0.1:0", "127.0.0.1:0", t.TempDir()
	c.DatabaseURL, c.Patience = daemon.Secret(database), 5*time.Minute
	c.RatePerson, c.RateService, c.Unlimited = limit.Rate{}, limit.Rate{}, true
	return c
}

// serve starts the service and returns when it listens. The test or its end stops
// it.
func serve(t *testing.T, c server.Config) *service {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &service{t: t, config: c, log: new(logtest.Log), ready: make(chan string, 1), stop: stop, ended: make(chan error, 1)}
	go func() {
		s.ended <- server.Run(ctx, c, s.log.Logger(), func(address string) { s.ready <- address })
		close(s.ended)
	}()
	t.Cleanup(func() {
		stop()
		timetest.Await(t, s.ended, "the service ends")
	})
	timetest.Eventually(t, "it listens", func() bool {
		s.url = address(s.log)
		return s.url != ""
	})
	return s
}

// begin starts the service and returns when it is ready.
func begin(t *testing.T, c server.Config) *service {
	t.Helper()
	s := serve(t, c)
	timetest.Await(t, s.ready, "the service is ready")
	return s
}

// start starts the service for development on a database of the current run.
func start(t *testing.T) *service {
	t.Helper()
	return begin(t, development(t, wftest.Schema.Fresh(t)))
}

// end stops the service and returns the result of Run.
func (s *service) end() error {
	s.t.Helper()
	s.stop()
	return timetest.Await(s.t, s.ended, "the service ends")
}

// address returns the URL of the service, from the log.
func address(log *logtest.Log) string {
	for line := range strings.Lines(log.String()) {
		var record struct{ Msg, Address string }
		if json.Unmarshal([]byte(line), &record) == nil && record.Msg == "listening" {
			return "http://" + record.Address
		}
	}
	return ""
}

// as returns a client with a token of a user.
func (s *service) as(who string, roles ...string) *wftest.Client {
	s.t.Helper()
	claims := bearer.DevToken{Audience: s.config.AuthAudience, Subject: who, Roles: roles}
	token, err := daemon.DevToken(s.config.DataDir, claims)
	must(s.t, err)
	return wftest.At(s.t, s.url, token)
}

// root returns a client of an admin.
func (s *service) root() *wftest.Client { s.t.Helper(); return s.as("root", "WF_ADMIN") }

// addPolicy makes an active policy.
func (s *service) addPolicy(key, body string) {
	s.t.Helper()
	s.root().Post("/v1/wf/policies", body).Want(201)
	s.root().Post("/v1/wf/policies/"+key+"/versions/1/activate", "").Want(200)
}

// spend is a policy with a stage of ana.
const spend = `{"policy_key":"spend","name":"Spend","stages":[{"key":"check","name":"Check","approvers":[{"type":"user","ids":["ana"]}]}]}`

// want fails the test unless GET path returns status and code.
func (s *service) want(path string, status int, code string) {
	s.t.Helper()
	r := s.root().Get(path).Want(status)
	if r.Code() != code {
		s.t.Errorf("%s, want %s", r, code)
	}
	if status == http.StatusServiceUnavailable && r.Header.Get("Retry-After") == "" {
		s.t.Errorf("%s has no Retry-After", r)
	}
}

// becomes polls GET path until the reply has the status and code.
func (s *service) becomes(path string, status int, code string) {
	s.t.Helper()
	timetest.Eventually(s.t, path+" is answered "+http.StatusText(status)+" "+code, func() bool {
		r, err := wftest.Send(s.t.Context(), http.MethodGet, s.url+path, s.root().Token, nil)
		return err == nil && r.Status == status && r.Code() == code
	})
}

// between returns a proxy to the database, cut, and the URL through it.
func between(t *testing.T, database string) (p *sqldbtest.Proxy, url string) {
	t.Helper()
	p, url = sqldbtest.Between(t, database, func(near, far net.Conn) (up, down func()) {
		copies := func(to, from net.Conn) func() { return func() { _, _ = io.Copy(to, from) } }
		return copies(far, near), copies(near, far)
	})
	p.Cut()
	return p, url
}

// worker is a process whose jobs run when the test calls them.
type worker struct {
	*server.Service
	t    *testing.T
	jobs []*daemon.Loop
}

// worker returns a worker of the same service.
func (s *service) worker() worker {
	s.t.Helper()
	log := s.log.Logger()
	w, err := server.New(s.config, log)
	must(s.t, err)
	db, err := s.config.OpenDatabase(s.t.Context(), log, server.Program())
	must(s.t, err)
	s.t.Cleanup(func() { _ = db.Close() })
	must(s.t, w.Open(s.t.Context(), db))
	return worker{w, s.t, w.Jobs().Workers()}
}

// pass runs every job until it has no more work, and sends the deliveries that are due.
func (w worker) pass() {
	w.t.Helper()
	for _, job := range w.jobs {
		for more := true; more; {
			var err error
			if more, err = job.Pass(w.t.Context()); err != nil {
				w.t.Fatalf("%s: %v", job.Name, err)
			}
		}
	}
	if _, err := w.Sender.RunOnce(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}
