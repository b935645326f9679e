// Package inbox is the service's face for people: pages that a browser shows, at /inbox.
// It calls the methods of the engine that package api calls, so that nobody can do here
// what they may not do there, and knows no SQL.
//
// Every page is HTML from a template, and every action a form: scripts only make it
// quicker. A browser has the random id of a session and never a token. inbox.go has every
// page on one line, visit.go what is done around each of them, and the files of the nouns
// have the rest. Whatever people read is in package words.
package inbox

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// Root is the path of the first page; all the others are below it.
const Root = "/inbox"

// Options is what an Inbox works with.
type Options struct {
	Server   *web.Server // that the pages are served by
	Verifier *bearer.Verifier
	Actor    func(bearer.Token) (by wf.Actor, service string) // who a token is of
	Code     func(reason error) (status int, code string)     // of a refusal, as the API answers it
	Times    engine.SessionTimes
	Secure   bool   // cookies go over https alone
	Host     string // at which browsers reach the pages; empty in development

	// Provider is where people sign in; nil with Dev.
	Provider *Provider

	// Dev makes a token for somebody, with whom the page of --dev signs in; nil else.
	Dev func(Person) (token string, err error)

	Now    func() time.Time
	Logger *slog.Logger

	Patience time.Duration // the least limit of a page's time, for tests; 0 in production
}

// Inbox serves the pages, once the server is started.
type Inbox struct {
	Options
	engine  *engine.Engine
	foreign *http.CrossOriginProtection
}

// Use gives the pages what they ask, before the server is started.
func (i *Inbox) Use(e *engine.Engine) { i.engine = e }

// New puts the pages on the server.
func New(o Options) *Inbox {
	i := &Inbox{Options: o, foreign: http.NewCrossOriginProtection()}
	o.Server.ServePages(web.Pages{Prefix: Root, Host: o.Host, List: i.pages(), Show: i.showStatus})
	return i
}

// access says who may see a page at all. What they may do with one object is decided by
// the engine, as for every caller.
type access int

const (
	open    access = iota // no session is looked for
	signed                // who is signed in
	viewers               // of them, those with WF_VIEWER or WF_ADMIN
	admins                // of them, those with WF_ADMIN
)

// pages are all of them.
func (i *Inbox) pages() []web.Page {
	const get, post = http.MethodGet, http.MethodPost
	return []web.Page{
		i.page(get, "/assets/:name", open, (*visit).asset),
		i.page(get, "/signin", open, (*visit).signIn),
		i.page(post, "/signin", open, (*visit).signInAs),
		i.page(get, "/callback", open, (*visit).callback),
		i.page(get, "/signed-in", signed, (*visit).signedIn),
		i.page(get, "/signed-out", open, (*visit).signedOut),
		i.page(post, "/backchannel-logout", open, (*visit).issuerSignOut),
		i.page(post, "/signout", open, (*visit).signOut),
		i.page(post, "/reader", open, (*visit).setReader),

		i.page(get, "", signed, (*visit).work),
		i.page(post, "/tasks", signed, (*visit).decideSeveral),
		i.page(post, "/tasks/:id/claim", signed, about(wf.TaskNotFound, (*visit).claim)),
		i.page(post, "/tasks/:id/release", signed, about(wf.TaskNotFound, (*visit).release)),
		i.page(post, "/tasks/:id/decision", signed, about(wf.TaskNotFound, (*visit).decide)),
		i.page(post, "/tasks/:id/reassign", signed, about(wf.TaskNotFound, (*visit).reassign)),

		i.page(get, "/requests/:id", signed, about(wf.RequestNotFound, (*visit).request)),
		i.page(post, "/requests/:id/cancel", signed, about(wf.RequestNotFound, (*visit).cancel)),
		i.page(post, "/requests/:id/comments", signed, about(wf.RequestNotFound, (*visit).comment)),
		i.page(get, "/requests/:id/change", signed, about(wf.RequestNotFound, (*visit).change)),
		i.page(post, "/requests/:id/resubmit", signed, about(wf.RequestNotFound, (*visit).resubmit)),

		i.page(get, "/ask", signed, (*visit).ask),
		i.page(get, "/ask/:key", signed, (*visit).askFor),
		i.page(post, "/ask/:key", signed, (*visit).sendRequest),
		i.page(get, "/mine", signed, (*visit).mine),
		i.page(get, "/people", signed, (*visit).people),
		i.page(get, "/away", signed, (*visit).away),
		i.page(post, "/away", signed, (*visit).leave),
		i.page(post, "/away/:id/end", signed, about(wf.DelegationNotFound, (*visit).comeBack)),
		i.page(get, "/notifications", signed, (*visit).notifications),
		i.page(post, "/notifications", signed, (*visit).chooseNotifications),

		i.page(get, "/sessions", signed, (*visit).sessions),
		i.page(post, "/sessions/others/end", signed, (*visit).endOtherSessions),
		i.page(post, "/sessions/:id/end", signed, (*visit).endSession),

		i.page(get, "/console", viewers, (*visit).console),
		i.page(post, "/requests/:id/reevaluate", admins, about(wf.RequestNotFound, (*visit).reevaluate)),
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
		i.page(post, "/console/endpoints/:id", admins, about(wf.EndpointNotFound, (*visit).changeEndpoint)),
		i.page(get, "/console/deliveries", viewers, (*visit).deliveries),
		i.page(post, "/console/deliveries/recover", admins, (*visit).recoverAll),
		i.page(post, "/console/deliveries/:id/retry", admins, about(wf.WrongState, (*visit).retry)),
		i.page(get, "/console/audit", viewers, (*visit).audit),
		i.page(get, "/console/health", viewers, (*visit).health),
	}
}
