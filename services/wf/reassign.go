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
func (r Request) Reassign(def policy.Definition, taskID string, to identity.User, reason string, by identity.Actor, f Facts) (Request, []Event, error) {
	return r.onTask(def, taskID, by, f, func(c *change, task *Task, run *StageRun) error { return c.reassign(task, run, to, reason) })
}

func (c *change) reassign(task *Task, run *StageRun, to identity.User, why string) error {
	if err := c.mayReassign(*task, c.stage(run)); err != nil {
		return err
	}
	if c.def.Settings.RequireComment.Reassign && identity.Blank(why) {
		return refusal.At(reason.Missing, "/reason", "Policy %s needs a reason to reassign", c.PolicyKey)
	}
	if err := c.live(task, run); err != nil {
		return err
	}
	if task.Assignee != nil && task.Assignee.ID == to.ID {
		return refusal.New(reason.WrongState, "task %s is assigned to this person already", task.ID)
	}
	if err := c.mayHandOn(task, run, to); err != nil {
		return err
	}
	to, err := c.mayReceive(task, run, to)
	if err != nil {
		return err
	}
	delegated := task.OnBehalfOf != nil && task.Assignee.ID == c.by.ID && task.OnBehalfOf.ID != to.ID && c.delegated(*task, run)
	if delegated && !(run.Pool && run.entry(to.ID) >= 0) { // a member of a pool acts for themself only
		c.handOn(task, run, to)
	} else {
		c.hand(task, run, to)
	}
	c.reason = why
	c.note(audit.EventTaskReassigned, run, task)
	c.reason = ""
	return c.advance()
}

// mayReassign refuses a caller without the right to reassign the task.
func (c *change) mayReassign(task Task, stage policy.Stage) error {
	holder := task.Assignee != nil && task.Assignee.ID == c.by.ID
	if c.by.Has(identity.RoleAdmin) || holder && stage.Allow.Reassign != policy.ReassignNone {
		return nil
	}
	return refusal.New(reason.Forbidden, "the caller may not reassign task %s", task.ID)
}

// reassignsToAnyone reports whether the caller may reassign a task of the run to a person outside
// its rules.
func (c *change) reassignsToAnyone(run StageRun) bool {
	return c.by.Has(identity.RoleAdmin) || c.stage(&run).Allow.Reassign == policy.ReassignAny
}

// Receivers returns the approvers eligible for reassignment of the task, based on the request
// alone. The request contains at least the tasks of the run.
func (r Request) Receivers(def policy.Definition, t Task, run StageRun) []identity.User {
	return (&change{Request: r, def: def}).receivers(t, &run)
}

func (c *change) receivers(task Task, run *StageRun) []identity.User {
	var people []identity.User
	for _, a := range run.People {
		if !a.Lost && (task.Assignee == nil || task.Assignee.ID != a.ID) && c.free(task, run, a.User) == nil {
			people = append(people, a.User)
		}
	}
	return people
}

// mayHandOn rejects a caller without permission to reassign the task to this person. A holder must
// still hold the task, and the stage must allow the receiver.
func (c *change) mayHandOn(task *Task, run *StageRun, to identity.User) error {
	if c.by.Has(identity.RoleAdmin) {
		i := run.entry(to.ID)
		if to.ID == c.by.ID && (i < 0 || run.People[i].Lost) && !c.def.Settings.AdminOverride {
			return refusal.New(reason.WrongState, "an admin may take a task of stage %s only if its rules yield them", run.Key)
		}
		return nil
	}
	held, err := c.holding(task, run)
	if err != nil {
		return err
	}
	if task.OnBehalfOf != nil && !held.final && !c.delegated(*task, run) {
		return refusal.New(reason.Forbidden, "the delegation by which the caller holds task %s is over", task.ID)
	}
	if err := c.recheck(task, run, held.owner.ID); err != nil {
		return err
	}
	if i := run.entry(to.ID); !c.reassignsToAnyone(*run) && (i < 0 || run.People[i].Lost) {
		return refusal.New(reason.WrongState, "the new assignee is not an approver of stage %s for task %s", run.Key, task.ID)
	}
	return nil
}

