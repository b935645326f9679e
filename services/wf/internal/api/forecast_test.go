package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// datesOf returns the dates of a stage of a preview, a simulation or a request.
func datesOf(r Reply, stage int) string {
	at := func(member string) string { return r.Response("stages", stage, member) }
	return fmt.Sprintf("due %s in %s overdue %s %s", at("due_at"), at("due_in"), at("overdue"), at("deadline"))
}

func TestDatesAreForetold(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"calendar":{"zone":"Africa/Nairobi","days":["mon","tue","wed","thu","fri"],"from":"08:00","to":"17:00"}}`,
		byDeadline(anaAndBo, `"due_in":"P1D","remind_before":["PT1H"]`, ""),
		strings.Replace(byDeadline(anaAndBo, `"due_in":"P2D","on_due":"expire"`, ""), `"s"`, `"t"`, 1),
		strings.Replace(byDeadline(anaAndBo, `"due_cel":"timestamp(context.end)"`, ""), `"s"`, `"u"`, 1),
		strings.Replace(byDeadline(anaAndBo, `"due_cel":"context.slow"`, ""), `"s"`, `"v"`, 1),
		strings.Replace(byDeadline(anaAndBo, `"due_in":"P1D"`, `,"when":"context.amount > 5"`), `"s"`, `"w"`, 1),
		byRule("x", anaAndBo, ""))
	const body = `{"context":{"end":"2027-02-01T09:00:00Z","slow":"PT90M","amount":1}}`
	made := w.request("p", body[1:len(body)-1])
	preview := w.rita.Post("/v1/wf/policies/p/preview", body).Want(200)
	simulation := w.root.Post("/v1/wf/policies/p/versions/1/simulate", body).Want(200)
	if first := datesOf(made, 0); !strings.Contains(first, "next_reminder_at") {
		t.Errorf("the request has no dates: %s", first)
	}
	for i, want := range []string{
		datesOf(made, 0),
		`due  in P2D overdue false {"on_due":"expire"}`,
		`due 2027-02-01T09:00:00.000Z in  overdue false {"on_due":"notify"}`,
		`due  in PT90M overdue false {"on_due":"notify"}`,
		"due  in  overdue false ",
		"due  in  overdue false ",
	} {
		same(t, fmt.Sprint("preview of stage ", i), datesOf(preview, i), want)
		same(t, fmt.Sprint("simulation of stage ", i), datesOf(simulation, i), want)
	}
	past := w.root.Post("/v1/wf/policies/p/versions/1/simulate", strings.Replace(body, "}}", `},"at":"2027-01-04T06:00:00Z"}`, 1)).Want(200)
	same(t, "at another time", past.Response("stages", 0, "due_at"), "2027-01-05T06:00:00.000Z")
}

// The people of escalate_to are those that the deadline then adds.
func TestEscalationIsForetold(t *testing.T) {
	down := false
	w := boot(t, Options{Resolve: func(_ context.Context, q approver.Question) ([]identity.User, error) {
		switch {
		case down && q.Rule.Role != "":
			return nil, reason.NoAnswer("role %s: no answer from upstream", q.Rule.Role)
		case q.Rule.Role == "empty":
			return nil, nil
		case q.Rule.Role != "":
			return []identity.User{{ID: "ana"}, {ID: "cy"}, {ID: "rita"}, {ID: "gone"}}, nil
		case q.Rule.Type == policy.RuleManager:
			return []identity.User{{ID: "boss-of-" + q.From}}, nil
		}
		var found []identity.User
		for _, id := range q.Rule.IDs {
			if id != "gone" {
				found = append(found, identity.User{ID: id})
			}
		}
		return found, nil
	}})
	escalate := func(rule string) string {
		return fmt.Sprintf(`"due_in":"PT1H","on_due":"escalate","escalate_to":[%s]`, rule)
	}
	const leads, manager = `{"type":"role","role":"lead"}`, `{"type":"manager","of":"assignee"}`
	second := func(rule string) string {
		return byRule("first", `{"type":"user","ids":["eve"]}`, "") + "," + byDeadline(anaAndBo, escalate(rule), "")
	}
	for name, row := range map[string]struct{ stages, at, settings, want, warns string }{
		"by role":               {stages: byDeadline(anaAndBo, escalate(leads), ""), want: `[{"id":"cy"}]`},
		"of a pool":             {stages: byDeadline(anaAndBo, escalate(leads), `,"assignment":"pool","quorum":{"mode":"any"}`), want: `[{"id":"cy"}]`},
		"managers of the seats": {stages: byDeadline(anaAndBo, escalate(manager), ""), want: `[{"id":"boss-of-ana"},{"id":"boss-of-bo"}]`},
		"of a later stage":      {stages: second(leads), at: "1", want: `[{"id":"cy"}]`},
		"managers of a later":   {stages: second(manager), at: "1", want: `[{"id":"boss-of-ana"},{"id":"boss-of-bo"}]`},
		"excluded": {stages: byDeadline(anaAndBo, escalate(leads), ""),
			settings: `{"exclude":[{"type":"user","ids":["cy"]}]}`, want: `[]`,
			warns: "s: its escalation adds nobody: everyone whom"},
		"all have seats":         {stages: byDeadline(anaAndBo, escalate(anaAndBo), ""), want: `[]`, warns: "s: its escalation adds nobody: everyone whom"},
		"seats of a later stage": {stages: second(anaAndBo), at: "1", want: `[]`, warns: "s: its escalation adds nobody: everyone whom"},
		"empty": {stages: byDeadline(anaAndBo, escalate(`{"type":"role","role":"empty"}`), ""), want: `[]`,
			warns: "s: its escalation adds nobody: escalate_to yields nobody"},
		"skipped": {stages: byDeadline(anaAndBo, escalate(anaAndBo), `,"when":"false"`) + "," + byRule("t", anaAndBo, ""), want: `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			key := strings.ReplaceAll(name, " ", "-")
			w.policy(key, row.settings, row.stages)
			simulation := people(t, w.Service).root.Post("/v1/wf/policies/"+key+"/versions/1/simulate", `{"requester":"rita"}`).Want(200)
			stage := len(row.at)
			same(t, "escalate_to", simulation.Response("stages", stage, "escalate_to"), row.want)
			warnings := simulation.Response("warnings")
			if row.warns == "" && strings.Contains(warnings, "escalation") || !strings.Contains(warnings, row.warns) {
				t.Errorf("warnings: %s, want %q", warnings, row.warns)
			}
			if stage > 0 || name == "skipped" {
				return
			}
			request := w.request(key, "")
			w.Clock.Advance(time.Hour)
			w.passes(t)
			var added []string
			for i := 0; w.read(request).Response("stages", 0, "approvers", i, "user", "id") != ""; i++ {
				if one := w.read(request); one.Response("stages", 0, "approvers", i, "added") == "escalation" {
					added = append(added, fmt.Sprintf(`{"id":%q}`, one.Response("stages", 0, "approvers", i, "user", "id")))
				}
			}
			same(t, "added at the date", "["+strings.Join(added, ",")+"]", row.want)
		})
	}
	w.policy("asks", "", byDeadline(anaAndBo, escalate(leads), ""))
	down = true
	w.root.Post("/v1/wf/policies/asks/versions/1/simulate", `{}`).Refused(503, "WF-007")
	tolerant := w.root.Post("/v1/wf/policies/asks/versions/1/simulate", `{"tolerate_upstream":true}`).Want(200)
	same(t, "without the directory", problems(tolerant), "/stages/0: stage s: escalate_to rule 0: role lead: no answer from upstream")
	same(t, "the stage itself", tolerant.Response("stages", 0, "status"), "active")
}

