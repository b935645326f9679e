package worker

import (
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

var quiet = slog.New(slog.DiscardHandler)

// world is a database whose clock the test sets, and receivers.
type world struct {
	url       string
	store     *store.Store
	clock     atomic.Pointer[time.Time]
	endpoints map[string]string
	secrets   map[string]string
	policy    egress.Policy
}

// each runs fn on every database.
func each(t *testing.T, fn func(t *testing.T, w *world)) {
	t.Helper()
	sqldbtest.Each(t, func(t *testing.T, url string) { fn(t, newWorld(t, url)) })
}

func newWorld(t *testing.T, url string) *world {
	t.Helper()
	w := &world{url: url, endpoints: map[string]string{}, secrets: map[string]string{}, policy: local()}
	w.setClock(time.Now().Truncate(time.Second))
	w.store = w.open(t)
	if err := w.store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// open connects to the database of the world once more, as another process would.
func (w *world) open(t *testing.T) *store.Store {
	t.Helper()
	db, err := sqldb.Open(t.Context(), w.url, sqldb.Options{Now: func() time.Time { return *w.clock.Load() }, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return store.New(db)
}

func (w *world) setClock(at time.Time)   { w.clock.Store(&at) }
func (w *world) advance(d time.Duration) { w.setClock(w.clock.Load().Add(d)) }

// local reaches the receivers of the tests.
func local() egress.Policy {
	return egress.Policy{AllowHTTP: true, AnyPort: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
}

// worker returns a worker of the world, without jitter.
func (w *world) worker(t *testing.T, changes ...func(*Options)) *Webhooks {
	t.Helper()
	secrets, err := NewSecrets(w.secrets, map[string]string{"127.0.0.1": secret("callbacks")})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Store: w.store, Client: egress.New(w.policy), Endpoints: w.endpoints, Secrets: secrets,
		Jitter: func() float64 { return 0 }, Logger: quiet,
	}
	for _, change := range changes {
		change(&o)
	}
	return NewWebhooks(o)
}

// secret returns a secret that is different for every name.
func secret(name string) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%032s", name))
}

// receiver is an endpoint that keeps what it gets.
type receiver struct {
	url string

	mu   sync.Mutex
	seen []received
}

type received struct {
	header http.Header
	body   []byte
}

// receive starts an endpoint. A nil answer is 200.
func (w *world) receive(t *testing.T, name string, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := new(receiver)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Errorf("read the body: %v", err)
		}
		r.mu.Lock()
		r.seen = append(r.seen, received{request.Header.Clone(), body})
		r.mu.Unlock()
		if answer != nil {
			answer(rw, request)
		}
	}))
	t.Cleanup(server.Close)
	r.url = server.URL + "/" + name
	w.endpoints[name], w.secrets[name] = r.url, secret(name)
	return r
}

func (r *receiver) got() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

// answer is a handler that says no more than a status.
func answer(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// add stores a request with one event, and one delivery due now, for each target,
// and returns the ids of the deliveries.
func (w *world) add(t *testing.T, targets ...wf.Target) []string {
	t.Helper()
	now := *w.clock.Load()
	id := func() string { return uuid.Must(uuid.NewV7()).String() }
	definition := wf.Definition{Name: "Test", Stages: []wf.Stage{{Key: "s", Name: "s", Approvers: []wf.Rule{{Type: wf.RuleUser, IDs: []string{"ana"}}}}}}
	version := wf.Version{Key: "p" + strings.ReplaceAll(id(), "-", ""), Number: 1, Status: wf.Active, Definition: definition, CreatedAt: now, UpdatedAt: now, Rev: 1}
	r := wf.Request{
		ID: id(), PolicyKey: version.Key, PolicyVersion: 1, Status: wf.InReview, Priority: wf.Normal, Context: []byte("{}"), Revision: 1,
		Requester: wf.User{ID: "rita"}, SubmittedBy: wf.User{ID: "rita"}, CreatedAt: now, UpdatedAt: now, Rev: 1,
	}
	var events []wf.Event
	var deliveries []wf.Delivery
	var ids []string
	for _, target := range targets {
		var event wf.Event
		var err error
		r.Chain, event, err = r.Chain.Append(wf.Event{ID: id(), Type: wf.RequestCreated, At: wf.Stamp{Time: now}, RequestID: r.ID})
		if err != nil {
			t.Fatal(err)
		}
		d, err := wf.NewDelivery(id(), event, target)
		if err != nil {
			t.Fatal(err)
		}
		events, deliveries, ids = append(events, event), append(deliveries, d), append(ids, d.ID)
	}
	err := w.store.Do(t.Context(), func(tx *store.Tx) error {
		if err := tx.AddPolicy(version); err != nil {
			return err
		}
		return tx.AddRequest(r, events, deliveries, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

// endpoint is a target by name, with the URL that it had when the event happened.
func (w *world) endpoint(name string) wf.Target {
	return wf.Target{Endpoint: name, URL: w.endpoints[name]}
}

func (w *world) delivery(t *testing.T, id string) (wf.Delivery, []wf.Attempt) {
	t.Helper()
	d, attempts, found, err := w.store.ReadDelivery(t.Context(), id)
	if err != nil || !found {
		t.Fatalf("delivery %s: found %t, %v", id, found, err)
	}
	return d, attempts
}

// run makes the worker take exactly want deliveries.
func run(t *testing.T, w *Webhooks, want int) {
	t.Helper()
	if n, err := w.RunOnce(t.Context()); err != nil || n != want {
		t.Fatalf("RunOnce = %d, %v; want %d", n, err, want)
	}
}

// await receives from c, or fails the test when that takes much too long.
func await[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(30 * time.Second):
		t.Fatalf("waited in vain: %s", what)
		panic("unreachable")
	}
}
