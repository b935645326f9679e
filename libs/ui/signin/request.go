package signin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/session"
)

// Request is a page request with the session of its user.
//
// Each form of the pages is answered with a redirect (303). A form that a page has to show again, for
// example with an error, is kept with the session, and the address of the page names it.
type Request struct {
	*frame.Request

	Session session.Session // the zero Session without one
	Kept    session.Form    // the submitted form that the page shows again; the zero Form without one

	signIn *SignIn
	keeps  bool // the submitted form is kept
}

// NewRequest returns a page request without a session; see Admit.
func (s *SignIn) NewRequest(r *frame.Request) *Request { return &Request{Request: r, signIn: s} }

// Admit finds the session of the request and its kept form, and returns the verified access token.
// Without a session it replies like Require.
func (r *Request) Admit() (bearer.Token, error) {
	current, token, found, err := r.signIn.CurrentSession(r.Request)
	if err == nil && !found {
		err = r.signIn.Require(r.Request)
	}
	if err != nil {
		return token, err
	}
	r.Session = current
	if r.R.Method == http.MethodGet {
		if r.Kept, err = r.signIn.KeptForm(r.Request, current); err != nil {
			return token, err
		}
		r.Problem, r.Errors = r.Kept.Problem, r.Kept.Errors
	}
	return token, nil
}

// FinishForm deletes the kept form of a completed operation.
func (r *Request) FinishForm() error {
	if r.keeps || !r.R.PostForm.Has("kept") {
		return nil
	}
	return r.signIn.Sessions.DropForm(r.R.Context(), r.Session, r.FormID)
}

// KeepForm keeps the submitted form for the page at a path, which shows it again, and redirects there.
func (r *Request) KeepForm(path string, f session.Form) error {
	if f.Values == nil {
		f.Values = r.R.PostForm
	}
	return r.keep(path, f, func(address string) string { return address })
}

// keep keeps a form and redirects to an address made from that of its page.
func (r *Request) keep(path string, f session.Form, to func(address string) string) error {
	r.keeps = true
	address, err := r.signIn.KeepForm(r.Request, r.Session, path, f)
	if err == nil {
		r.Redirect(to(address))
	}
	return err
}

// CheckPage is the last part of the path of a page that shows the form of the page above it for a check before it is
// sent.
const CheckPage = "/check"

// KeepForCheck keeps the submitted form of the page at a path, whose fields have no error, and redirects to its check
// page.
func (r *Request) KeepForCheck(path string) error {
	return r.keep(path, session.Form{Status: http.StatusOK, Values: r.R.PostForm}, checkPath)
}

// checkPath returns the address of the check page from that of the form.
func checkPath(address string) string {
	path, query, _ := strings.Cut(address, "?")
	return path + CheckPage + "?" + query
}

// CheckAgain redirects to the check page of the kept form of the page at a path, with a note.
func (r *Request) CheckAgain(path, note string) error {
	r.keeps = true
	r.Redirect(frame.NotedPath(checkPath(r.KeptPath(path)), note))
	return nil
}

// CheckedForm returns the kept form of the page at a path, for its check page. Without one it redirects to that page
// and returns frame.ErrShown. A form that was sent redirects to its result.
func (r *Request) CheckedForm(path string) (session.Form, error) {
	f, found, err := r.signIn.Sessions.KeptForm(r.R.Context(), r.Session, r.FormID)
	if err != nil {
		return f, err
	}
	var result string
	switch {
	case !found || f.Path != path:
		f, result = session.Form{}, r.LocalPath(path)
	case json.Unmarshal(f.Result, &result) == nil:
	case f.Status == http.StatusOK:
		return f, nil
	default:
		result = r.KeptPath(path)
	}
	r.keeps = true
	r.Redirect(result)
	return f, frame.ErrShown
}

// CompleteCheck redirects to the result of the form of the page at a path, with a note. The address of the result is
// kept in place of the form, so that a second click on the check page leads there too.
func (r *Request) CompleteCheck(path, result, note string) error {
	raw, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("encode a result: %w", err)
	}
	return r.keep(path, session.Form{Values: url.Values{}, Result: raw}, func(string) string { return frame.NotedPath(result, note) })
}

// KeepPage keeps the form of a page without an operation: for a change of its fields, such as a new
// item of a list, or while the user reads another page.
func (r *Request) KeepPage() error {
	f := r.R.PostForm
	leave := f.Get("leave")
	f.Del("leave")
	return r.keep(f.Get("page"), session.Form{Values: f}, func(address string) string {
		if leave == "" {
			return address
		}
		return r.LocalPath(leave) + "?from=" + url.QueryEscape(address)
	})
}

