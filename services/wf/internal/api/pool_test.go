package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// poolOf is a pool with these rules that needs so many approvals.
func poolOf(need int, members string, rules ...string) string {
	return byRule("s", strings.Join(rules, ","), fmt.Sprintf(`,"assignment":"pool","quorum":{"mode":"count","value":%d}%s`, need, members))
}

// users returns a rule with these users and a minimum.
func users(min int, ids ...string) string {
	return fmt.Sprintf(`{"type":"user","ids":["%s"],"min_approvals":%d}`, strings.Join(ids, `","`), min)
}

// people at a path of a reply, in alphabetical order.
func peopleAt(r Reply, path ...any) string {
	var ids []string
	for i := 0; ; i++ {
		id := r.Response(append(path, i, "id")...)
		if id == "" {
			slices.Sort(ids)
			return strings.Join(ids, " ")
		}
		ids = append(ids, id)
	}
}

// inbox returns the numbers of claimable and held tasks of a user.
func inbox(c *Client) string {
	return fmt.Sprintf("%d %d", len(c.Get("/v1/wf/tasks?candidate=me").Want(200).Items("id")),
		len(c.Get("/v1/wf/tasks?assignee=me&status=open,claimed").Want(200).Items("id")))
}

func TestPoolTasksAreInterchangeable(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", poolOf(2, "", users(1, "ana", "bo"), `{"type":"user","ids":["cfo"],"min_approvals":1,"label":"the CFO"}`))
	cfo := w.Client(t, "cfo")
	created := w.request("p", "")
	first, second := "/v1/wf/tasks/"+created.Response("tasks", 0, "id"), "/v1/wf/tasks/"+created.Response("tasks", 1, "id")
	same(t, "tasks", kinds(created), "approver approver")
	before := w.rita.Get(second).Want(200)
	same(t, "candidates", peopleAt(before, "candidates"), "ana bo cfo")
	same(t, "rules", before.Response("rules")+before.Response("rule_labels"), `[0,1]["user","the CFO"]`)
	for who, want := range map[*Client]string{w.ana: "2 0", w.bo: "2 0", cfo: "2 0", w.eve: "0 0"} {
		same(t, "inbox", inbox(who), want)
	}

	w.ana.Post(first+"/claim", nil).Want(200)
	after := w.rita.Get(second).Want(200)
	same(t, "etag", after.Header.Get("ETag"), before.Header.Get("ETag"))
	same(t, "updated_at", after.Response("updated_at"), before.Response("updated_at"))
	same(t, "candidates", peopleAt(after, "candidates"), "cfo")
	same(t, "candidate_count", after.Response("candidate_count"), "1")
	same(t, "rules", after.Response("rules")+after.Response("rule_labels"), `[1]["the CFO"]`)
	same(t, "in the request", peopleAt(w.rita.Get("/v1/wf/requests/"+created.Response("id")), "tasks", 1, "candidates"), "cfo")
	for who, want := range map[*Client]string{w.ana: "0 1", w.bo: "0 0", cfo: "1 0"} {
		same(t, "inbox", inbox(who), want)
	}
	same(t, "actions of bo", w.bo.Get(second).Want(200).Response("allowed_actions"), `[]`)
	same(t, "actions of the cfo", cfo.Get(second).Want(200).Response("allowed_actions"), `["claim","decide"]`)
	w.bo.Post(second+"/claim", nil).Refused(409, "WF-007")                        // not now
	w.bo.Post(second+"/decision", `{"action":"approve"}`).Refused(409, "WF-007")  // nor this
	w.bo.Post(first+"/claim", nil).Refused(409, "WF-007")                         // ana has it
	w.ana.Post(second+"/claim", nil).Refused(409, "WF-007")                       // one person, one act
	w.eve.Post(second+"/claim", nil).Refused(403, "WF-008")                       // a stranger
	w.eve.Post(second+"/decision", `{"action":"approve"}`).Refused(403, "WF-008") // the same
	w.ana.Post(first+"/unclaim", nil).Want(200)                                   // frees her
	same(t, "inbox", inbox(w.bo), "2 0")                                          // and them
	w.bo.Post(second+"/decision", `{"action":"approve"}`).Want(200)               // whichever task
	cfo.Post(first+"/decision", `{"action":"approve"}`).Want(200)                 // it does not matter
	w.ana.Post(first+"/decision", `{"action":"approve"}`).Refused(409, "WF-007")  // too late
	w.ana.Post(second+"/claim", nil).Refused(409, "WF-007")                       // too late
	w.eve.Post(second+"/claim", nil).Refused(403, "WF-008")                       // still
	same(t, "status", w.rita.Get("/v1/wf/requests/"+created.Response("id")).Response("status"), "approved")
	same(t, "candidates", w.rita.Get(first).Response("candidates"), "[]")
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
