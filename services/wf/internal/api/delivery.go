package api

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

// DeliveryView is the API representation of a delivery.
type DeliveryView struct {
	ID              string                `json:"id" format:"uuid" doc:"Identifier of the delivery."`
	EventID         string                `json:"event_id" doc:"The webhook-id of every attempt."`
	EventType       audit.EventType       `json:"event_type" doc:"Type of the event."`
	RequestID       *string               `json:"request_id" format:"uuid" nullable:"true" doc:"null for an event of the service."`
	Sequence        int64                 `json:"sequence" doc:"Place of the event among those of the request, or of the service."`
	Endpoint        targetView            `json:"endpoint" doc:"Where the message goes."`
	Person          *identity.User        `json:"person,omitempty" doc:"The person whom the delivery tells by mail."`
	Status          outbox.DeliveryStatus `json:"status" doc:"Status of the delivery."`
	Attempt         int                   `json:"attempt" doc:"Attempts so far in this cycle."`
	MaxAttempts     int                   `json:"max_attempts" doc:"Attempts of one cycle."`
	Cycle           int                   `json:"cycle" doc:"Cycle of attempts, from 1; a retry starts another one."`
	NextAttemptAt   *identity.Stamp       `json:"next_attempt_at" nullable:"true" doc:"When the next attempt is due; null when there is none."`
	LastAttemptAt   *identity.Stamp       `json:"last_attempt_at" nullable:"true" doc:"When the last attempt started; null before the first."`
	LastStatusCode  int                   `json:"last_status_code,omitempty" doc:"HTTP status of the last answer."`
	LastError       string                `json:"last_error,omitempty" doc:"What went wrong at the last attempt."`
	LastDurationMS  int64                 `json:"last_duration_ms,omitempty" doc:"How long the last attempt took, in milliseconds."`
	ResponseExcerpt string                `json:"response_excerpt,omitempty" doc:"At most 2 KiB of the last answer."`
	DeliveredAt     *identity.Stamp       `json:"delivered_at" nullable:"true" doc:"When the receiver took the message; null before."`
	CreatedAt       identity.Stamp        `json:"created_at" doc:"When the delivery was made."`
	UpdatedAt       identity.Stamp        `json:"updated_at" doc:"When it last changed."`
	ETag            string                `json:"etag" doc:"Entity tag, for If-Match."`
}

// targetView is the target of a delivery; a callback has neither id nor name.
type targetView struct {
	ID   string `json:"id,omitempty" format:"uuid" doc:"Identifier of the webhook endpoint; absent for a callback_url."`
	Name string `json:"name,omitempty" doc:"Name of the webhook endpoint; absent for a callback_url."`
	URL  string `json:"url" doc:"Address at the last attempt. The next attempt goes to the current address of the endpoint."`
}

// deliveryDetailView is a delivery with its payload and attempts.
type deliveryDetailView struct {
	DeliveryView
	Payload  payload       `json:"payload" doc:"The body of every attempt."`
	Attempts []attemptView `json:"attempts" doc:"Every attempt, the oldest first."`
}

// payload is the body of a webhook, with the sent bytes.
type payload struct{ json.RawMessage }

// Schema returns the schema of the webhook payload.
func (payload) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[wf.Payload](), true, "")
}

type attemptView struct {
	Cycle      int                   `json:"cycle" doc:"Cycle of attempts, from 1."`
	N          int                   `json:"n,omitempty" doc:"Which attempt of the cycle; absent for a worker that stopped without a result."`
	StartedAt  identity.Stamp        `json:"started_at" doc:"When it started."`
	FinishedAt *identity.Stamp       `json:"finished_at" nullable:"true" doc:"When it ended; null when it did not."`
	Outcome    outbox.AttemptOutcome `json:"outcome" doc:"How it ended."`
	StatusCode int                   `json:"status_code,omitempty" doc:"HTTP status of the answer."`
	Error      string                `json:"error,omitempty" doc:"What went wrong."`
	Excerpt    string                `json:"response_excerpt,omitempty" doc:"At most 2 KiB of the answer."`
}

func viewDelivery(d outbox.Delivery) DeliveryView {
	view := DeliveryView{
		ID: d.ID, EventID: d.EventID, EventType: audit.EventType(d.EventType), RequestID: view.OrNull(d.Subject), Sequence: d.Sequence,
		Endpoint: targetView{d.Target.EndpointID, d.Target.Endpoint, d.Target.URL}, Status: d.Status, Attempt: d.Attempt, MaxAttempts: outbox.MaxAttempts, Cycle: d.Cycle,
		LastAttemptAt: identity.StampOf(d.LastAttemptAt), LastStatusCode: d.LastStatusCode, LastError: d.LastError, LastDurationMS: d.LastDuration.Milliseconds(),
		ResponseExcerpt: d.ResponseExcerpt, DeliveredAt: identity.StampOf(d.DeliveredAt), CreatedAt: identity.Stamp{Time: d.CreatedAt}, UpdatedAt: identity.Stamp{Time: d.UpdatedAt},
		ETag: view.ETag(d.Rev()),
	}
	if d.Status == outbox.DeliveryPending || d.Status == outbox.DeliverySending {
		view.NextAttemptAt = identity.StampOf(d.NextAttemptAt)
	}
	return view
}

