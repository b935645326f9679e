// Package server assembles the service: it reads the configuration, wires the
// packages together, and starts and stops them in order. It is the only package
// that sees all the others.
package server

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/services/wf/internal/worker"
)

// Config is every setting. Each is a flag and an environment variable; the tags are
// the reference that --help prints.
type Config struct {
	Listen      string `env:"WF_LISTEN" default:"127.0.0.1:8081" help:"Address to serve on."`
	DatabaseURL Secret `env:"WF_DATABASE_URL" default:"sqlite:.data/wf.db" help:"sqlite:PATH or postgres://…"`
	DatabaseMax int    `env:"WF_DATABASE_MAX_CONNS" default:"20" help:"Connections to the database at most."`
	Dev         bool   `env:"WF_DEV" help:"Development: own token issuer, http and loopback webhooks. Listens on loopback only."`
	DataDir     string `env:"WF_DATA_DIR" default:".data" help:"Where --dev keeps its keys."`

	AuthIssuer     string        `env:"WF_AUTH_ISSUER" help:"Issuer of the tokens; iss must equal it."`
	AuthAudience   string        `env:"WF_AUTH_AUDIENCE" default:"countersign" help:"aud must be or contain it."`
	AuthJWKSURL    string        `env:"WF_AUTH_JWKS_URL" help:"The issuer's keys; found by discovery when not set."`
	AuthJWKSFile   string        `env:"WF_AUTH_JWKS_FILE" help:"The issuer's keys as a file, instead."`
	AuthAlgorithms []string      `env:"WF_AUTH_ALGORITHMS" default:"RS256,PS256,ES256" help:"Signature algorithms accepted; EdDSA may be added."`
	AuthLeeway     time.Duration `env:"WF_AUTH_LEEWAY" default:"30s" help:"How far the issuer's clock may be off, up to 60s."`
	ClientID       string        `env:"WF_CLIENT_ID" default:"wf" help:"Client whose roles count besides the realm's."`
	UserClaim      string        `env:"WF_USER_CLAIM" default:"sub" help:"Claim with the immutable user id."`
	RoleClaims     []string      `env:"WF_ROLE_CLAIMS" help:"JSON pointers to arrays of roles, instead of realm_access and the client's."`

	Webhooks       map[string]string `env:"WF_WEBHOOKS" help:"Endpoints that policies may name: NAME=URL;…"`
	WebhookSecrets Secrets           `env:"WF_WEBHOOK_SECRETS" help:"Their secrets: NAME=whsec_…;… Two, separated by a space, while one replaces the other."`
	CallbackHosts  Secrets           `env:"WF_CALLBACK_HOSTS" help:"Hosts that callback_url may name, with their secrets: HOST=whsec_…;…"`

	OutboundHTTP  bool     `env:"WF_ALLOW_HTTP_OUTBOUND" help:"Let webhooks and key URLs be http."`
	OutboundAllow []string `env:"WF_OUTBOUND_ALLOW" help:"Private networks that may be called, as CIDR."`
	OutboundPorts []uint16 `env:"WF_OUTBOUND_PORTS" help:"Ports that may be called; 443 when not set."`

	IdempotencyTTL   time.Duration `env:"WF_IDEMPOTENCY_TTL" default:"168h" help:"How long a reply can be repeated by its Idempotency-Key."`
	ServiceApprovers bool          `env:"WF_ALLOW_SERVICE_APPROVERS" help:"Let service accounts claim and decide."`
	FourEyes         bool          `env:"WF_POLICY_FOUR_EYES" help:"Who edited a policy version last may not activate it."`
	ServiceID        string        `env:"WF_SERVICE_ID" default:"wf" help:"The envelope's id."`
	MaxInFlight      int           `env:"WF_MAX_IN_FLIGHT" default:"256" help:"Calls at a time; more get 503."`
	DrainDelay       time.Duration `env:"WF_DRAIN_DELAY" default:"2s" help:"From the stop signal until connections are closed, for load balancers."`
	LogLevel         slog.Level    `env:"WF_LOG_LEVEL" default:"info" help:"debug, info, warn or error."`
}

// Secret is a setting that is never printed.
type Secret string

// String hides the secret from those who ask for text.
func (Secret) String() string { return redacted }

// LogValue hides it from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// Format hides the secret from fmt, whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText hides it from encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

const redacted = "[redacted]"

// Secrets are secrets by name. As text they are NAME=SECRET;…
type Secrets map[string]Secret

// UnmarshalText adds the secrets of the text. It never fails: the program would print
// the text with the error. What is not of the form gets an empty name, for Validate
// to refuse.
func (s *Secrets) UnmarshalText(text []byte) error {
	if *s == nil {
		*s = Secrets{}
	}
	for entry := range strings.SplitSeq(string(text), ";") {
		name, secret, named := strings.Cut(strings.TrimSpace(entry), "=")
		if named && !strings.HasPrefix(name, "whsec_") { // base64 may end in =
			(*s)[strings.TrimSpace(name)] = Secret(secret)
		} else if name != "" {
			(*s)[""] = Secret(entry)
		}
	}
	return nil
}

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

// Development identity: every local service and tool agrees on it.
const (
	DevIssuer  = "https://dev.countersign.local"
	devKeyFile = "dev-issuer.jwk"
	devSecret  = "dev-webhook.secret" // #nosec G101 -- the name of a file
)

