package wf

import "slices"

// Reassign hands a task to somebody else. A rescue that is handed to a person becomes
// their approver task.
func (r Request) Reassign(def Definition, taskID string, to User, reason string, by Actor, f Facts) (Request, []Event, error) {
	return r.onTask(def, taskID, by, f, func(c *change, task *Task, run *StageRun) error { return c.reassign(task, run, to, reason) })
}

func (c *change) reassign(task *Task, run *StageRun, to User, reason string) error {
	stage := c.stage(run)
	holder := task.Assignee != nil && task.Assignee.ID == c.by.ID
	if !c.by.Has(RoleAdmin) && (!holder || stage.Allow.Reassign == ReassignNone) {
		return Refuse(Forbidden, "the caller may not reassign task %s", task.ID)
	}
	if c.def.Settings.RequireComment.Reassign && blank(reason) {
		return RefuseInput("missing", []any{"body", "reason"}, "Policy %s needs a reason to reassign", c.PolicyKey)
	}
	if err := c.live(task, run); err != nil {
		return err
	}
	if task.Assignee != nil && task.Assignee.ID == to.ID {
		return Refuse(WrongState, "task %s is assigned to this person already", task.ID)
	}
	if err := c.mayHandOn(task, run, stage, to); err != nil {
		return err
	}
	to, err := c.mayReceive(task, run, to)
	if err != nil {
		return err
	}
	c.hand(task, run, to)
	c.reason = reason
	c.note(EventTaskReassigned, run, task)
	c.reason = ""
	return c.advance()
}

// mayHandOn refuses a caller who may not hand the task to this person. A holder needs
// to hold the task still, and hands it to people whom the stage allows.
func (c *change) mayHandOn(task *Task, run *StageRun, stage Stage, to User) error {
	if c.by.Has(RoleAdmin) {
		i := run.entry(to.ID)
		if to.ID == c.by.ID && (i < 0 || run.People[i].Lost) && !c.def.Settings.AdminOverride {
			return Refuse(WrongState, "an admin may take a task of stage %s only if its rules yield them", run.Key)
		}
		return nil
	}
	held, err := c.holding(task, run)
	if err != nil {
		return err
	}
	if err := c.recheck(task, run, held.owner.ID); err != nil {
		return err
	}
	if i := run.entry(to.ID); stage.Allow.Reassign != ReassignAny && (i < 0 || run.People[i].Lost) {
		return Refuse(WrongState, "the new assignee is not an approver of stage %s for task %s", run.Key, task.ID)
	}
	return nil
}

// mayReceive refuses a person who may not hold the task: they are excluded, unknown, or
// hold or have decided a task of the stage. It returns the person with the names that
// the directory has.
func (c *change) mayReceive(task *Task, run *StageRun, to User) (User, error) {
	why := c.unfit(to, run)
	if why == "" && task.Rescue {
		why = c.parties(to) // even where the requester may approve
	}
	if why != "" {
		return to, Refuse(WrongState, "the new assignee is excluded from stage %s: %s", run.Key, why)
	}
	others := slices.DeleteFunc(c.of(run), func(t Task) bool { return t.ID == task.ID })
	if run.used(others)[to.ID] || slices.ContainsFunc(others, func(t Task) bool { return t.Status.live() && t.HeldBy(to.ID) }) {
		return to, Refuse(WrongState, "the new assignee holds or has decided a task of stage %s already", run.Key)
	}
	known, found := c.known([]User{to})[to.ID]
	switch {
	case c.asks():
		return to, errAsks
	case c.facts.Directory && c.facts.Answers.People[Whether(to.ID).AnswerKey()].Failure != nil:
		return to, c.facts.Answers.People[Whether(to.ID).AnswerKey()].Failure
	case !found:
		return to, Refuse(WrongState, "the new assignee is unknown to the directory, or disabled")
	}
	return known, nil
}

// hand gives the task to a person.
func (c *change) hand(task *Task, run *StageRun, to User) {
	owner := task.holder()
	if i := run.entry(to.ID); i >= 0 {
		a := &run.People[i]
		a.Given, a.Lost = a.Given || a.Lost, false // somebody who has left becomes an approver again by this
	}
	if run.Pool {
		c.place(task, run, to)
	} else if task.vacant() {
		task.Rules = everyRule.indexes(len(c.stage(run).Approvers))
	}
	*task = task.given(to, c.facts.At)
	if !run.Pool {
		c.setStandIn(run, owner, nil)
	}
}

// place finds the place of a person in a pool: their own, that of the person who hands
// over, or a new one. Somebody whom an admin assigns to a rescue fits every rule.
func (c *change) place(task *Task, run *StageRun, to User) {
	every := everyRule.indexes(len(c.stage(run).Approvers))
	own, giver := run.entry(to.ID), run.entry(task.holder())
	switch {
	case own >= 0:
		run.People[own].Vouched = run.People[own].Vouched || task.vacant()
	case giver >= 0:
		run.People[giver], own = run.People[giver].succeeded(to), giver
	default:
		run.People = append(run.People, Approver{User: to, Rules: every, Added: true, Vouched: true})
		own = len(run.People) - 1
	}
	task.Rules, task.Rescue = run.People[own].Rules, run.People[own].Vouched
	if task.Rescue {
		task.Rules = every
	}
}
