package wf

import (
	"fmt"
	"slices"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// change is a transition in progress: a copy of the request and the events recorded so far.
type change struct {
	Request
	before Request // without the changes
	def    policy.Definition
	facts  Facts
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

// call identifies the call that caused the events.
type call struct{ id, traceparent string }

// newChange starts a transition on a copy. The caller returns end.
func newChange(r Request, def policy.Definition, by identity.Actor, f Facts) *change {
	c := &change{
		Request: r, before: r, def: def, facts: f, by: by, call: call{by.CallID, by.Traceparent},
		Finder: &approver.Finder{Answers: f.Answers, Directory: f.Directory},
		ids:    ids{seed: f.Seed, at: f.At}, votes: map[string]quorum.Cause{},
	}
	c.Stages, c.Tasks = slices.Clone(r.Stages), r.WithClaims(f.Delegations, f.At).Tasks
	for i := range c.Stages {
		c.Stages[i].People = slices.Clone(c.Stages[i].People)
	}
	return c
}

// findTask returns the transition at the task with this id.
func (c *change) findTask(id string) (taskChange, error) {
	i := slices.IndexFunc(c.Tasks, func(t Task) bool { return t.ID == id })
	if i < 0 {
		return taskChange{}, refusal.New(reason.TaskNotFound, "no task %s", id)
	}
	task := &c.Tasks[i]
	return c.onRun(c.runOf(task)).onTask(task), nil
}

// findTaskForActor is findTask for an act of a person.
func (c *change) findTaskForActor(id string) (taskChange, error) {
	task, err := c.findTask(id)
	if err == nil {
		err = RequirePerson(c.by)
	}
	return task, err
}

// runOf returns the run of a task.
func (c *change) runOf(t *Task) *StageRun {
	for i := range c.Stages {
		if run := &c.Stages[i]; run.Owns(*t) {
			return run
		}
	}
	panic(fmt.Sprintf("task %s belongs to no run of its request", t.ID))
}

// stage returns the definition of the run's stage, with the values computed for the run.
func (c runChange) stage() policy.Stage { return c.run.Stage(c.def) }

// note appends an event and returns it for further members. run and task may be nil.
func (c *change) note(kind audit.EventType, run *StageRun, task *Task) *Event {
	c.Standing = c.Standing.At(c.ValidFrom, c.facts.At)
	e := Event{
		Type: kind, At: identity.Stamp{Time: c.facts.At}, Actor: c.by.Ref(), Auth: c.by.Auth, Client: c.by.Client, Acting: c.by.Acting,
		Resource: Resource{Type: "request", ID: c.ID}, RequestID: c.ID, Request: c.Summary(), Reason: c.reason,
		CallID: c.call.id, Traceparent: c.call.traceparent,
	}
	if run != nil {
		e.Stage = &StageSummary{
			Key: run.Key, Name: run.Name, Run: run.Run, Status: run.Status, Skip: run.Skip, Error: run.LastError,
			DueAt: identity.StampOf(run.DueAt),
		}
		e.Resource = Resource{Type: "stage", ID: run.ID}
	}
	if task != nil {
		e.Task = &TaskSummary{
			ID: task.ID, Kind: task.Kind, StageKey: task.StageKey, Seat: task.Seat, Status: task.Status,
			Assignee: task.Assignee, ClaimedBy: task.ClaimedBy, ReassignedFrom: task.ReassignedFrom, CloseReason: task.CloseReason,
		}
		if kind == audit.EventTaskDecided {
			e.Decision = task.Decision
		}
		e.MembershipStale = c.stale && (kind == audit.EventTaskDecided || kind == audit.EventTaskClaimed)
		e.Resource = Resource{Type: "task", ID: task.ID}
	}
	c.events = append(c.events, e)
	return &c.events[len(c.events)-1]
}

// end returns the changed request with its events, linked to its chain. Without an event, only retry times have
// changed. After a refusal it returns the request without changes, unless keep is set. With open questions it returns
// them alone.
func (c *change) end(refused error) (Request, []Event, error) {
	if err := c.Unasked(); err != nil {
		return c.before, nil, err
	}
	if refused != nil && !c.keep {
		return c.before, nil, refused
	}
	for i, t := range c.before.Tasks { // the end of a delegation writes no task
		if c.Tasks[i].Rev == t.Rev {
			c.Tasks[i].ClaimedBy = t.ClaimedBy
		}
	}
	c.setTimers()
	if len(c.events) == 0 {
		return c.Request, nil, refused
	}
	c.UpdatedAt = c.facts.At
	c.Rev++
	document, err := c.Document()
	if err != nil {
		return c.before, nil, err
	}
	state := StateHash(document)
	for i, e := range c.events {
		e.ID, e.StateHash = c.facts.Seed.EventID(c.facts.At, c.Chain.Seq+1), state
		if c.Chain, c.events[i], err = e.Link(c.Chain); err != nil {
			return c.before, nil, err
		}
	}
	return c.Request, c.events, refused
}
