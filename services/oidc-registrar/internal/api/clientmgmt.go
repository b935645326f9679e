package api

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// mountProvider registers the operations of the client management of the identity provider.
func (a *API) mountProvider() {
	const path = "/v1/idp/client-mgmt/oidc-client"
	const base = "/v1/esignet/client-mgmt/"
	read := a.requireScope(getScope)
	handle(a, operation{"getProviderClient", get, path + "/{client_id}", read, 200, nil,
		"Read a client as an identity provider needs it"}, a.getProviderClient)
	a.handleKeys(operation{"getClientKeys", get, path + "/{client_id}/jwks", open, 200, nil,
		"Read a client's key as a JWK Set"})
	handle(a, operation{"getEsignetClient", get, base + "oidc-client/{client_id}", read, 200, nil,
		"Read a client as an identity provider needs it (eSignet 1.0)"}, a.getProviderClient)
	a.handleKeys(operation{"getEsignetClientKeys", get, base + "oidc-client/{client_id}/jwks", open, 200, nil,
		"Read a client's key as a JWK Set (eSignet 1.0)"})
	handle(a, operation{"getConfiguredClient", get, base + "client/{client_id}", read, 200, nil,
		"Read id and status of a client (eSignet 2.0)"}, a.getConfiguredClient)
}

// providerClientView is the configuration of a client for an identity provider.
type providerClientView struct {
	ClientID       string   `json:"clientId" doc:"Identifier of the client."`
	ClientName     string   `json:"clientName" doc:"Display name."`
	RelyingPartyID string   `json:"relyingPartyId" doc:"Relying party that owns the client."`
	UserClaims     []string `json:"userClaims" doc:"Claims that the client may request."`
	ACRs           []string `json:"authContextRefs" doc:"Authentication context classes that the client may request."`
	PublicKey      object   `json:"publicKey,omitempty" doc:"JSON Web Key, the newest; absent for a public client."`
	Keys           object   `json:"jwks" doc:"Keys as a JWK Set, including the former key until its removal."`
	registrar.SharedMembers
	Status registrar.ClientStatus `json:"status" doc:"Serve the client only if it is ACTIVE"`

	ProviderClientID string `json:"providerClientId,omitempty" doc:"Identifier that the identity provider assigned; absent if it is clientId."`
	OutcomeUnknown   bool   `json:"doubtful,omitempty" doc:"The outcome of a call to the identity provider is unknown. A PARTNER_ADMIN confirms or drops the client."`
	extensionsView
}

func (a *API) getProviderClient(ctx context.Context, in *ClientPath) (providerClientView, error) {
	c, err := a.registrar.Clients.GetProviderClient(ctx, in.ClientID)
	return providerClientView{
		ClientID: c.ID, ClientName: c.Name, RelyingPartyID: c.PartnerID, UserClaims: c.UserClaims, ACRs: c.ACRs,
		PublicKey: object(c.Key.JWK), Keys: object(c.KeySet()), SharedMembers: c.Shared(), Status: c.Status,
		ProviderClientID: c.ProviderClientID, OutcomeUnknown: c.OutcomeUnknown, extensionsView: viewExtensions(c.Extensions),
	}, err
}

func (a *API) getConfiguredClient(ctx context.Context, in *ClientPath) (clientStatus, error) {
	client, err := a.registrar.Clients.GetProviderClient(ctx, in.ClientID)
	return statusOf(client), err
}

type keysInput struct {
	ClientPath
	IfNoneMatch string `header:"If-None-Match" doc:"ETag of an earlier answer; 304 when the keys have not changed."`
}

// keysReply is a JWK Set without an envelope.
type keysReply struct {
	Status       int
	ETag         string `header:"ETag"`
	CacheControl string `header:"Cache-Control"`
	Body         json.RawMessage
}

// handleKeys serves the resource for OpenID Connect software other than callers of this service. It
// follows HTTP, so an unknown client is 404.
func (a *API) handleKeys(op operation) {
	set := &huma.Schema{Type: huma.TypeObject, Required: []string{"keys"}, Properties: map[string]*huma.Schema{
		"keys": {Type: huma.TypeArray, Description: "The keys of the client", Items: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}},
	}}
	web.Register(a.Server, web.Operation(op), set, a.getClientKeys, func(documented *huma.Operation) {
		documented.Responses["200"].Description = "JWK Set (RFC 7517)"
		documented.Responses["304"] = &huma.Response{Description: "Not Modified"}
		documented.Responses["404"] = &huma.Response{Description: "Not Found", Content: web.JSON(failureSchema(op.Path))}
	})
}

func (a *API) getClientKeys(ctx context.Context, in *keysInput) (*keysReply, error) {
	var client registrar.Client
	err := error(registrar.ClientNotFound)
	if registrar.PossibleID(in.ClientID) {
		client, err = a.registrar.Clients.GetProviderClient(ctx, in.ClientID)
	}
	if errors.Is(err, registrar.ClientNotFound) {
		code, _ := codeOf(clientMgmtAPI, registrar.ClientNotFound)
		return nil, a.refuse(ctx, http.StatusNotFound, clientMgmtAPI, nil, registrar.ClientNotFound,
			problem{code, "there is no such client"})
	}
	if err != nil {
		return nil, err
	}
	set := client.KeySet()
	sum := sha256.Sum256([]byte(set))
	out := &keysReply{
		Status:       http.StatusOK,
		ETag:         `"` + base64.RawURLEncoding.EncodeToString(sum[:]) + `"`,
		CacheControl: "public, max-age=300",
		Body:         json.RawMessage(set),
	}
	for tag := range strings.SplitSeq(in.IfNoneMatch, ",") { // RFC 9110 §13.1.2: weak comparison
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag == out.ETag || tag == "*" {
			out.Status = http.StatusNotModified
		}
	}
	return out, nil
}
