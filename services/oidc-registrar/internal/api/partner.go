package api

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/countersign/countersign/libs/envelope"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// mountPartner registers the operations of partner management on clients.
func (a *API) mountPartner() {
	const path = "/v1/partnermanager/oidc/client"
	handle(a, operation{"getPartnerClient", get, path + "/{client_id}", partners, 200, nil,
		"Read a client"}, a.getPartnerClient)
	handle(a, operation{"listPartnerClients", get, path, partners, 200, nil,
		"List clients, the newest first; a partner sees its own"}, a.listPartnerClients)
}

// clientStatus is the reply to a registration or an update.
type clientStatus struct {
	ClientID         string                 `json:"clientId" doc:"Identifier of the client."`
	ProviderClientID string                 `json:"providerClientId,omitempty" doc:"Identifier that the identity provider assigned and the relying party signs in with; absent if it is clientId."`
	Status           registrar.ClientStatus `json:"status" doc:"PENDING until the identity provider has confirmed the client."`
	OutcomeUnknown   bool                   `json:"doubtful,omitempty" doc:"The outcome of a call to the identity provider is unknown. A PARTNER_ADMIN confirms or drops the client."`
}

func statusOf(c registrar.Client) clientStatus {
	return clientStatus{c.ID, c.ProviderClientID, c.Status, c.OutcomeUnknown}
}

// partnerClientView is a client with the member names of its registration in partner management.
type partnerClientView struct {
	ClientID   string   `json:"clientId" doc:"Identifier of the client."`
	Name       string   `json:"name" doc:"Display name."`
	PartnerID  string   `json:"authPartnerId" doc:"Partner that owns the client."`
	PolicyID   string   `json:"policyId" doc:"Empty if the client was registered with named claims"`
	PublicKey  object   `json:"publicKey,omitempty" doc:"JSON Web Key of the client; absent for a public client."`
	UserClaims []string `json:"userClaims" doc:"Claims that the client may request."`
	ACRs       []string `json:"authContextRefs" doc:"Authentication context classes that the client may request."`
	registrar.SharedMembers
	Status    registrar.ClientStatus `json:"status" doc:"Only an ACTIVE client is served by the identity provider."`
	CreatedAt envelope.Time          `json:"createdAt" doc:"Time of the registration."`
	UpdatedAt envelope.Time          `json:"updatedAt" doc:"Time of the last change."`

	Approval *approvalView `json:"approval,omitempty" doc:"Last approval; absent in lists and without approvals."`

	// Names of partner management 1.2.0, for its callers.
	ID             string   `json:"id,omitempty" doc:"clientId, as partner management calls it; absent in lists, as are the next four."`
	PolicyName     string   `json:"policyName,omitempty" doc:"Name of the policy."`
	RelyingPartyID string   `json:"relyingPartyId,omitempty" doc:"authPartnerId, as partner management calls it."`
	Claims         []string `json:"claims,omitempty" doc:"userClaims, as partner management calls them."`
	ACRValues      []string `json:"acrValues,omitempty" doc:"authContextRefs, as partner management calls them."`

	ProviderClientID string       `json:"providerClientId,omitempty" doc:"Identifier that the identity provider assigned and the relying party signs in with; absent if it is clientId."`
	OutcomeUnknown   bool         `json:"doubtful,omitempty" doc:"The outcome of a call to the identity provider is unknown. A PARTNER_ADMIN confirms or drops the client."`
	Failure          *failureView `json:"failure,omitempty" doc:"Reason of the failure."`
	extensionsView
}

// failureView is the reason of a failed registration.
type failureView struct {
	Code    string `json:"errorCode" doc:"Code of the refusal, as in the response to the registration."`
	Message string `json:"message" doc:"Text of the failure."`
}

func viewFailure(f registrar.Failure) *failureView {
	if f.Reason == "" {
		return nil
	}
	return &failureView{cmp.Or(f.ProviderCode, codes[f.Reason].partner), f.Message}
}

// extensionsView holds the members of later paths.
type extensionsView struct {
	Names  map[string]string `json:"clientNameLangMap,omitempty" doc:"Names in other languages."`
	Config json.RawMessage   `json:"additionalConfig,omitempty" doc:"Settings of the client."`
	EncKey json.RawMessage   `json:"encPublicKey,omitempty" doc:"JSON Web Key for encryption to the client."`

	Metadata json.RawMessage `json:"metadata,omitempty" doc:"Further members of client metadata, by their names in RFC 7591."`
}

func viewExtensions(e registrar.Extensions) extensionsView {
	return extensionsView{e.Names, json.RawMessage(e.Config), json.RawMessage(e.EncKey), json.RawMessage(e.Metadata)}
}

