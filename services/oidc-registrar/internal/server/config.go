// Package server assembles the service: it reads the configuration, wires the
// packages together, and starts and stops them in order. It is the only package
// that sees all the others.
package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/egress"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// Config is every setting. Each is a flag and an environment variable; the tags are
// the reference that --help prints.
type Config struct {
	Listen      string           `name:"listen" env:"REGISTRAR_LISTEN" default:"127.0.0.1:8082" help:"Address to serve on."`
	DatabaseURL registrar.Secret `name:"database-url" env:"REGISTRAR_DATABASE_URL" default:"sqlite:.data/registrar.db" help:"sqlite:PATH or postgres://…"`
	DatabaseMax int              `name:"database-max-conns" env:"REGISTRAR_DATABASE_MAX_CONNS" default:"20" help:"Connections to the database at most."`
	Dev         bool             `name:"dev" env:"REGISTRAR_DEV" help:"Development: own token issuer, a sample catalogue, an identity provider on loopback. Listens on loopback only."`
	DataDir     string           `name:"data-dir" env:"REGISTRAR_DATA_DIR" default:".data" help:"Where --dev keeps its key."`

	AuthIssuer     string        `name:"auth-issuer" env:"REGISTRAR_AUTH_ISSUER" help:"Issuer of the tokens; iss must equal it."`
	AuthAudience   string        `name:"auth-audience" env:"REGISTRAR_AUTH_AUDIENCE" default:"countersign" help:"aud must be or contain it."`
	AuthJWKSURL    string        `name:"auth-jwks-url" env:"REGISTRAR_AUTH_JWKS_URL" help:"The issuer's keys; found by discovery when not set."`
	AuthJWKSFile   string        `name:"auth-jwks-file" env:"REGISTRAR_AUTH_JWKS_FILE" help:"The issuer's keys as a file, instead."`
	AuthAlgorithms []string      `name:"auth-algorithms" env:"REGISTRAR_AUTH_ALGORITHMS" default:"RS256,PS256,ES256" help:"Signature algorithms accepted; EdDSA may be added."`
	AuthLeeway     time.Duration `name:"auth-leeway" env:"REGISTRAR_AUTH_LEEWAY" default:"30s" help:"How far the issuer's clock may be off, up to 60s."`
	ClientID       string        `name:"client-id" env:"REGISTRAR_CLIENT_ID" default:"oidc-registrar" help:"Client whose roles count besides the realm's."`
	RoleClaims     []string      `name:"role-claims" env:"REGISTRAR_ROLE_CLAIMS" help:"JSON pointers to arrays of roles, instead of realm_access and the client's."`
	PartnerClaim   string        `name:"partner-claim" env:"REGISTRAR_PARTNER_CLAIM" default:"partner_id" help:"Claim that names the partner of an AUTH_PARTNER token."`

	CatalogFile string `name:"catalog-file" env:"REGISTRAR_CATALOG_FILE" help:"Catalogue in YAML, applied at start."`

	IDP             string           `name:"idp" env:"REGISTRAR_IDP" default:"local" help:"Identity provider behind the service: local, esignet or rfc7591."`
	IDPURL          string           `name:"idp-url" env:"REGISTRAR_IDP_URL" help:"Its address: for esignet what comes before /client-mgmt, for rfc7591 the registration endpoint."`
	IDPTokenURL     string           `name:"idp-token-url" env:"REGISTRAR_IDP_TOKEN_URL" help:"Where a token for it is got by client credentials; no token when not set."`
	IDPClientID     string           `name:"idp-client-id" env:"REGISTRAR_IDP_CLIENT_ID" help:"Client id for that."`
	IDPClientSecret registrar.Secret `name:"idp-client-secret" env:"REGISTRAR_IDP_CLIENT_SECRET" help:"Client secret for that."`
	IDPScope        string           `name:"idp-scope" env:"REGISTRAR_IDP_SCOPE" help:"Scope to ask for."`

	OutboundHTTP  bool     `name:"allow-http-outbound" env:"REGISTRAR_ALLOW_HTTP_OUTBOUND" help:"Let the addresses of keys and of the identity provider be http."`
	OutboundAllow []string `name:"outbound-allow" env:"REGISTRAR_OUTBOUND_ALLOW" help:"Private networks that may be called, as CIDR."`
	OutboundPorts []uint16 `name:"outbound-ports" env:"REGISTRAR_OUTBOUND_PORTS" help:"Ports that may be called; 443 when not set."`

	IDRegex           string        `name:"id-regex" env:"REGISTRAR_ID_REGEX" default:"\\S+" help:"What a clientId of the provider door must match as a whole."`
	Claims            []string      `name:"supported-claims" env:"REGISTRAR_SUPPORTED_CLAIMS" help:"User claims a client may ask for, instead of the built-in list."`
	ACRs              []string      `name:"supported-acrs" env:"REGISTRAR_SUPPORTED_ACRS" help:"Authentication context references a client may ask for, instead of the built-in list."`
	GrantTypes        []string      `name:"supported-grant-types" env:"REGISTRAR_SUPPORTED_GRANT_TYPES" default:"authorization_code" help:"Grant types a client may have."`
	AuthMethods       []string      `name:"supported-auth-methods" env:"REGISTRAR_SUPPORTED_AUTH_METHODS" default:"private_key_jwt" help:"Ways a client may authenticate."`
	AllowHTTP         bool          `name:"allow-http" env:"REGISTRAR_ALLOW_HTTP" help:"Accept plain http, address literals and localhost in logo and redirect URIs."`
	PrivateSchemes    bool          `name:"allow-private-schemes" env:"REGISTRAR_ALLOW_PRIVATE_SCHEMES" default:"true" negatable:"" help:"Accept redirect URIs such as com.example.app:/cb."`
	Ed25519           bool          `name:"allow-ed25519" env:"REGISTRAR_ALLOW_ED25519" help:"Accept OKP keys on Ed25519."`
	PrivateJWK        string        `name:"private-jwk" env:"REGISTRAR_PRIVATE_JWK" default:"refuse" help:"A key with private members: refuse it, or drop them."`
	BlockedKeys       []string      `name:"blocked-keys" env:"REGISTRAR_BLOCKED_KEYS" help:"RFC 7638 thumbprints of keys to refuse."`
	RequestTimeLeeway time.Duration `name:"request-time-leeway" env:"REGISTRAR_REQUEST_TIME_LEEWAY" default:"2m" help:"How far requestTime may be off; 0 does not judge it."`
	EnvelopeID        string        `name:"envelope-id" env:"REGISTRAR_ENVELOPE_ID" default:"mosip.partnermanagement" help:"id of the partner envelope."`
	EnvelopeVersion   string        `name:"envelope-version" env:"REGISTRAR_ENVELOPE_VERSION" default:"1.0" help:"version of the partner envelope."`

	MaxInFlight int           `name:"max-in-flight" env:"REGISTRAR_MAX_IN_FLIGHT" default:"256" help:"Calls at a time; more get 503."`
	DrainDelay  time.Duration `name:"drain-delay" env:"REGISTRAR_DRAIN_DELAY" default:"2s" help:"From the stop signal until connections are closed, for load balancers."`
	LogLevel    slog.Level    `name:"log-level" env:"REGISTRAR_LOG_LEVEL" default:"info" help:"debug, info, warn or error."`
}

