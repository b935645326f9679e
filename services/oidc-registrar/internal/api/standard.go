package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/register"
)

// The standard door: OAuth 2.0 Dynamic Client Registration (RFC 7591) and its management
// (RFC 7592), for the clients of one partner under one policy, which an initial access
// token names. It has no envelope. Its tokens are not those of the issuer.
func (a *API) addStandard() {
	const path = "/v1/registrar/register"
	handle(a, operation{"issueInitialAccessToken", post, "/v1/registrar/admin/initial-access-tokens", admins, 200, nil, "Issue a token that registers clients of a partner under a policy"}, a.issueInitialToken)
	information := a.standardSchemas()
	handleStandard(a, operation{"registerStandardClient", post, path, open, 201, nil, "Register a client (RFC 7591)"}, information, a.registerStandardClient)
	handleStandard(a, operation{"getStandardClient", get, path + "/{client_id}", open, 200, nil, "Read a client (RFC 7592)"}, information, a.getStandardClient)
	handleStandard(a, operation{"updateStandardClient", put, path + "/{client_id}", open, 200, nil, "Change a client (RFC 7592)"}, information, a.updateStandardClient)
	handleStandard(a, operation{"deleteStandardClient", del, path + "/{client_id}", open, 204, nil, "Switch a client off for good (RFC 7592)"}, nil, a.deleteStandardClient)
}

// standardFailure is the answer to a call that was not done (RFC 7591 §3.2.2).
type standardFailure struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// standardSchemas adds those of this door, and returns that of a client.
func (a *API) standardSchemas() *huma.Schema {
	schemas := a.API.OpenAPI().Components.Schemas.Map()
	text := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Description: doc} }
	failure := &huma.Schema{Type: huma.TypeObject, Required: []string{"error", "error_description"}, Properties: map[string]*huma.Schema{
		"error": text("invalid_redirect_uri, invalid_client_metadata, invalid_token or temporarily_unavailable"), "error_description": text("Text for people; may change"),
	}}
	client := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Required: []string{"client_id"}, Properties: map[string]*huma.Schema{
		"client_id":                 text("Identifier of the client at the identity provider."),
		"registration_client_uri":   text("Where the client is managed."),
		"registration_access_token": text("Token to manage the client with; told at the registration only."),
	}}
	failure.PrecomputeMessages()
	client.PrecomputeMessages()
	schemas["RegistrationFailure"], schemas["RegisteredClient"] = failure, client
	return &huma.Schema{Ref: "#/components/schemas/RegisteredClient"}
}

// handleStandard registers an operation of this door, whose outcomes have statuses.
func handleStandard[I, O any](a *API, op operation, success *huma.Schema, fn func(context.Context, *I) (*O, error)) {
	web.Register(a.Server, web.Operation(op), success, fn, func(documented *huma.Operation) {
		documented.SkipValidateBody = true
		for status, when := range map[string]string{"400": "Refused", "401": "The token is not valid", "429": "Too many registrations of the partner", "503": "The identity provider could not be reached, and nothing is left behind"} {
			documented.Responses[status] = &huma.Response{Description: when, Content: web.JSON(failureSchema(op.Path))}
		}
		if success == nil {
			documented.Responses["204"].Content = nil
		}
	})
}

// refuseStandard answers in the form of this door. What is refused with 200 elsewhere is
// 400 here.
func refuseStandard(status int, headers http.Header, reason error, message string) error {
	code := "invalid_client_metadata"
	switch {
	case status == http.StatusUnauthorized:
		code = "invalid_token"
	case status >= 500 || status == http.StatusTooManyRequests:
		code = "temporarily_unavailable"
	case errors.Is(reason, registrar.InvalidRedirectURI), errors.Is(reason, registrar.WrongRedirectCount):
		code = "invalid_redirect_uri"
	}
	if status == http.StatusOK || status == http.StatusForbidden {
		status = http.StatusBadRequest
	}
	return web.Refuse(status, code, standardFailure{code, message}, headers)
}

type initialTokenRequest struct {
	PartnerID text `json:"authPartnerId" doc:"Partner whose clients are registered."`
	PolicyID  text `json:"policyId" doc:"Policy that says which claims and authentication contexts they get."`
	Uses      *int `json:"uses,omitempty" doc:"Clients that may be registered, 1 to 1000; 1 if absent."`
	ExpiresIn *int `json:"expiresIn,omitempty" doc:"Seconds until the token expires, up to 90 days; a day if absent."`
}

