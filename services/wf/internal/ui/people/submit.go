package people

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/content"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// policiesPage lists the policies that the reader may use.
type policiesPage struct {
	engine.Usable
	Search frame.Search
	Pager  frame.Pager
}

// ShowPolicies shows the policies that the reader may use.
func ShowPolicies(req *page.Request) error {
	query := req.R.URL.Query()
	usable, next, err := req.Engine.Policies.ListUsablePolicies(req.R.Context(), req.By,
		frame.Truncate(query.Get("q"), 200), wf.Page{Limit: 100, Cursor: query.Get("cursor")})
	if err != nil {
		return err
	}
	search := req.Search("submit.search", len(usable.Versions) > 0)
	p := policiesPage{Usable: usable, Search: search, Pager: req.Pager(page.Root+"/new", next)}
	return req.Show(http.StatusOK, "new", req.T("submit.title"), p)
}

// submission is the form of a request.
type submission struct {
	Policy   policy.Version
	Path     string     // of the page
	Number   int        // of the version of the policy, or of the revision
	Sent     url.Values // nil for a new form
	Inputs   []form.Input
	Priority form.Input
	Files    []form.Input
	Once     string      // idempotency key of the form
	Request  *wf.Request // the request to resubmit; nil for a new one

	document form.Node // the content that was read
	files    []wf.Attachment
}

// usablePolicy returns the active version of a policy that the reader may use.
func usablePolicy(req *page.Request) (policy.Version, error) {
	key := req.R.PathValue("key")
	usable, _, err := req.Engine.Policies.ListUsablePolicies(req.R.Context(), req.By, key, wf.Page{Limit: 200})
	if err != nil {
		return policy.Version{}, err
	}
	for _, version := range usable.Versions {
		if version.Key == key {
			req.UsePolicy(version.Definition)
			return version, nil
		}
	}
	return policy.Version{}, refusal.New(reason.PolicyNotFound, "no policy %.64q that you may use", key)
}

// ShowSubmission shows the form of a policy.
func ShowSubmission(req *page.Request) error {
	version, err := usablePolicy(req)
	if err != nil {
		return err
	}
	s := newSubmission(req, version, req.Submitted.Values)
	req.SetErrors(s.Inputs, s.Files)
	return req.Show(req.FormStatus(), "new-request", req.PolicyName(version.Definition).Text, s)
}

// newSubmission returns the form of a policy with the submitted values, or nil.
func newSubmission(req *page.Request, version policy.Version, sent url.Values) submission {
	s := submission{Policy: version, Path: page.Root + "/new/" + url.PathEscape(version.Key), Number: version.Number,
		Sent: sent, Once: cmp.Or(sent.Get("once"), rand.Text())}
	s.Inputs, s.document, _ = req.Form(version.Definition.ContextSchema, form.Node{}, sent, "c")
	s.Files, s.files = filesForm(req, sent)
	chosen := cmp.Or(sent.Get("priority"), string(wf.PriorityNormal))
	s.Priority = req.Input("choice", "priority", "submit.priority", chosen, 0).Must().
		WithOptions(page.Choices(req, "priority", wf.Priority("").Values()...)...)
	return s
}

// SubmitRequest checks the fields of the form, and shows it with its approvers, read only. From that page it creates
// the request, if the version is the one that the page has shown. The form of a request that would be refused is shown
// again, with its errors.
func SubmitRequest(req *page.Request) error {
	version, err := usablePolicy(req)
	if err != nil {
		return err
	}
	ctx, f := req.R.Context(), req.Fields()
	s := newSubmission(req, version, f.Values)
	in := s.read(f)
	if len(f.Errors) > 0 {
		return f.Invalid(s.Path)
	}
	if f.Values.Get("seen") == strconv.Itoa(s.Number) {
		seen := in
		seen.Version = version.Number
		reply, err := req.Engine.Requests.CreateRequest(ctx, req.By, seen, formKey(req, s.Once, f.Values))
		if err == nil {
			return req.Complete(nil, requestPath(path.Base(reply.Location)), "submitted")
		}
		if !errors.Is(err, reason.VersionChanged) {
			return s.refuse(req, err)
		}
	}
	preview, err := req.Engine.Requests.PreviewRequest(ctx, req.By, in)
	if err != nil {
		return s.refuse(req, err)
	}
	c := checkPage{submission: s, Preview: preview}
	c.addText(req, "title", "submit.name", in.Title)
	c.addContent(req)
	c.addText(req, "comment", "submit.comment", in.Comment)
	if len(in.Attachments) > 0 {
		entry := content.Entry{Title: req.T("request.files")}
		c.Rows = append(c.Rows, checkRow{Entry: entry, Field: "files/attachments", Files: in.Attachments})
	}
	c.addText(req, "link", "request.link", in.Link)
	c.addText(req, "artifact", "submit.artifact", in.ArtifactID)
	if in.Priority != wf.PriorityNormal {
		c.addText(req, "priority", "submit.priority", req.Label("priority", in.Priority))
	}
	return c.show(req)
}

