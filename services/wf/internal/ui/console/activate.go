package console

import (
	"net/http"

	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/content"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
)

// activationPage shows the changes of an activation.
type activationPage struct {
	policy.Version
	engine.Replacement
	Stages []stageChange
	Others content.Differences // outside the stages; none without an active version
}

// stageChange is a changed stage, with the differences of its members.
type stageChange struct {
	policy.StageChange
	content.Differences
}

// ShowActivation shows the changes of an activation and asks for confirmation.
func ShowActivation(req *page.Request) error {
	version, err := versionOf(req)
	if err != nil {
		return err
	}
	p := activationPage{Version: version}
	if p.Replacement, err = req.Engine.Policies.Replacement(req.R.Context(), req.By, version.Key,
		version.Number); err != nil {
		return err
	}
	for _, c := range p.Replacement.Stages {
		shown := stageChange{StageChange: c}
		if c.Before != nil && c.After != nil {
			shown.Differences = differences(req, *c.Before, *c.After)
		}
		p.Stages = append(p.Stages, shown)
	}
	if p.Active != nil {
		old, now := p.Active.Definition, version.Definition
		old.Stages, now.Stages, old.ChangeNote, now.ChangeNote = nil, nil, "", ""
		p.Others = differences(req, old, now)
	}
	return req.Show(req.FormStatus(), "console-activate", req.T("activate.title", version.Number, version.Definition.Name),
		p)
}

// differences returns the differences of the documents of two parts of a policy.
func differences(req *page.Request, before, after any) content.Differences {
	return content.Changes(req.Request.Request, []byte(documentOf(before)), []byte(documentOf(after)), nil)
}

// IsUnchanged reports whether the version is equivalent to the active one.
func (p activationPage) IsUnchanged() bool {
	return p.Active != nil && len(p.Stages)+len(p.Settings)+len(p.Members) == 0
}

// ActivateVersion activates a version, if it is the one that the page has shown.
func ActivateVersion(req *page.Request) error {
	version, err := versionOf(req)
	if err != nil {
		return err
	}
	seen := req.R.PostForm.Get("seen")
	if seen != version.ContentHash {
		return req.ShowForm(policyPath(version)+"/activate",
			signin.Form{Status: http.StatusConflict, Problem: req.T("activate.changed")})
	}
	_, err = req.Engine.Policies.ActivateVersion(req.R.Context(), req.By, version.Key, version.Number, "", seen)
	err = req.Audited("activateVersion", wf.Resource{Type: "policy", ID: version.Key, Version: version.Number}, err)
	if refused, ok := page.IsRefused(err); ok {
		shown := signin.Form{Status: req.StatusOf(refused), Problem: req.RefusalText(refused)}
		if req.Engine.Policies.FourEyes && version.UpdatedBy.ID == req.By.ID {
			shown.Problem = req.T("draft.four")
		}
		return req.ShowForm(policyPath(version)+"/activate", shown)
	}
	return req.Complete(err, policyPath(version), "activated")
}