// Validate reports every problem of the configuration, each naming its variable.
func (c *Config) Validate() error {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if c.Dev {
		if host, _, err := net.SplitHostPort(c.Listen); err != nil || !loopback(host) {
			problem("WF_LISTEN: development mode listens on loopback only, such as 127.0.0.1:8081")
		}
	}
	if c.IdempotencyTTL < time.Hour {
		problem("WF_IDEMPOTENCY_TTL: must be at least 1h")
	}
	if c.DatabaseMax < 2 {
		problem("WF_DATABASE_MAX_CONNS: must be at least 2")
	}
	if c.MaxInFlight < 1 {
		problem("WF_MAX_IN_FLIGHT: must be at least 1")
	}
	policy, err := c.outbound()
	if err != nil {
		problem("WF_OUTBOUND_ALLOW, WF_OUTBOUND_PORTS: %w", err)
	}
	c.checkAuth(policy, problem)
	for name, url := range c.Webhooks {
		if err := policy.CheckURL(url); err != nil {
			problem("WF_WEBHOOKS: endpoint %s: %w", name, err)
		}
		if _, ok := c.WebhookSecrets[name]; !ok {
			problem("WF_WEBHOOK_SECRETS: endpoint %s has no secret", name)
		}
	}
	for name := range c.WebhookSecrets {
		if _, ok := c.Webhooks[name]; !ok && name != "" {
			problem("WF_WEBHOOKS: no endpoint %s for its secret", name)
		}
	}
	unnamed := false
	for variable, secrets := range map[string]Secrets{"WF_WEBHOOK_SECRETS": c.WebhookSecrets, "WF_CALLBACK_HOSTS": c.CallbackHosts} {
		if _, found := secrets[""]; found {
			unnamed = true
			problem("%s: write each secret as NAME=whsec_…, separated by semicolons", variable)
		}
	}
	if _, err := worker.NewSecrets(plain(c.WebhookSecrets), plain(c.CallbackHosts)); err != nil && !unnamed {
		problem("WF_WEBHOOK_SECRETS, WF_CALLBACK_HOSTS: %w", err)
	}
	return errors.Join(problems...)
}

// checkAuth reports what is wrong with the settings of the token issuer.
func (c *Config) checkAuth(policy egress.Policy, problem func(format string, args ...any)) {
	switch {
	case c.AuthIssuer == "" && !c.Dev:
		problem("WF_AUTH_ISSUER: name the token issuer, or start with --dev")
	case c.AuthJWKSURL != "" && c.AuthJWKSFile != "":
		problem("WF_AUTH_JWKS_URL, WF_AUTH_JWKS_FILE: set one of them")
	case c.AuthJWKSURL != "":
		if err := policy.CheckURL(c.AuthJWKSURL); err != nil {
			problem("WF_AUTH_JWKS_URL: %w", err)
		}
	case c.AuthJWKSFile != "":
		if _, err := os.Stat(c.AuthJWKSFile); err != nil {
			problem("WF_AUTH_JWKS_FILE: %w", err)
		}
	case c.AuthIssuer != "":
		if err := policy.CheckURL(c.AuthIssuer); err != nil {
			problem("WF_AUTH_ISSUER: %w; its keys are found there unless WF_AUTH_JWKS_URL or WF_AUTH_JWKS_FILE is set", err)
		}
	}
	if c.AuthAudience == "" {
		problem("WF_AUTH_AUDIENCE: must not be empty")
	}
	for _, name := range c.AuthAlgorithms {
		if !slices.Contains([]string{"RS256", "PS256", "ES256", "EdDSA"}, name) {
			problem("WF_AUTH_ALGORITHMS: %s is not one of RS256, PS256, ES256 and EdDSA", name)
		}
	}
	if c.AuthLeeway < 0 || c.AuthLeeway > time.Minute {
		problem("WF_AUTH_LEEWAY: must be between 0s and 60s")
	}
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// outbound is what the service may call.
func (c *Config) outbound() (egress.Policy, error) {
	policy := egress.Policy{Ports: c.OutboundPorts, AllowHTTP: c.OutboundHTTP || c.Dev, AnyPort: c.Dev, Total: 15 * time.Second, UserAgent: "wf-webhooks/1"}
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

// secrets returns the webhook secrets by endpoint and by callback host.
func (c *Config) secrets() (endpoints, hosts map[string]string, err error) {
	endpoints, hosts = plain(c.WebhookSecrets), plain(c.CallbackHosts)
	if !c.Dev {
		return endpoints, hosts, nil
	}
	secret, err := c.devSecret()
	for _, host := range []string{"127.0.0.1", "localhost"} {
		if _, set := hosts[host]; !set {
			hosts[host] = secret
		}
	}
	return endpoints, hosts, err
}

func plain(secrets Secrets) map[string]string {
	out := make(map[string]string, len(secrets))
	for name, secret := range secrets {
		out[name] = string(secret)
	}
	return out
}

// devSecret is the secret of loopback callbacks in development, made on first use.
func (c *Config) devSecret() (string, error) {
	path := filepath.Join(c.DataDir, devSecret)
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return "", fmt.Errorf("make data folder: %w", err)
	}
	content, err := os.ReadFile(path) // #nosec G304 -- the operator names the folder
	if err == nil {
		return strings.TrimSpace(string(content)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read development webhook secret: %w", err)
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	secret := "whsec_" + base64.StdEncoding.EncodeToString(key)
	if err := os.WriteFile(path, []byte(secret+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("write development webhook secret: %w", err)
	}
	return secret, nil
}
