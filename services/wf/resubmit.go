package wf

import (
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Resubmit resubmits a request after a request for changes. context is the new content in canonical form; nil
// keeps the current one.
func Resubmit(context []byte, hash, comment string) Step {
	return func(c *change) error {
		if !c.req.isParty(c.by.ID) {
			return refusal.New(reason.Forbidden, "the caller is not the requester of request %s", c.req.ID)
		}
		same := context == nil || hash == c.req.ContextHash
		if !same {
			if failure := c.fits(c.def.ContextSchema, context); failure != nil {
				return refusal.New(reason.EngineRefused, "context: %s", failure.Message)
			}
		}
		if err := c.requireUnexpired(); err != nil {
			return err
		}
		if c.req.Status != RequestChangesRequested {
			return refusal.New(reason.WrongState, "request %s is %s, not changes_requested", c.req.ID, c.req.Status)
		}
		if !same {
			c.req.Context, c.req.ContextHash, c.req.SummaryValues = context, hash, c.def.Settings.Summarize(context)
		}
		c.req.Status, c.req.StatusReason, c.req.Revision = RequestInReview, nil, c.req.Revision+1
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
}
