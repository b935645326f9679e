package api

import (
	"context"
	"encoding/json"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// esignetHandlers serves the paths of eSignet: client management as in the contract and its two later
// forms. They share one engine. A path translates the members of its release.
type esignetHandlers struct{ providerHandlers }

// mount registers the operations.
func (h esignetHandlers) mount() {
	const base = "/v1/esignet/client-mgmt/"
	add, change, read := h.requireScope(addScope), h.requireScope(updateScope), h.requireScope(getScope)
	handle(h.API, operation{"registerEsignetClient", post, base + "oidc-client", add, 200, nil,
		"Register a client with named claims (eSignet 1.0)"}, registerProvider[providerRegistration](h.API, ""))
	handle(h.API, operation{"updateEsignetClient", put, base + "oidc-client/{client_id}", change, 200, nil,
		"Update a client or its status (eSignet 1.0)"}, updateProvider[providerUpdate](h.API, ""))
	handle(h.API, operation{"getEsignetClient", get, base + "oidc-client/{client_id}", read, 200, nil,
		"Read a client as an identity provider needs it (eSignet 1.0)"}, h.getProviderClient)
	h.handleKeys(operation{"getEsignetClientKeys", get, base + "oidc-client/{client_id}/jwks", open, 200, nil,
		"Read a client's key as a JWK Set (eSignet 1.0)"})

	handle(h.API, operation{"registerOauthClient", post, base + "oauth-client", add, 200, nil,
		"Register a client with names in other languages (eSignet 1.4)"},
		registerProvider[namedRegistration](h.API, registrar.NoRequestTime))
	handle(h.API, operation{"updateOauthClient", put, base + "oauth-client/{client_id}", change, 200, nil,
		"Update a client with names in other languages (eSignet 1.4)"}, updateProvider[namedUpdate](h.API, registrar.NoRequestTime))
	handle(h.API, operation{"registerConfiguredClient", post, base + "client", add, 200, nil,
		"Register a client with settings (eSignet 1.6)"}, registerProvider[configuredRegistration](h.API, registrar.NoRequestTime))
	handle(h.API, operation{"updateConfiguredClient", put, base + "client/{client_id}", change, 200, nil,
		"Update a client with settings (eSignet 1.6)"}, updateProvider[configuredUpdate](h.API, registrar.NoRequestTime))
	handle(h.API, operation{"getConfiguredClient", get, base + "client/{client_id}", read, 200, nil,
		"Read id and status of a client (eSignet 2.0)"}, h.getConfiguredClient)
	handle(h.API, operation{"patchConfiguredClient", patch, base + "client/{client_id}", change, 200, nil,
		"Patch a client (eSignet 1.8)"}, h.patchConfiguredClient)
}

type namedRegistration struct {
	providerRegistration
	Names names `json:"clientNameLangMap,omitempty" doc:"Names in other languages, by the three letters of ISO 639-2. At most 50 characters each."`
}

type configuredRegistration struct {
	namedRegistration
	configuration
}

// configuration holds the members that the third form adds to the second.
type configuration struct {
	Config object `json:"additionalConfig,omitempty" doc:"Settings of the client: userinfo_response_type, id_token_response_type (eSignet 2.0), purpose, signup_banner_required, forgot_pwd_link_required, consent_expire_in_mins, require_pushed_authorization_requests, dpop_bound_access_tokens, require_pkce."`
	EncKey object `json:"encPublicKey,omitempty" doc:"JSON Web Key for encryption to the client, public members only."`
}

func (r namedRegistration) request(ctx context.Context) *registrar.ProviderRequest {
	asked := r.providerRegistration.request(ctx)
	asked.Extensions = registrar.ExtensionRequest{Names: r.Names}
	return asked
}

func (r configuredRegistration) request(ctx context.Context) *registrar.ProviderRequest {
	asked := r.providerRegistration.request(ctx)
	asked.Extensions = registrar.ExtensionRequest{Names: r.Names, Config: r.Config, EncKey: r.EncKey}
	return asked
}

type namedUpdate struct {
	providerUpdate
	Names names `json:"clientNameLangMap,omitempty" doc:"Names in other languages; without it the client has none."`
}

type configuredUpdate struct {
	providerUpdate
	Names names `json:"clientNameLangMap,omitempty" doc:"Names in other languages; without it the client has none."`
	configuration
}

// replacement returns the names as a full replacement: empty if the request has none.
func (n names) replacement() map[string]string {
	if n == nil {
		return map[string]string{}
	}
	return n
}

func (r namedUpdate) request(ctx context.Context) *registrar.ProviderUpdate {
	asked := r.providerUpdate.request(ctx)
	asked.Extensions = registrar.ExtensionRequest{Names: r.Names.replacement()}
	return asked
}

// request replaces the settings. It replaces the encryption key only if the request has one, since
// eSignet's PUT has no such member.
func (r configuredUpdate) request(ctx context.Context) *registrar.ProviderUpdate {
	asked := r.providerUpdate.request(ctx)
	asked.FewClaims = true
	asked.Extensions = registrar.ExtensionRequest{Names: r.Names.replacement(), Config: r.Config, EncKey: r.EncKey.replacement()}
	if asked.Extensions.Config == nil {
		asked.Extensions.Config = json.RawMessage("null")
	}
	return asked
}

type clientPatch struct {
	ClientName   *text `json:"clientName,omitempty" doc:"Display name."`
	LogoURI      *text `json:"logoUri,omitempty" doc:"Logo of the client, an https URL."`
	RedirectURIs texts `json:"redirectUris,omitempty" doc:"Redirect URIs."`
	UserClaims   texts `json:"userClaims,omitempty" doc:"Claims that the client may request."`
	ACRs         texts `json:"authContextRefs,omitempty" doc:"Authentication context classes that the client may request."`
	GrantTypes   texts `json:"grantTypes,omitempty" doc:"OAuth grant types that the client uses."`
	AuthMethods  texts `json:"clientAuthMethods,omitempty" doc:"Authentication methods at the token endpoint."`
	Status       *text `json:"status,omitempty" doc:"ACTIVE or INACTIVE"`
	Names        names `json:"clientNameLangMap,omitempty" doc:"Names in other languages, instead of those that there are."`
	configuration
	fixedMembers
}

// request sets the members that are present. Null counts as absent, except for encPublicKey, which
// it removes.
func (r clientPatch) request(ctx context.Context) *registrar.ProviderPatch {
	asked := registrar.Patch{
		Name: (*string)(r.ClientName), LogoURI: (*string)(r.LogoURI), RedirectURIs: r.RedirectURIs.replacement(), UserClaims: r.UserClaims.replacement(),
		ACRs: r.ACRs.replacement(), GrantTypes: r.GrantTypes.replacement(), AuthMethods: r.AuthMethods.replacement(),
		Status: (*registrar.ClientStatus)(r.Status), Ignored: ignoredMembers(ctx),
	}
	extensions := registrar.ExtensionRequest{Names: r.Names, Config: r.Config.replacement(), EncKey: r.EncKey}
	return &registrar.ProviderPatch{Patch: asked, Fixed: r.fixed(), Extensions: extensions}
}

func (h esignetHandlers) patchConfiguredClient(ctx context.Context, in *clientBodyInput[providerBody[clientPatch]]) (clientStatus, error) {
	r := in.Body.Request
	client, err := h.registrar.Clients.PatchProviderClient(ctx, callerOf(ctx), in.ClientID, in.Body.time(registrar.NoRequestTime), convertRequest(ctx, r))
	return statusOf(client), withTypeErrors(err, r)
}

func (h esignetHandlers) getConfiguredClient(ctx context.Context, in *ClientPath) (clientStatus, error) {
	client, err := h.registrar.Clients.GetProviderClient(ctx, in.ClientID)
	return statusOf(client), err
}

// replacement returns the list as a replacement. A value of another type becomes an empty list.
func (t texts) replacement() []string {
	if t.other {
		return []string{}
	}
	return t.list
}

// replacement returns the object as a replacement, or nil for null.
func (o object) replacement() []byte {
	if string(o) == "null" {
		return nil
	}
	return o
}
