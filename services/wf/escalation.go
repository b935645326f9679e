package wf

import (
	"fmt"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// escalate adds the users of escalate_to to the run, once. They raise no requirement: the number of approvals
// needed, the tasks of others and the outcome stay. Without an answer of the directory it is retried.
func (c runChange) escalate() {
	found := newEscalation(c)
	if found.unavailable != "" {
		c.run.setEscalationError(found.unavailable)
		c.run.TimerAt = c.facts.At.Add(min(max(c.facts.At.Sub(c.run.DueAt), minRetry), maxRetry))
		return
	}
	c.run.EscalatedAt = c.facts.At
	c.run.setEscalationError(found.failure)
	if len(found.people) == 0 {
		c.note(audit.EventStageEscalationEmpty, c.run, nil).Stage.Error = found.why()
		return
	}
	before := len(c.run.People)
	rules := c.stage().OptionalRules() // an added approver satisfies each of them
	var added []identity.User
	for _, person := range found.people {
		added = append(added, person.User())
		c.run.add(person, approver.Approver{Rules: rules, Added: true, Escalated: true})
	}
	c.note(audit.EventStageEscalated, c.run, nil).Stage.Added = added
	if c.run.Pool {
		c.closeRescues()
	} else {
		c.makeTasks(before)
	}
}

const escalateTo = "escalate_to"

// setEscalationError sets the error of the run. It clears only an error of the escalation.
func (s *StageRun) setEscalationError(message string) {
	if message != "" || strings.HasPrefix(s.LastError, escalateTo) {
		s.LastError = message
	}
}

// escalation is the result of resolving escalate_to.
type escalation struct {
	people      []approver.Fit // to add
	yielded     int            // by the rules, in all
	unavailable string         // error of a rule without a response
	failure     string         // error of an invalid rule, or of a limit; then people is empty
}

// why returns the reason for an empty escalation.
func (e escalation) why() string {
	switch {
	case e.failure != "":
		return e.failure
	case e.yielded == 0:
		return "escalate_to yields nobody"
	default:
		return "everyone whom escalate_to yields is excluded, unknown to the directory, or already part of the stage"
	}
}

// newEscalation resolves escalate_to. It skips present and former participants of the run.
func newEscalation(c runChange) escalation {
	var e escalation
	rules := c.stage().Deadline.EscalateTo
	yields := make([][]identity.User, len(rules))
	for i := range rules {
		users, failure := c.people(rules[i], c.run, 0)
		switch {
		case approver.IsUnanswered(failure):
			e.unavailable = fmt.Sprintf("%s rule %d: %s", escalateTo, i, failure.Message)
		case failure != nil:
			e.failure = fmt.Sprintf("%s rule %d: %s", escalateTo, i, failure.Message)
		}
		yields[i] = users
	}
	if e.unavailable != "" || e.failure != "" {
		return e
	}
	all := dedupe(yields...)
	e.yielded = len(all)
	if _, err := c.excludedNow(); err != nil {
		e.unavailable = escalateTo + ": " + refusal.MessageOf(err)
		return e
	}
	known, fit := c.KnownUsers(all), c.fitToJoin()
	for _, u := range all {
		named, there := known[u.ID]
		person, isFit := fit(u)
		if there && isFit && c.run.entry(u.ID) < 0 && c.checkAssignable(Task{}, u) == nil {
			e.people = append(e.people, person.Known(named))
		}
	}
	counted, limit := len(c.run.People), policy.MaxPool
	if !c.run.Pool {
		counted, limit = 0, policy.MaxCounted
		for _, t := range c.run.tasksOf(c.Tasks) {
			if t.counted() {
				counted++
			}
		}
	}
	if counted+len(e.people) > limit {
		e.failure = fmt.Sprintf("%s: the stage would have %d approvers, over the limit of %d", escalateTo, counted+len(e.people), limit)
		e.people = nil
	}
	return e
}

// PreviewEscalation returns the approvers that the deadline of a run would add now, and the reason if there are none.
// The tasks of a run that has not started are those that its start would create.
func (r Request) PreviewEscalation(def policy.Definition, run StageRun, f Facts) (added []identity.User, why string, err error) {
	c := newChange(r, def, identity.Actor{}, f).onRun(&run)
	if !run.Status.running() && !run.Pool {
		c.makeTasks(0)
	}
	found := newEscalation(c)
	if err := c.Unasked(); err != nil {
		return nil, "", err
	}
	if found.unavailable != "" {
		return nil, "", reason.NoAnswer("stage %s: %s", run.Key, found.unavailable)
	}
	for _, person := range found.people {
		added = append(added, person.User())
	}
	if len(added) == 0 {
		why = found.why()
	}
	return added, why, nil
}

// closeRescues closes the unassigned rescue tasks of a pool without which its quorum stays reachable. Their
// places become open tasks, which the added approvers may claim.
func (c runChange) closeRescues() {
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if !c.run.Owns(*t) || !t.vacant() {
			continue
		}
		rescue := *t
		*t = t.close(TaskSkipped, ClosedNotNeeded, c.facts.At)
		if ballot, _ := c.ballot(); ballot.Judge() == quorum.VerdictUnreachable {
			*t = rescue
			continue
		}
		c.note(audit.EventTaskClosed, c.run, t)
	}
}
