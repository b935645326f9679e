package api

import (
	"context"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// endView is the state of a client after it was abandoned, confirmed or dropped.
type endView struct {
	ClientID         string                 `json:"clientId" doc:"Identifier of the client."`
	ProviderClientID string                 `json:"providerClientId,omitempty" doc:"Identifier that the identity provider gave the client, and that the relying party signs in with; absent where it is clientId."`
	Status           registrar.ClientStatus `json:"status,omitempty" enum:"ACTIVE,INACTIVE,PENDING,FAILED" doc:"Status of the client; absent when it is removed."`
	Removed          bool                   `json:"removed,omitempty" doc:"The client is gone, and its id and its key are free."`
}

func viewEnd(id string, c registrar.Client, gone bool, err error) (endView, error) {
	if gone {
		return endView{ClientID: id, Removed: true}, err
	}
	return endView{ClientID: id, ProviderClientID: c.ProviderClientID, Status: c.Status}, err
}

// addLifecycle registers key rotation and abandonment, which no release of either interface has, on
// every path that registers clients.
func (a *API) addLifecycle() {
	const oauth, esignet = "/v1/partnermanager/oauth/client", "/v1/esignet/client-mgmt/"
	for _, p := range []struct {
		name, path string
		access     web.Access
		absent     string // default for a missing requestTime
	}{
		{"Partner", "/v1/partnermanager/oidc/client", partners, ""}, {"OauthPartner", oauth, partners, ""},
		{"Provider", "/v1/idp/client-mgmt/oidc-client", a.scoped(updateScope), ""},
		{"Esignet", esignet + "oidc-client", a.scoped(updateScope), ""},
		{"Oauth", esignet + "oauth-client", a.scoped(updateScope), noTime},
		{"Configured", esignet + "client", a.scoped(updateScope), noTime},
	} {
		client, keys := p.path+"/{client_id}", p.path+"/{client_id}/keys"
		giveUp := operation{"giveUp" + p.name + "Client", del, client, p.access, 200, nil, "Give up a client that is PENDING or FAILED"}
		add := operation{"add" + p.name + "Key", post, keys, p.access, 200, nil, "Add a second key to a client"}
		remove := operation{"remove" + p.name + "Key", del, keys + "/{kid}", p.access, 200, nil, "Remove one of two keys of a client"}
		if doorOf(p.path).ofProvider() {
			handle(a, giveUp, a.giveUpProviderClient)
			handle(a, add, a.addProviderKey(p.absent))
			handle(a, remove, a.removeKey(registrar.ProviderDoor))
		} else {
			handle(a, giveUp, a.giveUpPartnerClient)
			handle(a, add, a.addPartnerKey)
			handle(a, remove, a.removeKey(registrar.PartnerDoor))
		}
	}
}

// giveUpPartnerClient answers DELETE of the paths of partner management.
func (a *API) giveUpPartnerClient(ctx context.Context, in *ClientPath) (endView, error) {
	return viewEnd(in.ClientID, registrar.Client{}, true, a.registrar.GiveUpPartnerClient(ctx, callerOf(ctx), in.ClientID))
}

// giveUpProviderClient answers DELETE of the paths of the identity provider.
func (a *API) giveUpProviderClient(ctx context.Context, in *ClientPath) (endView, error) {
	return viewEnd(in.ClientID, registrar.Client{}, true, a.registrar.GiveUpProviderClient(ctx, callerOf(ctx), in.ClientID))
}

// confirmClient answers POST /v1/registrar/admin/clients/{client_id}/confirm.
func (a *API) confirmClient(ctx context.Context, in *ClientPath) (endView, error) {
	client, gone, err := a.registrar.Confirm(ctx, callerOf(ctx), in.ClientID)
	return viewEnd(in.ClientID, client, gone, err)
}

// dropClient answers POST /v1/registrar/admin/clients/{client_id}/drop.
func (a *API) dropClient(ctx context.Context, in *ClientPath) (endView, error) {
	client, gone, err := a.registrar.Drop(ctx, callerOf(ctx), in.ClientID)
	return viewEnd(in.ClientID, client, gone, err)
}

// doubtfulView is a client with unknown outcome at the identity provider.
type doubtfulView struct {
	ClientID         string                 `json:"clientId" doc:"Identifier of the client."`
	ProviderClientID string                 `json:"providerClientId,omitempty" doc:"Identifier that the identity provider gave the client; absent where it is clientId."`
	Name             string                 `json:"clientName" doc:"Name for people."`
	PartnerID        string                 `json:"partnerId" doc:"authPartnerId or relyingPartyId of the client."`
	Status           registrar.ClientStatus `json:"status" enum:"ACTIVE,INACTIVE,PENDING,FAILED" doc:"Status of the client. PENDING: the outcome of the registration or of its removal is unknown; else that of a change."`
	Since            envelope.Time          `json:"since" doc:"Time of the call whose outcome is unknown."`
}

// listDoubtfulClients answers GET /v1/registrar/admin/clients/doubtful.
func (a *API) listDoubtfulClients(ctx context.Context, in *Paging) (page[doubtfulView], error) {
	clients, next, err := a.registrar.DoubtfulClients(ctx, in.page())
	return paged(clients, next, err, func(c registrar.Client) doubtfulView {
		return doubtfulView{c.ID, c.ProviderClientID, c.Name, c.PartnerID, c.Status, envelope.Time(c.UpdatedAt)}
	})
}

type confirmation struct {
	ClientIDs []string `json:"clientIds" doc:"1 to 200 ids of doubtful clients."`
}

// confirmedView is the result for one client.
type confirmedView struct {
	ClientID string `json:"clientId" doc:"Identifier of the client."`
	Accepted bool   `json:"accepted" doc:"The confirmation is stored. A call to the identity provider may follow, and the client is doubtful until it is answered."`
	Error    string `json:"error,omitempty" doc:"Reason of the refusal."`
}

type confirmedList struct {
	Items []confirmedView `json:"items" doc:"One result for each id, in their order."`
}

// confirmClients answers POST /v1/registrar/admin/clients/confirm.
func (a *API) confirmClients(ctx context.Context, in *bodyInput[providerBody[confirmation]]) (confirmedList, error) {
	var ids []string
	if in.Body.Request != nil {
		ids = in.Body.Request.ClientIDs
	}
	results, err := a.registrar.ConfirmAll(ctx, callerOf(ctx), ids)
	view := confirmedList{Items: []confirmedView{}}
	for _, r := range results {
		item := confirmedView{ClientID: r.ClientID, Accepted: r.Err == nil}
		if r.Err != nil {
			item.Error = registrar.MessageOf(r.Err)
		}
		view.Items = append(view.Items, item)
	}
	return view, err
}
