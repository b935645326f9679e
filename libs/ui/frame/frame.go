// Package frame serves the HTML pages of a service: security headers, layout, linked files, display
// settings, notes and errors. A service adds its pages, its navigation and its users.
//
// Every page is HTML from a template, and every action a form; scripts are optional.
package frame

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/i18n"
)

// Options holds the dependencies and settings of a Site.
type Options struct {
	Root      string // path of the first page and prefix of the others
	Cookies   string // prefix of the names of cookies
	Texts     i18n.Catalogue
	Languages []string // of Texts; the first is the default
	Pages     []fs.FS  // templates pages/*.html; every page may use those of pages/parts.html
	Issuer    string   // address of the issuer, to which forms may redirect; may be empty

	// Show renders a page of Pages with Render.
	Show func(r *Request, status int, p Page) error

	// Withhold removes from a submitted form the values that no page shows again; nil for none.
	Withhold func(url.Values)

	Secure bool // cookies require https
	Now    func() time.Time
	Logger *slog.Logger
}

// Site holds what all pages of a service share.
type Site struct {
	Options
	render  func() renderer
	foreign *http.CrossOriginProtection
}

// New returns a site without pages.
func New(o Options) *Site {
	return &Site{Options: o, render: parseOnce(o.Pages), foreign: http.NewCrossOriginProtection()}
}

// ErrShown ends a page request after its reply.
var ErrShown = errors.New("answered")

// Request is one page request with its display settings.
type Request struct {
	*Site
	i18n.Reader
	W     http.ResponseWriter
	R     *http.Request
	Nonce string // of the scripts and styles of this page
	Begun time.Time

	Problem string            // error of the last form
	Errors  []form.FieldError // of its fields

	Caller any // the signed-in user, as set by the service; nil without one
}

// Request begins a page request and sets its headers.
func (s *Site) Request(w http.ResponseWriter, in *http.Request) *Request {
	r := &Request{Site: s, Reader: s.readerOf(in), W: w, R: in, Nonce: rand.Text(), Begun: s.Now()}
	r.setHeaders()
	return r
}

// setHeaders sets the security headers. They permit scripts and styles with the nonce, and forms to
// this service, but no framing by other sites.
func (r *Request) setHeaders() {
	h := r.W.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+r.Nonce+"'; style-src 'nonce-"+r.Nonce+"'; img-src 'self'; "+
		"connect-src 'self'; form-action 'self'"+r.formTargets()+"; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // otherwise browsers omit the origin of forms
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Type", "text/html; charset=utf-8")
}

// formTargets returns other permitted hosts of form redirects: the issuer, for a sign-out.
func (r *Request) formTargets() string {
	u, err := url.Parse(r.Issuer)
	if err != nil || u.Host == "" {
		return ""
	}
	return " " + u.Scheme + "://" + u.Host
}

// Check rejects a cross-origin change and a form that cannot be stored.
func (r *Request) Check() error {
	if err := r.foreign.Check(r.R); err != nil {
		oplog.Note(r.R.Context(), slog.String("reason", "cross_origin"))
		return r.Status(http.StatusForbidden, "refused.foreign")
	}
	if err := r.R.ParseForm(); err != nil || !printable(r.R.Form) {
		return r.Status(http.StatusBadRequest, "refused.form")
	}
	return nil
}

// printable reports whether all submitted text can be stored.
func printable(sent url.Values) bool {
	for name, values := range sent {
		for _, text := range append(values, name) {
			if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
				return false
			}
		}
	}
	return true
}

// Status replies with the page of a status, and returns ErrShown.
func (r *Request) Status(status int, text string) error {
	if err := r.Show(status, "status", r.T(text), nil); err != nil {
		return err
	}
	return ErrShown
}

// Show sends a page.
func (r *Request) Show(status int, name, title string, data any) error {
	return r.Options.Show(r, status, Page{Title: title, Name: name, Bare: name == "status" || name == "retry", Data: data})
}

// ServeStatus replies to requests without a page: see web.Pages. A form whose operation failed can be sent again.
func (s *Site) ServeStatus(w http.ResponseWriter, in *http.Request, status int) {
	key := "status." + http.StatusText(status)
	if !s.Texts.Has(key) {
		key = "status.other"
	}
	r := s.Request(w, in)
	var err error
	if status >= http.StatusInternalServerError && r.holdsForm() {
		if s.Withhold != nil {
			s.Withhold(in.PostForm)
		}
		err = r.Show(status, "retry", r.T(key), retryPage{in.URL.RequestURI(), in.PostForm})
	} else {
		err = r.Status(status, key)
	}
	if err != nil && !errors.Is(err, ErrShown) {
		s.Logger.ErrorContext(in.Context(), "page failed", "error", err)
	}
}

// retryPage shows a form whose operation failed. It holds the submitted values, because the database may be down.
type retryPage struct {
	Action string // target of the form
	Form   url.Values
}

// maxRetried is the maximum size of a form that was not read before the failure, in bytes.
const maxRetried = 1 << 20

// holdsForm reads the submitted form. It reports whether it is one of these pages that can be shown again.
func (r *Request) holdsForm() bool {
	if r.R.Method != http.MethodPost || r.foreign.Check(r.R) != nil {
		return false
	}
	if r.R.PostForm == nil {
		r.R.Body = http.MaxBytesReader(r.W, r.R.Body, maxRetried)
	}
	return r.R.ParseForm() == nil && len(r.R.PostForm) > 0 && printable(r.R.PostForm)
}

