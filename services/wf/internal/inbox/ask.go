package inbox

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// askPage lists the policies that the reader may use.
type askPage struct {
	Q        string
	Policies []policy.Version
	Unknown  int
	Next     string
}

// ask shows the policies that the reader may use.
func (v *visit) ask() error {
	query := v.R.URL.Query()
	p := askPage{Q: cut(query.Get("q"), 200)}
	usable, next, err := v.engine.UsablePolicies(v.R.Context(), v.By, p.Q, wf.Page{Limit: 100, Cursor: query.Get("cursor")})
	if err != nil {
		return err
	}
	p.Policies, p.Unknown, p.Next = usable.Versions, usable.Unknown, v.Rest(Root+"/ask", next)
	return v.show(http.StatusOK, "ask", v.T("ask.title"), p)
}

// askForm is the form of a request.
type askForm struct {
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
	Preview              []stageColumn
	Request              *wf.Request // the request to resubmit; nil for a new one
}

// usable returns the active version of a policy that the reader may use.
func (v *visit) usable() (policy.Version, error) {
	key := v.R.PathValue("key")
	usable, _, err := v.engine.UsablePolicies(v.R.Context(), v.By, key, wf.Page{Limit: 200})
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

// askFor shows the form of a policy.
func (v *visit) askFor() error {
	version, err := v.usable()
	if err != nil {
		return err
	}
	f := v.askForm(version, nil)
	f.Inputs, _, _ = v.formOf(version.Definition.ContextSchema, form.Node{}, nil, "c")
	f.Files, _, _ = v.filesForm(nil)
	return v.show(http.StatusOK, "ask-for", version.Definition.Name, f)
}

func (v *visit) askForm(version policy.Version, sent url.Values) askForm {
	f := askForm{
		Policy: version, Title: sent.Get("title"), Link: sent.Get("link"), Comment: sent.Get("comment"), ArtifactID: sent.Get("artifact"),
		Priority: cmp.Or(sent.Get("priority"), string(wf.PriorityNormal)), Once: cmp.Or(sent.Get("once"), rand.Text()),
	}
	for _, p := range []wf.Priority{wf.PriorityLow, wf.PriorityNormal, wf.PriorityHigh, wf.PriorityUrgent} {
		f.Priorities = append(f.Priorities, form.Choice{Value: string(p), Title: v.Word("priority", p), Chosen: string(p) == f.Priority})
	}
	return f
}

// sendRequest handles the form. It first shows a preview of the approvers, and creates the request
// after confirmation.
func (v *visit) sendRequest() error {
	version, err := v.usable()
	if err != nil {
		return err
	}
	sent := v.R.PostForm
	f := v.askForm(version, sent)
	inputs, content, good := v.formOf(version.Definition.ContextSchema, form.Node{}, sent, "c")
	files, attached, whole := v.filesForm(sent)
	f.Inputs, f.Files = inputs, files
	show := func(status int) error { return v.show(status, "ask-for", version.Definition.Name, f) }
	if form.Edits(sent) {
		return show(http.StatusOK)
	}
	in, right := v.requestInput(&f, content, sent)
	if in.Attachments = attached; !right || !good || !whole {
		f.Problem = cmp.Or(f.Problem, v.T("ask.problem"))
		return show(http.StatusUnprocessableEntity)
	}
	preview, err := v.engine.PreviewRequest(v.R.Context(), v.By, in)
	if refusal, refused := errors.AsType[*refusal.Error](err); refused && refusal.Reason != reason.DatabaseDown {
		f.Problem = v.place(&f, refusal)
		return show(v.statusOf(refusal))
	}
	if err != nil {
		return err
	}
	if !sent.Has("send") {
		f.Preview = v.previewed(preview)
		return show(http.StatusOK)
	}
	reply, err := v.engine.CreateRequest(v.R.Context(), v.By, in, v.formKey(f.Once, sent))
	return v.Done(err, Root+"/requests/"+path.Base(reply.Location), "asked")
}

// formKey returns the idempotency key of a form. The form has a random name.
func (v *visit) formKey(name string, sent url.Values) *engine.IdempotencyKey {
	sum := sha256.Sum256([]byte(sent.Encode()))
	return &engine.IdempotencyKey{
		Principal: v.By.Issuer + " " + v.By.ID, Method: v.R.Method, Route: Root + "/ask", Value: "form-" + cut(name, 64),
		Fingerprint: hex.EncodeToString(sum[:]), TTL: v.Times.Longest,
	}
}

// requestInput converts a form to the engine's input. Errors are attached to the fields.
func (v *visit) requestInput(f *askForm, content form.Node, sent url.Values) (in engine.RequestInput, right bool) {
	in = engine.RequestInput{
		PolicyKey: f.Policy.Key, ArtifactType: f.Policy.Definition.ArtifactType, ArtifactID: strings.TrimSpace(sent.Get("artifact")),
		Title: strings.TrimSpace(sent.Get("title")), Link: strings.TrimSpace(sent.Get("link")), Comment: trimmed(sent.Get("comment"), maxComment), Priority: wf.Priority(sent.Get("priority")),
	}
	if !slices.Contains(in.Priority.Values(), in.Priority) {
		in.Priority = wf.PriorityNormal
	}
	if f.TitleError = v.badLabel(in.Title, 200); in.Title == "" {
		f.TitleError = v.T("form.required")
	}
	f.ArtifactError = v.badLabel(in.ArtifactID, 255)
	if in.Link != "" && (form.SafeLink(in.Link) == "" || !strings.HasPrefix(in.Link, "https://") || strings.ContainsFunc(in.Link, unicode.IsSpace) || len(in.Link) > 2048) {
		f.LinkError = v.T("form.url")
	}
	var err error
	if in.Context, in.ContextHash, err = canonical(content); err != nil {
		f.Problem = v.T("form.longer", maxContext)
	}
	return in, err == nil && f.TitleError == "" && f.ArtifactError == "" && f.LinkError == ""
}

// badLabel returns the error of a single-line text with a maximum length.
func (v *visit) badLabel(text string, most int) string {
	switch {
	case utf8.RuneCountInString(text) > most:
		return v.T("form.longer", most)
	case identity.CheckLabel(text) != nil:
		return v.T("form.pattern")
	}
	return ""
}

const maxContext = 200 << 10 // bytes, as in the API

// canonical returns the canonical form of a document and its hash.
func canonical(content form.Node) (text []byte, hash string, err error) {
	if text, err = strictjson.Canonical([]byte(content.JSON())); err != nil {
		return nil, "", err
	}
	if len(text) > maxContext {
		return nil, "", errors.New("the content is too long")
	}
	hash, err = strictjson.Sum(text)
	return text, hash, err
}

// trimmed returns a text without surrounding white space, truncated to the limit of its field.
func trimmed(text string, most int) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most])
	}
	return text
}

