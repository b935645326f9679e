package wf

import (
	"cmp"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// NewRequest starts a request. draft contains the caller's input and the id. A refusal has no effect.
func NewRequest(draft Request, def policy.Definition, by identity.Actor, f Facts) (Request, []Event, error) {
	c := newChange(draft, def, by, f)
	return c.end(c.create())
}

func (c *change) create() error {
	c.starting = true
	if err := c.maySubmit(); err != nil {
		return err
	}
	if c.def.ArtifactType != "" && c.ArtifactType != c.def.ArtifactType {
		return refusal.At(reason.EngineRefused, "/artifact_type", "artifact_type: policy %s approves artifacts of type %s",
			c.PolicyKey, c.def.ArtifactType)
	}
	if failure := c.fits(c.def.ContextSchema, c.Context); failure != nil {
		return refusal.New(reason.EngineRefused, "context: %s", failure.Message)
	}
	c.Status, c.Revision, c.SummaryValues = RequestInReview, 1, c.def.Settings.Summarize(c.Context)
	c.CreatedAt, c.UpdatedAt = c.facts.At, c.facts.At
	c.OneOpen = c.def.OneOpen(c.ArtifactID)
	if c.ExpiresAt == nil {
		ends, err := c.def.Settings.ExpiresAt(c.facts.At)
		if err != nil {
			return refusal.New(reason.EngineRefused, "settings.expires_in of policy %s %s", c.PolicyKey, err)
		}
		c.ExpiresAt = ends
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
	c.note(audit.EventRequestCreated, nil, nil).Request.Attachments = c.Attachments
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
	permitted, _ := c.YieldsAny(c.by.ID, len(s.Submitters), func(i int) ([]identity.User, *refusal.Error) {
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
		return reason.NoAnswer("submitters of policy %s: %s", c.PolicyKey, unanswered.Message)
	default:
		return refusal.New(reason.Forbidden, "policy %s does not let this caller create requests", c.PolicyKey)
	}
	if c.Requester.ID == c.by.ID || s.OnBehalf == policy.OnBehalfSubmitters || s.OnBehalf != policy.OnBehalfNone && c.by.Has(identity.RoleAdmin) {
		return nil
	}
	return refusal.New(reason.Forbidden, "policy %s does not let this caller create requests on behalf of other users", c.PolicyKey)
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
	return cmp.Or(c.Unasked(), refused)
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
