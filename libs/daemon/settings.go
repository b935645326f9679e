package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/sqldb"
)

// Settings are those that every service has. A service embeds them in its own with
// its prefix for the environment:
//
//	daemon.Settings `embed:"" envprefix:"WF_"`
//
// The defaults that differ come from kong's variables listen, database and client.
type Settings struct {
	// Prefix is that of the environment, for messages that name a variable.
	Prefix string `kong:"-"`

	Substitutes `kong:"-" json:"-"`

	Listen           string `env:"LISTEN" default:"${listen}" help:"Address to serve on."`
	DatabaseURL      Secret `env:"DATABASE_URL" default:"${database}" help:"sqlite:PATH or postgres://…"`
	DatabaseMaxConns int    `env:"DATABASE_MAX_CONNS" default:"20" help:"Connections to the database at most."`
	Dev              bool   `env:"DEV" help:"Development: own token issuer, http and loopback for outbound calls. Listens on loopback only."`
	DataDir          string `env:"DATA_DIR" default:".data" help:"Where --dev keeps its keys."`

	AuthIssuer     string        `env:"AUTH_ISSUER" help:"Issuer of the tokens; iss must equal it."`
	AuthAudience   string        `env:"AUTH_AUDIENCE" default:"countersign" help:"aud must be or contain it."`
	AuthJWKSURL    string        `name:"auth-jwks-url" env:"AUTH_JWKS_URL" help:"The issuer's keys; found by discovery when not set."`
	AuthJWKSFile   string        `name:"auth-jwks-file" env:"AUTH_JWKS_FILE" help:"The issuer's keys as a file, instead."`
	AuthAlgorithms []string      `env:"AUTH_ALGORITHMS" default:"RS256,PS256,ES256" help:"Signature algorithms accepted; EdDSA may be added."`
	AuthLeeway     time.Duration `env:"AUTH_LEEWAY" default:"30s" help:"How far the issuer's clock may be off, up to 60s."`
	ClientID       string        `env:"CLIENT_ID" default:"${client}" help:"Client whose roles count besides the realm's."`
	RoleClaims     []string      `env:"ROLE_CLAIMS" help:"JSON pointers to arrays of roles, instead of realm_access and the client's."`

	AllowHTTPOutbound bool     `name:"allow-http-outbound" env:"ALLOW_HTTP_OUTBOUND" help:"Let outbound calls be http."`
	OutboundAllow     []string `env:"OUTBOUND_ALLOW" help:"Private networks that may be called, as CIDR."`
	OutboundPorts     []uint16 `env:"OUTBOUND_PORTS" help:"Ports that may be called; 443 when not set."`

	MaxInFlight int           `env:"MAX_IN_FLIGHT" default:"256" help:"Calls at a time; more get 503."`
	DrainDelay  time.Duration `env:"DRAIN_DELAY" default:"2s" help:"From the stop signal until connections are closed, for load balancers."`
	LogLevel    slog.Level    `env:"LOG_LEVEL" default:"info" help:"debug, info, warn or error."`
}

// Substitutes are what a test puts in the place of what a process has: the clock of
// the database and of replies, the network that may be called, and chance. They are nil
// in production.
type Substitutes struct {
	Now     func() time.Time
	Network *egress.Policy
	Chance  func() float64 // from 0 to 1
}

// Secret is a setting that is never printed. string(s) is the value.
type Secret string

const redacted = "[redacted]"

// String hides the secret from those who ask for text.
func (Secret) String() string { return redacted }

