package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// start is the time at which every test begins.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) { wftest.Main(m) }

var must = wftest.Must

// fixture is a store on an empty database, with a clock that the test sets.
type fixture struct {
	*store.Store
	t    testing.TB
	db   *sqldb.DB
	time *timetest.Clock
}

// each runs fn on both databases.
func each(t *testing.T, fn func(t *testing.T, f *fixture)) {
	t.Helper()
	wftest.Schema.Each(t, func(t *testing.T, url string) {
		f := &fixture{t: t, time: timetest.At(start)}
		f.open(url, f.clock)
		fn(t, f)
	})
}

// open opens the database at url.
func (f *fixture) open(url string, now func() time.Time) {
	f.t.Helper()
	f.db = wftest.Connect(f.t, url, now)
	f.Store = store.New(f.db)
}

func (f *fixture) clock() time.Time { return f.time.Now() }

func (f *fixture) advance(d time.Duration) { f.time.Advance(d) }

// do runs fn in a transaction that must succeed.
func (f *fixture) do(fn func(tx *store.Tx) error) {
	f.t.Helper()
	must(f.t, f.Do(f.t.Context(), fn))
}

// refused runs fn in a transaction that must be refused for the reason.
func (f *fixture) refused(want refusal.Reason, fn func(tx *store.Tx) error) {
	f.t.Helper()
	if err := f.Do(f.t.Context(), fn); !errors.Is(err, want) {
		f.t.Errorf("error = %v, want %s", err, want)
	}
}

