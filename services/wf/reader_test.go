package wf_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// Evidence of a decision is its data, attachments and authentication. An approver sees that
// of the stage runs in which they decided, and of no other.
func TestEvidenceIsShownWithinTheStageRunOfOnesOwnDecision(t *testing.T) {
	decided := func(stage string, run int, by string) wf.Task {
		return wf.Task{StageKey: stage, StageRun: run, Decision: &wf.Decision{
			Actor: identity.ActorRef{ID: by}, Data: []byte(`{"secret":1}`), Attachments: []wf.Attachment{{Name: "a"}}, Auth: identity.Auth{ACR: "gold"},
		}}
	}
	r := wf.Request{
		Requester: identity.User{ID: "rita"}, SubmittedBy: identity.User{ID: "robot"}, CallbackURL: "https://u:p@app.example/hook?token=1#f",
		Tasks: []wf.Task{decided("one", 1, "ana"), decided("two", 1, "bo"), decided("one", 2, "cy"),
			{StageKey: "one", StageRun: 1, Assignee: &identity.User{ID: "dan"}}},
	}
	viewer := identity.Actor{User: identity.User{ID: "vic"}, Roles: []identity.Role{identity.RoleViewer}}
	for name, tt := range map[string]struct {
		reader   identity.Actor
		one, two bool // sees the first run of a stage
		url      string
	}{
		"the requester":               {identity.Actor{User: identity.User{ID: "rita"}}, true, true, "https://app.example/hook"},
		"the submitter":               {identity.Actor{User: identity.User{ID: "robot"}}, true, true, "https://app.example/hook"},
		"approver of the stage":       {identity.Actor{User: identity.User{ID: "ana"}}, true, false, "https://app.example/hook"},
		"approver of another stage":   {identity.Actor{User: identity.User{ID: "bo"}}, false, true, "https://app.example/hook"},
		"approver of a later run":     {identity.Actor{User: identity.User{ID: "cy"}}, false, false, "https://app.example/hook"},
		"approver without a decision": {identity.Actor{User: identity.User{ID: "dan"}}, false, false, "https://app.example/hook"},
		"a viewer":                    {viewer, true, true, r.CallbackURL},
	} {
		reader := wf.Reader{Actor: tt.reader, Part: true}
		shown := reader.Request(r, policy.Definition{})
		for i, want := range []bool{tt.one, tt.two} {
			d := shown.Tasks[i].Decision
			if (d.Data != nil) != want || (d.Attachments != nil) != want || (d.Auth.ACR != "") != want {
				t.Errorf("%s: decision %d shows %s %v %+v, want evidence: %t", name, i, d.Data, d.Attachments, d.Auth, want)
			}
			stage := r.Tasks[i].StageKey
			e := reader.Event(r, wf.Event{Auth: identity.Auth{ACR: "gold"}, Decision: r.Tasks[i].Decision, Stage: &wf.StageSummary{Key: stage, Run: 1}})
			if (e.Decision.Data != nil) != want || (e.Auth.ACR != "") != want {
				t.Errorf("%s: the event of stage %s shows %s %+v, want evidence: %t", name, stage, e.Decision.Data, e.Auth, want)
			}
		}
		if shown.CallbackURL != tt.url {
			t.Errorf("%s: callback_url %q, want %q", name, shown.CallbackURL, tt.url)
		}
	}
	if r.Tasks[0].Decision.Data == nil {
		t.Error("the stored decision was changed")
	}
}

