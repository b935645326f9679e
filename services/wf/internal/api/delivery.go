package api

import (
	"context"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

// DeliveryView is a delivery with its recipient and entity tag.
type DeliveryView struct {
	admin.DeliveryView[audit.EventType, admin.TargetView]
	Person *identity.User `json:"person,omitempty" doc:"Recipient of the notification by mail."`
	ETag   string         `json:"etag" doc:"Entity tag, for If-Match."`
}

// deliveryDetailView is a delivery with its payload and attempts.
type deliveryDetailView struct {
	DeliveryView
	Payload  admin.Payload[wf.Payload] `json:"payload" doc:"The body of every attempt."`
	Attempts []admin.AttemptView       `json:"attempts" doc:"Every attempt, the oldest first."`
}

func viewDelivery(d outbox.Delivery) DeliveryView {
	return DeliveryView{DeliveryView: admin.ViewDelivery[audit.EventType](d, admin.TargetView(d.Target)), ETag: view.ETag(d.Rev())}
}

// deliveryViews returns a function that adds the recipients of notification deliveries to the
// views.
func (h webhookHandlers) deliveryViews(ctx context.Context, list ...outbox.Delivery) (func(outbox.Delivery) DeliveryView, error) {
	people, err := h.engine.Notices.Addressees(ctx, list...)
	return func(d outbox.Delivery) DeliveryView {
		view := viewDelivery(d)
		if u, ok := people[d.ID]; ok {
			view.Person = &u
		}
		return view
	}, err
}

func (h webhookHandlers) retryDelivery(ctx context.Context, in *objectInput) (result[DeliveryView], error) {
	d, err := h.engine.Webhooks.RetryDelivery(ctx, actorOf(ctx), in.ID, in.IfMatch)
	if err != nil {
		return result[DeliveryView]{}, err
	}
	show, err := h.deliveryViews(ctx, d)
	if err != nil {
		return result[DeliveryView]{}, err
	}
	return result[DeliveryView]{Value: show(d), ETag: view.ETag(d.Rev())}, nil
}

func (h webhookHandlers) getDelivery(ctx context.Context, in *Identified) (result[deliveryDetailView], error) {
	d, attempts, err := h.engine.Webhooks.Delivery(ctx, in.ID)
	if err != nil {
		return result[deliveryDetailView]{}, err
	}
	show, err := h.deliveryViews(ctx, d)
	if err != nil {
		return result[deliveryDetailView]{}, err
	}
	same := func(v admin.AttemptView) admin.AttemptView { return v }
	detail := deliveryDetailView{show(d), admin.Payload[wf.Payload]{RawMessage: d.Payload}, admin.ViewAttempts(attempts, same)}
	return result[deliveryDetailView]{Value: detail, ETag: detail.ETag}, err
}

type listDeliveriesInput struct {
	Paged
	Status       []outbox.DeliveryStatus `query:"status" doc:"Deliveries in one of these states."`
	Endpoint     []string                `query:"endpoint,explode" maxItems:"50" doc:"Names of endpoints."`
	EventType    []audit.EventType       `query:"event_type" maxItems:"50" doc:"Types of events."`
	RequestID    string                  `query:"request_id" format:"uuid" doc:"Deliveries about this request."`
	CreatedAfter time.Time               `query:"created_after" doc:"Exclusive."`
}

func (h webhookHandlers) listDeliveries(ctx context.Context, in *listDeliveriesInput) (result[Page[DeliveryView]], error) {
	items, next, err := h.engine.Webhooks.Deliveries(ctx, outbox.DeliveryFilter{
		Status: in.Status, Endpoint: in.Endpoint, Subject: plainID(in.RequestID), CreatedAfter: in.CreatedAfter,
		EventType: view.List(in.EventType, func(t audit.EventType) string { return string(t) }),
	}, in.page())
	if err != nil {
		return result[Page[DeliveryView]]{}, err
	}
	show, err := h.deliveryViews(ctx, items...)
	return listReply(items, next, err, show)
}

type recoverDeliveriesInput struct {
	Body struct {
		Endpoint      string                   `json:"endpoint,omitempty" minLength:"1" maxLength:"64" doc:"Name of an endpoint; all of them when absent."`
		Status        outbox.RecoverableStatus `json:"status,omitempty" doc:"failed when absent"`
		CreatedAfter  time.Time                `json:"created_after" doc:"Exclusive."`
		CreatedBefore time.Time                `json:"created_before" doc:"Exclusive."`
	}
}

func (h webhookHandlers) recoverDeliveries(ctx context.Context, in *recoverDeliveriesInput) (result[admin.Recovered], error) {
	b := in.Body
	if !b.CreatedAfter.Before(b.CreatedBefore) {
		return result[admin.Recovered]{}, refusal.At(reason.BadInput, "/created_before", "must be after created_after")
	}
	out, err := h.engine.Webhooks.RecoverDeliveries(ctx, actorOf(ctx), outbox.Recovery{
		Endpoint: b.Endpoint, Status: b.Status, CreatedAfter: b.CreatedAfter, CreatedBefore: b.CreatedBefore,
	})
	return result[admin.Recovered]{Value: out}, err
}
