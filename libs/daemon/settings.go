package daemon

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/web"
)

// Settings are the settings of every service. A service embeds them with its prefix of environment
// variables:
//
//	daemon.Settings `embed:"" envprefix:"WF_"`
//
// kong's variables listen, admin, client and audience hold the defaults of a service.
type Settings struct {
	// Prefix is the prefix of environment variables, for messages.
	Prefix string `kong:"-"`

	Substitutes `kong:"-" json:"-"`

	Listen         string `env:"LISTEN" default:"${listen}" help:"Address to serve on."`
	AdminListen    string `env:"ADMIN_LISTEN" default:"${admin}" help:"Address for metrics (/metrics) and profiles (/debug/pprof/), without a token; off for none."`
	DatabaseURL    Secret `env:"DATABASE_URL" help:"sqlite:PATH or postgres://… with at most 20 connections, or pool_max_conns=N. No default, except ${database} with --dev."`
	Dev            bool   `env:"DEV" help:"Development, on loopback only: own token issuer, http and loopback for outbound calls."`
	AllowDevValues bool   `name:"allow-dev-values" env:"ALLOW_DEV_VALUES" help:"Accept the development issuer and the published secrets of the repository. Only for a network without other users."`
	ReadOnly       bool   `env:"READ_ONLY" help:"Read-only mode for a restored backup: only GET, other calls get 503; no jobs, no migration. The only outbound calls fetch the issuer's keys."`
	DataDir        string `default:".data" help:"Folder of the keys of --dev."`

	AuthIssuer   string `env:"AUTH_ISSUER" help:"Issuer of the tokens; iss must equal it."`
	AuthAudience string `env:"AUTH_AUDIENCE" default:"${audience}" help:"aud must be or contain it."`
	AuthJWKSURL  string `name:"auth-jwks-url" env:"AUTH_JWKS_URL" help:"Key set of the issuer: https://… or file:///…; found by discovery when not set."`
	ClientID     string `env:"CLIENT_ID" default:"${client}" help:"Client whose roles apply in addition to the realm's."`

	OutboundSettings `embed:""`

	DrainDelay *time.Duration `env:"DRAIN_DELAY" help:"Time of service after the stop signal, for load balancers; 5s if not set, 0s with --dev."`

	RatePerson  limit.Rate `env:"RATE_PERSON" default:"50/s:100" help:"Rate of calls of one user: CALLS/UNIT:BURST in s, m or h. Calls above it wait up to a second, then get 429. 0 is no limit."`
	RateService limit.Rate `env:"RATE_SERVICE" default:"500/s:1000" help:"Rate of calls of one service account."`
}

// OutboundSettings restrict outbound calls.
type OutboundSettings struct {
	AllowHTTPOutbound bool     `name:"allow-http-outbound" env:"ALLOW_HTTP_OUTBOUND" help:"Let outbound calls be http."`
	OutboundAllow     []string `env:"OUTBOUND_ALLOW" help:"Private networks, as CIDR, and ports beside 443 that may be called, such as 10.5.0.0/16,8443."`
}

// Substitutes are test doubles: the clock of the database and of replies, the permitted network,
// random numbers, time limits and rates. They are nil and 0 in production.
type Substitutes struct {
	Now     func() time.Time
	Network *egress.Policy
	Chance  func() float64 // from 0 to 1

	// Patience is the minimum of each real-time limit of a call or of a part of it. Tests set
	// minutes, so that they pass on a slow machine.
	Patience time.Duration

	// MaxInFlight replaces the limit of concurrent calls.
	MaxInFlight int

	// Unlimited disables the rates that are not settings.
	Unlimited bool
}

// Secret is a setting whose value is never printed. string(s) is the value.
type Secret string

const redacted = "[redacted]"

// String returns [redacted].
func (Secret) String() string { return redacted }

// Format hides the secret from fmt, whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue hides it from slog.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides it from encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// Problems collects the invalid settings.
type Problems struct {
	prefix string
	list   []error
}

