package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/wftest"
	"github.com/countersign/countersign/services/wf/reason"
)

// withContent is newRequest with content and its hash.
func (f *fixture) withContent() wf.Request {
	f.t.Helper()
	r := f.newRequest()
	r.Context = []byte("{}")
	var err error
	if r.ContextHash, err = strictjson.Sum(r.Context); err != nil {
		f.t.Fatal(err)
	}
	return r
}

// withEvents adds a request with n events to the database.
func withEvents(f *fixture, n int) (wf.Request, []wf.Event) {
	f.t.Helper()
	r := f.withContent()
	fill := &filler{t: f.t}
	document, err := r.Document()
	must(f.t, err)
	events := make([]wf.Event, n)
	for i := range events {
		fill.fill(&events[i])
		events[i].ID, events[i].RequestID = newID(), r.ID
		events[i].Request, events[i].StateHash = r.Summary(), document.Hash()
		if r.Chain, events[i], err = events[i].Link(r.Chain); err != nil {
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
		for _, e := range want { // members of messages only
			e.Request.Priority, e.Request.Labels, e.Request.Page, e.Request.Context, e.Stage.Name = "", nil, "", nil, ""
		}
		got, _, err := f.Events(t.Context(), r.ID, wf.Page{})
		same(t, "events", want, got, err)
		var trail []wf.AuditEvent
		for _, e := range want {
			trail = append(trail, wf.AuditEvent{Chain: r.ID, Event: e})
		}
		audited, _, err := f.Audit.Events(t.Context(), wf.AuditFilter{Chain: r.ID}, wf.Page{})
		slices.Reverse(audited)
		same(t, "audit trail", trail, audited, err)
		var chain audit.Chain
		for i, e := range got {
			var fits bool
			if chain, fits = chain.Next(e.Seq, e.PrevHash, e.Hash, e.Body); !fits {
				t.Errorf("the domain finds event %d bad", i+1)
			}
		}
	})
}

func TestEventsCannotBeChanged(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		withEvents(f, 1)
		for _, query := range []string{"UPDATE event SET hash = 'x'", "DELETE FROM event"} {
			err := f.db.Read(t.Context()).Exec(query).Error
			if err == nil || !strings.Contains(err.Error(), "are never changed") {
				t.Errorf("%s: %v", query, err)
			}
		}
	})
}

// tampered lists changes of the 201st of 450 events and the results of the verification.
var tampered = map[string]struct {
	query      string
	bad, count int64
}{
	"nothing was done":        {"", 0, 450},
	"a byte of an event":      {"UPDATE event SET body = replace(body, 'prev_hash', 'prev_hush')", 201, 200},
	"white space in an event": {"UPDATE event SET body = body || ' '", 201, 200},
	"a hash":                  {"UPDATE event SET hash = 'sha256:00'", 201, 200},
	"the number":              {"UPDATE event SET seq = seq + 1000", 201, 200},
	"the chain":               {"UPDATE event SET chain = 'x' || chain", 201, 200},
	"the id":                  {"UPDATE event SET id = 'NEW'", 201, 200},
	"the time":                {"UPDATE event SET at_ms = at_ms + 1", 201, 200},
	"the type":                {"UPDATE event SET type = type || 'x'", 201, 200},
	"the actor":               {"UPDATE event SET actor_id = actor_id || 'x'", 201, 200},
	"the request":             {"UPDATE event SET request_id = request_id || 'x'", 201, 200},
	"the kind of resource":    {"UPDATE event SET resource_type = resource_type || 'x'", 201, 200},
	"the resource":            {"UPDATE event SET resource_id = resource_id || 'x'", 201, 200},
	"the outcome":             {"UPDATE event SET outcome = outcome || 'x'", 201, 200},
	"a missing event":         {"DELETE FROM event", 201, 200},
}

func TestVerifyingNamesTheFirstBadEventOfAnyChain(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addAuditedPolicy("p")
		wftest.Disarm(t, f.db)
		whole, _ := withEvents(f, 3)
		r, _ := withEvents(f, 450)
		withServiceEvents(f, 448)
		f.exec("CREATE TABLE untouched AS SELECT * FROM event") // writing them takes longer than the rest
		for name, tt := range tampered {
			t.Run(name, func(t *testing.T) {
				f.t = t
				f.exec("DELETE FROM event")
				f.exec("INSERT INTO event SELECT * FROM untouched")
				for chain, id := range map[string]string{r.ID: r.ID, "service": ""} {
					if tt.query != "" {
						f.exec(strings.Replace(tt.query, "NEW", newID(), 1)+" WHERE chain = ? AND seq = 201", chain)
					}
					bad, count, err := f.Audit.VerifyChain(t.Context(), id)
					if err != nil || bad.FirstBad != tt.bad || count != tt.count {
						t.Errorf("VerifyChain(%s) = %v, %d, %v; want %d, %d", chain, bad, count, err, tt.bad, tt.count)
					}
				}
				all, err := f.Audit.VerifyChains(t.Context())
				must(t, err)
				found := firstBad(all.Bad)
				if found[r.ID] != tt.bad || found["service"] != tt.bad || found[whole.ID] != 0 {
					t.Errorf("VerifyChains = %+v, want %d in %s and service", all, tt.bad, r.ID)
				}
				if tt.query == "" && (len(found) > 0 || all.Chains != 3 || all.Events != 903) {
					t.Errorf("VerifyChains = %+v, want 3 good chains of 903 events", all)
				}
			})
		}
	})
}

