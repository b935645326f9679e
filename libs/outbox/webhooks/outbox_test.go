package webhooks

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/outbox/signing"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/seal/sealtest"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
)

var quiet = slog.New(slog.DiscardHandler)

// The tables are those of a service.
var schema = sqldbtest.Schema{Migrate: func(ctx context.Context, db *sqldb.DB) error {
	return db.Migrate(ctx, os.DirFS("../../../services/oidc-registrar/internal/store"))
}}

func TestMain(m *testing.M) { os.Exit(schema.Run(m)) }

// fixture is a database whose clock the test sets, and receivers.
type fixture struct {
	url    string
	store  box
	clock  *timetest.Clock
	keys   seal.Keys
	policy egress.Policy
}

// each runs fn on every database.
func each(t *testing.T, fn func(t *testing.T, w *fixture)) {
	t.Helper()
	schema.Each(t, func(t *testing.T, url string) { fn(t, newFixture(t, url)) })
}

func newFixture(t *testing.T, url string) *fixture {
	t.Helper()
	w := &fixture{url: url, keys: sealtest.Keys(t, "k1"), policy: local(), clock: timetest.At(time.Now().Truncate(time.Second))}
	w.store = w.open(t)
	t.Cleanup(func() { w.sound(t) })
	return w
}

// sound fails the test unless the outbox has exactly the pending deliveries.
func (w *fixture) sound(t *testing.T) {
	t.Helper()
	db, err := sqldb.Open(context.Background(), w.url, sqldb.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var ids []string
	err = db.Read(context.Background()).Raw(`SELECT id FROM delivery WHERE status IN ('pending', 'sending') AND id NOT IN (SELECT id FROM outbox)
		UNION ALL SELECT id FROM outbox o WHERE NOT EXISTS (SELECT 1 FROM delivery d WHERE d.id = o.id AND d.status = 'sending')`).Scan(&ids).Error
	if err != nil || len(ids) > 0 {
		t.Errorf("the outbox and the deliveries differ in %v, %v", ids, err)
	}
}

// open connects to the database once more, as another process would.
func (w *fixture) open(t *testing.T) box {
	t.Helper()
	db, err := sqldb.Open(t.Context(), w.url, sqldb.Options{Now: w.clock.Now, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return box{outboxdb.New(db, outboxdb.Options{Subject: "client"}), db}
}

// box is an outbox with the database that it is in.
type box struct {
	*outboxdb.Store
	db *sqldb.DB
}

// Do runs fn in a transaction.
func (b box) Do(ctx context.Context, fn func(*outboxdb.Tx) error) error {
	return b.db.Do(ctx, func(tx *sqldb.Tx) error { return fn(b.In(tx)) })
}

// Settle is the hook of a service without notices.
func (b box) Settle(ctx context.Context, fn func(*outboxdb.Tx) ([]outbox.Endpoint, error)) error {
	return b.Do(ctx, func(tx *outboxdb.Tx) error {
		_, err := fn(tx)
		return err
	})
}

// deliver stores one event for each target, which is due now, and returns the deliveries.
func (b box) deliver(t testing.TB, targets ...outbox.Target) []outbox.Delivery {
	t.Helper()
	var list []outbox.Delivery
	err := b.Do(context.WithoutCancel(t.Context()), func(tx *outboxdb.Tx) error {
		list = nil
		for _, target := range targets {
			m := outbox.Message{EventID: newID(), EventType: "note.written", Subject: "n1", Sequence: 1, At: tx.Now(), Payload: []byte(`{"note":"é"}`)}
			list = append(list, m.Deliveries([]outbox.Target{target}, newID)...)
		}
		return tx.Batch(tx.Add(list)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// newID returns an id, which sorts by time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// local reaches the receivers of the tests.
func local() egress.Policy {
	return egress.Policy{AllowHTTP: true, AnyPort: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
}

// worker returns a worker of the outbox, without jitter.
func (w *fixture) worker(t *testing.T, changes ...func(*Options)) *Sender {
	t.Helper()
	callbacks, err := signing.NewSecrets(nil, map[string]string{"127.0.0.1": secret("new") + " " + secret("old")})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Store: w.store.Store, Settle: w.store.Settle, Service: "note", Client: egress.New(w.policy), Keys: w.keys, Callbacks: callbacks,
		Jitter: func() float64 { return 0 }, Logger: quiet,
	}
	for _, change := range changes {
		change(&o)
	}
	return New(o)
}

// claimer is another worker without a missed heartbeat.
func claimer(perTarget int) outboxdb.Claimer {
	return outboxdb.Claimer{PerTarget: perTarget, Jitter: func() float64 { return 0 }}
}

// secret returns a secret that is different for every name.
func secret(name string) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%032s", name))
}

// receiver receives webhooks. It records each message, and fails the test if the signature is
// invalid.
type receiver struct {
	url      string
	endpoint outbox.Endpoint // as it was made; none for a callback

	mu   sync.Mutex
	seen []received
}

type received struct {
	header http.Header
	body   []byte
}

// A verifier returns an error unless the message was signed with its key.
type verifier func(received) error

// verifyV1 verifies as a receiver does that uses the library of Standard Webhooks.
func verifyV1(t *testing.T, secret string) verifier {
	t.Helper()
	reference, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	// The time is that of the test, and the outbox checks it.
	return func(r received) error { return reference.VerifyIgnoringTimestamp(r.body, r.header) }
}

// verifyV1A verifies like a receiver with a whpk_ key and Ed25519.
func verifyV1A(t *testing.T, public string) verifier {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(public, "whpk_"))
	if err != nil || len(key) != ed25519.PublicKeySize {
		t.Fatalf("public key %q: %d bytes, %v", public, len(key), err)
	}
	return func(r received) error {
		signed := fmt.Appendf(nil, "%s.%s.%s", r.header.Get("webhook-id"), r.header.Get("webhook-timestamp"), r.body)
		for _, signature := range strings.Fields(r.header.Get("webhook-signature")) {
			encoded, ok := strings.CutPrefix(signature, "v1a,")
			raw, err := base64.StdEncoding.DecodeString(encoded)
			if ok && err == nil && ed25519.Verify(key, signed, raw) {
				return nil
			}
		}
		return errors.New("no v1a signature verifies")
	}
}

// receive starts an endpoint that receives only deliveries addressed to it, by default with v1
// signatures. A nil answer is 200.
func (w *fixture) receive(t *testing.T, name string, answer http.HandlerFunc, changes ...func(*outbox.Endpoint)) *receiver {
	t.Helper()
	now := w.clock.Now()
	e := outbox.Endpoint{
		ID: newID(), Name: name, Events: []string{"request.*"}, PolicyKeys: []string{}, Signature: outbox.SignHMAC, Enabled: true,
		CreatedBy: outbox.Person{ID: "ada"}, CreatedAt: now, UpdatedAt: now, Rev: 1,
	}
	for _, change := range changes {
		change(&e)
	}
	e.Key = w.seal(t, e.ID, secret(name))
	var verifiers []verifier
	if e.Signature != outbox.SignEd25519 {
		verifiers = append(verifiers, verifyV1(t, secret(name)))
	}
	if e.Signature != outbox.SignHMAC {
		verifiers = append(verifiers, verifyV1A(t, e.Key.PublicKey))
	}
	r := w.listen(t, name, answer, verifiers...)
	e.URL = r.url
	r.endpoint = e
	w.do(t, func(tx *outboxdb.Tx) error { return tx.AddEndpoint(e) })
	return r
}

// seal returns a sealed key of the endpoint with the secret.
func (w *fixture) seal(t *testing.T, endpointID, secret string) outbox.SealedKey {
	t.Helper()
	key, err := signing.NewKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := signing.Seal(w.keys, endpointID, key)
	if err != nil {
		t.Fatal(err)
	}
	return sealed
}

// callback starts a receiver of callbacks. Two of their secrets are in use.
func (w *fixture) callback(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	return w.listen(t, "callback", answer, verifyV1(t, secret("new")), verifyV1(t, secret("old")))
}

// listen starts a receiver all of whose verifiers must accept each message.
func (w *fixture) listen(t *testing.T, path string, answer http.HandlerFunc, verifiers ...verifier) *receiver {
	t.Helper()
	r := new(receiver)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Errorf("read the body: %v", err)
		}
		message := received{request.Header.Clone(), body}
		for _, verify := range verifiers {
			if err := verify(message); err != nil {
				t.Errorf("message to %s: %v", path, err)
			}
		}
		seconds, err := strconv.ParseInt(message.header.Get("webhook-timestamp"), 10, 64)
		if off := w.clock.Now().Sub(time.Unix(seconds, 0)).Abs(); err != nil || off > 5*time.Minute {
			t.Errorf("message to %s: its timestamp is off by %s, %v", path, off, err)
		}
		r.mu.Lock()
		r.seen = append(r.seen, message)
		r.mu.Unlock()
		if answer != nil {
			answer(rw, request)
		}
	}))
	t.Cleanup(server.Close)
	r.url = server.URL + "/" + path
	return r
}

func (r *receiver) got() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

// answer is a handler that returns only a status.
func answer(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// add stores one event, with a delivery that is due now, for each target, and returns the
// ids of the deliveries.
func (w *fixture) add(t *testing.T, targets ...outbox.Target) []string {
	t.Helper()
	var ids []string
	for _, d := range w.store.deliver(t, targets...) {
		ids = append(ids, d.ID)
	}
	return ids
}

// to is what n deliveries to the receiver go to.
func to(n int, r *receiver) []outbox.Target {
	target := outbox.Target{URL: r.url}
	if r.endpoint.ID != "" {
		target = r.endpoint.Target()
	}
	return slices.Repeat([]outbox.Target{target}, n)
}

// change writes what fn makes of the receiver's endpoint.
func (w *fixture) change(t *testing.T, r *receiver, fn func(outbox.Endpoint) outbox.Endpoint) {
	t.Helper()
	w.do(t, func(tx *outboxdb.Tx) error {
		e, err := tx.Endpoint(r.endpoint.ID)
		if err != nil {
			return err
		}
		return tx.PutEndpoint(fn(e))
	})
}

// now is the receiver's endpoint as it is.
func (w *fixture) now(t *testing.T, r *receiver) outbox.Endpoint {
	t.Helper()
	e, err := w.store.ReadEndpoint(t.Context(), r.endpoint.ID)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (w *fixture) do(t *testing.T, fn func(*outboxdb.Tx) error) {
	t.Helper()
	if err := w.store.Do(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

func (w *fixture) delivery(t *testing.T, id string) (outbox.Delivery, []outbox.Attempt) {
	t.Helper()
	d, attempts, err := w.store.ReadDelivery(t.Context(), id)
	if err != nil {
		t.Fatalf("delivery %s: %v", id, err)
	}
	return d, attempts
}

// run makes the worker take exactly want deliveries.
func run(t *testing.T, w *Sender, want int) {
	t.Helper()
	if n, err := w.RunOnce(t.Context()); err != nil || n != want {
		t.Fatalf("RunOnce = %d, %v; want %d", n, err, want)
	}
}
