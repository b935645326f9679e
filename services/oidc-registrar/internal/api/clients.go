package api

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/countersign/countersign/libs/envelope"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// mountClient registers the operations of the resource that both interfaces share. A caller reaches the clients of
// its own interface.
func (a *API) mountClient() {
	const path = "/v1/registrar/clients/{client_id}"
	read, change := a.eitherAPI(getScope), a.eitherAPI(updateScope)
	handle(a, operation{"listClients", get, "/v1/registrar/clients", partners, 200, nil,
		"List clients of both interfaces, the newest first; a partner sees its own"}, a.listClients)
	handle(a, operation{"getClient", get, path, read, 200, nil, "Read a client of either interface"}, a.getClient)
	handle(a, operation{"abandonClient", del, path, change, 200, nil,
		"Abandon a PENDING or FAILED registration"}, a.abandonClient)
	handle(a, operation{"listClientEvents", get, path + "/events", read, 200, nil,
		"Read the audit trail of a client, the oldest entry first"}, a.listClientEvents)
	handle(a, operation{"addClientKey", post, path + "/keys", change, 200, nil,
		"Add a second key to a client"}, a.addClientKey)
	handle(a, operation{"removeClientKey", del, path + "/keys/{thumbprint}", change, 200, nil,
		"Remove one of two keys of a client by its thumbprint"}, a.removeClientKey)
	handle(a, operation{"removeNamedClientKey", del, path + "/keys", change, 200, nil,
		"Remove one of two keys of a client by its kid"}, a.removeNamedClientKey)
	handle(a, operation{"disableClient", post, path + "/disable", change, 200, nil,
		"Disable a client here and at the identity provider"}, a.disableClient)
	handle(a, operation{"enableClient", post, path + "/enable", change, 200, nil,
		"Enable a client"}, a.enableClient)
}

// clientView is a client of either interface.
type clientView struct {
	ClientID         string                 `json:"clientId" doc:"Identifier of the client."`
	ProviderClientID string                 `json:"providerClientId,omitempty" doc:"Identifier that the identity provider assigned; absent if it is clientId."`
	API              registrar.API          `json:"api" doc:"Interface of the registration: partner management or the identity provider's client management."`
	Name             string                 `json:"clientName" doc:"Display name."`
	Origin           registrar.Origin       `json:"origin" doc:"API that the client came through; the RFC 7591 API registers clients of partner management."`
	PartnerID        string                 `json:"partnerId" doc:"authPartnerId or relyingPartyId of the client."`
	PolicyID         string                 `json:"policyId,omitempty" doc:"Policy of a client of partner management."`
	Status           registrar.ClientStatus `json:"status" doc:"Status of the client."`
	OutcomeUnknown   bool                   `json:"doubtful,omitempty" doc:"The outcome of a call to the identity provider is unknown. A PARTNER_ADMIN confirms or drops the client."`
	Failure          *failureView           `json:"failure,omitempty" doc:"Refusal that made the client FAILED."`
	Keys             []keyView              `json:"keys" doc:"Keys of the client, the newest first."`
	KeySince         envelope.Time          `json:"keySince" doc:"Time since which the newest key is that of the client."`
	registrar.SharedMembers
	UserClaims []string       `json:"userClaims" doc:"Claims that the client may request."`
	ACRs       []string       `json:"authContextRefs" doc:"Authentication context classes that the client may request."`
	CreatedAt  envelope.Time  `json:"createdAt" doc:"Time of the registration."`
	UpdatedAt  envelope.Time  `json:"updatedAt" doc:"Time of the last change."`
	ExpiresAt  *envelope.Time `json:"expiresAt,omitempty" doc:"Time from which the client is INACTIVE for good; absent for never."`
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
		Status: c.Status, OutcomeUnknown: c.OutcomeUnknown, Failure: viewFailure(c.Failure), Keys: []keyView{},
		SharedMembers: c.Shared(), UserClaims: c.UserClaims, ACRs: c.ACRs,
		CreatedAt: envelope.Time{Time: c.CreatedAt}, UpdatedAt: envelope.Time{Time: c.UpdatedAt}, extensionsView: viewExtensions(c.Extensions),
		Origin: c.Origin(), KeySince: envelope.Time{Time: c.CurrentKeySince()}, ExpiresAt: envelope.OptionalTime(c.ExpiresAt),
	}
	for _, k := range c.Keys() {
		view.Keys = append(view.Keys, keyView{k.ID, k.Thumbprint, object(k.JWK)})
	}
	return view
}

// doubtful is the status of a list that selects clients with an unknown outcome.
const doubtful = "DOUBTFUL"

