package api_test

import (
	"context"
	"fmt"
	"slices"
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

func TestReevaluationIsForStagesThatWaitForPeople(t *testing.T) {
	directory := &staff{roles: map[string][]string{"officer": {"bo"}}}
	w := boot(t, Options{Resolve: directory.resolve})
	w.policy("p", "", anyApproves, byRule("t", officer, ""))
	request := w.request("p", "")
	path := "/v1/wf/admin/requests/" + request.Response("id") + "/reevaluate"
	w.vic.Post(path, nil).Refused(403, "WF-008")
	w.root.Post(path, nil).Refused(409, "WF-007")
	directory.isDown(true)
	w.ana.Post("/v1/wf/tasks/"+task(t, request, "ana")+"/decision", `{"action":"approve"}`).Want(200)
	same(t, "stage", w.root.Post(path, nil).Want(200).Response("stages", 1, "status"), "resolving")
	directory.isDown(false)
	same(t, "stage", w.root.Post(path, nil).Want(200).Response("stages", 1, "status"), "active")
}
