package console

import (
	"cmp"
	"net/http"
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

// simulationPage simulates a version.
type simulationPage struct {
	policy.Version
	Inputs []form.Input
	Sim    *engine.DryRun // nil before the form is sent
	Run    []page.StageColumn
}

// ShowSimulation shows the form, with the requester and the content of the request in the address if there is one, or
// with the submitted values and their simulation.
func ShowSimulation(req *page.Request) error {
	version, err := versionOf(req)
	if err != nil {
		return err
	}
	sent, like := req.Submitted.Values, wf.Case{}
	if id := req.R.URL.Query().Get("request"); id != "" && sent == nil {
		if like, err = req.Engine.Requests.GetRequest(req.R.Context(), req.By, id); err != nil {
			return err
		}
	}
	p, content := simulationPage{Version: version}, like.Request.Context
	p.Inputs, _, _ = req.Form(version.Definition.ContextSchema, form.Parse(content), sent, "c")
	if len(p.Inputs) == 0 { // no schema
		text := sent.Get("context")
		if content != nil {
			text = form.Indent(content)
		}
		p.Inputs = []form.Input{req.Input("json", "context", "sim.json", text, 0)}
	}
	from := req.Picker("requester", req.T("console.requester"), sent)
	from.Value = cmp.Or(from.Value, like.Request.Requester.ID)
	artifact := req.Input("text", "artifact", "submit.artifact", sent.Get("artifact"), page.MaxArtifact)
	p.Inputs = append(p.Inputs, from, artifact)
	req.SetErrors(p.Inputs)
	if p.Sim, _ = req.Submitted.Result.(*engine.DryRun); p.Sim != nil {
		p.Run = simulatedStages(req, *p.Sim)
	}
	title := req.T("sim.of", version.Definition.Name, version.Number)
	return req.Show(req.FormStatus(), "console-simulate", title, p)
}

// Simulate simulates a version with the submitted form, and answers it with its page.
func Simulate(req *page.Request) error {
	version, err := versionOf(req)
	if err != nil {
		return err
	}
	f, to := req.Fields(), policyPath(version)+"/simulate"
	in := readSimulation(f, version.Definition)
	if len(f.Errors) > 0 {
		return f.Invalid(to)
	}
	sim, err := req.Engine.Policies.SimulateVersion(req.R.Context(), req.By, version.Key, version.Number, in)
	if refused, ok := page.IsRefused(err); ok {
		return req.ShowForm(to, signin.Form{Status: req.StatusOf(refused), Problem: req.RefusalText(refused)})
	}
	if err != nil {
		return err
	}
	return req.ShowForm(to, signin.Form{Status: http.StatusOK, Result: &sim})
}

// readSimulation reads the form and adds the errors of its fields.
func readSimulation(f *page.Fields, def policy.Definition) engine.DryRunInput {
	in := engine.DryRunInput{RequestInput: engine.RequestInput{
		Requester:  f.PickedUser(f.Values, "requester"),
		ArtifactID: frame.Truncate(strings.TrimSpace(f.Values.Get("artifact")), page.MaxArtifact),
	}}
	inputs, content, _ := f.Form(def.ContextSchema, form.Node{}, f.Values, "c")
	f.Errors = form.Errors(inputs)
	if text := strings.TrimSpace(f.Values.Get("context")); len(inputs) == 0 && text != "" { // no schema
		content = form.Parse([]byte(text))
	}
	var err error
	if in.Context, in.ContextHash, err = page.Canonical(content); err != nil || content.Kind != form.Object {
		f.Fail("context", "sim.json", f.T("form.json"))
	}
	if in.Requester != "" && identity.CheckUserID(in.Requester) != nil {
		f.Fail("requester", "console.requester", f.T("form.person"))
	}
	return in
}

// simulatedStages returns the stages of a simulation.
func simulatedStages(req *page.Request, sim engine.DryRun) (columns []page.StageColumn) {
	c := wf.Case{Request: sim.Request, Definition: sim.Definition}
	for _, stage := range sim.Stages {
		run := stage.Run
		box := req.StageBox(c, run)
		box.Then = stage.EscalateTo
		if len(box.People) == 0 {
			for _, a := range run.People {
				box.People = append(box.People, page.PersonLine{User: a.User, Look: "may", Text: req.T("person.would")})
			}
		}
		columns = page.AddBox(columns, run, box.Shorten())
	}
	return columns
}
