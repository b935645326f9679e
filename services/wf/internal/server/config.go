// Package server assembles the service. It reads the configuration, connects the packages, and
// starts and stops them in order. It alone imports all the others.
package server

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/outbox/signing"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// Config holds every setting. Each is a flag and an environment variable; the tags are the
// reference that --help prints.
type Config struct {
	daemon.Settings `embed:"" envprefix:"WF_"`

	// Directory replaces the directory in a test; see engine.Options.Resolve.
	Directory func(context.Context, approver.Question) ([]identity.User, error) `kong:"-" json:"-"`

	MaxWaiting int `kong:"-" json:"-"` // replaces maxWaiting in a test

	UserClaim string `env:"WF_USER_CLAIM" default:"sub" help:"Claim with the immutable user id. With email, tokens without email_verified: true are refused."`

	EncKeys       daemon.Secret `env:"WF_ENC_KEYS" help:"Keys that encrypt the secrets of webhook endpoints: ID:BASE64,… of 32 bytes each. The first encrypts, all decrypt."`
	CallbackHosts Secrets       `env:"WF_CALLBACK_HOSTS" help:"Permitted hosts of callback_url with their secrets: HOST=whsec_…;… During a rotation two secrets, separated by a space."`

	ReceiptKeys   daemon.Secret `env:"WF_RECEIPT_KEYS" help:"Keys that sign receipts and checkpoints: ID:BASE64,… of 32 random bytes each (Ed25519). The first signs. Without them there are none."`
	ReceiptIssuer string        `env:"WF_RECEIPT_ISSUER" help:"Issuer of the receipts and checkpoints, an https URL: iss."`

	CheckpointEvery time.Duration `env:"WF_CHECKPOINT_EVERY" default:"5m" help:"Interval of the checkpoints of the audit trail, 1s to 24h, or 0 for none."`

	KeycloakURL          string        `env:"WF_KEYCLOAK_URL" help:"Realm of Keycloak that answers rules about roles, groups, managers and usernames: https://id.example.org/realms/NAME."`
	KeycloakClientSecret daemon.Secret `env:"WF_KEYCLOAK_CLIENT_SECRET" help:"Secret of the client wf-directory, with the service account that reads the realm."`
	Resolvers            Secrets       `env:"WF_RESOLVERS" help:"HTTP resolvers that rules may name, with their secrets: NAME=URL whsec_…;…"`
	ResolverHosts        Secrets       `env:"WF_RESOLVER_HOSTS" help:"Hosts that the url of an http rule may name, with their secrets: HOST=whsec_…;…"`

	Workers          bool `env:"WF_WORKERS" default:"true" negatable:"" help:"Run the background jobs. If false, another process must run them."`
	ServiceApprovers bool `env:"WF_ALLOW_SERVICE_APPROVERS" help:"Let service accounts claim and decide."`
	FourEyes         bool `env:"WF_POLICY_FOUR_EYES" help:"The last editor of a policy version may not activate it."`
	PeopleSearch     bool `env:"WF_PEOPLE_SEARCH" default:"true" negatable:"" help:"Permit the search for users by name to approvers, delegates, delegators and admins."`

	MCP bool `env:"WF_MCP" help:"Serve the tools of agents by the Model Context Protocol at /v1/wf/mcp of WF_INBOX_URL. No tool decides."`

	InboxClientID     string        `env:"WF_INBOX_CLIENT_ID" help:"Client of the issuer for sign-in. Without it the inbox is off, except with --dev."`
	InboxClientSecret daemon.Secret `env:"WF_INBOX_CLIENT_SECRET" help:"Client secret; empty for a public client."`
	InboxURL          string        `env:"WF_INBOX_URL" help:"External address of the service, such as https://approvals.example.org. If set, messages link to the pages."`

	Notify    Notify `embed:"" envprefix:"WF_"`
	Retention `embed:"" envprefix:"WF_"`
}