func viewPartnerClient(c registrar.Client) partnerClientView {
	return partnerClientView{
		ClientID: c.ID, Name: c.Name, PartnerID: c.PartnerID, PolicyID: c.PolicyID, PublicKey: object(c.Key.JWK),
		UserClaims: c.UserClaims, ACRs: c.ACRs, SharedMembers: c.Shared(), Status: c.Status,
		CreatedAt: envelope.Time{Time: c.CreatedAt}, UpdatedAt: envelope.Time{Time: c.UpdatedAt},
		ProviderClientID: c.ProviderClientID, OutcomeUnknown: c.OutcomeUnknown, Failure: viewFailure(c.Failure),
		extensionsView: viewExtensions(c.Extensions),
	}
}

// ClientPath is the client id in a path. It is exported for the same reason as Paging.
type ClientPath struct {
	ClientID string `path:"client_id" doc:"Identifier of the client."`
}

func (a *API) getPartnerClient(ctx context.Context, in *ClientPath) (partnerClientView, error) {
	client, policy, err := a.registrar.Clients.GetListedClient(ctx, callerOf(ctx), in.ClientID)
	if err != nil {
		return partnerClientView{}, err
	}
	asked, err := a.registrar.Approvals.GetApproval(ctx, client)
	view := viewPartnerClient(client)
	view.Approval = viewApproval(asked)
	view.ID, view.PolicyName, view.RelyingPartyID, view.Claims, view.ACRValues = client.ID, policy.Name, client.PartnerID, client.UserClaims, client.ACRs
	return view, err
}

// page is a page of a list.
type page[T any] struct {
	Items      []T    `json:"items" doc:"The items of this page."`
	NextCursor string `json:"nextCursor,omitempty" doc:"Give it as cursor to get the next page; absent on the last one"`
}

// Paging holds the parameters of every list. It is exported because huma ignores unexported
// embedded types.
type Paging struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"Items on a page."`
	Cursor string `query:"cursor" doc:"nextCursor of the page before, with the same filter"`
}

func (p Paging) page() registrar.Page { return registrar.Page{Limit: p.Limit, Cursor: p.Cursor} }

// newPage converts values to a page of views.
func newPage[V, T any](values []V, next string, err error, view func(V) T) (page[T], error) {
	out := page[T]{Items: make([]T, len(values)), NextCursor: next}
	for i, v := range values {
		out.Items[i] = view(v)
	}
	return out, err
}

type listPartnerClientsInput struct {
	Paging
	PartnerID string                 `query:"authPartnerId" doc:"Clients of this partner."`
	PolicyID  string                 `query:"policyId" doc:"Clients under this policy."`
	Status    registrar.ClientStatus `query:"status" doc:"Clients in this state."`
	Q         string                 `query:"q" maxLength:"256" doc:"Part of the id or the name, in any letter case"`
}

func (a *API) listPartnerClients(ctx context.Context, in *listPartnerClientsInput) (page[partnerClientView], error) {
	filter := registrar.ClientFilter{PartnerID: in.PartnerID, PolicyID: in.PolicyID, Status: in.Status, Q: in.Q}
	clients, next, err := a.registrar.Clients.ListClients(ctx, callerOf(ctx), filter, in.page())
	return newPage(clients, next, err, viewPartnerClient)
}

// eventView is an entry of the audit trail.
type eventView struct {
	At      envelope.Time       `json:"at" doc:"Time of the event."`
	Kind    registrar.EventType `json:"kind" doc:"Type of the event."`
	Actor   string              `json:"actor" doc:"Subject of the caller's token, or oidc-registrar"`
	Acting  []registrar.Party   `json:"acting,omitempty" doc:"Parties that acted for the caller, the current one first: the act claim of the token (RFC 8693, section 4.1)."`
	Changed []string            `json:"changed,omitempty" doc:"Names of the fields that changed"`
	Ignored []string            `json:"ignored,omitempty" doc:"Names of members of the request that its path does not know, 20 at most"`
	Flags   []registrar.Flag    `json:"flags,omitempty" doc:"Properties for review"`
	Code    string              `json:"errorCode,omitempty" doc:"Of a refusal"`

	ProviderClientID string `json:"providerClientId,omitempty" doc:"Identifier that the identity provider assigned at activation."`

	Comment string `json:"comment,omitempty" doc:"Reason given by the approver or by the caller."`

	CallID      string `json:"callId,omitempty" doc:"X-Request-Id of the call that caused it; absent for an event of the worker."`
	Traceparent string `json:"traceparent,omitempty" doc:"W3C traceparent of that call, if any."`
}

func viewEvent(e registrar.Event) eventView {
	view := eventView{
		At: envelope.Time{Time: e.At}, Kind: e.Type, Actor: e.Actor, Acting: e.Acting, Changed: e.Changed, Ignored: e.Ignored,
		Flags: e.Flags, Code: e.ProviderCode,
		ProviderClientID: e.ProviderClientID, Comment: e.Comment, CallID: e.CallID, Traceparent: e.Traceparent,
	}
	if view.Code == "" && e.Reason != "" {
		view.Code = codes[e.Reason].partner
	}
	return view
}
