package wf

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// minOverrideComment is the minimum length of an override comment, in characters.
const minOverrideComment = 10

// Decide records a decision. It completes stages, starts the next ones and ends the request if the decision
// permits.
func (r Request) Decide(def policy.Definition, taskID string, in DecisionInput, by identity.Actor, f Facts) (Request, []Event, error) {
	c := newChange(r, def, by, f)
	task, err := c.findTaskForActor(taskID)
	if err != nil {
		return c.end(err)
	}
	return c.end(task.decide(in))
}

func (c taskChange) decide(in DecisionInput) error {
	stage := c.stage()
	right, override, err := c.mayDecide(in.OnBehalfOf)
	if errors.Is(err, reason.WrongState) {
		err = cmp.Or(c.wellFormed(in, stage, override), err) // a malformed decision takes precedence over a late one
	}
	if err != nil {
		return err
	}
	if err := c.requireStepUp(); err != nil {
		return err
	}
	if err := c.wellFormed(in, stage, override); err != nil {
		return err
	}
	rescuer := c.task.Rescue || right.owner.PlacedBy != nil
	late := c.timely(in, rescuer, stage)
	if !override {
		if err = c.admit(&right); err != nil && (late == nil || errors.Is(err, reason.Forbidden)) {
			return err
		}
	}
	if late != nil {
		return late
	}
	if right.queue {
		c.take(right)
	}
	*c.task = c.task.decide(c.decision(right, in, override))
	c.note(audit.EventTaskDecided, c.run, c.task)
	switch {
	case in.Action == ActionRequestChanges:
		c.stop(StageCancelled, TaskCancelled, ClosedChangesRequested)
		c.Status = RequestChangesRequested
		c.StatusReason = &StatusReason{Code: BecauseChangesRequested, Message: in.Comment, StageKey: c.run.Key}
		c.note(audit.EventRequestChangesRequested, c.run, nil)
		return nil
	case override:
		c.force(in)
	case in.Action == ActionReject && rescuer:
		c.votes[c.run.ID] = quorum.CauseRescuerVote
	case in.Action != ActionApprove:
		c.votes[c.run.ID] = quorum.CauseVote
	}
	if in.Action == ActionReject {
		c.because.Message = in.Comment
	}
	return c.advance()
}

// mayDecide returns the actor's right to decide the task: their own, or that of an overriding admin.
func (c taskChange) mayDecide(behalf string) (r right, override bool, err error) {
	r, err = c.mayAct(behalf)
	if err == nil || c.keep {
		return r, false, err
	}
	if !c.by.Has(identity.RoleAdmin) {
		return r, false, err
	}
	if !c.def.Settings.AdminOverride {
		if c.task.vacant() && c.live() == nil {
			return r, false, refusal.New(reason.WrongState, "task %s has to be reassigned to an approver first", c.task.ID)
		}
		return r, false, err
	}
	if err := c.live(); err != nil {
		return r, true, err
	}
	who, why, err := c.fit(c.by.User, true)
	switch {
	case err == nil && why != nil && (why.Reason == approver.ExcludedRequester || why.Reason == approver.ExcludedSubmitter):
		err = refusal.New(reason.Forbidden, "the %s may not override", why.Reason)
	case err == nil && why != nil:
		err = c.isExcluded(why)
	}
	return right{actor: who}, true, err
}