// exec runs SQL by hand, as somebody with access to the database could.
func (f *fixture) exec(query string, args ...any) {
	f.t.Helper()
	must(f.t, f.db.Read(f.t.Context()).Exec(query, args...).Error)
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func user(id string) *identity.User { return &identity.User{ID: id} }

// filler gives every exported field, however deep, a value that is not zero and not
// used elsewhere. So a field that a row forgets does not survive the round trip.
type filler struct {
	t testing.TB
	n int
}

func (f *filler) fill(into any) { f.value(reflect.ValueOf(into).Elem()) }

func (f *filler) value(v reflect.Value) {
	f.n++
	switch p := v.Addr().Interface().(type) {
	case **policy.Programs: // not stored
		return
	case *time.Time:
		*p = start.Add(time.Duration(f.n) * time.Millisecond)
		return
	case *identity.Stamp:
		p.Time = start.Add(time.Duration(f.n) * time.Millisecond)
		return
	case *time.Duration:
		*p = time.Duration(f.n) * time.Millisecond
		return
	case *identity.User: // names are in person
		p.ID = fmt.Sprintf("u%d <é>", f.n)
		return
	case *identity.ActorRef:
		p.Kind, p.ID = identity.ActorUser, fmt.Sprintf("u%d <é>", f.n)
		return
	case *json.RawMessage:
		*p = json.RawMessage(fmt.Sprintf(`{"n":%d}`, f.n))
		return
	case *[]byte:
		*p = fmt.Appendf(nil, `{"n":%d}`, f.n)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d <é>", f.n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.value(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.value(v.Index(0))
		f.value(v.Index(1))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.value(key)
		f.value(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			f.value(v.Field(i))
		}
	default:
		f.t.Fatalf("cannot fill a %s", v.Type())
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

// addPolicy adds a key with an active first version.
func (f *fixture) addPolicy(key string) {
	f.t.Helper()
	f.do(func(tx *store.Tx) error {
		return tx.Policies.Add(policy.Version{Key: key, Number: 1, Status: policy.VersionActive, CreatedAt: tx.Now(), Rev: 1})
	})
}

// addAuditedPolicy adds a policy with one active version, and the events of its creation and
// activation.
func (f *fixture) addAuditedPolicy(key string) {
	f.t.Helper()
	v := policy.Version{Key: key, Number: 1, Status: policy.VersionActive, Definition: policy.Definition{Name: key}, CreatedAt: f.clock(), Rev: 1}
	raw, err := json.Marshal(v.Definition)
	must(f.t, err)
	if v.ContentHash, err = strictjson.Sum(raw); err != nil {
		f.t.Fatal(err)
	}
	f.do(func(tx *store.Tx) error {
		if err := tx.Policies.Add(v); err != nil {
			return err
		}
		for _, kind := range []audit.EventType{audit.EventPolicyCreated, audit.EventPolicyActivated} {
			_, err := tx.Append(wf.Event{Type: kind, Resource: wf.Resource{Type: "policy", ID: key, Version: 1},
				Reason: v.ContentHash, At: identity.Stamp{Time: tx.Now()}})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// newRequest returns an open request of policy p, without stages.
func (f *fixture) newRequest() wf.Request {
	return wf.Request{
		ID: newID(), PolicyKey: "p", PolicyVersion: 1, Status: wf.RequestInReview, Priority: wf.PriorityNormal, Revision: 1,
		Requester: identity.User{ID: "rita"}, SubmittedBy: identity.User{ID: "rita"}, CreatedAt: f.clock(), UpdatedAt: f.clock(), Rev: 1,
	}
}

// addRequest writes the request.
func (f *fixture) addRequest(r wf.Request) wf.Request {
	f.t.Helper()
	f.do(func(tx *store.Tx) error { return tx.AddRequest(r, nil, nil, nil) })
	return r
}

// withPool adds a running pool stage to the request with open tasks, which those of the
// wanted rules may take.
func withPool(r wf.Request, people []approver.Approver, open int, wanted ...int) wf.Request {
	run := wf.StageRun{ID: newID(), Key: "pool", Run: 1, Status: wf.StageActive, People: people, Pool: true}
	for _, rule := range wanted {
		run.Unmet |= 1 << rule
	}
	r.Stages = append(r.Stages, run)
	for i := range open {
		r.Tasks = append(r.Tasks, wf.Task{
			ID: newID(), RequestID: r.ID, StageKey: run.Key, StageRun: 1, Seat: i + 1,
			Kind: wf.ApproverTask, Status: wf.TaskOpen, CreatedAt: r.CreatedAt, UpdatedAt: r.CreatedAt, Rev: 1,
		})
	}
	return r
}

// withTask adds a running stage with one task to the request.
func withTask(r wf.Request, stage, assignee string) wf.Request {
	r.Stages = append(r.Stages, wf.StageRun{ID: newID(), Key: stage, Run: 1, Status: wf.StageActive})
	r.Tasks = append(r.Tasks, wf.Task{
		ID: newID(), RequestID: r.ID, StageKey: stage, StageRun: 1, Seat: 1,
		Kind: wf.ApproverTask, Status: wf.TaskOpen, Assignee: user(assignee), CreatedAt: r.CreatedAt, UpdatedAt: r.CreatedAt, Rev: 1,
	})
	return r
}

func TestALostDatabaseIsARefusalThatKeepsItsCause(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		must(t, f.db.Close())
		calls := map[string]func() error{
			"Do":          func() error { return f.Do(t.Context(), func(*store.Tx) error { return nil }) },
			"ReadRequest": func() error { _, _, err := f.ReadRequest(t.Context(), store.ByID(newID())); return err },
			"Requests":    func() error { _, _, err := f.Requests(t.Context(), wf.RequestFilter{}, wf.Page{}); return err },
			"Deliveries": func() error {
				_, _, err := f.Outbox.Deliveries(t.Context(), outbox.DeliveryFilter{}, wf.Page{})
				return err
			},
		}
		for name, call := range calls {
			err := call()
			refusal, ok := errors.AsType[*refusal.Error](err)
			if !ok || refusal.Reason != reason.DatabaseDown || !sqldb.IsUnavailable(err) {
				t.Errorf("%s: %v, want %s and the cause", name, err, reason.DatabaseDown)
			}
		}
	})
}
