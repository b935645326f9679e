// Package wftest runs the service for tests: its API over real HTTP, on a real
// database, with tokens that a real issuer signs and a clock that the test sets.
// Every reply that a Client sees is held against the service's own OpenAPI
// document, so a reply that is not documented fails whichever test meets it.
package wftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/internal/condition"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/signing"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/worker"
)

// Start is the time at which every test begins.
var Start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	issuer   = "https://issuer.test"
	audience = "countersign"
)

// Options vary a Service. The zero value is the service as it comes.
type Options struct {
	URL              string // of an empty database; when empty, one of the kind whose turn it is
	FourEyes         bool   // see engine.Options
	ServiceApprovers bool   // see engine.Options
	MaxInFlight      int    // see web.Options
	Stopped          bool   // leaves the gate closed until Open

	// Outbound says where endpoints may lead, besides to the Receiver; nil is to this
	// machine.
	Outbound *egress.Policy

	// Resolve answers for a directory; see engine.Options. Nil is a service without.
	Resolve func(context.Context, wf.Question) ([]wf.User, error)
}

// Service is one running service.
type Service struct {
	URL      string // of the API, without a slash at the end
	Clock    *Clock
	Receiver *Receiver // of webhooks: the endpoint "receiver", and every callback URL below its URL
	Engine   *engine.Engine
	API      *api.API

	// Down makes the database look unreachable to health checks.
	Down atomic.Bool

	log      *transcript
	store    *store.Store
	db       *sqldb.DB
	issuer   *bearer.DevIssuer
	webhooks *worker.Webhooks
	document *document
}

