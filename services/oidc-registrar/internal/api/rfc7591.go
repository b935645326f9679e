package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
)

// mountStandard registers the operations of OAuth 2.0 Dynamic Client Registration (RFC 7591) and its management
// (RFC 7592). An initial access token names the partner and the policy of its clients. The interface has no envelope.
// Its tokens are not those of the issuer.
func (a *API) mountStandard() {
	const path, initial = "/v1/registrar/register", "/v1/registrar/admin/initial-access-tokens"
	handle(a, operation{"issueInitialAccessToken", post, initial, admins, 200, nil,
		"Issue a token that registers clients of a partner under a policy"}, a.issueInitialToken)
	handle(a, operation{"listInitialAccessTokens", get, initial, admins, 200, nil,
		"List initial access tokens, the last to expire first"}, a.listInitialTokens)
	handle(a, operation{"revokeInitialAccessToken", del, initial + "/{tokenId}", admins, 200, nil,
		"Revoke an initial access token"}, a.revokeInitialToken)
	information := a.standardSchemas()
	handleStandard(a, operation{"registerStandardClient", post, path, open, 201, nil,
		"Register a client (RFC 7591)"}, "ClientMetadata", information, a.registerStandardClient)
	handleStandard(a, operation{"getStandardClient", get, path + "/{client_id}", open, 200, nil,
		"Read a client (RFC 7592)"}, "", information, a.getStandardClient)
	handleStandard(a, operation{"updateStandardClient", put, path + "/{client_id}", open, 200, nil,
		"Update a client (RFC 7592)"}, "ClientMetadataUpdate", information, a.updateStandardClient)
	handleStandard(a, operation{"deleteStandardClient", del, path + "/{client_id}", open, 204, nil,
		"Deactivate a client permanently (RFC 7592)"}, "", nil, a.deleteStandardClient)
}

// standardFailure is an error response (RFC 7591 §3.2.2).
type standardFailure struct {
	Error       string `json:"error,omitempty"`
	Description string `json:"error_description"`
}

// standardSchemas adds the schemas of this interface and returns that of a client.
func (a *API) standardSchemas() *huma.Schema {
	schemas := a.Server.API.OpenAPI().Components.Schemas.Map()
	add := func(name string, members map[string]*huma.Schema, required ...string) {
		schema := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Required: required, Properties: members}
		schema.PrecomputeMessages()
		schemas[name] = schema
	}
	failure := &huma.Schema{Type: huma.TypeObject, Required: []string{"error_description"}, Properties: map[string]*huma.Schema{
		"error": textSchema("invalid_redirect_uri, invalid_client_metadata, invalid_token or temporarily_unavailable; " +
			"absent from the reply to a call without a token"),
		"error_description": textSchema("Text for people; may change"),
	}}
	failure.PrecomputeMessages()
	schemas["RegistrationFailure"] = failure
	add("ClientMetadata", metadataMembers(), "redirect_uris")
	client := metadataMembers()
	client["client_id"] = textSchema("Identifier of the client at the identity provider.")
	client["client_id_issued_at"] = &huma.Schema{Type: huma.TypeInteger, Description: "When the client was registered, in seconds since 1970."}
	client["status"] = textSchema("Status of the client: PENDING until it is approved, FAILED if it is not.")
	client["approval"] = &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true, Description: "Approval of a PENDING or FAILED client.",
		Properties: map[string]*huma.Schema{
			"state": textSchema("State of the approval."), "since": textSchema("Time of the request."),
			"comment": textSchema("Reason given by the approver."),
		},
	}
	client["user_claims"] = listSchema("Claims that the policy gives the client.")
	client["registration_client_uri"] = textSchema(
		"Where the client is managed; absent from the answer to a repeated registration.")
	client["registration_access_token"] = textSchema(
		"Token to manage the client with. It is issued once: the answer to a repeated registration has none.")
	add("RegisteredClient", client, "client_id", "redirect_uris")
	add("ClientMetadataUpdate", client, "client_id", "redirect_uris") // the body of a reply is accepted
	return schemaRef("RegisteredClient")
}

func schemaRef(name string) *huma.Schema { return &huma.Schema{Ref: "#/components/schemas/" + name} }

