package trail_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lestrrat-go/jwx/v2/jwk"

	"github.com/countersign/countersign/libs/web/webtest"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/receipt"
	"github.com/countersign/countersign/services/wf/internal/trail"
)

const (
	service = "service"
	issuer  = "https://approvals.example.org"
	every   = 5 * time.Minute
	ana     = "0198f000-0000-7000-8000-00000000000a" // requests
	bo      = "0198f000-0000-7000-8000-00000000000b"
)

// world is a service in memory: its chains, and the receiver of its checkpoints.
type world struct {
	t       testing.TB
	keys    receipt.Keys
	at      time.Time
	chains  map[string][]wf.StoredEvent
	moved   map[string]bool
	invalid []string // chains that the service finds invalid
	before  *receipt.Link
	kept    []string
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newWorld(t testing.TB) *world {
	t.Helper()
	seed := make([]byte, 32)
	for i := range seed {
		seed[i] = byte(i + 1)
	}
	keys, err := receipt.ParseKeys("k1:" + base64.StdEncoding.EncodeToString(seed))
	must(t, err)
	return &world{
		t: t, keys: keys, at: time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC), chains: map[string][]wf.StoredEvent{}, moved: map[string]bool{},
	}
}

func (w *world) end(chain string) audit.Chain {
	list := w.chains[chain]
	if len(list) == 0 {
		return audit.Chain{}
	}
	return audit.Chain{Seq: list[len(list)-1].Seq, Hash: list[len(list)-1].Hash}
}

// add appends an event a second later.
func (w *world) add(chain string, e wf.Event) {
	w.t.Helper()
	w.at = w.at.Add(time.Second)
	e.At = identity.Stamp{Time: w.at}
	e.ID = fmt.Sprintf("0198f000-0000-7000-9000-%012d", w.at.Unix()%1_000_000)
	end, e, err := e.Link(w.end(chain))
	must(w.t, err)
	w.chains[chain] = append(w.chains[chain], wf.StoredEvent{Chain: chain, Seq: end.Seq, Hash: end.Hash, Body: string(e.Body)})
	w.moved[chain] = chain != service
}

// comment appends an event to the chain of a request.
func (w *world) comment(chain, text string) {
	w.t.Helper()
	w.add(chain, wf.Event{Type: audit.EventRequestCommented, Resource: wf.Resource{Type: "request", ID: chain}, Comment: &wf.Comment{Text: text}})
}

// deny appends a refusal to the service chain.
func (w *world) deny() { w.add(service, wf.Event{Type: audit.EventAuthDenied}) }

// seal appends an event audit.checkpoint, and lets the receiver keep the checkpoint unless more follow.
func (w *world) seal(more bool) {
	w.t.Helper()
	var ends []audit.End
	for _, chain := range slices.Sorted(maps.Keys(w.moved)) {
		if w.moved[chain] && !slices.Contains(w.invalid, chain) {
			ends = append(ends, audit.End{Request: chain, Chain: w.end(chain)})
		}
	}
	w.moved = map[string]bool{}
	w.add(service, wf.SealChains(ends, w.invalid, more, identity.Stamp{}))
	if !more {
		w.sign()
	}
	w.at = w.at.Add(every)
}

func (w *world) sign() {
	w.t.Helper()
	end := receipt.Link(w.end(service))
	jws, err := w.keys.SignCheckpoint(receipt.Checkpoint{Issuer: issuer, IssuedAt: w.at.Unix(), Link: end, Before: w.before})
	must(w.t, err)
	w.before, w.kept = &end, append(w.kept, jws)
}

// purge deletes a chain and leaves its tombstone.
func (w *world) purge(chain string) {
	w.add(service, wf.PurgeRequest(chain, w.end(chain), identity.Stamp{}))
	delete(w.chains, chain)
	delete(w.moved, chain)
}

// export returns the export, chain by chain.
func (w *world) export() []byte {
	w.t.Helper()
	var out bytes.Buffer
	err := trail.WriteAll(&out, func(write func([]wf.StoredEvent) error) error {
		for _, chain := range slices.Sorted(maps.Keys(w.chains)) {
			if err := write(w.chains[chain]); err != nil {
				return err
			}
		}
		return nil
	})
	must(w.t, err)
	return out.Bytes()
}

func (w *world) keySet() jwk.Set {
	w.t.Helper()
	text, err := receipt.JWKS(w.keys.Public())
	must(w.t, err)
	set, err := jwk.Parse(text)
	must(w.t, err)
	return set
}

// findings verifies the export.
func (w *world) findings() []string {
	w.t.Helper()
	kept, err := trail.ReadCheckpoints(strings.NewReader(strings.Join(w.kept, "\n")), w.keySet(), issuer)
	must(w.t, err)
	report, err := trail.Verify(bytes.NewReader(w.export()), kept)
	must(w.t, err)
	return report.Findings
}