// Boot starts a service, which stops when the test ends. No worker runs: tests
// call Deliver and the methods of Engine that timers would call.
func Boot(t testing.TB, o Options) *Service {
	t.Helper()
	w := &Service{Clock: &Clock{now: Start}, Receiver: newReceiver(t), log: &transcript{}}
	w.open(t, o.URL)
	var err error
	if w.issuer, err = bearer.OpenDevIssuer(filepath.Join(t.TempDir(), "issuer.jwk")); err != nil {
		t.Fatal(err)
	}
	verifier, err := bearer.New(bearer.Config{Issuer: issuer, Audience: audience, Keys: w.issuer.JWKS(), Logger: w.log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	w.API, err = api.New(api.Options{
		Verifier: verifier, RolePointers: []string{"/realm_access/roles"}, Identity: api.Identity{PersonClaims: []string{"preferred_username", "email", "name", "auth_time", "sid"}},
		ServiceID: "wf", IdempotencyTTL: 7 * 24 * time.Hour, Version: "test", MaxInFlight: o.MaxInFlight,
		Now: w.Clock.Now, Logger: slog.New(failing{w.log.logger().Handler(), t}),
	})
	if err != nil {
		t.Fatal(err)
	}
	w.assemble(t, o)
	if !o.Stopped {
		w.Open()
	}
	server := httptest.NewUnstartedServer(w.API)
	server.Config = web.HTTPServer("", w.API)
	server.Config.ErrorLog = slog.NewLogLogger(quiet.Handler(), slog.LevelDebug)
	server.Start()
	t.Cleanup(server.Close)
	w.URL = server.URL
	w.document = documentOf(t, w.API)
	w.Receiver.read(w.document)
	return w
}

// open connects to the database at url and makes its tables.
func (w *Service) open(t testing.TB, url string) {
	t.Helper()
	if url == "" {
		url = sqldbtest.Fresh(t)
	}
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		if err := os.WriteFile(path, template(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sqldb.Open(t.Context(), url, sqldb.Options{Now: w.Clock.Now, Logger: w.log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w.db, w.store = db, store.New(db)
	if err := w.store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// template is a SQLite database with the tables: making them takes longer than most
// tests.
var template = sync.OnceValue(func() []byte {
	dir, err := os.MkdirTemp("", "wftest-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "template.db")
	ctx := context.Background()
	db, err := sqldb.Open(ctx, "sqlite:"+path, sqldb.Options{Logger: quiet})
	if err == nil {
		err = errors.Join(store.New(db).Migrate(ctx), db.Close())
	}
	if err != nil {
		panic(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return content
})

// assemble makes the engine, the worker, and the receiver's endpoint.
func (w *Service) assemble(t testing.TB, o Options) {
	t.Helper()
	conditions, err := condition.NewEnv()
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := url.Parse(w.Receiver.URL)
	if err != nil {
		t.Fatal(err)
	}
	callbacks, err := signing.NewSecrets(nil, map[string]string{receiver.Hostname(): secret})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := seal.Parse("test:" + seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	local := egress.Policy{AllowHTTP: true, AnyPort: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	w.webhooks = worker.NewWebhooks(worker.Options{
		Store: w.store, Client: egress.New(local), Keys: keys, Callbacks: callbacks,
		Jitter: func() float64 { return 0 }, Logger: w.log.logger(),
	})
	w.Engine = engine.New(engine.Options{
		Store: w.store, Conditions: conditions, Keys: keys, Wake: func() {},
		EndpointURL: func(url string) error {
			if url == w.Receiver.URL || o.Outbound == nil {
				return local.CheckURL(url)
			}
			return o.Outbound.CheckURL(url)
		},
		Callback: func(raw string) error {
			if u, err := url.Parse(raw); err != nil || u.Host != receiver.Host {
				return errors.New("the host is not one of the allowed callback hosts")
			}
			return nil
		},
		ServiceApprovers: o.ServiceApprovers, FourEyes: o.FourEyes,
		Resolve: o.Resolve, Directory: o.Resolve != nil,
	})
	// Only policies that name it send there.
	_, err = w.Engine.CreateEndpoint(t.Context(), wf.Actor{User: wf.User{ID: "wftest"}, Kind: wf.ActorSystem}, wf.Endpoint{
		Name: "receiver", URL: w.Receiver.URL, Events: wf.DefaultPatterns, Signature: wf.SignHMAC, Enabled: true,
	}, secret)
	if err != nil {
		t.Fatal(err)
	}
}

// Open opens the gate of a service that was booted with Stopped.
func (w *Service) Open() {
	w.API.Start(w.Engine, func(ctx context.Context) error {
		if w.Down.Load() {
			return errors.New("the test says that the database is down")
		}
		return w.store.Ping(ctx)
	})
}

// Deliver sends what is due and returns how many deliveries that were.
func (w *Service) Deliver(t testing.TB) int {
	t.Helper()
	n, err := w.webhooks.RunOnce(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Hold runs during while a transaction that has run lock stays open.
func (w *Service) Hold(t testing.TB, lock func(*store.Tx) error, during func()) {
	t.Helper()
	err := w.store.Do(t.Context(), func(tx *store.Tx) error {
		if err := lock(tx); err != nil {
			return err
		}
		during()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// tables are those whose rows Rows counts.
var tables = []string{
	"policy", "policy_version", "request", "participant", "stage_run", "stage_candidate", "delegation", "task", "decision",
	"chain", "event", "message", "delivery", "delivery_attempt", "idempotency_key",
	"endpoint", "person", "denial",
}

// Rows counts the rows of every table.
func (w *Service) Rows(t testing.TB) map[string]int64 {
	t.Helper()
	rows := make(map[string]int64, len(tables))
	for _, table := range tables {
		var n int64
		if err := w.db.Read(t.Context()).Raw("SELECT count(*) FROM " + table).Scan(&n).Error; err != nil {
			t.Fatalf("count the rows of %s: %v", table, err)
		}
		rows[table] = n
	}
	return rows
}

// Dump is the rows of a table as text.
func (w *Service) Dump(t testing.TB, table string) string {
	t.Helper()
	var rows []map[string]any
	if err := w.db.Read(t.Context()).Table(table).Find(&rows).Error; err != nil {
		t.Fatalf("read the rows of %s: %v", table, err)
	}
	return fmt.Sprint(rows)
}

// Log is what the service has logged.
func (w *Service) Log() string {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	return w.log.text.String()
}

// Clock is the database's clock. It stands still until it is moved.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

var quiet = slog.New(slog.DiscardHandler)

// transcript keeps a log of everything.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *transcript) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

func (l *transcript) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// failing is a log on which an error fails the test: the API logs one only for an
// accident.
type failing struct {
	slog.Handler
	t testing.TB
}

func (f failing) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelError {
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