type initialTokenView struct {
	ID        string        `json:"tokenId" doc:"Names the token in events, as the actor initial access token:ID."`
	Token     string        `json:"token" doc:"The token, which is told once."`
	PartnerID string        `json:"authPartnerId" doc:"Partner whose clients are registered."`
	PolicyID  string        `json:"policyId" doc:"Policy of the clients."`
	Uses      int           `json:"uses" doc:"Clients that may be registered."`
	ExpiresAt envelope.Time `json:"expiresAt" doc:"When it expires."`
}

func (a *API) issueInitialToken(ctx context.Context, in *bodyInput[partnerBody[initialTokenRequest]]) (initialTokenView, error) {
	r := in.Body.Request
	if r == nil {
		return initialTokenView{}, errNoRequest()
	}
	uses, seconds := 1, 24*60*60
	if r.Uses != nil {
		uses = *r.Uses
	}
	if r.ExpiresIn != nil {
		seconds = min(max(*r.ExpiresIn, 0), 1<<30)
	}
	token, t, err := a.registrar.IssueInitialToken(ctx, callerOf(ctx), registrar.InitialToken{
		PartnerID: string(r.PartnerID), PolicyID: string(r.PolicyID), Uses: uses,
	}, time.Duration(seconds)*time.Second)
	return initialTokenView{t.ID, token, t.PartnerID, t.PolicyID, t.Uses, envelope.Time(t.ExpiresAt)}, retyped(err, r)
}

// TokenHeader is the token of a call to this door. It is exported as Paging is.
type TokenHeader struct {
	Authorization string `header:"Authorization" doc:"Bearer and the token."`

	host string
}

// Resolve keeps the host that was called.
func (h *TokenHeader) Resolve(ctx huma.Context) []error {
	h.host = ctx.Host()
	return nil
}

