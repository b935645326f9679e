// Package site serves the pages of a console: the table of pages with their access, sign-in and sessions, and the pages
// of refusals. A service has a type for its page requests, and adds its pages.
package site

import (
	"errors"
	"log/slog"
	"maps"
	"net/http"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/session"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/libs/web"
)

// Access is the access level of a page. A service has further ones. The engine checks the rights on single objects.
type Access int

// The levels of every service.
const (
	Open     Access = iota // no session required
	SignedIn               // signed-in users
	Further                // the first level of the service
)

// Page is a page request of a service, with its caller.
type Page interface {
	comparable

	Base() *signin.Request

	// SetCaller sets the caller and returns the id.
	SetCaller(token bearer.Token) (id string)

	// Allow refuses a page to a caller without its access level. Has is Allow for links.
	Allow(access Access) error
	Has(access Access) bool

	// StatusOf returns the status of the page of a refusal; 0 for one that is a failure of the service.
	StatusOf(refused *refusal.Error) int
	RefusalText(refused *refusal.Error) string

	// TemplateRoot returns the root of the templates, which has the page request and the content.
	TemplateRoot(content frame.Page) any
}

// Options holds the dependencies and settings of a Site.
type Options[R Page] struct {
	frame.Options

	Server    *web.Server
	Host      string            // host name of the pages; empty in development
	Shortcuts map[string]string // further paths, which redirect to pages
	SignIn    *signin.SignIn
	New       func(*signin.Request) R

	// DevToken issues a token for a user of the --dev page; nil in production. Users are the listed ones.
	DevToken func(signin.User) (token string, err error)
	Users    []signin.User

	// Entered completes a user that is not listed from the fields of the form, and reports whether the id is valid.
	Entered func(R, *signin.User) bool

	// Prepare runs before the sign-in of a user of the --dev page; nil for nothing.
	Prepare func(R) error
}

// Site is the table of pages of a service.
type Site[R Page] struct {
	Options[R]
	frame *frame.Site
	pages []entry[R]
}

// entry is a page with its access level.
type entry[R Page] struct {
	web.Page
	access Access
	show   func(R) error
}

// New returns a site with the pages of sign-in, sessions and display.
func New[R Page](o Options[R]) *Site[R] {
	s := &Site[R]{Options: o}
	if o.SignIn.Provider != nil {
		o.Options.Issuer = o.SignIn.Provider.Issuer
	}
	o.Options.Show = s.render
	s.frame = frame.New(o.Options)
	const get, post = http.MethodGet, http.MethodPost
	s.Add(get, "/assets/:name", Open, common[R]((*frame.Request).SendAsset))
	s.Add(get, "/signin", Open, s.showSignIn)
	s.Add(post, "/signin", Open, s.signInAs)
	s.Add(get, "/callback", Open, common[R](o.SignIn.Callback))
	s.Add(get, "/signed-in", SignedIn, common[R](o.SignIn.ShowSignedIn))
	s.Add(get, "/signed-out", Open, common[R](o.SignIn.ShowSignedOut))
	s.Add(post, "/backchannel-logout", Open, common[R](o.SignIn.LogOut))
	s.Add(post, "/signout", Open, common[R](o.SignIn.End))
	s.Add(post, "/reader", Open, common[R]((*frame.Request).SetReader))
	s.Add(get, "/sessions", SignedIn, ofSession[R](o.SignIn.ShowSessions))
	s.Add(post, "/sessions/others/end", SignedIn, ofSession[R](o.SignIn.EndOtherSessions))
	s.Add(post, "/sessions/:id/end", SignedIn, ofSession[R](o.SignIn.EndSession))
	return s
}

// Add adds a page. path begins below the first page, whose path is empty.
func (s *Site[R]) Add(method, path string, access Access, show func(R) error) {
	p := web.Page{Method: method, Path: s.frame.Root + path, Handle: func(w http.ResponseWriter, r *http.Request) error {
		return s.serve(s.frame.Request(w, r), access, show)
	}}
	s.pages = append(s.pages, entry[R]{p, access, show})
}

// Serve registers the pages with the server.
func (s *Site[R]) Serve() {
	list := make([]web.Page, len(s.pages))
	for i, p := range s.pages {
		list[i] = p.Page
	}
	s.Server.ServePages(web.Pages{
		Prefix: s.frame.Root, Host: s.Host, List: list, Shortcuts: s.Shortcuts, Show: s.frame.ServeStatus,
	})
}

// common adapts a page that needs no caller.
func common[R Page](show func(*frame.Request) error) func(R) error {
	return func(req R) error { return show(req.Base().Request) }
}

// ofSession adapts a page of the session.
func ofSession[R Page](show func(*frame.Request, session.Session) error) func(R) error {
	return func(req R) error { return show(req.Base().Request, req.Base().Session) }
}

// serve serves a page to a caller with access. It shows the page of a refusal.
func (s *Site[R]) serve(r *frame.Request, access Access, show func(R) error) error {
	req := s.request(r)
	err := s.admit(req, access)
	switch {
	case err != nil:
	case access != Open && form.Edits(r.R.PostForm):
		err = req.Base().ShowEdited()
	default:
		err = show(req)
	}
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		if status := req.StatusOf(refused); status != 0 {
			oplog.Note(r.R.Context(), slog.String("reason", string(refused.Reason)))
			err = req.Base().Refuse(status, req.RefusalText(refused))
		}
	}
	if errors.Is(err, frame.ErrShown) {
		return nil
	}
	return err
}

func (s *Site[R]) request(r *frame.Request) R {
	req := s.Options.New(s.SignIn.NewRequest(r))
	req.Base().Open = func() error { return s.open(req) }
	return req
}

// open shows the page of GET requests at the address of a request.
func (s *Site[R]) open(req R) error {
	for _, p := range s.pages {
		if p.Method == http.MethodGet && p.Matches(req.Base().R) {
			if err := req.Allow(p.access); err != nil {
				return err
			}
			return p.show(req)
		}
	}
	return req.Base().Status(http.StatusNotFound, "status.Not Found")
}

// admit authenticates the caller and rejects callers without access. Cross-origin changes are rejected first.
func (s *Site[R]) admit(req R, access Access) error {
	base := req.Base()
	if err := base.Check(); err != nil || access == Open {
		return err
	}
	if base.Withhold != nil {
		base.Sent = maps.Clone(base.R.PostForm)
		base.Withhold(base.R.PostForm)
	}
	token, err := base.Admit()
	if err != nil {
		return err
	}
	id := req.SetCaller(token)
	base.Caller = req
	if err := web.VisitorOf(base.R.Context(), id, base.Session.Subject); err != nil {
		return err
	}
	return req.Allow(access)
}

// render renders a page; see frame.Options.
func (s *Site[R]) render(r *frame.Request, status int, p frame.Page) error {
	req, ok := r.Caller.(R)
	if !ok {
		req = s.request(r)
	}
	return r.Render(status, p.Name, req.TemplateRoot(p))
}

// Link is an entry of the navigation for users with an access level.
type Link struct {
	Path, Text string // below the first page; the key of the text
	Access     Access
}

// Links returns the links that the reader may follow.
func Links[R Page](req R, all ...Link) (shown []frame.View) {
	for _, l := range all {
		if req.Has(l.Access) {
			shown = append(shown, frame.View{Path: req.Base().Root + l.Path, Text: req.Base().T(l.Text)})
		}
	}
	return req.Base().Mark(shown)
}
