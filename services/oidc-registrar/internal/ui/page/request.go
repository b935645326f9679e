// Package page holds the parts that all pages of the console share: the page request with its caller,
// access levels, refusals and the navigation.
package page

import (
	"embed"
	"net/http"
	"net/url"
	"strings"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/libs/ui/site"
	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
)

// Root is the path of the first page and the prefix of the others.
const Root = "/console"

// Pages holds the templates that all pages share.
//
//go:embed pages
var Pages embed.FS

// Service holds the dependencies of the pages.
type Service struct {
	Engine   *engine.Engine
	CallerOf func(token bearer.Token, method string) engine.Caller
	Code     func(reason error) (status int, code string) // status of a refusal in the API
	Inbox    string                                       // address of the inbox of wf, for links; may be empty
}

// Request is one page request, with its caller.
type Request struct {
	*signin.Request
	*Service

	By     engine.Caller // the signed-in user; the zero Caller without one
	Person string        // display name of the user
}

// The access levels besides those of every service.
const (
	Members = site.Further + iota // users with PARTNER_ADMIN or a partner
	Admins                        // users with PARTNER_ADMIN
)

// errNoRole refuses a page to a user without its role.
var errNoRole = refusal.New(web.Forbidden, "the caller has no role for this page")

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

// TemplateRoot returns the root of the templates.
func (req *Request) TemplateRoot(p frame.Page) any { return root{req, p} }

// SignedIn reports whether the page has a user.
func (req *Request) SignedIn() bool { return req.By.Subject != "" }

// SetCaller sets the caller from a token.
func (req *Request) SetCaller(token bearer.Token) (id string) {
	req.By, req.Person = req.CallerOf(token, req.R.Method), NameOf(token)
	req.R = req.R.WithContext(req.By.Context(req.R.Context()))
	return req.By.Subject
}

// Allow refuses a page to a caller without its access level.
func (req *Request) Allow(access site.Access) error {
	if !req.Has(access) {
		return errNoRole
	}
	return nil
}

// NameOf returns the display name of the user of a token.
func NameOf(token bearer.Token) string {
	for _, claim := range []string{"name", "preferred_username"} {
		if name := token.String(claim); name != "" {
			return name
		}
	}
	return token.Subject
}

// Has reports whether the signed-in user has an access level.
func (req *Request) Has(access site.Access) bool {
	switch access {
	case Members:
		return req.By.Admin || len(req.By.Partners) > 0
	case Admins:
		return req.By.Admin
	default:
		return true
	}
}

// StatusOf returns the status of a refusal: that of the API, unless the API answers with 200 and a code.
func (req *Request) StatusOf(refused *refusal.Error) int {
	switch refused.Reason.General() {
	case registrar.ClientNotFound, registrar.ForeignRead, // a foreign client is not disclosed
		registrar.MappingRequestNotFound:
		return http.StatusNotFound
	case registrar.InvalidStatus, registrar.AlreadyInactive, registrar.DuplicateKey, registrar.StaleClient,
		registrar.MappingInRequest, registrar.MappingExists, registrar.MappingDecidedApproved,
		registrar.MappingDecidedRejected:
		return http.StatusConflict
	}
	if status, _ := req.Code(refused.Reason.General()); status >= http.StatusBadRequest {
		return status
	}
	return http.StatusUnprocessableEntity
}

// RefusalText returns a refusal in the reader's language.
func (req *Request) RefusalText(refused *refusal.Error) string {
	text := req.T("refused." + string(refused.Reason.General()))
	switch refused.Reason.General() {
	case registrar.ProviderRefused: // its text has no translation
		return text + ": " + refused.Message
	case registrar.ForeignRead:
		return req.T("refused." + string(registrar.ClientNotFound))
	}
	return text
}

// Nav returns the navigation of every page.
func (req *Request) Nav() []frame.View {
	return site.Links(req,
		site.Link{Path: "", Text: "nav.clients", Access: Members},
		site.Link{Path: "/queues", Text: "nav.queues", Access: Members},
		site.Link{Path: "/register", Text: "nav.register", Access: Members},
		site.Link{Path: "/mappings", Text: "nav.mappings", Access: Members},
		site.Link{Path: "/admin", Text: "nav.admin", Access: Admins},
	)
}

// MappingsPath is the address of the list of mapping requests.
const MappingsPath = Root + "/mappings"

// InboxLink returns the address of the request for an approval in the inbox of wf; empty without one.
func (req *Request) InboxLink(a registrar.Approval) string {
	if req.Inbox == "" || a.RequestID == "" {
		return ""
	}
	return req.Inbox + "/requests/" + a.RequestID
}

// ClientPath returns the address of a page of a client.
func ClientPath(id string, rest ...string) string {
	return Root + "/clients/" + strings.Join(append([]string{url.PathEscape(id)}, rest...), "/")
}

// ClientPath is the function ClientPath, for templates.
func (req *Request) ClientPath(id string) string { return ClientPath(id) }

// Account returns the display name of the user with the role, or the partners.
func (req *Request) Account() string {
	if req.By.Admin {
		return req.T("account.admin", req.Person)
	}
	return req.Person
}
