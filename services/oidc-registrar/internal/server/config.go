// Package server assembles the service: it reads the configuration, wires the
// packages together, and starts and stops them in order. It is the only package
// that sees all the others.
package server

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/seal"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/idp"
	"github.com/countersign/countersign/services/oidc-registrar/internal/store"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// Config is every setting. Each is a flag and an environment variable; the tags are
// the reference that --help prints.
type Config struct {
	daemon.Settings `embed:"" envprefix:"REGISTRAR_"`

	PartnerClaim string `name:"partner-claim" env:"REGISTRAR_PARTNER_CLAIM" default:"partner_id" help:"Claim that names the partner of an AUTH_PARTNER token, or a list of them."`

	TokenCookie bool `name:"token-cookie" env:"REGISTRAR_TOKEN_COOKIE" help:"Accept the token from the cookie Authorization, as sent by the portals of MOSIP."`

	CatalogFile string `name:"catalog-file" env:"REGISTRAR_CATALOG_FILE" help:"Catalogue in YAML, applied at start."`

	Provider `embed:"" envprefix:"REGISTRAR_"`

	EncKeys daemon.Secret `name:"enc-keys" env:"REGISTRAR_ENC_KEYS" help:"Keys that encrypt secrets of webhook endpoints, sessions and registration access tokens: ID:BASE64,… of 32 bytes each. The first encrypts, all decrypt."`

	PublicURL string `name:"public-url" env:"REGISTRAR_PUBLIC_URL" help:"Address of the service as callers see it. The RFC 7591 API and the console need it, except with --dev."`

	Console  `embed:"" envprefix:"REGISTRAR_"`
	Rules    `embed:"" envprefix:"REGISTRAR_"`
	Approval `embed:"" envprefix:"REGISTRAR_"`

	OpenRegistration string `name:"open-registration" env:"REGISTRAR_OPEN_REGISTRATION" help:"PARTNER/POLICY: the RFC 7591 API registers clients of the partner without a token, if the policy requires an approval or ends clients within 90 days."`

	RateRegistrations limit.Rate `name:"rate-registrations" env:"REGISTRAR_RATE_REGISTRATIONS" default:"10/m:50" help:"Registrations of clients of one partner; PARTNER_ADMIN is exempt."`

	// Replace constants in a test: maxUnapproved, maxOpenClients.
	OpenUnapproved, OpenClients int64 `kong:"-" json:"-"`
}

// Clients of open registration at most, of those that wait for an approval and of those that are not INACTIVE.
const (
	maxUnapproved  = 100
	maxOpenClients = 1000
)

// openRegistrations is the rate of registrations without a token from one address.
var openRegistrations = limit.Rate{Calls: 10, Per: time.Hour, Burst: 10}

// Provider is the identity provider behind the service.
type Provider struct {
	IDP             string        `name:"idp" env:"IDP" default:"local" help:"Identity provider: local, esignet-1.0, esignet-1.4, esignet-1.6, esignet-1.8, esignet-2.0, keycloak or rfc7591. An eSignet between two of these has the lower one."`
	IDPURL          string        `name:"idp-url" env:"IDP_URL" help:"Address of the provider: for esignet-… the part before /client-mgmt, for keycloak the realm (https://id.example.org/realms/NAME), for rfc7591 the registration endpoint."`
	IDPTokenURL     string        `name:"idp-token-url" env:"IDP_TOKEN_URL" help:"Token endpoint for the provider; without it calls have no token. Default for keycloak: that of the realm."`
	IDPClientID     string        `name:"idp-client-id" env:"IDP_CLIENT_ID" help:"Client id of these credentials; for keycloak that of a client whose service account has manage-clients of realm-management."`
	IDPClientSecret daemon.Secret `name:"idp-client-secret" env:"IDP_CLIENT_SECRET" help:"Client secret of these credentials."`
	IDPScope        string        `name:"idp-scope" env:"IDP_SCOPE" help:"Scope of the access token."`

	IDPManageClientID     string        `name:"idp-manage-client-id" env:"IDP_MANAGE_CLIENT_ID" help:"For rfc7591: client id of credentials that may change every client. Without it a change uses the token of the client, and a crash during a change locks the client if the provider replaces tokens."`
	IDPManageClientSecret daemon.Secret `name:"idp-manage-client-secret" env:"IDP_MANAGE_CLIENT_SECRET" help:"Client secret of these credentials."`
	IDPACRs               string        `name:"idp-acrs" env:"IDP_ACRS" help:"For rfc7591: address of the provider's metadata (…/.well-known/openid-configuration): the ACRs of a client that it lists are sent as default_acr_values."`

	IDPOtherClients []string `name:"idp-other-clients" env:"IDP_OTHER_CLIENTS" help:"For keycloak: client ids, separated by commas, that reconcile does not list as unknown."`
	KeycloakClaims  []string `name:"keycloak-claims" env:"KEYCLOAK_CLAIMS" help:"For keycloak: other user attributes of claims than those of its client scopes or of the same name: claim=attribute, separated by commas, such as individual_id=uin."`

	IDPSoleWriter bool `name:"idp-sole-writer" env:"IDP_SOLE_WRITER" help:"No other service registers clients at the provider: a client found there after an unanswered call belongs to this service. Unset it after a restore until reconcile finds no missing clients."`
}