// rewrite changes the body of an event and computes the hashes of it and its successors.
func (w *world) rewrite(chain string, seq int, change func(body string) string) {
	w.t.Helper()
	list, end := w.chains[chain], audit.Chain{}
	for i, e := range list {
		if int(e.Seq) == seq {
			changed := change(e.Body)
			if changed == e.Body {
				w.t.Fatalf("event %d does not change: %s", seq, e.Body)
			}
			e.Body = changed
		}
		if i == 0 {
			end.Hash = prev(e.Body)
		} else {
			e.Body = strings.Replace(e.Body, prev(e.Body), end.Hash, 1)
		}
		end = end.Append([]byte(e.Body))
		e.Hash = end.Hash
		list[i] = e
	}
}

// prev returns the prev_hash of a body.
func prev(body string) string {
	_, after, _ := strings.Cut(body, `"prev_hash":"`)
	before, _, _ := strings.Cut(after, `"`)
	return before
}

func replaced(from, to string) func(string) string {
	return func(body string) string { return strings.Replace(body, from, to, 1) }
}

// story has two requests and four checkpoints, of which one has two lists, and a purge of a third request and of refusals.
func story(t testing.TB) *world {
	w := newWorld(t)
	w.comment(ana, "one")
	w.comment(bo, "one")
	w.comment("0198f000-0000-7000-8000-00000000000c", "old")
	w.deny()
	w.deny()
	w.seal(false) // 3
	w.comment(ana, "two")
	w.seal(true) // 4
	w.comment(ana, "three")
	w.seal(false) // 5
	w.purge("0198f000-0000-7000-8000-00000000000c")
	first := w.chains[service][:2]
	w.add(service, wf.PurgeFrom(service, []audit.Chain{{Seq: 1, Hash: first[0].Hash}, {Seq: 2, Hash: first[1].Hash}}, identity.Stamp{}))
	w.chains[service] = w.chains[service][2:]
	w.comment(bo, "two")
	w.seal(false) // 8
	w.comment(ana, "four")
	w.seal(false)           // 9
	w.comment(bo, "recent") // after the last checkpoint
	return w
}

// The formats are pinned: exports and checkpoints of this version are verified with every later one.
func TestTheFormatIsPinned(t *testing.T) {
	w := story(t)
	set, err := receipt.JWKS(w.keys.Public())
	must(t, err)
	for name, got := range map[string]string{
		"trail.ndjson": string(w.export()), "checkpoints.jws": strings.Join(w.kept, "\n") + "\n", "jwks.json": string(set) + "\n",
	} {
		if want := webtest.ReadGolden(t, "testdata/"+name, []byte(got)); string(want) != got {
			t.Errorf("%s differs:\n%s", name, got)
		}
	}
}

func TestAnUnchangedTrailIsValid(t *testing.T) {
	w := story(t)
	kept, err := trail.ReadCheckpoints(strings.NewReader(strings.Join(w.kept, "\n")), w.keySet(), "")
	must(t, err)
	report, err := trail.Verify(bytes.NewReader(w.export()), kept)
	if err != nil || len(report.Findings) > 0 || report.Chains != 3 || report.Events != 14 || report.Purged != 1 || len(kept.Checkpoints) != 4 {
		t.Errorf("%+v, %d checkpoints, %v", report, len(kept.Checkpoints), err)
	}
}

