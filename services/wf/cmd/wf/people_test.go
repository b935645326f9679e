package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// commandLine is a service in development, for commands in its folder.
type commandLine struct {
	t         *testing.T
	dir, root string   // root is a token of an admin
	env       []string // of the commands
	url       string
}

func serveCommands(t *testing.T) *commandLine {
	t.Helper()
	dir := t.TempDir()
	p := start(t, dir, development("sqlite:"+filepath.Join(dir, "wf.db")), "serve")
	url := "http://" + p.address()
	p.until("it is ready", func() bool { return get(t, url+"/readyz", "") == http.StatusOK })
	_, root, _ := runs(t, dir, nil, "token", "--sub", "root", "--role", "WF_ADMIN")
	return &commandLine{t, dir, strings.TrimSpace(root), []string{"WF_URL=" + url}, url}
}

// post calls the API as the admin.
func (w *commandLine) post(path, body string) {
	w.t.Helper()
	if status := call(w.t, http.MethodPost, w.url+path, w.root, body); status >= 300 {
		w.t.Fatalf("POST %s: %d", path, status)
	}
}

// as runs a command as a person. It must end with the status.
func (w *commandLine) as(person string, want int, args ...string) (out, text string) {
	w.t.Helper()
	status, out, text := runs(w.t, w.dir, w.env, append(args, "--dev", "--as", person)...)
	if status != want {
		w.t.Fatalf("%v ended with %d, printed %q and %s", args, status, out, text)
	}
	return out, text
}

// One user creates a request and another decides, without other programs.
func TestPeopleWorkOnTheCommandLine(t *testing.T) {
	w := serveCommands(t)
	w.post("/v1/wf/policies", `{"policy_key":"leave","name":"Leave","settings":{"require_comment":{"reject":true}},
		"stages":[{"key":"lead","name":"Team lead","approvers":[{"type":"user","ids":["bo"]}]},{"key":"hr","name":"People","approvers":[{"type":"user","ids":["ana"],"label":"HR"}]}]}`)
	w.post("/v1/wf/policies/leave/versions/1/activate", "{}")
	if err := os.WriteFile(filepath.Join(w.dir, "leave.json"), []byte(`{"days": 12.50, "why": "\u001b[31mred"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	as := w.as
	says := func(what, text string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s says\n%s\nwithout %q", what, text, want)
			}
		}
		if strings.ContainsRune(text, '\x1b') {
			t.Errorf("%s lets others write to the terminal: %q", what, text)
		}
	}

	out, _ := as("rita", 0, "request", "leave", "-f", "leave.json", "--preview")
	says("the preview", out, "The request would be in_review.", "1. Team lead (active): 1 of bo", "2. People (pending): HR")
	_, text := as("rita", 1, "request", "leave", "--title", "Twelve days \x1b[2J")
	says("a title that hides", text, "wf: body.title: Value error")
	_, text = as("rita", 1, "request", "holiday")
	says("an unknown policy", text, "wf: no policy holiday (WF-001)")
	_, text = as("rita", 1, "request", "leave", "-f", "none.json")
	says("a file that is not there", text, "none.json: no such file")

	var created struct {
		ID          string
		ContextHash string `json:"context_hash"`
	}
	out, _ = as("rita", 0, "request", "leave", "-f", "leave.json", "--title", "Twelve days", "--priority", "high", "-m", "After the harvest", "-o", "json")
	if err := json.Unmarshal([]byte(out), &created); err != nil || created.ID == "" {
		t.Fatalf("%s: %v", out, err)
	}
	out, _ = as("bo", 0, "inbox")
	says("bo's inbox", out, "TASK", "high", "Twelve days", "leave", "lead", "rita")
	out, _ = as("ana", 0, "inbox")
	says("ana's inbox", out, "Nothing waits for you.")
	out, _ = as("bo", 0, "show", created.ID)
	says("the request", out, created.ID, "in_review", "rita", "After the harvest", `"days": 12.5`, "Team lead: active, 0 of 1 approvals\n  bo open\nPeople: pending\n")
	_, text = as("ana", 1, "approve", created.ID)
	says("ana", text, "the caller has no part in request")
	_, text = as("bo", 1, "reject", created.ID)
	says("bo, without a word", text, "body.comment: Policy leave needs a comment to reject")
	_, text = as("bo", 1, "approve", created.ID, "--expect", "sha256:0")
	says("bo, with an outdated view", text, "has changed (WF-007)")
	out, _ = as("bo", 0, "approve", created.ID, "-m", "Enjoy", "--expect", created.ContextHash)
	says("bo's decision", out, "Your decision, approve, is recorded. Request "+created.ID+" is in_review.")
	_, text = as("bo", 1, "approve", created.ID)
	says("bo, again", text, "no task of request "+created.ID+" waits for you")

	var page struct{ Items []struct{ ID string } }
	out, _ = as("ana", 0, "inbox", "-o", "json")
	if err := json.Unmarshal([]byte(out), &page); err != nil || len(page.Items) != 1 {
		t.Fatalf("%s: %v", out, err)
	}
	out, _ = as("ana", 0, "reject", page.Items[0].ID, "-m", "Too long")
	says("ana's decision", out, "is rejected.")
	out, _ = as("ana", 0, "show", page.Items[0].ID)
	says("the end", out, "rejected", "bo approve: Enjoy", "ana reject: Too long", "Because")
	_, text = as("rita", 1, "show", "0199a000-0000-7000-8000-000000000000")
	says("nothing", text, "no part in request 0199a000-0000-7000-8000-000000000000 (WF-008)")
}

func TestTheExitStatusOfWaitIsTheOutcome(t *testing.T) {
	w := serveCommands(t)
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
		if err := json.Unmarshal([]byte(out), &request); err != nil {
			t.Fatal(err)
		}
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
	as("bo", 0, "approve", open)
	says(as("rita", 0, "wait", open), "is approved")

	rejected := created()
	waiting := start(t, w.dir, w.env, "wait", rejected, "--dev", "--as", "rita")
	as("bo", 0, "reject", rejected, "-m", "Too long")
	if status := waiting.status(); status != 2 {
		t.Errorf("a rejection ended with %d: %s", status, &waiting.err)
	}
	says(waiting.out.String(), "is rejected")
	says(as("rita", 2, "wait", rejected, "--change"), "is rejected") // no change can follow
	as("stranger", 1, "wait", open)

	ordered := start(t, w.dir, w.env, "request", "p", "--wait", "--dev", "--as", "rita")
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
	w := serveCommands(t)
	w.post("/v1/wf/policies", `{"policy_key":"p","name":"P","settings":{"single_use":true},"stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["bo"]}]}]}`)
	w.post("/v1/wf/policies/p/versions/1/activate", "{}")
	approved := func() (id, hash string) {
		t.Helper()
		var request struct {
			ID          string
			ContextHash string `json:"context_hash"`
		}
		out, _ := w.as("rita", 0, "request", "p", "-o", "json")
		if err := json.Unmarshal([]byte(out), &request); err != nil {
			t.Fatal(err)
		}
		w.as("bo", 0, "approve", request.ID)
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
	out, _ = w.as("bo", 0, "request", "revoke", revoked, "-m", "Stolen")
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
