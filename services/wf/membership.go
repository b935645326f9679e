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

// membershipAge is the maximum age of a cached membership.
const membershipAge = 5 * time.Minute

// recheck rejects an actor whose membership has ended, and releases their task. For a delegate it
// checks the membership of the owner. Approvers assigned by an admin or by reassignment have no
// membership.
func (c taskChange) recheck(id string) error {
	mode := c.def.Settings.MembershipRecheck
	if c.facts.TrustMembership || mode == policy.RecheckNone {
		return nil
	}
	maxAge := membershipAge
	if mode == policy.RecheckStrict {
		maxAge = -1
	}
	member, failure := c.membership(id, maxAge)
	switch {
	case member:
		return nil
	case failure != nil && mode == policy.RecheckStrict:
		return reason.NoAnswer("stage %s: %s", c.run.Key, failure.Message)
	case failure != nil:
		c.stale = true
		return nil
	}
	c.keep, c.by = true, identity.SystemDirectory
	c.removeApprover(c.task, id)
	if err := c.advance(); err != nil {
		return err
	}
	return refusal.New(reason.Forbidden, "the caller is no longer an approver of stage %s", c.run.Key)
}

// membership reports whether the rules of an approver still yield them. A failed or unavailable rule does not
// end a membership.
func (c runChange) membership(id string, maxAge time.Duration) (member bool, failure *refusal.Error) {
	i := c.run.entry(id)
	if i < 0 || c.run.People[i].PlacedBy != nil || c.run.People[i].Reassigned {
		return true, nil
	}
	rules := c.rulesBehind(c.run.People[i])
	if c.Any(len(rules), func(i int) bool {
		people, err := c.people(rules[i], c.run, maxAge)
		if err != nil {
			failure = err
		}
		return slices.ContainsFunc(people, func(u identity.User) bool { return u.ID == id })
	}) {
		return true, nil
	}
	return len(rules) == 0, failure
}

// rulesBehind returns the rules that yielded an approver of the run.
func (c runChange) rulesBehind(a approver.Approver) []policy.Rule {
	if a.Fallback {
		return c.def.Settings.FallbackApprovers
	}
	stage := c.stage()
	var rules []policy.Rule
	for _, i := range a.Rules {
		rules = append(rules, stage.Approvers[i])
	}
	return rules
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
	c.joinPool(id)
}

// joinPool adds the approvers that the rules of a pool now yield.
func (c runChange) joinPool(gone string) {
	stage := c.stage()
	yields := make([][]identity.User, len(stage.Approvers))
	c.Want(len(yields), func(i int) { yields[i], _ = c.approvers(i, 0) })
	used := c.run.occupied(c.Tasks)
	var joining []approver.Approver
	var people []identity.User
	for _, a := range approver.Union(yields) {
		i := c.run.entry(a.ID)
		if a.ID != gone && !used[a.ID] && (i < 0 || c.run.People[i].Ineligible) && c.unfit(a.User) == "" {
			joining, people = append(joining, a), append(people, a.User)
		}
	}
	there := c.KnownUsers(people)
	for _, a := range joining {
		_, here := there[a.ID] // a rule may yield a person absent from the directory
		switch i := c.run.entry(a.ID); {
		case !here || len(c.run.People) >= policy.MaxPool:
		case i < 0:
			a.Added = true
			c.run.People = append(c.run.People, a)
		default:
			c.run.People[i].Ineligible = false
		}
	}
}

// reassignOrphaned reassigns the task of a former approver and records task.orphaned. The successor comes
// from the rules of the task or from the fallback approvers (task.reassigned follows). Without a
// successor, the task becomes a rescue task for an admin. The task keeps its seat, so the quorum is
// not weakened.
func (c taskChange) reassignOrphaned() {
	gone := c.task.holder()
	if i := c.run.entry(gone); i >= 0 {
		c.run.People[i].Ineligible = true
	}
	var next *approver.Approver
	if !c.task.Rescue {
		next = c.successor(gone)
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
		c.run.People = append(c.run.People, *next)
	}
	*c.task = c.task.reassign(next.User, c.facts.At)
	c.task.Rules = next.Rules
	c.note(audit.EventTaskReassigned, c.run, c.task)
}

// successor returns a new approver for a task: one that its rules yield, or a fallback approver
// with all its rules. It returns nil without a candidate.
func (c taskChange) successor(gone string) *approver.Approver {
	stage := c.stage()
	yields := make([][]identity.User, len(stage.Approvers))
	var fallback []identity.User
	last := c.def.Settings.FallbackApprovers
	c.Want(len(c.task.Rules)+len(last), func(i int) {
		if i < len(c.task.Rules) {
			rule := c.task.Rules[i]
			yields[rule], _ = c.approvers(rule, 0)
		} else {
			people, _ := c.people(last[i-len(c.task.Rules)], c.run, 0)
			fallback = append(fallback, people...)
		}
	})
	next := approver.Union(yields)
	people := slices.Clone(fallback)
	for _, a := range next {
		people = append(people, a.User)
	}
	there, used := c.KnownUsers(people), c.run.occupied(c.Tasks)
	free := func(u identity.User) bool {
		_, here := there[u.ID] // a rule may yield a person absent from the directory
		i := c.run.entry(u.ID)
		return here && u.ID != gone && !used[u.ID] && c.unfit(u) == "" && (i < 0 || !c.run.People[i].Ineligible)
	}
	for _, a := range next {
		if free(a.User) {
			return &a
		}
	}
	for _, u := range fallback {
		if free(u) {
			return &approver.Approver{User: u, Rules: c.task.Rules, Fallback: true}
		}
	}
	return nil
}
