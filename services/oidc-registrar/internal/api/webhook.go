package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/refusal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// webhookHandlers serves the operations on webhook endpoints and deliveries.
type webhookHandlers struct{ *API }

// mount registers the operations.
func (h webhookHandlers) mount() {
	admin.API{
		Base: "/v1/registrar/admin", Endpoint: "endpointId", Delivery: "deliveryId", Read: admins, Write: admins,
		Created: http.StatusOK,
	}.Mount(admin.Handlers{
		CreateEndpoint: with(h.API, h.createEndpoint), ListEndpoints: with(h.API, h.listEndpoints), GetEndpoint: with(h.API, h.getEndpoint),
		UpdateEndpoint: with(h.API, h.updateEndpoint), DeleteEndpoint: with(h.API, h.deleteEndpoint),
		RotateSecret: with(h.API, h.rotateSecret), TestEndpoint: with(h.API, h.testEndpoint),
		ListDeliveries: with(h.API, h.listDeliveries), GetDelivery: with(h.API, h.getDelivery), RetryDelivery: with(h.API, h.retryDelivery),
		RecoverDeliveries: with(h.API, h.recoverDeliveries),
	})
}

// EndpointView is a webhook endpoint without its secret.
type EndpointView struct{ admin.EndpointCamel }

// shownEndpointView is an endpoint with its new secret.
type shownEndpointView struct {
	EndpointView
	Secret string `json:"secret" doc:"whsec_ and base64: verifies v1. It is not shown again."`
}

// viewEndpoint returns the current view of an endpoint.
func (h webhookHandlers) viewEndpoint(e outbox.Endpoint) EndpointView {
	return EndpointView{admin.EndpointCamel(h.registrar.Webhooks.ViewEndpoint(e, time.Now()))}
}

func (h webhookHandlers) showEndpoint(e admin.Shown, err error) (shownEndpointView, error) {
	return shownEndpointView{h.viewEndpoint(e.Endpoint), e.Secret}, err
}

type endpointRequest struct {
	Name      string   `json:"name" doc:"Deliveries refer to it; it cannot be changed. Lower-case letters, digits, - and _."`
	URL       string   `json:"url" doc:"Where messages go: an https URL that the service may call."`
	Events    []string `json:"events,omitempty" maxItems:"50" doc:"Event types, or patterns of them; client.* when absent."`
	PolicyIDs []string `json:"policyIds,omitempty" maxItems:"50" doc:"Policies of the clients whose events are sent, or patterns of them; * when absent."`
	Signature string   `json:"signature,omitempty" doc:"Of Standard Webhooks: v1 (HMAC-SHA256 with the secret), v1a (Ed25519), or both; v1 when absent."`
	Secret    string   `json:"secret,omitempty" doc:"whsec_ and the base64 of 24 to 64 bytes; a new one when absent."`
	Enabled   *bool    `json:"enabled,omitempty" doc:"Whether messages are sent; true when absent."`
}

// scheme parses the signature scheme of an endpoint, which may be absent.
func scheme(t string) (outbox.SignatureScheme, error) {
	s := outbox.SignatureScheme(t)
	if s == "" || slices.Contains(s.Values(), s) {
		return s, nil
	}
	return "", refusal.At(registrar.InvalidRequest, "/signature", "must be v1, v1a or both")
}

func (h webhookHandlers) createEndpoint(
	ctx context.Context, in *bodyInput[requestBody[endpointRequest]],
) (shownEndpointView, error) {
	r := in.Body.Request
	draft := outbox.Endpoint{
		Name: r.Name, URL: r.URL, Events: r.Events, PolicyKeys: r.PolicyIDs, Enabled: r.Enabled == nil || *r.Enabled,
	}
	var err error
	if draft.Signature, err = scheme(r.Signature); err != nil {
		return shownEndpointView{}, err
	}
	made, err := h.registrar.Webhooks.CreateEndpoint(ctx, callerOf(ctx), draft, r.Secret)
	return h.showEndpoint(made, err)
}

