// Package ui serves the console at /console. It calls the same engine methods as package api, so that
// the permissions and the audit trail are identical.
//
// ui.go lists every page on one line. Package clients has the pages of clients, register the forms of new
// ones, admin the pages of admins, and page what all share. Package words contains the texts.
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
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/admin"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/clients"
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
	page.Service
	site         *frame.Site
	pages        []route
	devToken     func(signin.User) (token string, err error)
	partnerClaim string
}

// SetEngine sets the engine and the sessions. It must be called before the start of the server.
func (u *UI) SetEngine(e *engine.Engine, sessions *session.Store) {
	u.Engine, u.SignIn.Sessions = e, sessions
}

// New registers the pages with the server.
func New(o Options) *UI {
	u := &UI{devToken: o.DevToken, partnerClaim: o.PartnerClaim}
	u.Service = page.Service{Code: o.Code, CallerOf: o.CallerOf, Inbox: o.Inbox}
	u.OpenPage = u.openPage
	u.SignIn = &signin.SignIn{
		Verifier: o.Verifier, Provider: o.Provider,
		UserID: func(t bearer.Token) (string, bool) {
			return t.Subject, t.Subject != "" && !o.CallerOf(t, http.MethodGet).Service
		},
		Begun: func(context.Context, bearer.Token) error { return nil },
	}
	shared := frame.Options{
		Root: page.Root, Cookies: "registrar", Texts: words.Catalogue, Languages: words.Languages,
		Pages: []fs.FS{page.Pages, signin.Pages, clients.Pages, register.Pages, admin.Pages},
		Show:  u.RenderPage, Withhold: page.Withhold, Secure: o.Secure, Now: o.Now, Logger: o.Logger,
	}
	if o.Provider != nil {
		shared.Issuer = o.Provider.Issuer
	}
	u.site = frame.New(shared)
	u.addPages()
	list := make([]web.Page, len(u.pages))
	for i, p := range u.pages {
		list[i] = p.Page
	}
	o.Server.ServePages(web.Pages{Prefix: page.Root, Host: o.Host, List: list, Show: u.site.ServeStatus})
	return u
}

// route is a page with its access level.
type route struct {
	web.Page
	access page.Access
	show   func(*page.Request) error
}

// route adds a page with the common steps: access check, page, refusal.
func (u *UI) route(method, path string, access page.Access, show func(*page.Request) error) {
	p := web.Page{Method: method, Path: page.Root + path, Handle: func(w http.ResponseWriter, r *http.Request) error {
		return u.Serve(u.site.Request(w, r), access, show)
	}}
	u.pages = append(u.pages, route{p, access, show})
}

// openPage shows the page of GET requests at the address of a request.
func (u *UI) openPage(req *page.Request) error {
	for _, p := range u.pages {
		if p.Method == http.MethodGet && p.Matches(req.R) {
			if err := req.Allow(p.access); err != nil {
				return err
			}
			return p.show(req)
		}
	}
	return req.Status(http.StatusNotFound, "status.Not Found")
}

// adaptPage adapts a page of libs/ui.
func adaptPage(show func(*frame.Request) error) func(*page.Request) error {
	return func(req *page.Request) error { return show(req.Request.Request) }
}

// ofSession adapts a page of libs/ui that needs the session.
func ofSession(show func(*frame.Request, session.Session) error) func(*page.Request) error {
	return func(req *page.Request) error { return show(req.Request.Request, req.Session) }
}