// deliveryViews returns a function that adds the recipients of notification deliveries to the
// views.
func (a *API) deliveryViews(ctx context.Context, list ...outbox.Delivery) (func(outbox.Delivery) DeliveryView, error) {
	people, err := a.engine.Addressees(ctx, list...)
	return func(d outbox.Delivery) DeliveryView {
		view := viewDelivery(d)
		if u, ok := people[d.ID]; ok {
			view.Person = &u
		}
		return view
	}, err
}

func (a *API) retryDelivery(ctx context.Context, in *objectInput) (result[DeliveryView], error) {
	d, err := a.engine.RetryDelivery(ctx, actorOf(ctx), in.ID, in.IfMatch)
	if err != nil {
		return result[DeliveryView]{}, err
	}
	show, err := a.deliveryViews(ctx, d)
	if err != nil {
		return result[DeliveryView]{}, err
	}
	return result[DeliveryView]{Value: show(d), ETag: view.ETag(d.Rev())}, nil
}

func (a *API) getDelivery(ctx context.Context, in *Identified) (result[deliveryDetailView], error) {
	d, attempts, err := a.engine.Delivery(ctx, in.ID)
	if err != nil {
		return result[deliveryDetailView]{}, err
	}
	show, err := a.deliveryViews(ctx, d)
	if err != nil {
		return result[deliveryDetailView]{}, err
	}
	view := deliveryDetailView{show(d), payload{d.Payload}, view.List(attempts, func(t outbox.Attempt) attemptView {
		return attemptView{
			Cycle: t.Cycle, N: t.N, StartedAt: identity.Stamp{Time: t.StartedAt}, FinishedAt: identity.StampOf(t.FinishedAt),
			Outcome: t.Outcome, StatusCode: t.StatusCode, Error: t.Error, Excerpt: t.Excerpt,
		}
	})}
	return result[deliveryDetailView]{Value: view, ETag: view.ETag}, err
}

type listDeliveriesInput struct {
	Paged
	Status       []outbox.DeliveryStatus `query:"status" doc:"Deliveries in one of these states."`
	Endpoint     []string                `query:"endpoint" maxItems:"50" doc:"Names of endpoints."`
	EventType    []audit.EventType       `query:"event_type" maxItems:"50" doc:"Types of events."`
	RequestID    string                  `query:"request_id" format:"uuid" doc:"Deliveries about this request."`
	CreatedAfter time.Time               `query:"created_after" doc:"Exclusive."`
}

func (a *API) listDeliveries(ctx context.Context, in *listDeliveriesInput) (result[Page[DeliveryView]], error) {
	items, next, err := a.engine.Deliveries(ctx, outbox.DeliveryFilter{
		Status: in.Status, Endpoint: in.Endpoint, Subject: plainID(in.RequestID), CreatedAfter: in.CreatedAfter,
		EventType: view.List(in.EventType, func(t audit.EventType) string { return string(t) }),
	}, in.page())
	if err != nil {
		return result[Page[DeliveryView]]{}, err
	}
	show, err := a.deliveryViews(ctx, items...)
	return listed(items, next, err, show)
}

type recoverDeliveriesInput struct {
	Body struct {
		Endpoint      string                `json:"endpoint,omitempty" minLength:"1" maxLength:"64" doc:"Name of an endpoint; all of them when absent."`
		Status        outbox.DeliveryStatus `json:"status,omitempty" enum:"failed,cancelled" doc:"failed when absent"`
		CreatedAfter  time.Time             `json:"created_after" doc:"Exclusive."`
		CreatedBefore time.Time             `json:"created_before" doc:"Exclusive."`
	}
}

// recoveryView is the outcome of a recovery.
type recoveryView struct {
	Retried int  `json:"retried" doc:"How many deliveries are sent again."`
	More    bool `json:"more" doc:"There are more: call again."`
}

func (a *API) recoverDeliveries(ctx context.Context, in *recoverDeliveriesInput) (result[recoveryView], error) {
	b := in.Body
	if !b.CreatedAfter.Before(b.CreatedBefore) {
		return result[recoveryView]{}, refusal.At(reason.BadInput, "/created_before", "must be after created_after")
	}
	out, err := a.engine.RecoverDeliveries(ctx, actorOf(ctx), outbox.Recovery{
		Endpoint: b.Endpoint, Status: cmp.Or(b.Status, outbox.DeliveryFailed), CreatedAfter: b.CreatedAfter, CreatedBefore: b.CreatedBefore,
	})
	return result[recoveryView]{Value: recoveryView(out)}, err
}