// metadataMembers returns the schemas of the supported members of client metadata.
func metadataMembers() map[string]*huma.Schema {
	flag := func(doc string) *huma.Schema { return &huma.Schema{Type: huma.TypeBoolean, Description: doc} }
	keys := &huma.Schema{Type: huma.TypeArray,
		Description: "1 to 5 keys to sign with, each with its own kid, and at most one with use enc.",
		Items:       &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}}
	return map[string]*huma.Schema{
		"client_name":   textSchema("Display name, also by language as client_name#fr; the client id if absent."),
		"logo_uri":      textSchema("Logo of the client, an https URL; that of the partner if absent."),
		"redirect_uris": listSchema("Redirect URIs, 1 to 10."),
		"grant_types": listSchema(
			"OAuth grant types; those that are supported are granted. authorization_code if absent."),
		"response_types": listSchema("code; others are left out."),
		"token_endpoint_auth_method": textSchema(
			"private_key_jwt, which holds with jwks if absent, or none for a public client, which its policy must permit."),
		"token_endpoint_auth_signing_alg": textSchema(
			"Algorithm that the client signs with, which fits its key; never none nor one with a shared secret."),
		"jwks": {Type: huma.TypeObject,
			Description: "JWK Set with the public keys of the client (RFC 7517).", Required: []string{"keys"},
			Properties: map[string]*huma.Schema{"keys": keys}},
		"scope": textSchema("Replaced by the scopes that the policy grants."),
		"application_type": textSchema(
			"Replaced: native with a redirect URI that is not https, else web."),
		"default_acr_values": listSchema(
			"Authentication context classes of the policy. Returned to a request that has them."),
		"require_pushed_authorization_requests": flag("RFC 9126."),
		"dpop_bound_access_tokens":              flag("RFC 9449."),
		userinfoAlg:                             textSchema("RS256: the userinfo endpoint returns a signed JWT."),
		"client_uri":                            textSchema("Page about the client, an https URL."),
		"tos_uri":                               textSchema("Terms of service, an https URL."),
		"policy_uri":                            textSchema("Privacy policy, an https URL."),
		"contacts":                              listSchema("E-mail addresses, at most 10."),
		"post_logout_redirect_uris":             listSchema("Redirect URIs after a logout, at most 10."),
		"default_max_age":                       {Type: huma.TypeInteger, Description: "Seconds since the sign-in after which a user signs in again."},
		"software_id":                           textSchema("Identifier of the software; stored."),
		"software_version":                      textSchema("Version of the software; stored."),
	}
}

// handleStandard registers an operation of this interface, where each outcome has its own status.
// body names the schema of its request, if any.
func handleStandard[I, O any](a *API, op operation, body string, success *huma.Schema, fn func(context.Context, *I) (*O, error)) {
	web.Register(a.Server, web.Operation(op), success, fn, func(documented *huma.Operation) {
		documented.SkipValidateBody = true
		for status, when := range map[string]string{"400": "Refused", "401": "The token is not valid",
			"429": "Too many registrations of the partner",
			"503": "The identity provider could not be reached, and nothing is left behind"} {
			documented.Responses[status] = &huma.Response{Description: when, Content: web.JSON(failureSchema(op.Path))}
		}
		if success == nil {
			documented.Responses["204"].Content = nil
		}
		if body != "" {
			documented.RequestBody.Content["application/json"].Schema = schemaRef(body)
		}
	})
}

// refuseStandard answers in the form of this interface, with every problem. A refusal with 200 elsewhere is 400 here.
// reason is that of all problems, or another than that of a redirect URI.
func refuseStandard(status int, headers http.Header, reason error, problems []problem) error {
	code := "invalid_client_metadata"
	switch {
	case status == http.StatusUnauthorized:
		code = "invalid_token"
	case status >= 500 || status == http.StatusTooManyRequests:
		code = "temporarily_unavailable"
	case isRedirect(reason):
		code = "invalid_redirect_uri"
	}
	if status == http.StatusOK || status == http.StatusForbidden {
		status = http.StatusBadRequest
	}
	texts := make([]string, min(len(problems), maxProblems))
	for i := range texts {
		texts[i] = problems[i].message
	}
	return web.Refuse(status, code, standardFailure{code, strings.Join(texts, "; ")}, headers)
}

