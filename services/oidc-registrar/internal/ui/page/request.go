// Package page holds the parts that all pages of the console share: the page request with its caller,
// access levels, refusals and the navigation.
package page

import (
	"embed"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
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
	SignIn   *signin.SignIn
	CallerOf func(token bearer.Token, method string) engine.Caller
	Code     func(reason error) (status int, code string) // status of a refusal in the API
	Inbox    string                                       // address of the inbox of wf, for links; may be empty

	// OpenPage shows the page of GET requests at the address of a request.
	OpenPage func(*Request) error
}

// Request is one page request, with its caller.
type Request struct {
	*signin.Request
	*Service

	Sent   url.Values    // the submitted form with the values of Withhold; never kept or shown
	By     engine.Caller // the signed-in user; the zero Caller without one
	Person string        // display name of the user
}

// Access is the access level of a page. The engine checks the rights on single objects.
type Access int

const (
	Open     Access = iota // no session required
	SignedIn               // signed-in users
	Members                // users with PARTNER_ADMIN or a partner
	Admins                 // users with PARTNER_ADMIN
)

// errNoRole refuses a page to a user without its role.
var errNoRole = refusal.New(web.Forbidden, "the caller has no role for this page")

// Serve serves a page to a caller with access. It shows the page of a refusal.
func (s *Service) Serve(r *frame.Request, access Access, show func(*Request) error) error {
	req := s.request(r)
	err := req.admit(access)
	switch {
	case err != nil:
	case access != Open && form.Edits(req.R.PostForm):
		err = req.ShowEdited()
	default:
		err = show(req)
	}
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		oplog.Note(r.R.Context(), slog.String("reason", string(refused.Reason)))
		err = req.Refuse(req.StatusOf(refused), req.RefusalText(refused))
	}
	if errors.Is(err, frame.ErrShown) {
		return nil
	}
	return err
}

func (s *Service) request(r *frame.Request) *Request {
	req := &Request{Request: s.SignIn.NewRequest(r), Service: s}
	req.Open = func() error { return s.OpenPage(req) }
	return req
}

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

// RenderPage renders a page; see frame.Options.
func (s *Service) RenderPage(r *frame.Request, status int, p frame.Page) error {
	req, ok := r.Caller.(*Request)
	if !ok {
		req = s.request(r)
	}
	return r.Render(status, p.Name, root{req, p})
}

// SignedIn reports whether the page has a user.
func (req *Request) SignedIn() bool { return req.By.Subject != "" }

// admit authenticates the caller and rejects callers without access. Cross-origin changes are
// rejected first.
func (req *Request) admit(access Access) error {
	if err := req.Check(); err != nil || access == Open {
		return err
	}
	req.Sent = maps.Clone(req.R.PostForm)
	Withhold(req.R.PostForm)
	token, err := req.Admit()
	if err != nil {
		return err
	}
	req.By, req.Person = req.CallerOf(token, req.R.Method), NameOf(token)
	req.R = req.R.WithContext(req.By.Context(req.R.Context()))
	req.Caller = req
	if err := web.VisitorOf(req.R.Context(), req.By.Subject, req.Session.Subject); err != nil {
		return err
	}
	return req.Allow(access)
}

// Allow refuses a page to a caller without its access level.
func (req *Request) Allow(access Access) error {
	if !req.hasAccess(access) {
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

// hasAccess reports whether the signed-in user has an access level.
func (req *Request) hasAccess(access Access) bool {
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
	case registrar.ClientNotFound, registrar.ForeignRead: // a foreign client is not disclosed
		return http.StatusNotFound
	case registrar.InvalidStatus, registrar.AlreadyInactive, registrar.DuplicateKey, registrar.StaleClient:
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

// link is an entry of the navigation for users with an access level.
type link struct {
	frame.Link
	access Access
}

func linkTo(path, text string, access Access) link {
	return link{frame.Link{Path: Root + path, Text: text}, access}
}

// Nav returns the navigation of every page.
func (req *Request) Nav() []frame.Link {
	return req.links(
		linkTo("", "nav.clients", Members), linkTo("/queues", "nav.queues", Members),
		linkTo("/register", "nav.register", Members),
		linkTo("/admin", "nav.admin", Admins),
	)
}

// ClientPath returns the address of a page of a client.
func ClientPath(id string, rest ...string) string {
	return Root + "/clients/" + strings.Join(append([]string{url.PathEscape(id)}, rest...), "/")
}

// ClientPath is the function ClientPath, for templates.
func (req *Request) ClientPath(id string) string { return ClientPath(id) }

// links returns the links that the reader may follow.
func (req *Request) links(all ...link) (shown []frame.Link) {
	for _, l := range all {
		if req.hasAccess(l.access) {
			shown = append(shown, l.Link)
		}
	}
	return req.Mark(shown)
}

// Account returns the display name of the user with the role, or the partners.
func (req *Request) Account() string {
	if req.By.Admin {
		return req.T("account.admin", req.Person)
	}
	return req.Person
}