// Each case changes the trail. The expected findings are those of the whole trail.
func TestForgedTrailsAreFound(t *testing.T) {
	const old, young = "0198f000-0000-7000-8000-00000000000c", "0198f000-0000-7000-8000-00000000000d"
	ids := strings.NewReplacer("ANA", ana, "BO", bo, "OLD", old, "NEW", young)
	for name, tt := range map[string]struct {
		forge func(*world)
		want  string // prefixes of the findings
	}{
		"event changed": {func(w *world) { w.chains[ana][1].Body = replaced("two", "2")(w.chains[ana][1].Body) },
			"request ANA: event 2 does not follow event 1"},
		"hash changed": {func(w *world) { w.chains[ana][3].Hash = w.chains[ana][2].Hash },
			"request ANA: event 4 does not follow event 3"},
		"event not readable": {func(w *world) { w.chains[ana][1].Body = `"x"` },
			"request ANA: event 2 does not follow event 1"},
		"number of the line changed": {func(w *world) { w.chains[ana][3].Seq = 5 },
			"request ANA: event 5 does not follow event 3"},
		"event missing": {func(w *world) { w.chains[ana] = slices.Delete(w.chains[ana], 1, 2) },
			"request ANA: event 3 does not follow event 1"},
		"first event missing": {func(w *world) { w.chains[ana] = w.chains[ana][1:] },
			"request ANA: event 2 does not follow event 0"},
		"event added twice": {func(w *world) { w.chains[ana] = append(w.chains[ana], w.chains[ana][3]) },
			"request ANA: event 4 does not follow event 4"},
		"rewritten with hashes": {func(w *world) { w.rewrite(ana, 1, replaced("one", "1")) },
			"request ANA: event 1 is not the event that checkpoint event 3 lists"},
		"later event rewritten": {func(w *world) { w.rewrite(ana, 4, replaced("four", "4")) },
			"request ANA: event 4 is not the event that checkpoint event 9 lists"},
		"rewritten with the list": {func(w *world) { w.rewrite(ana, 4, replaced("four", "4")); w.relist(9, ana, 4) },
			"checkpoint 9: the trail has another event 9"},
		"rewritten with an early list": {func(w *world) { w.rewrite(bo, 1, replaced("one", "1")); w.relist(3, bo, 1); w.relist(8, bo, 2) },
			"checkpoint 3: the trail has another event 3 | checkpoint 5: | checkpoint 8: | checkpoint 9:"},
		"recent event rewritten": {func(w *world) { w.rewrite(bo, 3, replaced("recent", "new")) }, ""},
		"chain cut": {func(w *world) { w.cut(ana, 1) },
			"request ANA: the chain ends at event 3, but checkpoint event 9 lists event 4"},
		"recent event cut": {func(w *world) { w.cut(bo, 1) }, ""},
		"request deleted": {func(w *world) { delete(w.chains, bo) },
			"request BO: it is missing; checkpoint event 3 lists its event 1, and no purge is recorded"},
		"request deleted with a purge": {func(w *world) { w.purge(bo) }, ""}, // the record of the purge is the trace
		"purge of other events": {func(w *world) { w.cut(bo, 1); w.rewrite(bo, 2, replaced("two", "2")); w.purge(bo) },
			"request BO: checkpoint event 8 lists event 2, but the record of its purge ends at event 2 with another hash"},
		"purge of fewer events": {func(w *world) { w.cut(bo, 2); w.purge(bo) },
			"request BO: checkpoint event 8 lists event 2, but the record of its purge ends at event 1"},
		"recent request deleted": {func(w *world) { w.comment(young, "x"); delete(w.chains, young) }, ""},
		"tombstone missing": {func(w *world) { w.chains[service] = slices.Delete(w.chains[service], 3, 4) },
			"service chain: event 7 does not follow event 5 | request OLD: it is missing"},
		"record of refusals missing": {func(w *world) { w.rewrite(service, 7, replaced(`"first":1`, `"first":2`)) },
			"service chain: event 3 does not follow event 0 | checkpoint 8: | checkpoint 9:"},
		"record of refusals of a request": {func(w *world) { w.rewrite(service, 7, replaced(`"id":"service"`, `"id":"request"`)) },
			"service chain: event 3 does not follow event 0 | checkpoint 8: | checkpoint 9:"},
		"record of refusals without end": {func(w *world) { w.rewrite(service, 7, replaced(`"last":2}],"hash"`, `"last":0}],"hash"`)) },
			"service chain: event 3 does not follow event 0 | checkpoint 8: | checkpoint 9:"},
		"older database": {func(w *world) { w.cut(service, 1); w.cut(ana, 1); w.cut(bo, 1) },
			"checkpoint 9: the trail ends at event 8: the chain was cut, or an older database was restored"},
		"older database, which went on": {func(w *world) { w.cut(service, 1); w.cut(ana, 1); w.deny(); w.deny() },
			"checkpoint 9: the trail has another event 9"},
		"older database, which signed": {func(w *world) { w.cut(service, 1); w.cut(ana, 1); w.before = nil; w.seal(false) },
			"checkpoint 9: it was signed twice, with different hashes | checkpoint 9: the trail has another event 9"},
		"checkpoint purged": {func(w *world) { w.purgeService(5) }, "checkpoint 5: the trail has no event 5"},
		"service chain deleted": {func(w *world) { delete(w.chains, service) },
			"checkpoint 3: the trail ends at event 0 | checkpoint 5: | checkpoint 8: | checkpoint 9:"},
		"request of an old date": {func(w *world) { w.at = w.at.Add(-time.Hour); w.comment(young, "x") },
			"request NEW: event 1 of 2027-03-01T11:2"},
		"event of an old date": {func(w *world) { w.at = w.at.Add(-time.Hour); w.comment(ana, "x") },
			"request ANA: event 5 of 2027-03-01T11:2"},
		"slow transaction": {func(w *world) { w.at = w.at.Add(-2*every - 50*time.Second); w.comment(young, "x") }, ""},
		"chain in two places": {func(w *world) { w.chains["z"] = w.chains[ana][:1] },
			"request ANA: its events are in two places of the export"},
		"two lists of one event": {func(w *world) {
			w.add(service, wf.SealChains([]audit.End{{Request: ana, Chain: audit.Chain{Seq: 4, Hash: "sha256:00"}}}, nil, false, identity.Stamp{}))
		}, "request ANA: event 4 is not the event that checkpoint event 10 lists"},
		"invalid chain": {func(w *world) {
			w.invalid = []string{ana}
			for range 3 {
				w.comment(ana, "x")
				w.seal(false)
			}
		}, "request ANA: the service found it invalid: checkpoint event 12 lists it"},
		"invalid chain repaired": {
			func(w *world) {
				w.invalid = []string{ana}
				w.comment(ana, "x")
				w.seal(false)
				w.invalid, w.moved[ana] = nil, true
				w.seal(false)
			}, ""},
		"invalid chain purged": {func(w *world) { w.invalid = []string{bo}; w.seal(false); w.purge(bo) }, ""},
		"invalid chain deleted": {func(w *world) { w.invalid = []string{young}; w.seal(false) },
			"request NEW: the service found it invalid: checkpoint event 10 lists it"},
		"service chain restarted": {
			func(w *world) {
				older := replaced(`"at":"2027`, `"at":"2026`)
				w.chains[service][4].Body = older(w.chains[service][4].Body)
				w.add(service, wf.RestartChain(nil, "x", identity.Actor{}, identity.Stamp{}))
				w.deny()
				w.chains[service][8].Body = older(w.chains[service][8].Body)
			}, "service chain: event 7 does not follow event 6 | service chain: event 11 does not follow event 10"},
		"refusal purged while it is exported": {
			func(w *world) {
				w.deny()
				w.add(service, wf.PurgeFrom(service, []audit.Chain{w.end(service)}, identity.Stamp{}))
			}, ""},
		"list that others follow": {
			func(w *world) { // an event before the last complete list, and after the one before it
				now := w.at
				w.at = now.Add(-every - 2*time.Minute)
				w.comment(young, "x")
				w.at, w.moved = now, map[string]bool{}
				w.seal(true)
			}, ""},
		"list during the export":         {func(w *world) { w.comment(ana, "five"); w.seal(true); w.cut(ana, 1) }, ""},
		"missing chain listed meanwhile": {func(w *world) { w.comment(young, "x"); w.seal(true); delete(w.chains, young) }, ""},
		"list of another end meanwhile": {func(w *world) { w.comment(ana, "five"); w.seal(true); w.rewrite(ana, 5, replaced("five", "5")) },
			"request ANA: event 5 is not the event that checkpoint event 10 lists"},
		"purge while the chain is exported": {func(w *world) { kept := w.chains[bo][:1]; w.purge(bo); w.chains[bo] = kept }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := story(t)
			tt.forge(w)
			var want []string
			if tt.want != "" {
				want = strings.Split(ids.Replace(tt.want), " | ")
			}
			if found := w.findings(); !slices.EqualFunc(found, want, strings.HasPrefix) {
				t.Errorf("findings %q, want %q", found, want)
			}
		})
	}
}

