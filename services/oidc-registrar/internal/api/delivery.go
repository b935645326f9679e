package api

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// deliveryView is a message to one endpoint.
type deliveryView struct {
	ID              string                `json:"deliveryId" format:"uuid" doc:"Identifier of the delivery."`
	EventID         string                `json:"eventId" format:"uuid" doc:"Identifier of the event: the webhook-id of every attempt."`
	EventType       registrar.WebhookType `json:"eventType" doc:"Type of the event."`
	ClientID        string                `json:"clientId,omitempty" doc:"Client that the event is about; absent of a test."`
	Sequence        int64                 `json:"sequence" doc:"Grows with the changes of a client."`
	Endpoint        targetView            `json:"endpoint" doc:"Where it goes."`
	Status          outbox.DeliveryStatus `json:"status" doc:"Status of the delivery."`
	Attempt         int                   `json:"attempt" doc:"Attempts made in this cycle."`
	MaxAttempts     int                   `json:"maxAttempts" doc:"Attempts of one cycle."`
	Cycle           int                   `json:"cycle" doc:"From 1; a retry by hand starts another."`
	NextAttemptAt   *envelope.Time        `json:"nextAttemptAt,omitempty" format:"date-time" doc:"When it is sent next; absent when it is done."`
	LastAttemptAt   *envelope.Time        `json:"lastAttemptAt,omitempty" format:"date-time" doc:"When it was sent last."`
	LastStatusCode  int                   `json:"lastStatusCode,omitempty" doc:"HTTP status of the last answer."`
	LastError       string                `json:"lastError,omitempty" doc:"What went wrong last."`
	LastDurationMS  int64                 `json:"lastDurationMs,omitempty" doc:"How long the last attempt took, in milliseconds."`
	ResponseExcerpt string                `json:"responseExcerpt,omitempty" doc:"At most 2 KiB of the last answer."`
	DeliveredAt     *envelope.Time        `json:"deliveredAt,omitempty" format:"date-time" doc:"When it was accepted."`
	CreatedAt       envelope.Time         `json:"createdAt" format:"date-time" doc:"When the event happened."`
	UpdatedAt       envelope.Time         `json:"updatedAt" format:"date-time" doc:"Time of the last change."`
}

// targetView is the endpoint of a delivery.
type targetView struct {
	ID   string `json:"endpointId" format:"uuid" doc:"Identifier of the endpoint."`
	Name string `json:"name" doc:"Name of the endpoint."`
	URL  string `json:"url" doc:"Address at the last attempt. The next attempt goes to the current address of the endpoint."`
}

// deliveryDetail is a delivery with its payload and attempts.
type deliveryDetail struct {
	deliveryView
	Payload  payload       `json:"payload" doc:"The body of every attempt."`
	Attempts []attemptView `json:"attempts" doc:"Every attempt, the oldest first."`
}

// payload is the body of a webhook as sent.
type payload struct{ json.RawMessage }

// Schema returns the schema of the webhook.
func (payload) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[registrar.WebhookPayload](), true, "")
}

type attemptView struct {
	Cycle      int                   `json:"cycle" doc:"Cycle of attempts, from 1."`
	N          int                   `json:"n,omitempty" doc:"Which attempt of the cycle; absent for a worker that stopped without a result."`
	StartedAt  envelope.Time         `json:"startedAt" format:"date-time" doc:"When it started."`
	FinishedAt *envelope.Time        `json:"finishedAt,omitempty" format:"date-time" doc:"When it ended; absent when it did not."`
	Outcome    outbox.AttemptOutcome `json:"outcome" doc:"How it ended."`
	StatusCode int                   `json:"statusCode,omitempty" doc:"HTTP status of the answer."`
	Error      string                `json:"error,omitempty" doc:"Text of the failure."`
	Excerpt    string                `json:"responseExcerpt,omitempty" doc:"At most 2 KiB of the answer."`
}

func viewDelivery(d outbox.Delivery) deliveryView {
	view := deliveryView{
		ID: d.ID, EventID: d.EventID, EventType: registrar.WebhookType(d.EventType), ClientID: d.Subject, Sequence: d.Sequence,
		Endpoint: targetView{d.Target.EndpointID, d.Target.Endpoint, d.Target.URL}, Status: d.Status, Attempt: d.Attempt, MaxAttempts: outbox.MaxAttempts, Cycle: d.Cycle,
		LastAttemptAt: optionalTime(d.LastAttemptAt), LastStatusCode: d.LastStatusCode, LastError: d.LastError, LastDurationMS: d.LastDuration.Milliseconds(),
		ResponseExcerpt: d.ResponseExcerpt, DeliveredAt: optionalTime(d.DeliveredAt), CreatedAt: envelope.Time(d.CreatedAt), UpdatedAt: envelope.Time(d.UpdatedAt),
	}
	if d.Status == outbox.DeliveryPending || d.Status == outbox.DeliverySending {
		view.NextAttemptAt = optionalTime(d.NextAttemptAt)
	}
	return view
}

