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

// Reassign reassigns a task to another person. A reassigned rescue becomes an approver task.
func (r Request) Reassign(
	def policy.Definition,
	taskID string,
	to identity.User,
	reason string,
	by identity.Actor,
	f Facts,
) (Request, []Event, error) {
	c := newChange(r, def, by, f)
	task, err := c.findTaskForActor(taskID)
	if err != nil {
		return c.end(err)
	}
	return c.end(task.reassign(to, reason))
}

func (c taskChange) reassign(to identity.User, why string) error {
	if err := c.mayReassign(); err != nil {
		return err
	}
	if err := c.requireStepUp(); err != nil {
		return err
	}
	if c.def.Settings.RequireComment.Reassign && identity.IsBlank(why) {
		return refusal.At(reason.Missing, "/reason", "Policy %s requires a reason to reassign", c.PolicyKey)
	}
	if err := c.live(); err != nil {
		return err
	}
	if c.task.HeldBy(to.ID) {
		return refusal.New(reason.WrongState, "task %s is already assigned to this user", c.task.ID)
	}
	if err := c.checkReassign(to); err != nil {
		return err
	}
	who, err := c.receiver(to)
	if err != nil {
		return err
	}
	c.assign(who)
	c.reason = why
	c.note(audit.EventTaskReassigned, c.run, c.task)
	c.reason = ""
	return c.advance()
}

// mayReassign refuses a caller without the right to reassign the task.
func (c taskChange) mayReassign() error {
	if c.by.Has(identity.RoleAdmin) || c.task.HeldBy(c.by.ID) && c.stage().Allow.Reassign != policy.ReassignNone {
		return nil
	}
	return refusal.New(reason.Forbidden, "the caller may not reassign task %s", c.task.ID)
}

// reassignsToAnyone reports whether the caller may reassign the task to a user outside the rules of its stage.
func (c taskChange) reassignsToAnyone() bool {
	return c.by.Has(identity.RoleAdmin) || c.stage().Allow.Reassign == policy.ReassignAny
}

// receivers returns the approvers eligible for reassignment of the task, based on the request alone.
func (c taskChange) receivers() []identity.User {
	var people []identity.User
	for _, a := range c.run.People {
		if !a.Ineligible && !c.task.HeldBy(a.ID) && c.checkAssignable(*c.task, a.User) == nil {
			people = append(people, a.User)
		}
	}
	return people
}

// checkReassign rejects a caller without permission to reassign the task to this person. A holder must
// still hold the task, and the stage must allow the receiver.
func (c taskChange) checkReassign(to identity.User) error {
	if c.by.Has(identity.RoleAdmin) {
		i := c.run.entry(to.ID)
		if to.ID == c.by.ID && (i < 0 || c.run.People[i].Ineligible) && !c.def.Settings.AdminOverride {
			return refusal.New(reason.WrongState, "an admin may take a task of stage %s only if its rules yield them", c.run.Key)
		}
		return nil
	}
	held, err := c.mayHold(c.by.User)
	if err != nil {
		return err
	}
	if err := c.admit(&held); err != nil {
		return err
	}
	if i := c.run.entry(to.ID); !c.reassignsToAnyone() && (i < 0 || c.run.People[i].Ineligible) {
		return refusal.New(reason.WrongState, "the new assignee is not an approver of stage %s for task %s", c.run.Key, c.task.ID)
	}
	return nil
}

// checkAssignable rejects a user excluded as far as the request contains it, or one with a live or decided task in the stage.
func (c runChange) checkAssignable(task Task, to identity.User) error {
	if _, why := c.bars(task.Rescue).Check(to); why != nil {
		return excludedReceiver(c.run, why)
	}
	others := slices.DeleteFunc(c.run.tasksOf(c.Tasks), func(t Task) bool { return t.ID == task.ID })
	if c.run.occupants(others)[to.ID] {
		return refusal.New(reason.WrongState, "the new assignee already holds or has decided a task of stage %s", c.run.Key)
	}
	return nil
}

func excludedReceiver(run *StageRun, why *approver.Exclusion) error {
	return refusal.New(reason.WrongState, "the new assignee is excluded from stage %s: %s", run.Key, why.Reason)
}

// receiver rejects an ineligible receiver, or one absent from the directory. It returns the
// receiver with the names from the directory.
func (c taskChange) receiver(to identity.User) (approver.Fit, error) {
	none := approver.Fit{}
	if err := c.checkAssignable(*c.task, to); err != nil {
		return none, err
	}
	who, why, err := c.fit(to, c.task.Rescue)
	switch {
	case err != nil:
		return none, err
	case why != nil:
		return none, excludedReceiver(c.run, why)
	}
	if c.Directory {
		if _, failure := c.Ask(approver.ExistingUsers(to.ID)); failure != nil {
			return none, failure
		}
	}
	switch known, found := c.KnownUsers([]identity.User{to})[to.ID]; {
	case !found && to.ID == c.facts.Unknown:
		return who, nil
	case !found:
		return none, refusal.New(reason.WrongState, "the new assignee is disabled in the directory")
	default:
		return who.Known(known), nil
	}
}

// assign gives the task to a person.
func (c taskChange) assign(who approver.Fit) {
	giver := c.task.holder()
	if i := c.run.entry(who.User().ID); i >= 0 {
		a := &c.run.People[i]
		former := a.Ineligible || c.by.Has(identity.RoleAdmin) && slices.Contains(c.run.Former, a.ID)
		a.Reassigned, a.Ineligible = a.Reassigned || former, false // reassignment restores a former approver
		if c.run.Pool {
			giver = "" // keeps their place: the receiver has one
		}
	}
	c.run.handOver(giver, who.User().ID)
	if c.run.Pool {
		c.place(who)
	} else if c.task.vacant() {
		c.task.Rules, c.task.PlacedBy = quorum.EveryRule.Indexes(len(c.stage().Approvers)), new(c.by.User)
	} else {
		c.task.PlacedBy = c.placer(c.task.PlacedBy)
	}
	*c.task = c.task.reassign(who, c.facts.At)
}

// placer returns the admin responsible for the new holder of a rescue task: the caller if an admin,
// else the admin of the former holder.
func (c taskChange) placer(before *identity.User) *identity.User {
	if before != nil && c.by.Has(identity.RoleAdmin) {
		return new(c.by.User)
	}
	return before
}

// place selects the pool entry of the new holder: their own, that of the former holder, or a new one. An
// approver assigned by an admin to a rescue counts for every rule.
func (c taskChange) place(who approver.Fit) {
	to := who.User()
	every := quorum.EveryRule.Indexes(len(c.stage().Approvers))
	own, giver := c.run.entry(to.ID), c.run.entry(c.task.holder())
	switch {
	case own >= 0:
		if c.task.vacant() {
			c.run.People[own].PlacedBy = new(c.by.User)
		}
	case giver >= 0:
		c.run.People[giver], own = c.run.People[giver].ReassignedTo(who), giver
		c.run.People[own].PlacedBy = c.placer(c.run.People[own].PlacedBy)
	default:
		c.run.add(who, approver.Approver{Rules: every, Added: true, PlacedBy: new(c.by.User)})
		own = len(c.run.People) - 1
	}
	c.task.Rules, c.task.PlacedBy = c.run.People[own].Rules, c.run.People[own].PlacedBy
	c.task.Rescue = c.task.PlacedBy != nil
	if c.task.Rescue {
		c.task.Rules = every
	}
}
