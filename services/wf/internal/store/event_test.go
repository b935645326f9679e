package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// withEvents adds a request with n events to the database.
func withEvents(f *fixture, n int) (wf.Request, []wf.Event) {
	f.t.Helper()
	r := f.newRequest()
	fill := &filler{t: f.t}
	events := make([]wf.Event, n)
	for i := range events {
		fill.fill(&events[i])
		events[i].ID, events[i].RequestID = newID(), r.ID
		var err error
		if r.Chain, events[i], err = r.Chain.Append(events[i]); err != nil {
			f.t.Fatal(err)
		}
	}
	f.do(func(tx *store.Tx) error { return tx.AddRequest(r, events, nil, nil) })
	return r, events
}

func TestEventsComeBackAsTheyWereWritten(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		r, want := withEvents(f, 7)
		got, stored, _, err := f.Events(t.Context(), r.ID, store.Page{})
		same(t, "events", want, got, err)
		for i, e := range want {
			if body, err := e.Canonical(); err != nil || !bytes.Equal(body, stored[i]) {
				t.Errorf("event %d is stored as %s, want %s (%v)", i+1, stored[i], body, err)
			}
		}
		var chain wf.Chain
		for i, e := range got {
			var fits bool
			if chain, fits = chain.Next(e, stored[i]); !fits {
				t.Errorf("the domain finds event %d bad", i+1)
			}
		}
	})
}

func TestEventsAndDecisionsCannotBeChanged(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		withEvents(f, 1)
		r := withTask(f.newRequest(), "s", "ana")
		r.Tasks[0].Decision = &wf.Decision{ID: newID(), TaskID: r.Tasks[0].ID, Action: wf.Approve}
		f.addRequest(r)
		for _, query := range []string{
			"UPDATE event SET hash = 'x'", "DELETE FROM event", "UPDATE decision SET actor_id = 'x'", "DELETE FROM decision",
		} {
			err := f.db.Read(t.Context()).Exec(query).Error
			if err == nil || !strings.Contains(err.Error(), "are never changed") {
				t.Errorf("%s: %v", query, err)
			}
		}
	})
}

// disarm takes away what protects events, as somebody who owns the database can.
func (f *fixture) disarm() {
	f.t.Helper()
	if f.db.Postgres() {
		f.exec("DROP TRIGGER event_unchanged ON event")
		return
	}
	f.exec("DROP TRIGGER event_no_update")
	f.exec("DROP TRIGGER event_no_delete")
}

func TestVerifyChainFindsTheFirstBadEvent(t *testing.T) {
	const n = 450 // more than two pages of the verification
	where := " WHERE chain = ? AND seq = 201"
	tests := map[string]struct {
		query      string
		bad, count int64
	}{
		"nothing was done":               {"", 0, n},
		"a byte of an event":             {"UPDATE event SET body = replace(body, 'request', 'reqvest')" + where, 201, 200},
		"white space in an event":        {"UPDATE event SET body = body || ' '" + where, 201, 200},
		"a hash":                         {"UPDATE event SET hash = 'sha256:00'" + where, 201, 200},
		"the time column":                {"UPDATE event SET at_ms = at_ms + 1" + where, 201, 200},
		"the type column":                {"UPDATE event SET type = 'x'" + where, 201, 200},
		"a missing event":                {"DELETE FROM event" + where, 201, 200},
		"a missing end":                  {"DELETE FROM event WHERE chain = ? AND seq > 400", 401, 400},
		"all of them":                    {"DELETE FROM event WHERE chain = ?", 1, 0},
		"an end that the request forgot": {"UPDATE request SET chain_seq = 400 WHERE id = ?", 401, n},
	}
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		f.disarm()
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				f.t = t
				r, _ := withEvents(f, n)
				if tt.query != "" {
					f.exec(tt.query, r.ID)
				}
				bad, count, err := f.VerifyChain(t.Context(), r.ID)
				if err != nil || bad != tt.bad || count != tt.count {
					t.Errorf("VerifyChain = %d, %d, %v; want %d, %d", bad, count, err, tt.bad, tt.count)
				}
			})
		}
	})
}

// The hash covers the bytes as they are, so that an empty list, which does not
// survive the way through the Go types, does not look like tampering.
func TestVerifyChainJudgesTheStoredBytes(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		r := f.newRequest()
		chain, e, err := r.Chain.Append(wf.Event{ID: newID(), Type: wf.RequestCreated, Auth: wf.Auth{AMR: []string{}}})
		if err != nil {
			t.Fatal(err)
		}
		r.Chain = chain
		f.do(func(tx *store.Tx) error { return tx.AddRequest(r, []wf.Event{e}, nil, nil) })
		if bad, count, err := f.VerifyChain(t.Context(), r.ID); bad != 0 || count != 1 || err != nil {
			t.Errorf("VerifyChain = %d, %d, %v", bad, count, err)
		}
	})
}

func TestTheServicesChainHasNoGap(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		const writers = 20
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				err := f.Do(t.Context(), func(tx *store.Tx) error {
					_, err := tx.Append(wf.Event{ID: newID(), Type: wf.PolicyCreated, At: wf.Stamp{Time: tx.Now}, Reason: fmt.Sprint(i)}, newID)
					if i%5 == 0 {
						err = errors.Join(err, wf.Refuse(wf.WrongState, "rolled back"))
					}
					return err
				})
				if err != nil && !errors.Is(err, wf.WrongState) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		const kept = writers - writers/5
		if bad, count, err := f.VerifyChain(t.Context(), ""); bad != 0 || count != kept || err != nil {
			t.Errorf("VerifyChain = %d, %d, %v; want 0, %d", bad, count, err, kept)
		}
		events, _, _, err := f.Events(t.Context(), "", store.Page{Limit: 1})
		if err != nil || len(events) != 1 || events[0].Seq != 1 {
			t.Errorf("the first page of one event is %+v (%v)", events, err)
		}
	})
}
