package engine

import (
	"context"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/receipt"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

// Receipt is the statement about an approval, without a signature.
type Receipt struct {
	Claims      receipt.Claims
	Attachments []wf.Attachment
}

// GetReceipt returns the statement about an approval that is in force or consumed, for the readers of the request. It
// contains the authentication of an approver if the caller may read it.
func (e *Requests) GetReceipt(ctx context.Context, by identity.Actor, id string) (Receipt, error) {
	c, err := e.GetRequest(ctx, by, id)
	if err != nil {
		return Receipt{}, err
	}
	switch standing := c.Request.Standing; {
	case e.Receipts.Empty():
		return Receipt{}, refusal.New(reason.WrongState, "the service has no key for receipts")
	case c.Request.Status != wf.RequestApproved:
		return Receipt{}, refusal.New(reason.WrongState, "request %s is %s, not approved", id, c.Request.Status)
	case standing != wf.StandingInForce && standing != wf.StandingConsumed:
		return Receipt{}, refusal.New(reason.WrongState, "the approval of request %s is %s", id, standing)
	}
	evidence, err := e.receiptEvidence(ctx, id)
	if err != nil {
		return Receipt{}, err
	}
	return Receipt{claimsOf(c, evidence), c.Request.Attachments}, nil
}

// ReceiptKeys returns the public keys that verify receipts.
func (e *Requests) ReceiptKeys(ctx context.Context) ([]receipt.PublicKey, error) {
	return e.store.SigningKeys(ctx)
}

// receiptEvidence returns the input of a receipt that does not change after the approval.
func (e *core) receiptEvidence(ctx context.Context, id string) (receipt.Evidence, error) {
	approved, policyHash, err := e.store.Approval(ctx, id)
	return receipt.Evidence{Issuer: e.ReceiptIssuer, ID: newID(), PolicyHash: policyHash, Approved: approved}, err
}

func claimsOf(c wf.Case, evidence receipt.Evidence) receipt.Claims {
	evidence.At = c.Now
	return receipt.New(c.Request, c.Definition.Settings.SingleUse, evidence)
}

// showConsumed returns the view of a consumed request with its receipt.
func (e *core) showConsumed(evidence receipt.Evidence) show {
	return func(by identity.Actor, c wf.Case) (shown any, etag string, err error) {
		token, err := e.Receipts.Sign(claimsOf(c, evidence))
		v := view.NewRequest(by, c)
		return view.ConsumedRequest{Request: v, Receipt: token}, v.ETag, err
	}
}
