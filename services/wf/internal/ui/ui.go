// Package ui serves the HTML pages of the service at /inbox. It calls the same engine methods as
// package api, so that the permissions are identical.
//
// ui.go lists every page on one line. Package people has the pages of users, console those of
// admins, and page what both share. Package words contains the texts.
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
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/console"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/internal/ui/people"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Options holds the dependencies and settings of the pages.
type Options struct {
	Server   *web.Server // serves the pages
	Verifier *bearer.Verifier
	Actor    func(bearer.Token) (by identity.Actor, service string) // actor of a token
	Code     func(reason error) (status int, code string)           // status of a refusal in the API

	// ReadPolicy reads the document of a policy, with the checks of the API.
	ReadPolicy func(body []byte) (key string, d policy.Definition, details []web.Detail)

	Secure bool   // cookies require https
	Host   string // host name of the pages; empty in development

	// Provider is the OpenID provider for the sign-in; nil with DevToken.
	Provider *signin.Provider

	// DevToken issues a token for a user of the --dev page; nil in production.
	DevToken func(signin.User) (token string, err error)

	Now    func() time.Time
	Logger *slog.Logger

	Patience time.Duration // minimum time limit of a page, for tests; 0 in production
}

// UI serves the pages after the start of the server.
type UI struct {
	page.Service
	site     *frame.Site
	pages    []route
	devToken func(signin.User) (token string, err error)
}

// SetEngine sets the engine and the sessions. It must be called before the start of the server.
func (u *UI) SetEngine(e *engine.Engine, sessions *session.Store) {
	u.Engine, u.SignIn.Sessions = e, sessions
}