func isRedirect(reason error) bool {
	return errors.Is(reason, registrar.InvalidRedirectURI) || errors.Is(reason, registrar.WrongRedirectCount)
}

type initialTokenRequest struct {
	PartnerID string `json:"authPartnerId" doc:"Partner whose clients are registered."`
	PolicyID  string `json:"policyId" doc:"Policy that grants the claims and authentication contexts."`
	Uses      *int   `json:"uses,omitempty" doc:"Clients that may be registered, 1 to 1000; 1 if absent."`
	ExpiresIn *int   `json:"expiresIn,omitempty" doc:"Seconds until the token expires, up to 90 days; a day if absent."`
}

type initialTokenView struct {
	ID        string        `json:"tokenId" doc:"Names the token in events, as the actor initial access token:ID."`
	Token     string        `json:"token" doc:"The token. No other reply contains it."`
	PartnerID string        `json:"authPartnerId" doc:"Partner whose clients are registered."`
	PolicyID  string        `json:"policyId" doc:"Policy of the clients."`
	Uses      int           `json:"uses" doc:"Clients that may be registered."`
	ExpiresAt envelope.Time `json:"expiresAt" doc:"When it expires."`
}

func (a *API) issueInitialToken(
	ctx context.Context, in *bodyInput[requestBody[initialTokenRequest]],
) (initialTokenView, error) {
	r := in.Body.Request
	uses, seconds := 1, 24*60*60
	if r.Uses != nil {
		uses = *r.Uses
	}
	if r.ExpiresIn != nil {
		seconds = min(max(*r.ExpiresIn, 0), 1<<30)
	}
	token, t, err := a.registrar.Tokens.IssueInitialToken(ctx, callerOf(ctx), registrar.InitialToken{
		PartnerID: r.PartnerID, PolicyID: r.PolicyID, Uses: uses,
	}, time.Duration(seconds)*time.Second)
	return initialTokenView{t.ID, token, t.PartnerID, t.PolicyID, t.Uses, envelope.Time{Time: t.ExpiresAt}}, err
}

// listedTokenView is an initial access token without its secret.
type listedTokenView struct {
	ID        string        `json:"tokenId" doc:"Names the token in events, as the actor initial access token:ID."`
	PartnerID string        `json:"authPartnerId" doc:"Partner whose clients are registered."`
	PolicyID  string        `json:"policyId" doc:"Policy of the clients."`
	Uses      int           `json:"uses" doc:"Clients that may still be registered."`
	IssuedBy  string        `json:"issuedBy" doc:"Subject of the admin."`
	IssuedAt  envelope.Time `json:"issuedAt" doc:"When it was issued."`
	ExpiresAt envelope.Time `json:"expiresAt" doc:"When it expires."`
}

func viewToken(t registrar.InitialToken) listedTokenView {
	return listedTokenView{
		t.ID, t.PartnerID, t.PolicyID, t.Uses, t.IssuedBy, envelope.Time{Time: t.IssuedAt}, envelope.Time{Time: t.ExpiresAt},
	}
}

func (a *API) listInitialTokens(ctx context.Context, in *Paging) (page[listedTokenView], error) {
	tokens, next, err := a.registrar.Tokens.ListInitialTokens(ctx, callerOf(ctx), in.page())
	return newPage(tokens, next, err, viewToken)
}

type tokenInput struct {
	TokenID string `path:"tokenId" doc:"Identifier of the token; not the token itself."`
}

func (a *API) revokeInitialToken(ctx context.Context, in *tokenInput) (listedTokenView, error) {
	t, err := a.registrar.Tokens.RevokeInitialToken(ctx, callerOf(ctx), in.TokenID)
	return viewToken(t), err
}

// TokenHeader is the token of a call to this interface. It is exported for the same reason as
// Paging.
type TokenHeader struct {
	Authorization string `header:"Authorization" doc:"Bearer and the token."`

	host, address string
}

// Resolve stores the host of the call and the address of the caller.
func (h *TokenHeader) Resolve(ctx huma.Context) []error {
	h.host, h.address = ctx.Host(), web.AddressOf(ctx.RemoteAddr())
	return nil
}

