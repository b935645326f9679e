package signin

import (
	"cmp"
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
// A completed form is answered with a redirect (303), every other one with its page, which shows the entries again.
type Request struct {
	*frame.Request

	Session   session.Session // the zero Session without one
	Submitted Form            // the submitted form that the page answers; the zero Form without one
	Sent      url.Values      // the submitted form with the values of Withhold; never kept or shown

	// Open shows the page of GET requests at the address of R, to a user with access.
	Open func() error

	signIn *SignIn
}

// Form is a submitted form on its page.
type Form struct {
	Status  int               // of the page; 0 for a form that was not checked
	Values  url.Values        // as submitted
	Problem string            // of the whole form
	Errors  []form.FieldError // in the order of the page
	Result  any               // of the operation
}

// NewRequest returns a page request without a session; see Admit.
func (s *SignIn) NewRequest(r *frame.Request) *Request { return &Request{Request: r, signIn: s} }

// Admit finds the session of the request and returns the verified access token. Without a session it replies like
// Require.
func (r *Request) Admit() (bearer.Token, error) {
	current, token, found, err := r.signIn.CurrentSession(r.Request)
	if err == nil && !found {
		err = r.signIn.Require(r.Request)
	}
	r.Session = current
	return token, err
}

// ShowForm answers a form with the page at a path, which shows the submitted values and the errors.
func (r *Request) ShowForm(path string, f Form) error {
	if f.Values == nil {
		f.Values = r.R.PostForm
	}
	u, err := url.Parse(r.LocalPath(path))
	if err != nil {
		return fmt.Errorf("show a form: %w", err)
	}
	in := r.R.Clone(r.R.Context())
	in.Method, in.URL, in.Form, in.PostForm = http.MethodGet, u, url.Values{}, url.Values{}
	r.R, r.Submitted, r.Problem, r.Errors = in, f, f.Problem, f.Errors
	return r.Open()
}

// ShowEdited answers a button that changes only the fields of a form, with the page of the form.
func (r *Request) ShowEdited() error { return r.ShowForm(r.R.PostForm.Get("page"), Form{}) }

// stepUpPage holds a submitted form during a stronger sign-in.
type stepUpPage struct {
	SignIn string
	Action string // target of the form
	Form   url.Values
}

// RequireStepUp answers a form that requires a stronger sign-in, with further authorization parameters. The page
// holds the submitted values, and sends them after the sign-in.
func (r *Request) RequireStepUp(more url.Values) error {
	p := stepUpPage{path(r.Request, r.Root+"/signed-in", more), r.R.URL.RequestURI(), r.R.PostForm}
	return r.Show(http.StatusUnauthorized, "step-up", r.T("stepup.title"), p)
}

// hiddenFields are the values of forms that no user enters.
var hiddenFields = []string{
	"page", "seen", "sure", "once", "task", "action", "do", "send", "preview", "find", "add", "remove", "edit", "select",
}

// Refuse replies with the status and the text of a refusal, and with the submitted texts.
func (r *Request) Refuse(status int, text string) error {
	values := r.R.PostForm
	if r.Submitted.Values != nil {
		values = r.Submitted.Values
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			if !slices.Contains(hiddenFields, name) && strings.TrimSpace(value) != "" {
				texts = append(texts, value)
			}
		}
	}
	return r.Show(status, "status", text, texts)
}

// ShowList shows a list. title is the key of its title, next the cursor of the next page.
func (r *Request) ShowList(l frame.List, title, next string) error {
	l.Table.Label, l.Table.Pager = r.T(title), r.Pager(r.R.URL.Path, next)
	l.Secret, _ = r.Submitted.Result.(frame.Secret)
	l.New.Open = len(l.Table.Rows) == 0 || r.Submitted.Status >= http.StatusBadRequest
	r.SetErrors(l.New.Inputs)
	return r.Show(r.FormStatus(), "list", l.Table.Label, l)
}

// Question asks the reader to confirm the operation of a form.
type Question struct {
	Title, Consequence string
	Do                 string // label of the button
	Back               string // page of the form
	Action             string // target of the form
	Values             url.Values
}

// Confirmed reports whether the reader has confirmed the operation of the submitted form.
func (r *Request) Confirmed() bool { return r.R.PostForm.Get("sure") == "yes" }

// Ask answers the submitted form with its question.
func (r *Request) Ask(q Question) error {
	q.Action, q.Values = r.R.URL.EscapedPath(), r.R.PostForm
	q.Values.Del("page")
	return r.Show(http.StatusOK, "confirm", q.Title, q)
}

// SetErrors shows the errors of the submitted form at form inputs, and no others.
func (r *Request) SetErrors(inputs ...[]form.Input) {
	for _, some := range inputs {
		form.SetErrors(some, r.ErrorOf)
	}
}

// FormStatus returns the status of a page that answers a form, or 200.
func (r *Request) FormStatus() int { return cmp.Or(r.Submitted.Status, http.StatusOK) }

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

// Invalid answers the form with the page at a path and the errors of its fields.
func (f *Fields) Invalid(path string) error {
	return f.r.ShowForm(path, Form{Status: http.StatusUnprocessableEntity, Errors: f.Errors})
}

// Text returns a submitted text without surrounding white space.
func Text(sent string) string { return strings.TrimSpace(strings.ReplaceAll(sent, "\r\n", "\n")) }

// TooLong returns the error of a text of n characters above a limit.
func (r *Request) TooLong(n, limit int) string {
	return r.T("form.too_long", r.Number(strconv.Itoa(limit)), r.Number(strconv.Itoa(n)))
}
