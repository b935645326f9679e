package inbox

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/chart"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// policies lists all policies.
func (v *visit) policies() error {
	query := v.R.URL.Query()
	list, next, err := v.engine.Policies(v.R.Context(), wf.PolicyFilter{Q: cut(query.Get("q"), 200), Status: filled[policy.VersionStatus](query, "status")}, v.wanted())
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "console-policies", v.T("console.policies"), consoleList(v, list, next))
}

// policyPage is one version of a policy, with the list of the others.
type policyPage struct {
	policy.Version
	Versions []policy.Version
	Chart    drawn
	JSON     string
	Against  int // the version to compare with; 0 for none
	Diff     []diffLine
}

// policyVersion returns the version in the path. Without a number this is the active one, else the
// latest.
func (v *visit) policyVersion() (policy.Version, error) {
	key, number := v.R.PathValue("key"), v.R.PathValue("v")
	if number == "" {
		return v.engine.Policy(v.R.Context(), key)
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 1<<30 {
		return policy.Version{}, refusal.New(reason.PolicyNotFound, "no version %.20q of policy %.64q", number, key)
	}
	return v.engine.Version(v.R.Context(), key, n)
}

// policy shows a version and its differences from another one.
func (v *visit) policy() error {
	ctx := v.R.Context()
	version, err := v.policyVersion()
	if err != nil {
		return err
	}
	p := policyPage{Version: version, Chart: draw(chart.OfPolicy(version.Number, version.Definition, v.chartWords()))}
	if p.Versions, _, err = v.engine.Versions(ctx, p.Key, wf.Page{Limit: 100}); err != nil {
		return err
	}
	if p.JSON, err = definitionText(p.Version); err != nil {
		return err
	}
	if against, bad := strconv.Atoi(v.R.URL.Query().Get("against")); bad == nil && against > 0 && against != p.Number {
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
	return v.show(http.StatusOK, "console-policy", p.Definition.Name, p)
}

func definitionText(version policy.Version) (string, error) {
	var out strings.Builder
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false) // the template escapes it
	to.SetIndent("", "  ")
	err := to.Encode(version.Definition)
	return strings.TrimSpace(out.String()), err
}

// Now reports whether the version is active.
func (p policyPage) Now() bool { return p.Status == policy.VersionActive }

// deactivate retires the active version.
func (v *visit) deactivate() error {
	version, err := v.policyVersion()
	if err != nil {
		return err
	}
	_, err = v.engine.DeactivateVersion(v.R.Context(), v.By, version.Key, version.Number, "")
	return v.Done(err, policyPath(version), "deactivated")
}

func policyPath(version policy.Version) string {
	return Root + "/console/policies/" + url.PathEscape(version.Key) + "/" + strconv.Itoa(version.Number)
}