// token returns the token of the header, or an empty string.
func (h TokenHeader) token() string {
	scheme, token, _ := strings.Cut(h.Authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// errMissingToken refuses a call without credentials. Its challenge has no error code (RFC 6750 §3.1).
func errMissingToken(needed string) error {
	failure := standardFailure{Description: "the call needs " + needed + ", as Authorization: Bearer"}
	return web.Refuse(http.StatusUnauthorized, "missing_token", failure, http.Header{"Www-Authenticate": {"Bearer"}})
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

// registerStandardClient answers 201 with the id of the client at the identity provider. After a
// failure no client remains.
func (a *API) registerStandardClient(ctx context.Context, in *registerStandardInput) (*standardReply, error) {
	t, err := a.rights(ctx, in.TokenHeader)
	if err != nil {
		return nil, err
	}
	m, err := readMetadata(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	policy, err := a.registrar.Catalog.GetPolicy(ctx, t.PolicyID)
	if err != nil {
		return nil, err
	}
	m.checkACRs(policy.ACRs)
	m.withKey()
	var client registrar.Client
	var access string
	if in.token() == "" {
		client, access, err = a.registrar.Tokens.RegisterOpen(ctx, t, in.address, &m.Request)
	} else {
		client, access, err = a.registrar.Tokens.RegisterByToken(ctx, in.token(), t, in.address, &m.Request)
	}
	if err != nil {
		return nil, withMetadataNames(err)
	}
	return a.standardReply(ctx, http.StatusCreated, in.TokenHeader, client, access, len(m.defaultACRs) > 0)
}

// rights returns the rights of the initial access token of a call, or those of open registration for one without a
// token, and applies the rate of the partner or of the address.
func (a *API) rights(ctx context.Context, header TokenHeader) (registrar.InitialToken, error) {
	if header.token() != "" {
		t, err := a.registrar.Tokens.GetInitialToken(ctx, header.token())
		if err == nil {
			err = a.limitRegistration(engine.Caller{}, t.PartnerID)
		}
		return t, err
	}
	t, isOpen, err := a.registrar.Tokens.GetOpenRegistration(ctx)
	switch {
	case err != nil:
		return t, err
	case !isOpen || header.Authorization != "":
		return t, errMissingToken("an initial access token, which a PARTNER_ADMIN issues")
	}
	if _, err := a.open.Take(header.address, 0); err != nil {
		return t, a.OverRate(err)
	}
	return t, nil
}

type standardInput struct {
	TokenHeader
	ClientPath
}

func (a *API) getStandardClient(ctx context.Context, in *standardInput) (*standardReply, error) {
	client, err := a.clientByToken(ctx, in.TokenHeader, in.ClientID)
	if err != nil {
		return nil, err
	}
	return a.standardReply(ctx, http.StatusOK, in.TokenHeader, client, in.token(), false)
}

// clientByToken returns the client of the registration access token of a call.
func (a *API) clientByToken(ctx context.Context, header TokenHeader, id string) (registrar.Client, error) {
	if header.token() == "" {
		return registrar.Client{}, errMissingToken("the registration access token of the client")
	}
	return a.registrar.Tokens.GetClientByToken(ctx, header.token(), id)
}

type updateStandardInput struct {
	TokenHeader
	ClientPath
	Body object
}

// updateStandardClient replaces the metadata, and the keys if the request has any. A second key is
// added beside the first until an update contains one alone.
func (a *API) updateStandardClient(ctx context.Context, in *updateStandardInput) (*standardReply, error) {
	before, err := a.clientByToken(ctx, in.TokenHeader, in.ClientID)
	if err != nil {
		return nil, err
	}
	m, err := readMetadata(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	if m.clientID == "" || m.clientID != before.ID && m.clientID != before.ProviderClientID {
		m.add("client_id", "must be that of the client")
	}
	if m.keys != nil && m.Extensions.EncKey == nil && before.Extensions.EncKey != "" {
		m.add("jwks", "must have a key to encrypt with, which the client has: it is replaced, and not removed")
	}
	if wrong := m.Wrong["publicKey"]; wrong != "" {
		m.add("jwks", "%s", wrong)
	}
	if m.values["token_endpoint_auth_method"] == nil {
		m.AuthMethods = before.AuthMethods
	}
	m.checkACRs(before.ACRs)
	m.updateAlg(before)
	m.Name, m.LogoURI = cmp.Or(m.Name, before.ID), cmp.Or(m.LogoURI, before.LogoURI)
	client, err := a.registrar.Tokens.UpdateByToken(ctx, in.token(), in.ClientID, in.address, &m.Request, m.keys)
	if err != nil {
		return nil, withMetadataNames(err)
	}
	return a.standardReply(ctx, http.StatusOK, in.TokenHeader, client, in.token(), len(m.defaultACRs) > 0)
}

func (a *API) deleteStandardClient(ctx context.Context, in *standardInput) (*struct{}, error) {
	if _, err := a.clientByToken(ctx, in.TokenHeader, in.ClientID); err != nil {
		return nil, err
	}
	return nil, a.registrar.Tokens.DeregisterByToken(ctx, in.token(), in.ClientID)
}

// standardReply returns a client with all metadata that was registered (RFC 7591 §3.2.1) and its registration access
// token. The token is empty in the answer to a repeated registration.
func (a *API) standardReply(
	ctx context.Context, status int, header TokenHeader, c registrar.Client, access string, acrs bool,
) (*standardReply, error) {
	members := map[string]any{
		"client_id": cmp.Or(c.ProviderClientID, c.ID), "client_id_issued_at": c.CreatedAt.Unix(), "status": c.Status,
		"client_name": c.Name, "redirect_uris": c.RedirectURIs, "grant_types": c.GrantTypes, "response_types": []string{"code"},
		"token_endpoint_auth_method": c.AuthMethods[0], "user_claims": c.UserClaims, "scope": a.registrar.Tokens.Scope(c),
		"application_type": c.ApplicationType(),
	}
	if !c.IsPublic() {
		members["jwks"], members["token_endpoint_auth_signing_alg"] = json.RawMessage(c.WholeKeySet()), c.Key.SigningAlg()
	}
	if c.LogoURI != "" {
		members["logo_uri"] = c.LogoURI
	}
	if acrs {
		members["default_acr_values"] = c.ACRs
	}
	if c.IsUnconfirmed() {
		asked, err := a.registrar.Approvals.GetApproval(ctx, c)
		if err != nil {
			return nil, err
		}
		if asked != nil {
			members["approval"] = standardApproval{asked.State, envelope.Time{Time: asked.AskedAt}, asked.Comment}
		}
	}
	if access != "" {
		members["registration_access_token"], members["registration_client_uri"] = access, a.standardURL(header, c)
	}
	for _, name := range a.registrar.Tokens.SentNames(c) {
		members["client_name#"+registrar.LanguageTag(name)] = c.Extensions.Names[name]
	}
	for _, part := range []struct {
		text  string
		names []string
	}{
		{c.Extensions.Config, standardSettings}, {c.Extensions.Metadata, a.registrar.Tokens.KeptMetadata()},
	} {
		var values map[string]any
		if part.text != "" && json.Unmarshal([]byte(part.text), &values) != nil {
			return nil, errors.New("the metadata of client " + c.ID + " cannot be read")
		}
		if values["userinfo_response_type"] == "JWS" {
			members[userinfoAlg] = "RS256"
		}
		for _, name := range part.names {
			if value, ok := values[name]; ok {
				members[name] = value
			}
		}
	}
	body, err := json.Marshal(members)
	return &standardReply{status, "no-store", body}, err
}

// standardApproval is the approval of a client that the identity provider does not have yet.
type standardApproval struct {
	State   registrar.ApprovalState `json:"state"`
	Since   envelope.Time           `json:"since"`
	Comment string                  `json:"comment,omitempty"`
}

// standardURL returns the management URL of a client, below the configured address. In development
// without one it is below the host of the call. A caller cannot redirect a token elsewhere.
func (a *API) standardURL(header TokenHeader, c registrar.Client) string {
	base := strings.TrimSuffix(a.PublicURL, "/")
	if base == "" {
		base = "http://" + header.host
	}
	id := cmp.Or(c.ProviderClientID, c.ID)
	if strings.ContainsAny(id, `/\`) { // not a path segment
		id = c.ID
	}
	return base + "/v1/registrar/register/" + url.PathEscape(id)
}
