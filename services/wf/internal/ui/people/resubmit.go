package people

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/session"
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
	s := resubmissionForm(req, c, req.Kept.Values)
	req.SetErrors(s.Inputs)
	return req.Show(req.KeptStatus(), "resubmit", req.TitleOf(c.Request), s)
}

// loadForResubmit returns the request to resubmit. It returns an error if the reader may not.
func loadForResubmit(req *page.Request, id string) (wf.Case, error) {
	c, err := req.Engine.Requests.GetRequest(req.R.Context(), req.By, id)
	if err == nil && !slices.Contains(c.Actions(req.By), "resubmit") {
		err = refusal.New(reason.WrongState, "request %s is %s", id, c.Request.Status)
	}
	return c, err
}

func resubmissionForm(req *page.Request, c wf.Case, sent url.Values) submission {
	s := formOf(req, policy.Version{Key: c.Request.PolicyKey, Definition: c.Definition}, sent)
	s.Request = &c.Request
	s.Inputs, _, _ = req.Form(c.Definition.ContextSchema, form.Parse(c.Request.Context), sent, "c")
	return s
}

// ResubmitRequest resubmits a request. Content outside the form is kept.
func ResubmitRequest(req *page.Request, id string) error {
	c, err := loadForResubmit(req, id)
	if err != nil {
		return err
	}
	f, to, before := req.Fields(), requestPath(c.Request.ID)+"/change", form.Parse(c.Request.Context)
	if form.Edits(f.Values) {
		return req.KeepForm(to, session.Form{})
	}
	inputs, content, _ := req.Form(c.Definition.ContextSchema, before, f.Values, "c")
	f.Errors = form.Errors(inputs)
	schema := form.ParseSchema(c.Definition.ContextSchema)
	for _, m := range before.Members {
		if schema.Get("properties").Get(m.Name).Kind == form.None {
			content.Members = append(content.Members, m)
		}
	}
	text, hash, err := page.Canonical(content)
	if err != nil {
		f.Fail("content", "request.content", req.T("form.longer", req.Number(strconv.Itoa(page.MaxContext))))
	}
	comment := f.Text("comment", "change.comment", page.MaxComment)
	if len(f.Errors) > 0 {
		return f.Invalid(to)
	}
	_, err = req.Engine.Requests.ResubmitRequest(req.R.Context(), req.By, c.Request.ID, text, hash, comment, "", nil)
	if refused, ok := page.IsRefused(err); ok && refused.Reason == reason.EngineRefused {
		s, kept := resubmissionForm(req, c, f.Values), session.Form{Status: http.StatusBadRequest}
		kept.Problem, kept.Errors = s.placeError(req, refused)
		return req.KeepForm(to, kept)
	}
	return req.Complete(err, requestPath(c.Request.ID), "resubmitted")
}
