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
func newPlan(c runChange, stage policy.Stage) plan {
	applies, failure := true, (*refusal.Error)(nil)
	if stage.When != "" {
		applies, failure = c.condition(stage.When)
	}
	switch {
	case approver.IsUnanswered(failure):
		return plan{status: StageResolving, staffing: staffing{unavailable: "when: " + failure.Message}}
	case !applies && failure == nil:
		return plan{status: StageSkipped, skip: Skip{Reason: SkippedByCondition, Detail: stage.When}}
	}
	found := newStaffing(c, stage, 0)
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
func (c runChange) start() error {
	p := newPlan(c, c.stage())
	switch {
	case p.failureText() != "" && c.starting:
		return refusal.New(reason.EngineRefused, "stage %s: %s", c.run.Key, p.failureText())
	case p.status == StageResolving && c.starting:
		return reason.NoAnswer("stage %s: %s", c.run.Key, p.unavailable)
	case p.status == StageResolving:
		first := c.run.Status != StageResolving
		if *c.run = c.run.wait(p.unavailable, c.facts.At); first {
			c.note(audit.EventStageResolutionFailed, c.run, nil)
		}
		return nil
	}
	c.run.RetryAt = time.Time{}
	problems := append(slices.Clone(p.failures), p.unseen...)
	if p.failure != nil {
		problems = append([]string{"when: " + p.failure.Message}, problems...)
	}
	c.run.LastError = strings.Join(problems, "; ")
	p.put(c.run)
	switch p.status {
	case StageSkipped:
		c.run.Status, c.run.Skip, c.run.CompletedAt = StageSkipped, &p.skip, c.facts.At
		c.run.LastError = ""
		c.note(audit.EventStageSkipped, c.run, nil)
	case StageRejected:
		c.because = StatusReason{Code: BecauseStageEmpty, StageKey: c.run.Key}
		c.finishStage(StageRejected, ClosedStageRejected)
	default:
		c.run.Status, c.run.StartedAt = StageActive, c.facts.At
		c.run.Clock = newClock(c.def.Settings, c.stage().Deadline, c.run.Computed, c.facts.At)
		c.note(audit.EventStageStarted, c.run, nil)
		c.assignTasks() // the evaluation of the stage detects missing approvers
	}
	return nil
}

// assignTasks creates a task for each approver without one.
func (c runChange) assignTasks() {
	if !c.run.Pool {
		c.makeTasks(0)
	}
	if c.def.Settings.RepeatApprover == policy.RepeatAutoApprove {
		c.repeat()
	}
}

// makeTasks creates a task for each approver without one in the run, from an index on.
func (c runChange) makeTasks(from int) {
	used := c.run.occupants(c.Tasks)
	for _, a := range c.run.People[from:] {
		if used[a.ID] || a.Ineligible {
			continue
		}
		t := c.newTask()
		t.Assignee, t.Rules, t.Required, t.Added = new(a.User), a.Rules, a.Required, a.Escalated
		t.Owner = t.Assignee
		c.Tasks = append(c.Tasks, t)
		c.note(audit.EventTaskCreated, c.run, &t)
	}
}

// repeat approves the tasks of approvers of an earlier stage. It skips stages that require
// reauthentication, a decision form or a comment.
func (c runChange) repeat() {
	stage := c.stage()
	if stage.Reauth != nil || len(stage.DecisionSchema) > 0 || c.def.Settings.RequireComment.Approve {
		return
	}
	caller, fit := c.by, c.fitToJoin()
	c.by = identity.SystemRepeat
	for i := range c.Tasks {
		task := &c.Tasks[i]
		if !c.run.Owns(*task) || task.Status != TaskOpen || task.Assignee == nil || !approvedElsewhere(c.Request, c.run, task.Assignee.ID) {
			continue
		}
		who, fit := fit(*task.Assignee)
		if !fit {
			continue
		}
		d := c.onTask(task).decision(right{owner: approver.Approver{User: *task.Assignee}, actor: who}, DecisionInput{ID: c.ids.next(), Action: ActionApprove}, false)
		d.Source = SourceSystem
		*task = task.decide(d)
		c.note(audit.EventTaskDecided, c.run, task)
	}
	c.by = caller
}

// preview computes the result of starting the stage of a run now.
func (c runChange) preview() (problems []string, err error) {
	stage := c.stage()
	p := newPlan(c, stage)
	if p.status == StageResolving {
		return nil, reason.NoAnswer("stage %s: %s", c.run.Key, p.unavailable)
	}
	if p.status == StageSkipped {
		c.run.Status, c.run.Skip = StageSkipped, &p.skip
		if p.skip.Reason == SkippedByCondition { // no rule was resolved
			return nil, nil
		}
	}
	p.put(c.run)
	c.run.Count = p.ballot(stage).Count()
	problems = slices.Clone(p.failures)
	switch {
	case p.status == StageSkipped:
	case p.status == StageRejected:
		problems = append(problems, "too few eligible approvers: the request would be rejected")
	case p.understaffed && len(p.failures) == 0:
		problems = append(problems, fmt.Sprintf("too few eligible approvers: %d; an admin would have to assign more", len(c.run.People)))
	}
	return problems, nil
}

// Preview returns the run of a stage that the request has not reached, as if it started now, and the
// obstacles to its start. The request does not change.
func (r Request) Preview(def policy.Definition, stage policy.Stage, f Facts) (run StageRun, problems []string, err error) {
	c := newChange(r, def, identity.Actor{}, f)
	c.Stages = append(
		c.Stages,
		StageRun{
			Key:           stage.Key,
			Name:          stage.Name,
			Run:           1,
			Status:        StagePending,
			ParallelGroup: stage.ParallelGroup,
			Pool:          stage.Assignment == policy.AssignmentPool,
			Delegable:     def.Delegable(stage),
		},
	)
	last := &c.Stages[len(c.Stages)-1]
	switch failure := c.onRun(last).compute(); {
	case approver.IsUnanswered(failure):
		return *last, nil, reason.NoAnswer("stage %s: %s", stage.Key, failure.Message)
	case failure != nil:
		return *last, []string{failure.Message}, nil
	}
	problems, err = c.onRun(last).preview()
	return *last, problems, cmp.Or(c.Unasked(), err)
}
