package cli_test

import (
	"bytes"
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
	const hostile, due = `"a\u001b[2J\nb\tc"`, `"due_at":"2026-11-24T04:00:00.000Z"`
	says("POST /v1/wf/requests/r1/revoke",
		`{"id":"r1","status":"rejected","status_reason":{"code":"veto","message":`+hostile+`}}`)
	says("POST /v1/wf/requests/r2/revoke", `{"id":"r2","status":"approved","standing":"revoked"}`)
	says("/v1/wf/policies/leave/preview", `{"status":"in_review","stages":[
		{"name":`+hostile+`,"status":"active","rules":["user"],"need":1,`+due+`,
			"approvers":[{"id":"u2"},{"id":"u3","name":`+hostile+`}]},
		{"name":"Late","status":"pending","rules":["user"],"approvers":[],"due_in":"P2D"}]}`)
	day := time.Date(2026, 11, 24, 4, 0, 0, 0, time.UTC).Local().Format("2006-01-02 15:04")
	for command, want := range map[string]string{
		"request revoke r1 -m x": "Request r1 is rejected (veto: a�[2J b c).\n",
		"request revoke r2 -m x": "Request r2 is approved, revoked.\n",
		"request leave --preview": "The request would be in_review.\n1. a�[2J b c (active): 1 of u2, a�[2J b c, due " + day +
			"\n2. Late (pending): user, due P2D after its start\n",
	} {
		args := append(strings.Fields(command), "--dev", "--data-dir", t.TempDir(), "--url", url)
		if out, _, err := run(t, args...); err != nil || out != want {
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
