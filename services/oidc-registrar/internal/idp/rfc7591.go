package idp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// RFC7591 is the connector of a provider with OAuth 2.0 Dynamic Client Registration (RFC 7591). It
// changes clients by RFC 7592, with the URI and token that the provider returned. Without those it
// refuses a change.
//
// The provider assigns its own client_id, which the relying party uses there; ours is sent as
// software_id. Registration is not idempotent: after a lost answer, the next try creates a second
// client, and the first one remains unused. Both have the same software_id.
//
// The protocol has no status. An INACTIVE client keeps its client_id, but its keys are replaced by
// one without a known private key. It can neither redeem a code nor refresh a token. Its users
// still see the sign-in page of the provider.
type RFC7591 struct {
	caller *caller
	manage *tokens // for changes; nil to use the registration access tokens
	acrs   *acrs
}

// Check gets the tokens of registrations and changes and calls the registration endpoint once.
func (r *RFC7591) Check(ctx context.Context) error {
	if r.manage != nil {
		if _, err := r.manage.get(ctx, ""); err != nil {
			return err
		}
	}
	return r.caller.check(ctx)
}

// NewRFC7591 returns the connector of the provider whose registration endpoint is
// o.URL.
func NewRFC7591(o Options) (*RFC7591, error) {
	c, err := newCaller(o)
	if err != nil {
		return nil, err
	}
	r := &RFC7591{caller: c, acrs: &acrs{caller: c, url: o.MetadataURL}}
	if o.ManageClientID != "" {
		r.manage = c.tokensOf(o, o.ManageClientID, o.ManageClientSecret)
	}
	if o.MetadataURL != "" {
		if err := o.Egress.CheckURL(o.MetadataURL); err != nil {
			return nil, fmt.Errorf("REGISTRAR_IDP_ACRS: %w", err)
		}
	}
	return r, nil
}

// metadata is a client in the format of RFC 7591 §2 and OpenID Connect Dynamic Client Registration
// §2.
type metadata struct {
	ClientID        string          `json:"client_id,omitempty"` // updates only
	ClientName      string          `json:"client_name"`
	ApplicationType string          `json:"application_type"`
	RedirectURIs    []string        `json:"redirect_uris"`
	GrantTypes      []string        `json:"grant_types"`
	ResponseTypes   []string        `json:"response_types"`
	AuthMethod      string          `json:"token_endpoint_auth_method"`
	SigningAlg      string          `json:"token_endpoint_auth_signing_alg,omitempty"`
	JWKS            json.RawMessage `json:"jwks"`
	LogoURI         string          `json:"logo_uri,omitempty"`
	Scope           string          `json:"scope"`
	ACRs            []string        `json:"default_acr_values,omitempty"`
	SoftwareID      string          `json:"software_id"`

	extensions map[string]any
	details    map[string]any // further members, which the provider may leave out
}

// information is a client information response (RFC 7591 §3.2.1).
type information struct {
	ClientID     string           `json:"client_id"`
	AccessToken  registrar.Secret `json:"registration_access_token"`
	URI          string           `json:"registration_client_uri"`
	RedirectURIs []string         `json:"redirect_uris"`
	AuthMethod   string           `json:"token_endpoint_auth_method"`

	members map[string]json.RawMessage
}

// Register creates c at the provider. It is not idempotent.
func (r *RFC7591) Register(ctx context.Context, c registrar.Client, _ registrar.Prior) (registrar.ProviderRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	body, err := r.metadata(ctx, c)
	if err != nil {
		return registrar.ProviderRecord{}, notSentError{err}
	}
	a, err := r.register(ctx, body)
	if err == nil && a.status == http.StatusBadRequest && body.dropNames() {
		a, err = r.register(ctx, body)
	}
	if err != nil {
		return registrar.ProviderRecord{}, err
	}
	if a.isDenied() {
		return registrar.ProviderRecord{}, a.tokenRejection("register")
	}
	info, err := a.information()
	if err != nil {
		return registrar.ProviderRecord{}, err
	}
	record := registrar.ProviderRecord{ClientID: info.ClientID, URI: info.URI, AccessToken: info.AccessToken}
	if err := info.check(body); err != nil {
		_ = r.deleteClient(ctx, record) // after an error it remains there, unused
		return registrar.ProviderRecord{}, err
	}
	return record, nil
}

func (r *RFC7591) register(ctx context.Context, body metadata) (answer, error) {
	return r.caller.json(ctx, r.caller.client, r.caller.tokens, http.MethodPost, r.caller.base, body)
}

