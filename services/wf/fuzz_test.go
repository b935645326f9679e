package wf_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/policy"
)

// FuzzDefinition checks that no document makes Validate panic, and that an open request under
// a valid definition always has a task, timer or rescue, whatever the decisions. The bytes of
// the second argument are the decisions.
func FuzzDefinition(f *testing.F) {
	for _, doc := range []string{
		`{}`, `null`, `{"name":"No stages","stages":[]}`,
		`{"name":"One","stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["ana","bo"]}]}]}`,
		`{"name":"Two and a director","settings":{"repeat_approver":"exclude","expires_in":null,"max_revisions":1},"stages":[
			{"key":"checks","name":"Checks","approvers":[{"type":"user","ids":["ana","bo"],"min_approvals":1},{"type":"user","ids":["bo","cy"],"min_approvals":1}],
			 "quorum":{"mode":"count","value":2},"rejection":{"mode":"veto","on_unreachable":"block"}},
			{"key":"director","name":"Director","assignment":"pool","approvers":[{"type":"user","ids":["cy","dee"]}],"quorum":{"mode":"any"}}]}`,
		`{"name":"Parallel","settings":{"repeat_approver":"exclude"},"stages":[
			{"key":"a","name":"A","parallel_group":"g","assignment":"pool","approvers":[{"type":"user","ids":["ana","bo"]}],"quorum":{"mode":"percentage","value":50}},
			{"key":"b","name":"B","parallel_group":"g","approvers":[{"type":"user","ids":["ana","cy"],"required":true}],"quorum":{"mode":"any","wait_for_all":true}}]}`,
		`{"name":"Empty","settings":{"on_no_stages":"approve","fallback_approvers":[{"type":"user","ids":["dee"]}]},"stages":[
			{"key":"a","name":"A","on_empty":"skip","approvers":[{"type":"user","ids":["rita"]}]},
			{"key":"b","name":"B","on_empty":"fallback","approvers":[{"type":"user","ids":["sam"]}]},
			{"key":"c","name":"C","approvers":[{"type":"stage_actor","stage":"b"}],"rejection":{"mode":"count","value":2,"on_unreachable":"block"},"allow":{"abstain":true}}]}`,
		`{"name":"Repeat","settings":{"repeat_approver":"auto_approve","requester_may_approve":true,"on_resubmit":"resume"},"stages":[
			{"key":"a","name":"A","reauth":{"max_age":"PT5M","acr_values":["gold"]},"approvers":[{"type":"user","ids":["rita","ana"]}]},
			{"key":"b","name":"B","approvers":[{"type":"user","ids":["ana","rita"]}]}]}`,
		`{"name":"Wrong","settings":{"delegation":{"allowed":1}},"stages":[{"key":"a","parallel_group":"g"},{"key":"a"},{"key":"A","parallel_group":"g",
			"quorum":{"mode":"count","value":9223372036854775807},"approvers":[{"type":"http"},{"min_approvals":9223372036854775807},{"min_approvals":9223372036854775807}]}]}`,
	} {
		f.Add([]byte(doc), []byte{0, 1, 2, 3, 5, 8, 13, 21})
	}
	f.Fuzz(func(t *testing.T, doc, choices []byte) {
		var def policy.Definition
		if json.NewDecoder(bytes.NewReader(doc)).Decode(&def) != nil {
			return
		}
		_ = def.Validate(policy.Capabilities{})
		if slices.ContainsFunc(def.Validate(everything), func(f policy.Finding) bool { return f.Problem != "" }) {
			return
		}
		m := &model{story: tell(t, def)}
		if m.start() != nil {
			return
		}
		if len(choices) > 50 {
			choices = choices[:50]
		}
		for _, choice := range choices {
			m.follow(choice)
			m.checkLife(t)
		}
	})
}

// follow applies one action to one of the live tasks.
func (m *model) follow(choice byte) {
	var open []wf.Task
	for _, task := range m.now.Tasks {
		if live(task) {
			open = append(open, task)
		}
	}
	if len(open) == 0 {
		_ = m.resubmit(person("rita"), "")
		return
	}
	task, by := open[int(choice)%len(open)], cast[int(choice)%len(cast)]
	switch {
	case task.Kind == wf.RescueTask:
		_ = m.reassign(task.ID, by, root)
		return
	case task.Assignee != nil:
		by = task.Assignee.ID
	}
	_ = m.act(task.ID, by, []wf.Action{wf.ActionApprove, wf.ActionApprove, wf.ActionReject, wf.ActionAbstain, wf.ActionRequestChanges}[int(choice)%5])
}
