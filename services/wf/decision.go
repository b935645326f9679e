package wf

import (
	"encoding/json"
	"unicode/utf8"
)

// Action is what an approver decides.
type Action string

// The decisions.
const (
	Approve        Action = "approve"
	Reject         Action = "reject"
	Abstain        Action = "abstain"
	RequestChanges Action = "request_changes"
)

// Decision is what one person decided on one task. It is never changed.
type Decision struct {
	ID          string          `json:"id"`
	TaskID      string          `json:"task_id"`
	RequestID   string          `json:"request_id"`
	StageKey    string          `json:"stage_key"`
	Revision    int             `json:"revision"`
	Action      Action          `json:"action" enum:"approve,reject,abstain,request_changes"`
	Comment     string          `json:"comment,omitempty"`
	Attachments []Attachment    `json:"attachments,omitempty"`
	Data        json.RawMessage `json:"data,omitempty"`
	Actor       ActorRef        `json:"actor"`
	OnBehalfOf  *User           `json:"on_behalf_of,omitempty"`
	Auth        Auth            `json:"auth,omitzero"`
	ContextHash string          `json:"context_hash" doc:"Of the content that was decided on."`
	Override    bool            `json:"override" doc:"An admin decided in the assignee's place."`
	Source      string          `json:"source" enum:"api,system"`
	DecidedAt   Stamp           `json:"decided_at"`
}

// DecisionInput is what a caller decides.
type DecisionInput struct {
	ID                  string
	Action              Action
	Comment             string
	Attachments         []Attachment
	Data                []byte
	ExpectedContextHash string
	ExpectedRevision    int
}

// minOverrideComment is the shortest explanation of an override, in characters.
const minOverrideComment = 10

// Decide records a decision and draws what follows from it: the stage's outcome,
// the next stage, the end of the request.
func (r Request) Decide(def Definition, taskID string, in DecisionInput, by Actor, w World) (Request, []Event, error) {
	c, task, run, err := r.onTask(def, taskID, by, w)
	if err != nil {
		return r, nil, err
	}
	stage, _ := def.Stage(run.Key)
	override, err := c.mayDecide(task, run, stage)
	if err != nil {
		return r, nil, err
	}
	if err := c.wellFormed(in, stage, override); err != nil {
		return r, nil, err
	}
	if err := c.live(task, run); err != nil {
		return r, nil, err
	}
	switch {
	case task.Kind == RescueTask && !override:
		return r, nil, Refuse(WrongState, "task %s has to be reassigned to an approver first", task.ID)
	case in.ExpectedContextHash != "" && in.ExpectedContextHash != r.ContextHash:
		return r, nil, Refuse(WrongState, "the context of request %s has changed", r.ID)
	case in.ExpectedRevision != 0 && in.ExpectedRevision != r.Revision:
		return r, nil, Refuse(WrongState, "request %s is at revision %d", r.ID, r.Revision)
	case in.Action == Abstain && !stage.Allow.Abstain:
		return r, nil, Refuse(WrongState, "stage %s does not allow abstaining", run.Key)
	case in.Action == RequestChanges && stage.Allow.RequestChanges != nil && !*stage.Allow.RequestChanges:
		return r, nil, Refuse(WrongState, "stage %s does not allow requesting changes", run.Key)
	case in.Action == RequestChanges && r.Revision > def.Settings.maxRevisions():
		return r, nil, Refuse(WrongState, "changes were requested %d times, the most that policy %s allows", r.Revision-1, r.PolicyKey)
	}
	candidate, _ := run.person(by.ID)
	if !override && task.Assignee == nil && c.spent(candidate, run) {
		return r, nil, Refuse(WrongState, "already holds a task of stage %s", run.Key)
	}
	if !override {
		if err := c.recheck(task, run); err != nil {
			return r, nil, err
		}
	}
	if !override && task.Assignee == nil {
		*task = task.claimedBy(candidate, w.At)
		c.note(TaskWasClaimed, run, task)
	}
	*task = task.decided(c.decision(*task, in, override))
	c.note(TaskDecided, run, task)
	switch {
	case in.Action == RequestChanges:
		c.sendBack(run)
	case override:
		c.force(run, in.Action)
		err = c.advance()
	default:
		err = c.advance()
	}
	if err != nil {
		return r, nil, err
	}
	return c.done()
}

// mayDecide reports whether the actor may decide the task at all, and whether as an
// admin who overrides.
func (c *change) mayDecide(task *Task, run *StageRun, stage Stage) (override bool, err error) {
	_, candidate := run.candidate(c.by.ID, *task)
	switch {
	case task.HeldBy(c.by.ID), task.Assignee == nil && candidate:
	case c.by.Has(Admin) && c.def.Settings.AdminOverride:
		override = true
	case c.by.Has(Admin) && task.Kind == RescueTask:
		return false, nil // he is told what to do with it
	default:
		return false, Refuse(Forbidden, "not the assignee of task %s", task.ID)
	}
	if !task.Status.live() {
		return override, nil // the state speaks next
	}
	if reason := c.unfit(c.by.User, run); reason != "" {
		return false, Refuse(Forbidden, "excluded from task %s: %s", task.ID, reason)
	}
	if reason := c.parties(c.by.User); reason != "" && override {
		return false, Refuse(Forbidden, "the %s may not override", reason)
	}
	if !stage.Reauth.permits(c.by, c.w) {
		return false, &Error{Reason: Forbidden, Message: "this decision needs a fresh or stronger authentication", StepUp: stage.Reauth}
	}
	return override, nil
}

// wellFormed checks the parts of a decision that depend on the policy.
func (c *change) wellFormed(in DecisionInput, stage Stage, override bool) error {
	need := c.def.Settings.RequireComment
	required := map[Action]bool{Approve: need.Approve, Reject: need.Reject, Abstain: need.Abstain, RequestChanges: need.RequestChanges}[in.Action]
	comment := []any{"body", "comment"}
	switch {
	case override && utf8.RuneCountInString(in.Comment) < minOverrideComment:
		return RefuseInput("string_too_short", comment, "An override needs a comment of at least %d characters", minOverrideComment)
	case override && in.Action != Approve && in.Action != Reject:
		return RefuseInput("enum", []any{"body", "action"}, "An override approves or rejects")
	case required && in.Comment == "":
		return RefuseInput("missing", comment, "Policy %s needs a comment to %s", c.PolicyKey, in.Action)
	default:
		return nil
	}
}

func (c *change) decision(task Task, in DecisionInput, override bool) Decision {
	d := Decision{
		ID: in.ID, TaskID: task.ID, RequestID: c.ID, StageKey: task.StageKey, Revision: c.Revision,
		Action: in.Action, Comment: in.Comment, Attachments: in.Attachments, Data: in.Data,
		Actor: c.by.Ref(), Auth: c.by.Auth, ContextHash: c.ContextHash,
		Override: override, Source: "api", DecidedAt: Stamp{c.w.At},
	}
	switch {
	case override:
	case task.SharedWith != nil && task.SharedWith.ID == c.by.ID:
		d.OnBehalfOf = task.Assignee
	default:
		d.OnBehalfOf = task.OnBehalfOf
	}
	return d
}
