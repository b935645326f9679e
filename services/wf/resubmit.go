package wf

import (
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Resubmit resubmits a request after a request for changes. context is the new content in canonical form; nil
// keeps the current one.
func (r Request) Resubmit(def policy.Definition, context []byte, hash, comment string, by identity.Actor, f Facts) (Request, []Event, error) {
	c := newChange(r, def, by, f)
	return c.end(c.resubmit(context, hash, comment))
}

func (c *change) resubmit(context []byte, hash, comment string) error {
	if !c.isParty(c.by.ID) {
		return refusal.New(reason.Forbidden, "the caller is not the requester of request %s", c.ID)
	}
	same := context == nil || hash == c.ContextHash
	if !same {
		if failure := c.fits(c.def.ContextSchema, context); failure != nil {
			return refusal.New(reason.EngineRefused, "context: %s", failure.Message)
		}
	}
	if err := c.requireUnexpired(); err != nil {
		return err
	}
	if c.Status != RequestChangesRequested {
		return refusal.New(reason.WrongState, "request %s is %s, not changes_requested", c.ID, c.Status)
	}
	if !same {
		c.Context, c.ContextHash, c.SummaryValues = context, hash, c.def.Settings.Summarize(context)
	}
	c.Status, c.StatusReason, c.Revision = RequestInReview, nil, c.Revision+1
	if err := c.check(); err != nil {
		return err
	}
	if err := c.computeValidity(); err != nil {
		return err
	}
	c.reason, c.starting = comment, true
	c.note(audit.EventRequestResubmitted, nil, nil)
	c.reason = ""
	resume := same && c.def.Settings.OnResubmit == policy.OnResubmitResume
	c.enter(func(last StageRun) bool {
		return resume && (last.Status == StageApproved || last.Status == StageSkipped)
	})
	if err := c.computeAll(); err != nil {
		return err
	}
	return c.advance()
}
