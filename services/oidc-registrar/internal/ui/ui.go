// Package ui serves the console at /console. It calls the same engine methods as package api, so that
// the permissions and the audit trail are identical.
//
// ui.go lists every page on one line. Package clients has the pages of clients, register the forms of new
// ones, mappings the mapping requests, admin the pages of admins, and page what all share. Package words contains
// the texts.
package ui

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/session"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/libs/ui/site"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/admin"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/clients"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/mappings"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/register"
	"github.com/countersign/countersign/services/oidc-registrar/internal/words"
)

// Options holds the dependencies and settings of the pages.
type Options struct {
	Server       *web.Server // serves the pages
	Verifier     *bearer.Verifier
	CallerOf     func(token bearer.Token, method string) engine.Caller
	PartnerClaim string                                       // claim of the partner, for DevToken
	Code         func(reason error) (status int, code string) // status of a refusal in the API
	Secure       bool                                         // cookies require https
	Host         string                                       // host name of the pages; empty in development
	Inbox        string                                       // address of the inbox of wf, for links; may be empty

	// Provider is the OpenID provider for the sign-in; nil with DevToken.
	Provider *signin.Provider

	// DevToken issues a token for a user of the --dev page; nil in production.
	DevToken func(signin.User) (token string, err error)

	Now    func() time.Time
	Logger *slog.Logger
}

// UI serves the pages after the start of the server.
type UI struct {
	SignIn  *signin.SignIn
	service *page.Service
	site    *site.Site[*page.Request]
}

// SetEngine sets the engine and the sessions. It must be called before the start of the server.
func (u *UI) SetEngine(e *engine.Engine, sessions *session.Store) {
	u.service.Engine, u.SignIn.Sessions = e, sessions
}

// New registers the pages with the server.
func New(o Options) *UI {
	u := &UI{service: &page.Service{Code: o.Code, CallerOf: o.CallerOf, Inbox: o.Inbox}}
	u.SignIn = &signin.SignIn{
		Verifier: o.Verifier, Provider: o.Provider,
		UserID: func(t bearer.Token) (string, bool) {
			return t.Subject, t.Subject != "" && !o.CallerOf(t, http.MethodGet).Service
		},
		Begun: func(context.Context, bearer.Token) error { return nil },
	}
	dev := development{o.PartnerClaim}
	u.site = site.New(site.Options[*page.Request]{
		Options: frame.Options{
			Root: page.Root, Cookies: "registrar", Texts: words.Catalogue, Languages: words.Languages,
			Pages:    []fs.FS{page.Pages, signin.Pages, clients.Pages, register.Pages, mappings.Pages, admin.Pages},
			Withhold: page.Withhold, Secure: o.Secure, Now: o.Now, Logger: o.Logger,
		},
		Server: o.Server, Host: o.Host, SignIn: u.SignIn, New: u.service.New,
		DevToken: o.DevToken, Users: dev.users(), Entered: dev.entered,
	})
	u.addPages()
	u.site.Serve()
	return u
}

// formPage is a form at an address of its own, which receives it too.
type formPage interface {
	Show(*page.Request) error
	Submit(*page.Request) error
}

// addPages adds the table of pages.
func (u *UI) addPages() {
	const (
		get, post = http.MethodGet, http.MethodPost
		signed    = site.SignedIn
		members   = page.Members
		admins    = page.Admins
	)
	add := u.site.Add
	form := func(path string, access site.Access, f formPage) {
		add(get, path, access, f.Show)
		add(post, path, access, f.Submit)
	}
	add(get, "/settings", signed, page.ShowSettings)
	add(post, "/settings", signed, page.SetSettings)
	add(get, "", members, clients.ShowClients)
	add(get, "/queues", members, clients.ShowQueue)
	add(get, "/queues/:queue", members, clients.ShowQueue)
	add(get, "/clients/:id", members, clients.ShowClient)
	form("/clients/:id/add-key", members, clients.AddKey)
	form("/clients/:id/remove-key", members, clients.RemoveKey)
	form("/clients/:id/redirects", members, clients.ChangeRedirects)
	form("/clients/:id/disable", members, clients.Disable)
	form("/clients/:id/enable", members, clients.Enable)
	form("/clients/:id/retry", members, clients.Retry)
	form("/clients/:id/resend", admins, clients.Resend)
	form("/clients/:id/abandon", members, clients.Abandon)
	form("/clients/:id/confirm", admins, clients.Confirm)
	form("/clients/:id/drop", admins, clients.Drop)
	add(post, "/clients/:id/compare", admins, clients.CompareClient)

	add(get, "/register", members, register.ShowKinds)
	form("/register/partner", members, register.Partner)
	form("/register/provider", admins, register.Provider)

	add(get, "/mappings", members, mappings.List)
	add(post, "/mappings", members, mappings.Ask)
	add(get, "/mappings/:key", members, mappings.Show)
	add(post, "/mappings/:key", admins, mappings.Decide)

	add(get, "/admin", admins, admin.ShowPartners)
	add(post, "/admin/partners", admins, admin.PutPartner)
	add(get, "/admin/partners/:id", admins, admin.ShowPartner)
	add(post, "/admin/partners/:id", admins, admin.PutPartner)
	add(post, "/admin/partners/:id/policies", admins, admin.MapPolicy)
	add(post, "/admin/partners/:id/policies/:policy/withdraw", admins, admin.UnmapPolicy)
	add(get, "/admin/policies", admins, admin.ShowPolicies)
	add(post, "/admin/policies", admins, admin.PutPolicy)
	add(get, "/admin/policies/:id", admins, admin.ShowPolicy)
	add(post, "/admin/policies/:id", admins, admin.PutPolicy)
	add(get, "/admin/tokens", admins, admin.ShowTokens)
	add(post, "/admin/tokens", admins, admin.IssueToken)
	add(post, "/admin/tokens/:id/revoke", admins, admin.RevokeToken)
	add(get, "/admin/audit", admins, admin.ShowAudit)
	add(get, "/admin/audit/export", admins, admin.ExportAudit)
	add(get, "/admin/import", admins, admin.ShowImport)
	add(post, "/admin/import", admins, admin.Import)
}
