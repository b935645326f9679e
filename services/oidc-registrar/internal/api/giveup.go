package api

import (
	"context"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// endView says where a client stands that was given up, confirmed or dropped.
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

// giveUpPartnerClient answers DELETE /v1/partnermanager/oidc/client/{client_id}.
func (a *API) giveUpPartnerClient(ctx context.Context, in *clientInput) (endView, error) {
	return viewEnd(in.ClientID, registrar.Client{}, true, a.registrar.GiveUpPartnerClient(ctx, callerOf(ctx), in.ClientID))
}

// giveUpProviderClient answers DELETE /v1/idp/client-mgmt/oidc-client/{client_id}.
func (a *API) giveUpProviderClient(ctx context.Context, in *clientInput) (endView, error) {
	return viewEnd(in.ClientID, registrar.Client{}, true, a.registrar.GiveUpProviderClient(ctx, callerOf(ctx), in.ClientID))
}

// confirmClient answers POST /v1/registrar/admin/clients/{client_id}/confirm.
func (a *API) confirmClient(ctx context.Context, in *clientInput) (endView, error) {
	client, gone, err := a.registrar.Confirm(ctx, callerOf(ctx), in.ClientID)
	return viewEnd(in.ClientID, client, gone, err)
}

// dropClient answers POST /v1/registrar/admin/clients/{client_id}/drop.
func (a *API) dropClient(ctx context.Context, in *clientInput) (endView, error) {
	client, gone, err := a.registrar.Drop(ctx, callerOf(ctx), in.ClientID)
	return viewEnd(in.ClientID, client, gone, err)
}