type endpointInput struct {
	EndpointID string `path:"endpointId" doc:"Identifier of the endpoint."`
}

func (h webhookHandlers) getEndpoint(ctx context.Context, in *endpointInput) (EndpointView, error) {
	e, err := h.registrar.Webhooks.Endpoint(ctx, in.EndpointID)
	return h.viewEndpoint(e), err
}

type listEndpointsInput struct {
	Paging
	Q string `query:"q" maxLength:"256" doc:"Part of the name or the URL, in any letter case."`
}

func (h webhookHandlers) listEndpoints(ctx context.Context, in *listEndpointsInput) (page[EndpointView], error) {
	endpoints, next, err := h.registrar.Webhooks.Endpoints(ctx, outbox.EndpointFilter{Q: in.Q}, in.page())
	return newPage(endpoints, next, err, h.viewEndpoint)
}

type endpointChange struct {
	URL       string   `json:"url,omitempty" doc:"Where messages go: an https URL that the service may call."`
	Events    []string `json:"events,omitempty" maxItems:"50" doc:"Event types, or patterns of them."`
	PolicyIDs []string `json:"policyIds,omitempty" maxItems:"50" doc:"Policies, or patterns of them."`
	Signature string   `json:"signature,omitempty" doc:"v1, v1a or both"`
	Enabled   *bool    `json:"enabled,omitempty" doc:"false cancels what waits; true forgets the failures."`
}

type updateEndpointInput struct {
	EndpointID string `path:"endpointId" doc:"Identifier of the endpoint."`
	Body       requestBody[endpointChange]
}

func (h webhookHandlers) updateEndpoint(ctx context.Context, in *updateEndpointInput) (EndpointView, error) {
	r := in.Body.Request
	change := admin.Change{Enabled: r.Enabled, Events: r.Events, PolicyKeys: r.PolicyIDs}
	if r.URL != "" {
		change.URL = &r.URL
	}
	wanted, err := scheme(r.Signature)
	if err != nil {
		return EndpointView{}, err
	}
	if wanted != "" {
		change.Signature = &wanted
	}
	e, err := h.registrar.Webhooks.UpdateEndpoint(ctx, callerOf(ctx), in.EndpointID, "", change)
	return h.viewEndpoint(e), err
}

func (h webhookHandlers) deleteEndpoint(ctx context.Context, in *endpointInput) (EndpointView, error) {
	e, err := h.registrar.Webhooks.DeleteEndpoint(ctx, callerOf(ctx), in.EndpointID, "")
	return h.viewEndpoint(e), err
}

// defaultOverlap is the number of hours during which the previous secret signs beside a new one.
const defaultOverlap = 24

type rotation struct {
	Secret       string `json:"secret,omitempty" doc:"whsec_ and the base64 of 24 to 64 bytes; a new one when absent."`
	OverlapHours *int   `json:"overlapHours,omitempty" minimum:"0" maximum:"168" doc:"How long the previous secret signs as well; 24 when absent. 0 ends it at once."`
}

type rotateSecretInput struct {
	EndpointID string `path:"endpointId" doc:"Identifier of the endpoint."`
	Body       requestBody[rotation]
}

func (h webhookHandlers) rotateSecret(ctx context.Context, in *rotateSecretInput) (shownEndpointView, error) {
	r := in.Body.Request
	hours := defaultOverlap
	if r.OverlapHours != nil {
		hours = *r.OverlapHours
	}
	shown, err := h.registrar.Webhooks.RotateSecret(ctx, callerOf(ctx), in.EndpointID, r.Secret,
		time.Duration(hours)*time.Hour)
	return h.showEndpoint(shown, err)
}

func (h webhookHandlers) testEndpoint(ctx context.Context, in *endpointInput) (DeliveryView, error) {
	d, err := h.registrar.Webhooks.TestEndpoint(ctx, callerOf(ctx), in.EndpointID)
	return viewDelivery(d), err
}
