package idp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// representation is Keycloak's ClientRepresentation, with the members that this service sets.
type representation struct {
	ID              string            `json:"id,omitempty"` // of Keycloak
	ClientID        string            `json:"clientId"`
	Name            string            `json:"name"`
	Protocol        string            `json:"protocol"`
	Enabled         bool              `json:"enabled"`
	NotBefore       int64             `json:"notBefore,omitempty"` // absent: Keycloak keeps it
	RootURL         string            `json:"rootUrl"`
	AdminURL        string            `json:"adminUrl"`
	BaseURL         string            `json:"baseUrl"`
	RedirectURIs    []string          `json:"redirectUris"`
	WebOrigins      []string          `json:"webOrigins"`
	Authenticator   string            `json:"clientAuthenticatorType"`
	Public          bool              `json:"publicClient"`
	BearerOnly      bool              `json:"bearerOnly"`
	Consent         bool              `json:"consentRequired"`
	StandardFlow    bool              `json:"standardFlowEnabled"`
	ImplicitFlow    bool              `json:"implicitFlowEnabled"`
	Passwords       bool              `json:"directAccessGrantsEnabled"`
	ServiceAccount  bool              `json:"serviceAccountsEnabled"`
	FrontLogout     bool              `json:"frontchannelLogout"`
	FullScope       bool              `json:"fullScopeAllowed"`
	Flows           map[string]string `json:"authenticationFlowBindingOverrides"`
	Attributes      map[string]string `json:"attributes"`
	ProtocolMappers []protocolMapper  `json:"protocolMappers"`
	DefaultScopes   []string          `json:"defaultClientScopes"`
	OptionalScopes  []string          `json:"optionalClientScopes"`

	members map[string]json.RawMessage // of an answer
}

// markAttribute has the mark of the registration.
const markAttribute = "registrar.registration"

func (r representation) mark() string { return r.Attributes[markAttribute] }

// hasTexts reports whether the name is shown by language.
func (r representation) hasTexts() bool { return r.Name == nameReference(r.ClientID) }

func nameReference(id string) string { return "${" + nameKey(id) + "}" }

// protocolMapper adds a claim.
type protocolMapper struct {
	Name     string            `json:"name"`
	Protocol string            `json:"protocol"`
	Type     string            `json:"protocolMapper"`
	Config   map[string]string `json:"config"`
}

const (
	fullNameMapper  = "oidc-full-name-mapper"
	addressMapper   = "oidc-address-mapper"
	attributeMapper = "oidc-usermodel-attribute-mapper"
	propertyMapper  = "oidc-usermodel-property-mapper"
)

// claim returns the claim of a mapper. Each scope has some that add no claim about the user.
func (m protocolMapper) claim() string {
	switch m.Type {
	case fullNameMapper:
		return "name"
	case addressMapper:
		return "address"
	}
	return m.Config["claim.name"]
}

// userAttributes are the attributes of a user in Keycloak's own client scopes, where they are not named as the claim.
var userAttributes = map[string]string{
	"given_name": "firstName", "family_name": "lastName", "middle_name": "middleName", "preferred_username": "username",
	"updated_at": "updatedAt", "email_verified": "emailVerified", "phone": "phoneNumber", "phone_number": "phoneNumber",
	"phone_number_verified": "phoneNumberVerified",
}