// free rejects a person who is excluded, or has a live or decided task in the stage.
func (c *change) free(task Task, run *StageRun, to identity.User) error {
	why := c.unfit(to, run)
	if why == "" && task.Rescue {
		why = c.parties(to) // even where the requester may approve
	}
	if why != "" {
		return refusal.New(reason.WrongState, "the new assignee is excluded from stage %s: %s", run.Key, why)
	}
	others := slices.DeleteFunc(c.tasksOf(run), func(t Task) bool { return t.ID == task.ID })
	if run.used(others)[to.ID] || slices.ContainsFunc(others, func(t Task) bool { return t.Status.live() && t.HeldBy(to.ID) }) {
		return refusal.New(reason.WrongState, "the new assignee holds or has decided a task of stage %s already", run.Key)
	}
	return nil
}

// mayReceive rejects an ineligible receiver, or one absent from the directory. It returns the
// receiver with the names from the directory.
func (c *change) mayReceive(task *Task, run *StageRun, to identity.User) (identity.User, error) {
	if err := c.free(*task, run, to); err != nil {
		return to, err
	}
	known, found := c.Known([]identity.User{to})[to.ID]
	switch {
	case c.Directory && c.Answers.People[approver.Whether(to.ID).AnswerKey()].Failure != nil:
		return to, c.Answers.People[approver.Whether(to.ID).AnswerKey()].Failure
	case !found:
		return to, refusal.New(reason.WrongState, "the new assignee is unknown to the directory, or disabled")
	}
	return known, nil
}

// handOn reassigns a task held by delegation. The new holder acts on behalf of the owner while the
// delegation is active.
func (c *change) handOn(task *Task, run *StageRun, to identity.User) {
	owner, delegation := task.OnBehalfOf, task.DelegationID
	*task = task.given(to, c.facts.At)
	task.OnBehalfOf, task.DelegationID = owner, delegation
	if i := run.entry(owner.ID); i >= 0 && !run.Pool {
		run.People[i].StandIn = &to
	}
}

// hand gives the task to a person.
func (c *change) hand(task *Task, run *StageRun, to identity.User) {
	owner := task.holder()
	if i := run.entry(to.ID); i >= 0 {
		a := &run.People[i]
		a.Given, a.Lost = a.Given || a.Lost, false // reassignment restores a former approver
	}
	if run.Pool {
		c.place(task, run, to)
	} else if task.vacant() {
		task.Rules, task.PlacedBy = quorum.EveryRule.Indexes(len(c.stage(run).Approvers)), new(c.by.User)
	} else {
		task.PlacedBy = c.placer(task.PlacedBy)
	}
	*task = task.given(to, c.facts.At)
	if !run.Pool {
		c.setStandIn(run, owner, nil)
	}
}

// placer returns the admin responsible for the new holder of a rescue task: the caller if an admin,
// else the admin of the former holder.
func (c *change) placer(before *identity.User) *identity.User {
	if before != nil && c.by.Has(identity.RoleAdmin) {
		return new(c.by.User)
	}
	return before
}

// place selects the place in a pool for the new holder: their own, that of the former holder, or a
// new one. An approver assigned by an admin to a rescue counts for every rule.
func (c *change) place(task *Task, run *StageRun, to identity.User) {
	every := quorum.EveryRule.Indexes(len(c.stage(run).Approvers))
	own, giver := run.entry(to.ID), run.entry(task.holder())
	switch {
	case own >= 0:
		if task.vacant() {
			run.People[own].PlacedBy = new(c.by.User)
		}
	case giver >= 0:
		run.People[giver], own = run.People[giver].Succeeded(to), giver
		run.People[own].PlacedBy = c.placer(run.People[own].PlacedBy)
	default:
		run.People = append(run.People, approver.Approver{User: to, Rules: every, Added: true, PlacedBy: new(c.by.User)})
		own = len(run.People) - 1
	}
	task.Rules, task.PlacedBy = run.People[own].Rules, run.People[own].PlacedBy
	task.Rescue = task.PlacedBy != nil
	if task.Rescue {
		task.Rules = every
	}
}
