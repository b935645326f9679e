package api_test

import (
	"fmt"
	"testing"
)

// allowed_actions listed reassign where every target is refused. The list and the task agree
// with the call.
func TestReassignIsListedOnlyWhereSomeTargetIsAccepted(t *testing.T) {
	const refused, accepted = `["claim","decide"]`, `["claim","decide","reassign"]`
	stage := func(members string) string { return override(bothApprove, members) }
	for name, c := range map[string]struct {
		settings, stage, actions string
		status                   int // of a call to the only approver that may be left
	}{
		"all approvers hold a task": {"", stage(`"quorum":{"mode":"all"}`), refused, 409},
		"reassign none":             {"", stage(`"allow":{"reassign":"none"}`), refused, 403},
		"reassign any":              {"", stage(`"allow":{"reassign":"any"}`), accepted, 409},
	} {
		t.Run(name, func(t *testing.T) {
			w := boot(t, Options{})
			w.policy("p", c.settings, c.stage)
			id := task(t, w.request("p", ""), "ana")
			path := "/v1/wf/tasks/" + id
			same(t, "actions of ana", w.ana.Get(path).Want(200).Response("allowed_actions"), c.actions)
			same(t, "in their inbox", w.ana.Get("/v1/wf/tasks?inbox=me").Want(200).Response("items", 0, "allowed_actions"), c.actions)
			same(t, "actions of an admin", w.root.Get(path).Want(200).Response("allowed_actions"), `["reassign"]`)
			w.ana.Post(path+"/reassign", `{"new_assignee":"bo"}`).Want(c.status)
			status := 200
			if c.actions == refused {
				status = c.status
			}
			w.ana.Post(path+"/reassign", `{"new_assignee":"fay"}`).Want(status)
		})
	}
	t.Run("an approver without a task is left", func(t *testing.T) {
		w := boot(t, Options{})
		w.policy("p", "", bothApprove)
		request := w.request("p", "")
		w.root.Post("/v1/wf/tasks/"+task(t, request, "bo")+"/reassign", `{"new_assignee":"fay"}`).Want(200)
		path := "/v1/wf/tasks/" + task(t, request, "ana")
		same(t, "actions of ana", w.ana.Get(path).Want(200).Response("allowed_actions"), accepted)
		same(t, "in their inbox", w.ana.Get("/v1/wf/tasks?inbox=me").Want(200).Response("items", 0, "allowed_actions"), accepted)
		w.ana.Post(path+"/reassign", `{"new_assignee":"bo"}`).Want(200)
	})
	t.Run("a delegate", func(t *testing.T) {
		w := boot(t, Options{})
		w.policy("p", "", stage(`"allow":{"reassign":"any"}`))
		path := "/v1/wf/tasks/" + task(t, w.request("p", ""), "ana")
		w.ana.Post("/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-05T00:00:00Z"}`).Want(201)
		dan := w.Client(t, "dan")
		same(t, "actions of dan", dan.Get(path).Want(200).Response("allowed_actions"), refused)
		dan.Post(path+"/reassign", `{"new_assignee":"fay"}`).Refused(403, "WF-008")
	})
	for members, want := range map[string]string{`["ana","bo"]`: `["decide","unclaim","reassign"]`, `["ana"]`: `["decide","unclaim"]`} {
		t.Run("a pool of "+members, func(t *testing.T) {
			w := boot(t, Options{})
			w.policy("p", "", fmt.Sprintf(
				`{"key":"s","name":"S","assignment":"pool","quorum":{"mode":"count","value":1},"approvers":[{"type":"user","ids":%s}]}`, members))
			path := "/v1/wf/tasks/" + task(t, w.request("p", ""), "")
			same(t, "actions of ana", w.ana.Post(path+"/claim", nil).Want(200).Response("allowed_actions"), want)
			same(t, "in their inbox", w.ana.Get("/v1/wf/tasks?inbox=me").Want(200).Response("items", 0, "allowed_actions"), want)
		})
	}
}