// Development identity: every local service and tool agrees on it.
const (
	DevIssuer  = "https://dev.countersign.local"
	devKeyFile = "dev-issuer.jwk"
)

// FileResolver reads a setting from the file that its variable with _FILE appended
// names, so that secrets need not stand in the environment.
func FileResolver() kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		for _, name := range flag.Envs {
			path, set := os.LookupEnv(name + "_FILE")
			if !set {
				continue
			}
			content, err := os.ReadFile(path) // #nosec G304 G703 -- the operator names the file
			if err != nil {
				return nil, fmt.Errorf("%s_FILE: %w", name, err)
			}
			return strings.TrimSpace(string(content)), nil
		}
		return nil, nil
	})
}

// Validate reports every problem of the configuration, each naming its variable.
func (c *Config) Validate() error {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if c.Dev {
		if host, _, err := net.SplitHostPort(c.Listen); err != nil || !loopback(host) {
			problem("REGISTRAR_LISTEN: development mode listens on loopback only, such as 127.0.0.1:8082")
		}
	} else if c.AuthIssuer == "" {
		problem("REGISTRAR_AUTH_ISSUER: name the token issuer, or start with --dev")
	}
	if c.AuthJWKSURL != "" && c.AuthJWKSFile != "" {
		problem("REGISTRAR_AUTH_JWKS_URL, REGISTRAR_AUTH_JWKS_FILE: set one of them")
	}
	if c.AuthLeeway < 0 || c.AuthLeeway > time.Minute {
		problem("REGISTRAR_AUTH_LEEWAY: must be between 0s and 60s")
	}
	if c.PartnerClaim == "" {
		problem("REGISTRAR_PARTNER_CLAIM: name a claim")
	}
	if c.DatabaseMax < 2 {
		problem("REGISTRAR_DATABASE_MAX_CONNS: must be at least 2")
	}
	if c.MaxInFlight < 1 {
		problem("REGISTRAR_MAX_IN_FLIGHT: must be at least 1")
	}
	if !slices.Contains([]string{"local", "esignet", "rfc7591"}, c.IDP) {
		problem("REGISTRAR_IDP: must be local, esignet or rfc7591")
	} else if c.IDP != "local" && c.IDPURL == "" {
		problem("REGISTRAR_IDP_URL: %s needs the address of the identity provider", c.IDP)
	}
	if c.IDPTokenURL != "" && c.IDPClientID == "" {
		problem("REGISTRAR_IDP_CLIENT_ID: needed to get a token from REGISTRAR_IDP_TOKEN_URL")
	}
	if c.PrivateJWK != "refuse" && c.PrivateJWK != "drop" {
		problem("REGISTRAR_PRIVATE_JWK: must be refuse or drop")
	}
	if c.RequestTimeLeeway < 0 {
		problem("REGISTRAR_REQUEST_TIME_LEEWAY: must not be negative")
	}
	if _, err := c.outbound(); err != nil {
		problem("REGISTRAR_OUTBOUND_ALLOW, REGISTRAR_OUTBOUND_PORTS: %w", err)
	}
	if _, err := c.rules(); err != nil {
		problem("REGISTRAR_ID_REGEX: %w", err)
	}
	return errors.Join(problems...)
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// outbound is what the service may call.
func (c *Config) outbound() (egress.Policy, error) {
	policy := egress.Policy{Ports: c.OutboundPorts, AllowHTTP: c.OutboundHTTP || c.Dev, AnyPort: c.Dev, UserAgent: "oidc-registrar/1"}
	if c.Dev {
		policy.Allow = append(policy.Allow, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	var problems []error
	for _, text := range c.OutboundAllow {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		policy.Allow = append(policy.Allow, prefix)
	}
	return policy, errors.Join(append(problems, policy.Validate())...)
}

// rolePointers are where a token's roles are.
func (c *Config) rolePointers() []string {
	if len(c.RoleClaims) > 0 {
		return c.RoleClaims
	}
	client := strings.NewReplacer("~", "~0", "/", "~1").Replace(c.ClientID)
	return []string{"/realm_access/roles", "/resource_access/" + client + "/roles"}
}

// rules are what the service accepts.
func (c *Config) rules() (registrar.Rules, error) {
	r := registrar.DefaultRules()
	if len(c.Claims) > 0 {
		r.Claims = c.Claims
	}
	if len(c.ACRs) > 0 {
		r.ACRs = c.ACRs
	}
	r.GrantTypes, r.AuthMethods = c.GrantTypes, c.AuthMethods
	r.AllowHTTP, r.AllowPrivateSchemes, r.AllowEd25519 = c.AllowHTTP, c.PrivateSchemes, c.Ed25519
	r.DropPrivate = c.PrivateJWK == "drop"
	r.RequestTimeLeeway = c.RequestTimeLeeway
	r.BlockedKeys = make(map[string]bool)
	for _, thumbprint := range c.BlockedKeys {
		r.BlockedKeys[thumbprint] = true
	}
	var err error
	r.IDPattern, err = registrar.CompileIDPattern(c.IDRegex)
	return r, err
}