// NewProblems returns Problems of variables with a prefix.
func NewProblems(prefix string) *Problems { return &Problems{prefix: prefix} }

// Add adds a problem of a variable, named without the prefix.
func (p *Problems) Add(variable, format string, args ...any) {
	p.list = append(p.list, fmt.Errorf("%s%s: %w", p.prefix, variable, fmt.Errorf(format, args...)))
}

// AddIf adds a problem of a variable if wrong is true.
func (p *Problems) AddIf(wrong bool, variable, format string, args ...any) {
	if wrong {
		p.Add(variable, format, args...)
	}
}

// Err returns all problems as one error, a line each, or nil.
func (p *Problems) Err() error { return problemList(p.list).err() }

// problemList has an error for each invalid setting.
type problemList []error

func (l problemList) err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Error has a line for each.
func (l problemList) Error() string { return errors.Join(l...).Error() }

// Unwrap is for package errors.
func (l problemList) Unwrap() []error { return l }

// Check returns the problems of the common settings and the published secrets in config, the settings
// of the service. The service adds its own problems. Check sets the development database.
func (s *Settings) Check(program Program, config any) *Problems {
	s.Prefix = program.Prefix
	p := NewProblems(s.Prefix)
	if s.DatabaseURL == "" && s.Dev {
		s.DatabaseURL = Secret(program.Database)
	}
	if s.DatabaseURL == "" {
		p.Add("DATABASE_URL", noDatabase)
	} else if local, err := sqldb.IsLocal(string(s.DatabaseURL)); err != nil {
		p.Add("DATABASE_URL", "%w", err)
	} else if s.Dev && !local {
		p.Add("DATABASE_URL", "development mode has its data on this machine: SQLite, or PostgreSQL on loopback")
	}
	if s.Listen == "" {
		p.Add("LISTEN", "must not be empty: it would be any address and port")
	} else if host, _, err := net.SplitHostPort(s.Listen); err != nil {
		p.Add("LISTEN", "must be an address, such as 127.0.0.1:8080")
	} else if s.Dev && !web.IsLoopback(host) {
		p.Add("LISTEN", "development mode listens on loopback only, such as 127.0.0.1:8080")
	}
	s.checkAdmin(p)
	p.AddIf(s.drainDelay() < 0, "DRAIN_DELAY", "must not be negative")
	policy, err := s.OutboundPolicy("")
	p.AddIf(err != nil, "OUTBOUND_ALLOW", "%w", err)
	s.checkAuth(policy, p)
	s.refusePublished(program, config, p)
	return p
}

// checkAuth adds the problems of the token issuer's settings.
func (s *Settings) checkAuth(policy egress.Policy, p *Problems) {
	p.AddIf(strings.TrimSuffix(s.AuthIssuer, "/") == DevIssuer && !s.Dev && !s.AllowDevValues, "AUTH_ISSUER",
		"is the development issuer, whose tokens are for one machine: name the issuer of this installation, or set %sALLOW_DEV_VALUES=true", s.Prefix)
	p.AddIf(s.AuthIssuer == "" && !s.Dev, "AUTH_ISSUER", "name the token issuer, or start with --dev")
	p.AddIf(s.AuthIssuer+s.AuthJWKSURL != "" && s.Dev, "DEV",
		"development mode has a token issuer of its own: unset it, or %[1]sAUTH_ISSUER and %[1]sAUTH_JWKS_URL", s.Prefix)
	switch {
	case s.keyFile() != "":
		_, err := os.Stat(s.keyFile())
		p.AddIf(err != nil, "AUTH_JWKS_URL", "%w", err)
	case s.AuthJWKSURL != "":
		err := policy.CheckURL(s.AuthJWKSURL)
		p.AddIf(err != nil, "AUTH_JWKS_URL", "%w", err)
	case s.AuthIssuer != "":
		err := policy.CheckURL(s.AuthIssuer)
		p.AddIf(err != nil, "AUTH_ISSUER", "%w; its keys are found there unless %[2]sAUTH_JWKS_URL is set", err, s.Prefix)
	}
	p.AddIf(s.AuthAudience == "", "AUTH_AUDIENCE", "must not be empty")
}

