// Package wftest runs wf in tests: on a database of either kind, with a clock that the test sets,
// tokens of an issuer, a receiver of webhooks and a mail server. Every reply that a Client gets is
// compared with the OpenAPI document of the service.
package wftest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/server"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// Start is the time at which every test begins.
var Start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Local is the network of this machine.
var Local = &egress.Policy{
	AllowHTTP: true, AnyPort: true, RetryWait: time.Nanosecond,
	Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
}

// Patience replaces limits that are not under test, since the host may be slow.
const Patience = 5 * time.Minute

const (
	Issuer   = "https://issuer.test"
	audience = "countersign-wf"
)

// Options vary a Service. The zero value is the service as it comes.
type Options struct {
	URL     string               // of an empty database; when empty, one of the current run
	Events  []string             // patterns of the endpoint "receiver", for every policy; none when empty
	Config  func(*server.Config) // changes the settings
	Stopped bool                 // leaves the gate closed until Open
	Clock   *timetest.Clock      // of several services; when nil, one at Start

	// Resolve answers for a directory. Nil is a service without.
	Resolve func(context.Context, approver.Question) ([]identity.User, error)

	// Network is where the service may call; nil is to this machine. With another one
	// there is no endpoint "receiver".
	Network *egress.Policy
}

// Service is one running service: the real one, but for its clock, its network and
// chance.
type Service struct {
	*server.Service

	URL      string // of the API, without a slash at the end
	Clock    *timetest.Clock
	Receiver *Receiver // of webhooks: the endpoint "receiver", and every callback URL below its URL

	DB     *sqldb.DB
	Config server.Config
	Log    *logtest.Log

	// Down makes the database unreachable for health checks.
	Down atomic.Bool

	issuer   *bearer.DevIssuer
	document *document
}

// Boot starts a service, which stops when the test ends. No worker runs: tests
// call Deliver and the methods of Engine that timers would call.
func Boot(t testing.TB, o Options) *Service {
	t.Helper()
	w := &Service{Clock: cmp.Or(o.Clock, timetest.At(Start)), Receiver: newReceiver(t), Log: &logtest.Log{}}
	// Until the last test has ended, package testing keeps whatever cleanups refer to.
	t.Cleanup(func() { w.Service, w.DB = nil, nil })
	w.Config = w.settings(t, o)
	log := slog.New(failing{w.Log.Logger().Handler(), t})
	var err error
	if w.Service, err = server.New(w.Config, log); err != nil {
		t.Fatal(err)
	}
	if w.DB, err = w.Config.OpenDatabase(t.Context(), log, server.Program()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.DB.Close() })
	Must(t, w.Service.Open(t.Context(), w.DB))
	MeetPeople(t, w.DB)
	if o.Network == nil {
		_, err = w.Engine.Webhooks.CreateEndpoint(t.Context(), identity.Actor{User: identity.User{ID: "harness"},
			Kind: identity.ActorSystem}, outbox.Endpoint{
			Name: "receiver", URL: w.Receiver.URL, Events: append([]string{}, o.Events...), PolicyKeys: []string{"*"},
			Signature: outbox.SignHMAC, Enabled: true,
		}, Secret)
		Must(t, err)
	}
	if !o.Stopped {
		w.Open()
	}
	w.serve(t)
	return w
}

// defaults are the settings when nothing is set.
var defaults = sync.OnceValues(func() (server.Config, error) {
	var c server.Config
	err := server.Program().Parse(&c, []string{
		"--auth-issuer=" + Issuer, "--auth-audience=" + audience, "--database-url=sqlite:of-each-test",
	})
	return c, err
})

