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
	claims := api.Identity{UserClaim: c.UserClaim}
	options := ui.Options{
		Server: face.Server, Verifier: verifier, Now: c.clock(), Logger: log, Patience: c.Patience,
		Code: api.Code, Actor: func(t bearer.Token) (identity.Actor, string) { return claims.Actor(t, t.Roles(c.RolePointers()...)) },
	}
	if c.Dev {
		options.DevToken = c.devToken
		return ui.New(options), nil
	}
	policy, err := c.Outbound("wf-inbox/1")
	if err != nil {
		return nil, err
	}
	public, err := url.Parse(c.InboxURL)
	if err != nil {
		return nil, err
	}
	options.Secure, options.Host = public.Scheme == "https", public.Hostname()
	options.Provider = &signin.Provider{
		Issuer: c.AuthIssuer, ClientID: c.InboxClientID, ClientSecret: string(c.InboxClientSecret),
		Scopes: []string{"openid", "profile", "email"}, URL: c.pages(), Client: egress.New(policy),
		Now: c.clock(), Leeway: bearer.Leeway,
	}
	return ui.New(options), nil
}

// checkInbox validates the settings of the inbox pages.
func (c *Config) checkInbox(p *daemon.Problems, policy egress.Policy) {
	p.If(c.InboxIdle < 5*time.Minute, "INBOX_IDLE", "must be at least 5m")
	p.If(c.InboxSession < c.InboxIdle, "INBOX_SESSION", "must be at least WF_INBOX_IDLE")
	if c.InboxURL != "" || c.InboxClientID != "" {
		u, err := url.Parse(c.InboxURL)
		loopback := err == nil && (u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1")
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !loopback) ||
			strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
			p.Add("INBOX_URL", "must be the https address at which browsers reach this service, without a path")
		}
	}
	if c.InboxClientID == "" {
		return
	}
	p.If(c.Dev, "INBOX_CLIENT_ID", "development mode has a page on which one picks who to be")
	p.If(c.EncKeys == "", "ENC_KEYS", "the inbox needs keys, which encrypt the tokens of who is signed in")
	p.If(c.AuthIssuer != "" && policy.CheckURL(c.AuthIssuer) != nil, "AUTH_ISSUER",
		"the inbox has to reach it: see WF_OUTBOUND_ALLOW, WF_OUTBOUND_PORTS and WF_ALLOW_HTTP_OUTBOUND")
}

// pages returns the external URL of the inbox, or "" if not configured.
func (c *Config) pages() string {
	if c.InboxURL == "" {
		return ""
	}
	return strings.TrimSuffix(c.InboxURL, "/") + page.Root
}

// devToken returns a token of the development issuer for a sign-in without a password.
func (c *Config) devToken(p ui.User) (string, error) {
	return daemon.DevToken(c.DataDir, bearer.DevToken{
		Subject: p.ID, Audience: c.AuthAudience, Roles: p.Roles,
		Claims: map[string]any{"name": p.Name, "email": p.Email}, TTL: c.InboxSession,
	})
}

// clock returns the process's clock, or that of a test.
func (c *Config) clock() func() time.Time {
	if c.Now != nil {
		return c.Now
	}
	return time.Now
}
