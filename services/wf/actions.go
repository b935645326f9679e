package wf

import (
	"slices"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// Actions returns the actions available to the person on the request.
func (r Request) Actions(def policy.Definition, by identity.Actor) []string {
	actions := []string{}
	party := r.isParty(by.ID)
	if !r.Status.Final() && (party || by.Has(identity.RoleAdmin)) {
		actions = append(actions, "cancel")
	}
	if r.Status == RequestChangesRequested && party {
		actions = append(actions, "resubmit")
	}
	if r.Standing == StandingInForce && r.mayRevoke(by) {
		actions = append(actions, "revoke")
	}
	if r.Standing == StandingInForce && def.Settings.SingleUse && r.mayConsume(def, by) {
		actions = append(actions, "consume")
	}
	return actions
}

// TaskActions returns the actions available to the person on a task, based on the request alone.
// The request contains at least the tasks of the task's run.
func (r Request) TaskActions(def policy.Definition, t Task, run StageRun, by identity.Actor) []string {
	actions := []string{}
	if !t.Status.live() {
		return actions
	}
	holds := t.HeldBy(by.ID)
	claimable := slices.ContainsFunc(run.EligibleClaimants(t, r.Tasks), func(c Claimant) bool { return c.ID == by.ID })
	if t.Status == TaskOpen && (holds || claimable) {
		actions = append(actions, "claim")
	}
	if holds || claimable {
		actions = append(actions, "decide")
	}
	if t.Status == TaskClaimed && (holds || by.Has(identity.RoleAdmin)) {
		actions = append(actions, "unclaim")
	}
	c := &change{Request: r, def: def, by: by}
	if c.mayReassign(t, c.onRun(&run).stage()) == nil && (c.reassignsToAnyone(run) || len(c.onRun(&run).receivers(t)) > 0) {
		actions = append(actions, "reassign")
	}
	return actions
}
