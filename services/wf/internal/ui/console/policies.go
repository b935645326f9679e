package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// ShowPolicies lists all policies.
func ShowPolicies(req *page.Request) error {
	query := req.R.URL.Query()
	filter := wf.PolicyFilter{Q: frame.Truncate(query.Get("q"), 200),
		Status: optionalFilter[policy.VersionStatus](query, "status")}
	list, next, err := req.Engine.Policies.ListPolicies(req.R.Context(), req.By, filter, pageOf(req))
	if err != nil {
		return err
	}
	p := frame.List{
		Search: req.Search("submit.search", len(list) > 0, req.Filter("choice", "status", "console.status",
			page.Choices(req, "version", policy.VersionStatus("").Values()...)...)),
		Table: frame.Table{Columns: req.Columns("main work.policy", "policy.key", "policy.now", "policy.next")},
	}
	if req.Admin() {
		p.Top = []frame.Part{{Kind: "action", Link: page.Root + "/console/policies/new", Text: req.T("editor.new")}}
	}
	for _, one := range list {
		now, next := frame.Cell{frame.Mark("status", req.T("policy.none"))}, frame.Cell(nil)
		if one.Active != nil {
			now = frame.Cell{frame.Mark("status active", req.T("policy.active", one.Active.Number))}
		}
		if one.Latest.Status == policy.VersionDraft {
			next = frame.Cell{frame.Mark("status draft", req.T("policy.draft", one.Latest.Number))}
		}
		link := page.Root + "/console/policies/" + url.PathEscape(one.Key)
		p.Table.Rows = append(p.Table.Rows, frame.Row{Cells: []frame.Cell{
			{frame.LinkTo(link, req.PolicyName(one.Latest.Definition).Text)}, {frame.Soft(one.Key)}, now, next,
		}})
	}
	return showList(req, "console.policies", next, p)
}

// policyPage is one version of a policy, with the list of the others.
type policyPage struct {
	policy.Version
	Versions []policy.Version
	Columns  []page.StageColumn
	JSON     string
}

// versionOf returns the version in the path. Without a number this is the active one, else the latest; without a key
// the zero Version.
func versionOf(req *page.Request) (policy.Version, error) {
	key, number := req.R.PathValue("key"), req.R.PathValue("v")
	if key == "" {
		return policy.Version{}, nil
	}
	if number == "" {
		return req.Engine.Policies.GetPolicy(req.R.Context(), key)
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > 1<<30 {
		return policy.Version{}, refusal.New(reason.PolicyNotFound, "no version %.20q of policy %.64q", number, key)
	}
	return req.Engine.Policies.GetVersion(req.R.Context(), key, n)
}

// ShowVersion shows a version.
func ShowVersion(req *page.Request) error {
	version, err := versionOf(req)
	if err != nil {
		return err
	}
	p := policyPage{Version: version, Columns: page.PolicyStages(version.Definition, req.Terms()),
		JSON: documentOf(version.Definition)}
	if p.Versions, _, err = req.Engine.Policies.ListVersions(req.R.Context(), p.Key, wf.Page{Limit: 100}); err != nil {
		return err
	}
	return req.Show(http.StatusOK, "console-policy", p.Definition.Name, p)
}

// documentOf returns the document of a policy, or of a part of one.
func documentOf(part any) string {
	var out strings.Builder
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false) // the template escapes it
	to.SetIndent("", "  ")
	_ = to.Encode(part) // parts of policies always encode
	return strings.TrimSpace(out.String())
}

// DeactivateVersion retires the active version.
func DeactivateVersion(req *page.Request) error {
	version, err := versionOf(req)
	if err != nil {
		return err
	}
	if !req.Confirmed() {
		return req.Ask(signin.Question{
			Title: req.T("confirm.policy.deactivate", version.Definition.Name), Do: req.T("policy.deactivate"),
			Back:        policyPath(version),
			Consequence: req.T("confirm.policy.deactivate.then", req.N("policy.flight", version.InFlight)),
		})
	}
	_, err = req.Engine.Policies.DeactivateVersion(req.R.Context(), req.By, version.Key, version.Number, "")
	err = req.Audited("deactivateVersion", wf.Resource{Type: "policy", ID: version.Key, Version: version.Number}, err)
	return req.Complete(err, policyPath(version), "deactivated")
}

func policyPath(version policy.Version) string {
	return page.Root + "/console/policies/" + url.PathEscape(version.Key) + "/" + strconv.Itoa(version.Number)
}
