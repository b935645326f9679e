package page

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/session"
)

// Limits of the API.
const (
	MaxContext = 200 << 10 // bytes of the content of a request
	MaxComment = 4096      // characters of a comment or a reason
)

// Canonical returns the canonical form of a document and its hash. It fails above MaxContext.
func Canonical(document form.Node) (text []byte, hash string, err error) {
	if text, err = strictjson.Canonical([]byte(document.JSON())); err != nil {
		return nil, "", err
	}
	if len(text) > MaxContext {
		return nil, "", errors.New("the content is too long")
	}
	hash, err = strictjson.Sum(text)
	return text, hash, err
}

// Fields reads the fields of a submitted form and collects their errors.
type Fields struct {
	*Request
	Values url.Values
	Errors []form.FieldError
}

// Fields returns the fields of the submitted form.
func (req *Request) Fields() *Fields { return &Fields{Request: req, Values: req.R.PostForm} }

// Fail adds the error of a field. label is the key of its label.
func (f *Fields) Fail(field, label, text string) {
	f.Errors = append(f.Errors, form.FieldError{Field: field, Label: f.T(label), Text: text})
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
		f.Fail(field, label, f.TooLong(n, limit))
	}
}

// Text returns a submitted text without surrounding white space.
func Text(sent string) string { return strings.TrimSpace(strings.ReplaceAll(sent, "\r\n", "\n")) }

// TooLong returns the error of a text of n characters above a limit.
func (req *Request) TooLong(n, limit int) string {
	return req.T("form.too_long", req.Number(strconv.Itoa(limit)), req.Number(strconv.Itoa(n)))
}

// Invalid keeps the form for the page at a path, with the errors of its fields.
func (f *Fields) Invalid(path string) error {
	return f.KeepForm(path, session.Form{Status: http.StatusUnprocessableEntity, Errors: f.Errors})
}

// SetErrors shows the errors of the kept form at form inputs, and no others.
func (req *Request) SetErrors(inputs ...[]form.Input) {
	for _, some := range inputs {
		form.SetErrors(some, req.ErrorOf)
	}
}

// KeptStatus returns the status of a page that shows the kept form, or 200.
func (req *Request) KeptStatus() int { return cmp.Or(req.Kept.Status, http.StatusOK) }

// Set returns the set of the values, for templates.
func Set(values []string) map[string]bool {
	set := map[string]bool{}
	for _, value := range values {
		set[value] = true
	}
	return set
}
