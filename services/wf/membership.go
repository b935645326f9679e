package wf

import (
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// release takes the place from an approver of the run and refuses the actor.
func (c taskChange) release(id string, refused error) error {
	c.keep, c.by = true, identity.SystemDirectory
	c.removeApprover(c.task, id)
	if err := c.advance(); err != nil {
		return err
	}
	return refused
}

// recheck rejects an act for a person whose membership has ended, and releases their task. Approvers assigned by an
// admin or by reassignment have no membership.
func (c taskChange) recheck(owner identity.User) error {
	mode := c.def.Settings.MembershipRecheck
	if c.facts.TrustMembership || mode == policy.RecheckNone {
		return nil
	}
	member, failure := c.membership(owner.ID, recheckAge(mode))
	switch {
	case member:
		return nil
	case failure != nil && mode == policy.RecheckStrict:
		return reason.NoAnswer("stage %s: %s", c.run.Key, failure.Message)
	case failure != nil:
		c.stale = true
		return nil
	}
	return c.release(owner.ID, refusal.New(reason.Forbidden, "%s is no longer an approver of stage %s", c.name(owner), c.run.Key))
}

// membership reports whether the rules of an approver still yield them. A failed or unavailable rule does not
// end a membership.
func (c runChange) membership(id string, maxAge time.Duration) (member bool, failure *refusal.Error) {
	i := c.run.entry(id)
	if i < 0 || c.run.People[i].PlacedBy != nil || c.run.People[i].Reassigned {
		return true, nil
	}
	rules := c.run.rulesBehind(c.run.People[i], c.def)
	member, failure = c.YieldsAny(id, len(rules), func(i int) ([]identity.User, *refusal.Error) { return c.people(rules[i], c.run, maxAge) })
	return member || len(rules) == 0, failure
}

// removeApprover removes an approver from the run. task is the task of the failed check, or nil.
func (c runChange) removeApprover(task *Task, id string) {
	if !c.run.Pool {
		for i := range c.Tasks {
			if t := &c.Tasks[i]; c.run.Owns(*t) && t.Status.live() && t.holder() == id {
				c.onTask(t).reassignOrphaned()
				return
			}
		}
		return
	}
	c.run.leave(id)
	if i := c.run.entry(id); i >= 0 {
		c.run.People[i].Ineligible = true
	}
	noted := false
	for i := range c.Tasks {
		if t := &c.Tasks[i]; c.run.Owns(*t) && t.Status.live() && t.holder() == id {
			*t = t.unclaim(true, c.facts.At)
			c.note(audit.EventTaskOrphaned, c.run, t)
			noted = true
		}
	}
	if !noted {
		c.note(audit.EventTaskOrphaned, c.run, task)
	}
	c.joinPool()
}

// joinPool adds the approvers that the rules of a pool now yield.
func (c runChange) joinPool() {
	stage := c.stage()
	yields := make([][]identity.User, len(stage.Approvers))
	for i := range yields {
		yields[i], _ = c.approvers(i, 0)
	}
	used, fit := c.run.occupants(c.Tasks), c.fitToJoin()
	var joining []approver.Approver
	var people []identity.User
	for _, a := range approver.Union(yields) {
		if !used[a.ID] && c.run.entry(a.ID) < 0 {
			joining, people = append(joining, a), append(people, a.User)
		}
	}
	there := c.KnownUsers(people)
	for _, a := range joining {
		_, here := there[a.ID] // a rule may yield a person absent from the directory
		if who, may := fit(a.User); may && here && len(c.run.People) < policy.MaxPool {
			a.Added = true
			c.run.add(who, a)
		}
	}
}

// reassignOrphaned reassigns the task of a former approver and records task.orphaned. The successor comes
// from the rules of the task or from the fallback approvers (task.reassigned follows). Without a
// successor, the task becomes a rescue task for an admin. The task keeps its seat, so the quorum is
// not weakened. The task of an approver added by escalation is closed.
func (c taskChange) reassignOrphaned() {
	gone := c.task.holder()
	c.run.leave(gone)
	if i := c.run.entry(gone); i >= 0 {
		c.run.People[i].Ineligible = true
	}
	if c.task.escalated() { // the stage lacks nobody without them
		*c.task = c.task.close(TaskSkipped, ClosedApproverLost, c.facts.At)
		c.note(audit.EventTaskClosed, c.run, c.task)
		return
	}
	var who approver.Fit
	var next *approver.Approver
	if !c.task.Rescue {
		who, next = c.successor()
	}
	if next == nil {
		*c.task = c.task.orphan(c.facts.At)
		c.note(audit.EventTaskOrphaned, c.run, c.task)
		return
	}
	left := *c.task
	left.ReassignedFrom, left.Assignee = c.task.Assignee, nil
	c.note(audit.EventTaskOrphaned, c.run, &left)
	if c.run.entry(next.ID) < 0 {
		c.run.add(who, *next)
	}
	*c.task = c.task.reassign(who, c.facts.At)
	c.task.Rules = next.Rules
	c.note(audit.EventTaskReassigned, c.run, c.task)
}

// successor returns a new approver for a task: one that its rules yield, or a fallback approver
// with all its rules. It returns nil without a candidate.
func (c taskChange) successor() (approver.Fit, *approver.Approver) {
	stage := c.stage()
	yields := make([][]identity.User, len(stage.Approvers))
	var fallback []identity.User
	last := c.def.Settings.FallbackApprovers
	for _, rule := range c.task.Rules {
		yields[rule], _ = c.approvers(rule, 0)
	}
	for _, rule := range last {
		people, _ := c.people(rule, c.run, 0)
		fallback = append(fallback, people...)
	}
	next := approver.Union(yields)
	people := slices.Clone(fallback)
	for _, a := range next {
		people = append(people, a.User)
	}
	there, used, fit := c.KnownUsers(people), c.run.occupants(c.Tasks), c.fitToJoin()
	free := func(u identity.User) (approver.Fit, bool) {
		_, here := there[u.ID] // a rule may yield a person absent from the directory
		who, may := fit(u)
		return who, may && here && !used[u.ID]
	}
	for _, a := range next {
		if who, ok := free(a.User); ok {
			return who, &a
		}
	}
	for _, u := range fallback {
		if who, ok := free(u); ok {
			return who, &approver.Approver{User: u, Rules: c.task.Rules, Fallback: true}
		}
	}
	return approver.Fit{}, nil
}
