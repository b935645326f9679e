package cli_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/services/wf/internal/cli"
)

// service is an API server with the replies of a test.
func service(t *testing.T) (url string, says func(path, response string)) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, func(path, response string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"errors":[],"response":` + response + `}`))
		})
	}
}

// run runs the program with these arguments.
func run(t *testing.T, args ...string) (out, text string, err error) {
	t.Helper()
	var printed, said bytes.Buffer
	var commands cli.Commands
	parser, err := kong.New(&commands, kong.Name("wf"), kong.Vars{"audience": "countersign-wf"})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return "", "", err
	}
	err = parsed.Run(&daemon.Process{Context: t.Context(), Out: &printed, Logs: &said})
	return printed.String(), said.String(), err
}

// A token goes to the address that was named, and nowhere else.
func TestNoRedirectIsFollowed(t *testing.T) {
	var leaked bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked = true }))
	defer other.Close()
	service := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer service.Close()
	_, _, err := run(t, "wait", "r1", "--dev", "--data-dir", t.TempDir(), "--url", service.URL)
	if err == nil || !strings.Contains(err.Error(), "the answer is not of wf: HTTP status 302") || leaked {
		t.Errorf("%v, leaked: %t", err, leaked)
	}
}

// What others have written changes nothing of the terminal, nor of the lines around it.
func TestTextsOfOthersAreShownInTheirPlace(t *testing.T) {
	url, says := service(t)
	const at = `"created_at":"2026-11-23T04:00:00.000Z"`
	const hostile = `"a\u001b[2J\nb\tc"`
	says("POST /v1/wf/requests/r1/revoke", `{"id":"r1","status":"rejected","title":`+hostile+`,"priority":"high","comment":`+hostile+`,"policy_key":"leave","policy_version":3,
		"context_hash":"sha256:0","status_reason":{"code":"veto","message":`+hostile+`},"requester":{"id":"u1","username":`+hostile+`},`+at+`,"context":{"why":"é`+"\u0085"+`x"},
		"stages":[{"name":`+hostile+`,"status":"rejected","quorum":{"need":2,"approvals":1},"approvers":[
			{"user":{"id":"u2"},"status":"completed","action":"reject","comment":`+hostile+`},{"user":{"id":"u3"},"status":"open"}]}]}`)
	day := time.Date(2026, 11, 23, 4, 0, 0, 0, time.UTC).Local().Format("2006-01-02 15:04")
	want := "Request    r1\nTitle      a�[2J b c\nStatus     rejected\nBecause    veto: a�[2J b c\nFrom       a�[2J b c, " + day + "\n" +
		"Policy     leave, version 3\nPriority   high\nComment    a�[2J b c\nContext    sha256:0\n  {\n    \"why\": \"é x\"\n  }\n\n" +
		"a�[2J b c: rejected, 1 of 2 approvals\n  u2 reject: a�[2J b c\n  u3 open\n"
	home := t.TempDir()
	out, _, err := run(t, "request", "revoke", "r1", "-m", "x", "--dev", "--data-dir", home, "--url", url)
	if err != nil || out != want {
		t.Errorf("%v\n%q, want\n%q", err, out, want)
	}
}

func TestDueDatesArePrinted(t *testing.T) {
	url, says := service(t)
	const at = `"created_at":"2026-11-23T04:00:00.000Z"`
	const due = `"due_at":"2026-11-24T04:00:00.000Z"`
	local := func(day int) string {
		return time.Date(2026, 11, day, 4, 0, 0, 0, time.UTC).Local().Format("2006-01-02 15:04")
	}
	says("POST /v1/wf/requests/r1/revoke", `{"id":"r1","status":"in_review","policy_key":"leave","policy_version":3,"requester":{"id":"u1"},`+at+`,
		"stages":[{"key":"lead","name":"Lead","status":"active","quorum":{"need":1,"approvals":0},`+due+
		`,"overdue":true,"approvers":[{"user":{"id":"u2"},"status":"open","added":"escalation"}]}]}`)
	approved := `{"id":%q,"status":"approved","policy_key":"leave","policy_version":3,"requester":{"id":"u1"},` + at + `,"standing":%s,"stages":[]}`
	says("POST /v1/wf/requests/r2/revoke", fmt.Sprintf(approved, "r2", `"in_force","valid_until":"2026-11-25T04:00:00.000Z"`))
	says("POST /v1/wf/requests/r3/revoke", fmt.Sprintf(approved, "r3",
		`"revoked","ended_at":"2026-11-24T04:00:00.000Z","ended_by":{"id":"u2"},"end_reason":"left"`))
	says("/v1/wf/policies/leave/preview", `{"status":"in_review","stages":[{"name":"Lead","status":"active","rules":["user"],"approvers":[{"id":"u2"}],"need":1,`+due+`},
		{"name":"Late","status":"pending","rules":["user"],"approvers":[],"due_in":"P2D"}]}`)
	for command, want := range map[string]string{
		"request revoke r1 -m x":  "Lead: active, 0 of 1 approvals, due " + local(24) + ", overdue\n  u2 open (added by escalation)\n",
		"request revoke r2 -m x":  "Standing   in_force, valid until " + local(25) + "\n",
		"request revoke r3 -m x":  "Standing   revoked, ended " + local(24) + " by u2: left\n",
		"request leave --preview": "1. Lead (active): 1 of u2, due " + local(24) + "\n2. Late (pending): user, due P2D after its start\n",
	} {
		args := append(strings.Fields(command), "--dev", "--data-dir", t.TempDir(), "--url", url)
		if out, _, err := run(t, args...); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%q, want\n%q", command, err, out, want)
		}
	}
}

// The exit status of wait depends on the status of the request, and of an approval on its standing.
func TestTheStatusOfARequestIsTheExitStatusOfWait(t *testing.T) {
	url, says := service(t)
	for status, want := range map[string]string{
		`"approved"`: "", `"approved","standing":"in_force"`: "", `"approved","standing":"lapsed"`: "exit status 3",
		`"approved","standing":"consumed"`:                                    "exit status 3",
		`"approved","standing":"pending","valid_from":"2090-01-01T00:00:00Z"`: "exit status 4",
		`"rejected"`: "exit status 2", `"expired"`: "exit status 3", `"cancelled"`: "exit status 3",
		`"in_review"`: "exit status 4", `"changes_requested"`: "exit status 5",
	} {
		id := strings.NewReplacer(`"`, "", ",", "-", ":", "-").Replace(status)
		says("/v1/wf/requests/"+id, `{"id":"r1","status":`+status+`}`)
		got := ""
		if _, _, err := run(t, "wait", id, "--timeout", "0s", "--dev", "--data-dir", t.TempDir(), "--url", url); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", status, got, want)
		}
	}
}
