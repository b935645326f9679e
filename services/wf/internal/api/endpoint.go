package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// webhookHandlers serves the operations on webhook endpoints and deliveries.
type webhookHandlers struct{ *API }

func (h webhookHandlers) mount() {
	admin.API{
		Base: "/v1/wf/admin", Endpoint: "id", Delivery: "id", Read: viewers, Write: admins, Created: http.StatusCreated,
	}.Mount(admin.Handlers{
		CreateEndpoint:    with(h.API, h.createEndpoint),
		ListEndpoints:     with(h.API, h.listEndpoints),
		GetEndpoint:       with(h.API, h.getEndpoint),
		UpdateEndpoint:    with(h.API, h.updateEndpoint),
		DeleteEndpoint:    with(h.API, h.deleteEndpoint),
		RotateSecret:      with(h.API, h.rotateSecret),
		TestEndpoint:      with(h.API, h.testEndpoint),
		ListDeliveries:    with(h.API, h.listDeliveries),
		GetDelivery:       with(h.API, h.getDelivery),
		RetryDelivery:     with(h.API, h.retryDelivery),
		RecoverDeliveries: with(h.API, h.recoverDeliveries),
	})
}

// EndpointView is an endpoint without its secret.
type EndpointView struct {
	admin.EndpointView
	Format    formatName    `json:"format" doc:"Format of messages: the signed event, or an unsigned message to a chat channel."`
	Include   []wf.Include  `json:"include" doc:"Additional parts of messages: the context of the request without members that settings.redact of its policy names; the data, attachments and authentication of decisions."`
	CreatedBy identity.User `json:"created_by" doc:"Creator of the endpoint."`
	ETag      string        `json:"etag" doc:"Entity tag, for If-Match."`
}

// shownEndpointView is an endpoint with its new secret.
type shownEndpointView struct {
	EndpointView
	Secret string `json:"secret" doc:"whsec_ and base64: verifies v1. It is not shown again. Empty for a chat."`
}

// formatName is an outbox.Format on the wire, where the format of events has a name.
type formatName string

func nameOf(f outbox.Format) formatName { return formatName(cmp.Or(f, "event")) }

// format returns the named format. An absent name is the format of events.
func (n formatName) format() outbox.Format {
	return outbox.Format(strings.TrimPrefix(string(n), "event"))
}

// Values returns every value.
func (formatName) Values() []formatName { return view.List(outbox.Formats, nameOf) }

// partsOf returns the names of included parts; nil stays nil.
func partsOf(parts []wf.Include) []string {
	if parts == nil {
		return nil
	}
	return view.List(parts, func(part wf.Include) string { return string(part) })
}

// viewEndpoint returns the view of an endpoint at a time.
func (h webhookHandlers) viewEndpoint(e outbox.Endpoint, now time.Time) EndpointView {
	return EndpointView{
		EndpointView: h.engine.Webhooks.ViewEndpoint(e, now), Format: nameOf(e.Format),
		Include:   view.List(e.Include, func(part string) wf.Include { return wf.Include(part) }),
		CreatedBy: identity.User(e.CreatedBy), ETag: view.ETag(e.Rev),
	}
}

func (h webhookHandlers) endpointReply(e outbox.Endpoint, now time.Time, err error) (result[EndpointView], error) {
	return result[EndpointView]{Value: h.viewEndpoint(e, now), ETag: view.ETag(e.Rev)}, err
}

func (h webhookHandlers) shownReply(e admin.Shown, err error) (result[shownEndpointView], error) {
	return result[shownEndpointView]{Value: shownEndpointView{h.viewEndpoint(e.Endpoint, e.UpdatedAt), e.Secret}, ETag: view.ETag(e.Rev)}, err
}

type createEndpointInput struct {
	Body struct {
		Name       string                 `json:"name" pattern:"^[a-z0-9][a-z0-9_-]{0,63}$" doc:"Name in deliveries; it cannot be changed."`
		URL        string                 `json:"url" maxLength:"2048" doc:"Address of the receiver: an https URL on an allowed host. The address of a chat is stored encrypted and not returned."`
		Format     formatName             `json:"format,omitempty" doc:"Format of messages: the signed event, or a message to an incoming webhook of Slack, Mattermost or a Teams workflow; event when absent. It cannot be changed."`
		Events     []string               `json:"events,omitempty" maxItems:"50" doc:"Event types, or patterns of them such as task.*; request.* when absent; none with an empty list."`
		PolicyKeys []string               `json:"policy_keys,omitempty" maxItems:"50" doc:"Policy keys, or patterns of them; * when absent; none with an empty list."`
		Include    []wf.Include           `json:"include,omitempty" maxItems:"2" doc:"Additional parts of messages: the context of the request without members that settings.redact of its policy names; the data, attachments and authentication of decisions. None when absent; not for a chat."`
		Signature  outbox.SignatureScheme `json:"signature,omitempty" doc:"Of Standard Webhooks: HMAC-SHA256 with the secret, Ed25519, or both; v1 when absent."`
		Enabled    *bool                  `json:"enabled,omitempty" doc:"true when absent"`
		Secret     string                 `json:"secret,omitempty" maxLength:"200" writeOnly:"true" doc:"whsec_ and the base64 of 24 to 64 bytes; a new one when absent."`
	}
}

