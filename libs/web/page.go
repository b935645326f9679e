package web

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/refusal"
)

// Page is a route for browsers. Its path has parameters as :name, which Handle reads by Request.PathValue.
type Page struct {
	Method, Path string
	Handle       func(http.ResponseWriter, *http.Request) error
}

// Matches reports whether the path of a request is that of the page, and sets its parameters.
func (p Page) Matches(r *http.Request) bool {
	want, sent := strings.Split(p.Path, "/"), strings.Split(r.URL.EscapedPath(), "/")
	if len(want) != len(sent) {
		return false
	}
	for i, part := range want {
		name, isParameter := strings.CutPrefix(part, ":")
		value, err := url.PathUnescape(sent[i])
		if err != nil || value == "" && i > 0 || !isParameter && value != part {
			return false
		}
		if isParameter {
			r.SetPathValue(name, value)
		}
	}
	return true
}

// Pages are the pages under one prefix. They pass the same gate, limits, log and metrics as operations.
// Their body is read before Handle, which sets the caller by VisitorOf.
type Pages struct {
	Prefix string
	List   []Page

	// Shortcuts are further paths, which redirect to pages.
	Shortcuts map[string]string

	// Host is the only host of the pages; empty permits any.
	Host string

	// Show renders a failed call: refused by the gate or a limit, without a page under the prefix, or with
	// a failed page.
	Show func(w http.ResponseWriter, r *http.Request, status int)
}

// contains reports whether a path is under the prefix.
func (p *Pages) contains(path string) bool {
	return p != nil && (path == p.Prefix || strings.HasPrefix(path, p.Prefix+"/"))
}

// ServePages serves pages beside the operations. It is called once, before Start.
func (s *Server) ServePages(p Pages) {
	s.pages = &p
	for _, page := range p.List {
		s.Echo.Add(page.Method, page.Path, s.servePage(page))
	}
	for from, to := range p.Shortcuts {
		s.Echo.GET(from, func(c echo.Context) error { return c.Redirect(http.StatusFound, to) })
	}
}

func (s *Server) servePage(p Page) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, w := c.Request(), c.Response()
		called := callOf(r.Context())
		called.operation = Operation{Method: p.Method, Path: p.Path}
		body, err := s.readBody(called, w, r)
		if err == nil {
			err = s.occupy(called)
		}
		if err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		for i, name := range c.ParamNames() {
			r.SetPathValue(name, c.ParamValues()[i])
		}
		return p.Handle(w, r)
	}
}

// VisitorOf sets the caller of a page request, and refuses the request above the rate limit. name
// identifies the caller in the log, and subject in the limits.
func VisitorOf(ctx context.Context, name, subject string) error {
	oplog.Note(ctx, slog.String("subject", oplog.Subject(name)))
	called := callOf(ctx)
	s := called.server
	s.budget.Release(called.subject, called.charged) // the charge moves from the address to the caller
	if err := s.budget.Take(subject, called.charged); err != nil {
		called.charged = 0
		return s.refuse("subject_bytes", &refusal.Error{Reason: TooMany, Message: "the bodies of the caller's calls in flight are too large together"})
	}
	called.subject = subject
	return s.take(ctx, s.person, "rate", subject)
}