// Rules restrict the metadata of clients.
type Rules struct {
	ClientIDRule      string        `name:"client-id-rule" env:"CLIENT_ID_RULE" default:"rfc7638" help:"Rule for the clientId of a partner's client from its key: rfc7638, or spki as in partner management 1.2.2."`
	IDRegex           string        `name:"id-regex" env:"ID_REGEX" default:"\\S+" help:"Regular expression for the whole clientId of the client-management API."`
	Claims            []string      `name:"supported-claims" env:"SUPPORTED_CLAIMS" help:"Permitted user claims of a client, separated by commas, instead of the built-in list."`
	ACRs              []string      `name:"supported-acrs" env:"SUPPORTED_ACRS" help:"Permitted authentication context references of a client, separated by commas, instead of the built-in list."`
	GrantTypes        []string      `name:"supported-grant-types" env:"SUPPORTED_GRANT_TYPES" default:"authorization_code" help:"Permitted grant types of a client, separated by commas."`
	AuthMethods       []string      `name:"supported-auth-methods" env:"SUPPORTED_AUTH_METHODS" default:"private_key_jwt" help:"Permitted authentication methods of a client, separated by commas."`
	RedirectSchemes   []string      `name:"redirect-schemes" env:"REDIRECT_SCHEMES" help:"Schemes of redirect URIs beside https, http on loopback and reverse domains, separated by commas, such as cursor,vscode."`
	AllowHTTP         bool          `name:"allow-http" env:"ALLOW_HTTP" help:"Accept plain http, address literals and localhost in logo and redirect URIs."`
	Ed25519           bool          `name:"allow-ed25519" env:"ALLOW_ED25519" help:"Accept OKP keys on Ed25519."`
	PrivateJWK        string        `name:"private-jwk" env:"PRIVATE_JWK" default:"refuse" help:"A key with private members: refuse it, or drop them."`
	RequestTimeLeeway time.Duration `name:"request-time-leeway" env:"REQUEST_TIME_LEEWAY" default:"2m" help:"Permitted difference of requestTime from the clock; 0 disables the check."`
}

const prefix = "REGISTRAR_"

// Program is the command line, with the defaults that are this service's own.
func Program() daemon.Program {
	return daemon.Program{
		Name: "oidc-registrar", Description: "Registration of OpenID Connect clients for relying parties.",
		Listen: "127.0.0.1:8082", Admin: "127.0.0.1:9082", Database: "sqlite:.data/registrar.db", Client: "oidc-registrar",
		Audience: "countersign-registrar",
		Prefix:   prefix, Schema: store.Schema(), Role: "PARTNER_ADMIN", Try: "/v1/partnermanager/policies", Pages: page.Root,
	}
}

