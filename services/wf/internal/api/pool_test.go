package api_test

import (
	"fmt"
	"strings"
	"testing"
)

// users returns a rule with these users and a minimum.
func users(min int, ids ...string) string {
	return fmt.Sprintf(`{"type":"user","ids":["%s"],"min_approvals":%d}`, strings.Join(ids, `","`), min)
}

// A claim of one task of a pool changes the claimants of the others, and not their version.
func TestAClaimShowsInTheOtherTasksOfAPool(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", byRule("s", users(1, "ana", "bo")+`,{"type":"user","ids":["cfo"],"min_approvals":1,"label":"the CFO"}`,
		`,"assignment":"pool","quorum":{"mode":"count","value":2}`))
	created := w.request("p", "")
	first, second := "/v1/wf/tasks/"+created.Response("tasks", 0, "id"), "/v1/wf/tasks/"+created.Response("tasks", 1, "id")
	shown := func(r Reply) string {
		return r.Response("candidates") + r.Response("candidate_count") + r.Response("rules") + r.Response("rule_labels")
	}
	before := w.rita.Get(second).Want(200)
	same(t, "before", shown(before), `[{"id":"ana"},{"id":"bo"},{"id":"cfo"}]3[0,1]["user","the CFO"]`)
	w.ana.Post(first+"/claim", nil).Want(200)
	after := w.rita.Get(second).Want(200)
	same(t, "after", shown(after), `[{"id":"cfo"}]1[1]["the CFO"]`)
	same(t, "etag", after.Header.Get("ETag"), before.Header.Get("ETag"))
	same(t, "for bo", len(w.bo.Get("/v1/wf/tasks?candidate=me").Want(200).Items("id")), 0)
	w.bo.Post(second+"/claim", nil).Refused(409, "WF-007")
}

// A rescuer in a pool was shown as selected by the rule.
func TestRescuerIsReturnedWithTheAssigningAdmin(t *testing.T) {
	for name, assignment := range map[string]string{"pool": "pool", "each": "each"} {
		t.Run(name, func(t *testing.T) {
			w := boot(t, Options{})
			w.policy("p", "", byRule("s", users(0, "ana", "rita"), `,"assignment":"`+assignment+`","quorum":{"mode":"count","value":2}`))
			created := w.request("p", "")
			path := "/v1/wf/tasks/" + w.root.Get("/v1/wf/tasks?kind=rescue&status=open&request_id=" + created.Response("id")).Items("id")[0]
			same(t, "before", w.root.Get(path).Want(200).Response("placed_by"), "")
			w.root.Post(path+"/reassign", `{"new_assignee":"dora"}`).Want(200)
			same(t, "the task", w.root.Get(path).Want(200).Response("placed_by", "id"), "root")
			shown := w.rita.Get("/v1/wf/requests/" + created.Response("id")).Want(200)
			for i, want := range []string{`ana ["rules[0] user"] `, `dora [] root`} {
				at := func(member ...any) string {
					return shown.Response(append([]any{"stages", 0, "approvers", i}, member...)...)
				}
				same(t, "an approver", at("user", "id")+" "+at("via")+" "+at("placed_by", "id"), want)
			}
		})
	}
}
