package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// mountWebhooks registers the operations on webhook endpoints and deliveries.
func (a *API) mountWebhooks() {
	admin.API{
		Base: "/v1/registrar/admin", Endpoint: "endpointId", Delivery: "deliveryId", Read: admins, Write: admins,
		Created: http.StatusOK,
	}.Mount(admin.Handlers{
		CreateEndpoint: with(a, a.createEndpoint), ListEndpoints: with(a, a.listEndpoints), GetEndpoint: with(a, a.getEndpoint),
		UpdateEndpoint: with(a, a.updateEndpoint), DeleteEndpoint: with(a, a.deleteEndpoint),
		RotateSecret: with(a, a.rotateSecret), TestEndpoint: with(a, a.testEndpoint),
		ListDeliveries: with(a, a.listDeliveries), GetDelivery: with(a, a.getDelivery), RetryDelivery: with(a, a.retryDelivery),
		RecoverDeliveries: with(a, a.recoverDeliveries),
	})
}

// with returns a function that registers a handler for an operation.
func with[I, T any](a *API, fn func(context.Context, *I) (T, error)) func(web.Operation) {
	return func(op web.Operation) { handle(a, operation(op), fn) }
}

// EndpointView is a webhook endpoint without its secret.
type EndpointView struct{ admin.EndpointCamel }

// shownEndpointView is an endpoint with its new secret.
type shownEndpointView struct {
	EndpointView
	Secret string `json:"secret" doc:"whsec_ and base64: verifies v1. It is not shown again."`
}

// viewEndpoint returns the current view of an endpoint.
func (a *API) viewEndpoint(e outbox.Endpoint) EndpointView {
	return EndpointView{admin.EndpointCamel(a.registrar.Webhooks.ViewEndpoint(e, time.Now()))}
}

func (a *API) showEndpoint(e admin.Shown, err error) (shownEndpointView, error) {
	return shownEndpointView{a.viewEndpoint(e.Endpoint), e.Secret}, err
}

type endpointRequest struct {
	Name      text  `json:"name" doc:"Deliveries refer to it; it cannot be changed. Lower-case letters, digits, - and _."`
	URL       text  `json:"url" doc:"Where messages go: an https URL that the service may call."`
	Events    texts `json:"events,omitempty" doc:"Event types, or patterns of them; client.* when absent."`
	PolicyIDs texts `json:"policyIds,omitempty" doc:"Policies of the clients whose events are sent, or patterns of them; * when absent."`
	Signature text  `json:"signature,omitempty" doc:"Of Standard Webhooks: v1 (HMAC-SHA256 with the secret), v1a (Ed25519), or both; v1 when absent."`
	Secret    text  `json:"secret,omitempty" doc:"whsec_ and the base64 of 24 to 64 bytes; a new one when absent."`
	Enabled   *bool `json:"enabled,omitempty" doc:"Whether messages are sent; true when absent."`
}

// maxPatterns is the maximum number of patterns of each kind.
const maxPatterns = 50

// patterns checks a list of patterns. It returns nil for a missing list.
func patterns(field string, l texts) ([]string, error) {
	switch {
	case l.other:
		return nil, refusal.At(registrar.InvalidRequest, "/"+field, "must be a list of strings")
	case len(l.list) > maxPatterns:
		return nil, refusal.At(registrar.InvalidRequest, "/"+field, "must have at most 50 entries")
	}
	for i, pattern := range l.list {
		if wrong := wrongKind(pattern); wrong != "" {
			return nil, refusal.At(registrar.InvalidRequest, fmt.Sprintf("/%s/%d", field, i), "%s", wrong)
		}
	}
	return l.list, nil
}

// scheme parses the signature scheme of an endpoint, which may be absent.
func scheme(t text) (outbox.SignatureScheme, error) {
	s := outbox.SignatureScheme(t)
	if s == "" || slices.Contains(s.Values(), s) {
		return s, nil
	}
	return "", refusal.At(registrar.InvalidRequest, "/signature", "must be v1, v1a or both")
}

func (a *API) createEndpoint(ctx context.Context, in *bodyInput[partnerBody[endpointRequest]]) (shownEndpointView, error) {
	r := in.Body.Request
	if r == nil {
		return shownEndpointView{}, errNoRequest()
	}
	draft := outbox.Endpoint{Name: string(r.Name), URL: string(r.URL), Enabled: r.Enabled == nil || *r.Enabled}
	var err error
	if draft.Events, err = patterns("events", r.Events); err != nil {
		return shownEndpointView{}, err
	}
	if draft.PolicyKeys, err = patterns("policyIds", r.PolicyIDs); err != nil {
		return shownEndpointView{}, err
	}
	if draft.Signature, err = scheme(r.Signature); err != nil {
		return shownEndpointView{}, err
	}
	made, err := a.registrar.Webhooks.CreateEndpoint(ctx, callerOf(ctx), draft, string(r.Secret))
	return a.showEndpoint(made, withTypeErrors(err, r))
}

