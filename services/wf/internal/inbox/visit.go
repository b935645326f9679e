package inbox

import (
	"cmp"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/trace"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/words"
)

// visit is one page request, with its caller and display settings.
type visit struct {
	*Inbox
	w http.ResponseWriter
	r *http.Request

	By      wf.Actor // the signed-in user; the zero Actor without one
	session engine.Session
	reader
	Nonce string // of the scripts and styles of this page
	now   time.Time
}

// page returns a page with the common steps: access check, page, refusal.
func (i *Inbox) page(method, path string, who access, show func(*visit) error) web.Page {
	return web.Page{Method: method, Path: Root + path, Handle: func(w http.ResponseWriter, r *http.Request) error {
		v := i.visit(w, r)
		err := v.admit(who)
		if err == nil {
			err = show(v)
		}
		if refusal, ok := errors.AsType[*wf.Error](err); ok && refusal.Reason != wf.DatabaseDown {
			err = v.refused(refusal)
		}
		if errors.Is(err, errShown) {
			return nil
		}
		return err
	}}
}

// errShown ends a page request after its reply.
var errShown = errors.New("answered")

func (i *Inbox) visit(w http.ResponseWriter, r *http.Request) *visit {
	v := &visit{Inbox: i, w: w, r: r, reader: readerOf(r), Nonce: rand.Text(), now: i.Now()}
	v.headers()
	return v
}

// headers sets the security headers. They permit scripts and styles with the nonce, and forms to
// this service, but no framing by other sites.
func (v *visit) headers() {
	h := v.w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-"+v.Nonce+"'; style-src 'nonce-"+v.Nonce+"'; img-src 'self'; connect-src 'self'; "+
		"form-action 'self'"+v.formTargets()+"; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // otherwise browsers omit the origin of forms
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Type", "text/html; charset=utf-8")
}

// admit authenticates the caller and rejects callers without access. Cross-origin changes are
// rejected first.
func (v *visit) admit(who access) error {
	if err := v.foreign.Check(v.r); err != nil {
		oplog.Note(v.r.Context(), slog.String("reason", "cross_origin"))
		return v.status(http.StatusForbidden, "refused.foreign")
	}
	if err := v.r.ParseForm(); err != nil || !printable(v.r.Form) {
		return v.status(http.StatusBadRequest, "refused.form")
	}
	if who == open {
		return nil
	}
	found, err := v.findSession()
	switch {
	case err != nil:
		return err
	case !found && v.r.Method == http.MethodGet:
		v.redirect(signInPath(v.r.URL.RequestURI(), nil))
		return errShown
	case !found:
		return v.keep("expired", nil)
	}
	if err := web.VisitorOf(v.r.Context(), v.By.ID, v.session.Subject); err != nil {
		return err
	}
	if !v.sees(who) {
		return wf.Refuse(wf.Forbidden, "the caller has no role for this page")
	}
	return nil
}

