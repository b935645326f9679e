package api_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// staff is a directory whose roles change during a test. A missing role fails, and so does every
// query while it is down. It contains all users except strangers.
type staff struct {
	mu        sync.Mutex
	roles     map[string][]string
	strangers []string
	down      bool
}

func (s *staff) set(role string, people ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roles[role] = people
}

func (s *staff) isDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

func (s *staff) resolve(_ context.Context, q approver.Question) ([]identity.User, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := q.Rule.IDs
	if s.down {
		return nil, reason.NoAnswer("%s: no answer from upstream", q.Rule)
	}
	if q.Rule.Type == policy.RuleRole {
		var known bool
		if ids, known = s.roles[q.Rule.Role]; !known {
			return nil, refusal.New(reason.EngineRefused, "role %s does not exist", q.Rule.Role)
		}
	}
	var people []identity.User
	for _, id := range ids {
		if !slices.Contains(s.strangers, id) {
			people = append(people, identity.User{ID: id})
		}
	}
	return people, nil
}

// byRule is a stage with these approver rules and further members.
func byRule(key, rules, members string) string {
	return fmt.Sprintf(`{"key":%q,"name":"Stage","approvers":[%s]%s}`, key, rules, members)
}

const (
	anaAndBo = `{"type":"user","ids":["ana","bo"]}`
	officer  = `{"type":"role","role":"officer"}`
)

// kinds are the kinds of a request's tasks, in order.
func kinds(request Reply) string {
	var list []string
	for i := 0; ; i++ {
		kind := request.Response("tasks", i, "kind")
		if kind == "" {
			return strings.Join(list, " ")
		}
		list = append(list, kind)
	}
}

func TestFailedRuleIsNeverTreatedAsEmpty(t *testing.T) {
	w := boot(t, Options{Resolve: (&staff{roles: map[string][]string{}}).resolve})
	head := `{"type":"expression","cel":"context.head","required":true}`
	w.policy("head", "", byRule("s", head+`,{"type":"user","ids":["bo"]}`, `,"quorum":{"mode":"any"}`))
	w.policy("role", "", byRule("s", officer+`,{"type":"user","ids":["bo"]}`, `,"quorum":{"mode":"any"},"on_empty":"skip"`), byRule("t", anaAndBo, ""))
	w.policy("many", "", byRule("s", `{"type":"expression","cel":"context.who"}`, `,"assignment":"pool","quorum":{"mode":"any"}`))
	before := w.Rows(t)
	many := `["` + strings.Repeat(`x","`, 1000) + `x"]`
	for key, row := range map[string]struct{ context, want string }{
		"head": {`{}`, "approver rule 0"}, "role": {`{}`, "role officer does not exist"}, "many": {`{"who":` + many + `}`, "more than 1000"},
	} {
		message := w.rita.Post("/v1/wf/requests", fmt.Sprintf(`{"policy_key":%q,"context":%s}`, key, row.context)).Refused(400, "WF-007")
		if !strings.Contains(message, "stage s") || !strings.Contains(message, row.want) {
			t.Errorf("%s: %q lacks %q", key, message, row.want)
		}
	}
	unchanged(t, w, before)
	w.rita.Post("/v1/wf/requests", `{"policy_key":"head","context":{"head":"ana"}}`).Want(201)
}