// Format hides the secret from fmt, whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue hides it from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides it from encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// fileResolver reads a setting from the file that its variable with _FILE appended
// names, so that secrets need not stand in the environment.
func fileResolver() kong.Resolver {
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

// Problems collects what is wrong with settings.
type Problems struct {
	prefix string
	list   []error
}

// Add says what is wrong with a variable, which is named without the prefix.
func (p *Problems) Add(variable, format string, args ...any) {
	p.list = append(p.list, fmt.Errorf("%s%s: %w", p.prefix, variable, fmt.Errorf(format, args...)))
}

// Err returns all problems as one error, a line each, or nil.
func (p *Problems) Err() error { return errors.Join(p.list...) }

// Check returns the problems of the common settings, for the service to add its own.
func (s *Settings) Check() *Problems {
	p := &Problems{prefix: s.Prefix}
	if s.Listen == "" {
		p.Add("LISTEN", "must not be empty: it would be any address and port")
	} else if s.Dev {
		if host, _, err := net.SplitHostPort(s.Listen); err != nil || !loopback(host) {
			p.Add("LISTEN", "development mode listens on loopback only, such as 127.0.0.1:8080")
		}
	}
	if s.DatabaseMaxConns < 2 {
		p.Add("DATABASE_MAX_CONNS", "must be at least 2")
	}
	if s.MaxInFlight < 1 {
		p.Add("MAX_IN_FLIGHT", "must be at least 1")
	}
	if s.DrainDelay < 0 {
		p.Add("DRAIN_DELAY", "must not be negative")
	}
	policy, err := s.Outbound("")
	if err != nil {
		p.Add("OUTBOUND_ALLOW, "+s.Prefix+"OUTBOUND_PORTS", "%w", err)
	}
	s.checkAuth(policy, p)
	return p
}

// checkAuth adds what is wrong with the settings of the token issuer.
func (s *Settings) checkAuth(policy egress.Policy, p *Problems) {
	if s.AuthIssuer == "" && !s.Dev {
		p.Add("AUTH_ISSUER", "name the token issuer, or start with --dev")
	}
	switch {
	case s.AuthJWKSURL != "" && s.AuthJWKSFile != "":
		p.Add("AUTH_JWKS_URL, "+s.Prefix+"AUTH_JWKS_FILE", "set one of them")
	case s.AuthJWKSURL != "":
		if err := policy.CheckURL(s.AuthJWKSURL); err != nil {
			p.Add("AUTH_JWKS_URL", "%w", err)
		}
	case s.AuthJWKSFile != "":
		if _, err := os.Stat(s.AuthJWKSFile); err != nil {
			p.Add("AUTH_JWKS_FILE", "%w", err)
		}
	case s.AuthIssuer != "":
		if err := policy.CheckURL(s.AuthIssuer); err != nil {
			p.Add("AUTH_ISSUER", "%w; its keys are found there unless %[2]sAUTH_JWKS_URL or %[2]sAUTH_JWKS_FILE is set", err, s.Prefix)
		}
	}
	if s.AuthAudience == "" {
		p.Add("AUTH_AUDIENCE", "must not be empty")
	}
	if len(s.AuthAlgorithms) == 0 {
		p.Add("AUTH_ALGORITHMS", "name at least one")
	}
	for _, name := range s.AuthAlgorithms {
		if !slices.Contains([]string{"RS256", "PS256", "ES256", "EdDSA"}, name) {
			p.Add("AUTH_ALGORITHMS", "%s is not one of RS256, PS256, ES256 and EdDSA", name)
		}
	}
	if s.AuthLeeway < 0 || s.AuthLeeway > time.Minute {
		p.Add("AUTH_LEEWAY", "must be between 0s and 60s")
	}
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// Outbound is what the service may call, in the name of userAgent.
func (s *Settings) Outbound(userAgent string) (egress.Policy, error) {
	if s.Network != nil {
		policy := *s.Network
		policy.UserAgent = userAgent
		return policy, nil
	}
	policy := egress.Policy{Ports: s.OutboundPorts, AllowHTTP: s.AllowHTTPOutbound || s.Dev, AnyPort: s.Dev, UserAgent: userAgent}
	if s.Dev {
		policy.Allow = append(policy.Allow, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	var problems []error
	for _, text := range s.OutboundAllow {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		policy.Allow = append(policy.Allow, prefix)
	}
	return policy, errors.Join(append(problems, policy.Validate())...)
}

// RolePointers are where a token's roles are.
func (s *Settings) RolePointers() []string {
	if len(s.RoleClaims) > 0 {
		return s.RoleClaims
	}
	client := strings.NewReplacer("~", "~0", "/", "~1").Replace(s.ClientID)
	return []string{"/realm_access/roles", "/resource_access/" + client + "/roles"}
}

// Verifier checks the tokens of the configured issuer, or of the development one.
func (s *Settings) Verifier(log *slog.Logger) (*bearer.Verifier, error) {
	policy, err := s.Outbound("")
	if err != nil {
		return nil, err
	}
	config := bearer.Config{
		Issuer: s.AuthIssuer, Audience: s.AuthAudience, JWKSURL: s.AuthJWKSURL, JWKSFile: s.AuthJWKSFile,
		Algorithms: s.AuthAlgorithms, Leeway: s.AuthLeeway, HTTP: policy, Logger: log,
	}
	if s.Dev && s.AuthIssuer == "" {
		issuer, err := openDevIssuer(s.DataDir)
		if err != nil {
			return nil, err
		}
		config.Issuer, config.Keys = DevIssuer, issuer.JWKS()
	}
	return bearer.New(config)
}

// OpenDatabase connects and migrates, trying again while the database cannot be
// reached. It returns nil without an error when ctx ends first.
func (s *Settings) OpenDatabase(ctx context.Context, log *slog.Logger, migrate func(context.Context, *sqldb.DB) error) (*sqldb.DB, error) {
	for {
		db, err := sqldb.Open(ctx, string(s.DatabaseURL), sqldb.Options{Now: s.Now, Logger: log, MaxConns: s.DatabaseMaxConns})
		if err == nil {
			if err = migrate(ctx, db); err == nil {
				return db, nil
			}
			_ = db.Close()
		}
		if ctx.Err() != nil {
			return nil, nil
		}
		if !sqldb.IsUnavailable(err) {
			return nil, fmt.Errorf("%sDATABASE_URL: %w", s.Prefix, err)
		}
		log.Warn("the database cannot be reached; trying again", "error", err)
		select {
		case <-ctx.Done():
			return nil, nil
		case <-time.After(time.Second):
		}
	}
}
