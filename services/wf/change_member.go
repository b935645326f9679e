package wf

import (
	"errors"
	"slices"
	"time"
)

// membershipAge is how old an answer may be by which a person still is an approver.
const membershipAge = 5 * time.Minute

// recheck refuses an actor who is no longer among those whom his rules yield; for a
// delegate it is the person for whom he stands in who has to be. Who was put on the
// seat by somebody's hand is not held to a rule.
func (c *change) recheck(task *Task, run *StageRun) error {
	mode := c.def.Settings.MembershipRecheck
	if c.w.Yield == nil || mode == RecheckNone {
		return nil
	}
	maxAge := membershipAge
	if mode == RecheckStrict {
		maxAge = -1
	}
	voice := c.voice(task, run)
	stage, _ := c.def.Stage(run.Key)
	rules := c.rulesOf(voice, run, stage)
	var failure error
	for _, rule := range rules {
		switch rule.Type {
		case RuleRole, RuleGroup, RuleHTTP:
		default:
			return nil // it does not change
		}
		people, err := c.w.Yield(c.Request, stage, rule, maxAge)
		if slices.ContainsFunc(people, func(u User) bool { return u.ID == voice }) {
			return nil
		}
		if errors.Is(err, ResolverFailed) {
			failure = err
		}
	}
	switch {
	case len(rules) == 0:
		return nil
	case failure == nil:
		return Refuse(Forbidden, "no longer an approver of stage %s", run.Key)
	case mode == RecheckStrict:
		return failure
	default:
		c.stale = true
		return nil
	}
}

// voice is the person for whom the actor speaks on the task.
func (c *change) voice(task *Task, run *StageRun) string {
	switch {
	case task.Assignee == nil:
		candidate, _ := run.person(c.by.ID)
		return candidate.mandate()
	case task.SharedWith != nil && task.SharedWith.ID == c.by.ID:
		return task.Assignee.ID
	default:
		return mandate(*task.Assignee, task.OnBehalfOf)
	}
}

// rulesOf returns the rules that made a person an approver of the run.
func (c *change) rulesOf(id string, run *StageRun, stage Stage) []Rule {
	var rules []Rule
	for _, person := range run.People {
		switch {
		case person.mandate() != id:
		case run.Fallback:
			return c.def.Settings.FallbackApprovers
		default:
			for _, i := range person.Rules {
				rules = append(rules, stage.Approvers[i])
			}
		}
	}
	return rules
}

// Replace takes the tasks of a person who has left, or whose account is disabled. A
// pool gets its seat back, and a delegate's goes to the person for whom he stood in.
// Any other seat goes to somebody whom its rules yield now, or else to a fallback
// approver; when there is nobody it waits for an admin as a rescue task. It stays a
// seat throughout: the quorum needs no fewer people. A refusal with ResolverFailed
// means that the rules have no answer now.
func (r Request) Replace(def Definition, gone string, w World) (Request, []Event, error) {
	c := r.begin(def, SystemDirectory, w)
	for i := range c.Tasks {
		task := &c.Tasks[i]
		if task.Assignee == nil || task.Assignee.ID != gone || c.live(task, c.run(task)) != nil {
			continue
		}
		if err := c.replace(task, c.run(task)); err != nil {
			return r, nil, err
		}
	}
	if len(c.events) == 0 {
		return r, nil, nil
	}
	if err := c.advance(); err != nil {
		return r, nil, err
	}
	return c.done()
}

func (c *change) replace(task *Task, run *StageRun) error {
	gone := task.Assignee.ID
	stands := task.OnBehalfOf
	run.People = slices.DeleteFunc(slices.Clone(run.People), func(a Approver) bool { return a.ID == gone || run.pooled(*task) && a.mandate() == gone })
	if run.pooled(*task) {
		*task = task.released(true, c.w.At)
		c.note(TaskOrphaned, run, task)
		return nil
	}
	if stands != nil && c.unfit(*stands, run) == "" && !c.holds(stands.ID, run) {
		c.seat(task, run, Approver{User: *stands, Rules: task.Rules})
		return nil
	}
	next, err := c.successor(task, run, gone)
	switch {
	case err != nil:
		return err
	case next == nil:
		*task = task.orphaned(c.w.At)
		c.note(TaskOrphaned, run, task)
	default:
		c.seat(task, run, *next)
	}
	return nil
}

// seat gives a seat to an approver who is new to the run.
func (c *change) seat(task *Task, run *StageRun, a Approver) {
	run.People = append(run.People, a)
	*task = task.given(a.User, c.w.At)
	task.Rules = a.Rules
	c.note(TaskReassigned, run, task)
}

// successor finds somebody for a seat: whom its rules yield, with the rules that do,
// or a fallback approver, who stands for all of them. Nil means nobody.
func (c *change) successor(task *Task, run *StageRun, gone string) (*Approver, error) {
	if c.w.Yield == nil {
		return nil, nil
	}
	stage, _ := c.def.Stage(run.Key)
	var rules [][]User
	var err error
	yield := func(rule Rule) []User {
		people, failure := c.w.Yield(c.Request, stage, rule, 0)
		if errors.Is(failure, ResolverFailed) {
			err = failure
		}
		return people
	}
	for i := range stage.Approvers {
		var people []User
		if !run.Fallback && slices.Contains(task.Rules, i) {
			people = yield(stage.Approvers[i])
		}
		rules = append(rules, people)
	}
	free := func(u User) bool { return u.ID != gone && c.unfit(u, run) == "" && !c.seated(u.ID, run) }
	for _, person := range union(rules) {
		if err == nil && free(person.User) {
			return &person, nil
		}
	}
	for _, rule := range c.def.Settings.FallbackApprovers {
		for _, u := range yield(rule) {
			if err == nil && free(u) {
				return &Approver{User: u, Rules: task.Rules}, nil
			}
		}
	}
	return nil, err
}
