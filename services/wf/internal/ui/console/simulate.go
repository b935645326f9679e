package console

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
)

// simulationPage simulates a version, with a form or with a stored request.
type simulationPage struct {
	policy.Version
	Sent    url.Values
	Inputs  []form.Input
	JSON    string // the content, if the policy has no schema
	Request *wf.Request
	Sim     *engine.DryRun
	Run     []page.StageColumn
	Terms   []string // of the approval
}

// ShowSimulation shows the form, with the content of the request in the address if there is one, and the
// simulation of a submitted form.
func ShowSimulation(req *page.Request) error {
	version, err := versionOf(req)
	if err != nil {
		return err
	}
	p := simulationPage{Version: version, Sent: url.Values{}}
	if req.Submitted.Values != nil {
		p.Sent = req.Submitted.Values
		return simulate(req, p)
	}
	if req.R.URL.Query().Get("request") != "" {
		if err := copyRequest(req, &p, req.R.URL.Query().Get("request")); err != nil {
			return err
		}
	}
	return showSimulation(req, http.StatusOK, p)
}

// Simulate answers the form with its page, which has the simulation.
func Simulate(req *page.Request) error {
	version, err := versionOf(req)
	if err != nil {
		return err
	}
	return req.ShowForm(policyPath(version)+"/simulate", signin.Form{Status: http.StatusOK})
}

// copyRequest fills the form with the content of a request.
func copyRequest(req *page.Request, p *simulationPage, id string) error {
	id = strings.ToLower(strings.TrimSpace(id))
	c, err := req.Engine.Requests.GetRequest(req.R.Context(), req.By, id)
	if err != nil {
		return err
	}
	p.Request = &c.Request
	p.Sent = url.Values{"requester": {c.Request.Requester.ID}, "artifact": {c.Request.ArtifactID}, "request": {id}}
	return nil
}

// showSimulation shows the page. The form holds the submitted values, or the content of the request.
func showSimulation(req *page.Request, status int, p simulationPage) error {
	if len(p.Inputs) == 0 && p.JSON == "" {
		content := form.Node{}
		if p.Request != nil {
			content, p.JSON = form.Parse(p.Request.Context), form.Indent(p.Request.Context)
		}
		p.Inputs, _, _ = req.Form(p.Definition.ContextSchema, content, nil, "c")
	}
	return req.Show(status, "console-simulate", req.T("sim.of", p.Definition.Name, p.Number), p)
}

// simulate simulates a version with the content of the form or of a stored request.
func simulate(req *page.Request, p simulationPage) error {
	version, sent := p.Version, p.Sent
	in := engine.DryRunInput{
		Requester: strings.TrimSpace(sent.Get("requester")), ArtifactType: version.Definition.ArtifactType,
		ArtifactID: frame.Truncate(strings.TrimSpace(sent.Get("artifact")), 255),
	}
	real := sent.Get("do") == "request"
	if real {
		if err := copyRequest(req, &p, sent.Get("request")); err != nil {
			return simulationRefused(req, p, err)
		}
		in.FromRequest, in.Requester = p.Request.ID, ""
	} else if status := readSimulation(req, &p, &in, sent); status != 0 {
		return showSimulation(req, status, p)
	}
	if in.Requester != "" && identity.CheckUserID(in.Requester) != nil {
		req.Errors = append(req.Errors, form.FieldError{Field: "requester", Label: req.T("console.requester"), Text: req.T("form.person")})
		return showSimulation(req, http.StatusUnprocessableEntity, p)
	}
	sim, err := req.Engine.Policies.SimulateVersion(req.R.Context(), req.By, version.Key, version.Number, in)
	if err != nil {
		return simulationRefused(req, p, err)
	}
	p.Sim = &sim
	p.Run = simulatedStages(req, sim)
	for _, name := range []string{"validity", "single_use"} {
		if name == "validity" || version.Definition.Settings.SingleUse {
			p.Terms = append(p.Terms, req.Terms().Setting(name, version.Definition.Settings)...)
		}
	}
	return showSimulation(req, http.StatusOK, p)
}

// readSimulation reads the form. It returns the status of the page if the form is invalid.
func readSimulation(req *page.Request, p *simulationPage, in *engine.DryRunInput, sent url.Values) int {
	inputs, content, valid := req.Form(p.Definition.ContextSchema, form.Node{}, sent, "c")
	p.Inputs = inputs
	if len(inputs) == 0 { // no schema
		content, p.JSON = form.Node{Kind: form.Object}, sent.Get("context")
		if text := strings.TrimSpace(p.JSON); text != "" {
			content = form.Parse([]byte(text))
		}
		valid = content.Kind == form.Object
	}
	if req.Submitted.Status == 0 { // not submitted
		req.SetErrors(p.Inputs)
		return http.StatusOK
	}
	var err error
	if in.Context, in.ContextHash, err = page.Canonical(content); err != nil || !valid {
		if req.Errors = form.Errors(inputs); len(inputs) == 0 {
			req.Errors = []form.FieldError{{Field: "context", Label: req.T("sim.json"), Text: req.T("form.json")}}
		}
		return http.StatusUnprocessableEntity
	}
	return 0
}

func simulationRefused(req *page.Request, p simulationPage, err error) error {
	refused, ok := page.IsRefused(err)
	if !ok {
		return err
	}
	req.Problem = req.RefusalText(refused)
	return showSimulation(req, req.StatusOf(refused), p)
}

// simulatedStages returns the stages of a simulation.
func simulatedStages(req *page.Request, sim engine.DryRun) (columns []page.StageColumn) {
	c := wf.Case{Request: sim.Request, Definition: sim.Version.Definition}
	for _, stage := range sim.Stages {
		run := stage.Run
		run.Key, run.Name, run.ParallelGroup = stage.Definition.Key, stage.Definition.Name, stage.Definition.ParallelGroup
		needed := stage.When == nil || stage.When.Value
		if !needed {
			run = page.NotNeeded(run)
		}
		box := req.StageBox(c, run)
		box.Then = stage.EscalateTo
		if needed && len(box.People) == 0 {
			for _, a := range run.People {
				box.People = append(box.People, page.PersonLine{User: a.User, Look: "may", Text: req.T("person.would")})
			}
		}
		columns = page.AddBox(columns, run, box.Shorten())
	}
	return columns
}