const (
	// idempotencyTTL is the lifetime of an Idempotency-Key.
	idempotencyTTL = 7 * 24 * time.Hour

	// maxWaiting is the number of concurrent calls that wait for a change of a request. Further ones return
	// without waiting.
	maxWaiting = 512

	// recordRetention is the retention of deliveries and of events about refused calls.
	recordRetention = 90 * 24 * time.Hour
)

// Retention holds the retention period of wf purge.
type Retention struct {
	Requests daemon.Retention `name:"retention-requests" env:"RETENTION_REQUESTS" default:"forever" help:"Retention of ended requests and their data by wf purge: days such as 730d, or forever."`
}

// check requires that requests outlive idempotency keys. Otherwise a key could replay a reply about
// a purged request.
func (r Retention) check(p *daemon.Problems) {
	p.AddIf(r.Requests != 0 && time.Duration(r.Requests) < idempotencyTTL, "RETENTION_REQUESTS",
		"must be at least %s: the reply of an Idempotency-Key is repeated for so long", daemon.Retention(idempotencyTTL))
}

// Secrets maps names to secrets. The text form is NAME=SECRET;…
type Secrets map[string]daemon.Secret

// UnmarshalText adds the secrets of the text. It never fails, since the program would print the
// text with the error. Malformed entries get an empty name, which Validate rejects.
func (s *Secrets) UnmarshalText(text []byte) error {
	if *s == nil {
		*s = Secrets{}
	}
	for entry := range strings.SplitSeq(string(text), ";") {
		name, secret, named := strings.Cut(strings.TrimSpace(entry), "=")
		if named && !strings.HasPrefix(name, "whsec_") { // base64 may end in =
			(*s)[strings.TrimSpace(name)] = daemon.Secret(secret)
		} else if name != "" {
			(*s)[""] = daemon.Secret(entry)
		}
	}
	return nil
}

const prefix = "WF_"

// Program returns the command line with the defaults of this service.
func Program() daemon.Program {
	return daemon.Program{
		Name: "wf", Description: "Approval requests under versioned policies.",
		Listen: "127.0.0.1:8081", Admin: "127.0.0.1:9081", Database: "sqlite:.data/wf.db", Client: "wf", Audience: "countersign-wf",
		Prefix: prefix, Schema: store.Schema(), Role: string(identity.RoleAdmin), Try: "/v1/wf/policies", Pages: page.Root,
	}
}

// devSecret is the file with the development secret for callbacks and resolvers.
const devSecret = "dev-webhook.secret" // #nosec G101 -- the name of a file

// Validate reports every problem of the configuration with its variable.
func (c *Config) Validate() error {
	p := c.Check(Program(), c)
	p.AddIf(c.MCP && c.InboxURL == "", "MCP", "needs WF_INBOX_URL, the address at which clients reach the service")
	c.Retention.check(p)
	policy, _ := c.outboundPolicy() // validated by Check
	if c.EncKeys != "" {
		_, err := seal.Parse(string(c.EncKeys))
		p.AddIf(err != nil, "ENC_KEYS", "%w", err)
	}
	c.checkReceipts(p)
	p.AddIf(c.CheckpointEvery != 0 && (c.CheckpointEvery < time.Second || c.CheckpointEvery > 24*time.Hour),
		"CHECKPOINT_EVERY", "must be 0, or 1s to 24h")
	c.callbackTargets().check(p, policy)
	c.resolverTargets().check(p, policy)
	c.checkKeycloak(p, policy)
	c.checkInbox(p, policy)
	c.Notify.check(p, c.InboxURL)
	return p.Err()
}

// targets holds receivers of signed messages: by name in policies, or by the host of a URL. The
// variables are named without prefix.
type targets struct {
	namedIn, hostsIn string

	urls           map[string]string
	secrets, hosts Secrets
}

// identity returns the claims of callers.
func (c *Config) identity() api.Identity {
	return api.Identity{UserClaim: c.UserClaim, ServiceApprovers: c.ServiceApprovers}
}

func (c *Config) callbackTargets() targets {
	return targets{hostsIn: "CALLBACK_HOSTS", hosts: c.CallbackHosts}
}

