package wf

import (
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Cancel withdraws the request.
func (r Request) Cancel(def policy.Definition, reason string, by identity.Actor, f Facts) (Request, []Event, error) {
	c := newChange(r, def, by, f)
	return c.end(c.cancel(reason))
}

func (c *change) cancel(cause string) error {
	why := StatusReason{Code: BecauseWithdrawn, Message: cause}
	if !c.isParty(c.by.ID) {
		if !c.by.Has(identity.RoleAdmin) {
			return refusal.New(reason.Forbidden, "the caller is not the requester of request %s", c.ID)
		}
		why.Code = BecauseCancelledByAdmin
	}
	if err := c.requireUnexpired(); err != nil {
		return err
	}
	if c.Status.Final() {
		return refusal.New(reason.WrongState, "request %s is %s", c.ID, c.Status)
	}
	c.reason = cause
	c.finish(RequestCancelled, why)
	return nil
}
