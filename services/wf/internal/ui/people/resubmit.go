package people

import (
	"net/http"
	"net/url"
	"slices"

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
	f := resubmissionForm(req, c, nil)
	f.Inputs, _, _ = req.Form(c.Definition.ContextSchema, form.Parse(c.Request.Context), nil, "c")
	return req.Show(http.StatusOK, "resubmit", req.TitleOf(c.Request), f)
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
	f := formOf(req, policy.Version{Key: c.Request.PolicyKey, Definition: c.Definition}, sent)
	f.Request = &c.Request
	return f
}

// ResubmitRequest resubmits a request. Content outside the form is kept.
func ResubmitRequest(req *page.Request, id string) error {
	c, err := loadForResubmit(req, id)
	if err != nil {
		return err
	}
	sent, before := req.R.PostForm, form.Parse(c.Request.Context)
	f := resubmissionForm(req, c, sent)
	inputs, content, valid := req.Form(c.Definition.ContextSchema, before, sent, "c")
	f.Inputs = inputs
	show := func(status int) error { return req.Show(status, "resubmit", req.TitleOf(c.Request), f) }
	if form.Edits(sent) {
		return show(http.StatusOK)
	}
	if !valid {
		f.Problem = req.T("submit.problem")
		return show(http.StatusUnprocessableEntity)
	}
	schema := form.ParseSchema(c.Definition.ContextSchema)
	for _, m := range before.Members {
		if schema.Get("properties").Get(m.Name).Kind == form.None {
			content.Members = append(content.Members, m)
		}
	}
	text, hash, err := page.Canonical(content)
	if err != nil {
		f.Problem = req.T("form.longer", page.MaxContext)
		return show(http.StatusUnprocessableEntity)
	}
	comment := page.Trim(sent.Get("comment"), page.MaxComment)
	_, err = req.Engine.Requests.ResubmitRequest(req.R.Context(), req.By, c.Request.ID, text, hash, comment, "", nil)
	if refused, ok := page.IsRefused(err); ok && refused.Reason == reason.EngineRefused {
		f.Problem = placeError(req, &f, refused)
		return show(http.StatusBadRequest)
	}
	return req.Complete(err, page.Root+"/requests/"+c.Request.ID, "resubmitted")
}