func TestAnExpressionThatFailsApprovesNothing(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"auto_reject_when":"context.fraud","auto_approve_when":"context.amount < 100"}`, anyApproves)
	same(t, "rejects", w.request("p", `"context":{"fraud":true,"amount":1}`).Response("status"), "rejected")
	same(t, "approves", w.request("p", `"context":{"fraud":false,"amount":1}`).Response("status"), "approved")
	same(t, "cannot tell fraud", w.request("p", `"context":{"amount":1}`).Response("status"), "in_review")
	same(t, "unknown amount", w.request("p", `"context":{"fraud":false}`).Response("status"), "in_review")
}

func TestAStageThatIsShortIsBlockedWithOneRescueForEachPlace(t *testing.T) {
	for _, row := range []struct{ name, stage, settings, want string }{
		{"a required person as requester", byRule("s", `{"type":"user","ids":["rita"],"required":true},`+anaAndBo, `,"quorum":{"mode":"any"}`), "", "approver approver rescue"},
		{"an empty required rule", byRule("s", `{"type":"expression","cel":"context.none","required":true},`+anaAndBo, `,"quorum":{"mode":"any"}`), "", "approver approver rescue"},
		{"two of three are missing", byRule("s", `{"type":"user","ids":["rita","ana"]},{"type":"expression","cel":"context.none"}`, `,"quorum":{"mode":"count","value":3}`), "", "approver rescue rescue"},
		{"a minimum is missing", byRule("s", `{"type":"user","ids":["rita","ana"],"min_approvals":2},{"type":"user","ids":["bo"]}`, `,"quorum":{"mode":"any"}`), "", "approver approver rescue"},
		{"one person for two minimums", byRule("s", `{"type":"user","ids":["ana"],"min_approvals":1},{"type":"expression","cel":"context.one","min_approvals":1}`, `,"quorum":{"mode":"any"}`), "", "approver rescue"},
		{"a pool of one for two", byRule("s", `{"type":"user","ids":["ana","rita"]}`, `,"assignment":"pool","quorum":{"mode":"count","value":2}`), "", "rescue approver"},
		{"skip, with the requester excluded", byRule("s", `{"type":"user","ids":["rita"]}`, `,"on_empty":"skip"`), "", "rescue"},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := boot(t, Options{})
			w.policy("p", row.settings, row.stage)
			blocked := w.request("p", `"context":{"none":[],"one":"ana"}`)
			same(t, "status", blocked.Response("status"), "blocked")
			same(t, "stage", blocked.Response("stages", 0, "status"), "blocked")
			same(t, "code", blocked.Response("status_reason", "code"), "no_approvers")
			got := strings.Fields(kinds(blocked))
			slices.Sort(got)
			want := strings.Fields(row.want)
			slices.Sort(want)
			same(t, "tasks", strings.Join(got, " "), strings.Join(want, " "))
			if blocked.Response("stages", 0, "retry_at") == "" {
				t.Errorf("%s is not looked at again", blocked)
			}
		})
	}
}

func TestExclusionDoesNotLowerRequiredApprovals(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", byRule("s", `{"type":"user","ids":["rita"],"required":true},`+anaAndBo, `,"quorum":{"mode":"any"}`))
	created := w.request("p", "")
	decided := w.ana.Post("/v1/wf/tasks/"+task(t, created, "ana")+"/decision", `{"action":"approve"}`).Want(200)
	same(t, "one approval is not enough", decided.Response("request", "status"), "blocked")
	rescue := "/v1/wf/tasks/" + task(t, created, "")
	w.root.Post(rescue+"/reassign", `{"new_assignee":"rita"}`).Refused(409, "WF-007")
	w.root.Post(rescue+"/reassign", `{"new_assignee":"root"}`).Refused(409, "WF-007") // the rules do not yield them
	same(t, "kind", w.root.Post(rescue+"/reassign", `{"new_assignee":"dora"}`).Want(200).Response("kind"), "approver")
	dora := w.Client(t, "dora")
	dora.Post(rescue+"/decision", `{"action":"abstain"}`).Refused(409, "WF-007")
	decided = dora.Post(rescue+"/decision", `{"action":"approve"}`).Want(200)
	same(t, "the rescue and ana", decided.Response("request", "status"), "approved")
}

func TestUnderstaffedStageIsStaffedByRetryOrByAdmin(t *testing.T) {
	for name, again := range map[string]func(*testing.T, *callers, string){
		"by itself": func(t *testing.T, w *callers, _ string) {
			w.Clock.Advance(5e9)
			if n, err := w.Engine.Timers.RetryStages(t.Context(), w.Clock.Now(), 10); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		},
		"by an admin": func(t *testing.T, w *callers, path string) {
			reply := w.root.Post(path, nil).Want(200)
			same(t, "status", reply.Response("status"), "in_review")
			same(t, "ETag", reply.Header.Get("ETag"), reply.Response("etag"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			directory := &staff{roles: map[string][]string{"officer": nil}}
			w := boot(t, Options{Resolve: directory.resolve})
			w.policy("p", "", byRule("s", officer, `,"quorum":{"mode":"count","value":2}`))
			created := w.request("p", "")
			id := created.Response("id")
			path := "/v1/wf/admin/requests/" + id + "/reevaluate"
			same(t, "tasks", kinds(created), "rescue rescue")

			directory.set("officer", "ana")
			same(t, "still short", w.root.Post(path, nil).Want(200).Response("status"), "blocked")
			directory.set("officer", "ana", "bo")
			again(t, w, path)
			staffed := w.rita.Get("/v1/wf/requests/" + id).Want(200)
			same(t, "status", staffed.Response("status"), "in_review")
			same(t, "reason", staffed.Response("status_reason"), "")
			for _, rescue := range []int{0, 1} {
				closed := w.rita.Get("/v1/wf/tasks/" + created.Response("tasks", rescue, "id")).Want(200)
				same(t, "rescue", closed.Response("status")+" "+closed.Response("close_reason"), "skipped not_needed")
			}
			for _, who := range []string{"ana", "bo"} {
				w.Client(t, who).Post("/v1/wf/tasks/"+task(t, staffed, who)+"/decision", `{"action":"approve"}`).Want(200)
			}
			same(t, "status", w.rita.Get("/v1/wf/requests/"+id).Response("status"), "approved")
			w.root.Post(path, nil).Refused(409, "WF-007") // it is over
		})
	}
}

func TestReevaluationIsForStagesThatWaitForPeople(t *testing.T) {
	directory := &staff{roles: map[string][]string{"officer": nil, "clerk": {"ana"}}}
	w := boot(t, Options{Resolve: directory.resolve})
	w.policy("p", "", byRule("s", officer, ""))
	w.policy("plain", "", anyApproves)
	w.policy("veto", "", byRule("s", `{"type":"user","ids":["ana"],"required":true},{"type":"user","ids":["bo"]}`,
		`,"quorum":{"mode":"any"},"rejection":{"mode":"count","value":3,"on_unreachable":"block"}`))
	w.policy("next", "", byRule("s", `{"type":"role","role":"clerk"}`, ""), byRule("t", officer, ""))
	path := func(request Reply) string {
		return "/v1/wf/admin/requests/" + request.Response("id") + "/reevaluate"
	}
	short := w.request("p", "")
	for _, c := range []*Client{w.rita, w.vic, w.eve} {
		c.Post(path(short), nil).Refused(403, "WF-008")
	}
	w.Anonymous(t).Post(path(short), nil).Refused(401, "WF-008")
	w.root.Post("/v1/wf/admin/requests/"+unknownID+"/reevaluate", nil).Refused(404, "WF-003")
	w.root.Post("/v1/wf/admin/requests/"+noID+"/reevaluate", nil).Refused(404, "WF-003")
	w.root.Post(path(w.request("plain", "")), nil).Refused(409, "WF-007")

	vetoed := w.request("veto", "") // blocked by a decision: only its rescue can continue it
	w.ana.Post("/v1/wf/tasks/"+task(t, vetoed, "ana")+"/decision", `{"action":"reject"}`).Want(200)
	same(t, "status", w.rita.Get("/v1/wf/requests/"+vetoed.Response("id")).Response("status"), "blocked")
	w.root.Post(path(vetoed), nil).Refused(409, "WF-007")

	next := w.request("next", "")
	directory.isDown(true)
	w.ana.Post("/v1/wf/tasks/"+task(t, next, "ana")+"/decision", `{"action":"approve"}`).Want(200)
	waiting := w.root.Post(path(next), nil).Want(200)
	same(t, "stage", waiting.Response("stages", 1, "status"), "resolving")
	directory.isDown(false)
	directory.set("officer", "bo")
	same(t, "stage", w.root.Post(path(next), nil).Want(200).Response("stages", 1, "status"), "active")
}