// resolverTargets splits each resolver into its URL and its secrets.
func (c *Config) resolverTargets() targets {
	t := targets{
		namedIn: "RESOLVERS", hostsIn: "RESOLVER_HOSTS", urls: map[string]string{}, secrets: Secrets{}, hosts: c.ResolverHosts,
	}
	for name, value := range c.Resolvers {
		address, secret, _ := strings.Cut(string(value), " ")
		t.urls[name], t.secrets[name] = address, daemon.Secret(strings.TrimSpace(secret))
	}
	return t
}

func (t targets) check(p *daemon.Problems, policy egress.Policy) {
	complete := true
	for name, address := range t.urls {
		if name == "" || t.secrets[name] == "" {
			complete = false
		}
		switch {
		case name == "":
			p.Add(t.namedIn, "write each resolver as NAME=URL whsec_…, separated by semicolons")
		case t.secrets[name] == "":
			p.Add(t.namedIn, "%s has no secret: write NAME=URL whsec_…", name)
		case policy.CheckURL(address) != nil:
			p.Add(t.namedIn, "%s: %w", name, policy.CheckURL(address))
		}
	}
	if _, found := t.hosts[""]; found {
		complete = false
		p.Add(t.hostsIn, "write each secret as HOST=whsec_…, separated by semicolons")
	}
	_, err := signing.NewSecrets(plaintext(t.secrets), plaintext(t.hosts))
	p.AddIf(err != nil && complete, t.variables(), "%w", err)
}

// variables returns the variables that contain secrets. Problems adds the prefix of the first.
func (t targets) variables() string {
	if t.namedIn == "" {
		return t.hostsIn
	}
	return t.namedIn + ", " + prefix + t.hostsIn
}

func (c *Config) checkKeycloak(p *daemon.Problems, policy egress.Policy) {
	if c.KeycloakURL == "" {
		return
	}
	err := policy.CheckURL(c.KeycloakURL)
	p.AddIf(err != nil, "KEYCLOAK_URL", "%w", err)
	_, _, ok := c.keycloakRealm()
	p.AddIf(!ok, "KEYCLOAK_URL", "must end in /realms/NAME, such as https://id.example.org/realms/staff")
	p.AddIf(c.KeycloakClientSecret == "", "KEYCLOAK_CLIENT_SECRET", "WF_KEYCLOAK_URL needs it")
	// Keycloak's ids are the subjects of its tokens.
	p.AddIf(c.UserClaim != "sub", "USER_CLAIM", "must be sub with WF_KEYCLOAK_URL, because the directory identifies users by sub")
}

// keycloakRealm splits KeycloakURL into the URL of the server and the name of the realm.
func (c *Config) keycloakRealm() (server, realm string, ok bool) {
	server, escaped, _ := strings.Cut(strings.TrimSuffix(c.KeycloakURL, "/"), "/realms/")
	realm, err := url.PathUnescape(escaped)
	return server, realm, err == nil && escaped != "" && !strings.ContainsAny(escaped, "/?#")
}

// outboundPolicy returns the egress policy.
func (c *Config) outboundPolicy() (egress.Policy, error) {
	policy, err := c.OutboundPolicy("wf-webhooks/1")
	policy.Total = 15 * time.Second
	return policy, err
}

// secrets returns the signing secrets of the targets. Development signs for loopback hosts as well.
func (c *Config) secrets(t targets) (signing.Secrets, error) {
	hosts := plaintext(t.hosts)
	if c.Dev {
		secret, err := c.DevelopmentSecret(devSecret, func() string { return "whsec_" + seal.NewKey() })
		if err != nil {
			return signing.Secrets{}, err
		}
		for _, host := range []string{"127.0.0.1", "localhost"} {
			if _, set := hosts[host]; !set {
				hosts[host] = secret
			}
		}
	}
	secrets, err := signing.NewSecrets(plaintext(t.secrets), hosts)
	if err != nil {
		return secrets, fmt.Errorf("%s%s: %w", prefix, t.variables(), err)
	}
	return secrets, nil
}

func plaintext(secrets Secrets) map[string]string {
	out := make(map[string]string, len(secrets))
	for name, secret := range secrets {
		out[name] = string(secret)
	}
	return out
}
