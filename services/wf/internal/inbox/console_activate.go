package inbox

import (
	"errors"
	"net/http"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// activationPage shows the effects of an activation.
type activationPage struct {
	policy.Version
	engine.Replacement
	Problem string
}

// showActivation shows the effects of an activation and asks for confirmation.
func (v *visit) showActivation() error {
	version, err := v.policyVersion()
	if err != nil {
		return err
	}
	return v.activation(http.StatusOK, version, "")
}

func (v *visit) activation(status int, version policy.Version, problem string) error {
	p := activationPage{Version: version, Problem: problem}
	var err error
	if p.Replacement, err = v.engine.Replacement(v.R.Context(), v.By, version.Key, version.Number); err != nil {
		return err
	}
	return v.show(status, "console-activate", v.T("activate.title", version.Number, version.Definition.Name), p)
}

// Unchanged reports whether the version is equivalent to the active one.
func (p activationPage) Unchanged() bool {
	return p.Active != nil && len(p.Stages)+len(p.Settings)+len(p.Members) == 0
}

// Same reports whether a request would have the same approvers and outcome as before.
func (p activationPage) Same(t engine.Trial) bool {
	return len(t.Added)+len(t.Gone) == 0 && (t.Before == "" || t.Before == t.After)
}

// activate activates a version, if it is the one that the page has shown.
func (v *visit) activate() error {
	version, err := v.policyVersion()
	if err != nil {
		return err
	}
	if v.R.PostForm.Get("seen") != version.ContentHash {
		return v.activation(http.StatusConflict, version, v.T("activate.changed"))
	}
	err = v.attempt("activateVersion", wf.Resource{Type: "policy", ID: version.Key, Version: version.Number}, func() error {
		_, err := v.engine.ActivateVersion(v.R.Context(), v.By, version.Key, version.Number)
		return err
	})
	if refusal, refused := errors.AsType[*refusal.Error](err); refused && refusal.Reason != reason.DatabaseDown && v.Admin() {
		return v.activation(v.statusOf(refusal), version, v.why(refusal))
	}
	return v.Done(err, policyPath(version), "activated")
}

// MemberName returns the display name of a member of a policy.
func (v *visit) MemberName(name string) string { return v.Word("member", name) }
