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
