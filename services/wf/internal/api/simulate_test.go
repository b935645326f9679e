package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// problems are those of a simulation, each with its pointer.
func problems(simulation Reply) string {
	var list []string
	for i := 0; ; i++ {
		message := simulation.Response("problems", i, "message")
		if message == "" {
			return strings.Join(list, "\n")
		}
		list = append(list, simulation.Response("problems", i, "pointer")+": "+message)
	}
}

// warns fails unless the simulation has these warnings.
func warns(t *testing.T, simulation Reply, want ...string) {
	t.Helper()
	var got []string
	for i := 0; simulation.Response("warnings", i) != ""; i++ {
		got = append(got, simulation.Response("warnings", i))
	}
	same(t, "warnings", strings.Join(got, "\n"), strings.Join(want, "\n"))
}

func TestASimulationForetellsAndWritesNothing(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove, `{"key":"late","name":"Late","when":"context.amount > 10","approvers":[{"type":"user","ids":["cy"]}]}`)
	const path = "/v1/wf/policies/p/versions/1/simulate"
	before := w.Rows(t)
	sim := w.vic.Post(path, `{"context":{"amount":20},"requester":"rita","play":[
			{"stage":"s","user":"ana","action":"approve"},{"stage":"s","user":"eve","action":"approve"},
			{"stage":"s","user":"bo","action":"approve"},{"stage":"late","user":"cy","action":"reject"}]}`).Want(200)
	same(t, "outcome", sim.Response("outcome"), "would_start")
	same(t, "last", sim.Response("play", 3, "request_status"), "rejected")
	if sim.Response("play", 1, "problem") == "" {
		t.Errorf("%s lets eve decide", sim)
	}
	same(t, "no such stage", w.vic.Post(path, `{"play":[{"stage":"x","user":"ana","action":"approve"}]}`).Want(200).Response("play", 0),
		`{"entry":{"action":"approve","stage":"x","user":"ana"},"problem":"stage x has no task to decide","request_status":"in_review"}`)
	same(t, "refused", w.vic.Post("/v1/wf/policies/p/versions/1/simulate",
		`{"context":{"amount":20},"requester":"ana","from_request_id":null}`).Want(200).Response("outcome"), "would_start")
	after := w.Rows(t)
	before["event"], before["chain"] = after["event"], after["chain"] // that it was done
	unchanged(t, w, before)

	request := w.request("p", `"context":{"amount":20}`)
	body := fmt.Sprintf(`{"from_request_id":%q}`, request.Response("id"))
	w.vic.Post(path, body).Refused(403, "WF-008")
	same(t, "from a request", w.root.Post(path, body).Want(200).Response("outcome"), "would_start")
	w.root.Post(path, fmt.Sprintf(`{"from_request_id":%q}`, unknownID)).Refused(422, "")
	taken := w.request("p", `"context":{"amount":20},"artifact_id":"a"`).Response("id")
	sim = w.root.Post(path, `{"context":{"amount":20},"artifact_id":"a","requester":"rita"}`).Want(200)
	same(t, "of an artifact with an open request", sim.Response("outcome"), "would_refuse")
	same(t, "as the service", problems(sim),
		": "+w.rita.Post("/v1/wf/requests", `{"policy_key":"p","context":{"amount":20},"artifact_id":"a"}`).Refused(409, "WF-007"))
	same(t, "from that request", w.root.Post(path, fmt.Sprintf(`{"from_request_id":%q}`, taken)).Want(200).Response("outcome"), "would_start")
	w.root.Post(path, `{"from_request_id":"x"}`).Refused(422, "")
	w.vic.Post(path, `{"requester":"system:policy"}`).Refused(422, "")
	w.vic.Post(path, `{"play":[{"stage":"s","user":"ana","action":"explode"}]}`).Refused(422, "")
	w.policy("empty", "")
	same(t, "nothing to do", w.vic.Post("/v1/wf/policies/empty/versions/1/simulate", `{}`).Want(200).Response("outcome"), "would_refuse")
}

