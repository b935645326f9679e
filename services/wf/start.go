package wf

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// plan is the result of evaluating a stage before its start. Creation, preview and simulation share
// it.
type plan struct {
	staffing
	status  StageStatus    // resolving, skipped, rejected or active; active also if understaffed
	skip    Skip           // of a skipped stage
	failure *refusal.Error // error of the condition; the stage runs then
}

// newPlan evaluates the condition of a stage and resolves its approvers. A stage whose condition fails runs.
func newPlan(at runChange, stage policy.Stage) plan {
	applies, failure := true, (*refusal.Error)(nil)
	if stage.When != "" {
		applies, failure = at.c.condition(stage.When)
	}
	switch {
	case approver.IsUnanswered(failure):
		return plan{status: StageResolving, staffing: staffing{unavailable: "when: " + failure.Message}}
	case !applies && failure == nil:
		return plan{status: StageSkipped, skip: Skip{Reason: SkippedByCondition, Detail: stage.When}}
	}
	found := newStaffing(at, stage, 0)
	p := plan{staffing: found, status: StageActive, failure: failure}
	switch {
	case found.unavailable != "":
		p.status = StageResolving
	case !found.understaffed || found.failureText() != "":
	case stage.OnEmpty == policy.OnEmptySkip && found.noApprovers:
		p.status, p.skip = StageSkipped, Skip{Reason: "empty"}
	case stage.OnEmpty == policy.OnEmptyReject:
		p.status = StageRejected
	}
	return p
}

// start starts a stage. The result is a skipped, rejected, active or resolving stage; an
// understaffed stage starts as active.
func (s runChange) start() error {
	p := newPlan(s, s.stage())
	switch {
	case p.failureText() != "" && s.c.starting:
		return refusal.New(reason.EngineRefused, "stage %s: %s", s.run.Key, p.failureText())
	case p.status == StageResolving && s.c.starting:
		return reason.NoAnswer("stage %s: %s", s.run.Key, p.unavailable)
	case p.status == StageResolving:
		first := s.run.Status != StageResolving
		if *s.run = s.run.wait(p.unavailable, s.c.facts.At); first {
			s.c.note(audit.EventStageResolutionFailed, s.run, nil)
		}
		return nil
	}
	s.run.RetryAt = time.Time{}
	problems := append(slices.Clone(p.failures), p.unseen...)
	if p.failure != nil {
		problems = append([]string{"when: " + p.failure.Message}, problems...)
	}
	s.run.LastError = strings.Join(problems, "; ")
	p.put(s.run)
	switch p.status {
	case StageSkipped:
		s.run.Status, s.run.Skip, s.run.CompletedAt = StageSkipped, &p.skip, s.c.facts.At
		s.run.LastError = ""
		s.c.note(audit.EventStageSkipped, s.run, nil)
	case StageRejected:
		s.c.because = StatusReason{Code: BecauseStageEmpty, StageKey: s.run.Key}
		s.finishStage(StageRejected, ClosedStageRejected)
	default:
		s.run.Status, s.run.StartedAt = StageActive, s.c.facts.At
		s.run.Clock = newClock(s.c.def.Settings, s.stage().Deadline, s.run.Computed, s.c.facts.At)
		s.c.note(audit.EventStageStarted, s.run, nil)
		s.assignTasks() // the evaluation of the stage detects missing approvers
	}
	return nil
}

// assignTasks creates a task for each approver without one.
func (s runChange) assignTasks() {
	if !s.run.Pool {
		s.makeTasks(0)
	}
	if s.c.def.Settings.RepeatApprover == policy.RepeatAutoApprove {
		s.repeat()
	}
}

// makeTasks creates a task for each approver without one in the run, from an index on.
func (s runChange) makeTasks(from int) {
	used := s.run.occupants(s.c.req.Tasks)
	for _, a := range s.run.People[from:] {
		if used[a.ID] || a.Ineligible {
			continue
		}
		t := s.newTask()
		t.Assignee, t.Rules, t.Required, t.Added = new(a.User), a.Rules, a.Required, a.Escalated
		t.Owner = t.Assignee
		s.c.req.Tasks = append(s.c.req.Tasks, t)
		s.c.note(audit.EventTaskCreated, s.run, &t)
	}
}

// repeat approves the tasks of approvers of an earlier stage. It skips stages that require
// reauthentication, a decision form or a comment.
func (s runChange) repeat() {
	stage := s.stage()
	if stage.Reauth != nil || len(stage.DecisionSchema) > 0 || s.c.def.Settings.RequireComment.Approve {
		return
	}
	caller, fit := s.c.by, s.fitToJoin()
	s.c.by = identity.SystemRepeat
	for i := range s.c.req.Tasks {
		task := &s.c.req.Tasks[i]
		if !s.run.Owns(*task) || task.Status != TaskOpen || task.Assignee == nil ||
			!approvedElsewhere(s.c.req, s.run, task.Assignee.ID) {
			continue
		}
		who, fit := fit(*task.Assignee)
		if !fit {
			continue
		}
		own := right{owner: approver.Approver{User: *task.Assignee}, actor: who}
		d := s.onTask(task).decision(own, DecisionInput{ID: s.c.ids.next(), Action: ActionApprove}, false)
		d.Source = SourceSystem
		*task = task.decide(d)
		s.c.note(audit.EventTaskDecided, s.run, task)
	}
	s.c.by = caller
}

// preview computes the result of starting the stage of a run now.
func (s runChange) preview() (problems []string, err error) {
	stage := s.stage()
	p := newPlan(s, stage)
	if p.status == StageResolving {
		return nil, reason.NoAnswer("stage %s: %s", s.run.Key, p.unavailable)
	}
	if p.status == StageSkipped {
		s.run.Status, s.run.Skip = StageSkipped, &p.skip
		if p.skip.Reason == SkippedByCondition { // no rule was resolved
			return nil, nil
		}
	}
	p.put(s.run)
	s.run.Count = p.ballot(stage).Count()
	problems = slices.Clone(p.failures)
	switch {
	case p.status == StageSkipped:
	case p.status == StageRejected:
		problems = append(problems, "too few eligible approvers: the request would be rejected")
	case p.understaffed && len(p.failures) == 0:
		problems = append(problems,
			fmt.Sprintf("too few eligible approvers: %d; an admin would have to assign more", len(s.run.People)))
	}
	return problems, nil
}

// Preview returns the run of a stage that the request has not reached, as if it started now, and the
// obstacles to its start. The request does not change.
func (r Request) Preview(def policy.Definition, stage policy.Stage, f Facts) (run StageRun, problems []string, err error) {
	c := newChange(r, def, identity.Actor{}, f)
	c.req.Stages = append(c.req.Stages, newRun("", def, stage, 1))
	last := &c.req.Stages[len(c.req.Stages)-1]
	switch failure := c.onRun(last).compute(); {
	case approver.IsUnanswered(failure):
		return *last, nil, reason.NoAnswer("stage %s: %s", stage.Key, failure.Message)
	case failure != nil:
		return *last, []string{failure.Message}, nil
	}
	problems, err = c.onRun(last).preview()
	return *last, problems, cmp.Or(c.finder.Unasked(), err)
}
