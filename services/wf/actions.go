package wf

import (
	"github.com/countersign/countersign/services/wf/identity"
)

// Actions returns the actions available to the person on the request.
func (c Case) Actions(by identity.Actor) []string {
	r := c.Request
	by.Owner = by.Owner || c.Owner
	actions := []string{}
	party := r.isParty(by.ID)
	if !r.Status.Final() && (party || by.Has(identity.RoleAdmin)) {
		actions = append(actions, "cancel")
	}
	if r.Status == RequestChangesRequested && party {
		actions = append(actions, "resubmit")
	}
	if r.Standing.Stands() && r.mayRevoke(by) {
		actions = append(actions, "revoke")
	}
	if r.Standing == StandingInForce && c.Definition.Settings.SingleUse && r.mayConsume(c.Definition, by) {
		actions = append(actions, "consume")
	}
	return actions
}

// TaskActions returns the actions available to the person on a task, based on the request alone.
// The request contains at least the tasks of the task's run.
func (c Case) TaskActions(t Task, run StageRun, by identity.Actor) []string {
	actions := []string{}
	if !t.Status.live() || c.Request.Overdue(c.Now) {
		return actions
	}
	at := c.onTask(t, run, by)
	owner, err := at.mayAct("")
	decides := err == nil && !by.IsRepresented() && (owner.owner.ID == by.ID || at.requireNoPlace() == nil)
	if decides && !t.hasClaim(by.ID) {
		actions = append(actions, "claim")
	}
	if decides {
		actions = append(actions, "decide")
	}
	if t.Status == TaskClaimed && (t.HeldBy(by.ID) || t.hasClaim(by.ID) || by.Has(identity.RoleAdmin)) {
		actions = append(actions, "unclaim")
	}
	if !by.IsRepresented() && at.mayReassign() == nil && (at.reassignsToAnyone() || len(at.receivers()) > 0) {
		actions = append(actions, "reassign")
	}
	return actions
}

// OnBehalfOf returns the delegator for whom the person may act on an open task; nil for their own acts and without a
// right.
func (c Case) OnBehalfOf(t Task, run StageRun, by identity.Actor) *identity.User {
	if !t.Status.live() {
		return nil
	}
	owner, ok := c.onTask(t, run, by).principal("")
	if !ok || owner.ID == by.ID {
		return nil
	}
	return &owner
}

// Receivers returns the approvers eligible for reassignment of the task, based on the request
// alone. The request contains at least the tasks of the run.
func (c Case) Receivers(t Task, run StageRun) []identity.User {
	return c.onTask(t, run, identity.Actor{}).receivers()
}

// onTask returns the rights of a caller on a task without the facts of a transition.
func (c Case) onTask(t Task, run StageRun, by identity.Actor) taskChange {
	all := &change{Request: c.Request, def: c.Definition, by: by, facts: Facts{At: c.Now, Delegations: c.Delegations}}
	return all.onRun(&run).onTask(&t)
}
