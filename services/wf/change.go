package wf

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// change is a transition in progress: a copy of the request, and the events that
// the transition has caused so far.
type change struct {
	Request
	def   policy.Definition
	facts Facts
	*approver.Finder
	ids      ids
	by       identity.Actor
	call     call   // the caller's, also while the service itself acts
	reason   string // of the event being noted
	because  StatusReason
	starting bool                    // the request is being created and may be refused
	stale    bool                    // the membership of the actor could not be rechecked
	keep     bool                    // changes are stored despite the refusal
	votes    map[string]quorum.Cause // by id of the stage run: cause from the caller's decision
	events   []Event
}

// runChange is a transition at one of its stage runs.
type runChange struct {
	*change
	run *StageRun
}

// taskChange is a transition at one of its tasks.
type taskChange struct {
	runChange
	task *Task
}

func (c *change) onRun(run *StageRun) runChange { return runChange{c, run} }

func (c runChange) onTask(task *Task) taskChange { return taskChange{c, task} }

// call identifies the causing call in events.
type call struct{ id, traceparent string }

// begin starts a transition on a copy.
func (r Request) begin(def policy.Definition, by identity.Actor, f Facts) *change {
	c := &change{
		Request: r, def: def, facts: f, by: by, call: call{by.CallID, by.Traceparent},
		Finder: &approver.Finder{Answers: f.Answers, Directory: f.Directory, Open: &approver.Unanswered{}}, ids: ids{seed: f.Seed, at: f.At}, votes: map[string]quorum.Cause{},
	}
	c.Stages, c.Tasks = slices.Clone(r.Stages), slices.Clone(r.Tasks)
	for i := range c.Stages {
		c.Stages[i].People = slices.Clone(c.Stages[i].People)
	}
	return c
}

// transition runs the steps of a transition on a copy. It returns the changed request with its
// events, or the request as it was with a refusal or with the open questions. With keep, it returns
// the changes together with the refusal.
func (r Request) transition(def policy.Definition, by identity.Actor, f Facts, steps func(*change) error) (Request, []Event, error) {
	c := r.begin(def, by, f)
	err := c.Attempt(func() error { return steps(c) })
	if _, open := errors.AsType[*approver.Unanswered](err); open || err != nil && !c.keep {
		return r, nil, err
	}
	after, events, failure := c.done()
	if failure != nil {
		return r, nil, failure
	}
	return after, events, err
}

// onTask is a transition of one task.
func (r Request) onTask(def policy.Definition, id string, by identity.Actor, f Facts, step func(taskChange) error) (Request, []Event, error) {
	return r.transition(def, by, f, func(c *change) error {
		i := slices.IndexFunc(c.Tasks, func(t Task) bool { return t.ID == id })
		if i < 0 {
			return refusal.New(reason.TaskNotFound, "no task %s", id)
		}
		task := &c.Tasks[i]
		return step(c.onRun(c.runOf(task)).onTask(task))
	})
}

// runOf returns the run that a task belongs to.
func (c *change) runOf(t *Task) *StageRun {
	for i := range c.Stages {
		if run := &c.Stages[i]; run.Owns(*t) {
			return run
		}
	}
	panic(fmt.Sprintf("task %s belongs to no run of its request", t.ID))
}

// stage returns the definition of the stage that a run is of.
func (c runChange) stage() policy.Stage {
	stage, _ := c.def.Stage(c.run.Key)
	return stage
}

// unexpired ends a request whose time is over, and refuses the caller. Nothing else can
// happen to such a request.
func (c *change) unexpired() error {
	if c.Status.Final() || !c.Overdue(c.facts.At) {
		return nil
	}
	c.by, c.keep = identity.SystemExpiry, true
	c.finish(RequestExpired, StatusReason{Code: BecauseExpired})
	return refusal.New(reason.WrongState, "request %s has expired", c.ID)
}

