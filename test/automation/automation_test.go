package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/test/programs"
)

// automation is a wf for the programs of docs/automation.md.
type automation struct {
	t                    *testing.T
	url, program, folder string
	examples             string // folder of the scripts
}

func automate(t *testing.T) *automation {
	for _, tool := range []string{"sh", "curl", "jq", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not there")
		}
	}
	examples, err := filepath.Abs("../../docs/examples/automation")
	if err != nil {
		t.Fatal(err)
	}
	a := &automation{t: t, program: programs.Build(t, "wf"), folder: t.TempDir(), examples: examples}
	a.url = programs.Start(t, a.program, "WF_LISTEN", a.folder, "WF_MCP=true", "WF_INBOX_URL=https://approvals.example.org")
	a.call("root", "POST", "/policies", `{"policy_key":"release","name":"Release","settings":{"single_use":true},
		"stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["ana"]}]}]}`)
	a.call("root", "POST", "/policies/release/versions/1/activate", "")
	return a
}

// token returns a token of a user; root is an admin.
func (a *automation) token(user string) string {
	a.t.Helper()
	arguments := []string{"token", "--sub", user}
	if user == "root" {
		arguments = append(arguments, "--role", "WF_ADMIN")
	}
	cmd := exec.CommandContext(a.t.Context(), a.program, arguments...)
	cmd.Dir, cmd.Env = a.folder, []string{}
	token, err := cmd.Output()
	if err != nil {
		a.t.Fatal(err)
	}
	return strings.TrimSpace(string(token))
}

// response is a page of tasks, or another reply.
type response struct {
	Response struct {
		Status, Standing string
		Items            []struct {
			ID        string
			RequestID string `json:"request_id"`
		}
	}
}

func (a *automation) call(user, method, path, body string) (r response) {
	a.t.Helper()
	request, err := http.NewRequestWithContext(a.t.Context(), method, a.url+"/v1/wf"+path, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+a.token(user))
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		a.t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	text, err := io.ReadAll(reply.Body)
	if err != nil || reply.StatusCode >= 300 || json.Unmarshal(text, &r) != nil {
		a.t.Fatalf("%s %s: %d %s (%v)", method, path, reply.StatusCode, text, err)
	}
	return r
}

// decide waits for the task of ana and decides it. It returns the request.
func (a *automation) decide(action string) string {
	a.t.Helper()
	var tasks response
	timetest.Eventually(a.t, "ana has a task", func() bool {
		tasks = a.call("ana", "GET", "/tasks?inbox=me&status=open", "")
		return len(tasks.Response.Items) == 1
	})
	task := tasks.Response.Items[0]
	a.call("ana", "POST", "/tasks/"+task.ID+"/decision", fmt.Sprintf(`{"action":%q,"comment":"decided"}`, action))
	return task.RequestID
}

// run runs a script as rita, decides its request, and returns the request, the output and the exit status.
func (a *automation) run(action, script string, arguments ...string) (request, output string, status int) {
	a.t.Helper()
	cmd := exec.CommandContext(a.t.Context(), filepath.Join(a.examples, script), arguments...)
	cmd.Dir = a.folder
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(a.program)+":"+os.Getenv("PATH"), "WF_URL="+a.url, "WF_TOKEN="+a.token("rita"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	if action != "" {
		request = a.decide(action)
	}
	_ = cmd.Wait() // the status follows
	return request, out.String(), cmd.ProcessState.ExitCode()
}

func (a *automation) file(name, text string) string {
	a.t.Helper()
	if err := os.WriteFile(filepath.Join(a.folder, name), []byte(text), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return name
}

func TestProgramsForAutomation(t *testing.T) {
	a := automate(t)
	for action, want := range map[string]struct {
		status int
		ran    bool
	}{"approve": {0, true}, "reject": {2, false}, "request_changes": {5, false}} {
		_, out, status := a.run(action, "gate.sh", "release", a.file("release.json", `{"version":"1.4.0"}`), "echo", "deployed")
		if status != want.status || strings.Contains(out, "deployed") != want.ran {
			t.Errorf("gate.sh, %s: %d %s", action, status, out)
		}
	}

	invoice := a.file("invoice.json", `{"invoice":"2026-117","amount":900.10}`)
	request, out, status := a.run("approve", "pay.sh", "release", invoice)
	if status != 0 || !strings.Contains(out, `paid {"invoice":"2026-117","amount":900.1`) {
		t.Errorf("pay.sh: %d %s", status, out)
	}
	if used := a.call("rita", "GET", "/requests/"+request, "").Response.Standing; used != "consumed" {
		t.Errorf("the approval is %s", used)
	}
	if _, out, status := a.run("", "pay.sh", "release", invoice); status == 0 || strings.Contains(out, "paid") {
		t.Errorf("a repeat of pay.sh: %d %s", status, out)
	}
	if _, out, status := a.run("reject", "pay.sh", "release",
		a.file("other.json", `{"invoice":"2026-118"}`)); status == 0 || strings.Contains(out, "paid") {
		t.Errorf("pay.sh after a rejection: %d %s", status, out)
	}

	for _, action := range []string{"approve", "reject"} {
		ended := make(chan error, 1)
		go func() {
			agent := flags{URL: a.url, Token: a.token("rita"), Policy: "release", Arguments: `{"invoice":"2026-119"}`}
			ended <- agent.pay(context.WithoutCancel(t.Context()))
		}()
		request := a.decide(action)
		err := timetest.Await(t, ended, "the agent ends")
		standing := a.call("rita", "GET", "/requests/"+request, "").Response.Standing
		if (err == nil) != (action == "approve") || (standing == "consumed") != (action == "approve") {
			t.Errorf("the agent, %s: %v, the approval is %q", action, err, standing)
		}
	}
}
