package wf

import (
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// Cancel withdraws the request.
func Cancel(cause string) Step {
	return func(c *change) error {
		why := StatusReason{Code: BecauseWithdrawn, Message: cause}
		if !c.req.isParty(c.by.ID) {
			if !c.by.Has(identity.RoleAdmin) {
				return refusal.New(reason.Forbidden, "the caller is not the requester of request %s", c.req.ID)
			}
			why.Code = BecauseCancelledByAdmin
		}
		if err := c.requireUnexpired(); err != nil {
			return err
		}
		if c.req.Status.Final() {
			return refusal.New(reason.WrongState, "request %s is %s", c.req.ID, c.req.Status)
		}
		c.reason = cause
		c.finish(RequestCancelled, why)
		return nil
	}
}