func (h webhookHandlers) createEndpoint(ctx context.Context, in *createEndpointInput) (result[shownEndpointView], error) {
	b := in.Body
	draft := outbox.Endpoint{
		Name: b.Name, URL: b.URL, Format: b.Format.format(), Events: b.Events,
		PolicyKeys: b.PolicyKeys, Include: partsOf(b.Include), Signature: b.Signature, Enabled: b.Enabled == nil || *b.Enabled,
	}
	made, err := h.engine.Webhooks.CreateEndpoint(ctx, actorOf(ctx), draft, b.Secret)
	r, err := h.shownReply(made, err)
	r.Location = "/v1/wf/admin/webhooks/" + made.ID
	return r, err
}

type listEndpointsInput struct {
	Paged
	Enabled flag   `query:"enabled" doc:"Only endpoints that are enabled, or only those that are not."`
	Q       string `query:"q" maxLength:"200" doc:"Part of the name or the URL."`
}

func (h webhookHandlers) listEndpoints(ctx context.Context, in *listEndpointsInput) (result[Page[EndpointView]], error) {
	filter := outbox.EndpointFilter{Enabled: in.Enabled.value(), Q: in.Q}
	items, next, err := h.engine.Webhooks.Endpoints(ctx, filter, in.page())
	now := h.Now()
	return listReply(items, next, err, func(e outbox.Endpoint) EndpointView { return h.viewEndpoint(e, now) })
}

func (h webhookHandlers) getEndpoint(ctx context.Context, in *Identified) (result[EndpointView], error) {
	e, err := h.engine.Webhooks.Endpoint(ctx, in.ID)
	return h.endpointReply(e, h.Now(), err)
}

type updateEndpointInput struct {
	Identified
	Guarded
	Body struct {
		URL        *string                 `json:"url,omitempty" maxLength:"2048" doc:"Address of the receiver: an https URL on an allowed host."`
		Events     []string                `json:"events,omitempty" maxItems:"50" doc:"Event types, or patterns of them."`
		PolicyKeys []string                `json:"policy_keys,omitempty" maxItems:"50" doc:"Keys of policies, or patterns of them."`
		Include    []wf.Include            `json:"include,omitempty" maxItems:"2" doc:"Additional parts of messages."`
		Signature  *outbox.SignatureScheme `json:"signature,omitempty" doc:"Of Standard Webhooks: HMAC-SHA256, Ed25519, or both."`
		Enabled    *bool                   `json:"enabled,omitempty" doc:"false cancels waiting deliveries; true resets the failures."`
	} `doc:"Members that are absent or null stay as they are; arrays are replaced whole."`
}

func (h webhookHandlers) updateEndpoint(ctx context.Context, in *updateEndpointInput) (result[EndpointView], error) {
	b := in.Body
	e, err := h.engine.Webhooks.UpdateEndpoint(ctx, actorOf(ctx), in.ID, in.IfMatch, admin.Change{
		URL: b.URL, Events: b.Events, PolicyKeys: b.PolicyKeys, Include: partsOf(b.Include), Signature: b.Signature, Enabled: b.Enabled,
	})
	return h.endpointReply(e, e.UpdatedAt, err)
}

func (h webhookHandlers) deleteEndpoint(ctx context.Context, in *objectInput) (result[EndpointView], error) {
	e, err := h.engine.Webhooks.DeleteEndpoint(ctx, actorOf(ctx), in.ID, in.IfMatch)
	return h.endpointReply(e, h.Now(), err)
}

// Limits for the overlap of the previous secret with a new one.
const (
	defaultOverlap policy.Duration = "PT24H"
	maxOverlap                     = 7 * 24 * time.Hour
)

type rotateSecretInput struct {
	Identified
	Body *struct {
		Secret  string          `json:"secret,omitempty" maxLength:"200" writeOnly:"true" doc:"whsec_ and the base64 of 24 to 64 bytes; a new one when absent."`
		Overlap policy.Duration `json:"overlap,omitempty" minLength:"1" maxLength:"40" doc:"ISO 8601 duration in which the previous secret signs as well, at most P7D; PT24H when absent. PT0S ends it at once."`
	}

	overlap time.Duration
}

// checkInput rejects an invalid overlap and keeps a valid one.
func (in *rotateSecretInput) checkInput() (err error) {
	overlap := cmp.Or(bodyOrZero(in.Body).Overlap, defaultOverlap)
	if overlap == "PT0S" { // other durations must be positive
		return nil
	}
	if in.overlap, err = overlap.Parse(); err != nil {
		return refusal.At(reason.BadInput, "/overlap", "%s", err)
	}
	if in.overlap > maxOverlap {
		return refusal.At(reason.BadInput, "/overlap", "is longer than P7D")
	}
	return nil
}

func (h webhookHandlers) rotateSecret(ctx context.Context, in *rotateSecretInput) (result[shownEndpointView], error) {
	return h.shownReply(h.engine.Webhooks.RotateSecret(
		ctx, actorOf(ctx), in.ID, bodyOrZero(in.Body).Secret, in.overlap))
}

func (h webhookHandlers) testEndpoint(ctx context.Context, in *Identified) (result[DeliveryView], error) {
	d, err := h.engine.Webhooks.TestEndpoint(ctx, actorOf(ctx), in.ID)
	return result[DeliveryView]{Value: viewDelivery(d), ETag: view.ETag(d.Rev())}, err
}

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
	return result[DeliveryView]{Value: show(d), ETag: view.ETag(d.Rev())}, err
}

func (h webhookHandlers) getDelivery(ctx context.Context, in *Identified) (result[deliveryDetailView], error) {
	d, attempts, err := h.engine.Webhooks.Delivery(ctx, in.ID)
	if err != nil {
		return result[deliveryDetailView]{}, err
	}
	show, err := h.deliveryViews(ctx, d)
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
