package outboxdb_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/paging"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
)

// start is the time at which every test begins.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// The tables are those of a service.
var schema = sqldbtest.Schema{Migrate: func(ctx context.Context, db *sqldb.DB) error {
	return db.Migrate(ctx, os.DirFS("../../../services/oidc-registrar/internal/store"))
}}

func TestMain(m *testing.M) { os.Exit(schema.Run(m)) }

// fixture is an outbox in an empty database, with a clock that the test sets.
type fixture struct {
	*outboxdb.Store
	t    *testing.T
	db   *sqldb.DB
	time *timetest.Clock
}

// each runs fn on both databases.
func each(t *testing.T, fn func(t *testing.T, f *fixture)) {
	t.Helper()
	schema.Each(t, func(t *testing.T, url string) { fn(t, open(t, url)) })
}

func open(t *testing.T, url string) *fixture {
	t.Helper()
	f := &fixture{t: t, time: timetest.At(start)}
	var err error
	f.db, err = sqldb.Open(t.Context(), url, sqldb.Options{Now: f.clock, Logger: slog.New(slog.DiscardHandler), Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.db.Close() })
	f.Store = outboxdb.New(f.db, outboxdb.Options{Subject: "client"})
	return f
}

func (f *fixture) clock() time.Time { return f.time.Now() }

func (f *fixture) advance(d time.Duration) { f.time.Advance(d) }

// Do runs fn in a transaction.
func (f *fixture) Do(ctx context.Context, fn func(tx *outboxdb.Tx) error) error {
	return f.db.Do(ctx, func(tx *sqldb.Tx) error { return fn(f.In(tx)) })
}

// do runs fn in a transaction that must succeed.
func (f *fixture) do(fn func(tx *outboxdb.Tx) error) {
	f.t.Helper()
	if err := f.Do(f.t.Context(), fn); err != nil {
		f.t.Fatal(err)
	}
}

// count returns the number that a query selects.
func (f *fixture) count(query string) (n int) {
	f.t.Helper()
	if err := f.db.Read(f.t.Context()).Raw(query).Scan(&n).Error; err != nil {
		f.t.Fatal(err)
	}
	return n
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// fill gives every exported field a value that is not zero and not used elsewhere.
func fill(into any, n *int) { fillValue(reflect.ValueOf(into).Elem(), n) }

func fillValue(v reflect.Value, n *int) {
	*n++
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = start.Add(time.Duration(*n) * time.Millisecond)
		return
	case *time.Duration:
		*p = time.Duration(*n) * time.Millisecond
		return
	case *[]byte:
		*p = fmt.Appendf(nil, `{"n":%d}`, *n)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d <é>", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillValue(v.Index(0), n)
		fillValue(v.Index(1), n)
	case reflect.Struct:
		for i := range v.NumField() {
			fillValue(v.Field(i), n)
		}
	default:
		panic("cannot fill a " + v.Type().String())
	}
}

