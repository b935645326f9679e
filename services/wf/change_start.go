package wf

import (
	"fmt"
	"slices"
	"time"
)

// start opens a stage that is reached: it may be skipped, or find nobody, or have to
// wait for those who know whom to ask.
func (c *change) start(run *StageRun) error {
	stage, _ := c.def.Stage(run.Key)
	plan, err := c.w.Plan(c.Request, stage)
	if err != nil {
		return err
	}
	if plan.Unavailable != "" {
		if c.starting {
			return NoAnswer("stage %s: %s", run.Key, plan.Unavailable)
		}
		first := run.Status != StageResolving
		if *run = run.wait(plan.Unavailable, c.w.At); first {
			c.note(StageResolutionFailed, run, nil)
		}
		return nil
	}
	if plan.Problem != "" && c.starting {
		return Refuse(EngineRefused, "stage %s: %s", run.Key, plan.Problem)
	}
	run.LastError, run.RetryAt = plan.Problem, time.Time{}
	if plan.Skip != nil {
		c.skip(run, *plan.Skip)
		return nil
	}
	seats, enough := c.seats(run, stage, plan.Rules, plan.Delegations)
	onEmpty := stage.OnEmpty
	if !enough && onEmpty == EmptyFallback {
		run.Fallback, onEmpty = true, EmptyBlock
		seats, enough = c.seats(run, stage, [][]User{plan.Fallback}, plan.Delegations)
	}
	if limit := c.overLimit(run, seats); limit != "" {
		if c.starting {
			return Refuse(EngineRefused, "stage %s: %s", run.Key, limit)
		}
		run.LastError, seats, enough, onEmpty = limit, nil, false, EmptyBlock
	}
	if !enough {
		switch onEmpty {
		case EmptySkip:
			c.skip(run, Skip{Reason: "empty"})
			return nil
		case EmptyReject:
			c.because = StatusReason{Code: BecauseStageEmpty, StageKey: run.Key}
			c.end(run, StageRejected, ClosedStageRejected)
			c.note(StageWasRejected, run, nil)
			return nil
		}
	}
	run.Status, run.StartedAt = StageActive, c.w.At
	c.note(StageStarted, run, nil)
	for i := range seats {
		c.Tasks = append(c.Tasks, seats[i])
		c.note(TaskCreated, run, &seats[i])
	}
	if c.def.Settings.RepeatApprover == RepeatAutoApprove {
		c.repeat(run)
	}
	if !enough {
		c.block(run)
	}
	return nil
}

func (c *change) skip(run *StageRun, why Skip) {
	run.Status, run.Skip, run.CompletedAt = StageSkipped, &why, c.w.At
	c.note(StageWasSkipped, run, nil)
}

func (c *change) overLimit(run *StageRun, seats []Task) string {
	switch {
	case len(seats) > maxSeats && run.Need > 0:
		return fmt.Sprintf("%d approvals needed, and a pool takes at most %d", len(seats), maxSeats)
	case len(seats) > maxSeats:
		return fmt.Sprintf("%d approvers, and each takes at most %d; use assignment pool", len(seats), maxSeats)
	case len(run.People) > maxPool:
		return fmt.Sprintf("%d candidates, and a pool takes at most %d", len(run.People), maxPool)
	default:
		return ""
	}
}

// seats resolves who may hold the seats of a run and makes the tasks. It reports
// whether there are people enough for the quorum.
func (c *change) seats(run *StageRun, stage Stage, rules [][]User, delegations []Delegation) ([]Task, bool) {
	run.People, run.Excluded = nil, nil
	for _, person := range union(rules) {
		if why := c.unfit(person.User, run); why != "" {
			run.Excluded = append(run.Excluded, Exclusion{User: person.User, Reason: why})
			continue
		}
		run.People = append(run.People, person)
	}
	c.delegate(run, stage, delegations)
	var tasks []Task
	if stage.Assignment == Pool {
		tasks = c.pool(run, stage)
	} else {
		tasks = c.each(run, stage)
	}
	ballot := c.ballot(run, stage, tasks)
	c.starve(run, tasks, &ballot)
	return tasks, ballot.met(true)
}

