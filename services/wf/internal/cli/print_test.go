package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
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

// Equivalent tasks are interchangeable; with several stages the user must choose.
func TestATaskOfARequestIsTakenWhenThereIsOneStage(t *testing.T) {
	for stages, want := range map[[2]string]string{
		{"lead", "lead"}: "",
		{"lead", "hr"}:   "several tasks of request r1 wait for you: name one of\nt1 (stage lead)\nt2 (stage hr)",
	} {
		url, says := service(t)
		says("/v1/wf/requests/r1", `{"id":"r1"}`)
		says("/v1/wf/tasks", `{"items":[{"id":"t1","stage_key":"`+stages[0]+`"},{"id":"t2","stage_key":"`+stages[1]+`"}]}`)
		says("POST /v1/wf/tasks/t1/decision", `{"decision":{"action":"approve"},"request":{"id":"r1","status":"approved"}}`)
		out, _, err := run(t, t.TempDir(), "approve", "r1", "--expect", "sha256:0", "--dev", "--data-dir", t.TempDir(), "--url", url)
		if want != "" && (err == nil || err.Error() != want) || want == "" && (err != nil || out != "Your decision, approve, is recorded. Request r1 is approved.\n") {
			t.Errorf("%v: %v, printed %q", stages, err, out)
		}
	}
}

// What others have written changes nothing of the terminal, nor of the lines around it.
func TestTextsOfOthersAreShownInTheirPlace(t *testing.T) {
	url, says := service(t)
	const at = `"created_at":"2026-11-23T04:00:00.000Z"`
	const hostile = `"a\u001b[2J\nb\tc"`
	says("/v1/wf/tasks", `{"next_cursor":"more","items":[{"id":"t1","stage_key":"lead",`+at+`,
		"request":{"title":`+hostile+`,"priority":"high","policy_key":"leave","requester":{"id":"u1","name":`+hostile+`}}}]}`)
	says("/v1/wf/requests/r1", `{"id":"r1","status":"rejected","title":`+hostile+`,"priority":"high","comment":`+hostile+`,"policy_key":"leave","policy_version":3,
		"context_hash":"sha256:0","status_reason":{"code":"veto","message":`+hostile+`},"requester":{"id":"u1","username":`+hostile+`},`+at+`,"context":{"why":"é`+"\u0085"+`x"},
		"stages":[{"name":`+hostile+`,"status":"rejected","quorum":{"need":2,"approvals":1},"approvers":[
			{"user":{"id":"u2"},"status":"completed","action":"reject","comment":`+hostile+`},{"user":{"id":"u3"},"status":"open"}]}]}`)
	says("/v1/wf/requests/r1/comments", `{"next_cursor":null,"items":[{"text":`+hostile+`,"author":{"id":"u1"},`+at+`}]}`)
	day := time.Date(2026, 11, 23, 4, 0, 0, 0, time.UTC).Local().Format("2006-01-02 15:04")
	home := t.TempDir()
	for command, want := range map[string]string{
		"inbox": "TASK  PRIORITY  WHAT       POLICY  STAGE  FROM       SINCE             DUE\n" +
			"t1    high      a�[2J b c  leave   lead   a�[2J b c  " + day + "  -\nand more: --limit\n",
		"show": "Request    r1\nTitle      a�[2J b c\nStatus     rejected\nBecause    veto: a�[2J b c\nFrom       a�[2J b c, " + day + "\n" +
			"Policy     leave, version 3\nPriority   high\nComment    a�[2J b c\nContext    sha256:0\n  {\n    \"why\": \"é x\"\n  }\n\n" +
			"a�[2J b c: rejected, 1 of 2 approvals\n  u2 reject: a�[2J b c\n  u3 open\n\nu1, " + day + ":\n  a�[2J\n  b c\n",
	} {
		args := []string{command, "--dev", "--data-dir", home, "--url", url}
		if command == "show" {
			args = append(args, "r1")
		}
		if out, _, err := run(t, home, args...); err != nil || out != want {
			t.Errorf("%s: %v\n%q, want\n%q", command, err, out, want)
		}
	}
}

