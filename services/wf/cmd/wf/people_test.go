package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// post calls the API as the admin.
func (o *operated) post(path, body string) {
	o.t.Helper()
	if r := wftest.At(o.t, o.url, o.root).Post(path, body); r.Status >= 300 {
		o.t.Fatal(r)
	}
}

// decides makes a decision on the person's task of a request.
func (o *operated) decides(person, request, body string) {
	o.t.Helper()
	_, token, _ := runs(o.t, o.dir, nil, "token", "--sub", person)
	by := wftest.At(o.t, o.url, strings.TrimSpace(token))
	task := by.Get("/v1/wf/tasks?inbox=me&request_id=" + request).Want(200).Items("id")[0]
	by.Post("/v1/wf/tasks/"+task+"/decision", body).Want(200)
}

// as runs a command as a person. It must end with the status.
func (o *operated) as(person string, want int, args ...string) (out, text string) {
	o.t.Helper()
	status, out, text := runs(o.t, o.dir, []string{"WF_URL=" + o.url}, append(args, "--dev", "--as", person)...)
	if status != want {
		o.t.Fatalf("%v ended with %d, printed %q and %s", args, status, out, text)
	}
	return out, text
}

func TestRequestsAreCreatedOnTheCommandLine(t *testing.T) {
	w := operate(t, sqldbtest.SQLite(t))
	w.post("/v1/wf/policies", `{"policy_key":"leave","name":"Leave",
		"stages":[{"key":"lead","name":"Team lead","approvers":[{"type":"user","ids":["bo"]}]},{"key":"hr","name":"People","approvers":[{"type":"user","ids":["ana"],"label":"HR"}]}]}`)
	w.post("/v1/wf/policies/leave/versions/1/activate", "{}")
	must(t, os.WriteFile(filepath.Join(w.dir, "leave.json"), []byte(`{"days": 12.50, "why": "\u001b[31mred"}`), 0o600))
	for _, tt := range []struct {
		status int
		args   string
		want   string
	}{
		{0, "request leave -f leave.json --preview", "The request would be in_review.\n1. Team lead (active): 1 of bo\n2. People (pending): HR"},
		{1, "request leave --title \x1b[2J", "wf: body.title: Value error"},
		{1, "request holiday", "wf: no policy holiday (WF-001)"},
		{1, "request leave -f none.json", "none.json: no such file"},
		{0, "request leave -f leave.json --title Days --priority high -m Harvest", " is in_review.\n"},
	} {
		out, text := w.as("rita", tt.status, strings.Fields(tt.args)...)
		if !strings.Contains(out+text, tt.want) || strings.ContainsRune(out+text, '\x1b') {
			t.Errorf("%s says\n%q\nwithout %q, or has control characters", tt.args, out+text, tt.want)
		}
	}
}

func TestTheExitStatusOfWaitIsTheOutcome(t *testing.T) {
	w := operate(t, sqldbtest.SQLite(t))
	w.post("/v1/wf/policies", `{"policy_key":"p","name":"P","stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["bo"]}]}]}`)
	w.post("/v1/wf/policies/p/versions/1/activate", "{}")
	as := func(person string, want int, args ...string) string {
		t.Helper()
		out, _ := w.as(person, want, args...)
		return out
	}
	created := func() string {
		t.Helper()
		var request struct{ ID string }
		out := as("rita", 0, "request", "p", "-o", "json")
		must(t, json.Unmarshal([]byte(out), &request))
		return request.ID
	}
	says := func(out, want string) {
		t.Helper()
		if !strings.Contains(out, want) {
			t.Errorf("%q without %q", out, want)
		}
	}

	open := created()
	says(as("rita", 4, "wait", open, "--timeout", "1s"), "is in_review")
	says(as("rita", 4, "wait", open, "--change", "--timeout", "1s"), "is in_review")
	w.decides("bo", open, `{"action":"approve"}`)
	says(as("rita", 0, "wait", open), "is approved")

	rejected := created()
	waiting := start(t, w.dir, []string{"WF_URL=" + w.url}, "wait", rejected, "--dev", "--as", "rita")
	w.decides("bo", rejected, `{"action":"reject","comment":"Too long"}`)
	if status := waiting.status(); status != 2 {
		t.Errorf("a rejection ended with %d: %s", status, &waiting.err)
	}
	says(waiting.out.String(), "is rejected")
	says(as("rita", 2, "wait", rejected, "--change"), "is rejected") // no change can follow
	as("stranger", 1, "wait", open)

	ordered := start(t, w.dir, []string{"WF_URL=" + w.url}, "request", "p", "--wait", "--dev", "--as", "rita")
	var id string
	ordered.until("it names its request", func() bool {
		_, rest, found := strings.Cut(ordered.err.String(), "Request ")
		id, _, _ = strings.Cut(rest, " ")
		return found
	})
	w.post("/v1/wf/requests/"+id+"/cancel", "{}")
	if status := ordered.status(); status != 3 {
		t.Errorf("a cancellation ended with %d: %s", status, &ordered.err)
	}
}

