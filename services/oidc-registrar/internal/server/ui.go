package server

import (
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/ui/session"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/oidc-registrar/internal/api"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// Console holds the settings of the console.
type Console struct {
	ConsoleClientID     string        `name:"console-client-id" env:"CONSOLE_CLIENT_ID" help:"Client of the issuer for sign-in to /console. Without it the console is off, except with --dev."`
	ConsoleClientSecret daemon.Secret `name:"console-client-secret" env:"CONSOLE_CLIENT_SECRET" help:"Client secret; empty for a public client."`
}

// Sessions of the console end after sessionIdle without a page request, and after sessionLifetime.
const (
	sessionIdle     = time.Hour
	sessionLifetime = 12 * time.Hour
)

// ui returns the console, or nil if it is disabled.
func (s *Service) ui() (*ui.UI, error) {
	c := &s.config
	if !c.Dev && c.ConsoleClientID == "" || c.ReadOnly { // a sign-in writes a session
		return nil, nil
	}
	options := ui.Options{
		Server: s.API.Server, Verifier: s.verifier, CallerOf: s.API.CallerOf, PartnerClaim: c.PartnerClaim, Code: api.Code,
		Inbox: c.inbox(), Now: c.clock(), Logger: s.log,
	}
	if c.Dev {
		options.DevToken = c.devToken
		return ui.New(options), nil
	}
	policy, err := c.OutboundPolicy("oidc-registrar-console/1")
	if err != nil {
		return nil, err
	}
	public, err := url.Parse(c.PublicURL)
	if err != nil {
		return nil, err
	}
	options.Secure, options.Host = public.Scheme == "https", public.Hostname()
	options.Provider = &signin.Provider{
		Issuer: c.AuthIssuer, Setting: prefix + "AUTH_ISSUER", ClientID: c.ConsoleClientID, ClientSecret: string(c.ConsoleClientSecret),
		Scopes: []string{"openid", "profile", "email"}, URL: strings.TrimSuffix(c.PublicURL, "/") + page.Root, Client: egress.New(policy),
		Now: c.clock(), Leeway: bearer.Leeway,
	}
	return ui.New(options), nil
}

// checkConsole validates the settings of the console.
func (c *Config) checkConsole(p *daemon.Problems, policy egress.Policy) {
	if c.ConsoleClientID == "" {
		return
	}
	p.AddIf(!daemon.IsPageAddress(c.PublicURL), "PUBLIC_URL",
		"the console needs the https address at which browsers reach this service, without a path")
	p.AddIf(c.Dev, "CONSOLE_CLIENT_ID", "development mode signs in by the choice of a user")
	p.AddIf(c.EncKeys == "", "ENC_KEYS", "required by the console to encrypt the tokens of sessions")
	p.AddIf(c.AuthIssuer != "" && policy.CheckURL(c.AuthIssuer) != nil, "AUTH_ISSUER",
		"the console has to reach it: see REGISTRAR_OUTBOUND_ALLOW and REGISTRAR_ALLOW_HTTP_OUTBOUND")
}

// inbox returns the address of the inbox of wf, or "" if browsers cannot reach the approval service.
func (c *Config) inbox() string {
	if c.ApprovalURL == "" || !c.Dev && !daemon.IsPageAddress(c.ApprovalURL) {
		return ""
	}
	return strings.TrimSuffix(c.ApprovalURL, "/") + "/inbox"
}

// sessions returns the options of the sessions of the console.
func (s *Service) sessions() session.Options {
	return session.Options{
		Keys: s.Options.Keys, Idle: sessionIdle, Longest: sessionLifetime, TokenLifetime: bearer.MaxLifetime + 2*bearer.Leeway,
	}
}

// devToken returns a token of the development issuer for a sign-in without a password.
func (c *Config) devToken(u signin.User) (string, error) {
	claims := map[string]any{"name": u.Name, "email": u.Email}
	maps.Copy(claims, u.Claims)
	return daemon.DevToken(c.DataDir, bearer.DevToken{
		Subject: u.ID, Audience: c.AuthAudience, Roles: u.Roles, Claims: claims, TTL: sessionLifetime,
	})
}

// clock returns the process's clock, or that of a test.
func (c *Config) clock() func() time.Time {
	if c.Now != nil {
		return c.Now
	}
	return time.Now
}
