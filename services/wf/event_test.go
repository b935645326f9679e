package wf_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
)

// history returns a request with most types of events.
func history(t *testing.T) *story {
	s := tell(t, policyOf(each("one", "ana"), pool("two", 1, "bo", "cy")))
	s.delegations = []approver.Delegation{delegation("ana", "dee")}
	s.must(s.start())
	s.must(s.decide(s.of("one", "ana"), person("dee"), wf.DecisionInput{
		Action: wf.ActionApprove, Comment: "fine \u2028 <b>", Data: []byte(`{"b":1.0,"a":[1e2]}`),
	}))
	s.must(s.claim(s.nth("two", 1), person("bo")))
	s.must(s.unclaim(s.nth("two", 1), person("bo")))
	s.must(s.reassign(s.nth("two", 1), "eve", root))
	s.must(s.sendBack(s.nth("two", 1), "eve"))
	s.must(s.resubmit(person("rita"), "sha256:two"))
	s.must(s.cancel(root))
	return s
}

func TestTheEventsOfARequestFormAChain(t *testing.T) {
	s := history(t)
	if bad := verify(s.events, s.stored); bad != 0 {
		t.Errorf("event %d does not fit", bad)
	}
	if bad := verify(nil, nil); bad != 0 {
		t.Errorf("of no events, event %d does not fit", bad)
	}
	seen := map[string]bool{}
	for i, e := range s.events {
		if e.Seq != int64(i+1) || seen[e.ID] || seen[e.Hash] || !slices.Contains(audit.EventTypes, e.Type) {
			t.Errorf("event %d = %+v", i+1, e)
		}
		seen[e.ID], seen[e.Hash] = true, true
	}
}

func TestStoredEventsAreReadBackAsTheyWere(t *testing.T) {
	s := history(t)
	read := make([]wf.Event, len(s.stored))
	for i, body := range s.stored {
		if err := json.Unmarshal(body, &read[i]); err != nil {
			t.Fatal(err)
		}
		read[i].Hash = s.events[i].Hash
	}
	if bad := verify(read, s.stored); bad != 0 {
		t.Errorf("event %d does not fit after reading it back", bad)
	}
}

func TestTamperingWithEventsIsFound(t *testing.T) {
	n := len(history(t).events)
	for name, tt := range map[string]struct {
		tamper func(s *story, i int)
		want   func(i int) int64 // the first event that does not fit
	}{
		"a changed byte":  {func(s *story, i int) { s.stored[i] = bytes.Replace(s.stored[i], []byte(`"r1"`), []byte(`"r2"`), 1) }, number},
		"changed in both": {func(s *story, i int) { s.events[i].Actor.ID = "mallory"; s.stored[i] = canonical(s.events[i]) }, number},
		"hashed again":    {rehash, func(i int) int64 { return int64(i + 2) }},
		"a changed hash":  {func(s *story, i int) { s.events[i].Hash = s.events[0].PrevHash }, number},
		"a missing event": {func(s *story, i int) {
			s.events, s.stored = slices.Delete(s.events, i, i+1), slices.Delete(s.stored, i, i+1)
		}, number},
		"a repeated event": {func(s *story, i int) {
			s.events, s.stored = slices.Insert(s.events, i, s.events[i]), slices.Insert(s.stored, i, s.stored[i])
		}, func(i int) int64 { return int64(i + 2) }},
		"two events exchanged": {func(s *story, i int) {
			s.events[i], s.events[i+1] = s.events[i+1], s.events[i]
			s.stored[i], s.stored[i+1] = s.stored[i+1], s.stored[i]
		}, number},
		"bytes missing": {func(s *story, i int) { s.stored = s.stored[:i] }, number},
	} {
		for i := range n - 1 {
			s := history(t)
			tt.tamper(s, i)
			if got := verify(s.events, s.stored); got != tt.want(i) {
				t.Errorf("%s at %d: verify = %d, want %d", name, i+1, got, tt.want(i))
			}
		}
	}
}

func number(i int) int64 { return int64(i + 1) }

// canonical is the event as it would be stored.
func canonical(e wf.Event) []byte {
	_, e, err := e.Link(audit.Chain{Seq: e.Seq - 1, Hash: e.PrevHash})
	if err != nil {
		panic(err)
	}
	return e.Body
}

// rehash forges an event together with its hash; the next event shows it.
func rehash(s *story, i int) {
	var before audit.Chain
	if i > 0 {
		before = audit.Chain{Seq: s.events[i-1].Seq, Hash: s.events[i-1].Hash}
	}
	s.events[i].Actor.ID = "mallory"
	_, s.events[i], _ = s.events[i].Link(before)
	s.stored[i] = canonical(s.events[i])
}

func TestPatternsSelectEventTypes(t *testing.T) {
	for pattern, want := range map[string][]audit.EventType{
		"task.decided": {audit.EventTaskDecided},
		"stage.*": {audit.EventStageStarted, audit.EventStageSkipped, audit.EventStageApproved, audit.EventStageRejected,
			audit.EventStageResolutionFailed, audit.EventStageReminded,
			audit.EventStageDue, audit.EventStageDueMoved, audit.EventStageEscalated, audit.EventStageEscalationEmpty,
		},
		"*":                slices.DeleteFunc(slices.Clone(audit.EventTypes), func(t audit.EventType) bool { return t == audit.EventAuditCheckpoint }),
		"audit.checkpoint": {audit.EventAuditCheckpoint}, // to receivers that name it
		"audit.*":          nil,
		"*.approved":       {audit.EventRequestApproved, audit.EventStageApproved},
		"request":          nil,
		"":                 nil,
		"[":                nil,
	} {
		var got []audit.EventType
		for _, kind := range audit.EventTypes {
			if kind.SentTo([]string{"nothing", pattern}) {
				got = append(got, kind)
			}
		}
		if !slices.Equal(got, want) || audit.ValidPattern(pattern) != (want != nil) {
			t.Errorf("%q selects %v, want %v", pattern, got, want)
		}
	}
	if !audit.EventRequestCreated.Matches(audit.DefaultPatterns) || audit.EventTaskDecided.Matches(audit.DefaultPatterns) {
		t.Error("a target without patterns is subscribed to requests")
	}
}
