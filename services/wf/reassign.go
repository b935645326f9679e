package wf

import (
	"slices"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// Reassign reassigns a task to another person. A reassigned rescue becomes an approver task. unknown is set for an id
// that an admin names and the directory lacks.
func Reassign(taskID string, to identity.User, unknown bool, why string) Step {
	return atTask(taskID, func(t taskChange) error { return t.reassign(to, unknown, why) })
}

func (t taskChange) reassign(to identity.User, unknown bool, why string) error {
	if err := t.mayReassign(); err != nil {
		return err
	}
	if err := t.requireStepUp(); err != nil {
		return err
	}
	if t.c.def.Settings.RequireComment.Reassign && identity.IsBlank(why) {
		return refusal.At(reason.Missing, "/reason", "Policy %s requires a reason to reassign", t.c.req.PolicyKey)
	}
	if err := t.live(); err != nil {
		return err
	}
	if t.task.HeldBy(to.ID) {
		return refusal.New(reason.WrongState, "task %s is already assigned to this user", t.task.ID)
	}
	if err := t.checkReassign(to); err != nil {
		return err
	}
	who, err := t.receiver(to, unknown)
	if err != nil {
		return err
	}
	t.assign(who)
	t.c.reason = why
	t.c.note(audit.EventTaskReassigned, t.run, t.task)
	t.c.reason = ""
	return t.c.advance()
}

// reassignsToAnyone reports whether the caller may reassign the task to a user outside the rules of its stage.
func (t taskChange) reassignsToAnyone() bool {
	return t.c.by.Has(identity.RoleAdmin) || t.at().stage().Allow.Reassign == policy.ReassignAny
}

// receivers returns the approvers eligible for reassignment of the task, based on the request alone.
func (t taskChange) receivers() []identity.User {
	var people []identity.User
	for _, a := range t.run.People {
		if !a.Ineligible && !t.task.HeldBy(a.ID) && t.at().checkAssignable(*t.task, a.User) == nil {
			people = append(people, a.User)
		}
	}
	return people
}

// checkReassign rejects a caller without permission to reassign the task to this person. A holder must
// still hold the task, and the stage must allow the receiver.
func (t taskChange) checkReassign(to identity.User) error {
	if t.c.by.Has(identity.RoleAdmin) {
		i := t.run.entry(to.ID)
		if to.ID == t.c.by.ID && (i < 0 || t.run.People[i].Ineligible) && !t.c.def.Settings.AdminOverride {
			return refusal.New(reason.WrongState, "an admin may take a task of stage %s only if its rules yield them", t.run.Key)
		}
		return nil
	}
	held, err := t.mayHold(t.c.by.User)
	if err != nil {
		return err
	}
	if err := t.admit(&held); err != nil {
		return err
	}
	if i := t.run.entry(to.ID); !t.reassignsToAnyone() && (i < 0 || t.run.People[i].Ineligible) {
		return refusal.New(reason.WrongState, "the new assignee is not an approver of stage %s for task %s",
			t.run.Key, t.task.ID)
	}
	return nil
}

// checkAssignable rejects a user excluded as far as the request contains it, or one with a live or decided task in the stage.
func (s runChange) checkAssignable(task Task, to identity.User) error {
	if _, why := s.bars(task.Rescue).Check(to); why != nil {
		return excludedReceiver(s.run, why)
	}
	others := slices.DeleteFunc(s.run.tasksOf(s.c.req.Tasks), func(t Task) bool { return t.ID == task.ID })
	if s.run.occupants(others)[to.ID] {
		return refusal.New(reason.WrongState, "the new assignee already holds or has decided a task of stage %s", s.run.Key)
	}
	return nil
}

func excludedReceiver(run *StageRun, why *approver.Exclusion) error {
	return refusal.New(reason.WrongState, "the new assignee is excluded from stage %s: %s", run.Key, why.Reason)
}

// receiver rejects an ineligible receiver, or one absent from the directory. It returns the
// receiver with the names from the directory.
func (t taskChange) receiver(to identity.User, unknown bool) (approver.Fit, error) {
	none := approver.Fit{}
	if err := t.at().checkAssignable(*t.task, to); err != nil {
		return none, err
	}
	who, why, err := t.at().fit(to, t.task.Rescue)
	switch {
	case err != nil:
		return none, err
	case why != nil:
		return none, excludedReceiver(t.run, why)
	}
	if t.c.finder.Directory {
		if _, failure := t.c.finder.Ask(approver.ExistingUsers(to.ID)); failure != nil {
			return none, failure
		}
	}
	switch known, found := t.c.finder.KnownUsers([]identity.User{to})[to.ID]; {
	case !found && unknown:
		return who, nil
	case !found:
		return none, refusal.New(reason.WrongState, "the new assignee is disabled in the directory")
	default:
		return who.Known(known), nil
	}
}

// assign gives the task to a person.
func (t taskChange) assign(who approver.Fit) {
	giver := t.task.holder()
	if i := t.run.entry(who.User().ID); i >= 0 {
		a := &t.run.People[i]
		former := a.Ineligible || t.c.by.Has(identity.RoleAdmin) && slices.Contains(t.run.Former, a.ID)
		a.Reassigned, a.Ineligible = a.Reassigned || former, false // reassignment restores a former approver
		if t.run.Pool {
			giver = "" // keeps their place: the receiver has one
		}
	}
	t.run.handOver(giver, who.User().ID)
	if t.run.Pool {
		t.place(who)
	} else if t.task.vacant() {
		t.task.Rules, t.task.PlacedBy = quorum.EveryRule.Indexes(len(t.at().stage().Approvers)), new(t.c.by.User)
	} else {
		t.task.PlacedBy = t.placer(t.task.PlacedBy)
	}
	*t.task = t.task.reassign(who, t.c.facts.At)
}

// placer returns the admin responsible for the new holder of a rescue task: the caller if an admin,
// else the admin of the former holder.
func (t taskChange) placer(before *identity.User) *identity.User {
	if before != nil && t.c.by.Has(identity.RoleAdmin) {
		return new(t.c.by.User)
	}
	return before
}

// place selects the pool entry of the new holder: their own, that of the former holder, or a new one. An
// approver assigned by an admin to a rescue counts for every rule.
func (t taskChange) place(who approver.Fit) {
	to := who.User()
	every := quorum.EveryRule.Indexes(len(t.at().stage().Approvers))
	own, giver := t.run.entry(to.ID), t.run.entry(t.task.holder())
	switch {
	case own >= 0:
		if t.task.vacant() {
			t.run.People[own].PlacedBy = new(t.c.by.User)
		}
	case giver >= 0:
		t.run.People[giver], own = t.run.People[giver].ReassignedTo(who), giver
		t.run.People[own].PlacedBy = t.placer(t.run.People[own].PlacedBy)
	default:
		t.run.add(who, approver.Approver{Rules: every, Added: true, PlacedBy: new(t.c.by.User)})
		own = len(t.run.People) - 1
	}
	t.task.Rules, t.task.PlacedBy = t.run.People[own].Rules, t.run.People[own].PlacedBy
	t.task.Rescue = t.task.PlacedBy != nil
	if t.task.Rescue {
		t.task.Rules = every
	}
}
