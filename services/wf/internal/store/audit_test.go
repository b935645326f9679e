package store_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/reason"
)

func TestRefusalsAreCountedByAllProcessesTogether(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		other := &fixture{t: t, time: timetest.At(start)}
		other.db, other.Store = f.db, store.New(f.db) // as in another process
		var mu sync.Mutex
		told := 0
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				s := []*store.Store{f.Store, other.Store}[i%2]
				err := s.Do(t.Context(), func(tx *store.Tx) error {
					tell, untold, err := tx.CountDenial("eve", "task:1", "WF-008")
					mu.Lock()
					defer mu.Unlock()
					if tell {
						told++
					}
					if untold != 0 {
						t.Errorf("%d untold", untold)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if told != 1 {
			t.Errorf("%d reports, want 1", told)
		}
		count := func(actor string) (tell bool, untold int64) {
			f.do(func(tx *store.Tx) (err error) {
				tell, untold, err = tx.CountDenial(actor, "task:1", "WF-008")
				return err
			})
			return tell, untold
		}
		f.advance(time.Minute)
		if tell, untold := count("eve"); !tell || untold != 49 {
			t.Errorf("after a minute: %t, %d; want 49", tell, untold)
		}
		count("ana")
		f.advance(7*24*time.Hour + time.Millisecond)
		count("bo")
		var rows int64
		if err := f.db.Read(t.Context()).Table("denial").Count(&rows).Error; err != nil || rows != 1 {
			t.Errorf("%d rows are kept, %v; want bo's alone", rows, err)
		}
	})
}

// Many transactions name the same people for the first time, in different order.
func TestConcurrentWritesOfTheSameUsersDoNotDeadlock(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		var wg sync.WaitGroup
		for i := range 16 {
			wg.Go(func() {
				s := store.New(f.db) // has no cached names yet
				r := f.newRequest()
				var events []wf.Event
				for j := range 100 {
					n := (j*(2*i+1) + i) % 100
					e := wf.Event{
						ID: newID(), Type: audit.EventTaskCreated, RequestID: r.ID, Resource: wf.Resource{Type: "task", ID: newID()},
						Actor: identity.ActorRef{Kind: identity.ActorSystem, ID: "system:x"},
						Task:  &wf.TaskSummary{Assignee: &identity.User{ID: fmt.Sprintf("p%02d", n), Name: fmt.Sprintf("Person %d of %d", n, i)}},
					}
					var err error
					if r.Chain, e, err = e.Link(r.Chain); err != nil {
						t.Error(err)
					}
					events = append(events, e)
				}
				began := 0
				err := s.Do(t.Context(), func(tx *store.Tx) error { began++; return tx.AddRequest(r, events, nil, nil) })
				if err != nil || began != 1 {
					t.Errorf("%d attempts, %v", began, err)
				}
			})
		}
		wg.Wait()
		var people []string
		if err := f.db.Read(t.Context()).Table("person").Order("id").Pluck("name", &people).Error; err != nil || len(people) != 100 {
			t.Fatalf("%d people, %v", len(people), err)
		}
		for n, name := range people {
			if !strings.HasPrefix(name, fmt.Sprintf("Person %d of ", n)) {
				t.Errorf("person %d is %q", n, name)
			}
		}
	})
}

// A transaction that is rolled back caches no name.
func TestRolledBackTransactionCachesNoName(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		named := func(fail error) error {
			return f.Do(t.Context(), func(tx *store.Tx) error {
				e := wf.Event{ID: newID(), Type: audit.EventPolicyCreated, Actor: identity.ActorRef{Kind: identity.ActorUser, ID: "ana", Username: "ana.x"}}
				if _, err := tx.Append(e); err != nil {
					return err
				}
				return fail
			})
		}
		if err := named(refusal.New(reason.WrongState, "rolled back")); err == nil {
			t.Fatal("no error")
		}
		must(t, named(nil))
		events, _, err := f.Events(t.Context(), "", wf.Page{})
		if err != nil || len(events) != 1 || events[0].Actor.Username != "ana.x" {
			t.Errorf("events %+v, %v", events, err)
		}
	})
}

func TestAbsentUserFieldsKeepStoredValues(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		for i, step := range []struct{ said, want identity.User }{
			{identity.User{ID: "ana", Name: "Ana"}, identity.User{ID: "ana", Name: "Ana"}},
			{identity.User{ID: "ana", Username: "ana.x"}, identity.User{ID: "ana", Username: "ana.x", Name: "Ana"}},
			{identity.User{ID: "ana", Email: "a@example.org"}, identity.User{ID: "ana", Username: "ana.x", Name: "Ana", Email: "a@example.org"}},
			{identity.User{ID: "ana", Name: "Ana Y"}, identity.User{ID: "ana", Username: "ana.x", Name: "Ana Y", Email: "a@example.org"}},
			{identity.User{ID: "ana"}, identity.User{ID: "ana", Username: "ana.x", Name: "Ana Y", Email: "a@example.org"}},
		} {
			process := store.New(f.db) // without cached names
			err := process.Do(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Append(wf.Event{ID: newID(), Type: audit.EventPolicyCreated, Task: &wf.TaskSummary{Assignee: &step.said}})
				return err
			})
			must(t, err)
			events, _, err := f.Events(t.Context(), "", wf.Page{})
			same(t, fmt.Sprint("step ", i+1), step.want, *events[0].Task.Assignee, err)
		}
	})
}