// maxComment is the maximum length of a comment or a reason, as in the API.
const maxComment = 4096

// place attaches a refusal to its field, or else returns its text.
func (v *visit) place(f *askForm, refusal *refusal.Error) string {
	pointer, message, found := strings.Cut(strings.TrimPrefix(refusal.Message, "context: "), ": ")
	if found && strings.HasPrefix(pointer, "/") && form.Blame(f.Inputs, "c", pointer, message) {
		return v.T("ask.problem")
	}
	return v.why(refusal)
}

// previewed returns the stages of a preview.
func (v *visit) previewed(p engine.Preview) []stageColumn {
	for i, run := range p.Request.Stages {
		if p.Skipped[run.Key] {
			p.Request.Stages[i] = notNeeded(run)
		}
	}
	columns, _ := v.stages(p.Case)
	return columns
}

// minePage lists the reader's own requests.
type minePage struct {
	Status   string
	Requests []mineItem
	Next     string
}

type mineItem struct {
	wf.Request
	Waits []identity.User // pending approvers
}

// mine lists the reader's requests and their pending approvers.
func (v *visit) mine() error {
	query := v.R.URL.Query()
	filter := wf.RequestFilter{Requester: v.By.ID, Sort: "updated_at"}
	p := minePage{Status: query.Get("status")}
	switch p.Status {
	case "open":
		filter.Status = []wf.RequestStatus{wf.RequestInReview, wf.RequestBlocked, wf.RequestChangesRequested}
	case "part":
		filter.Requester, filter.Participant, filter.Sort = "", v.By.ID, "" // no index supports these filters in the order of changes
	case "over":
		filter.Status = []wf.RequestStatus{wf.RequestApproved, wf.RequestRejected, wf.RequestCancelled, wf.RequestExpired}
	}
	list, next, err := v.engine.Requests(v.R.Context(), v.By, filter, wf.Page{Limit: 30, Cursor: query.Get("cursor")})
	if err != nil {
		return err
	}
	for _, r := range list {
		item := mineItem{Request: r}
		if r.Status == wf.RequestInReview { // lists contain no tasks
			c, err := v.engine.Request(v.R.Context(), v.By, r.ID)
			if err != nil {
				return err
			}
			for _, t := range c.Request.Tasks {
				if (t.Status == wf.TaskOpen || t.Status == wf.TaskClaimed) && t.Assignee != nil {
					item.Waits = append(item.Waits, *t.Assignee)
				}
			}
		}
		p.Requests = append(p.Requests, item)
	}
	p.Next = v.Rest(Root+"/mine", next)
	return v.show(http.StatusOK, "mine", v.T("nav.mine"), p)
}

