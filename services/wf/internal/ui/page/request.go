// Package page holds what the pages of users and admins share: the page request with its caller,
// access levels, refusals, the navigation, and the display of users, stages and content.
package page

import (
	"cmp"
	"embed"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/trace"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/libs/ui/site"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Root is the path of the first page and the prefix of the others.
const Root = "/inbox"

// Pages holds the templates that all pages share.
//
//go:embed pages
var Pages embed.FS

// Service holds the dependencies of the pages.
type Service struct {
	Engine  *engine.Engine
	SignIn  *signin.SignIn // for its sessions
	Server  *web.Server    // serves the pages
	ActorOf func(bearer.Token) (by identity.Actor, service string)
	Code    func(reason error) (status int, code string) // status of a refusal in the API
	// ReadPolicy reads the document of a policy, with the checks of the API.
	ReadPolicy func(body []byte) (key string, d policy.Definition, details []web.Detail)

	Patience time.Duration // minimum time limit of a page, for tests; 0 in production
}

// Request is one page request, with its caller.
type Request struct {
	*signin.Request
	*Service

	By    identity.Actor // the signed-in user; the zero Actor without one
	Owner bool           // of the policy in the path, or of any without one; set for pages with the access of owners

	schemas map[string]form.Schema // of contexts, by policy and version
}

// The access levels besides those of every service.
const (
	Viewers = site.Further + iota // users with WF_VIEWER or WF_ADMIN
	Admins                        // users with WF_ADMIN

	// The same, and the owners of the policy in the path; without one, the owners of any policy.
	ViewersOrOwners
	AdminsOrOwners
)

// New returns a page request without a caller.
func (s *Service) New(r *signin.Request) *Request { return &Request{Request: r, Service: s} }

// Base returns the request of libs/ui.
func (req *Request) Base() *signin.Request { return req.Request }

// root is the root of the templates.
type root struct {
	*Request
	frame.Page
}

// WithData returns the root with other data, for the parts of a page.
func (r root) WithData(data any) root {
	r.Data = data
	return r
}

// TemplateRoot returns the root of the templates, with the stored names of people.
func (req *Request) TemplateRoot(p frame.Page) any {
	if req.SignedIn() {
		p.Data = Named(req, p.Data)
	}
	return root{req, p}
}

// SignedIn reports whether the page has a user.
func (req *Request) SignedIn() bool { return req.By.ID != "" }

// SetCaller sets the caller from a token.
func (req *Request) SetCaller(token bearer.Token) (id string) {
	by, _ := req.ActorOf(token)
	req.By = req.WithCall(by)
	return by.ID
}

// Allow refuses a page to a caller without its access level.
func (req *Request) Allow(access site.Access) error {
	if access >= ViewersOrOwners {
		if err := req.findOwner(); err != nil {
			return err
		}
	}
	if !req.Has(access) {
		return refusal.New(reason.Forbidden, "the caller has no role for this page")
	}
	return nil
}

// WithCall returns an actor with the attributes of this page request, for events.
func (req *Request) WithCall(by identity.Actor) identity.Actor {
	by.CallID, by.Traceparent = web.RequestID(req.R.Context()), trace.Parent(req.R.Context())
	return by
}

// Has reports whether the signed-in user has an access level.
func (req *Request) Has(access site.Access) bool {
	forOwners, forViewers := access >= ViewersOrOwners, access == Viewers || access == ViewersOrOwners
	return access < Viewers || req.Admin() || forViewers && req.Viewer() || forOwners && req.Owner
}

// findOwner sets Owner.
func (req *Request) findOwner() (err error) {
	if key := req.R.PathValue("key"); key != "" {
		req.Owner, err = req.Engine.Policies.IsOwner(req.R.Context(), req.By, key)
	} else {
		req.Owner, err = req.Engine.Policies.OwnsAny(req.R.Context(), req.By)
	}
	return err
}

// Manages reports whether the reader has WF_ADMIN or is an owner; see Owner.
func (req *Request) Manages() bool { return req.Owner || req.Admin() }

// Admin reports whether the reader has WF_ADMIN.
func (req *Request) Admin() bool { return req.By.Has(identity.RoleAdmin) }

// Viewer reports whether the reader has WF_VIEWER or WF_ADMIN.
func (req *Request) Viewer() bool { return req.By.Has(identity.RoleViewer) }

// ByID handles a page for the id in the path, in its stored form. A malformed id is rejected.
func ByID(missing refusal.Reason, show func(req *Request, id string) error) func(*Request) error {
	return func(req *Request) error {
		text := req.R.PathValue("id")
		id, err := uuid.Parse(text)
		switch malformed := err != nil || len(text) != 36; {
		case malformed && req.R.Method == http.MethodGet && !req.Viewer(): // as for an id of other users
			return refusal.New(reason.Forbidden, "the caller has no part in %.64q", text)
		case malformed:
			return refusal.New(missing, "nothing has the id %.64q", text)
		}
		return show(req, id.String())
	}
}

// StatusOf returns the status of a refusal, as in the API; 0 for an unreachable database.
func (req *Request) StatusOf(refused *refusal.Error) int {
	if refused.Reason == reason.DatabaseDown {
		return 0
	}
	status, _ := req.Code(refused.Reason)
	return cmp.Or(status, http.StatusUnprocessableEntity) // reasons without a code
}

// IsRefused returns the refusal of an error. An unreachable database is no refusal.
func IsRefused(err error) (*refusal.Error, bool) {
	refused, ok := errors.AsType[*refusal.Error](err)
	return refused, ok && refused.Reason != reason.DatabaseDown
}

// Audited audits the error of a change if it is a refusal, like the API, and returns it.
func (req *Request) Audited(operation string, about wf.Resource, err error) error {
	refused, ok := IsRefused(err)
	if !ok || refused.Reason != reason.Forbidden && refused.Reason != reason.WrongState {
		return err
	}
	_, code := req.Code(refused.Reason)
	r := engine.Refusal{
		Operation: operation, About: about, ErrorCode: code, Message: refused.Message, Peer: req.R.RemoteAddr,
	}
	if failed := req.Engine.Audit.RecordRefusal(req.R.Context(), req.By, r); failed != nil {
		req.Logger.WarnContext(req.R.Context(), "refusal not recorded", "operation", operation, "error", failed)
	}
	return err
}

// Nav returns the navigation of every page. The console of owners without a role begins with their policies.
func (req *Request) Nav() []frame.View {
	console := site.Link{Path: "/console", Text: "nav.console", Access: Viewers}
	if !req.Viewer() && req.ReadsPolicies() {
		console = site.Link{Path: "/console/policies", Text: "nav.console", Access: site.SignedIn}
	}
	return site.Links(req,
		site.Link{Path: "", Text: "nav.work", Access: site.SignedIn},
		site.Link{Path: "/start", Text: "nav.start", Access: site.SignedIn},
		site.Link{Path: "/new", Text: "nav.submit", Access: site.SignedIn},
		site.Link{Path: "/mine", Text: "nav.mine", Access: site.SignedIn},
		site.Link{Path: "/delegations", Text: "nav.delegations", Access: site.SignedIn}, console,
	)
}

// ReadsPolicies reports whether the reader has WF_VIEWER or owns a policy. Without an answer of the database it reports
// false.
func (req *Request) ReadsPolicies() bool {
	if req.Owner || req.Viewer() {
		return true
	}
	owns, err := req.Engine.Policies.OwnsAny(req.R.Context(), req.By)
	return owns && err == nil
}

// ConsoleNav returns the navigation of the console.
func (req *Request) ConsoleNav() frame.Views {
	return frame.Views{Label: req.T("console.nav"), Links: site.Links(req,
		site.Link{Path: "/console", Text: "console.requests", Access: Viewers},
		site.Link{Path: "/console/policies", Text: "console.policies", Access: ViewersOrOwners},
		site.Link{Path: "/console/endpoints", Text: "console.endpoints", Access: Admins},
		site.Link{Path: "/console/deliveries", Text: "console.deliveries", Access: Viewers},
		site.Link{Path: "/console/audit", Text: "console.audit", Access: Viewers},
		site.Link{Path: "/console/health", Text: "console.health", Access: Viewers},
	)}
}

// Form returns the fields of a schema with their values; see form.Fields.
func (req *Request) Form(schema []byte, document form.Node, sent url.Values, prefix string) ([]form.Input, form.Node,
	bool) {
	return form.Fields(req.Reader, schema, document, sent, prefix)
}
