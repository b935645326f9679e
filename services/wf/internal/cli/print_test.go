package cli_test

import (
	"net/http"
	"net/http/httptest"
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
		"inbox": "TASK  PRIORITY  WHAT       POLICY  STAGE  FROM       SINCE\n" +
			"t1    high      a�[2J b c  leave   lead   a�[2J b c  " + day + "\nand more: --limit\n",
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