// sees reports whether the signed-in user has an access level.
func (v *visit) sees(who access) bool {
	return who < viewers || who == viewers && v.Viewer() || who == admins && v.Admin()
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

// redirect redirects the browser to another page of the service.
func (v *visit) redirect(path string) {
	v.w.Header().Set("Location", path)
	v.w.WriteHeader(http.StatusSeeOther)
}

// done redirects the browser to a page with a note of the completed operation, or returns the
// error.
func (v *visit) done(err error, path, note string) error {
	if err != nil {
		return err
	}
	v.redirect(path + "?note=" + url.QueryEscape(note))
	return nil
}

// rest returns the address of the next page of the list, or "" on the last one.
func (v *visit) rest(path, cursor string) string {
	if cursor == "" {
		return ""
	}
	query := v.r.URL.Query()
	query.Del("note") // belongs to this page only
	query.Set("cursor", cursor)
	return path + "?" + query.Encode()
}

// Note returns the note of the previous page, or "".
func (v *visit) Note() string {
	note := "note." + v.r.URL.Query().Get("note")
	if !words.Catalogue.Known(note) {
		return ""
	}
	return v.T(note)
}

// about handles a page for the id in the path, in its stored form. A malformed id is rejected.
func about(missing wf.Reason, show func(v *visit, id string) error) func(*visit) error {
	return func(v *visit) error {
		text := v.r.PathValue("id")
		id, err := uuid.Parse(text)
		switch bad := err != nil || len(text) != 36; {
		case bad && v.r.Method == http.MethodGet && !v.Viewer():
			return wf.Refuse(wf.Forbidden, "the caller has no part in %.64q", text) // as for an id of other users
		case bad:
			return wf.Refuse(missing, "nothing has the id %.64q", text)
		}
		return show(v, id.String())
	}
}

// statusOf returns the status of a refusal, as in the API.
func (v *visit) statusOf(why *wf.Error) int {
	status, _ := v.Code(why.Reason)
	return cmp.Or(status, http.StatusUnprocessableEntity) // reasons without a code
}

// refused shows the page of a refusal, with its meaning and the engine's message.
func (v *visit) refused(why *wf.Error) error {
	oplog.Note(v.r.Context(), slog.String("reason", string(why.Reason)))
	return v.show(v.statusOf(why), "status", v.T("refused."+string(why.Reason)), statusPage{Detail: why.Message})
}

// status shows the page of a status without further details.
func (v *visit) status(status int, words string) error {
	if err := v.show(status, "status", v.T(words), statusPage{}); err != nil {
		return err
	}
	return errShown
}

type statusPage struct{ Detail string }

// showStatus handles requests without a page: see web.Pages.
func (i *Inbox) showStatus(w http.ResponseWriter, r *http.Request, status int) {
	v := i.visit(w, r)
	key := "status." + http.StatusText(status)
	if !words.Catalogue.Known(key) {
		key = "status.other"
	}
	if err := v.show(status, "status", v.T(key), statusPage{}); err != nil {
		i.Logger.ErrorContext(r.Context(), "page failed", "error", err)
	}
}

// once is for operations without an idempotency key.
var once = engine.Repeatable{Encode: func(engine.Case) (engine.StoredReply, error) { return engine.StoredReply{}, nil }}

// attempt runs a change and audits its refusal, like the API.
func (v *visit) attempt(operation string, about wf.Resource, change func() error) error {
	err := change()
	refusal, refused := errors.AsType[*wf.Error](err)
	if !refused || refusal.Reason != wf.Forbidden && refusal.Reason != wf.WrongState {
		return err
	}
	_, code := v.Code(refusal.Reason)
	r := engine.Refusal{Operation: operation, About: about, ErrorCode: code, Message: refusal.Message, Peer: v.r.RemoteAddr}
	if told := v.engine.RecordRefusal(v.r.Context(), v.By, r); told != nil {
		v.Logger.WarnContext(v.r.Context(), "refusal not recorded", "operation", operation, "error", told)
	}
	return err
}

// actor returns the caller with the request attributes of events.
func (v *visit) actor(by wf.Actor) wf.Actor {
	by.CallID, by.Traceparent = web.RequestID(v.r.Context()), trace.Parent(v.r.Context())
	return by
}

// link is an entry of the navigation.
type link struct {
	Path, Words string
	who         access
	Here        bool
}

// Nav returns the navigation of every page.
func (v *visit) Nav() []link {
	return v.links(
		link{Path: Root, Words: "nav.work"}, link{Path: Root + "/ask", Words: "nav.ask"}, link{Path: Root + "/mine", Words: "nav.mine"},
		link{Path: Root + "/away", Words: "nav.away"}, link{Path: Root + "/console", Words: "nav.console", who: viewers},
	)
}

// ConsoleNav returns the navigation of the console.
func (v *visit) ConsoleNav() []link {
	return v.links(
		link{Path: Root + "/console", Words: "console.requests"}, link{Path: Root + "/console/policies", Words: "console.policies"},
		link{Path: Root + "/console/endpoints", Words: "console.endpoints", who: admins},
		link{Path: Root + "/console/deliveries", Words: "console.deliveries"},
		link{Path: Root + "/console/audit", Words: "console.audit"}, link{Path: Root + "/console/health", Words: "console.health"},
	)
}

// links returns the links that the reader may follow, and marks the current one. The first link
// matches one page only.
func (v *visit) links(all ...link) (shown []link) {
	for i, l := range all {
		l.Here = l.Path == v.r.URL.Path || i > 0 && strings.HasPrefix(v.r.URL.Path, l.Path+"/")
		if v.sees(l.who) {
			shown = append(shown, l)
		}
	}
	return shown
}

// Admin reports whether the reader has WF_ADMIN.
func (v *visit) Admin() bool { return v.By.Has(wf.RoleAdmin) }

// Viewer reports whether the reader has WF_VIEWER or WF_ADMIN.
func (v *visit) Viewer() bool { return v.By.Has(wf.RoleViewer) }

// Here returns the address of this page.
func (v *visit) Here() string { return local(v.r.URL.RequestURI()) }

// Tongues returns the languages to choose from.
func (v *visit) Tongues() []string { return words.Languages }