// each makes a task for every person.
func (c *change) each(run *StageRun, stage Stage) []Task {
	var tasks []Task
	for _, person := range run.People {
		if person.Shared {
			continue
		}
		t := c.task(run, len(tasks)+1)
		t.Assignee, t.Owner, t.Rules = &person.User, &person.User, person.Rules
		t.OnBehalfOf, t.DelegationID = person.OnBehalfOf, person.DelegationID
		if i := slices.IndexFunc(run.People, func(a Approver) bool { return a.Shared && a.OnBehalfOf.ID == person.ID }); i >= 0 {
			t.SharedWith, t.DelegationID = &run.People[i].User, run.People[i].DelegationID
		}
		t.Required = !run.Fallback && slices.ContainsFunc(person.Rules, func(rule int) bool { return stage.Approvers[rule].Required })
		tasks = append(tasks, t)
	}
	return tasks
}

// delegate puts delegates in the place of those whom they stand in for. It never
// makes the people of a stage fewer: a delegate who has a seat himself gets no
// second one.
func (c *change) delegate(run *StageRun, stage Stage, delegations []Delegation) {
	hops := c.def.Settings.Hops(stage)
	if hops == 0 || len(delegations) == 0 {
		return
	}
	here := map[string]bool{}
	for _, person := range run.People {
		here[person.ID] = true
	}
	covers := func(d Delegation) bool { return d.covers(c.w.At, c.PolicyKey, run.Key, c.ArtifactType) }
	fit := func(u User) bool { return !here[u.ID] && c.unfit(u, run) == "" }
	for i, person := range slices.Clone(run.People) {
		d, ok := route(person.User, delegations, hops, covers, fit)
		if !ok {
			if slices.ContainsFunc(delegations, func(d Delegation) bool { return d.User.ID == person.ID && covers(d) }) {
				c.note(DelegationNotApplied, run, nil)
			}
			continue
		}
		here[d.DelegateTo.ID] = true
		stand := Approver{User: d.DelegateTo, Rules: person.Rules, OnBehalfOf: &person.User, DelegationID: d.ID}
		if d.Mode == Share {
			stand.Shared = true
			run.People = append(run.People, stand)
		} else {
			run.People[i] = stand
		}
	}
}

// pool makes as many unassigned tasks as approvals are needed: one for every
// approval that a rule needs, for its people alone, and the rest for anyone.
func (c *change) pool(run *StageRun, stage Stage) []Task {
	people := 0
	for _, person := range run.People {
		if !person.Shared {
			people++
		}
	}
	run.Need = stage.Quorum.need(people)
	var tasks []Task
	for rule, least := range c.minimums(run, stage) {
		for range least {
			t := c.task(run, len(tasks)+1)
			t.Slot = rule
			tasks = append(tasks, t)
		}
	}
	for len(tasks) < run.Need {
		tasks = append(tasks, c.task(run, len(tasks)+1))
	}
	return tasks
}

func (c *change) task(run *StageRun, seat int) Task {
	return Task{
		ID: c.w.NewID(), RequestID: c.ID, StageKey: run.Key, StageRun: run.Run, Seat: seat,
		Kind: ApproverTask, Status: TaskOpen, Slot: freeSlot, CreatedAt: c.w.At, UpdatedAt: c.w.At, Rev: 1,
	}
}

// repeat fills the seats of those who approved an earlier stage.
func (c *change) repeat(run *StageRun) {
	caller := c.by
	c.by = SystemRepeat
	for i := range c.Tasks {
		task := &c.Tasks[i]
		if c.run(task) != run || task.Status != TaskOpen || task.Assignee == nil || !c.approvedElsewhere(task.Assignee.ID, run) {
			continue
		}
		d := c.decision(*task, DecisionInput{ID: c.w.NewID(), Action: Approve}, false)
		d.Source = "system"
		*task = task.decided(d)
		c.note(TaskDecided, run, task)
	}
	c.by = caller
}

func (c *change) minimums(run *StageRun, stage Stage) []int {
	if run.Fallback {
		return nil
	}
	return stage.minimums()
}