// information parses the provider's answer about a client.
func (a answer) information() (information, error) {
	if a.status == http.StatusBadRequest {
		var failure failure
		if err := a.decode(&failure); err != nil || failure.Code == "" {
			return information{}, a.unusable("status %d without an error of RFC 7591", a.status)
		}
		if failure.Code != "invalid_redirect_uri" { // the only code that both protocols have
			return information{}, newRefusal("", failure.Code+": "+failure.Description)
		}
		return information{}, newRefusal(failure.Code, failure.Description)
	}
	if a.status != http.StatusOK && a.status != http.StatusCreated {
		return information{}, a.unusable("status %d is no answer of RFC 7591", a.status)
	}
	var info information
	if err := a.decode(&info); err != nil {
		return information{}, err
	}
	if info.ClientID == "" || len(info.ClientID) > 512 || strings.ContainsFunc(info.ClientID, isNotVisible) {
		return information{}, unreachableError("status %d without a client_id", a.status)
	}
	if strings.ContainsFunc(string(info.AccessToken), isNotVisible) {
		return information{}, unreachableError("status %d with a malformed registration access token", a.status)
	}
	return info, nil
}

// isNotVisible reports whether c is not allowed in an id or a token.
func isNotVisible(c rune) bool { return c <= ' ' || c >= 0x7f }

// check refuses changes that affect security. The provider may replace metadata (RFC 7591 §3.2.1),
// but not the redirect URIs or the authentication method.
func (i information) check(sent metadata) error {
	if i.RedirectURIs != nil && !slices.Equal(slices.Sorted(slices.Values(i.RedirectURIs)), slices.Sorted(slices.Values(sent.RedirectURIs))) {
		return newRefusal("", "it changed the redirect URIs")
	}
	if i.AuthMethod != "" && i.AuthMethod != sent.AuthMethod {
		return newRefusal("", "it changed the authentication method")
	}
	if !i.includes(sent.extensions) {
		return newRefusal("", "it left out a setting, which would not hold")
	}
	return nil
}

// metadata returns the metadata of c for the provider.
func (r *RFC7591) metadata(ctx context.Context, c registrar.Client) (metadata, error) {
	m := newMetadata(c)
	if m.AuthMethod == "private_key_jwt" {
		m.SigningAlg = signingAlg(c)
	}
	if len(c.AuthMethods) > 1 {
		return m, newRefusal("", "its protocol has room for one way to authenticate")
	}
	var err error
	m.ACRs, err = r.acrs.sentACRs(ctx, c)
	return m, err
}

// newMetadata returns the metadata of c without its ACRs.
func newMetadata(c registrar.Client) metadata {
	extensions, _ := extensionMembers(c.Extensions, c.Name) // MissingExtensions has refused the others
	m := metadata{
		ClientName: c.Name, ApplicationType: c.ApplicationType(), RedirectURIs: registrar.NotNil(c.RedirectURIs),
		GrantTypes:    registrar.NotNil(c.GrantTypes),
		ResponseTypes: []string{}, JWKS: keySet(c), LogoURI: c.LogoURI, Scope: c.Scope(),
		SoftwareID: c.ID, extensions: extensions,
	}
	if c.Extensions.Metadata != "" && json.Unmarshal([]byte(c.Extensions.Metadata), &m.details) == nil {
		delete(m.details, "software_id") // ours is sent
	}
	if len(c.AuthMethods) > 0 {
		m.AuthMethod = c.AuthMethods[0]
	}
	if slices.Contains(c.GrantTypes, "authorization_code") {
		m.ResponseTypes = append(m.ResponseTypes, "code")
	}
	return m
}

// signingAlg returns the signing algorithm to register: that of the oldest key, which remains valid until it is
// removed. Some providers, such as Ory Hydra, interpret a missing algorithm as RS256, which would disable that key
// immediately.
func signingAlg(c registrar.Client) string {
	keys := c.Keys()
	return keys[len(keys)-1].SigningAlg()
}

// signingKey returns the key with use sig. That is optional (RFC 7517 §4.2), but Keycloak finds no
// key for private_key_jwt without it.
func signingKey(k registrar.Key) string {
	members := map[string]any{}
	_ = json.Unmarshal([]byte(k.JWK), &members) // stored by this service
	members["use"] = "sig"
	return string(jsonOf(members))
}

// disable replaces the keys of a client by one without a private key.
func (m *metadata) disable() {
	m.JWKS, m.AuthMethod, m.SigningAlg = json.RawMessage(unusableKeySet), "private_key_jwt", "ES256"
}

// unusableKeySet has a key without a known private key: x of its point on P-256 is the SHA-256 of a text.
const unusableKeySet = `{"keys":[{"crv":"P-256","kty":"EC","use":"sig",` +
	`"x":"AeM1ehFrFUiH_KHEgwR9Qx8O1oDoOD3LrF4rIlybHSo","y":"1Ocrihiq5HqyZyAnv79Y8IPytplXejo9nEkgBeRWRwM"}]}`