// live refuses when the task has ended.
func (c taskChange) live() error {
	if err := c.unexpired(); err != nil {
		return err
	}
	switch {
	case c.Status.Final() || c.Status == RequestChangesRequested:
		return refusal.New(reason.WrongState, "request %s is %s", c.ID, c.Status)
	case !c.run.Status.running():
		return refusal.New(reason.WrongState, "stage %s is already %s", c.run.Key, c.run.Status)
	case !c.task.Status.live():
		return refusal.New(reason.WrongState, "task %s is %s", c.task.ID, c.task.Status)
	default:
		return nil
	}
}

// note appends an event. run and task may be nil.
func (c *change) note(kind audit.EventType, run *StageRun, task *Task) {
	e := Event{
		Type: kind, At: identity.Stamp{Time: c.facts.At}, Actor: c.by.Ref(), Auth: c.by.Auth, Client: c.by.Client,
		Resource: Resource{Type: "request", ID: c.ID}, RequestID: c.ID, Request: c.Summary(), Reason: c.reason, CallID: c.call.id, Traceparent: c.call.traceparent,
	}
	if run != nil {
		e.Stage = &StageSummary{Key: run.Key, Name: run.Name, Run: run.Run, Status: run.Status, Skip: run.Skip, Error: run.LastError}
		e.Resource = Resource{Type: "stage", ID: run.ID}
	}
	if task != nil {
		e.Task = &TaskSummary{
			ID: task.ID, Kind: task.Kind, StageKey: task.StageKey, Seat: task.Seat, Status: task.Status,
			Assignee: task.Assignee, OnBehalfOf: task.OnBehalfOf, ReassignedFrom: task.ReassignedFrom, CloseReason: task.CloseReason,
		}
		if kind == audit.EventTaskDecided {
			e.Decision = task.Decision
		}
		e.MembershipStale = c.stale && (kind == audit.EventTaskDecided || kind == audit.EventTaskClaimed)
		e.Resource = Resource{Type: "task", ID: task.ID}
	}
	c.events = append(c.events, e)
}

// done links the events to the request's chain and returns the changed copy. Without an
// event nothing has changed but the time at which a stage is tried again.
func (c *change) done() (Request, []Event, error) {
	if len(c.events) == 0 {
		return c.Request, nil, nil
	}
	for i, e := range c.events {
		var err error
		e.ID = c.facts.Seed.EventID(c.facts.At, c.Chain.Seq+1)
		if c.Chain, c.events[i], err = e.Link(c.Chain); err != nil {
			return c.Request, nil, err
		}
	}
	c.UpdatedAt = c.facts.At
	c.Rev++
	return c.Request, c.events, nil
}

// enter adds a pending run of every stage whose last run is not kept.
func (c *change) enter(keep func(last StageRun) bool) {
	for _, stage := range c.def.Stages {
		last, ran := c.Latest(stage.Key)
		if ran && keep(last) {
			continue
		}
		c.Stages = append(c.Stages, StageRun{
			ID: c.ids.next(), Key: stage.Key, Name: stage.Name, Run: last.Run + 1,
			Status: StagePending, ParallelGroup: stage.ParallelGroup, Pool: stage.Assignment == policy.AssignmentPool,
		})
	}
}

// advance evaluates the running stages and starts the next ones, until decisions are pending or the
// request ends.
func (c *change) advance() error {
	for {
		c.judgeAll()
		pending, over := c.frontier()
		switch {
		case c.because.Code != "" && c.hasRejected():
			c.finish(RequestRejected, c.because)
			return nil
		case over:
			return c.conclude()
		case len(pending) == 0:
			c.settle()
			return nil
		}
		for _, run := range pending {
			if err := c.onRun(run).start(); err != nil {
				return err
			}
		}
	}
}

// judgeAll evaluates the running stages. The end of one releases its approvers for parallel stages,
// so those are evaluated again.
func (c *change) judgeAll() {
	for again := true; again; {
		again = false
		for i := range c.Stages {
			if run := &c.Stages[i]; run.Status.running() {
				c.onRun(run).judge()
				again = again || !run.Status.running()
			}
		}
	}
}

// frontier returns the runs to start now, and whether all stages are over.
func (c *change) frontier() (pending []*StageRun, over bool) {
	for _, group := range c.def.Groups() {
		open := false
		for _, stage := range group {
			run := c.current(stage.Key)
			switch run.Status {
			case StageApproved, StageSkipped:
			case StagePending:
				pending = append(pending, run)
				open = true
			default:
				open = true
			}
		}
		if open {
			return pending, false
		}
	}
	return nil, true
}