// token returns the token of the header; empty when there is none.
func (h TokenHeader) token() string {
	scheme, token, _ := strings.Cut(h.Authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

type registerStandardInput struct {
	TokenHeader
	Body object
}

type standardReply struct {
	Status       int
	CacheControl string `header:"Cache-Control"`
	Body         json.RawMessage
}

// registerStandardClient answers 201 with the id that the identity provider knows, or
// leaves nothing behind.
func (a *API) registerStandardClient(ctx context.Context, in *registerStandardInput) (*standardReply, error) {
	t, err := a.registrar.InitialToken(ctx, in.token())
	if err != nil {
		return nil, err
	}
	if err := a.limitRegistration(register.Caller{}, t.PartnerID); err != nil {
		return nil, err
	}
	m, err := readMetadata(in.Body)
	if err != nil {
		return nil, err
	}
	key, err := m.key()
	if err != nil {
		return nil, err
	}
	client, access, err := a.registrar.RegisterByToken(ctx, in.token(), t, &registrar.PartnerRequest{
		Name: m.Name, PublicKey: key, LogoURI: m.LogoURI, RedirectURIs: m.RedirectURIs,
		GrantTypes: m.GrantTypes, AuthMethods: []string{m.AuthMethod}, Extensions: m.extensions,
	})
	if err != nil {
		return nil, m.inTheirNames(err)
	}
	return a.standardReply(http.StatusCreated, in.TokenHeader, client, access)
}

type standardInput struct {
	TokenHeader
	ClientPath
}

func (a *API) getStandardClient(ctx context.Context, in *standardInput) (*standardReply, error) {
	client, err := a.registrar.ClientByToken(ctx, in.token(), in.ClientID)
	if err != nil {
		return nil, err
	}
	return a.standardReply(http.StatusOK, in.TokenHeader, client, in.token())
}

type updateStandardInput struct {
	TokenHeader
	ClientPath
	Body object
}

// updateStandardClient replaces the metadata, and the keys if there are any: with a second
// one both hold, until an update has one alone.
func (a *API) updateStandardClient(ctx context.Context, in *updateStandardInput) (*standardReply, error) {
	before, err := a.registrar.ClientByToken(ctx, in.token(), in.ClientID)
	if err != nil {
		return nil, err
	}
	m, err := readMetadata(in.Body)
	switch {
	case err != nil:
		return nil, err
	case m.ClientID == "" || m.ClientID != before.ID && m.ClientID != before.ProviderClientID:
		return nil, badMetadata("client_id", "must be that of the client")
	case m.keys != nil && m.extensions.EncKey == nil && before.Extensions.EncKey != "":
		return nil, badMetadata("jwks", "must have a key to encrypt with, which the client has: it is replaced, and not removed")
	}
	client, err := a.registrar.UpdateByToken(ctx, in.token(), in.ClientID, &registrar.PartnerUpdate{
		ClientName: m.Name, LogoURI: cmp.Or(m.LogoURI, before.LogoURI), RedirectURIs: m.RedirectURIs, GrantTypes: m.GrantTypes,
		AuthMethods: []string{m.AuthMethod}, Extensions: m.extensions,
	}, m.keys)
	if err != nil {
		return nil, m.inTheirNames(err)
	}
	return a.standardReply(http.StatusOK, in.TokenHeader, client, in.token())
}

func (a *API) deleteStandardClient(ctx context.Context, in *standardInput) (*struct{}, error) {
	return nil, a.registrar.DeregisterByToken(ctx, in.token(), in.ClientID)
}

// standardReply shows a client with the metadata that it has, and the token that manages it; empty if the answer
// repeats an earlier one, which had it.
func (a *API) standardReply(status int, h TokenHeader, c registrar.Client, access string) (*standardReply, error) {
	members := map[string]any{
		"client_id": cmp.Or(c.ProviderClientID, c.ID), "client_id_issued_at": c.CreatedAt.Unix(),
		"client_name": c.Name, "logo_uri": c.LogoURI, "redirect_uris": c.RedirectURIs, "grant_types": c.GrantTypes, "response_types": []string{"code"},
		"token_endpoint_auth_method": c.AuthMethods[0], "jwks": json.RawMessage(c.WholeKeySet()), "default_acr_values": c.ACRs, "claims": c.UserClaims,
	}
	if access != "" {
		members["registration_access_token"], members["registration_client_uri"] = access, a.standardURL(h, c)
	}
	for code, name := range c.Extensions.Names {
		members["client_name#"+registrar.LanguageTag(code)] = name
	}
	var config map[string]any
	if c.Extensions.Config != "" && json.Unmarshal([]byte(c.Extensions.Config), &config) != nil {
		return nil, errors.New("the settings of client " + c.ID + " cannot be read")
	}
	for _, name := range standardSettings {
		if value, ok := config[name]; ok {
			members[name] = value
		}
	}
	body, err := json.Marshal(members)
	return &standardReply{status, "no-store", body}, err
}

// standardURL is where a client is managed, at the address that the caller has used unless
// there is a setting.
func (a *API) standardURL(h TokenHeader, c registrar.Client) string {
	base := strings.TrimSuffix(a.PublicURL, "/")
	if base == "" {
		base = "https://" + h.host
		if a.Development {
			base = "http://" + h.host
		}
	}
	id := cmp.Or(c.ProviderClientID, c.ID)
	if strings.ContainsAny(id, `/\`) { // no segment of a path
		id = c.ID
	}
	return base + "/v1/registrar/register/" + url.PathEscape(id)
}

// standardSettings are the members that stand for settings of additionalConfig.
var standardSettings = []string{"require_pushed_authorization_requests", "dpop_bound_access_tokens"}

// metadata is what this door reads of a client's metadata (RFC 7591 §2). Other members are
// ignored, as the standard asks for.
type metadata struct {
	ClientID      string          `json:"client_id"`
	Name          string          `json:"client_name"`
	LogoURI       string          `json:"logo_uri"`
	RedirectURIs  []string        `json:"redirect_uris"`
	GrantTypes    []string        `json:"grant_types"`
	ResponseTypes []string        `json:"response_types"`
	AuthMethod    string          `json:"token_endpoint_auth_method"`
	JWKS          json.RawMessage `json:"jwks"`
	JWKSURI       string          `json:"jwks_uri"`
	Statement     string          `json:"software_statement"`

	keys       [][]byte // to sign with; nil without jwks
	extensions registrar.ExtensionRequest
}

func badMetadata(member, message string) error {
	return registrar.Invalid{{Field: member, Reason: registrar.InvalidRequest, Message: message}}
}

// readMetadata reads a client's metadata, with the defaults of this door.
func readMetadata(body []byte) (metadata, error) {
	var m metadata
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil || members == nil {
		return m, badMetadata("body", "must be an object")
	}
	if err := json.Unmarshal(body, &m); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return m, badMetadata(wrong.Field, "has a value of another type")
		}
		return m, badMetadata("body", "cannot be read")
	}
	switch {
	case m.JWKSURI != "":
		return m, badMetadata("jwks_uri", "is not fetched; give jwks")
	case m.Statement != "":
		return m, badMetadata("software_statement", "is not supported")
	case m.ResponseTypes != nil && !slices.Equal(m.ResponseTypes, []string{"code"}):
		return m, badMetadata("response_types", "must be code alone")
	}
	m.AuthMethod = cmp.Or(m.AuthMethod, "private_key_jwt")
	if m.GrantTypes == nil {
		m.GrantTypes = []string{"authorization_code"}
	}
	if err := m.readKeys(); err != nil {
		return m, err
	}
	return m, m.readExtensions(members)
}

// readKeys takes the keys to sign with, and the one to encrypt with if there is one.
func (m *metadata) readKeys() error {
	if m.JWKS == nil {
		return nil
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(m.JWKS, &set) != nil {
		return badMetadata("jwks", "must be a JWK Set")
	}
	m.keys = [][]byte{}
	for _, key := range set.Keys {
		var use struct {
			Use string `json:"use"`
		}
		switch {
		case json.Unmarshal(key, &use) != nil || use.Use != "enc":
			m.keys = append(m.keys, key)
		case m.extensions.EncKey == nil:
			m.extensions.EncKey = key
		default:
			return badMetadata("jwks", "must have at most one key to encrypt with")
		}
	}
	if len(m.keys) > 2 {
		return badMetadata("jwks", "must have at most two keys to sign with")
	}
	return nil
}

// key is the one to sign with of a client that is registered; nil if there is none.
func (m metadata) key() ([]byte, error) {
	switch len(m.keys) {
	case 0:
		return nil, nil
	case 1:
		return m.keys[0], nil
	}
	return nil, badMetadata("jwks", "must have one key to sign with; a second one is added by an update")
}

// readExtensions takes names in other languages and the settings that there are members
// for.
func (m *metadata) readExtensions(members map[string]json.RawMessage) error {
	m.extensions.Names = map[string]string{}
	for member, value := range members {
		tag, named := strings.CutPrefix(member, "client_name#")
		if !named {
			continue
		}
		var name string
		code := registrar.LanguageCode(tag)
		if code == "" || json.Unmarshal(value, &name) != nil {
			return badMetadata("client_name#", "must be a name by the tag of a language alone")
		}
		m.extensions.Names[code] = name
	}
	config := map[string]json.RawMessage{}
	for _, name := range standardSettings {
		if value, given := members[name]; given && !bytes.Equal(value, []byte("null")) {
			config[name] = value
		}
	}
	var err error
	if m.extensions.Config, err = json.Marshal(config); err != nil {
		return err
	}
	for member := range members {
		if strings.HasPrefix(member, "userinfo_") {
			return badMetadata(member, "is not supported here")
		}
	}
	return nil
}

// memberNames are what the fields of partner management are called here.
var memberNames = map[string]string{
	"name": "client_name", "clientName": "client_name", "publicKey": "jwks", "logoUri": "logo_uri", "redirectUris": "redirect_uris",
	"grantTypes": "grant_types", "clientAuthMethods": "token_endpoint_auth_method", "clientNameLangMap": "client_name#", "encPublicKey": "jwks",
}

// inTheirNames puts a refusal into the names of this door.
func (m metadata) inTheirNames(err error) error {
	problems, ok := errors.AsType[registrar.Invalid](err)
	if !ok {
		return err
	}
	problems = slices.Clone(problems)
	for i, p := range problems {
		name, index, _ := strings.Cut(p.Field, "[")
		problems[i].Field = cmp.Or(memberNames[name], strings.TrimPrefix(name, "additionalConfig."))
		if index != "" && name == "redirectUris" {
			problems[i].Field += "[" + index
		}
	}
	return problems
}