// firstBad is the first bad event by chain.
func firstBad(list []audit.BadChain) map[string]int64 {
	found := map[string]int64{}
	for _, bad := range list {
		found[bad.Chain] = bad.FirstBad
	}
	return found
}

// withServiceEvents adds n events to the service's own chain.
func withServiceEvents(f *fixture, n int) {
	f.t.Helper()
	fill := &filler{t: f.t}
	f.do(func(tx *store.Tx) error {
		for range n {
			var e wf.Event
			fill.fill(&e)
			e.ID = newID()
			if _, err := tx.Append(e); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestVerificationFindsTruncatedAndOrphanedChains(t *testing.T) {
	const n = 5
	tests := map[string]struct {
		query      string
		bad, count int64
	}{
		"a missing end":                  {"DELETE FROM event WHERE chain = ? AND seq > 3", 4, 3},
		"all of them":                    {"DELETE FROM event WHERE chain = ?", 1, 0},
		"an end that the request forgot": {"UPDATE request SET chain_seq = 4 WHERE id = ?", 5, n},
		"a hash that the request forgot": {"UPDATE request SET chain_hash = 'sha256:00' WHERE id = ?", 6, n},
	}
	each(t, func(t *testing.T, f *fixture) {
		f.addAuditedPolicy("p")
		wftest.Disarm(t, f.db)
		want := map[string]int64{}
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				f.t = t
				r, _ := withEvents(f, n)
				f.exec(tt.query, r.ID)
				want[r.ID] = tt.bad
				bad, count, err := f.Audit.VerifyChain(t.Context(), r.ID)
				if err != nil || bad.FirstBad != tt.bad || count != tt.count {
					t.Errorf("VerifyChain = %v, %d, %v; want %d, %d", bad, count, err, tt.bad, tt.count)
				}
			})
		}
		f.t = t
		stray, _ := withEvents(f, n)
		f.exec("DELETE FROM participant WHERE request_id = ?", stray.ID)
		f.exec("DELETE FROM inbox WHERE request_id = ?", stray.ID)
		f.exec("DELETE FROM task WHERE request_id = ?", stray.ID)
		f.exec("DELETE FROM request WHERE id = ?", stray.ID)
		want[stray.ID] = 1
		all, err := f.Audit.VerifyChains(t.Context())
		same(t, "bad chains", want, firstBad(all.Bad), err)
	})
}

func TestVerifyingGoesOnWhereAPartEnds(t *testing.T) {
	defer store.VerifyAtOnce(store.VerifyAtOnce(20, 2))
	each(t, func(t *testing.T, f *fixture) {
		f.addAuditedPolicy("p")
		wftest.Disarm(t, f.db)
		var requests []wf.Request
		for range 5 {
			r, _ := withEvents(f, 3)
			requests = append(requests, r)
		}
		withServiceEvents(f, 43)
		verified := func() store.Verification {
			v, err := f.Audit.VerifyChains(t.Context())
			if err != nil || v.Chains != 6 || v.Events != 60 {
				t.Errorf("VerifyChains = %+v, %v; want 60 events of 6 chains", v, err)
			}
			return v
		}
		if bad := verified().Bad; bad != nil {
			t.Errorf("a good trail is bad: %v", bad)
		}
		f.exec("UPDATE event SET body = body || ' ' WHERE chain = ? AND seq = 2", requests[4].ID)
		f.exec("UPDATE event SET hash = 'x' WHERE chain = 'service' AND seq = 41")
		same(t, "bad chains", map[string]int64{requests[4].ID: 2, "service": 41}, firstBad(verified().Bad), nil)
	})
}

// The hash covers the stored bytes. An empty list, which the Go types do not preserve, is
// therefore not reported as tampering.
func TestVerifyChainJudgesTheStoredBytes(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addAuditedPolicy("p")
		r := f.withContent()
		document, err := r.Document()
		must(t, err)
		chain, e, err := wf.Event{
			ID: newID(), Type: audit.EventRequestCreated, Actor: identity.ActorRef{ID: "rita"}, Request: r.Summary(), Auth: identity.Auth{AMR: []string{}},
			StateHash: document.Hash(),
		}.Link(r.Chain)
		must(t, err)
		r.Chain = chain
		f.do(func(tx *store.Tx) error { return tx.AddRequest(r, []wf.Event{e}, nil, nil) })
		if bad, count, err := f.Audit.VerifyChain(t.Context(), r.ID); bad.FirstBad != 0 || count != 1 || err != nil {
			t.Errorf("VerifyChain = %v, %d, %v", bad, count, err)
		}
	})
}

func TestTheServicesChainHasNoGap(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		const writers = 100
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				err := f.Do(t.Context(), func(tx *store.Tx) error {
					_, err := tx.Append(wf.Event{ID: newID(), Type: audit.EventPolicyCreated, At: identity.Stamp{Time: tx.Now()}, Reason: fmt.Sprint(i)})
					if i%5 == 0 {
						err = errors.Join(err, refusal.New(reason.WrongState, "rolled back"))
					}
					return err
				})
				if err != nil && !errors.Is(err, reason.WrongState) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		const kept = writers - writers/5
		if bad, count, err := f.Audit.VerifyChain(t.Context(), ""); bad.FirstBad != 0 || count != kept || err != nil {
			t.Errorf("VerifyChain = %v, %d, %v; want 0, %d", bad, count, err, kept)
		}
		events, _, err := f.Events(t.Context(), "", wf.Page{Limit: 1})
		if err != nil || len(events) != 1 || events[0].Seq != 1 {
			t.Errorf("the first page of one event is %+v (%v)", events, err)
		}
	})
}