// mapper returns the mapper of a claim, or false for a claim of every client.
func (k *Keycloak) mapper(claim string) (protocolMapper, bool) {
	if slices.Contains([]string{"iss", "sub", "acr"}, claim) {
		return protocolMapper{}, false
	}
	m := protocolMapper{Name: claim, Protocol: "openid-connect", Type: attributeMapper, Config: map[string]string{
		"id.token.claim": "true", "userinfo.token.claim": "true",
		"access.token.claim": "false", "introspection.token.claim": "false",
	}}
	attribute := k.claims[claim]
	switch {
	case attribute == "" && claim == "name":
		m.Type = fullNameMapper
		return m, true
	case attribute == "" && claim == "address":
		m.Type = addressMapper
		for _, part := range []string{"formatted", "street", "locality", "region", "postal_code", "country"} {
			m.Config["user.attribute."+part] = part
		}
		return m, true
	case attribute == "" && claim == "email_verified":
		m.Type = propertyMapper
	}
	attribute = cmp.Or(attribute, userAttributes[claim], claim)
	m.Config["user.attribute"], m.Config["claim.name"], m.Config["jsonType.label"] = attribute, claim, "String"
	switch claim {
	case "email_verified", "phone_number_verified":
		m.Config["jsonType.label"] = "boolean"
	case "updated_at":
		m.Config["jsonType.label"] = "long"
	}
	return m, true
}

// optionalScopes returns the client scopes that c may request: those of OpenID Connect that add no claim which c may
// not have, and offline_access with refresh tokens.
func (r realm) optionalScopes(c registrar.Client) (names []string) {
	for _, name := range []string{"profile", "email", "address", "phone"} {
		extra := func(claim string) bool { return !slices.Contains(c.UserClaims, claim) }
		if s, ok := r.scopes[name]; ok && !slices.ContainsFunc(s.claims, extra) {
			names = append(names, name)
		}
	}
	if slices.Contains(c.GrantTypes, refreshGrant) {
		names = append(names, "offline_access")
	}
	return names
}

// scope returns the scopes that c may request.
func (k *Keycloak) scope(c registrar.Client) string {
	return strings.Join(append([]string{"openid"}, k.lastRealm().optionalScopes(c)...), " ")
}

const (
	codeGrant    = "authorization_code"
	refreshGrant = "refresh_token"
)

// checkForKeycloak refuses a client that a ClientRepresentation cannot hold.
func checkForKeycloak(c registrar.Client) error {
	for _, grant := range c.GrantTypes {
		if grant != codeGrant && grant != refreshGrant {
			return newRefusal("invalid_grant_type",
				fmt.Sprintf("%q is not supported; permitted: %s, %s", grant, codeGrant, refreshGrant))
		}
	}
	switch {
	case !slices.Contains(c.GrantTypes, codeGrant):
		return newRefusal("invalid_grant_type", codeGrant+" is missing")
	case !c.IsPublic() && !slices.Equal(c.AuthMethods, []string{"private_key_jwt"}):
		return newRefusal("invalid_client_auth",
			fmt.Sprintf("%q is not supported; permitted: private_key_jwt, or none", c.AuthMethods))
	case strings.HasPrefix(c.Name, "${") && strings.HasSuffix(c.Name, "}"):
		return newRefusal("invalid_client_name", fmt.Sprintf("%q is the key of a text for it", c.Name))
	}
	return nil
}

