package people

import (
	"errors"
	"net/url"
	"slices"
	"strconv"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/i18n"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// ShowResubmission shows the form for a request for changes, with the previous content.
func ShowResubmission(req *page.Request, id string) error {
	c, err := loadForResubmit(req, id)
	if err != nil {
		return err
	}
	s := resubmissionForm(req, c, req.Submitted.Values)
	req.SetErrors(s.Inputs)
	return req.Show(req.FormStatus(), "resubmit", req.TitleOf(c.Request), s)
}

// loadForResubmit returns the request to resubmit. It returns an error if the reader may not.
func loadForResubmit(req *page.Request, id string) (wf.Case, error) {
	c, err := req.Engine.Requests.GetRequest(req.R.Context(), req.By, id)
	if err == nil && !slices.Contains(c.Actions(req.By), "resubmit") {
		err = refusal.New(reason.WrongState, "request %s is %s", id, c.Request.Status)
	}
	req.UsePolicy(c.Definition)
	return c, err
}

func resubmissionForm(req *page.Request, c wf.Case, sent url.Values) submission {
	s := formOf(req, policy.Version{Key: c.Request.PolicyKey, Definition: c.Definition}, sent)
	s.Request = &c.Request
	s.Inputs, _, _ = req.Form(c.Definition.ContextSchema, form.Parse(c.Request.Context), sent, "c")
	return s
}

// revisionInput is the content of a resubmission.
type revisionInput struct {
	context       []byte
	hash, comment string
}

// readRevision reads the form of a resubmission and adds the errors of its fields. Content outside the form is kept.
func readRevision(f *page.Fields, c wf.Case, sent url.Values) (in revisionInput) {
	before := form.Parse(c.Request.Context)
	inputs, content, _ := f.Form(c.Definition.ContextSchema, before, sent, "c")
	f.Errors = append(f.Errors, form.Errors(inputs)...)
	schema := form.ParseSchema(c.Definition.ContextSchema)
	for _, m := range before.Members {
		if schema.Get("properties").Get(m.Name).Kind == form.None {
			content.Members = append(content.Members, m)
		}
	}
	var err error
	if in.context, in.hash, err = page.Canonical(content); err != nil {
		f.Fail("content", "request.content", f.T("form.longer", f.Number(strconv.Itoa(page.MaxContext))))
	}
	in.comment = signin.Text(sent.Get("comment"))
	f.CheckLength("comment", "change.comment", in.comment, page.MaxComment)
	return in
}

// changePath returns the path of the form for a request for changes.
func changePath(id string) string { return requestPath(id) + "/change" }

// ResubmitRequest checks the fields of the form, and shows it with its approvers, read only. From that page it
// resubmits the request, if the revision is the one that the page has shown.
func ResubmitRequest(req *page.Request, id string) error {
	c, err := loadForResubmit(req, id)
	if err != nil {
		return err
	}
	ctx, f, to := req.R.Context(), req.Fields(), changePath(id)
	in := readRevision(f, c, f.Values)
	if len(f.Errors) > 0 {
		return f.Invalid(to)
	}
	s := resubmissionForm(req, c, f.Values)
	if f.Values.Get("seen") == strconv.Itoa(c.Request.Revision) {
		_, err := req.Engine.Requests.ResubmitRequest(ctx, req.By, id, in.context, in.hash, in.comment, "", nil)
		if errors.Is(err, reason.EngineRefused) {
			return s.refuse(req, to, err)
		}
		return req.Complete(err, requestPath(id), "resubmitted")
	}
	preview, err := req.Engine.Requests.PreviewResubmission(ctx, req.By, id, in.context, in.hash)
	if errors.Is(err, reason.EngineRefused) {
		return s.refuse(req, to, err)
	}
	if err != nil {
		return err
	}
	p := newCheckPage(req, to, preview, c.Request.Revision, f.Values)
	p.Name, p.Send = i18n.Text{Text: req.TitleOf(c.Request)}, req.T("change.send")
	p.addContent(s.Inputs)
	p.addText("comment", "change.comment", in.comment)
	return p.show()
}