// change shows the form for a request for changes, with the previous content.
func (v *visit) change(id string) error {
	c, err := v.changed(id)
	if err != nil {
		return err
	}
	f := v.changeForm(c, nil)
	f.Inputs, _, _ = v.formOf(c.Definition.ContextSchema, form.Parse(c.Request.Context), nil, "c")
	return v.show(http.StatusOK, "change", v.TitleOf(c.Request), f)
}

// changed returns the request to resubmit. It returns an error if the reader may not.
func (v *visit) changed(id string) (wf.Case, error) {
	c, err := v.engine.Request(v.R.Context(), v.By, id)
	if err == nil && !slices.Contains(c.Request.Actions(v.By), "resubmit") {
		err = refusal.New(reason.WrongState, "request %s is %s", id, c.Request.Status)
	}
	return c, err
}

func (v *visit) changeForm(c wf.Case, sent url.Values) askForm {
	f := v.askForm(policy.Version{Key: c.Request.PolicyKey, Definition: c.Definition}, sent)
	f.Request = &c.Request
	return f
}

// resubmit resubmits a request. Content outside the form is kept.
func (v *visit) resubmit(id string) error {
	c, err := v.changed(id)
	if err != nil {
		return err
	}
	sent, before := v.R.PostForm, form.Parse(c.Request.Context)
	f := v.changeForm(c, sent)
	inputs, content, good := v.formOf(c.Definition.ContextSchema, before, sent, "c")
	f.Inputs = inputs
	show := func(status int) error { return v.show(status, "change", v.TitleOf(c.Request), f) }
	if form.Edits(sent) {
		return show(http.StatusOK)
	}
	if !good {
		f.Problem = v.T("ask.problem")
		return show(http.StatusUnprocessableEntity)
	}
	schema := form.ParseSchema(c.Definition.ContextSchema)
	for _, m := range before.Members {
		if schema.Get("properties").Get(m.Name).Kind == form.None {
			content.Members = append(content.Members, m)
		}
	}
	text, hash, err := canonical(content)
	if err != nil {
		f.Problem = v.T("form.longer", maxContext)
		return show(http.StatusUnprocessableEntity)
	}
	_, err = v.engine.ResubmitRequest(v.R.Context(), v.By, c.Request.ID, text, hash, trimmed(sent.Get("comment"), maxComment), "", nil)
	if refusal, refused := errors.AsType[*refusal.Error](err); refused && refusal.Reason == reason.EngineRefused {
		f.Problem = v.place(&f, refusal)
		return show(http.StatusBadRequest)
	}
	return v.Done(err, Root+"/requests/"+c.Request.ID, "resubmitted")
}
