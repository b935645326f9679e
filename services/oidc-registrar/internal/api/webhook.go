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

// mountWebhook registers the operations on webhook endpoints and deliveries.
func (a *API) mountWebhook() {
	admin.API{
		Base: "/v1/registrar/admin", Endpoint: "endpointId", Delivery: "deliveryId", Read: admins, Write: admins,
		Created: http.StatusOK,
	}.Mount(admin.Handlers{
		CreateEndpoint: with(a, a.createEndpoint), ListEndpoints: with(a, a.listEndpoints),
		GetEndpoint: with(a, a.getEndpoint), UpdateEndpoint: with(a, a.updateEndpoint), DeleteEndpoint: with(a, a.deleteEndpoint),
		RotateSecret: with(a, a.rotateSecret), TestEndpoint: with(a, a.testEndpoint),
		ListDeliveries: with(a, a.listDeliveries), GetDelivery: with(a, a.getDelivery),
		RetryDelivery: with(a, a.retryDelivery), RecoverDeliveries: with(a, a.recoverDeliveries),
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
func (a *API) viewEndpoint(e outbox.Endpoint) EndpointView {
	return EndpointView{admin.EndpointCamel(a.registrar.Webhooks.ViewEndpoint(e, time.Now()))}
}

func (a *API) showEndpoint(e admin.Shown, err error) (shownEndpointView, error) {
	return shownEndpointView{a.viewEndpoint(e.Endpoint), e.Secret}, err
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

func (a *API) createEndpoint(
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
	made, err := a.registrar.Webhooks.CreateEndpoint(ctx, callerOf(ctx), draft, r.Secret)
	return a.showEndpoint(made, err)
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

func (a *API) updateEndpoint(ctx context.Context, in *updateEndpointInput) (EndpointView, error) {
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
	e, err := a.registrar.Webhooks.UpdateEndpoint(ctx, callerOf(ctx), in.EndpointID, "", change)
	return a.viewEndpoint(e), err
}

func (a *API) deleteEndpoint(ctx context.Context, in *endpointInput) (EndpointView, error) {
	e, err := a.registrar.Webhooks.DeleteEndpoint(ctx, callerOf(ctx), in.EndpointID, "")
	return a.viewEndpoint(e), err
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

func (a *API) rotateSecret(ctx context.Context, in *rotateSecretInput) (shownEndpointView, error) {
	r := in.Body.Request
	hours := defaultOverlap
	if r.OverlapHours != nil {
		hours = *r.OverlapHours
	}
	shown, err := a.registrar.Webhooks.RotateSecret(ctx, callerOf(ctx), in.EndpointID, r.Secret,
		time.Duration(hours)*time.Hour)
	return a.showEndpoint(shown, err)
}

func (a *API) testEndpoint(ctx context.Context, in *endpointInput) (DeliveryView, error) {
	d, err := a.registrar.Webhooks.TestEndpoint(ctx, callerOf(ctx), in.EndpointID)
	return viewDelivery(d), err
}
