package inbox

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/trace"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/reason"
)

// visit is one page request, with its caller.
type visit struct {
	*frame.Visit
	*Inbox

	By      identity.Actor // the signed-in user; the zero Actor without one
	session engine.Session
}

// page returns a page with the common steps: access check, page, refusal.
func (i *Inbox) page(method, path string, who access, show func(*visit) error) web.Page {
	return web.Page{Method: method, Path: Root + path, Handle: func(w http.ResponseWriter, r *http.Request) error {
		v := i.visit(w, r)
		err := v.admit(who)
		if err == nil {
			err = show(v)
		}
		if refusal, ok := errors.AsType[*refusal.Error](err); ok && refusal.Reason != reason.DatabaseDown {
			err = v.refused(refusal)
		}
		if errors.Is(err, frame.ErrShown) {
			return nil
		}
		return err
	}}
}

func (i *Inbox) visit(w http.ResponseWriter, r *http.Request) *visit {
	return &visit{Visit: i.site.Visit(w, r), Inbox: i}
}

// page is the root of the templates.
type page struct {
	*visit
	frame.Page
}

// With returns the page with other data, for its parts.
func (p page) With(data any) page {
	p.Data = data
	return p
}

// SignedIn reports whether the page has a user.
func (v *visit) SignedIn() bool { return v.By.ID != "" }

// show sends a page.
func (v *visit) show(status int, name, title string, data any) error {
	return v.Render(status, name, page{v, frame.Page{Title: title, Name: name, Bare: name == "status", Data: data}})
}

// showStatus sends the page of a status.
func (i *Inbox) showStatus(shared *frame.Visit, status int, text string) error {
	v := &visit{Visit: shared, Inbox: i}
	return v.show(status, "status", v.T(text), nil)
}

// admit authenticates the caller and rejects callers without access. Cross-origin changes are
// rejected first.
func (v *visit) admit(who access) error {
	if err := v.Check(); err != nil {
		return err
	}
	if who == open {
		return nil
	}
	found, err := v.findSession()
	switch {
	case err != nil:
		return err
	case !found && v.R.Method == http.MethodGet:
		v.Redirect(v.signInPath(v.R.URL.RequestURI(), nil))
		return frame.ErrShown
	case !found:
		return v.keep("expired", nil)
	}
	if err := web.VisitorOf(v.R.Context(), v.By.ID, v.session.Subject); err != nil {
		return err
	}
	if !v.sees(who) {
		return refusal.New(reason.Forbidden, "the caller has no role for this page")
	}
	return nil
}

// sees reports whether the signed-in user has an access level.
func (v *visit) sees(who access) bool {
	return who < viewers || who == viewers && v.Viewer() || who == admins && v.Admin()
}

// about handles a page for the id in the path, in its stored form. A malformed id is rejected.
func about(missing refusal.Reason, show func(v *visit, id string) error) func(*visit) error {
	return func(v *visit) error {
		text := v.R.PathValue("id")
		id, err := uuid.Parse(text)
		switch bad := err != nil || len(text) != 36; {
		case bad && v.R.Method == http.MethodGet && !v.Viewer():
			return refusal.New(reason.Forbidden, "the caller has no part in %.64q", text) // as for an id of other users
		case bad:
			return refusal.New(missing, "nothing has the id %.64q", text)
		}
		return show(v, id.String())
	}
}

// statusOf returns the status of a refusal, as in the API.
func (v *visit) statusOf(why *refusal.Error) int {
	status, _ := v.Code(why.Reason)
	return cmp.Or(status, http.StatusUnprocessableEntity) // reasons without a code
}

// refused shows the page of a refusal in the reader's language.
func (v *visit) refused(why *refusal.Error) error {
	oplog.Note(v.R.Context(), slog.String("reason", string(why.Reason)))
	return v.show(v.statusOf(why), "status", v.why(why), nil)
}

// attempt runs a change and audits its refusal, like the API.
func (v *visit) attempt(operation string, about wf.Resource, change func() error) error {
	err := change()
	refusal, refused := errors.AsType[*refusal.Error](err)
	if !refused || refusal.Reason != reason.Forbidden && refusal.Reason != reason.WrongState {
		return err
	}
	_, code := v.Code(refusal.Reason)
	r := engine.Refusal{Operation: operation, About: about, ErrorCode: code, Message: refusal.Message, Peer: v.R.RemoteAddr}
	if told := v.engine.RecordRefusal(v.R.Context(), v.By, r); told != nil {
		v.Logger.WarnContext(v.R.Context(), "refusal not recorded", "operation", operation, "error", told)
	}
	return err
}

// actor returns the caller with the request attributes of events.
func (v *visit) actor(by identity.Actor) identity.Actor {
	by.CallID, by.Traceparent = web.RequestID(v.R.Context()), trace.Parent(v.R.Context())
	return by
}

// link is an entry of the navigation for users with an access level.
type link struct {
	frame.Link
	who access
}

func linkTo(path, words string, who access) link {
	return link{frame.Link{Path: Root + path, Words: words}, who}
}

// Nav returns the navigation of every page.
func (v *visit) Nav() []frame.Link {
	return v.links(
		linkTo("", "nav.work", signed), linkTo("/ask", "nav.ask", signed), linkTo("/mine", "nav.mine", signed),
		linkTo("/away", "nav.away", signed), linkTo("/console", "nav.console", viewers),
	)
}

// ConsoleNav returns the navigation of the console.
func (v *visit) ConsoleNav() []frame.Link {
	return v.links(
		linkTo("/console", "console.requests", signed), linkTo("/console/policies", "console.policies", signed),
		linkTo("/console/endpoints", "console.endpoints", admins),
		linkTo("/console/deliveries", "console.deliveries", signed),
		linkTo("/console/audit", "console.audit", signed), linkTo("/console/health", "console.health", signed),
	)
}

// links returns the links that the reader may follow.
func (v *visit) links(all ...link) (shown []frame.Link) {
	for _, l := range all {
		if v.sees(l.who) {
			shown = append(shown, l.Link)
		}
	}
	return v.Mark(shown)
}

// Admin reports whether the reader has WF_ADMIN.
func (v *visit) Admin() bool { return v.By.Has(identity.RoleAdmin) }

// Viewer reports whether the reader has WF_VIEWER or WF_ADMIN.
func (v *visit) Viewer() bool { return v.By.Has(identity.RoleViewer) }

// formOf is fieldsOf in the reader's language.
func (v *visit) formOf(schemaText []byte, document form.Node, values url.Values, prefix string) ([]form.Input, form.Node, bool) {
	return form.Fields(v.Reader, schemaText, document, values, prefix)
}
