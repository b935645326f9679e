package people

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
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

// resubmissionForm returns the form of a resubmission. Content outside the form is kept.
func resubmissionForm(req *page.Request, c wf.Case, sent url.Values) submission {
	s := submission{Policy: policy.Version{Key: c.Request.PolicyKey, Definition: c.Definition}, Sent: sent,
		Path: changePath(c.Request.ID), Number: c.Request.Revision, Request: &c.Request}
	before, schema := form.Parse(c.Request.Context), form.ParseSchema(c.Definition.ContextSchema)
	s.Inputs, s.document, _ = req.Form(c.Definition.ContextSchema, before, sent, "c")
	for _, m := range before.Members {
		if schema.Get("properties").Get(m.Name).Kind == form.None {
			s.document.Members = append(s.document.Members, m)
		}
	}
	return s
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
	ctx, f := req.R.Context(), req.Fields()
	s := resubmissionForm(req, c, f.Values)
	content, hash := s.readContent(f)
	comment := f.Text("comment", "change.comment", page.MaxComment)
	if len(f.Errors) > 0 {
		return f.Invalid(s.Path)
	}
	if f.Values.Get("seen") == strconv.Itoa(s.Number) {
		_, err := req.Engine.Requests.ResubmitRequest(ctx, req.By, id, content, hash, comment, "", nil)
		if err != nil {
			return s.refuse(req, err)
		}
		return req.Complete(nil, requestPath(id), "resubmitted")
	}
	preview, err := req.Engine.Requests.PreviewResubmission(ctx, req.By, id, content, hash)
	if err != nil {
		return s.refuse(req, err)
	}
	p := checkPage{submission: s, Preview: preview}
	p.addContent(req)
	p.addText(req, "comment", "change.comment", comment)
	return p.show(req)
}