// addPages adds the table of pages.
func (u *UI) addPages() {
	const (
		get, post = http.MethodGet, http.MethodPost
		open      = page.Open
		signed    = page.SignedIn
		members   = page.Members
		admins    = page.Admins
	)
	u.route(get, "/assets/:name", open, adaptPage((*frame.Request).SendAsset))
	u.route(get, "/signin", open, u.showSignIn)
	u.route(post, "/signin", open, u.signInAs)
	u.route(get, "/callback", open, adaptPage(u.SignIn.Callback))
	u.route(get, "/signed-in", signed, adaptPage(u.SignIn.ShowSignedIn))
	u.route(get, "/signed-out", open, adaptPage(u.SignIn.ShowSignedOut))
	u.route(post, "/backchannel-logout", open, adaptPage(u.SignIn.LogOut))
	u.route(post, "/signout", open, adaptPage(u.SignIn.End))
	u.route(post, "/reader", open, adaptPage((*frame.Request).SetReader))
	u.route(get, "/settings", signed, page.ShowSettings)
	u.route(post, "/settings", signed, page.SetSettings)
	u.route(get, "/sessions", signed, ofSession(u.SignIn.ShowSessions))
	u.route(post, "/sessions/others/end", signed, ofSession(u.SignIn.EndOtherSessions))
	u.route(post, "/sessions/:id/end", signed, ofSession(u.SignIn.EndSession))

	u.route(get, "", members, clients.ShowClients)
	u.route(get, "/queues", members, clients.ShowQueue)
	u.route(get, "/queues/:queue", members, clients.ShowQueue)
	u.route(get, "/clients/:id", members, clients.ShowClient)
	u.route(get, "/clients/:id/add-key", members, clients.AddKey.Show)
	u.route(post, "/clients/:id/add-key", members, clients.AddKey.Submit)
	u.route(get, "/clients/:id/remove-key", members, clients.RemoveKey.Show)
	u.route(post, "/clients/:id/remove-key", members, clients.RemoveKey.Submit)
	u.route(get, "/clients/:id/redirects", members, clients.ChangeRedirects.Show)
	u.route(post, "/clients/:id/redirects", members, clients.ChangeRedirects.Submit)
	u.route(get, "/clients/:id/disable", members, clients.Disable.Show)
	u.route(post, "/clients/:id/disable", members, clients.Disable.Submit)
	u.route(get, "/clients/:id/enable", members, clients.Enable.Show)
	u.route(post, "/clients/:id/enable", members, clients.Enable.Submit)
	u.route(get, "/clients/:id/retry", members, clients.Retry.Show)
	u.route(post, "/clients/:id/retry", members, clients.Retry.Submit)
	u.route(get, "/clients/:id/resend", admins, clients.Resend.Show)
	u.route(post, "/clients/:id/resend", admins, clients.Resend.Submit)
	u.route(get, "/clients/:id/abandon", members, clients.Abandon.Show)
	u.route(post, "/clients/:id/abandon", members, clients.Abandon.Submit)
	u.route(get, "/clients/:id/confirm", admins, clients.Confirm.Show)
	u.route(post, "/clients/:id/confirm", admins, clients.Confirm.Submit)
	u.route(get, "/clients/:id/drop", admins, clients.Drop.Show)
	u.route(post, "/clients/:id/drop", admins, clients.Drop.Submit)
	u.route(post, "/clients/:id/compare", admins, clients.CompareClient)

	u.route(get, "/register", members, register.ShowKinds)
	u.route(get, "/register/partner", members, register.Partner.Show)
	u.route(post, "/register/partner", members, register.Partner.Submit)
	u.route(get, "/register/provider", admins, register.Provider.Show)
	u.route(post, "/register/provider", admins, register.Provider.Submit)

	u.route(get, "/admin", admins, admin.ShowPartners)
	u.route(post, "/admin/partners", admins, admin.PutPartner)
	u.route(get, "/admin/partners/:id", admins, admin.ShowPartner)
	u.route(post, "/admin/partners/:id", admins, admin.PutPartner)
	u.route(post, "/admin/partners/:id/policies", admins, admin.MapPolicy)
	u.route(get, "/admin/partners/:id/policies/:policy/withdraw", admins, admin.AskUnmap)
	u.route(post, "/admin/partners/:id/policies/:policy/withdraw", admins, admin.UnmapPolicy)
	u.route(get, "/admin/policies", admins, admin.ShowPolicies)
	u.route(post, "/admin/policies", admins, admin.PutPolicy)
	u.route(get, "/admin/policies/:id", admins, admin.ShowPolicy)
	u.route(post, "/admin/policies/:id", admins, admin.PutPolicy)
	u.route(get, "/admin/tokens", admins, admin.ShowTokens)
	u.route(post, "/admin/tokens", admins, admin.IssueToken)
	u.route(get, "/admin/tokens/:id/revoke", admins, admin.AskRevoke)
	u.route(post, "/admin/tokens/:id/revoke", admins, admin.RevokeToken)
	u.route(get, "/admin/audit", admins, admin.ShowAudit)
	u.route(get, "/admin/audit/export", admins, admin.ExportAudit)
	u.route(get, "/admin/import", admins, admin.ShowImport)
	u.route(post, "/admin/import", admins, admin.Import)
	u.route(post, "/admin/compare", admins, admin.Compare)
}