type endpointInput struct {
	EndpointID string `path:"endpointId" doc:"Identifier of the endpoint."`
}

func (a *API) getEndpoint(ctx context.Context, in *endpointInput) (EndpointView, error) {
	e, err := a.registrar.Webhooks.Endpoint(ctx, in.EndpointID)
	return a.viewEndpoint(e), err
}

type listEndpointsInput struct {
	Paging
	Q string `query:"q" maxLength:"256" doc:"Part of the name or the URL, in any letter case."`
}

func (a *API) listEndpoints(ctx context.Context, in *listEndpointsInput) (page[EndpointView], error) {
	endpoints, next, err := a.registrar.Webhooks.Endpoints(ctx, outbox.EndpointFilter{Q: in.Q}, in.page())
	return newPage(endpoints, next, err, a.viewEndpoint)
}

type endpointChange struct {
	URL       text  `json:"url,omitempty" doc:"Where messages go: an https URL that the service may call."`
	Events    texts `json:"events,omitempty" doc:"Event types, or patterns of them."`
	PolicyIDs texts `json:"policyIds,omitempty" doc:"Policies, or patterns of them."`
	Signature text  `json:"signature,omitempty" doc:"v1, v1a or both"`
	Enabled   *bool `json:"enabled,omitempty" doc:"false cancels what waits; true forgets the failures."`
}

type updateEndpointInput struct {
	EndpointID string `path:"endpointId" doc:"Identifier of the endpoint."`
	Body       partnerBody[endpointChange]
}

func (a *API) updateEndpoint(ctx context.Context, in *updateEndpointInput) (EndpointView, error) {
	r := in.Body.Request
	if r == nil {
		return EndpointView{}, errNoRequest()
	}
	change := admin.Change{Enabled: r.Enabled}
	if r.URL != "" {
		change.URL = new(string(r.URL))
	}
	var err error
	if change.Events, err = patterns("events", r.Events); err != nil {
		return EndpointView{}, err
	}
	if change.PolicyKeys, err = patterns("policyIds", r.PolicyIDs); err != nil {
		return EndpointView{}, err
	}
	wanted, err := scheme(r.Signature)
	if err != nil {
		return EndpointView{}, err
	}
	if wanted != "" {
		change.Signature = &wanted
	}
	e, err := a.registrar.Webhooks.UpdateEndpoint(ctx, callerOf(ctx), in.EndpointID, "", change)
	return a.viewEndpoint(e), withTypeErrors(err, r)
}

func (a *API) deleteEndpoint(ctx context.Context, in *endpointInput) (EndpointView, error) {
	e, err := a.registrar.Webhooks.DeleteEndpoint(ctx, callerOf(ctx), in.EndpointID, "")
	return a.viewEndpoint(e), err
}

// Hours during which the previous secret signs beside a new one.
const (
	defaultOverlap = 24
	maxOverlap     = 7 * 24
)

type rotation struct {
	Secret       text `json:"secret,omitempty" doc:"whsec_ and the base64 of 24 to 64 bytes; a new one when absent."`
	OverlapHours *int `json:"overlapHours,omitempty" minimum:"0" maximum:"168" doc:"How long the previous secret signs as well; 24 when absent. 0 ends it at once."`
}

type rotateSecretInput struct {
	EndpointID string `path:"endpointId" doc:"Identifier of the endpoint."`
	Body       partnerBody[rotation]
}

func (a *API) rotateSecret(ctx context.Context, in *rotateSecretInput) (shownEndpointView, error) {
	r := in.Body.Request
	if r == nil {
		return shownEndpointView{}, errNoRequest()
	}
	hours := defaultOverlap
	if r.OverlapHours != nil {
		hours = *r.OverlapHours
	}
	if hours < 0 || hours > maxOverlap {
		return shownEndpointView{}, refusal.At(registrar.InvalidRequest, "/overlapHours", "must be 0 to 168")
	}
	shown, err := a.registrar.Webhooks.RotateSecret(ctx, callerOf(ctx), in.EndpointID, string(r.Secret), time.Duration(hours)*time.Hour)
	return a.showEndpoint(shown, withTypeErrors(err, r))
}

func (a *API) testEndpoint(ctx context.Context, in *endpointInput) (DeliveryView, error) {
	d, err := a.registrar.Webhooks.TestEndpoint(ctx, callerOf(ctx), in.EndpointID)
	return viewDelivery(d), err
}
