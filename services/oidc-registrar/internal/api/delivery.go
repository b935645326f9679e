package api

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// DeliveryView is a delivery to one endpoint.
type DeliveryView struct {
	admin.DeliveryCamel[registrar.WebhookType, admin.TargetCamel]
}

// deliveryDetail is a delivery with its payload and attempts.
type deliveryDetail struct {
	DeliveryView
	Payload  admin.Payload[registrar.WebhookPayload] `json:"payload" doc:"The body of every attempt."`
	Attempts []admin.AttemptCamel                    `json:"attempts" doc:"Every attempt, the oldest first."`
}

func viewDelivery(d outbox.Delivery) DeliveryView {
	view := admin.ViewDelivery[registrar.WebhookType](d, admin.TargetCamel(d.Target))
	return DeliveryView{admin.DeliveryCamel[registrar.WebhookType, admin.TargetCamel](view)}
}

type deliveryInput struct {
	DeliveryID string `path:"deliveryId" doc:"Identifier of the delivery."`
}

func (a *API) getDelivery(ctx context.Context, in *deliveryInput) (deliveryDetail, error) {
	d, attempts, err := a.registrar.Webhooks.Delivery(ctx, in.DeliveryID)
	return deliveryDetail{
		DeliveryView: viewDelivery(d), Payload: admin.Payload[registrar.WebhookPayload]{RawMessage: d.Payload},
		Attempts: admin.ViewAttempts(attempts, func(v admin.AttemptView) admin.AttemptCamel { return admin.AttemptCamel(v) }),
	}, err
}

type listDeliveriesInput struct {
	Paging
	Status       outbox.DeliveryStatus `query:"status" doc:"Deliveries in this state."`
	Endpoint     string                `query:"endpoint" maxLength:"64" doc:"Name of an endpoint."`
	EventType    string                `query:"eventType" maxLength:"64" doc:"Type of the event."`
	ClientID     string                `query:"clientId" maxLength:"256" doc:"Deliveries about this client."`
	CreatedAfter time.Time             `query:"createdAfter" doc:"Exclusive."`
}

func (a *API) listDeliveries(ctx context.Context, in *listDeliveriesInput) (page[DeliveryView], error) {
	filter := outbox.DeliveryFilter{Subject: in.ClientID, CreatedAfter: in.CreatedAfter}
	if in.Status != "" {
		filter.Status = []outbox.DeliveryStatus{in.Status}
	}
	if in.Endpoint != "" {
		filter.Endpoint = []string{in.Endpoint}
	}
	if in.EventType != "" {
		filter.EventType = []string{in.EventType}
	}
	deliveries, next, err := a.registrar.Webhooks.Deliveries(ctx, filter, in.page())
	return newPage(deliveries, next, err, viewDelivery)
}

func (a *API) retryDelivery(ctx context.Context, in *deliveryInput) (DeliveryView, error) {
	d, err := a.registrar.Webhooks.RetryDelivery(ctx, callerOf(ctx), in.DeliveryID, "")
	return viewDelivery(d), err
}

type recoveryRequest struct {
	Endpoint      string `json:"endpoint,omitempty" doc:"Name of an endpoint; all of them when absent."`
	Status        string `json:"status,omitempty" doc:"failed or cancelled; failed when absent"`
	CreatedAfter  string `json:"createdAfter" doc:"Exclusive, RFC 3339."`
	CreatedBefore string `json:"createdBefore" doc:"Exclusive, RFC 3339."`
}

func (a *API) recoverDeliveries(
	ctx context.Context, in *bodyInput[requestBody[recoveryRequest]],
) (admin.Recovered, error) {
	recovery, err := in.Body.Request.recovery()
	if err != nil {
		return admin.Recovered{}, err
	}
	return a.registrar.Webhooks.RecoverDeliveries(ctx, callerOf(ctx), recovery)
}

// recovery checks a request to send deliveries again.
func (r recoveryRequest) recovery() (outbox.Recovery, error) {
	var problems []refusal.Problem
	add := func(field, message string) {
		problems = append(problems, refusal.Problem{Where: "/" + field, Reason: registrar.InvalidRequest, Message: message})
	}
	out := outbox.Recovery{Endpoint: r.Endpoint, Status: outbox.RecoverableStatus(r.Status)}
	if out.Status != "" && !slices.Contains(out.Status.Values(), out.Status) {
		add("status", "must be failed or cancelled")
	}
	read := func(field, from string) time.Time {
		at, err := time.Parse(time.RFC3339, from)
		if err != nil {
			add(field, "must be a time by RFC 3339")
		}
		return at
	}
	out.CreatedAfter, out.CreatedBefore = read("createdAfter", r.CreatedAfter), read("createdBefore", r.CreatedBefore)
	if problems == nil && !out.CreatedAfter.Before(out.CreatedBefore) {
		add("createdBefore", "must be after createdAfter")
	}
	return out, refusal.Invalid(problems)
}
