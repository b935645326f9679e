package console

import (
	"net/http"
	"slices"

	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
)

// activationPage shows the changes of an activation.
type activationPage struct {
	policy.Version
	engine.Replacement
	Changed []memberChange // settings
	Stages  []stageChange
}

// stageChange is a changed stage, with its changed members.
type stageChange struct {
	policy.StageChange
	Changed []memberChange
}

// memberChange is a changed member in sentences of the old and the new version, without the common ones. A member
// without words has none.
type memberChange struct {
	Name      string
	Gone, New []string
}

// wordChanges returns the changed members. old may be nil.
func wordChanges(names []string, old, now func(name string) []string) (all []memberChange) {
	for _, name := range names {
		c := memberChange{Name: name, New: now(name)}
		if old != nil {
			c.Gone = old(name)
		}
		before := c.Gone
		c.Gone = slices.DeleteFunc(slices.Clone(c.Gone), func(s string) bool { return slices.Contains(c.New, s) })
		c.New = slices.DeleteFunc(c.New, func(s string) bool { return slices.Contains(before, s) })
		all = append(all, c)
	}
	return all
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
	texts, def, old := req.Terms(), version.Definition, policy.Definition{}
	if p.Active != nil {
		old = p.Active.Definition
		p.Changed = wordChanges(p.Settings, func(name string) []string { return texts.Setting(name, old.Settings) },
			func(name string) []string { return texts.Setting(name, def.Settings) })
	}
	for _, c := range p.Replacement.Stages {
		shown := stageChange{StageChange: c}
		if c.Before != nil && c.After != nil {
			shown.Changed = wordChanges(c.Members,
				func(name string) []string { return texts.StageMember(name, old.Settings, *c.Before) },
				func(name string) []string { return texts.StageMember(name, def.Settings, *c.After) })
		}
		p.Stages = append(p.Stages, shown)
	}
	return req.Show(req.FormStatus(), "console-activate", req.T("activate.title", version.Number, version.Definition.Name),
		p)
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
