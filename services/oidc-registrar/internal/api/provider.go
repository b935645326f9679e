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

type providerRegistration struct {
	ClientID       text   `json:"clientId"`
	ClientName     text   `json:"clientName"`
	PublicKey      object `json:"publicKey" doc:"JSON Web Key with the public members only"`
	RelyingPartyID text   `json:"relyingPartyId"`
	UserClaims     texts  `json:"userClaims"`
	ACRs           texts  `json:"authContextRefs"`
	LogoURI        text   `json:"logoUri"`
	RedirectURIs   texts  `json:"redirectUris"`
	GrantTypes     texts  `json:"grantTypes"`
	AuthMethods    texts  `json:"clientAuthMethods"`
}

type registerProviderClientInput struct {
	Body providerBody[providerRegistration]
}

func (a *API) registerProviderClient(ctx context.Context, in *registerProviderClientInput) (clientStatus, error) {
	r, at := in.Body.Request, string(in.Body.RequestTime)
	if r == nil {
		_, err := a.registrar.RegisterProviderClient(ctx, callerOf(ctx), at, nil)
		return clientStatus{}, err
	}
	client, err := a.registrar.RegisterProviderClient(ctx, callerOf(ctx), at, &registrar.ProviderRequest{
		ClientID: string(r.ClientID), ClientName: string(r.ClientName), PublicKey: r.PublicKey, RelyingPartyID: string(r.RelyingPartyID),
		UserClaims: r.UserClaims.list, ACRs: r.ACRs.list, LogoURI: string(r.LogoURI), RedirectURIs: r.RedirectURIs.list,
		GrantTypes: r.GrantTypes.list, AuthMethods: r.AuthMethods.list,
	})
	return statusOf(client), retyped(err, r)
}

type providerUpdate struct {
	ClientName   text  `json:"clientName"`
	LogoURI      text  `json:"logoUri"`
	RedirectURIs texts `json:"redirectUris"`
	UserClaims   texts `json:"userClaims"`
	ACRs         texts `json:"authContextRefs"`
	GrantTypes   texts `json:"grantTypes"`
	AuthMethods  texts `json:"clientAuthMethods"`
	Status       text  `json:"status" doc:"ACTIVE or INACTIVE"`
}

type updateProviderClientInput struct {
	ClientID string `path:"client_id"`
	Body     providerBody[providerUpdate]
}

func (a *API) updateProviderClient(ctx context.Context, in *updateProviderClientInput) (clientStatus, error) {
	r, at := in.Body.Request, string(in.Body.RequestTime)
	if r == nil {
		_, err := a.registrar.UpdateProviderClient(ctx, callerOf(ctx), in.ClientID, at, nil)
		return clientStatus{}, err
	}
	client, err := a.registrar.UpdateProviderClient(ctx, callerOf(ctx), in.ClientID, at, &registrar.ProviderUpdate{
		ClientName: string(r.ClientName), UserClaims: r.UserClaims.list, ACRs: r.ACRs.list, LogoURI: string(r.LogoURI),
		RedirectURIs: r.RedirectURIs.list, GrantTypes: r.GrantTypes.list, AuthMethods: r.AuthMethods.list, Status: string(r.Status),
	})
	return statusOf(client), retyped(err, r)
}

// providerClientView is what an identity provider needs to serve a client.
type providerClientView struct {
	ClientID       string           `json:"clientId"`
	ClientName     string           `json:"clientName"`
	RelyingPartyID string           `json:"relyingPartyId"`
	UserClaims     []string         `json:"userClaims"`
	ACRs           []string         `json:"authContextRefs"`
	PublicKey      object           `json:"publicKey" doc:"JSON Web Key"`
	Keys           object           `json:"jwks" doc:"The same key as a JWK Set"`
	LogoURI        string           `json:"logoUri"`
	RedirectURIs   []string         `json:"redirectUris"`
	GrantTypes     []string         `json:"grantTypes"`
	AuthMethods    []string         `json:"clientAuthMethods"`
	Status         registrar.Status `json:"status" enum:"ACTIVE,INACTIVE,PENDING,FAILED" doc:"Serve the client only if it is ACTIVE"`
}

func (a *API) getProviderClient(ctx context.Context, in *clientInput) (providerClientView, error) {
	c, err := a.registrar.ProviderClient(ctx, in.ClientID)
	return providerClientView{
		ClientID: c.ID, ClientName: c.Name, RelyingPartyID: c.PartnerID, UserClaims: c.UserClaims, ACRs: c.ACRs,
		PublicKey: object(c.Key.JWK), Keys: object(c.Key.Set()), LogoURI: c.LogoURI, RedirectURIs: c.RedirectURIs,
		GrantTypes: c.GrantTypes, AuthMethods: c.AuthMethods, Status: c.Status,
	}, err
}

type keysInput struct {
	ClientID    string `path:"client_id"`
	IfNoneMatch string `header:"If-None-Match"`
}

// keysReply is a JWK Set without an envelope.
type keysReply struct {
	Status       int
	ETag         string `header:"ETag"`
	CacheControl string `header:"Cache-Control"`
	Body         json.RawMessage
}

// handleKeys serves the one resource that is not for callers of this service but
// for any OpenID Connect software: it follows HTTP, and an unknown client is 404.
func (a *API) handleKeys(op operation) {
	set := &huma.Schema{Type: huma.TypeObject, Required: []string{"keys"}, Properties: map[string]*huma.Schema{
		"keys": {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}},
	}}
	doc := a.describe(op, set)
	failure := doc.Responses["500"].Content
	doc.Responses["200"] = &huma.Response{Description: "JWK Set (RFC 7517)", Content: map[string]*huma.MediaType{"application/json": {Schema: set}}}
	doc.Responses["304"] = &huma.Response{Description: "Not Modified"}
	doc.Responses["404"] = &huma.Response{Description: "Not Found", Content: failure}
	huma.Register(a.API, doc, a.getClientKeys)
	a.forget422(op)
}

func (a *API) getClientKeys(ctx context.Context, in *keysInput) (*keysReply, error) {
	client, err := a.registrar.ProviderClient(ctx, in.ClientID)
	if errors.Is(err, registrar.ClientNotFound) {
		c := codes[registrar.ClientNotFound]
		message := "no client " + in.ClientID
		return nil, web.Refuse(http.StatusNotFound, a.body(providerDoor, problem{c.partner, c.provider, message, message}), nil)
	}
	if err != nil {
		return nil, a.fail(providerDoor, err)
	}
	set := client.Key.Set()
	sum := sha256.Sum256([]byte(set))
	out := &keysReply{Status: http.StatusOK, ETag: `"` + base64.RawURLEncoding.EncodeToString(sum[:]) + `"`, CacheControl: "public, max-age=300", Body: json.RawMessage(set)}
	for tag := range strings.SplitSeq(in.IfNoneMatch, ",") { // RFC 9110 §13.1.2: weak comparison
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag == out.ETag || tag == "*" {
			out.Status = http.StatusNotModified
		}
	}
	return out, nil
}
