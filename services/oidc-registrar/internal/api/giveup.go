package api

import (
	"context"

	"github.com/countersign/countersign/libs/web"
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

// addLifecycle puts what no release of either interface has, to roll a key and to give up a
// registration, on every path that registers clients.
func (a *API) addLifecycle() {
	const oauth, esignet = "/v1/partnermanager/oauth/client", "/v1/esignet/client-mgmt/"
	for _, p := range []struct {
		name, path string
		access     web.Access
		absent     string // stands for a requestTime that is missing
	}{
		{"Partner", "/v1/partnermanager/oidc/client", partners, ""}, {"OauthPartner", oauth, partners, ""},
		{"Provider", "/v1/idp/client-mgmt/oidc-client", scoped("update_oidc_client"), ""},
		{"Esignet", esignet + "oidc-client", scoped("update_oidc_client"), ""},
		{"Oauth", esignet + "oauth-client", scoped("update_oidc_client"), noTime},
		{"Configured", esignet + "client", scoped("update_oidc_client"), noTime},
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