// representation returns c as the realm should have it. It sets every member: Keycloak keeps those that a PUT omits.
func (k *Keycloak) representation(ctx context.Context, r realm, c registrar.Client) (representation, error) {
	extensions, _ := extensionMembers(c.Extensions, c.Name) // MissingExtensions has refused the others
	var metadata struct {
		ClientURI      string   `json:"client_uri"`
		PolicyURI      string   `json:"policy_uri"`
		TermsURI       string   `json:"tos_uri"`
		PostLogoutURIs []string `json:"post_logout_redirect_uris"`
	}
	if c.Extensions.Metadata != "" {
		if err := json.Unmarshal([]byte(c.Extensions.Metadata), &metadata); err != nil {
			return representation{}, fmt.Errorf("metadata of client %s: %w", c.ID, err)
		}
	}
	acrs, err := k.acrs.sentACRs(ctx, c)
	if err != nil {
		return representation{}, err
	}
	flag := strconv.FormatBool
	is := func(member string) string { return flag(extensions[member] == true) }
	text := func(member string) string {
		value, _ := extensions[member].(string)
		return value
	}
	v := representation{
		ClientID: c.ID, Name: c.Name, Protocol: "openid-connect", StandardFlow: true,
		Enabled: c.Status != registrar.ClientInactive,
		BaseURL: metadata.ClientURI, RedirectURIs: registrar.NotNil(c.RedirectURIs), WebOrigins: []string{},
		Authenticator: "client-jwt",
		Public:        c.IsPublic(), Consent: c.IsPublic(), Flows: map[string]string{"browser": "", "direct_grant": ""},
		ProtocolMappers: []protocolMapper{}, DefaultScopes: []string{"acr", "basic"}, OptionalScopes: r.optionalScopes(c),
		Attributes: map[string]string{
			markAttribute:                               c.Mark,
			"use.jwks.string":                           flag(!c.IsPublic()),
			"use.jwks.url":                              "false",
			"jwks.string":                               "",
			"jwks.url":                                  "",
			"logoUri":                                   c.LogoURI,
			"policyUri":                                 metadata.PolicyURI,
			"tosUri":                                    metadata.TermsURI,
			"use.refresh.tokens":                        flag(slices.Contains(c.GrantTypes, refreshGrant)),
			"post.logout.redirect.uris":                 "-",
			"default.acr.values":                        strings.Join(acrs, "##"),
			"pkce.code.challenge.method":                "",
			"require.pushed.authorization.requests":     is("require_pushed_authorization_requests"),
			"dpop.bound.access.tokens":                  is("dpop_bound_access_tokens"),
			"token.endpoint.auth.signing.alg":           "",
			"user.info.response.signature.alg":          text("userinfo_signed_response_alg"),
			"user.info.encrypted.response.alg":          text("userinfo_encrypted_response_alg"),
			"user.info.encrypted.response.enc":          text("userinfo_encrypted_response_enc"),
			"backchannel.logout.url":                    "",
			"oauth2.device.authorization.grant.enabled": "false",
			"oidc.ciba.grant.enabled":                   "false",
			"standard.token.exchange.enabled":           "false",
			"oauth2.jwt.authorization.grant.enabled":    "false",
		},
	}
	if r.texts(c) != nil {
		v.Name = nameReference(c.ID)
	}
	if c.IsPublic() {
		v.WebOrigins, v.DefaultScopes = []string{"+"}, append(v.DefaultScopes, "web-origins")
	} else {
		v.Attributes["jwks.string"] = string(keySet(c))
		if alg, ok := sharedAlg(c); ok {
			v.Attributes["token.endpoint.auth.signing.alg"] = alg
		}
	}
	if c.IsPublic() || extensions["require_pkce"] == true {
		v.Attributes["pkce.code.challenge.method"] = "S256"
	}
	if uris := metadata.PostLogoutURIs; len(uris) > 0 {
		v.Attributes["post.logout.redirect.uris"] = strings.Join(uris, "##")
	}
	if !v.Enabled {
		v.NotBefore = k.caller.now().Unix()
	}
	for _, claim := range c.UserClaims {
		if m, ok := k.mapper(claim); ok {
			v.ProtocolMappers = append(v.ProtocolMappers, m)
		}
	}
	return v, nil
}

// UnmarshalJSON keeps all members.
func (r *representation) UnmarshalJSON(data []byte) error {
	type plain representation
	if err := json.Unmarshal(data, (*plain)(r)); err != nil {
		return err
	}
	return json.Unmarshal(data, &r.members)
}

// replacing returns r with the attributes of there that r lacks, as empty: Keycloak keeps those that a PUT omits.
func (r representation) replacing(there representation) representation {
	r.Attributes = maps.Clone(r.Attributes)
	for name := range there.Attributes {
		if _, ok := r.Attributes[name]; !ok && !slices.Contains(ownAttributes, name) {
			r.Attributes[name] = ""
		}
	}
	return r
}

// sharedAlg returns the signing algorithm of all keys of c, if they share one.
func sharedAlg(c registrar.Client) (string, bool) {
	keys := c.Keys()
	alg := keys[0].SigningAlg()
	return alg, !slices.ContainsFunc(keys, func(k registrar.Key) bool { return k.SigningAlg() != alg })
}