// same fails the test unless got is want, to the last field.
func same(t *testing.T, what string, want, got any, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

// sorted returns the names of the items in alphabetical order; nil when there are none.
func sorted[T any](items []T, name func(T) string) []string {
	var names []string
	for _, item := range items {
		names = append(names, name(item))
	}
	slices.Sort(names)
	return names
}

// newEndpoint returns an enabled endpoint that is subscribed to all events.
func (f *fixture) newEndpoint(name string) outbox.Endpoint {
	return outbox.Endpoint{
		ID: newID(), Name: name, URL: "https://e.example/" + name, Events: []string{"*"}, PolicyKeys: []string{"*"},
		Signature: outbox.SignHMAC, Enabled: true, CreatedAt: f.clock(), UpdatedAt: f.clock(), Rev: 1,
	}
}

// addEndpoint writes an endpoint as newEndpoint makes it, with changes.
func (f *fixture) addEndpoint(name string, changes ...func(*outbox.Endpoint)) outbox.Endpoint {
	f.t.Helper()
	e := f.newEndpoint(name)
	for _, change := range changes {
		change(&e)
	}
	f.do(func(tx *outboxdb.Tx) error { return tx.AddEndpoint(e) })
	return e
}

// target is the endpoint of the name, which is added when there is none.
func (f *fixture) target(name string) outbox.Target {
	f.t.Helper()
	list, _, err := f.Endpoints(f.t.Context(), outbox.EndpointFilter{Q: name}, paging.Page{})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, e := range list {
		if e.Name == name {
			return e.Target()
		}
	}
	return f.addEndpoint(name).Target()
}

// newDeliveries returns the deliveries of a new event, which are due.
func (f *fixture) newDeliveries(targets ...outbox.Target) []outbox.Delivery {
	id := newID()
	m := outbox.Message{
		EventID: id, EventType: "client.changed", Subject: "c" + id, Sequence: 1, At: f.clock(), Payload: []byte(`{"event":"` + id + `"}`),
	}
	return m.Deliveries(targets, newID)
}

func (f *fixture) addDeliveries(list ...outbox.Delivery) {
	f.t.Helper()
	f.do(func(tx *outboxdb.Tx) error { return tx.Batch(tx.Add(list)...) })
}

// outbox adds an event to the targets.
func (f *fixture) outbox(targets ...outbox.Target) []outbox.Delivery {
	f.t.Helper()
	list := f.newDeliveries(targets...)
	f.addDeliveries(list...)
	return list
}

// claimer is a worker of a process without a missed heartbeat.
func claimer(perTarget int) outboxdb.Claimer {
	return outboxdb.Claimer{PerTarget: perTarget, Jitter: func() float64 { return 0 }}
}

func (f *fixture) claim(t *testing.T, n, perTarget int) []outbox.Delivery {
	t.Helper()
	list, err := f.ClaimDeliveries(t.Context(), claimer(perTarget), n)
	if err != nil {
		t.Fatal(err)
	}
	var deliveries []outbox.Delivery
	for _, c := range list.Held {
		if c.Endpoint.ID != c.Target.EndpointID || c.Endpoint.Name != c.Target.Endpoint {
			t.Errorf("a delivery to %v came with endpoint %s %s", c.Target, c.Endpoint.ID, c.Endpoint.Name)
		}
		deliveries = append(deliveries, c.Delivery)
	}
	return deliveries
}

// finish writes the result of one attempt.
func (f *fixture) finish(d outbox.Delivery, r outbox.Result) (leaseLost bool, err error) {
	f.t.Helper()
	d, a := d.Finish(r, 0)
	err = f.Do(f.t.Context(), func(tx *outboxdb.Tx) error {
		lost, err := tx.FinishDeliveries([]outboxdb.Finished{{Delivery: d, Attempt: a}})
		leaseLost = len(lost) > 0
		return err
	})
	return leaseLost, err
}

// stored returns the delivery as it is in the database.
func (f *fixture) stored(id string) outbox.Delivery {
	f.t.Helper()
	d, _, err := f.ReadDelivery(f.t.Context(), id)
	if err != nil {
		f.t.Fatalf("delivery %s: %v", id, err)
	}
	return d
}

// process is one of several that share the outbox.
type process struct {
	*heartbeat.Process
	t *testing.T
	f *fixture
}

// start adds a process and lets it beat once.
func (f *fixture) start(t *testing.T) process {
	p := process{heartbeat.New(f.db, "v1", true, slog.New(slog.DiscardHandler)), t, f}
	p.beat()
	return p
}

func (p process) beat() {
	p.t.Helper()
	if err := p.Beat(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// claim takes the permitted deliveries, at most two of a target in flight.
func (p process) claim() []outbox.Delivery {
	p.t.Helper()
	by := claimer(2)
	by.Process = p.ID()
	list, err := p.f.ClaimDeliveries(p.t.Context(), by, 10)
	if err != nil {
		p.t.Fatal(err)
	}
	var deliveries []outbox.Delivery
	for _, c := range list.Held {
		if c.Lease.Owner != p.ID() || !c.Lease.Since.Equal(p.f.clock()) {
			p.t.Errorf("lease = %+v", c.Lease)
		}
		deliveries = append(deliveries, c.Delivery)
	}
	return deliveries
}

// lane adds n deliveries to one endpoint, due one after the other.
func (f *fixture) lane(n int) (ids []string) {
	target := f.target("a")
	for range n {
		ids = append(ids, f.outbox(target)[0].ID)
		f.advance(time.Millisecond)
	}
	return ids
}