// The errors of revoke and consume name the rule, and never a token or the credentials of an address.
func TestApprovalsAreConsumedAndRevokedOnTheCommandLine(t *testing.T) {
	w := operate(t, sqldbtest.SQLite(t))
	w.post("/v1/wf/policies",
		`{"policy_key":"p","name":"P","settings":{"single_use":true},"stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["bo"]}]}]}`)
	w.post("/v1/wf/policies/p/versions/1/activate", "{}")
	approved := func() (id, hash string) {
		t.Helper()
		var request struct {
			ID          string
			ContextHash string `json:"context_hash"`
		}
		out, _ := w.as("rita", 0, "request", "p", "-o", "json")
		must(t, json.Unmarshal([]byte(out), &request))
		w.decides("bo", request.ID, `{"action":"approve"}`)
		return request.ID, request.ContextHash
	}
	fails := func(want string, args ...string) {
		t.Helper()
		if _, text := w.as("rita", 1, args...); !strings.Contains(text, want) {
			t.Errorf("%v says %q without %q", args, text, want)
		}
	}
	used, hash := approved()
	fails("missing flags: --expect", "request", "consume", used)
	fails("has another context_hash (WF-007)", "request", "consume", used, "--expect", "sha256:0")
	w.as("bo", 1, "request", "consume", used, "--expect", hash)
	out, _ := w.as("rita", 0, "request", "consume", used, "--expect", hash, "--consumer", "run 17", "-o", "json")
	if !strings.Contains(out, `"standing":"consumed"`) {
		t.Errorf("consume prints %s", out)
	}
	fails("was consumed at", "request", "consume", used, "--expect", hash)
	fails("was consumed at", "request", "revoke", used, "-m", "late")

	revoked, hash := approved()
	fails("missing flags: --message", "request", "revoke", revoked)
	fails("should contain a character", "request", "revoke", revoked, "-m", " ")
	out, _ = w.as("bo", 0, "request", "revoke", revoked, "-m", "Stolen", "-o", "json")
	if !strings.Contains(out, "revoked") || !strings.Contains(out, "Stolen") {
		t.Errorf("revoke prints %s", out)
	}
	fails("was revoked at", "request", "consume", revoked, "--expect", hash)
	w.as("rita", 3, "wait", revoked)

	const canary = "canary-4f1c"
	for _, args := range [][]string{{"revoke", revoked, "-m", "x"}, {"consume", revoked, "--expect", hash}} {
		for _, address := range []string{w.url, "http://user:" + canary + "@127.0.0.1:1"} {
			status, out, text := runs(t, w.dir, []string{"WF_URL=" + address, "WF_TOKEN=" + canary}, append([]string{"request"}, args...)...)
			if status != 1 || text == "" || strings.Contains(out+text, canary) {
				t.Errorf("%v at %s ended with %d: %s%s", args, address, status, out, text)
			}
		}
	}
}
