package people

import (
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

// PrepareResubmission checks the fields of the form, and shows it with its approvers, read only.
func PrepareResubmission(req *page.Request, id string) error {
	c, err := loadForResubmit(req, id)
	if err != nil {
		return err
	}
	return checkResubmission(req, c, "")
}

// checkResubmission shows the submitted form with its approvers, read only, and with a problem, or "".
func checkResubmission(req *page.Request, c wf.Case, problem string) error {
	f, id := req.Fields(), c.Request.ID
	in := readRevision(f, c, f.Values)
	if len(f.Errors) > 0 {
		return f.Invalid(changePath(id))
	}
	s := resubmissionForm(req, c, f.Values)
	preview, err := req.Engine.Requests.PreviewResubmission(req.R.Context(), req.By, id, in.context, in.hash)
	if refused, ok := page.IsRefused(err); ok && refused.Reason == reason.EngineRefused {
		return s.refuse(req, changePath(id), refused)
	}
	if err != nil {
		return err
	}
	p := newCheckPage(req, changePath(id), preview, c.Request.Revision, f.Values)
	p.Action, p.Name, p.Send = requestPath(id)+"/resubmit", i18n.Text{Text: req.TitleOf(c.Request)}, req.T("change.send")
	p.addContent(s.Inputs)
	p.addText("comment", "change.comment", in.comment)
	return p.show(problem)
}

// ResubmitRequest resubmits a request with the submitted form, if the revision is that of the check page.
func ResubmitRequest(req *page.Request, id string) error {
	c, err := loadForResubmit(req, id)
	if err != nil {
		return err
	}
	if req.R.PostForm.Get("seen") != strconv.Itoa(c.Request.Revision) {
		return checkResubmission(req, c, req.T("note.recheck"))
	}
	f := req.Fields()
	in := readRevision(f, c, f.Values)
	if len(f.Errors) > 0 {
		return f.Invalid(changePath(id))
	}
	_, err = req.Engine.Requests.ResubmitRequest(req.R.Context(), req.By, id, in.context, in.hash, in.comment, "", nil)
	if refused, ok := page.IsRefused(err); ok && refused.Reason == reason.EngineRefused {
		s := resubmissionForm(req, c, f.Values)
		return s.refuse(req, changePath(id), refused)
	}
	return req.Complete(err, requestPath(id), "resubmitted")
}
