package server

import (
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/api"
	"github.com/countersign/countersign/services/wf/internal/ui"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// ui returns the pages, or nil if they are disabled.
func (c *Config) ui(face *api.API, verifier *bearer.Verifier, log *slog.Logger) (*ui.UI, error) {
	if !c.Dev && c.InboxClientID == "" || c.ReadOnly { // a sign-in writes a session
		return nil, nil
	}
	claims := c.identity()
	options := ui.Options{Verifier: verifier, Now: c.clock(), Logger: log, Service: page.Service{
		Server: face.Server, Code: api.Code, ReadPolicy: face.ReadPolicy, Patience: c.Patience,
		ActorOf: func(t bearer.Token) (identity.Actor, string) { return claims.Actor(t, t.Roles(c.RolePointers()...)) },
	}}
	if c.Dev {
		options.DevToken = c.devToken
		return ui.New(options), nil
	}
	policy, err := c.OutboundPolicy("wf-inbox/1")
	if err != nil {
		return nil, err
	}
	public, err := url.Parse(c.InboxURL)
	if err != nil {
		return nil, err
	}
	options.Secure, options.Host = public.Scheme == "https", public.Hostname()
	options.Provider = &signin.Provider{
		Issuer: c.AuthIssuer, Setting: prefix + "AUTH_ISSUER", ClientID: c.InboxClientID, ClientSecret: string(c.InboxClientSecret),
		Scopes: []string{"openid", "profile", "email"}, URL: c.pages(), Client: egress.New(policy),
		Now: c.clock(), Leeway: bearer.Leeway,
	}
	return ui.New(options), nil
}

// Sessions of the inbox end after sessionIdle without a page request, and after sessionLifetime.
const (
	sessionIdle     = time.Hour
	sessionLifetime = 12 * time.Hour
)

// checkInbox validates the settings of the inbox pages.
func (c *Config) checkInbox(p *daemon.Problems, policy egress.Policy) {
	p.AddIf((c.InboxURL != "" || c.InboxClientID != "") && !daemon.IsPageAddress(c.InboxURL), "INBOX_URL",
		"must be the https address at which browsers reach this service, without a path")
	if c.InboxClientID == "" {
		return
	}
	p.AddIf(c.Dev, "INBOX_CLIENT_ID", "development mode signs in by the choice of a user")
	p.AddIf(c.EncKeys == "", "ENC_KEYS", "required by the inbox to encrypt the tokens of sessions")
	p.AddIf(c.AuthIssuer != "" && policy.CheckURL(c.AuthIssuer) != nil, "AUTH_ISSUER",
		"the inbox has to reach it: see WF_OUTBOUND_ALLOW and WF_ALLOW_HTTP_OUTBOUND")
}

// pages returns the external URL of the inbox, or "" if not configured.
func (c *Config) pages() string {
	if c.InboxURL == "" {
		return ""
	}
	return strings.TrimSuffix(c.InboxURL, "/") + page.Root
}

// devToken returns a token of the development issuer for a sign-in without a password.
func (c *Config) devToken(p signin.User) (string, error) {
	return daemon.DevToken(c.DataDir, bearer.DevToken{
		Subject: p.ID, Audience: c.AuthAudience, Roles: p.Roles,
		Claims: map[string]any{"name": p.Name, "email": p.Email}, TTL: sessionLifetime,
	})
}

// clock returns the process's clock, or that of a test.
func (c *Config) clock() func() time.Time {
	if c.Now != nil {
		return c.Now
	}
	return time.Now
}