// refuse answers the form with its page and a refusal. It returns other errors.
func (s *submission) refuse(req *page.Request, err error) error {
	refused, ok := page.IsRefused(err)
	if !ok {
		return err
	}
	shown := signin.Form{Status: req.StatusOf(refused), Errors: s.checkErrors(req, refused.Problems)}
	if len(shown.Errors) == 0 {
		shown.Errors = fieldErrors(req, s.Inputs, "c", refused)
	}
	if len(shown.Errors) == 0 {
		shown.Problem = req.RefusalText(refused)
	}
	return req.ShowForm(s.Path, shown)
}

// formKey returns the idempotency key of a form. The form has a random name.
func formKey(req *page.Request, name string, sent url.Values) *engine.IdempotencyKey {
	content := maps.Clone(sent)
	delete(content, "seen") // differs from page to page
	delete(content, "page")
	sum := sha256.Sum256([]byte(content.Encode()))
	return &engine.IdempotencyKey{
		Principal: req.By.Issuer + " " + req.By.ID, Method: req.R.Method, Route: page.Root + "/new",
		Value: "form-" + frame.Truncate(name, 64), Fingerprint: hex.EncodeToString(sum[:]), TTL: req.SignIn.Sessions.Longest,
	}
}

// read converts a form to the engine's input and adds the errors of its fields.
func (s *submission) read(f *page.Fields) engine.RequestInput {
	sent := f.Values
	in := engine.RequestInput{
		PolicyKey: s.Policy.Key, ArtifactType: s.Policy.Definition.ArtifactType,
		Title: label(f, "title", "submit.name", maxTitle), Link: strings.TrimSpace(sent.Get("link")),
		Priority: wf.Priority(sent.Get("priority")),
	}
	if !slices.Contains(in.Priority.Values(), in.Priority) {
		in.Priority = wf.PriorityNormal
	}
	if in.Title == "" {
		f.Fail("title", "submit.name", f.T("form.required"))
	}
	in.Context, in.ContextHash = s.readContent(f)
	in.Comment = f.Text("comment", "submit.comment", page.MaxComment)
	in.Attachments, f.Errors = s.files, append(f.Errors, form.Errors(s.Files)...)
	if in.Link != "" && !isHTTPS(in.Link) {
		f.Fail("link", "request.link", f.T("form.url"))
	}
	in.ArtifactID = label(f, "artifact", "submit.artifact", page.MaxArtifact)
	return in
}

// readContent returns the canonical content of the form and its hash, and adds the errors of its fields.
func (s *submission) readContent(f *page.Fields) (text []byte, hash string) {
	f.Errors = append(f.Errors, form.Errors(s.Inputs)...)
	text, hash, err := page.Canonical(s.document)
	if err != nil {
		f.Fail("content", "request.content", f.T("form.longer", f.Number(strconv.Itoa(page.MaxContext))))
	}
	return text, hash
}

// Limits of the API, in characters.
const (
	maxTitle = 200
	maxLink  = 2048
)

// isHTTPS reports whether a text is an https address that the API accepts.
func isHTTPS(link string) bool {
	return strings.HasPrefix(link, "https://") && form.SafeLink(link) != "" && len(link) <= maxLink &&
		!strings.ContainsFunc(link, unicode.IsSpace)
}

// label returns a single-line text and adds its error.
func label(f *page.Fields, field, title string, limit int) string {
	text := f.Text(field, title, limit)
	if identity.CheckLabel(text) != nil {
		f.Fail(field, title, f.T("form.pattern"))
	}
	return text
}

// checkErrors returns the violated checks of the policy as the errors of their fields. The error of a check without a
// field of the form has no label.
func (s *submission) checkErrors(req *page.Request, violated []refusal.Problem) (errs []form.FieldError) {
	for _, p := range violated {
		check, _ := s.Policy.Definition.Settings.FindCheck(p.Where, p.Message)
		text := req.Translate(check.MessageI18n, p.Message)
		one := form.FieldError{Field: "content", Text: text.Text, Lang: text.Lang}
		if in := form.RefusedField(s.Inputs, "c", p.Where); p.Where != "" && in != nil {
			one.Field, one.Label = in.Name, in.Title
		}
		errs = append(errs, one)
	}
	return errs
}

// fieldErrors returns the refusal of a document as the error of its field; nil if it has none.
func fieldErrors(req *page.Request, inputs []form.Input, prefix string, refused *refusal.Error) []form.FieldError {
	pointer, _, found := strings.Cut(strings.TrimPrefix(refused.Message, "context: "), ": ")
	if !found || !strings.HasPrefix(pointer, "/") {
		return nil
	}
	in := form.RefusedField(inputs, prefix, pointer)
	if in == nil {
		return nil
	}
	return []form.FieldError{{Field: in.Name, Label: in.Title, Text: req.T("form.refused")}}
}
