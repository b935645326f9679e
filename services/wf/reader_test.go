package wf_test

import (
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
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
		Tasks: []wf.Task{decided("one", 1, "ana"), decided("two", 1, "bo"), decided("one", 2, "cy"), {StageKey: "one", StageRun: 1, Assignee: &identity.User{ID: "dan"}}},
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