func TestASimulationPlaysEntries(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"single_use":true,"validity":{"valid_for":"PT1H"}}`, bothApprove)
	const path = "/v1/wf/policies/p/versions/1/simulate"
	sim := w.vic.Post(path, `{"requester":"rita","at":"2027-01-04T09:00:00Z","play":[
		{"stage":"s","user":"ana","action":"approve"},{"stage":"s","withdraw":"eve"},{"stage":"s","withdraw":"ana"},
		{"stage":"s","user":"ana","action":"approve"},{"stage":"s","user":"bo","action":"approve"},{"consume":"eve"},
		{"at":"2027-01-04T09:59:00Z"},{"at":"2027-01-04T10:00:00Z"},{"revoke":"rita"},{"at":"9901-01-01T00:00:00Z"}]}`).Want(200)
	var played []string
	for i := range 10 {
		played = append(played, strings.TrimSpace(fmt.Sprintln(sim.Response("play", i, "entry"),
			sim.Response("play", i, "request_status"), sim.Response("play", i, "standing"),
			sim.Response("play", i, "problem") != "")))
	}
	same(t, "play", strings.Join(played, "\n"), `{"action":"approve","stage":"s","user":"ana"} in_review  false
{"stage":"s","withdraw":"eve"} in_review  true
{"stage":"s","withdraw":"ana"} in_review  false
{"action":"approve","stage":"s","user":"ana"} in_review  false
{"action":"approve","stage":"s","user":"bo"} approved in_force false
{"consume":"eve"} approved in_force true
{"at":"2027-01-04T09:59:00Z"} approved in_force false
{"at":"2027-01-04T10:00:00Z"} approved lapsed false
{"revoke":"rita"} approved lapsed true
{"at":"9901-01-01T00:00:00Z"} approved lapsed true`)
	for _, play := range []string{
		`{}`, `{"consume":"rita","revoke":"rita"}`, `{"at":"soon"}`, `{"consume":""}`, `{"wait":1}`, `{"stage":"s","user":"ana","action":"explode"}`,
	} {
		w.vic.Post(path, `{"play":[`+play+`]}`).Refused(422, "")
	}
	w.vic.Post(path, `{"at":"9901-01-01T00:00:00Z"}`).Refused(422, "")
}

const everybodyMaySubmit = "/settings/submitters: absent, so any caller with a valid token may create requests"

func TestSimulationWarnsOfPossibleBlockers(t *testing.T) {
	directory := &staff{roles: map[string][]string{"officer": {"olga", "gone", "otto"}}, strangers: []string{"gone", "eve"}}
	w := boot(t, Options{Resolve: directory.resolve})
	w.root.Post("/v1/wf/policies", `{"policy_key":"p","name":"P","context_schema":{"type":"object","properties":{"amount":{"type":"number"},"boss":{"type":"string"}}},
		"settings":{"auto_reject_when":"context.amount > 5"},"stages":[`+strings.Join([]string{
		byRule("a", `{"type":"user","ids":["ana","gone","eve"]}`, `,"when":"context.amount > 10"`),
		byRule("b", officer+`,{"type":"expression","cel":"['ana','gone']"}`,
			`,"assignment":"pool","quorum":{"mode":"any"},"rejection":{"mode":"count","value":9}`),
		byRule("c", `{"type":"stage_actor","stage":"a"}`, ""),
	}, ",")+`]}`).Want(201)
	const path = "/v1/wf/policies/p/versions/1/simulate"
	sim := w.vic.Post(path, `{"context":{"boss":"bo"}}`).Want(200)
	same(t, "problems", problems(sim), "")
	got := sim.Response("warnings")
	for _, want := range []string{
		"/settings/auto_reject_when: ", "/settings/auto_reject_when: fails, so approvers decide: ", "/stages/0/when: ",
		"a: its condition fails, so the stage runs: ",
		"b: 9 rejections are required, but the pool has 4 members", "b: ana is also an approver of stage a",
		"c: if approvals of earlier stages do not change it, too few eligible approvers",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no warning %q in %s", want, got)
		}
	}
	if strings.Contains(got, "olga") {
		t.Errorf("the reply shows the holders of a role: %s", got)
	}
	directory.isDown(true)
	w.vic.Post(path, `{"context":{}}`).Refused(503, "WF-007") // creation would be refused in stage a, or later stages would not start
	directory.isDown(false)
	w.policy("names", "", anyApproves)
	warns(t, w.vic.Post("/v1/wf/policies/names/versions/1/simulate", `{}`).Want(200), everybodyMaySubmit)
	w.policy("closed", `{"submitters":[{"type":"user","ids":["rita"]}]}`, anyApproves)
	warns(t, w.vic.Post("/v1/wf/policies/closed/versions/1/simulate", `{"requester":"rita"}`).Want(200))
	barred := w.vic.Post("/v1/wf/policies/closed/versions/1/simulate", `{"requester":"eve"}`).Want(200)
	same(t, "outcome of a caller that may not submit", barred.Response("outcome"), "would_refuse")
	same(t, "as the service", problems(barred), ": "+w.eve.Post("/v1/wf/requests", `{"policy_key":"closed"}`).Refused(403, "WF-008"))
	w.policy("officers", `{"submitters":[`+officer+`]}`, anyApproves)
	directory.isDown(true)
	w.Clock.Advance(time.Hour) // cached answers expire
	w.vic.Post("/v1/wf/policies/officers/versions/1/simulate", `{"requester":"eve"}`).Refused(503, "WF-007")
	w.vic.Post("/v1/wf/policies/officers/versions/1/simulate", `{"requester":"eve","tolerate_upstream":true}`).Want(200)
}
