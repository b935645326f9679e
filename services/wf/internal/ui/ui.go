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
	"github.com/countersign/countersign/libs/ui/site"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/console"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/internal/ui/people"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/reason"
)

// Options holds the dependencies and settings of the pages.
type Options struct {
	page.Service // without Engine and SignIn

	Verifier *bearer.Verifier

	Secure bool   // cookies require https
	Host   string // host name of the pages; empty in development

	// Provider is the OpenID provider for the sign-in; nil with DevToken.
	Provider *signin.Provider

	// DevToken issues a token for a user of the --dev page; nil in production.
	DevToken func(signin.User) (token string, err error)

	Now    func() time.Time
	Logger *slog.Logger
}

// UI serves the pages after the start of the server.
type UI struct {
	service *page.Service
	site    *site.Site[*page.Request]
}

// SetEngine sets the engine and the sessions. It must be called before the start of the server.
func (u *UI) SetEngine(e *engine.Engine, sessions *session.Store) {
	u.service.Engine, u.service.SignIn.Sessions = e, sessions
}

// New registers the pages with the server.
func New(o Options) *UI {
	u := &UI{}
	signIn := &signin.SignIn{
		Verifier: o.Verifier, Provider: o.Provider,
		UserID: func(t bearer.Token) (string, bool) {
			by, service := o.ActorOf(t)
			return by.ID, service == "" && identity.CheckUserID(by.ID) == nil
		},
		Begun: func(ctx context.Context, t bearer.Token) error {
			by, _ := o.ActorOf(t)
			return u.service.Engine.People.RememberActor(ctx, by)
		},
	}
	u.service = &o.Service
	u.service.SignIn = signIn
	u.site = site.New(site.Options[*page.Request]{
		Options: frame.Options{
			Root: page.Root, Cookies: "wf", Texts: words.Catalogue, Languages: words.Languages,
			Pages:  []fs.FS{page.Pages, signin.Pages, people.Pages, console.Pages},
			Secure: o.Secure, Now: o.Now, Logger: o.Logger,
		},
		Server: o.Server, Host: o.Host, SignIn: signIn, New: u.service.New,
		Shortcuts: map[string]string{"/console": page.Root + "/console"},
		DevToken:  o.DevToken, Users: users, Entered: enteredUser, Prepare: prepareUsers,
	})
	u.addPages()
	u.site.Serve()
	return u
}

// addPages adds the table of pages.
func (u *UI) addPages() {
	const (
		get, post = http.MethodGet, http.MethodPost
		signed    = site.SignedIn
		viewers   = page.Viewers
		admins    = page.Admins
		owners    = page.AdminsOrOwners
		readers   = page.ViewersOrOwners
	)
	add, task, request := u.site.Add, reason.TaskNotFound, reason.RequestNotFound
	add(get, "", signed, people.ShowTasks)
	add(get, "/start", signed, people.ShowStart)
	add(post, "/tasks", signed, people.DecideTasks)
	add(post, "/tasks/:id/claim", signed, page.ByID(task, people.ClaimTask))
	add(post, "/tasks/:id/release", signed, page.ByID(task, people.ReleaseTask))
	add(post, "/tasks/:id/decision", signed, page.ByID(task, people.DecideTask))
	add(post, "/tasks/:id/withdraw", signed, page.ByID(task, people.WithdrawTask))
	add(post, "/tasks/:id/reassign", signed, page.ByID(task, people.ReassignTask))

	add(get, "/requests/:id", signed, page.ByID(request, people.ShowRequest))
	add(get, "/requests/:id/receipt", signed, page.ByID(request, people.ShowReceipt))
	add(post, "/requests/:id/cancel", signed, page.ByID(request, people.CancelRequest))
	add(post, "/requests/:id/revoke", signed, page.ByID(request, people.RevokeApproval))
	add(post, "/requests/:id/comments", signed, page.ByID(request, people.AddComment))
	add(get, "/requests/:id/change", signed, page.ByID(request, people.ShowResubmission))
	add(post, "/requests/:id/change", signed, page.ByID(request, people.ResubmitRequest))

	add(get, "/new", signed, people.ShowPolicies)
	add(get, "/new/:key", signed, people.ShowSubmission)
	add(post, "/new/:key", signed, people.SubmitRequest)
	add(get, "/mine", signed, people.ShowOwnRequests)
	add(get, "/people", signed, people.SearchUsers)
	add(get, "/delegations", signed, people.ShowDelegations)
	add(post, "/delegations", signed, people.CreateDelegation)
	add(post, "/delegations/:id/end", signed, page.ByID(reason.DelegationNotFound, people.EndDelegation))
	add(get, "/settings", signed, people.ShowSettings)
	add(post, "/settings", signed, people.SetSettings)

	add(get, "/console", viewers, console.ShowRequests)
	add(post, "/requests/:id/reevaluate", signed, page.ByID(request, console.ReevaluateRequest))
	add(get, "/console/policies", readers, console.ShowPolicies)
	add(get, "/console/policies/new", admins, console.ShowEditor)
	add(post, "/console/policies/new", admins, console.EditPolicy)
	add(get, "/console/policies/:key", readers, console.ShowVersion)
	add(get, "/console/policies/:key/:v", readers, console.ShowVersion)
	add(get, "/console/policies/:key/:v/edit", owners, console.ShowEditor)
	add(post, "/console/policies/:key/:v/edit", owners, console.EditPolicy)
	add(post, "/console/policies/:key/:v/delete", owners, console.DeleteDraft)
	add(get, "/console/policies/:key/:v/activate", owners, console.ShowActivation)
	add(post, "/console/policies/:key/:v/activate", owners, console.ActivateVersion)
	add(post, "/console/policies/:key/:v/deactivate", owners, console.DeactivateVersion)
	add(get, "/console/policies/:key/:v/simulate", readers, console.ShowSimulation)
	add(post, "/console/policies/:key/:v/simulate", readers, console.Simulate)
	add(get, "/console/endpoints", admins, console.ShowEndpoints)
	add(post, "/console/endpoints", admins, console.AddEndpoint)
	add(post, "/console/endpoints/:id", admins, page.ByID(reason.EndpointNotFound, console.ChangeEndpoint))
	add(get, "/console/deliveries", viewers, console.ShowDeliveries)
	add(post, "/console/deliveries/recover", admins, console.RecoverDeliveries)
	add(post, "/console/deliveries/:id/retry", admins, page.ByID(reason.WrongState, console.RetryDelivery))
	add(get, "/console/audit", viewers, console.ShowAudit)
	add(get, "/console/audit/export", viewers, console.ExportAudit)
	add(get, "/console/health", viewers, console.ShowHealth)
}
