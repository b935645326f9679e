package wf

import (
	"cmp"
	"fmt"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// NewRequest starts a request. draft contains the caller's input and the id. A refusal has no effect.
func NewRequest(draft Request, def policy.Definition, by identity.Actor, f Facts) (Request, []Event, error) {
	return draft.Apply(def, by, f, (*change).create)
}

func (c *change) create() error {
	c.starting = true
	if err := c.maySubmit(); err != nil {
		return err
	}
	if c.def.ArtifactType != "" && c.req.ArtifactType != c.def.ArtifactType {
		return refusal.At(reason.EngineRefused, "/artifact_type", "artifact_type: policy %s approves artifacts of type %s",
			c.req.PolicyKey, c.def.ArtifactType)
	}
	if failure := c.fits(c.def.ContextSchema, c.req.Context); failure != nil {
		return refusal.New(reason.EngineRefused, "context: %s", failure.Message)
	}
	c.req.Status, c.req.Revision, c.req.SummaryValues = RequestInReview, 1, c.def.Settings.Summarize(c.req.Context)
	c.req.CreatedAt, c.req.UpdatedAt = c.facts.At, c.facts.At
	c.req.OneOpen = c.def.OneOpen(c.req.ArtifactID)
	if c.req.ExpiresAt == nil {
		ends, err := c.def.Settings.ExpiresAt(c.facts.At)
		if err != nil {
			return refusal.New(reason.EngineRefused, "settings.expires_in of policy %s %s", c.req.PolicyKey, err)
		}
		c.req.ExpiresAt = ends
	}
	if err := c.check(); err != nil {
		return err
	}
	if err := c.computeValidity(); err != nil {
		return err
	}
	outcome, failure := c.automatic()
	if failure != nil {
		return failure
	}
	c.note(audit.EventRequestCreated, nil, nil).Request.Attachments = c.req.Attachments
	if outcome != "" {
		c.by = identity.SystemPolicy
		c.finish(outcome, StatusReason{Code: BecausePolicy})
		return nil
	}
	c.enter(func(StageRun) bool { return false })
	if err := c.computeAll(); err != nil {
		return err
	}
	return c.advance()
}

// maySubmit applies settings.submitters and settings.on_behalf.
func (c *change) maySubmit() error {
	s := c.def.Settings
	var unanswered *refusal.Error
	permitted, _ := c.finder.YieldsAny(c.by.ID, len(s.Submitters), func(i int) ([]identity.User, *refusal.Error) {
		people, failure := c.people(s.Submitters[i], nil, 0)
		switch {
		case failure == nil:
			return people, nil
		case failure.Reason == reason.ResolverFailed:
			unanswered = failure
		}
		return nil, failure // a failed rule permits no caller
	})
	switch {
	case permitted, s.Submitters == nil:
	case unanswered != nil:
		return reason.NoAnswer("submitters of policy %s: %s", c.req.PolicyKey, unanswered.Message)
	default:
		return refusal.New(reason.Forbidden, "policy %s does not let this caller create requests", c.req.PolicyKey)
	}
	if c.req.Requester.ID == c.by.ID || s.OnBehalf == policy.OnBehalfSubmitters ||
		s.OnBehalf != policy.OnBehalfNone && c.by.Has(identity.RoleAdmin) {
		return nil
	}
	return refusal.New(reason.Forbidden, "policy %s does not let this caller create requests on behalf of other users",
		c.req.PolicyKey)
}

// MaySubmit rejects a caller without permission to create requests under the policy. It runs before
// creation with an empty context.
func MaySubmit(d policy.Definition, key string, version int, by identity.Actor, f Facts) error {
	draft := Request{
		PolicyKey: key, PolicyVersion: version, Requester: by.User, SubmittedBy: by.User,
		Context: []byte("{}"), Priority: PriorityNormal, Revision: 1, CreatedAt: f.At,
	}
	c := newChange(draft, d, by, f)
	refused := c.maySubmit()
	return cmp.Or(c.finder.Unasked(), refused)
}

// automatic returns the decision of the policy itself, or an empty code if approvers decide. The rejecting
// condition is evaluated first. A failed condition decides nothing, and after a failed rejecting condition
// the request is not approved automatically. An evaluation timeout refuses the request, because the value is
// unknown.
func (c *change) automatic() (RequestStatus, error) {
	switch rejects, failure := c.condition(c.def.Settings.AutoRejectWhen); {
	case rejects:
		return RequestRejected, nil
	case approver.IsUnanswered(failure):
		return "", reason.NoAnswer("auto_reject_when: %s", failure.Message)
	case failure != nil:
		return "", nil
	}
	switch approves, failure := c.condition(c.def.Settings.AutoApproveWhen); {
	case approver.IsUnanswered(failure):
		return "", reason.NoAnswer("auto_approve_when: %s", failure.Message)
	case approves:
		return RequestApproved, nil
	default:
		return "", nil
	}
}

// check refuses content that violates settings.checks. The message of a check that fails concerns another fault, so the
// cause takes its place. The refusal has one problem for each violated check: the pointer of its field and its message.
func (c *change) check() error {
	var violated []refusal.Problem
	message := ""
	for i, check := range c.def.Settings.Checks {
		value := c.evaluate(check.CEL, policy.YieldsBool)
		one := refusal.Problem{Reason: reason.EngineRefused, Where: check.Field, Message: check.Message}
		text := one.Message
		switch failure := value.Failure; {
		case approver.IsUnanswered(failure):
			return reason.NoAnswer("settings.checks[%d]: %s", i, failure.Message)
		case failure != nil:
			one.Message = fmt.Sprintf("settings.checks[%d] cannot be evaluated: %s", i, failure.Message)
			text = fmt.Sprintf("settings.checks[%d] cannot be evaluated: %s", i, value.Explain())
		case value.Bool:
			continue
		}
		if violated = append(violated, one); len(violated) > 1 {
			continue
		}
		if message = "context: " + text; one.Where != "" {
			message = "context: " + one.Where + ": " + text
		}
	}
	if len(violated) == 0 {
		return nil
	}
	if more := len(violated) - 1; more > 0 {
		message += fmt.Sprintf("; %d more", more)
	}
	return &refusal.Error{Reason: reason.EngineRefused, Message: message, Problems: violated}
}

// computeAll evaluates the expressions over the content for all new runs, so that none can fail later. A failed
// expression refuses the caller. An evaluation timeout refuses them as a missing answer.
func (c *change) computeAll() error {
	for i := range c.req.Stages {
		run := &c.req.Stages[i]
		if run.Status != StagePending {
			continue
		}
		switch failure := c.onRun(run).compute(); {
		case approver.IsUnanswered(failure):
			return reason.NoAnswer("stage %s: %s", run.Key, failure.Message)
		case failure != nil:
			return refusal.New(reason.EngineRefused, "stage %s: %s", run.Key, failure.Message)
		}
	}
	return nil
}

// compute evaluates the expressions of the run's stage over the content. It evaluates none if the condition of
// the stage is false for every later state of the request.
func (s runChange) compute() (failure *refusal.Error) {
	stage, _ := s.c.def.Stage(s.run.Key)
	if !stage.Computes() {
		return nil
	}
	if stage.When != "" {
		value := s.c.evaluate(stage.When, policy.YieldsBool)
		switch {
		case approver.IsUnanswered(value.Failure):
			return value.Failure
		case value.Failure == nil && !value.Bool && value.OverContent:
			return nil
		}
	}
	var values policy.Computed
	failed := func(member string, value policy.Value) *refusal.Error {
		return &refusal.Error{Reason: value.Failure.Reason, Message: member + ": " + value.Explain()}
	}
	for i, rule := range stage.Approvers {
		if rule.When == "" {
			continue
		}
		switch value := s.c.evaluate(rule.When, policy.YieldsBool); {
		case value.Failure != nil:
			return failed("when of "+rule.Place("approver", i), value)
		case !value.Bool:
			values.Off = append(values.Off, i)
		}
	}
	if stage.Quorum.ValueCEL != "" {
		value := s.c.evaluate(stage.Quorum.ValueCEL, policy.YieldsInt)
		if cause := value.Failure; cause == nil && (value.Int < 1 || value.Int > policy.MaxCounted) {
			value.Failure = approver.Invalid("yields %d, not 1 to %d", value.Int, policy.MaxCounted)
		}
		if value.Failure != nil {
			return failed("quorum.value_cel", value)
		}
		values.Quorum = int(value.Int)
	}
	if stage.Deadline != nil && stage.Deadline.DueCEL != "" {
		value := s.c.evaluate(stage.Deadline.DueCEL, policy.YieldsDue)
		at, expires := value.Due.At, stage.Deadline.Effect() == policy.OnDueExpire
		switch err := value.Due.Check(s.c.def.Settings); {
		case value.Failure != nil:
		case err != nil:
			value.Failure = approver.Invalid("yields a duration that %s", err)
		case expires && !at.IsZero() && !at.After(s.c.facts.At):
			value.Failure = approver.Invalid("yields %s, which is not in the future", identity.Stamp{Time: at})
		}
		if value.Failure != nil {
			return failed("deadline.due_cel", value)
		}
		values.Due = value.Due
	}
	s.run.Computed = values
	return nil
}
