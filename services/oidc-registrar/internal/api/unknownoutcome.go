package api

import (
	"context"

	"github.com/countersign/countersign/libs/envelope"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// mountOutcome registers the operations on clients with unknown outcome.
func (a *API) mountOutcome() {
	handle(a, operation{"confirmClient", post, "/v1/registrar/admin/clients/{client_id}/confirm", admins, 200, nil,
		"Confirm a client"}, a.confirmClient)
	handle(a, operation{"dropClient", post, "/v1/registrar/admin/clients/{client_id}/drop", admins, 200, nil,
		"Drop a client that the identity provider lacks"}, a.dropClient)
	handle(a, operation{"listDoubtfulClients", get, "/v1/registrar/admin/clients/doubtful", admins, 200, nil,
		"List doubtful clients, the newest first"}, a.listDoubtfulClients)
}

// endView is the state of a client after it was abandoned, confirmed or dropped.
type endView struct {
	ClientID         string                 `json:"clientId" doc:"Identifier of the client."`
	ProviderClientID string                 `json:"providerClientId,omitempty" doc:"Identifier that the identity provider assigned and the relying party signs in with; absent if it is clientId."`
	Status           registrar.ClientStatus `json:"status,omitempty" doc:"Status of the client; absent when it is removed."`
	Removed          bool                   `json:"removed,omitempty" doc:"The client is gone, and its id and its key are free."`
}

func viewEnd(id string, c registrar.Client, gone bool, err error) (endView, error) {
	if gone {
		return endView{ClientID: id, Removed: true}, err
	}
	return endView{ClientID: id, ProviderClientID: c.ProviderClientID, Status: c.Status}, err
}

// confirmClient answers POST /v1/registrar/admin/clients/{client_id}/confirm.
func (a *API) confirmClient(ctx context.Context, in *ClientPath) (endView, error) {
	client, gone, err := a.registrar.Outcomes.ConfirmClient(ctx, callerOf(ctx), in.ClientID)
	return viewEnd(in.ClientID, client, gone, err)
}

// dropClient answers POST /v1/registrar/admin/clients/{client_id}/drop.
func (a *API) dropClient(ctx context.Context, in *ClientPath) (endView, error) {
	client, gone, err := a.registrar.Outcomes.DropClient(ctx, callerOf(ctx), in.ClientID)
	return viewEnd(in.ClientID, client, gone, err)
}

// doubtfulView is a client with unknown outcome at the identity provider.
type doubtfulView struct {
	ClientID         string                 `json:"clientId" doc:"Identifier of the client."`
	ProviderClientID string                 `json:"providerClientId,omitempty" doc:"Identifier that the identity provider assigned; absent if it is clientId."`
	Name             string                 `json:"clientName" doc:"Display name."`
	PartnerID        string                 `json:"partnerId" doc:"authPartnerId or relyingPartyId of the client."`
	Status           registrar.ClientStatus `json:"status" doc:"Status of the client. PENDING: the outcome of the registration or of its removal is unknown; else that of a change."`
	Since            envelope.Time          `json:"since" doc:"Time of the call whose outcome is unknown."`
}

// listDoubtfulClients answers GET /v1/registrar/admin/clients/doubtful.
func (a *API) listDoubtfulClients(ctx context.Context, in *Paging) (page[doubtfulView], error) {
	clients, next, err := a.registrar.Outcomes.ListClients(ctx, in.page())
	return newPage(clients, next, err, func(c registrar.Client) doubtfulView {
		return doubtfulView{c.ID, c.ProviderClientID, c.Name, c.PartnerID, c.Status, envelope.Time{Time: c.UpdatedAt}}
	})
}