// Redirect redirects the browser to another page of the service.
func (r *Request) Redirect(path string) {
	r.W.Header().Set("Location", path)
	r.W.WriteHeader(http.StatusSeeOther)
}

// Complete redirects the browser to a page with a note of the completed operation, or returns the
// error.
func (r *Request) Complete(err error, path, note string) error {
	if err != nil {
		return err
	}
	r.Redirect(NotedPath(path, note))
	return nil
}

// NotedPath returns the address of a page with a note.
func NotedPath(path, note string) string {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return path + separator + "note=" + url.QueryEscape(note)
}

// Note returns the note of the previous page, or "".
func (r *Request) Note() string {
	note := "note." + r.R.URL.Query().Get("note")
	if !r.Texts.Has(note) {
		return ""
	}
	return r.T(note)
}

// Pager has the addresses beside a page of a list; empty without such a page.
type Pager struct{ Previous, Next string }

// trailParam is the parameter with the cursors of the earlier pages of a list, joined by trailMark. The cursor of
// the first page is empty.
const trailParam, trailMark = "back", "."

// maxTrail is the maximum number of cursors of earlier pages in an address. Before them, Previous is the first page.
const maxTrail = 12

// Pager returns the addresses of the pages beside this page of the list at a path. next is the cursor of the next page.
func (r *Request) Pager(path, next string) (p Pager) {
	query := r.R.URL.Query()
	query.Del("note")
	here := query.Get("cursor")
	var trail []string
	if query.Has(trailParam) {
		trail = strings.Split(query.Get(trailParam), trailMark)
	}
	address := func(cursor string, trail []string) string {
		query.Del("cursor")
		query.Del(trailParam)
		if cursor != "" {
			query.Set("cursor", cursor)
			query.Set(trailParam, strings.Join(trail[max(0, len(trail)-maxTrail):], trailMark))
		}
		return path + "?" + query.Encode()
	}
	switch {
	case here == "":
	case len(trail) == 0:
		p.Previous = address("", nil)
	default:
		p.Previous = address(trail[len(trail)-1], trail[:len(trail)-1])
	}
	if next != "" {
		p.Next = address(next, append(trail[:len(trail):len(trail)], here))
	}
	return p
}

// LocalPath returns a path of these pages for a redirect. For other values, such as an address of
// another site, it returns the first page.
func (s *Site) LocalPath(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || strings.ContainsAny(to, "\\\t\r\n") || len(to) > 2048 {
		return s.Root
	}
	if u.Path != s.Root && !strings.HasPrefix(u.Path, s.Root+"/") || path.Clean(u.Path) != u.Path {
		return s.Root
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// CurrentPath returns the address of this page, without a note.
func (r *Request) CurrentPath() string {
	query := r.R.URL.Query()
	query.Del("note")
	return r.LocalPath((&url.URL{Path: r.R.URL.Path, RawQuery: query.Encode()}).String())
}

// ErrorOf returns the error of a field of the last form, or "".
func (r *Request) ErrorOf(field string) string {
	for _, e := range r.Errors {
		if e.Field == field {
			return e.Text
		}
	}
	return ""
}

// ErrorLang returns the language of the error of a field, if it differs from that of the page.
func (r *Request) ErrorLang(field string) string {
	for _, e := range r.Errors {
		if e.Field == field {
			return e.Lang
		}
	}
	return ""
}

// Input returns a text field with its error. label is the key of its label, limit its maximum number of
// characters.
func (r *Request) Input(kind, name, label, value string, limit int) form.Input {
	return form.Input{Kind: kind, Name: name, Title: r.T(label), Value: value, Limit: limit, Error: r.ErrorOf(name)}
}

// Mark marks the link of this page. The first link matches one page only.
func (r *Request) Mark(links []View) []View {
	for i, l := range links {
		links[i].Here = l.Path == r.R.URL.Path || i > 0 && strings.HasPrefix(r.R.URL.Path, l.Path+"/")
	}
	return links
}

// CookieName returns the name of a secret cookie. With __Host- a browser requires https, this host
// alone, and the path "/".
func (s *Site) CookieName(name string) string {
	name = s.Cookies + "_" + name
	if s.Secure {
		return "__Host-" + name
	}
	return name
}

// SetCookie sets a cookie without script access. A negative age deletes it.
func (r *Request) SetCookie(name, value string, age int) {
	http.SetCookie(r.W, &http.Cookie{ // #nosec G124 -- plain HTTP is for --dev
		Name: r.CookieName(name), Value: value, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: r.Secure, SameSite: http.SameSiteLaxMode,
	})
}

// Cookie returns the value of a cookie of SetCookie, at most 100 bytes, or "".
func (r *Request) Cookie(name string) string {
	cookie, err := r.R.Cookie(r.CookieName(name))
	if err != nil || len(cookie.Value) > 100 {
		return ""
	}
	return cookie.Value
}

// Truncate returns a text of at most n bytes.
func Truncate(text string, n int) string { return strings.ToValidUTF8(text[:min(len(text), n)], "") }