// settings are those of a service with an issuer and a network of its own.
func (w *Service) settings(t testing.TB, o Options) server.Config {
	t.Helper()
	c, err := defaults()
	Must(t, err)
	if w.issuer, err = bearer.OpenDevIssuer(filepath.Join(t.TempDir(), "issuer.jwk")); err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(t.TempDir(), "jwks.json")
	c.AuthJWKSURL = "file://" + keys
	Must(t, os.WriteFile(keys, w.issuer.JWKS(), 0o600))
	receiver, err := url.Parse(w.Receiver.URL)
	Must(t, err)
	if c.DatabaseURL = daemon.Secret(o.URL); o.URL == "" {
		c.DatabaseURL = daemon.Secret(Schema.Fresh(t))
	}
	c.EncKeys = daemon.Secret("test:" + seal.NewKey())
	c.CallbackHosts = server.Secrets{receiver.Hostname(): daemon.Secret(Secret)}
	c.Substitutes = daemon.Substitutes{
		Now: w.Clock.Now, Network: cmp.Or(o.Network, Local), Chance: func() float64 { return 0 }, Patience: Patience,
	}
	c.Directory = o.Resolve
	c.RatePerson, c.RateService, c.Unlimited = limit.Rate{}, limit.Rate{}, true
	if o.Config != nil {
		o.Config(&c)
	}
	return c
}

// serve puts the API on a port.
func (w *Service) serve(t testing.TB) {
	t.Helper()
	listening := httptest.NewUnstartedServer(w.API)
	listening.Config = web.HTTPServer("", w.API)
	c := listening.Config
	c.ReadHeaderTimeout, c.ReadTimeout, c.WriteTimeout = Patience, Patience, Patience
	listening.Config.ErrorLog = slog.NewLogLogger(quiet.Handler(), slog.LevelDebug)
	listening.Start()
	t.Cleanup(func() {
		listening.Close()
		listening.Config.Handler = nil
	})
	w.URL = listening.URL
	w.document = documentOf(t, w.API)
	w.Receiver.read(w.document)
}

// Must ends the test at the first error.
func Must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Open opens the gate of a service that was booted with Stopped.
func (w *Service) Open() {
	w.API.Start(web.Database{Writable: w.DB.Writable, TryWrite: w.DB.TryWrite, Ping: func(ctx context.Context) error {
		if w.Down.Load() {
			return errors.New("the database is down by the test")
		}
		return w.DB.Ping(ctx)
	}})
}

// Deliver sends due deliveries and returns their number.
func (w *Service) Deliver(t testing.TB) int {
	t.Helper()
	n, err := w.Sender.RunOnce(t.Context())
	Must(t, err)
	return n
}

// Hold runs during while a transaction that has run lock stays open.
func (w *Service) Hold(t testing.TB, lock func(*store.Tx) error, during func()) {
	t.Helper()
	err := w.Store.Do(t.Context(), func(tx *store.Tx) error {
		if err := lock(tx); err != nil {
			return err
		}
		during()
		return nil
	})
	Must(t, err)
}

// Rows counts the rows of every table.
func (w *Service) Rows(t testing.TB) map[string]int64 {
	t.Helper()
	return Rows(t, w.DB)
}

// Dump is the rows of a table as text.
func (w *Service) Dump(t testing.TB, table string) string {
	t.Helper()
	var rows []map[string]any
	if err := w.DB.Read(t.Context()).Table(table).Find(&rows).Error; err != nil {
		t.Fatalf("read the rows of %s: %v", table, err)
	}
	return fmt.Sprint(rows)
}

// failing is a log on which the accident of a call fails the test.
type failing struct {
	slog.Handler
	t testing.TB
}

func (f failing) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "call failed" || r.Message == "panic" {
		text := r.Message
		r.Attrs(func(a slog.Attr) bool {
			text += " " + a.String()
			return true
		})
		f.t.Errorf("the service logged an error: %s", text)
	}
	return f.Handler.Handle(ctx, r)
}

func (f failing) WithAttrs(attrs []slog.Attr) slog.Handler {
	return failing{f.Handler.WithAttrs(attrs), f.t}
}

func (f failing) WithGroup(name string) slog.Handler { return failing{f.Handler.WithGroup(name), f.t} }