func TestDueDatesArePrinted(t *testing.T) {
	url, says := service(t)
	const at = `"created_at":"2026-11-23T04:00:00.000Z"`
	const due = `"due_at":"2026-11-24T04:00:00.000Z"`
	local := func(day int) string {
		return time.Date(2026, 11, day, 4, 0, 0, 0, time.UTC).Local().Format("2006-01-02 15:04")
	}
	says("/v1/wf/tasks", `{"items":[{"id":"t1","stage_key":"lead",`+at+`,`+due+`,"overdue":true,"request":{"title":"Desk","priority":"high","policy_key":"leave","requester":{"id":"u1"}}},
		{"id":"t2","stage_key":"lead",`+at+`,`+due+`,"overdue":false,"request":{"title":"Desk","priority":"high","policy_key":"leave","requester":{"id":"u1"}}}]}`)
	says("/v1/wf/requests/r1", `{"id":"r1","status":"in_review","policy_key":"leave","policy_version":3,"requester":{"id":"u1"},`+at+`,
		"stages":[{"key":"lead","name":"Lead","status":"active","quorum":{"need":1,"approvals":0},`+due+`,"overdue":true,"approvers":[{"user":{"id":"u2"},"status":"open","added":"escalation"}]}]}`)
	says("/v1/wf/requests/r1/comments", `{"items":[]}`)
	approved := `{"id":%q,"status":"approved","policy_key":"leave","policy_version":3,"requester":{"id":"u1"},` + at + `,"standing":%s,"stages":[]}`
	says("/v1/wf/requests/r2", fmt.Sprintf(approved, "r2", `"in_force","valid_until":"2026-11-25T04:00:00.000Z"`))
	says("/v1/wf/requests/r3", fmt.Sprintf(approved, "r3", `"revoked","ended_at":"2026-11-24T04:00:00.000Z","ended_by":{"id":"u2"},"end_reason":"left"`))
	says("/v1/wf/requests/r2/comments", `{"items":[]}`)
	says("/v1/wf/requests/r3/comments", `{"items":[]}`)
	says("/v1/wf/policies/leave/preview", `{"status":"in_review","stages":[{"name":"Lead","status":"active","rules":["user"],"approvers":[{"id":"u2"}],"need":1,`+due+`},
		{"name":"Late","status":"pending","rules":["user"],"approvers":[],"due_in":"P2D"}]}`)
	for command, want := range map[string]string{
		"inbox":                   "TASK  PRIORITY  WHAT  POLICY  STAGE  FROM  SINCE             DUE\nt1    high      Desk  leave   lead   u1    " + local(23) + "  " + local(24) + " overdue\nt2    high      Desk  leave   lead   u1    " + local(23) + "  " + local(24) + "\n",
		"show r1":                 "Lead: active, 0 of 1 approvals, due " + local(24) + ", overdue\n  u2 open (added by escalation)\n",
		"show r2":                 "Standing   in_force, valid until " + local(25) + "\n",
		"show r3":                 "Standing   revoked, ended " + local(24) + " by u2: left\n",
		"request leave --preview": "1. Lead (active): 1 of u2, due " + local(24) + "\n2. Late (pending): user, due P2D after its start\n",
	} {
		args := append(strings.Fields(command), "--dev", "--data-dir", t.TempDir(), "--url", url)
		if out, _, err := run(t, t.TempDir(), args...); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%q, want\n%q", command, err, out, want)
		}
	}
}

// The exit status of wait depends on the status of the request, and of an approval on its standing.
func TestTheStatusOfARequestIsTheExitStatusOfWait(t *testing.T) {
	url, says := service(t)
	for status, want := range map[string]string{
		`"approved"`: "", `"approved","standing":"in_force"`: "", `"approved","standing":"lapsed"`: "exit status 3", `"approved","standing":"consumed"`: "exit status 3",
		`"rejected"`: "exit status 2", `"expired"`: "exit status 3", `"cancelled"`: "exit status 3", `"in_review"`: "exit status 4", `"changes_requested"`: "exit status 5",
	} {
		id := strings.NewReplacer(`"`, "", ",", "-", ":", "-").Replace(status)
		says("/v1/wf/requests/"+id, `{"id":"r1","status":`+status+`}`)
		got := ""
		if _, _, err := run(t, t.TempDir(), "wait", id, "--timeout", "0s", "--dev", "--data-dir", t.TempDir(), "--url", url); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", status, got, want)
		}
	}
}
