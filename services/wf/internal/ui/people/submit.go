package people

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// policiesPage lists the policies that the reader may use.
type policiesPage struct {
	Q        string
	Policies []policy.Version
	Unknown  int
	Next     string
}

// ShowPolicies shows the policies that the reader may use.
func ShowPolicies(req *page.Request) error {
	query := req.R.URL.Query()
	p := policiesPage{Q: frame.Truncate(query.Get("q"), 200)}
	usable, next, err := req.Engine.Policies.ListUsablePolicies(req.R.Context(), req.By, p.Q, wf.Page{Limit: 100, Cursor: query.Get("cursor")})
	if err != nil {
		return err
	}
	p.Policies, p.Unknown, p.Next = usable.Versions, usable.Unknown, req.NextPage(page.Root+"/new", next)
	return req.Show(http.StatusOK, "new", req.T("submit.title"), p)
}

// submission is the form of a request.
type submission struct {
	Policy               policy.Version
	Inputs               []form.Input
	Title, Link, Comment string
	ArtifactID, Priority string
	Priorities           []form.Choice
	TitleError           string
	LinkError            string
	ArtifactError        string
	Files                []form.Input
	Once                 string // idempotency key of the form
	Problem              string
	Preview              []page.StageColumn
	Request              *wf.Request // the request to resubmit; nil for a new one
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
	f := formOf(req, version, nil)
	f.Inputs, _, _ = req.Form(version.Definition.ContextSchema, form.Node{}, nil, "c")
	f.Files, _, _ = filesForm(req, nil)
	return req.Show(http.StatusOK, "new-request", version.Definition.Name, f)
}

func formOf(req *page.Request, version policy.Version, sent url.Values) submission {
	f := submission{
		Policy: version, Title: sent.Get("title"), Link: sent.Get("link"), Comment: sent.Get("comment"), ArtifactID: sent.Get("artifact"),
		Priority: cmp.Or(sent.Get("priority"), string(wf.PriorityNormal)), Once: cmp.Or(sent.Get("once"), rand.Text()),
	}
	for _, p := range []wf.Priority{wf.PriorityLow, wf.PriorityNormal, wf.PriorityHigh, wf.PriorityUrgent} {
		f.Priorities = append(f.Priorities, form.Choice{Value: string(p), Title: req.Label("priority", p), Chosen: string(p) == f.Priority})
	}
	return f
}

// SubmitRequest handles the form. It first shows a preview of the approvers, and creates the request
// after confirmation.
func SubmitRequest(req *page.Request) error {
	version, err := usablePolicy(req)
	if err != nil {
		return err
	}
	sent := req.R.PostForm
	f := formOf(req, version, sent)
	inputs, content, validContent := req.Form(version.Definition.ContextSchema, form.Node{}, sent, "c")
	files, attached, validFiles := filesForm(req, sent)
	f.Inputs, f.Files = inputs, files
	show := func(status int) error { return req.Show(status, "new-request", version.Definition.Name, f) }
	if form.Edits(sent) {
		return show(http.StatusOK)
	}
	in, valid := requestInput(req, &f, content, sent)
	if in.Attachments = attached; !valid || !validContent || !validFiles {
		f.Problem = cmp.Or(f.Problem, req.T("submit.problem"))
		return show(http.StatusUnprocessableEntity)
	}
	preview, err := req.Engine.Requests.PreviewRequest(req.R.Context(), req.By, in)
	if refused, ok := page.IsRefused(err); ok {
		f.Problem = placeError(req, &f, refused)
		return show(req.StatusOf(refused))
	}
	if err != nil {
		return err
	}
	if !sent.Has("send") {
		f.Preview = previewStages(req, preview)
		return show(http.StatusOK)
	}
	reply, err := req.Engine.Requests.CreateRequest(req.R.Context(), req.By, in, formKey(req, f.Once, sent))
	return req.Complete(err, page.Root+"/requests/"+path.Base(reply.Location), "submitted")
}

// formKey returns the idempotency key of a form. The form has a random name.
func formKey(req *page.Request, name string, sent url.Values) *engine.IdempotencyKey {
	sum := sha256.Sum256([]byte(sent.Encode()))
	return &engine.IdempotencyKey{
		Principal: req.By.Issuer + " " + req.By.ID, Method: req.R.Method, Route: page.Root + "/new",
		Value: "form-" + frame.Truncate(name, 64), Fingerprint: hex.EncodeToString(sum[:]), TTL: req.SignIn.Sessions.Longest,
	}
}

// requestInput converts a form to the engine's input. Errors are attached to the fields.
func requestInput(req *page.Request, f *submission, content form.Node, sent url.Values) (in engine.RequestInput, valid bool) {
	in = engine.RequestInput{
		PolicyKey: f.Policy.Key, ArtifactType: f.Policy.Definition.ArtifactType, ArtifactID: strings.TrimSpace(sent.Get("artifact")),
		Title: strings.TrimSpace(sent.Get("title")), Link: strings.TrimSpace(sent.Get("link")),
		Comment: page.Trim(sent.Get("comment"), page.MaxComment), Priority: wf.Priority(sent.Get("priority")),
	}
	if !slices.Contains(in.Priority.Values(), in.Priority) {
		in.Priority = wf.PriorityNormal
	}
	if f.TitleError = labelError(req, in.Title, 200); in.Title == "" {
		f.TitleError = req.T("form.required")
	}
	f.ArtifactError = labelError(req, in.ArtifactID, 255)
	if in.Link != "" && !isHTTPS(in.Link) {
		f.LinkError = req.T("form.url")
	}
	var err error
	if in.Context, in.ContextHash, err = page.Canonical(content); err != nil {
		f.Problem = req.T("form.longer", page.MaxContext)
	}
	return in, err == nil && f.TitleError == "" && f.ArtifactError == "" && f.LinkError == ""
}

// isHTTPS reports whether a text is an https address that the API accepts.
func isHTTPS(link string) bool {
	return strings.HasPrefix(link, "https://") && form.SafeLink(link) != "" && len(link) <= 2048 &&
		!strings.ContainsFunc(link, unicode.IsSpace)
}

// labelError returns the error of a single-line text with a maximum length.
func labelError(req *page.Request, text string, limit int) string {
	switch {
	case utf8.RuneCountInString(text) > limit:
		return req.T("form.longer", limit)
	case identity.CheckLabel(text) != nil:
		return req.T("form.pattern")
	}
	return ""
}

// placeError attaches a refusal to its field, or else returns its text.
func placeError(req *page.Request, f *submission, refused *refusal.Error) string {
	pointer, _, found := strings.Cut(strings.TrimPrefix(refused.Message, "context: "), ": ")
	if found && strings.HasPrefix(pointer, "/") && form.AttachRefusal(f.Inputs, "c", pointer, req.T("form.refused")) {
		return req.T("submit.problem")
	}
	return req.RefusalText(refused)
}

// previewStages returns the stages of a preview.
func previewStages(req *page.Request, p engine.Preview) []page.StageColumn {
	for i, run := range p.Request.Stages {
		if p.Skipped[run.Key] {
			p.Request.Stages[i] = page.NotNeeded(run)
		}
	}
	columns, _ := req.Stages(p.Case)
	return columns
}