// timely refuses a decision on outdated content, or an action that the stage does not allow.
func (c taskChange) timely(in DecisionInput, rescuer bool, stage policy.Stage) error {
	switch {
	case in.ExpectedContextHash != "" && in.ExpectedContextHash != c.ContextHash:
		return refusal.New(reason.WrongState, "the context of request %s has changed", c.ID)
	case in.ExpectedRevision != 0 && in.ExpectedRevision != c.Revision:
		return refusal.New(reason.WrongState, "request %s is at revision %d", c.ID, c.Revision)
	case in.Action == ActionAbstain && !stage.Allow.Abstain:
		return refusal.New(reason.WrongState, "stage %s does not allow abstaining", stage.Key)
	case in.Action == ActionAbstain && rescuer:
		return refusal.New(reason.WrongState, "task %s is a rescue: it is approved or rejected", c.task.ID)
	case in.Action == ActionRequestChanges && stage.Allow.RequestChanges != nil && !*stage.Allow.RequestChanges:
		return refusal.New(reason.WrongState, "stage %s does not allow requesting changes", stage.Key)
	case in.Action == ActionRequestChanges && c.Revision > c.def.Settings.RevisionLimit():
		return refusal.New(reason.WrongState, "changes were requested %d times, the most that policy %s allows", c.Revision-1, c.PolicyKey)
	default:
		return nil
	}
}

// wellFormed checks the parts of a decision that depend on the policy.
func (c taskChange) wellFormed(in DecisionInput, stage policy.Stage, override bool) error {
	need := c.def.Settings.RequireComment
	required := map[Action]bool{ActionApprove: need.Approve, ActionReject: need.Reject, ActionAbstain: need.Abstain, ActionRequestChanges: need.RequestChanges}[in.Action]
	const comment = "/comment"
	switch {
	case override && utf8.RuneCountInString(strings.TrimSpace(in.Comment)) < minOverrideComment:
		return refusal.At(reason.TooShort, comment, "An override needs a comment of at least %d characters", minOverrideComment)
	case override && in.Action != ActionApprove && in.Action != ActionReject:
		return refusal.At(reason.NotListed, "/action", "An override approves or rejects")
	case required && identity.IsBlank(in.Comment):
		return refusal.At(reason.Missing, comment, "Policy %s needs a comment to %s", c.PolicyKey, in.Action)
	case len(stage.DecisionSchema) > 0 && len(in.Data) == 0:
		return refusal.At(reason.Missing, "/data", "Stage %s needs data", stage.Key)
	}
	if len(stage.DecisionSchema) == 0 {
		return nil
	}
	if failure := c.fits(stage.DecisionSchema, in.Data); failure != nil {
		return refusal.At(reason.BadInput, "/data", "%s", failure.Message)
	}
	return nil
}

// force applies the outcome set by an admin.
func (c taskChange) force(in DecisionInput) {
	c.because = StatusReason{Code: BecauseOverride, StageKey: c.run.Key, Message: in.Comment}
	status := StageApproved
	if in.Action == ActionReject {
		status = StageRejected
	}
	c.note(audit.EventRequestOverridden, c.run, nil)
	c.finishStage(status, ClosedOverride)
}

// requireActor panics unless the actor is the person, or the service on their behalf. A party that acts for the
// person is not.
func requireActor(by identity.Actor, who approver.Fit) {
	if id := who.User().ID; by.Kind != identity.ActorSystem && by.ID != id || by.IsRepresented() {
		panic(fmt.Sprintf("%q acts as %q", by.ID, id))
	}
}

// decision returns the decision by a right on the task. The actor is its actor, or the service on their behalf.
func (c taskChange) decision(r right, in DecisionInput, override bool) Decision {
	requireActor(c.by, r.actor)
	d := Decision{
		ID: in.ID, TaskID: c.task.ID, RequestID: c.ID, StageKey: c.task.StageKey, Revision: c.Revision,
		Action: in.Action, Comment: in.Comment, Attachments: in.Attachments, Data: in.Data,
		Actor: c.by.Ref(), Auth: c.by.Auth, ContextHash: c.ContextHash,
		Override: override, Source: SourceAPI, DecidedAt: identity.Stamp{Time: c.facts.At},
	}
	if in.Page {
		d.Source = SourcePage
	}
	if !override && r.owner.ID != r.actor.User().ID {
		d.OnBehalfOf = new(r.owner.User)
	}
	return d
}
