package inbox

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// simulationPage simulates a version, with a form or with a stored request.
type simulationPage struct {
	policy.Version
	Sent    url.Values
	Inputs  []form.Input
	JSON    string // the content, if the policy has no schema
	Request *wf.Request
	Sim     *engine.Simulation
	Run     []stageColumn
	Problem string
}

// showSimulation shows the form, with the content of the request in the address if there is one.
func (v *visit) showSimulation() error {
	version, err := v.policyVersion()
	if err != nil {
		return err
	}
	p := simulationPage{Version: version, Sent: url.Values{}}
	if v.R.URL.Query().Get("request") != "" {
		if err := v.like(&p, v.R.URL.Query().Get("request")); err != nil {
			return err
		}
	}
	return v.showSimulated(http.StatusOK, p)
}

// like fills the form with the content of a request.
func (v *visit) like(p *simulationPage, id string) error {
	id = strings.ToLower(strings.TrimSpace(id))
	c, err := v.engine.Request(v.R.Context(), v.By, id)
	if err != nil {
		return err
	}
	p.Request = &c.Request
	p.Sent = url.Values{"requester": {c.Request.Requester.ID}, "artifact": {c.Request.ArtifactID}, "request": {id}}
	return nil
}

// showSimulated shows the page. The form holds the submitted values, or the content of the request.
func (v *visit) showSimulated(status int, p simulationPage) error {
	if len(p.Inputs) == 0 && p.JSON == "" {
		content := form.Node{}
		if p.Request != nil {
			content, p.JSON = form.Parse(p.Request.Context), form.Indented(p.Request.Context)
		}
		p.Inputs, _, _ = v.formOf(p.Definition.ContextSchema, content, nil, "c")
	}
	return v.show(status, "console-simulate", v.T("sim.of", p.Definition.Name, p.Number), p)
}

// simulate simulates a version with the content of the form or of a stored request.
func (v *visit) simulate() error {
	version, err := v.policyVersion()
	if err != nil {
		return err
	}
	sent := v.R.PostForm
	p := simulationPage{Version: version, Sent: sent}
	in := engine.SimulationInput{
		Requester: strings.TrimSpace(sent.Get("requester")), ArtifactType: version.Definition.ArtifactType, ArtifactID: cut(strings.TrimSpace(sent.Get("artifact")), 255),
	}
	real := sent.Get("do") == "request"
	if real {
		if err := v.like(&p, sent.Get("request")); err != nil {
			return v.unsimulated(p, err)
		}
		in.FromRequest, in.Requester = p.Request.ID, ""
	} else if status := v.simulated(&p, &in, sent); status != 0 {
		return v.showSimulated(status, p)
	}
	if in.Requester != "" && identity.CheckUserID(in.Requester) != nil {
		p.Problem = v.T("form.person")
		return v.showSimulated(http.StatusUnprocessableEntity, p)
	}
	sim, err := v.engine.Simulate(v.R.Context(), v.By, version.Key, version.Number, in)
	if err != nil {
		return v.unsimulated(p, err)
	}
	p.Sim = &sim
	p.Run = v.simulatedStages(sim)
	return v.showSimulated(http.StatusOK, p)
}

// simulated reads the form. It returns the status of the page if the form is invalid.
func (v *visit) simulated(p *simulationPage, in *engine.SimulationInput, sent url.Values) int {
	inputs, content, good := v.formOf(p.Definition.ContextSchema, form.Node{}, sent, "c")
	p.Inputs = inputs
	if len(inputs) == 0 { // no schema
		content, p.JSON = form.Node{Kind: form.Object}, sent.Get("context")
		if text := strings.TrimSpace(p.JSON); text != "" {
			content = form.Parse([]byte(text))
		}
		good = content.Kind == form.Object
	}
	if form.Edits(sent) {
		return http.StatusOK
	}
	var err error
	if in.Context, in.ContextHash, err = canonical(content); err != nil || !good {
		if p.Problem = v.T("ask.problem"); len(inputs) == 0 {
			p.Problem = v.T("form.json")
		}
		return http.StatusUnprocessableEntity
	}
	return 0
}

func (v *visit) unsimulated(p simulationPage, err error) error {
	refusal, refused := errors.AsType[*refusal.Error](err)
	if !refused || refusal.Reason == reason.DatabaseDown {
		return err
	}
	p.Problem = v.why(refusal)
	return v.showSimulated(v.statusOf(refusal), p)
}

// simulatedStages returns the stages of a simulation.
func (v *visit) simulatedStages(sim engine.Simulation) (columns []stageColumn) {
	c := wf.Case{Request: sim.Request, Definition: sim.Version.Definition}
	for _, stage := range sim.Stages {
		run := stage.Run
		run.Key, run.Name, run.ParallelGroup = stage.Definition.Key, stage.Definition.Name, stage.Definition.ParallelGroup
		needed := stage.When == nil || stage.When.Value
		if !needed {
			run = notNeeded(run)
		}
		box := v.stageBox(c, run)
		if needed && len(box.People) == 0 {
			for _, a := range run.People {
				box.People = append(box.People, personLine{User: a.User, Look: "may", Text: v.T("person.would")})
			}
		}
		columns = beside(columns, run, box.shortened())
	}
	return columns
}