// drainDelay is the time of service after SIGTERM: two polls of a load balancer and the timeout of
// one.
func (s *Settings) drainDelay() time.Duration {
	switch {
	case s.DrainDelay != nil:
		return *s.DrainDelay
	case s.Dev:
		return 0
	default:
		return 5 * time.Second
	}
}

// OutboundPolicy returns the policy of outbound calls with a user agent.
func (s *Settings) OutboundPolicy(userAgent string) (egress.Policy, error) {
	if s.Network != nil {
		policy := *s.Network
		policy.UserAgent = userAgent
		return policy, nil
	}
	policy := egress.Policy{
		AllowHTTP: s.AllowHTTPOutbound || s.Dev, AnyPort: s.Dev, UserAgent: userAgent, Settings: s.Prefix,
	}
	if s.Dev {
		policy.Allow = append(policy.Allow, netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128"))
	}
	var problems []error
	for _, text := range s.OutboundAllow {
		prefix, err := netip.ParsePrefix(text)
		port, wrong := strconv.ParseUint(text, 10, 16)
		switch {
		case err == nil:
			policy.Allow = append(policy.Allow, prefix)
		case wrong == nil:
			policy.Ports = append(policy.Ports, uint16(port))
		default:
			problems = append(problems, errors.New("must be networks as CIDR and ports, such as 10.5.0.0/16,8443"))
		}
	}
	if len(policy.Ports) > 0 {
		policy.Ports = append(policy.Ports, 443)
	}
	return policy, errors.Join(append(problems, policy.Validate())...)
}

// authFailures is the rate of refused tokens of one address.
var authFailures = limit.Rate{Calls: 10, Per: time.Second, Burst: 100}

// Rates returns the call rates of callers.
func (s *Settings) Rates() web.Rates {
	return web.Rates{Person: s.RatePerson, Service: s.RateService, AuthFailures: s.Rate(authFailures)}
}

// Rate returns a rate that is not a setting.
func (s *Settings) Rate(r limit.Rate) limit.Rate {
	if s.Unlimited {
		return limit.Rate{}
	}
	return r
}

// RolePointers returns the JSON pointers of a token's roles.
func (s *Settings) RolePointers() []string {
	client := strings.NewReplacer("~", "~0", "/", "~1").Replace(s.ClientID)
	return []string{"/realm_access/roles", "/resource_access/" + client + "/roles"}
}

// keySetting returns the variable that determines the source of the issuer's keys.
func (s *Settings) keySetting() string {
	if s.AuthJWKSURL != "" {
		return s.Prefix + "AUTH_JWKS_URL"
	}
	return s.Prefix + "AUTH_ISSUER"
}

// keyFile returns the file that AuthJWKSURL names, or "" if it names none.
func (s *Settings) keyFile() string {
	file, ok := strings.CutPrefix(s.AuthJWKSURL, "file:")
	if !ok {
		return ""
	}
	return strings.TrimPrefix(file, "//")
}

// Verifier checks the tokens of the configured issuer, or of the development one.
func (s *Settings) Verifier(log *slog.Logger) (*bearer.Verifier, error) {
	policy, err := s.OutboundPolicy("")
	if err != nil {
		return nil, err
	}
	config := bearer.Config{
		Issuer: s.AuthIssuer, Audience: s.AuthAudience, JWKSURL: s.AuthJWKSURL, HTTP: policy,
		Logger: log.With("setting", s.keySetting()),
	}
	if file := s.keyFile(); file != "" {
		config.JWKSURL = ""
		if config.Keys, err = os.ReadFile(file); err != nil { // #nosec G304 -- the operator names the file
			return nil, err
		}
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
