package api

import (
	"cmp"
	"context"

	"github.com/countersign/countersign/libs/envelope"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// clientHandlers serves the resource that both interfaces share. A caller reaches the clients of its
// own interface.
type clientHandlers struct{ *API }

// mount registers the operations.
func (h clientHandlers) mount() {
	const path = "/v1/registrar/clients/{client_id}"
	read, change := h.eitherAPI(getScope), h.eitherAPI(updateScope)
	handle(h.API, operation{"getClient", get, path, read, 200, nil, "Read a client of either interface"}, h.getClient)
	handle(h.API, operation{"abandonClient", del, path, change, 200, nil,
		"Abandon a PENDING or FAILED registration"}, h.abandonClient)
	handle(h.API, operation{"listClientEvents", get, path + "/events", read, 200, nil,
		"Read the audit trail of a client, the oldest entry first"}, h.listClientEvents)
	handle(h.API, operation{"addClientKey", post, path + "/keys", change, 200, nil,
		"Add a second key to a client"}, h.addClientKey)
	handle(h.API, operation{"removeClientKey", del, path + "/keys/{kid}", change, 200, nil,
		"Remove one of two keys of a client"}, h.removeClientKey)
	handle(h.API, operation{"disableClient", post, path + "/disable", change, 200, nil,
		"Disable a client here and at the identity provider"}, h.disableClient)
	handle(h.API, operation{"enableClient", post, path + "/enable", change, 200, nil,
		"Enable a client"}, h.enableClient)
}

// clientView is a client of either interface.
type clientView struct {
	ClientID         string                 `json:"clientId" doc:"Identifier of the client."`
	ProviderClientID string                 `json:"providerClientId,omitempty" doc:"Identifier that the identity provider assigned; absent if it is clientId."`
	API              registrar.API          `json:"api" doc:"Interface of the registration: partner management or the identity provider's client management."`
	Name             string                 `json:"clientName" doc:"Display name."`
	PartnerID        string                 `json:"partnerId" doc:"authPartnerId or relyingPartyId of the client."`
	PolicyID         string                 `json:"policyId,omitempty" doc:"Policy of a client of partner management."`
	Status           registrar.ClientStatus `json:"status" doc:"Status of the client."`
	OutcomeUnknown   bool                   `json:"doubtful,omitempty" doc:"The outcome of a call to the identity provider is unknown. A PARTNER_ADMIN confirms or drops the client."`
	Failure          *failureView           `json:"failure,omitempty" doc:"Refusal that made the client FAILED."`
	Keys             []keyView              `json:"keys" doc:"Keys of the client, the newest first."`
	LogoURI          string                 `json:"logoUri" doc:"Logo, an https URL."`
	RedirectURIs     []string               `json:"redirectUris" doc:"Redirect URIs, compared exactly."`
	UserClaims       []string               `json:"userClaims" doc:"Claims that the client may request."`
	ACRs             []string               `json:"authContextRefs" doc:"Authentication context classes that the client may request."`
	GrantTypes       []string               `json:"grantTypes" doc:"OAuth grant types."`
	AuthMethods      []string               `json:"clientAuthMethods" doc:"Authentication methods at the token endpoint."`
	CreatedAt        envelope.Time          `json:"createdAt" doc:"Time of the registration."`
	UpdatedAt        envelope.Time          `json:"updatedAt" doc:"Time of the last change."`
	extensionsView
}

// keyView is a public key of a client.
type keyView struct {
	KeyID      string `json:"kid" doc:"kid of the key in the client's JWK Set."`
	Thumbprint string `json:"thumbprint" doc:"RFC 7638 thumbprint of the key."`
	JWK        object `json:"publicKey" doc:"JSON Web Key with the public members."`
}

func viewClient(c registrar.Client) clientView {
	view := clientView{
		ClientID: c.ID, ProviderClientID: c.ProviderClientID, API: c.API, Name: c.Name, PartnerID: c.PartnerID, PolicyID: c.PolicyID,
		Status: c.Status, OutcomeUnknown: c.OutcomeUnknown, Failure: viewFailure(c.Failure), Keys: []keyView{}, LogoURI: c.LogoURI, RedirectURIs: c.RedirectURIs,
		UserClaims: c.UserClaims, ACRs: c.ACRs, GrantTypes: c.GrantTypes, AuthMethods: c.AuthMethods,
		CreatedAt: envelope.Time{Time: c.CreatedAt}, UpdatedAt: envelope.Time{Time: c.UpdatedAt}, extensionsView: viewExtensions(c.Extensions),
	}
	for _, k := range c.Keys() {
		view.Keys = append(view.Keys, keyView{k.ID, k.Thumbprint, object(k.JWK)})
	}
	return view
}

func (h clientHandlers) getClient(ctx context.Context, in *ClientPath) (clientView, error) {
	client, err := h.registrar.Clients.GetClient(ctx, callerOf(ctx), in.ClientID)
	return viewClient(client), err
}

func (h clientHandlers) abandonClient(ctx context.Context, in *ClientPath) (endView, error) {
	return viewEnd(in.ClientID, registrar.Client{}, true, h.registrar.Clients.Abandon(ctx, callerOf(ctx), in.ClientID))
}

type listClientEventsInput struct {
	Paging
	ClientPath
}

func (h clientHandlers) listClientEvents(ctx context.Context, in *listClientEventsInput) (page[eventView], error) {
	events, next, err := h.registrar.Clients.ListEvents(ctx, callerOf(ctx), in.ClientID, in.page())
	return newPage(events, next, err, viewEvent)
}

// keysView lists the keys of a client after a change.
type keysView struct {
	ClientID string                 `json:"clientId" doc:"Identifier of the client, which never changes."`
	Status   registrar.ClientStatus `json:"status" doc:"Status of the client."`
	KeyIDs   []string               `json:"keyIds" doc:"kid of each key in the client's JWK Set, the newest first."`
}

func viewKeys(c registrar.Client) keysView {
	view := keysView{ClientID: c.ID, Status: c.Status, KeyIDs: []string{}}
	for _, k := range c.Keys() {
		view.KeyIDs = append(view.KeyIDs, k.ID)
	}
	return view
}

type keyRequest struct {
	PublicKey object `json:"publicKey" doc:"JSON Web Key with the public members only. Its kid differs from that of the client's key."`
}

func (h clientHandlers) addClientKey(ctx context.Context, in *clientBodyInput[providerBody[keyRequest]]) (keysView, error) {
	r := in.Body.Request
	if r == nil {
		return keysView{}, errNoRequest()
	}
	client, err := h.registrar.Clients.AddKey(ctx, callerOf(ctx), in.ClientID, in.Body.time(""), r.PublicKey)
	return viewKeys(client), err
}

type keyInput struct {
	ClientPath
	KeyID string `path:"kid" doc:"kid of the key, or its RFC 7638 thumbprint."`
}

func (h clientHandlers) removeClientKey(ctx context.Context, in *keyInput) (keysView, error) {
	client, err := h.registrar.Clients.RemoveKey(ctx, callerOf(ctx), in.ClientID, in.KeyID)
	return viewKeys(client), err
}

// disableBody is the envelope of a call that disables a client. The reason is also accepted outside
// the request object.
type disableBody struct {
	RequestTime text            `json:"requestTime,omitempty" doc:"RFC 3339, close to the server's time; see REGISTRAR_REQUEST_TIME_LEEWAY"`
	Request     *disableRequest `json:"request,omitempty" doc:"Content of the request."`
	Reason      text            `json:"reason,omitempty" doc:"The same as request.reason, without an envelope."`
}

type disableRequest struct {
	Reason text `json:"reason" doc:"Why the client is disabled, 1 to 500 characters, for its audit trail."`
}

// disableClient answers POST /v1/registrar/clients/{client_id}/disable.
func (h clientHandlers) disableClient(ctx context.Context, in *clientBodyInput[disableBody]) (clientStatus, error) {
	r := disableRequest{in.Body.Reason}
	if in.Body.Request != nil {
		r.Reason = cmp.Or(in.Body.Request.Reason, r.Reason)
	}
	client, err := h.registrar.Clients.Disable(ctx, callerOf(ctx), in.ClientID, string(in.Body.RequestTime), string(r.Reason))
	return statusOf(client), withTypeErrors(err, r)
}

// enableClient answers POST /v1/registrar/clients/{client_id}/enable.
func (h clientHandlers) enableClient(ctx context.Context, in *ClientPath) (clientStatus, error) {
	client, err := h.registrar.Clients.Enable(ctx, callerOf(ctx), in.ClientID)
	return statusOf(client), err
}
