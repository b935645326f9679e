package api_test

import (
	"testing"
)

// The task, the inbox and the call agree on the right to reassign.
func TestReassignIsListedOnlyWhereSomeTargetIsAccepted(t *testing.T) {
	for name, c := range map[string]struct {
		stage, actions string
		status         int // of a reassignment to fay
	}{
		"all approvers hold a task": {`"quorum":{"mode":"all"}`, `["claim","decide"]`, 409},
		"reassign none":             {`"allow":{"reassign":"none"}`, `["claim","decide"]`, 403},
		"reassign any":              {`"allow":{"reassign":"any"}`, `["claim","decide","reassign"]`, 200},
	} {
		t.Run(name, func(t *testing.T) {
			w := boot(t, Options{})
			w.policy("p", "", override(bothApprove, c.stage))
			path := "/v1/wf/tasks/" + task(t, w.request("p", ""), "ana")
			same(t, "actions of ana", w.ana.Get(path).Want(200).Response("allowed_actions"), c.actions)
			same(t, "in their inbox", w.ana.Get("/v1/wf/tasks?inbox=me").Want(200).Response("items", 0, "allowed_actions"), c.actions)
			same(t, "actions of an admin", w.root.Get(path).Want(200).Response("allowed_actions"), `["reassign"]`)
			w.ana.Post(path+"/reassign", `{"new_assignee":"fay"}`).Want(c.status)
		})
	}
}