func (c *change) current(stage string) *StageRun {
	for i := len(c.Stages) - 1; i >= 0; i-- {
		if c.Stages[i].Key == stage {
			return &c.Stages[i]
		}
	}
	panic("stage " + stage + " has no run")
}

func (c *change) hasRejected() bool {
	return slices.ContainsFunc(c.def.Stages, func(s policy.Stage) bool { return c.current(s.Key).Status == StageRejected })
}

// conclude ends a request whose stages are all over.
func (c *change) conclude() error {
	skipped := !slices.ContainsFunc(c.def.Stages, func(s policy.Stage) bool { return c.current(s.Key).Status != StageSkipped })
	why := StatusReason{Code: BecauseQuorumMet}
	if c.because.Code == BecauseOverride {
		why = c.because
	}
	if !skipped {
		c.finish(RequestApproved, why)
		return nil
	}
	why = StatusReason{Code: BecauseNoStageApplies}
	c.by = identity.SystemPolicy
	switch c.def.Settings.OnNoStages {
	case policy.OnNoStagesApprove:
		c.finish(RequestApproved, why)
	case policy.OnNoStagesReject:
		c.finish(RequestRejected, why)
	default:
		return refusal.New(reason.EngineRefused, "no stage of policy %s applies to this request", c.PolicyKey)
	}
	return nil
}

// settle brings the request's status in line with its running stages.
func (c *change) settle() {
	i := slices.IndexFunc(c.Stages, func(run StageRun) bool { return run.Status == StageBlocked })
	switch {
	case i >= 0 && c.Status != RequestBlocked:
		c.Status = RequestBlocked
		blocked := c.Stages[i]
		code := BecauseNoApprovers
		if c.votes[blocked.ID] != "" {
			code = BecauseQuorumUnreachable
		}
		c.StatusReason = &StatusReason{Code: code, StageKey: blocked.Key, Message: blocked.LastError}
		c.note(audit.EventRequestBlocked, nil, nil)
	case i < 0 && c.Status == RequestBlocked:
		c.Status, c.StatusReason = RequestInReview, nil
		c.note(audit.EventRequestUnblocked, nil, nil)
	}
}

// sendBack returns the request to the requester, with the comment of the approver.
func (c runChange) sendBack(words string) {
	c.stop(StageCancelled, TaskCancelled, ClosedChangesRequested)
	c.Status, c.StatusReason = RequestChangesRequested, &StatusReason{Code: BecauseChangesRequested, Message: words, StageKey: c.run.Key}
	c.note(audit.EventRequestChangesRequested, c.run, nil)
}

// finish ends the request with everything that is open in it.
func (c *change) finish(status RequestStatus, why StatusReason) {
	kind := map[RequestStatus]audit.EventType{
		RequestApproved: audit.EventRequestApproved, RequestRejected: audit.EventRequestRejected, RequestCancelled: audit.EventRequestCancelled, RequestExpired: audit.EventRequestExpired,
	}[status]
	switch status {
	case RequestCancelled:
		c.stop(StageCancelled, TaskCancelled, ClosedRequestCancelled)
	case RequestExpired:
		c.stop(StageExpired, TaskCancelled, ClosedRequestExpired)
	default:
		c.stop(StageCancelled, TaskSkipped, ClosedStageRejected)
	}
	c.Status, c.StatusReason, c.CompletedAt = status, &why, c.facts.At
	c.note(kind, nil, nil)
}

// stop ends every stage that is not over, with its tasks.
func (c *change) stop(status StageStatus, tasks TaskStatus, reason CloseReason) {
	for i := range c.Stages {
		run := &c.Stages[i]
		if run.Status != StagePending && run.Status != StageResolving && !run.Status.running() {
			continue
		}
		c.onRun(run).closeTasks(tasks, reason)
		run.Status, run.CompletedAt, run.RetryAt = status, c.facts.At, time.Time{}
		run.Count.Open, run.Wanted = 0, 0
	}
}
