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
func (s runChange) escalate() {
	found := newEscalation(s)
	if found.unavailable != "" {
		s.run.setEscalationError(found.unavailable)
		s.run.TimerAt = s.c.facts.At.Add(min(max(s.c.facts.At.Sub(s.run.DueAt), minRetry), maxRetry))
		return
	}
	s.run.EscalatedAt = s.c.facts.At
	s.run.setEscalationError(found.failure)
	if len(found.people) == 0 {
		s.c.note(audit.EventStageEscalationEmpty, s.run, nil).Stage.Error = found.why()
		return
	}
	before := len(s.run.People)
	rules := s.stage().OptionalRules() // an added approver satisfies each of them
	var added []identity.User
	for _, person := range found.people {
		added = append(added, person.User())
		s.run.add(person, approver.Approver{Rules: rules, Added: true, Escalated: true})
	}
	s.c.note(audit.EventStageEscalated, s.run, nil).Stage.Added = added
	if s.run.Pool {
		s.closeRescues()
	} else {
		s.makeTasks(before)
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
func newEscalation(at runChange) escalation {
	var e escalation
	rules := at.stage().Deadline.EscalateTo
	yields := make([][]identity.User, len(rules))
	for i := range rules {
		users, failure := at.c.people(rules[i], at.run, 0)
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
	if _, err := at.excludedNow(); err != nil {
		e.unavailable = escalateTo + ": " + refusal.MessageOf(err)
		return e
	}
	known, fit := at.c.finder.KnownUsers(all), at.fitToJoin()
	for _, u := range all {
		named, there := known[u.ID]
		person, isFit := fit(u)
		if there && isFit && at.run.entry(u.ID) < 0 && at.checkAssignable(Task{}, u) == nil {
			e.people = append(e.people, person.Known(named))
		}
	}
	counted, limit := len(at.run.People), policy.MaxPool
	if !at.run.Pool {
		counted, limit = 0, policy.MaxCounted
		for _, t := range at.run.tasksOf(at.c.req.Tasks) {
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
	if err := c.c.finder.Unasked(); err != nil {
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

// closeRescues closes the unassigned rescue tasks without which the quorum stays reachable. It keeps those in the place
// of a former approver: their seats count.
func (s runChange) closeRescues() {
	for i := range s.c.req.Tasks {
		t := &s.c.req.Tasks[i]
		if !s.run.Owns(*t) || !t.vacant() || !t.Added || t.Replaces > 0 {
			continue
		}
		rescue := *t
		*t = t.close(TaskSkipped, ClosedNotNeeded, s.c.facts.At)
		if ballot, _ := s.ballot(); ballot.Judge() == quorum.VerdictUnreachable {
			*t = rescue
			continue
		}
		s.c.note(audit.EventTaskClosed, s.run, t)
	}
}