type deliveryInput struct {
	DeliveryID string `path:"deliveryId" doc:"Identifier of the delivery."`
}

func (a *API) getDelivery(ctx context.Context, in *deliveryInput) (deliveryDetail, error) {
	d, attempts, err := a.registrar.Delivery(ctx, in.DeliveryID)
	view := deliveryDetail{deliveryView: viewDelivery(d), Payload: payload{d.Payload}, Attempts: []attemptView{}}
	for _, t := range attempts {
		view.Attempts = append(view.Attempts, attemptView{
			Cycle: t.Cycle, N: t.N, StartedAt: envelope.Time(t.StartedAt), FinishedAt: optionalTime(t.FinishedAt),
			Outcome: t.Outcome, StatusCode: t.StatusCode, Error: t.Error, Excerpt: t.Excerpt,
		})
	}
	return view, err
}

type listDeliveriesInput struct {
	Paging
	Status       string    `query:"status" enum:"pending,sending,delivered,failed,cancelled" doc:"Deliveries in this state."`
	Endpoint     string    `query:"endpoint" maxLength:"64" doc:"Name of an endpoint."`
	EventType    string    `query:"eventType" maxLength:"64" doc:"Type of the event."`
	ClientID     string    `query:"clientId" maxLength:"256" doc:"Deliveries about this client."`
	CreatedAfter time.Time `query:"createdAfter" doc:"Exclusive."`
}

func (a *API) listDeliveries(ctx context.Context, in *listDeliveriesInput) (page[deliveryView], error) {
	filter := outbox.DeliveryFilter{Subject: in.ClientID, CreatedAfter: in.CreatedAfter}
	if in.Status != "" {
		filter.Status = []outbox.DeliveryStatus{outbox.DeliveryStatus(in.Status)}
	}
	if in.Endpoint != "" {
		filter.Endpoint = []string{in.Endpoint}
	}
	if in.EventType != "" {
		filter.EventType = []string{in.EventType}
	}
	deliveries, next, err := a.registrar.Deliveries(ctx, filter, in.page())
	return paged(deliveries, next, err, viewDelivery)
}

func (a *API) retryDelivery(ctx context.Context, in *deliveryInput) (deliveryView, error) {
	d, err := a.registrar.RetryDelivery(ctx, callerOf(ctx), in.DeliveryID, "")
	return viewDelivery(d), err
}

type recoveryRequest struct {
	Endpoint      text `json:"endpoint,omitempty" doc:"Name of an endpoint; all of them when absent."`
	Status        text `json:"status,omitempty" doc:"failed or cancelled; failed when absent"`
	CreatedAfter  text `json:"createdAfter" doc:"Exclusive, RFC 3339."`
	CreatedBefore text `json:"createdBefore" doc:"Exclusive, RFC 3339."`
}

// recoveryView is the outcome of a recovery.
type recoveryView struct {
	Retried int  `json:"retried" doc:"How many deliveries are sent again."`
	More    bool `json:"more" doc:"There are more: call again."`
}

func (a *API) recoverDeliveries(ctx context.Context, in *bodyInput[partnerBody[recoveryRequest]]) (recoveryView, error) {
	r := in.Body.Request
	if r == nil {
		return recoveryView{}, errNoRequest()
	}
	recovery, err := r.recovery()
	if err != nil {
		return recoveryView{}, withTypeErrors(err, r)
	}
	out, err := a.registrar.RecoverDeliveries(ctx, callerOf(ctx), recovery)
	return recoveryView(out), err
}

// recovery checks a request to send deliveries again.
func (r *recoveryRequest) recovery() (outbox.Recovery, error) {
	var problems []refusal.Problem
	add := func(field, message string) {
		problems = append(problems, refusal.Problem{Where: "/" + field, Reason: registrar.InvalidRequest, Message: message})
	}
	out := outbox.Recovery{Endpoint: string(r.Endpoint), Status: cmp.Or(outbox.DeliveryStatus(r.Status), outbox.DeliveryFailed)}
	if out.Status != outbox.DeliveryFailed && out.Status != outbox.DeliveryCancelled {
		add("status", "must be failed or cancelled")
	}
	if wrongKind(string(r.Endpoint)) != "" {
		add("endpoint", "must be a string")
	}
	read := func(field string, from text) time.Time {
		at, err := time.Parse(time.RFC3339, string(from))
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