// CompleteForm redirects to a page with a note of the completed operation. The page shows the submitted
// texts again, except those of the operation: fields with one of the prefixes.
func (r *Request) CompleteForm(path, note string, prefixes ...string) error {
	rest := maps.Clone(r.R.PostForm)
	maps.DeleteFunc(rest, func(name string, values []string) bool {
		return slices.Contains(hiddenFields, name) || strings.TrimSpace(strings.Join(values, "")) == "" ||
			slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
	if len(rest) == 0 {
		return r.Complete(nil, path, note)
	}
	return r.keep(path, session.Form{Values: rest}, func(address string) string { return frame.NotedPath(address, note) })
}

// stepUp is the result of a form that requires a stronger sign-in.
type stepUp struct {
	Action string     `json:"action"` // target of the form
	More   url.Values `json:"more"`   // authorization parameters
}

// RequireStepUp replies to a form that requires a stronger sign-in, with further authorization
// parameters. The page of ShowStepUp sends the form after it.
func (r *Request) RequireStepUp(more url.Values) error {
	raw, err := json.Marshal(stepUp{r.R.URL.RequestURI(), more})
	if err != nil {
		return fmt.Errorf("encode a step-up: %w", err)
	}
	return r.KeepForm(r.Root+"/step-up", session.Form{Status: http.StatusUnauthorized, Result: raw})
}

// ShowStepUp shows a form that requires a stronger sign-in.
func (r *Request) ShowStepUp() error {
	var up stepUp
	if r.Kept.ID == "" || json.Unmarshal(r.Kept.Result, &up) != nil {
		r.Redirect(r.Root)
		return nil
	}
	p := keepPage{"stepup", path(r.Request, r.Root+"/signed-in", up.More), up.Action, r.Kept.Values}
	return r.Show(r.Kept.Status, "keep", r.T("keep.title"), p)
}

// hiddenFields are the values of forms that no user enters.
var hiddenFields = []string{
	"kept", "page", "leave", "seen", "sure", "once", "task", "action", "do", "send", "preview", "find", "add", "remove",
}

// Refuse replies with a status and the text of a refusal. A form is kept for ShowRefused.
func (r *Request) Refuse(status int, text string) error {
	if r.R.Method == http.MethodPost && r.Session.ID != "" {
		return r.KeepForm(r.Root+"/refused", session.Form{Status: status, Problem: text})
	}
	return r.Show(status, "status", text, nil)
}

// ShowRefused shows the refusal of a form that no other page shows, with the submitted texts.
func (r *Request) ShowRefused() error {
	if r.Kept.ID == "" {
		r.Redirect(r.Root)
		return nil
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(r.Kept.Values)) {
		for _, value := range r.Kept.Values[name] {
			if !slices.Contains(hiddenFields, name) && strings.TrimSpace(value) != "" {
				texts = append(texts, value)
			}
		}
	}
	return r.Show(r.Kept.Status, "status", r.Kept.Problem, texts)
}

// SetErrors shows the errors of the kept form at form inputs, and no others.
func (r *Request) SetErrors(inputs ...[]form.Input) {
	for _, some := range inputs {
		form.SetErrors(some, r.ErrorOf)
	}
}

// KeptStatus returns the status of a page that shows the kept form, or 200.
func (r *Request) KeptStatus() int { return cmp.Or(r.Kept.Status, http.StatusOK) }

// Fields reads the fields of a submitted form and collects their errors.
type Fields struct {
	Values url.Values
	Errors []form.FieldError
	r      *Request
}

// Fields returns the fields of the submitted form.
func (r *Request) Fields() *Fields { return &Fields{Values: r.R.PostForm, r: r} }

// Fail adds the error of a field. label is the key of its label.
func (f *Fields) Fail(field, label, text string) {
	f.Errors = append(f.Errors, form.FieldError{Field: field, Label: f.r.T(label), Text: text})
}

// Text returns the text of a field. A text above the limit is an error.
func (f *Fields) Text(field, label string, limit int) string {
	text := Text(f.Values.Get(field))
	f.CheckLength(field, label, text, limit)
	return text
}

// CheckLength adds an error for a text above the limit of its field.
func (f *Fields) CheckLength(field, label, text string, limit int) {
	if n := utf8.RuneCountInString(text); n > limit {
		f.Fail(field, label, f.r.TooLong(n, limit))
	}
}

// Invalid keeps the form for the page at a path, with the errors of its fields.
func (f *Fields) Invalid(path string) error {
	return f.r.KeepForm(path, session.Form{Status: http.StatusUnprocessableEntity, Errors: f.Errors})
}

// Text returns a submitted text without surrounding white space.
func Text(sent string) string { return strings.TrimSpace(strings.ReplaceAll(sent, "\r\n", "\n")) }

// TooLong returns the error of a text of n characters above a limit.
func (r *Request) TooLong(n, limit int) string {
	return r.T("form.too_long", r.Number(strconv.Itoa(limit)), r.Number(strconv.Itoa(n)))
}
