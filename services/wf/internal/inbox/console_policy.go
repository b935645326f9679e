package inbox

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// policies lists all policies.
func (v *visit) policies() error {
	query := v.r.URL.Query()
	list, next, err := v.engine.Policies(v.r.Context(), wf.PolicyFilter{Q: cut(query.Get("q"), 200), Status: filled[wf.VersionStatus](query, "status")}, v.wanted())
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "console-policies", v.T("console.policies"), consoleList(v, list, next))
}

// policyPage is one version of a policy, among the others.
type policyPage struct {
	wf.Version
	Versions []wf.Version
	Chart    drawn
	Admin    bool
	JSON     string
	Against  int // the version that it is compared with; 0 for none
	Diff     []diffLine
	Sim      *engine.Simulation
	SimRun   []stageBox
	Sent     url.Values
	Problem  string
}

// policyVersion is the version that the path names: of a policy alone the active one, or
// else the latest.
func (v *visit) policyVersion() (wf.Version, error) {
	key, number := v.r.PathValue("key"), v.r.PathValue("v")
	if number == "" {
		return v.engine.Policy(v.r.Context(), key)
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 1<<30 {
		return wf.Version{}, wf.Refuse(wf.PolicyNotFound, "no version %.20q of policy %.64q", number, key)
	}
	return v.engine.Version(v.r.Context(), key, n)
}

// policy shows a version, and what it changes of another one.
func (v *visit) policy() error {
	version, err := v.policyVersion()
	if err != nil {
		return err
	}
	return v.showPolicy(http.StatusOK, policyPage{Version: version})
}

func (v *visit) showPolicy(status int, p policyPage) error {
	ctx := v.r.Context()
	var err error
	if p.Versions, _, err = v.engine.Versions(ctx, p.Key, wf.Page{Limit: 100}); err != nil {
		return err
	}
	p.Admin, p.Chart = v.By.Has(wf.RoleAdmin), v.policyChart(p.Version)
	if p.JSON, err = definitionText(p.Version); err != nil {
		return err
	}
	if against, bad := strconv.Atoi(v.r.URL.Query().Get("against")); bad == nil && against > 0 && against != p.Number {
		other, err := v.engine.Version(ctx, p.Key, against)
		if err != nil {
			return err
		}
		before, err := definitionText(other)
		if err != nil {
			return err
		}
		p.Against, p.Diff = against, diff(before, p.JSON)
	}
	return v.show(status, "console-policy", p.Definition.Name, p)
}

func definitionText(version wf.Version) (string, error) {
	var out strings.Builder
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false) // it is escaped where it is shown
	to.SetIndent("", "  ")
	err := to.Encode(version.Definition)
	return strings.TrimSpace(out.String()), err
}

// Rules are the approvers of a stage in words.
func (v *visit) Rules(s wf.Stage) string {
	var names []string
	for _, rule := range s.Approvers {
		names = append(names, v.ruleName(rule))
	}
	return strings.Join(names, " + ")
}

// Quorum is how many approvals a stage needs, in words.
func (v *visit) Quorum(s wf.Stage) string {
	mode := s.Quorum.Mode
	if mode == "" {
		mode = wf.QuorumAll
	}
	return v.T("quorum."+string(mode), s.Quorum.Value)
}

// Now is whether a version is the active one.
func (p policyPage) Now() bool { return p.Status == wf.VersionActive }

// activate makes a version the one that new requests follow.
func (v *visit) activate() error {
	version, err := v.policyVersion()
	if err != nil {
		return err
	}
	err = v.attempt("activateVersion", wf.Resource{Type: "policy", ID: version.Key, Version: version.Number}, func() error {
		_, err := v.engine.ActivateVersion(v.r.Context(), v.By, version.Key, version.Number)
		return err
	})
	if err != nil {
		return err
	}
	return v.done(policyPath(version), "activated")
}

// deactivate takes the active version out of use.
func (v *visit) deactivate() error {
	version, err := v.policyVersion()
	if err != nil {
		return err
	}
	if _, err := v.engine.DeactivateVersion(v.r.Context(), v.By, version.Key, version.Number, ""); err != nil {
		return err
	}
	return v.done(policyPath(version), "deactivated")
}

func policyPath(version wf.Version) string {
	return Root + "/console/policies/" + url.PathEscape(version.Key) + "/" + strconv.Itoa(version.Number)
}

// simulate runs a version as a creation would, with a context or with that of a request.
func (v *visit) simulate() error {
	version, err := v.policyVersion()
	if err != nil {
		return err
	}
	sent := v.r.PostForm
	p := policyPage{Version: version, Sent: sent}
	in := engine.SimulationInput{Requester: strings.TrimSpace(sent.Get("requester")), ArtifactType: version.Definition.ArtifactType, FromRequest: strings.ToLower(strings.TrimSpace(sent.Get("request")))}
	content := node{kind: nodeObject}
	if text := strings.TrimSpace(sent.Get("context")); text != "" {
		content = parseNode([]byte(text))
	}
	if in.Context, in.ContextHash, err = canonical(content); err != nil || content.kind != nodeObject {
		p.Problem = v.T("form.json")
		return v.showPolicy(http.StatusUnprocessableEntity, p)
	}
	sim, err := v.engine.Simulate(v.r.Context(), v.By, version.Key, version.Number, in)
	if refusal, refused := errors.AsType[*wf.Error](err); refused && refusal.Reason != wf.DatabaseDown {
		p.Problem = v.why(refusal)
		return v.showPolicy(statuses[refusal.Reason], p)
	}
	if err != nil {
		return err
	}
	p.Sim = &sim
	c := engine.Case{Request: sim.Request, Definition: version.Definition}
	for _, stage := range sim.Stages {
		box := v.stageBox(c, stage.Run)
		box.Name = stage.Definition.Name
		if stage.When != nil && !stage.When.Value {
			box.Look, box.Status, box.Why = "skipped", v.T("stage.skipped"), v.T("skip.when_false")
		}
		p.SimRun = append(p.SimRun, box)
	}
	return v.showPolicy(http.StatusOK, p)
}
