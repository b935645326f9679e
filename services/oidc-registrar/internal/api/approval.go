package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
)

// mountApproval registers the operation that receives the decisions of the approval service.
func (a *API) mountApproval() {
	handle(a, operation{"approvalWebhook", post, "/v1/registrar/approvals", open, 200,
		[]error{web.Unauthenticated}, "Receive an approval webhook"}, a.approvalWebhook)
}

// approvalView is the approval of a client.
type approvalView struct {
	State     registrar.ApprovalState `json:"state" doc:"State of the approval; waiting while it is open."`
	Revision  int64                   `json:"revision" doc:"Number of the approval among those of the client, from 1."`
	Change    registrar.CallKind      `json:"change" doc:"Held call."`
	RequestID string                  `json:"requestId,omitempty" doc:"Identifier of the request at the approval service."`
	Comment   string                  `json:"comment,omitempty" doc:"Reason given by the approver, or of the revocation."`
	AskedAt   envelope.Time           `json:"askedAt" doc:"Time of the request."`

	Standing   registrar.Standing `json:"standing,omitempty" enum:"in_force,lapsed,revoked,replaced" doc:"Standing of a granted approval; absent if none is reported."`
	ValidUntil *envelope.Time     `json:"validUntil,omitempty" doc:"End of its validity; absent for none."`
}

func viewApproval(a *registrar.Approval) *approvalView {
	if a == nil {
		return nil
	}
	view := approvalView{
		State: a.State, Revision: a.Revision, Change: a.Kind, RequestID: a.RequestID, Comment: a.Comment,
		AskedAt: envelope.Time{Time: a.AskedAt}, Standing: a.Standing,
	}
	if !a.ValidUntil.IsZero() {
		view.ValidUntil = &envelope.Time{Time: a.ValidUntil}
	}
	return &view
}

type approvalWebhookInput struct {
	ID        string `header:"webhook-id" doc:"Identifier of the message."`
	Timestamp string `header:"webhook-timestamp" doc:"Unix seconds of this attempt; at most five minutes off."`
	Signature string `header:"webhook-signature" doc:"Signatures of Standard Webhooks."`
	Body      object
}

// noted is the reply to a webhook.
type noted struct {
	Noted bool `json:"noted" doc:"Always true."`
}

func (a *API) approvalWebhook(ctx context.Context, in *approvalWebhookInput) (noted, error) {
	header := http.Header{}
	header.Set("webhook-id", in.ID)
	header.Set("webhook-timestamp", in.Timestamp)
	header.Set("webhook-signature", in.Signature)
	err := a.registrar.Approvals.ReceiveApprovalWebhook(ctx, header, web.Body(ctx))
	if errors.Is(err, engine.ErrForged) {
		return noted{}, &refusal.Error{Reason: web.Unauthenticated, Message: "the signature of the webhook is not that of the approval service"}
	}
	return noted{err == nil}, err
}
