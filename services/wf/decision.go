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
func Decide(taskID string, in DecisionInput) Step {
	return atTask(taskID, func(t taskChange) error { return t.decide(in) })
}

func (t taskChange) decide(in DecisionInput) error {
	stage := t.at().stage()
	right, override, err := t.mayDecide(in.OnBehalfOf)
	if errors.Is(err, reason.WrongState) {
		err = cmp.Or(t.wellFormed(in, stage, override), err) // a malformed decision takes precedence over a late one
	}
	if err != nil {
		return err
	}
	if err := t.requireStepUp(); err != nil {
		return err
	}
	if err := t.wellFormed(in, stage, override); err != nil {
		return err
	}
	rescuer := t.task.Rescue || right.owner.PlacedBy != nil
	late := t.timely(in, rescuer, stage)
	if !override {
		if err = t.admit(&right); err != nil && (late == nil || errors.Is(err, reason.Forbidden)) {
			return err
		}
	}
	if late != nil {
		return late
	}
	if right.queue {
		t.take(right)
	}
	*t.task = t.task.decide(t.decision(right, in, override))
	t.c.note(audit.EventTaskDecided, t.run, t.task)
	switch {
	case in.Action == ActionRequestChanges:
		t.c.stop(StageCancelled, TaskCancelled, ClosedChangesRequested)
		t.c.req.Status = RequestChangesRequested
		t.c.req.StatusReason = &StatusReason{Code: BecauseChangesRequested, Message: in.Comment, StageKey: t.run.Key}
		t.c.note(audit.EventRequestChangesRequested, t.run, nil)
		return nil
	case override:
		t.force(in)
	case in.Action == ActionReject && rescuer:
		t.c.votes[t.run.ID] = quorum.CauseRescuerVote
	case in.Action != ActionApprove:
		t.c.votes[t.run.ID] = quorum.CauseVote
	}
	if in.Action == ActionReject {
		t.c.because.Message = in.Comment
	}
	return t.c.advance()
}

// timely refuses a decision on outdated content, or an action that the stage does not allow.
func (t taskChange) timely(in DecisionInput, rescuer bool, stage policy.Stage) error {
	switch {
	case in.ExpectedContextHash != "" && in.ExpectedContextHash != t.c.req.ContextHash:
		return refusal.New(reason.WrongState, "the context of request %s has changed", t.c.req.ID)
	case in.ExpectedRevision != 0 && in.ExpectedRevision != t.c.req.Revision:
		return refusal.New(reason.WrongState, "request %s is at revision %d", t.c.req.ID, t.c.req.Revision)
	case in.Action == ActionAbstain && !stage.Allow.Abstain:
		return refusal.New(reason.WrongState, "stage %s does not allow abstaining", stage.Key)
	case in.Action == ActionAbstain && rescuer:
		return refusal.New(reason.WrongState, "task %s is a rescue: it is approved or rejected", t.task.ID)
	case in.Action == ActionRequestChanges && stage.Allow.RequestChanges != nil && !*stage.Allow.RequestChanges:
		return refusal.New(reason.WrongState, "stage %s does not allow requesting changes", stage.Key)
	case in.Action == ActionRequestChanges && t.c.req.Revision > t.c.def.Settings.RevisionLimit():
		return refusal.New(reason.WrongState, "changes were requested %d times, the most that policy %s allows",
			t.c.req.Revision-1, t.c.req.PolicyKey)
	default:
		return nil
	}
}

// NeedsComment reports whether the policy requires a comment for the action.
func (a Action) NeedsComment(def policy.Definition) bool {
	need := def.Settings.RequireComment
	return map[Action]bool{ActionApprove: need.Approve, ActionReject: need.Reject, ActionAbstain: need.Abstain,
		ActionRequestChanges: need.RequestChanges}[a]
}

// wellFormed checks the parts of a decision that depend on the policy.
func (t taskChange) wellFormed(in DecisionInput, stage policy.Stage, override bool) error {
	const comment = "/comment"
	switch {
	case override && utf8.RuneCountInString(strings.TrimSpace(in.Comment)) < minOverrideComment:
		return refusal.At(reason.TooShort, comment, "An override needs a comment of at least %d characters", minOverrideComment)
	case override && in.Action != ActionApprove && in.Action != ActionReject:
		return refusal.At(reason.NotListed, "/action", "An override approves or rejects")
	case in.Action.NeedsComment(t.c.def) && identity.IsBlank(in.Comment):
		return refusal.At(reason.Missing, comment, "Policy %s needs a comment to %s", t.c.req.PolicyKey, in.Action)
	case len(stage.DecisionSchema) > 0 && len(in.Data) == 0:
		return refusal.At(reason.Missing, "/data", "Stage %s needs data", stage.Key)
	}
	if len(stage.DecisionSchema) == 0 {
		return nil
	}
	if failure := t.c.fits(stage.DecisionSchema, in.Data); failure != nil {
		return refusal.At(reason.BadInput, "/data", "%s", failure.Message)
	}
	return nil
}

// force applies the outcome set by an admin.
func (t taskChange) force(in DecisionInput) {
	t.c.because = StatusReason{Code: BecauseOverride, StageKey: t.run.Key, Message: in.Comment}
	status := StageApproved
	if in.Action == ActionReject {
		status = StageRejected
	}
	t.c.note(audit.EventRequestOverridden, t.run, nil)
	t.at().finishStage(status, ClosedOverride)
}

// requireActor panics unless the actor is the person, or the service on their behalf. A party that acts for the
// person is not.
func requireActor(by identity.Actor, who approver.Fit) {
	if id := who.User().ID; by.Kind != identity.ActorSystem && by.ID != id || by.IsRepresented() {
		panic(fmt.Sprintf("%q acts as %q", by.ID, id))
	}
}

// decision returns the decision by a right on the task. The actor is its actor, or the service on their behalf.
func (t taskChange) decision(r right, in DecisionInput, override bool) Decision {
	requireActor(t.c.by, r.actor)
	d := Decision{
		ID: in.ID, TaskID: t.task.ID, RequestID: t.c.req.ID, StageKey: t.task.StageKey, Revision: t.c.req.Revision,
		Action: in.Action, Comment: in.Comment, Attachments: in.Attachments, Data: in.Data,
		Actor: t.c.by.Ref(), Auth: t.c.by.Auth, ContextHash: t.c.req.ContextHash,
		Override: override, Source: SourceAPI, DecidedAt: identity.Stamp{Time: t.c.facts.At},
	}
	if in.Page {
		d.Source = SourcePage
	}
	if !override && r.owner.ID != r.actor.User().ID {
		d.OnBehalfOf = new(r.owner.User)
	}
	return d
}