// New registers the pages with the server.
func New(o Options) *UI {
	u := &UI{devToken: o.DevToken}
	u.Service = page.Service{Server: o.Server, Code: o.Code, ActorOf: o.Actor, ReadPolicy: o.ReadPolicy, Patience: o.Patience}
	u.OpenPage = u.openPage
	u.SignIn = &signin.SignIn{
		Verifier: o.Verifier, Provider: o.Provider,
		UserID: func(t bearer.Token) (string, bool) {
			by, service := o.Actor(t)
			return by.ID, service == "" && identity.CheckUserID(by.ID) == nil
		},
		Begun: func(ctx context.Context, t bearer.Token) error {
			by, _ := o.Actor(t)
			return u.Engine.People.RememberActor(ctx, by)
		},
	}
	shared := frame.Options{
		Root: page.Root, Cookies: "wf", Texts: words.Catalogue, Languages: words.Languages,
		Pages: []fs.FS{page.Pages, signin.Pages, people.Pages, console.Pages},
		Show:  u.RenderPage, Secure: o.Secure, Now: o.Now, Logger: o.Logger,
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
		viewers   = page.Viewers
		admins    = page.Admins
		owners    = page.AdminsOrOwners
		readers   = page.ViewersOrOwners
	)
	task, request := reason.TaskNotFound, reason.RequestNotFound
	u.route(get, "/assets/:name", open, adaptPage((*frame.Request).SendAsset))
	u.route(get, "/signin", open, u.showSignIn)
	u.route(post, "/signin", open, u.signInAs)
	u.route(get, "/callback", open, adaptPage(u.SignIn.Callback))
	u.route(get, "/signed-in", signed, adaptPage(u.SignIn.ShowSignedIn))
	u.route(get, "/signed-out", open, adaptPage(u.SignIn.ShowSignedOut))
	u.route(post, "/backchannel-logout", open, adaptPage(u.SignIn.LogOut))
	u.route(post, "/signout", open, adaptPage(u.SignIn.End))
	u.route(post, "/reader", open, adaptPage((*frame.Request).SetReader))

	u.route(get, "", signed, people.ShowTasks)
	u.route(post, "/tasks", signed, people.DecideTasks)
	u.route(post, "/tasks/:id/claim", signed, page.ByID(task, people.ClaimTask))
	u.route(post, "/tasks/:id/release", signed, page.ByID(task, people.ReleaseTask))
	u.route(post, "/tasks/:id/decision", signed, page.ByID(task, people.DecideTask))
	u.route(post, "/tasks/:id/reassign", signed, page.ByID(task, people.ReassignTask))

	u.route(get, "/requests/:id", signed, page.ByID(request, people.ShowRequest))
	u.route(post, "/requests/:id/cancel", signed, page.ByID(request, people.CancelRequest))
	u.route(post, "/requests/:id/revoke", signed, page.ByID(request, people.RevokeApproval))
	u.route(post, "/requests/:id/comments", signed, page.ByID(request, people.AddComment))
	u.route(get, "/requests/:id/change", signed, page.ByID(request, people.ShowResubmission))
	u.route(post, "/requests/:id/change", signed, page.ByID(request, people.PrepareResubmission))
	u.route(post, "/requests/:id/resubmit", signed, page.ByID(request, people.ResubmitRequest))

	u.route(get, "/new", signed, people.ShowPolicies)
	u.route(get, "/new/:key", signed, people.ShowSubmission)
	u.route(post, "/new/:key", signed, people.PrepareRequest)
	u.route(post, "/new/:key/send", signed, people.SendRequest)
	u.route(get, "/mine", signed, people.ShowOwnRequests)
	u.route(get, "/people", signed, people.SearchUsers)
	u.route(get, "/delegations", signed, people.ShowDelegations)
	u.route(post, "/delegations", signed, people.CreateDelegation)
	u.route(post, "/delegations/:id/end", signed, page.ByID(reason.DelegationNotFound, people.EndDelegation))
	u.route(get, "/settings", signed, people.ShowSettings)
	u.route(post, "/settings", signed, people.SetSettings)

	u.route(get, "/sessions", signed, ofSession(u.SignIn.ShowSessions))
	u.route(post, "/sessions/others/end", signed, ofSession(u.SignIn.EndOtherSessions))
	u.route(post, "/sessions/:id/end", signed, ofSession(u.SignIn.EndSession))

	u.route(get, "/console", viewers, console.ShowRequests)
	u.route(post, "/requests/:id/reevaluate", signed, page.ByID(request, console.ReevaluateRequest))
	u.route(get, "/console/policies", readers, console.ShowPolicies)
	u.route(get, "/console/policies/new", admins, console.ShowEditor)
	u.route(post, "/console/policies/new", admins, console.EditPolicy)
	u.route(get, "/console/policies/:key", readers, console.ShowVersion)
	u.route(get, "/console/policies/:key/:v", readers, console.ShowVersion)
	u.route(get, "/console/policies/:key/:v/edit", owners, console.ShowEditor)
	u.route(post, "/console/policies/:key/:v/edit", owners, console.EditPolicy)
	u.route(post, "/console/policies/:key/:v/delete", owners, console.DeleteDraft)
	u.route(get, "/console/policies/:key/:v/activate", owners, console.ShowActivation)
	u.route(post, "/console/policies/:key/:v/activate", owners, console.ActivateVersion)
	u.route(post, "/console/policies/:key/:v/deactivate", owners, console.DeactivateVersion)
	u.route(get, "/console/policies/:key/:v/simulate", readers, console.ShowSimulation)
	u.route(post, "/console/policies/:key/:v/simulate", readers, console.Simulate)
	u.route(get, "/console/endpoints", admins, console.ShowEndpoints)
	u.route(post, "/console/endpoints", admins, console.AddEndpoint)
	u.route(post, "/console/endpoints/:id", admins, page.ByID(reason.EndpointNotFound, console.ChangeEndpoint))
	u.route(get, "/console/deliveries", viewers, console.ShowDeliveries)
	u.route(post, "/console/deliveries/recover", admins, console.RecoverDeliveries)
	u.route(post, "/console/deliveries/:id/retry", admins, page.ByID(reason.WrongState, console.RetryDelivery))
	u.route(get, "/console/audit", viewers, console.ShowAudit)
	u.route(get, "/console/health", viewers, console.ShowHealth)
}