// cut deletes the last events of a chain.
func (w *world) cut(chain string, n int) { w.chains[chain] = w.chains[chain][:len(w.chains[chain])-n] }

// relist replaces the hash in the list of an event audit.checkpoint by that of the changed event.
func (w *world) relist(by int, chain string, seq int) {
	w.t.Helper()
	at := slices.IndexFunc(w.chains[chain], func(e wf.StoredEvent) bool { return int(e.Seq) == seq })
	start := fmt.Sprintf(`[%q,%d,"`, chain, seq)
	w.rewrite(service, by, func(body string) string {
		before, after, found := strings.Cut(body, start)
		if !found {
			w.t.Fatalf("event %d does not list %s", by, start)
		}
		return before + start + w.chains[chain][at].Hash + after[strings.Index(after, `"`):]
	})
}

// purgeService deletes an event of the service chain with a record of its purge, as of refusals.
func (w *world) purgeService(seq int64) {
	at := slices.IndexFunc(w.chains[service], func(e wf.StoredEvent) bool { return e.Seq == seq })
	e := w.chains[service][at]
	w.add(service, wf.PurgeFrom(service, []audit.Chain{{Seq: e.Seq, Hash: e.Hash}}, identity.Stamp{}))
	w.chains[service] = slices.Delete(w.chains[service], at, at+1)
}