func TestADueDateAfterTheEndOfTheRequestIsAWarning(t *testing.T) {
	w := boot(t, Options{})
	end, late := stamp(Start.Add(24*time.Hour)), stamp(Start.Add(25*time.Hour))
	instant := fmt.Sprintf(`"due_cel":"timestamp('%s')"`, late)
	for name, row := range map[string]struct {
		deadline string
		second   bool
		want     bool
	}{
		"first": {deadline: `"due_in":"PT25H"`, want: true}, "second": {deadline: `"due_in":"PT25H"`, second: true, want: true},
		"instant": {deadline: instant, second: true, want: true},
		"in time": {deadline: `"due_in":"PT24H"`}, "later in time": {deadline: `"due_in":"PT24H"`, second: true},
	} {
		t.Run(name, func(t *testing.T) {
			key, stages := strings.ReplaceAll(name, " ", "-"), []string{byDeadline(anaAndBo, row.deadline, "")}
			if row.second {
				stages = append([]string{byRule("first", `{"type":"user","ids":["eve"]}`, "")}, stages...)
			}
			w.policy(key, `{"expires_in":"PT24H"}`, stages...)
			warnings := people(t, w.Service).root.Post("/v1/wf/policies/"+key+"/versions/1/simulate", `{}`).Want(200).Response("warnings")
			want := fmt.Sprintf("s: its due date, %s or later, is after the end of the request at %s", late, end)
			if strings.Contains(warnings, want) != row.want || strings.Contains(warnings, "its due date") != row.want {
				t.Errorf("warnings: %s", warnings)
			}
		})
	}
}