// TestALostPartEndsReading covers each way to lose a part, of a person that has decided and of one that has not.
func TestALostPartEndsReading(t *testing.T) {
	anyOf := func(ids ...string) policy.Stage {
		return but(each("s", ids...), func(s *policy.Stage) { anyHolder(s); s.Quorum.Mode = quorum.QuorumAny })
	}
	both := []policy.Stage{anyOf("ana", "bo"), each("next", "cy")}
	queue := []policy.Stage{pool("s", 1, "ana", "bo"), each("next", "cy")}
	claimed := func(by string) func(s *story) { return func(s *story) { s.must(s.claim(s.nth("s", 1), person(by))) } }
	gone := func(id string) func(s *story) { return func(s *story) { s.without(id); s.must(s.sweep(id)) } }
	late := func(s *story) { s.at = after(time.Hour); s.must(s.deadlines()) }
	for name, tt := range map[string]struct {
		who     string
		stages  []policy.Stage
		prepare func(s *story)
		lose    func(s *story)
	}{
		"handed over":            {"ana", both, nil, func(s *story) { s.must(s.reassign(s.of("s", "ana"), "eve", person("ana"))) }},
		"reassigned by an admin": {"ana", both, nil, func(s *story) { s.must(s.reassign(s.of("s", "ana"), "eve", root)) }},
		"reassigned again": {"eve", both, func(s *story) { s.must(s.reassign(s.of("s", "ana"), "eve", root)) },
			func(s *story) { s.must(s.reassign(s.of("s", "eve"), "fay", root)) }},
		"reassigned out of a pool":            {"ana", queue, claimed("ana"), func(s *story) { s.must(s.reassign(s.nth("s", 1), "eve", root)) }},
		"the pool is over":                    {"ana", queue, nil, func(s *story) { s.must(s.approve(s.nth("s", 1), "bo")) }},
		"the request is cancelled, of a pool": {"ana", queue, nil, func(s *story) { s.must(s.cancel(root)) }},
		"left the directory":                  {"ana", both, nil, gone("ana")},
		"left the directory, in a pool":       {"ana", queue, claimed("ana"), gone("ana")},
		"an escalated approver left":          {"carl", []policy.Stage{due(each("s", "ana", "bo"), escalates(names("carl")))}, late, gone("carl")},
	} {
		for _, decided := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, decided %t", name, decided), func(t *testing.T) {
				stages := tt.stages
				if decided {
					stages = append([]policy.Stage{each("first", tt.who)}, stages...)
				}
				s := tell(t, policyOf(stages...))
				s.must(s.start())
				if decided {
					s.must(s.approve(s.of("first", tt.who), tt.who))
				}
				if tt.prepare != nil {
					tt.prepare(s)
				}
				if !s.now.Participates(tt.who) {
					t.Fatal("no part before the loss")
				}
				tt.lose(s)
				if got := s.now.Participates(tt.who); got != decided {
					t.Errorf("participates: %t", got)
				}
				if part := s.now.Parts()[tt.who]; part.Reader != decided {
					t.Errorf("in lists: %+v", part)
				}
				if decided {
					s.must(s.comment(tt.who, "As decided"))
				} else {
					s.refused(s.comment(tt.who, "As before"), reason.Forbidden)
					s.refused(s.comment("rita", "Ask them", tt.who), reason.BadInput)
				}
			})
		}
	}
}

func TestRedactRemovesTheValuesOfThePointers(t *testing.T) {
	for name, tt := range map[string]struct {
		pointers []string
		context  string
		want     string
	}{
		"nothing":              {nil, `{"a":1}`, `{"a":1}`},
		"a member":             {[]string{"/a"}, `{"a":1,"b":2}`, `{"b":2}`},
		"a member of a member": {[]string{"/a/b"}, `{"a":{"b":1,"c":2}}`, `{"a":{"c":2}}`},
		"both":                 {[]string{"/a/b", "/a"}, `{"a":{"b":1,"c":2},"d":3}`, `{"d":3}`},
		"an item as sent":      {[]string{"/a/0", "/a/2"}, `{"a":[1,2,3,4]}`, `{"a":[2,4]}`},
		"within an item":       {[]string{"/a/1/x"}, `{"a":[{"x":1},{"x":2,"y":3}]}`, `{"a":[{"x":1},{"y":3}]}`},
		"an escaped name":      {[]string{"/a~1b", "/c~0d"}, `{"a/b":1,"c~d":2,"e":3}`, `{"e":3}`},
		"what is missing":      {[]string{"/x/y", "/a/b"}, `{"a":1}`, `{"a":1}`},
		"all of it":            {[]string{""}, `{"a":1}`, `{}`},
		"a context in pieces":  {[]string{"/a"}, `{"a":`, `{}`},
		"all digits of others": {[]string{"/a"}, `{"a":1,"n":100.00000000000000000001}`, `{"n":100.00000000000000000001}`},
	} {
		if got := string(policy.Settings{Redact: tt.pointers}.RedactContext([]byte(tt.context))); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}
