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
func (t taskChange) release(id string, refused error) error {
	t.c.keep, t.c.by = true, identity.SystemDirectory
	t.at().removeApprover(t.task, id)
	if err := t.c.advance(); err != nil {
		return err
	}
	return refused
}

// recheck rejects an act for a person whose membership has ended, and releases their task. Approvers assigned by an
// admin or by reassignment have no membership.
func (t taskChange) recheck(owner identity.User) error {
	mode := t.c.def.Settings.MembershipRecheck
	if t.c.facts.TrustMembership || mode == policy.RecheckNone {
		return nil
	}
	member, failure := t.at().membership(owner.ID, recheckAge(mode))
	switch {
	case member:
		return nil
	case failure != nil && mode == policy.RecheckStrict:
		return reason.NoAnswer("stage %s: %s", t.run.Key, failure.Message)
	case failure != nil:
		t.c.stale = true
		return nil
	}
	refused := refusal.New(reason.Forbidden, "%s is no longer an approver of stage %s", t.name(owner), t.run.Key)
	return t.release(owner.ID, refused)
}

// membership reports whether the rules of an approver still yield them. A failed or unavailable rule does not
// end a membership.
func (s runChange) membership(id string, maxAge time.Duration) (member bool, failure *refusal.Error) {
	i := s.run.entry(id)
	if i < 0 || s.run.People[i].PlacedBy != nil || s.run.People[i].Reassigned {
		return true, nil
	}
	rules := s.run.rulesBehind(s.run.People[i], s.c.def)
	member, failure = s.c.finder.YieldsAny(id, len(rules), func(i int) ([]identity.User, *refusal.Error) {
		return s.c.people(rules[i], s.run, maxAge)
	})
	return member || len(rules) == 0, failure
}

// removeApprover removes an approver from the run. task is the task of the failed check, or nil.
func (s runChange) removeApprover(task *Task, id string) {
	if !s.run.Pool {
		for i := range s.c.req.Tasks {
			if t := &s.c.req.Tasks[i]; s.run.Owns(*t) && t.Status.live() && t.holder() == id {
				s.onTask(t).reassignOrphaned()
				return
			}
		}
		return
	}
	s.run.leave(id)
	if i := s.run.entry(id); i >= 0 {
		s.run.People[i].Ineligible = true
	}
	noted := false
	for i := range s.c.req.Tasks {
		if t := &s.c.req.Tasks[i]; s.run.Owns(*t) && t.Status.live() && t.holder() == id {
			*t = t.unclaim(true, s.c.facts.At)
			s.c.note(audit.EventTaskOrphaned, s.run, t)
			noted = true
		}
	}
	if !noted {
		s.c.note(audit.EventTaskOrphaned, s.run, task)
	}
	s.joinPool()
}

// joinPool adds the approvers that the rules of a pool now yield.
func (s runChange) joinPool() {
	stage := s.stage()
	yields := make([][]identity.User, len(stage.Approvers))
	for i := range yields {
		yields[i], _ = s.approvers(i, 0)
	}
	used, fit := s.run.occupants(s.c.req.Tasks), s.fitToJoin()
	var joining []approver.Approver
	var people []identity.User
	for _, a := range approver.Union(yields) {
		if !used[a.ID] && s.run.entry(a.ID) < 0 {
			joining, people = append(joining, a), append(people, a.User)
		}
	}
	there := s.c.finder.KnownUsers(people)
	for _, a := range joining {
		_, here := there[a.ID] // a rule may yield a person absent from the directory
		if who, may := fit(a.User); may && here && len(s.run.People) < policy.MaxPool {
			a.Added = true
			s.run.add(who, a)
		}
	}
}

// reassignOrphaned reassigns the task of a former approver and records task.orphaned. The successor comes
// from the rules of the task or from the fallback approvers (task.reassigned follows). Without a
// successor, the task becomes a rescue task for an admin. The task keeps its seat, so the quorum is
// not weakened. The task of an approver added by escalation is closed.
func (t taskChange) reassignOrphaned() {
	gone := t.task.holder()
	t.run.leave(gone)
	if i := t.run.entry(gone); i >= 0 {
		t.run.People[i].Ineligible = true
	}
	if t.task.escalated() { // the stage lacks nobody without them
		*t.task = t.task.close(TaskSkipped, ClosedApproverLost, t.c.facts.At)
		t.c.note(audit.EventTaskClosed, t.run, t.task)
		return
	}
	var who approver.Fit
	var next *approver.Approver
	if !t.task.Rescue {
		who, next = t.successor()
	}
	if next == nil {
		*t.task = t.task.orphan(t.c.facts.At)
		t.c.note(audit.EventTaskOrphaned, t.run, t.task)
		return
	}
	left := *t.task
	left.ReassignedFrom, left.Assignee = t.task.Assignee, nil
	t.c.note(audit.EventTaskOrphaned, t.run, &left)
	if t.run.entry(next.ID) < 0 {
		t.run.add(who, *next)
	}
	*t.task = t.task.reassign(who, t.c.facts.At)
	t.task.Rules = next.Rules
	t.c.note(audit.EventTaskReassigned, t.run, t.task)
}

// successor returns a new approver for a task: one that its rules yield, or a fallback approver
// with all its rules. It returns nil without a candidate.
func (t taskChange) successor() (approver.Fit, *approver.Approver) {
	stage := t.at().stage()
	yields := make([][]identity.User, len(stage.Approvers))
	var fallback []identity.User
	last := t.c.def.Settings.FallbackApprovers
	for _, rule := range t.task.Rules {
		yields[rule], _ = t.at().approvers(rule, 0)
	}
	for _, rule := range last {
		people, _ := t.c.people(rule, t.run, 0)
		fallback = append(fallback, people...)
	}
	next := approver.Union(yields)
	people := slices.Clone(fallback)
	for _, a := range next {
		people = append(people, a.User)
	}
	there, used, fit := t.c.finder.KnownUsers(people), t.run.occupants(t.c.req.Tasks), t.at().fitToJoin()
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
			return who, &approver.Approver{User: u, Rules: t.task.Rules, Fallback: true}
		}
	}
	return approver.Fit{}, nil
}
