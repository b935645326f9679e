package api

import (
	"context"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// keysView lists the keys of a client after a change.
type keysView struct {
	ClientID string                 `json:"clientId" doc:"Identifier of the client, which stays."`
	Status   registrar.ClientStatus `json:"status" enum:"ACTIVE,INACTIVE,PENDING,FAILED" doc:"Where the client stands."`
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
	PublicKey object `json:"publicKey" doc:"JSON Web Key with the public members only, with a kid that the client's key does not have."`
}

type keyInput struct {
	ClientPath
	KeyID string `path:"kid" doc:"kid of the key, or its RFC 7638 thumbprint."`
}

func (a *API) addPartnerKey(ctx context.Context, in *clientBodyInput[partnerBody[keyRequest]]) (keysView, error) {
	return a.addKey(ctx, registrar.PartnerDoor, in.ClientID, "", in.Body.Request)
}

func (a *API) addProviderKey(absent string) func(context.Context, *clientBodyInput[providerBody[keyRequest]]) (keysView, error) {
	return func(ctx context.Context, in *clientBodyInput[providerBody[keyRequest]]) (keysView, error) {
		return a.addKey(ctx, registrar.ProviderDoor, in.ClientID, in.Body.time(absent), in.Body.Request)
	}
}

func (a *API) addKey(ctx context.Context, side registrar.Door, id, at string, r *keyRequest) (keysView, error) {
	if r == nil {
		return keysView{}, errNoRequest()
	}
	client, err := a.registrar.AddKey(ctx, callerOf(ctx), side, id, at, r.PublicKey)
	return viewKeys(client), err
}

func (a *API) removeKey(side registrar.Door) func(context.Context, *keyInput) (keysView, error) {
	return func(ctx context.Context, in *keyInput) (keysView, error) {
		client, err := a.registrar.RemoveKey(ctx, callerOf(ctx), side, in.ClientID, in.KeyID)
		return viewKeys(client), err
	}
}