// Validate reports every problem of the configuration, each naming its variable.
func (c *Config) Validate() error {
	p := c.Check(Program(), c)
	p.AddIf(c.PartnerClaim == "", "PARTNER_CLAIM", "name a claim")
	known := slices.Contains(idp.Profiles, c.IDP)
	p.AddIf(!known, "IDP", "must be one of %s", strings.Join(idp.Profiles, ", "))
	p.AddIf(known && c.IDP != "local" && c.IDPURL == "", "IDP_URL", "%s needs the address of the identity provider", c.IDP)
	policy, _ := c.OutboundPolicy("") // Check has judged it
	for _, address := range [][2]string{
		{"IDP_URL", c.IDPURL}, {"IDP_TOKEN_URL", c.IDPTokenURL}, {"IDP_ACRS", c.IDPACRs},
		{"APPROVAL_URL", c.ApprovalURL}, {"APPROVAL_TOKEN_URL", c.ApprovalTokenURL},
	} {
		err := policy.CheckURL(address[1])
		p.AddIf(address[1] != "" && err != nil, address[0], "%w", err)
	}
	p.AddIf(c.IDPTokenURL != "" && c.IDPClientID == "", "IDP_CLIENT_ID",
		"needed to get a token from REGISTRAR_IDP_TOKEN_URL")
	p.AddIf(c.IDP == "keycloak" && c.IDPClientID == "", "IDP_CLIENT_ID", "keycloak needs a client with a service account")
	p.AddIf(c.IDPManageClientID != "" && c.IDPTokenURL == "", "IDP_TOKEN_URL",
		"needed to get a token for REGISTRAR_IDP_MANAGE_CLIENT_ID")
	p.AddIf(c.IDPManageClientID != "" && c.IDP != "rfc7591", "IDP_MANAGE_CLIENT_ID", "is for rfc7591")
	_, err := c.userAttributes()
	p.AddIf(err != nil, "KEYCLOAK_CLAIMS", "%w", err)
	_, err = seal.Parse(string(c.EncKeys))
	p.AddIf(c.EncKeys != "" && err != nil, "ENC_KEYS", "%w", err)
	p.AddIf(c.EncKeys == "" && c.IDP == "rfc7591" && !c.Dev, "ENC_KEYS",
		"rfc7591 needs a key for the registration access tokens: "+
			"ID:BASE64, of 32 bytes, such as from openssl rand -base64 32")
	p.AddIf(c.PublicURL != "" && !isBase(c.PublicURL), "PUBLIC_URL", "must be an address such as https://clients.example.org")
	partner, openPolicy, _ := strings.Cut(c.OpenRegistration, "/")
	p.AddIf(c.OpenRegistration != "" && !(registrar.PossibleID(partner) && registrar.PossibleID(openPolicy)),
		"OPEN_REGISTRATION", "must be a partner and a policy of the catalogue, such as PARTNER/POLICY")
	c.checkApproval(p)
	c.checkConsole(p, policy)
	p.AddIf(!slices.Contains(registrar.IDRules, registrar.IDRule(c.ClientIDRule)), "CLIENT_ID_RULE", "must be rfc7638 or spki")
	p.AddIf(c.PrivateJWK != "refuse" && c.PrivateJWK != "drop", "PRIVATE_JWK", "must be refuse or drop")
	p.AddIf(c.RequestTimeLeeway < 0, "REQUEST_TIME_LEEWAY", "must not be negative")
	for _, l := range []struct {
		name, example string
		values        []string
	}{
		{"SUPPORTED_CLAIMS", "name,email", c.Claims},
		{"SUPPORTED_ACRS", "mosip:idp:acr:password,mosip:idp:acr:biometrics", c.ACRs},
		{"SUPPORTED_GRANT_TYPES", "authorization_code,refresh_token", c.GrantTypes},
		{"SUPPORTED_AUTH_METHODS", "private_key_jwt,tls_client_auth", c.AuthMethods},
		{"REDIRECT_SCHEMES", "cursor,vscode", c.RedirectSchemes},
		{"IDP_OTHER_CLIENTS", "wf-inbox,registrar-console", c.IDPOtherClients},
	} {
		wrong := slices.IndexFunc(l.values, func(v string) bool {
			return v == "" || strings.ContainsFunc(v, func(r rune) bool { return unicode.IsSpace(r) || r == ';' })
		})
		if wrong >= 0 {
			p.AddIf(true, l.name, "the element %q must not be empty or have white space or a semicolon: separate elements by commas alone, such as %s",
				l.values[wrong], l.example)
		}
	}
	for _, scheme := range c.RedirectSchemes {
		err := registrar.CheckScheme(scheme)
		p.AddIf(err != nil, "REDIRECT_SCHEMES", "%w", err)
	}
	_, err = c.rules()
	p.AddIf(err != nil, "ID_REGEX", "%w", err)
	return p.Err()
}

// eSignet2Scopes are the scopes of eSignet 2.0's own tokens that permit the operations of a scope.
var eSignet2Scopes = map[string][]string{
	"add_oidc_client":    {"client_mgmt", "client_mgmt_write"},
	"update_oidc_client": {"client_mgmt", "client_mgmt_write"},
	"get_oidc_client":    {"client_mgmt", "client_mgmt_read"},
}

// scopeAliases returns further names of scopes.
func (c *Config) scopeAliases() map[string][]string {
	if c.IDP == "esignet-2.0" {
		return eSignet2Scopes
	}
	return nil
}

// isBase reports whether a text is an address that paths can be added to.
func isBase(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

// rules returns the rules for client metadata.
func (c *Rules) rules() (registrar.Rules, error) {
	r := registrar.DefaultRules()
	if len(c.Claims) > 0 {
		r.Claims = c.Claims
	}
	if len(c.ACRs) > 0 {
		r.ACRs = c.ACRs
	}
	r.GrantTypes, r.Schemes = c.GrantTypes, c.RedirectSchemes
	// A policy permits none, by clientTypes.
	r.AuthMethods = slices.DeleteFunc(slices.Clone(c.AuthMethods), func(m string) bool { return m == "none" })
	r.AllowHTTP, r.AllowEd25519 = c.AllowHTTP, c.Ed25519
	r.DropPrivate = c.PrivateJWK == "drop"
	r.RequestTimeLeeway, r.IDRule = c.RequestTimeLeeway, registrar.IDRule(c.ClientIDRule)
	var err error
	r.IDPattern, err = registrar.CompileIDPattern(c.IDRegex)
	return r, err
}

// userAttributes returns the attributes of KeycloakClaims by claim.
func (p Provider) userAttributes() (map[string]string, error) {
	attributes := map[string]string{}
	for _, pair := range p.KeycloakClaims {
		claim, attribute, _ := strings.Cut(pair, "=")
		if claim == "" || attribute == "" || strings.ContainsFunc(pair, unicode.IsSpace) || attributes[claim] != "" {
			return nil, fmt.Errorf("the element %q must be claim=attribute, once for a claim, such as individual_id=uin", pair)
		}
		attributes[claim] = attribute
	}
	return attributes, nil
}
