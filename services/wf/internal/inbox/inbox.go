// Package inbox serves the HTML pages of the service at /inbox. It calls the same engine methods as
// package api, so that the permissions are identical. It contains no SQL.
//
// Every page is HTML from a template, and every action a form; scripts are optional. A browser
// holds the random id of a session and never a token. inbox.go lists every page on one line.
// visit.go contains the common steps of a page, and the other files the pages of their resource.
// Package words contains the texts.
package inbox

import (
	"embed"
	"log/slog"
	"net/http"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/reason"
)

//go:embed pages
var pages embed.FS

// Root is the path of the first page and the prefix of the others.
const Root = "/inbox"

// Options holds the dependencies and settings of an Inbox.
type Options struct {
	Server   *web.Server // serves the pages
	Verifier *bearer.Verifier
	Actor    func(bearer.Token) (by identity.Actor, service string) // actor of a token
	Code     func(reason error) (status int, code string)           // status of a refusal in the API
	Times    engine.SessionTimes
	Secure   bool   // cookies require https
	Host     string // host name of the pages; empty in development

	// Provider is the OpenID provider for the sign-in; nil with Dev.
	Provider *Provider

	// Dev issues a token for a user of the --dev page; nil in production.
	Dev func(Person) (token string, err error)

	Now    func() time.Time
	Logger *slog.Logger

	Patience time.Duration // minimum time limit of a page, for tests; 0 in production
}

// Inbox serves the pages after the start of the server.
type Inbox struct {
	Options
	engine *engine.Engine
	site   *frame.Site
}

// Use sets the engine. It must be called before the start of the server.
func (i *Inbox) Use(e *engine.Engine) { i.engine = e }

// New registers the pages with the server.
func New(o Options) *Inbox {
	i := &Inbox{Options: o}
	shared := frame.Options{
		Root: Root, Cookies: "wf", Texts: words.Catalogue, Languages: words.Languages, Pages: pages,
		ShowStatus: i.showStatus, Secure: o.Secure, Now: o.Now, Logger: o.Logger,
	}
	if o.Provider != nil {
		shared.Issuer = o.Provider.Issuer
	}
	i.site = frame.New(shared)
	o.Server.ServePages(web.Pages{Prefix: Root, Host: o.Host, List: i.pages(), Show: i.site.ServeStatus})
	return i
}

// access is the access level of a page. The engine checks the rights on single objects.
type access int

const (
	open    access = iota // no session required
	signed                // signed-in users
	viewers               // users with WF_VIEWER or WF_ADMIN
	admins                // users with WF_ADMIN
)

// pages returns the table of pages.
func (i *Inbox) pages() []web.Page {
	const get, post = http.MethodGet, http.MethodPost
	return []web.Page{
		i.page(get, "/assets/:name", open, func(v *visit) error { return v.SendAsset() }),
		i.page(get, "/signin", open, (*visit).signIn),
		i.page(post, "/signin", open, (*visit).signInAs),
		i.page(get, "/callback", open, (*visit).callback),
		i.page(get, "/signed-in", signed, (*visit).signedIn),
		i.page(get, "/signed-out", open, (*visit).signedOut),
		i.page(post, "/backchannel-logout", open, (*visit).issuerSignOut),
		i.page(post, "/signout", open, (*visit).signOut),
		i.page(post, "/reader", open, func(v *visit) error { return v.SetReader() }),

		i.page(get, "", signed, (*visit).work),
		i.page(post, "/tasks", signed, (*visit).decideSeveral),
		i.page(post, "/tasks/:id/claim", signed, about(reason.TaskNotFound, (*visit).claim)),
		i.page(post, "/tasks/:id/release", signed, about(reason.TaskNotFound, (*visit).release)),
		i.page(post, "/tasks/:id/decision", signed, about(reason.TaskNotFound, (*visit).decide)),
		i.page(post, "/tasks/:id/reassign", signed, about(reason.TaskNotFound, (*visit).reassign)),

		i.page(get, "/requests/:id", signed, about(reason.RequestNotFound, (*visit).request)),
		i.page(post, "/requests/:id/cancel", signed, about(reason.RequestNotFound, (*visit).cancel)),
		i.page(post, "/requests/:id/comments", signed, about(reason.RequestNotFound, (*visit).comment)),
		i.page(get, "/requests/:id/change", signed, about(reason.RequestNotFound, (*visit).change)),
		i.page(post, "/requests/:id/resubmit", signed, about(reason.RequestNotFound, (*visit).resubmit)),

		i.page(get, "/ask", signed, (*visit).ask),
		i.page(get, "/ask/:key", signed, (*visit).askFor),
		i.page(post, "/ask/:key", signed, (*visit).sendRequest),
		i.page(get, "/mine", signed, (*visit).mine),
		i.page(get, "/people", signed, (*visit).people),
		i.page(get, "/away", signed, (*visit).away),
		i.page(post, "/away", signed, (*visit).leave),
		i.page(post, "/away/:id/end", signed, about(reason.DelegationNotFound, (*visit).comeBack)),
		i.page(get, "/notifications", signed, (*visit).notifications),
		i.page(post, "/notifications", signed, (*visit).chooseNotifications),

		i.page(get, "/sessions", signed, (*visit).sessions),
		i.page(post, "/sessions/others/end", signed, (*visit).endOtherSessions),
		i.page(post, "/sessions/:id/end", signed, (*visit).endSession),

		i.page(get, "/console", viewers, (*visit).console),
		i.page(post, "/requests/:id/reevaluate", admins, about(reason.RequestNotFound, (*visit).reevaluate)),
		i.page(get, "/console/policies", viewers, (*visit).policies),
		i.page(get, "/console/policies/:key", viewers, (*visit).policy),
		i.page(get, "/console/policies/:key/:v", viewers, (*visit).policy),
		i.page(get, "/console/policies/:key/:v/activate", admins, (*visit).showActivation),
		i.page(post, "/console/policies/:key/:v/activate", admins, (*visit).activate),
		i.page(post, "/console/policies/:key/:v/deactivate", admins, (*visit).deactivate),
		i.page(get, "/console/policies/:key/:v/simulate", viewers, (*visit).showSimulation),
		i.page(post, "/console/policies/:key/:v/simulate", viewers, (*visit).simulate),
		i.page(get, "/console/endpoints", admins, (*visit).endpoints),
		i.page(post, "/console/endpoints", admins, (*visit).addEndpoint),
		i.page(post, "/console/endpoints/:id", admins, about(reason.EndpointNotFound, (*visit).changeEndpoint)),
		i.page(get, "/console/deliveries", viewers, (*visit).deliveries),
		i.page(post, "/console/deliveries/recover", admins, (*visit).recoverAll),
		i.page(post, "/console/deliveries/:id/retry", admins, about(reason.WrongState, (*visit).retry)),
		i.page(get, "/console/audit", viewers, (*visit).audit),
		i.page(get, "/console/health", viewers, (*visit).health),
	}
}