func TestExclusionsAndValidityAreForetold(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"exclude":[{"type":"expression","cel":"context.authors","label":"authors"}],"single_use":true,
		"validity":{"valid_for":"P30D","until_cel":"timestamp(context.end)"},"auto_approve_when":"'auto' in context"}`, byRule("s", anaAndBo, ""))
	end := stamp(Start.Add(48 * time.Hour))
	context := fmt.Sprintf(`"authors":["ana"],"end":%q`, end)
	for _, path := range []string{"/v1/wf/policies/p/preview", "/v1/wf/policies/p/versions/1/simulate"} {
		body := func(more string) string { return fmt.Sprintf(`{"context":{%s%s}}`, context, more) }
		reply := w.root.Post(path, body("")).Want(200)
		same(t, "excluded", reply.Response("stages", 0, "excluded"), `[{"label":"authors","reason":"rule","user":{"id":"ana"}}]`)
		valid := func(r Reply) string {
			return r.Response("valid_for") + " " + r.Response("valid_until") + " " + r.Response("single_use")
		}
		same(t, "validity", valid(reply), "P30D "+end+" true")
		same(t, "after automatic approval", valid(w.root.Post(path, body(`,"auto":1`)).Want(200)), "P30D "+end+" true")
	}
	past := w.root.Post("/v1/wf/policies/p/versions/1/simulate", `{"context":{"authors":[],"end":"2020-01-01T00:00:00Z"}}`).Want(200)
	if got := problems(past); !strings.Contains(got, "settings.validity.until_cel") {
		t.Errorf("problems: %s", got)
	}
	w.policy("window", "", byDeadline(anaAndBo, `"due_cel":"timestamp(context.end)","on_due":"expire"`, ""))
	const begun = `"context":{"end":"2020-01-01T00:00:00Z"}`
	past = w.root.Post("/v1/wf/policies/window/versions/1/simulate", "{"+begun+"}").Want(200)
	if got := problems(past); !strings.Contains(got, "stage s: deadline.due_cel") {
		t.Errorf("problems: %s", got)
	}
	w.root.Post("/v1/wf/policies/window/preview", "{"+begun+"}").Refused(400, "WF-007")
	w.rita.Post("/v1/wf/requests", `{"policy_key":"window",`+begun+"}").Refused(400, "WF-007")
	w.policy("plain", "", byRule("s", anaAndBo, ""))
	plain := w.root.Post("/v1/wf/policies/plain/preview", `{}`).Want(200)
	same(t, "no validity", plain.Response("valid_for")+plain.Response("valid_until")+plain.Response("single_use"), "false")
}