type listClientsInput struct {
	Paging
	Status         string           `query:"status" enum:"PENDING,ACTIVE,INACTIVE,FAILED,DOUBTFUL" doc:"Clients in this state. DOUBTFUL: the outcome of a call to the identity provider is unknown, in any state."`
	PartnerID      string           `query:"partnerId" doc:"Clients of this partner or relying party."`
	PolicyID       string           `query:"policyId" doc:"Clients under this policy."`
	Origin         registrar.Origin `query:"origin" doc:"Clients that came through this API."`
	KeyThumbprint  string           `query:"keyThumbprint" maxLength:"64" doc:"Client with this key, by its RFC 7638 thumbprint: current, former, or of a pending change."`
	AwaitsApproval bool             `query:"awaitsApproval" doc:"Clients with a registration or change that waits for its approval."`
	Differs        bool             `query:"differs" doc:"Clients that the identity provider has otherwise or lacks, as of the last comparison."`
	Q              string           `query:"q" maxLength:"256" doc:"Part of the id or the name, in any letter case."`
}

func (a *API) listClients(ctx context.Context, in *listClientsInput) (page[clientView], error) {
	f := registrar.ClientFilter{
		PartnerID: in.PartnerID, PolicyID: in.PolicyID, Origin: in.Origin, KeyThumbprint: in.KeyThumbprint,
		AwaitsApproval: in.AwaitsApproval, Differs: in.Differs, Q: in.Q,
	}
	if f.OutcomeUnknown = in.Status == doubtful; !f.OutcomeUnknown {
		f.Status = registrar.ClientStatus(in.Status)
	}
	clients, next, err := a.registrar.Clients.ListClients(ctx, callerOf(ctx), f, in.page())
	return newPage(clients, next, err, viewClient)
}

func (a *API) getClient(ctx context.Context, in *ClientPath) (clientView, error) {
	client, err := a.registrar.Clients.GetClient(ctx, callerOf(ctx), in.ClientID)
	return viewClient(client), err
}

func (a *API) abandonClient(ctx context.Context, in *ClientPath) (endView, error) {
	return viewEnd(in.ClientID, registrar.Client{}, true, a.registrar.Clients.Abandon(ctx, callerOf(ctx), in.ClientID))
}

type listClientEventsInput struct {
	Paging
	ClientPath
}

func (a *API) listClientEvents(ctx context.Context, in *listClientEventsInput) (page[eventView], error) {
	events, next, err := a.registrar.Clients.ListEvents(ctx, callerOf(ctx), in.ClientID, in.page())
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
	PublicKey json.RawMessage `json:"publicKey,omitempty" doc:"JSON Web Key with the public members only. Its kid differs from that of the client's key."`
}

func (a *API) addClientKey(
	ctx context.Context, in *clientBodyInput[timedBody[keyRequest]],
) (keysView, error) {
	client, err := a.registrar.Clients.AddKey(ctx, callerOf(ctx), in.ClientID, in.Body.RequestTime,
		in.Body.Request.PublicKey)
	return viewKeys(client), err
}

type keyInput struct {
	ClientPath
	Thumbprint string `path:"thumbprint" doc:"RFC 7638 thumbprint of the key."`
}

func (a *API) removeClientKey(ctx context.Context, in *keyInput) (keysView, error) {
	client, err := a.registrar.Clients.RemoveKey(ctx, callerOf(ctx), in.ClientID, "", in.Thumbprint)
	return viewKeys(client), err
}

type namedKeyInput struct {
	ClientPath
	KeyID string `query:"kid" required:"true" doc:"kid of the key, percent-encoded."`
}

func (a *API) removeNamedClientKey(ctx context.Context, in *namedKeyInput) (keysView, error) {
	client, err := a.registrar.Clients.RemoveKey(ctx, callerOf(ctx), in.ClientID, in.KeyID, "")
	return viewKeys(client), err
}

// disableBody is the envelope of a call that disables a client. The reason is also accepted outside the request object.
type disableBody struct {
	RequestTime string         `json:"requestTime,omitempty" doc:"RFC 3339, close to the server's time; see REGISTRAR_REQUEST_TIME_LEEWAY"`
	Request     disableRequest `json:"request,omitempty" doc:"Content of the request."`
	Reason      string         `json:"reason,omitempty" doc:"The same as request.reason, without an envelope."`
}

type disableRequest struct {
	Reason string `json:"reason" doc:"Why the client is disabled, 1 to 500 characters, for its audit trail."`
}

// disableClient answers POST /v1/registrar/clients/{client_id}/disable.
func (a *API) disableClient(ctx context.Context, in *clientBodyInput[disableBody]) (clientStatus, error) {
	reason := cmp.Or(in.Body.Request.Reason, in.Body.Reason)
	client, err := a.registrar.Clients.Disable(ctx, callerOf(ctx), in.ClientID, in.Body.RequestTime, reason)
	return statusOf(client), err
}

// enableClient answers POST /v1/registrar/clients/{client_id}/enable.
func (a *API) enableClient(ctx context.Context, in *ClientPath) (clientStatus, error) {
	client, err := a.registrar.Clients.Enable(ctx, callerOf(ctx), in.ClientID)
	return statusOf(client), err
}
