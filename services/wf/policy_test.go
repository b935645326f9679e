package wf_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

func TestEveryVersionTransitionFromEveryState(t *testing.T) {
	by := user("pat")
	transitions := map[string]func(wf.Version) (wf.Version, error){
		"edit": func(v wf.Version) (wf.Version, error) {
			return v.Edit(policy(each("s", "ana")), "sha256:new", by, noon)
		},
		"activate": func(v wf.Version) (wf.Version, error) { return v.Activate(by, noon), nil },
		"retire":   func(v wf.Version) (wf.Version, error) { return v.Retire(by, noon) },
	}
	for name, want := range map[string]map[wf.VersionStatus]wf.VersionStatus{ // empty: 409
		"edit":     {wf.VersionDraft: wf.VersionDraft, wf.VersionActive: "", wf.VersionRetired: ""},
		"activate": {wf.VersionDraft: wf.VersionActive, wf.VersionActive: wf.VersionActive, wf.VersionRetired: wf.VersionActive},
		"retire":   {wf.VersionDraft: "", wf.VersionActive: wf.VersionRetired, wf.VersionRetired: ""},
	} {
		for from, to := range want {
			t.Run(name+"/"+string(from), func(t *testing.T) {
				before := wf.Version{Key: "test", Number: 3, Status: from, ContentHash: "sha256:old", Rev: 7}
				got, err := transitions[name](before)
				if to == "" {
					if !errors.Is(err, reason.WrongState) || encode(got) != encode(before) {
						t.Fatalf("got %+v, %v, want %s", got, err, reason.WrongState)
					}
					return
				}
				if err != nil || got.Status != to {
					t.Fatalf("got %s, %v, want %s", got.Status, err, to)
				}
				if same := name == "activate" && from == wf.VersionActive; same != (encode(got) == encode(before)) {
					t.Errorf("changed to %+v", got)
				} else if !same && got.Rev != 8 {
					t.Errorf("version = %+v", got)
				}
				// Who edited it last stays known: another has to activate it.
				if edited := got.UpdatedBy == by && got.UpdatedAt == noon; edited != (name == "edit") {
					t.Errorf("version = %+v", got)
				}
				switch name {
				case "edit":
					if got.ContentHash != "sha256:new" || len(got.Definition.Stages) != 1 {
						t.Errorf("version = %+v", got)
					}
				case "retire":
					if got.RetiredBy != by || got.RetiredAt != noon {
						t.Errorf("version = %+v", got)
					}
				}
			})
		}
	}
}

func TestADraftAloneMayBeDeleted(t *testing.T) {
	for status, want := range map[wf.VersionStatus]bool{wf.VersionDraft: true, wf.VersionActive: false, wf.VersionRetired: false} {
		err := wf.Version{Key: "test", Number: 3, Status: status}.CheckDelete()
		if (err == nil) != want || err != nil && !errors.Is(err, reason.WrongState) {
			t.Errorf("%s: %v", status, err)
		}
	}
}

// everything is what a definition may rely on at most.
var everything = wf.Capabilities{Directory: true, Resolvers: true}

// problems is what is wrong with a definition, where the words true, names, {}, hr and
// mail are the only expressions, schema, resolver and endpoint.
func problems(d wf.Definition, has wf.Capabilities) wf.Problems {
	var found wf.Problems
	for _, f := range d.Validate(has) {
		refused := f.Expression != nil && f.Expression.CEL != map[wf.Yield]string{wf.YieldsBool: "true", wf.YieldsNames: "names"}[f.Expression.Yields] ||
			f.Schema != nil && string(f.Schema) != "{}" ||
			f.HTTPRule != nil && f.HTTPRule.Resolver != "hr" ||
			f.Endpoint != "" && f.Endpoint != "mail"
		switch {
		case f.Problem != "":
			found = append(found, wf.Problem{Pointer: f.Pointer, Message: f.Problem})
		case refused:
			found = append(found, wf.Problem{Pointer: f.Pointer, Message: "is not known"})
		}
	}
	return found
}

// sound is a definition with something in every place.
func sound() wf.Definition {
	return wf.Definition{
		Name: "Disbursement", ContextSchema: []byte(`{}`), Labels: map[string]string{"team": "finance"},
		Settings: wf.Settings{
			Submitters: []wf.Rule{names("rita")}, FallbackApprovers: []wf.Rule{names("fay")},
			AutoApproveWhen: "true", AutoRejectWhen: "true", ExpiresIn: "P30D", MaxRevisions: ptr(20),
			Delegation: wf.DelegationSettings{MaxHops: 3}, Webhooks: []wf.WebhookTarget{{Endpoint: "mail", Events: []string{"request.*"}}},
		},
		Stages: []wf.Stage{
			together(each("one", "ana", "bo", "cy")),
			together(pool("two", 2, "ana", "bo", "cy")),
			{
				Key: "three", Name: "Three", When: "true", OnEmpty: wf.OnEmptyFallback, DecisionSchema: []byte(`{}`),
				Reauth:    &wf.Reauth{MaxAge: "PT5M"},
				Rejection: quorum.Rejection{Mode: quorum.RejectionCount, Value: 2},
				Quorum:    quorum.Quorum{Mode: quorum.QuorumPercentage, Value: 100},
				Approvers: []wf.Rule{
					{Type: wf.RuleUser, Usernames: []string{"ana.k"}, MinApprovals: 1},
					{Type: wf.RuleExpression, CEL: "names", As: "roles"},
					{Type: wf.RuleStageActor, Stage: "two"},
					{Type: wf.RuleRole, Role: "officer"},
					{Type: wf.RuleGroup, Path: "/officers"},
					{Type: wf.RuleManager},
					{Type: wf.RuleHTTP, Resolver: "hr"},
				},
			},
		},
	}
}

func TestASoundDefinitionIsAccepted(t *testing.T) {
	if found := problems(sound(), everything); found != nil {
		t.Errorf("refused: %v", found)
	}
	if found := problems(policy(), everything); found != nil {
		t.Errorf("a policy without stages is refused: %v", found)
	}
	large := pool("s", 1)
	large.Approvers = []wf.Rule{crowd(101)}
	if found := problems(policy(large), everything); found != nil {
		t.Errorf("a pool of more people than each takes is refused: %v", found)
	}
}

func TestWhatIsWrongWithADefinition(t *testing.T) {
	many := func(prefix string, n int) []string {
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprint(prefix, i)
		}
		return ids
	}
	tests := map[string]struct {
		change  func(*wf.Definition)
		pointer string
	}{
		"name with a control character": {func(d *wf.Definition) { d.Name = "a\x00b" }, "/name"},
		"name that turns the text":      {func(d *wf.Definition) { d.Name = "a\u202eb" }, "/name"},
		"name with nothing to see":      {func(d *wf.Definition) { d.Name = "\u0301\u0302 " }, "/name"},
		"context schema":                {func(d *wf.Definition) { d.ContextSchema = []byte(`[]`) }, "/context_schema"},
		"context schema too long":       {func(d *wf.Definition) { d.ContextSchema = make([]byte, 64<<10+1) }, "/context_schema"},
		"label too long":                {func(d *wf.Definition) { d.Labels["x"] = strings.Repeat("x", 257) }, "/labels"},
		"submitter":                     {func(d *wf.Definition) { d.Settings.Submitters[0].IDs = nil }, "/settings/submitters/0/ids"},
		"submitter of a stage":          {func(d *wf.Definition) { d.Settings.Submitters[0] = wf.Rule{Type: wf.RuleStageActor, Stage: "one"} }, "/settings/submitters/0/stage"},
		"auto approval":                 {func(d *wf.Definition) { d.Settings.AutoApproveWhen = "tru" }, "/settings/auto_approve_when"},
		"auto rejection":                {func(d *wf.Definition) { d.Settings.AutoRejectWhen = " " }, "/settings/auto_reject_when"},
		"lifetime":                      {func(d *wf.Definition) { d.Settings.ExpiresIn = "P1M" }, "/settings/expires_in"},
		"too many revisions":            {func(d *wf.Definition) { d.Settings.MaxRevisions = ptr(21) }, "/settings/max_revisions"},
		"fewer than no revisions":       {func(d *wf.Definition) { d.Settings.MaxRevisions = ptr(-1) }, "/settings/max_revisions"},
		"fallback approver":             {func(d *wf.Definition) { d.Settings.FallbackApprovers[0].IDs[0] = "system:repeat" }, "/settings/fallback_approvers/0/ids/0"},
		"four hops":                     {func(d *wf.Definition) { d.Settings.Delegation.MaxHops = 4 }, "/settings/delegation/max_hops"},
		"unknown endpoint":              {func(d *wf.Definition) { d.Settings.Webhooks[0].Endpoint = "post" }, "/settings/webhooks/0/endpoint"},
		"pattern of no event":           {func(d *wf.Definition) { d.Settings.Webhooks[0].Events[0] = "request.done" }, "/settings/webhooks/0/events/0"},
		"pattern that is none":          {func(d *wf.Definition) { d.Settings.Webhooks[0].Events[0] = "[" }, "/settings/webhooks/0/events/0"},

		"more than 20 stages":        {func(d *wf.Definition) { d.Stages = stages(21) }, "/stages"},
		"stage key":                  {func(d *wf.Definition) { d.Stages[0].Key = "One" }, "/stages/0/key"},
		"stage key twice":            {func(d *wf.Definition) { d.Stages[1].Key = "one" }, "/stages/1/key"},
		"stage name":                 {func(d *wf.Definition) { d.Stages[1].Name = "\u2066" }, "/stages/1/name"},
		"group in two places":        {func(d *wf.Definition) { d.Stages = append(d.Stages, together(each("four", "ana"))) }, "/stages/3/parallel_group"},
		"condition":                  {func(d *wf.Definition) { d.Stages[2].When = "tru" }, "/stages/2/when"},
		"condition too long":         {func(d *wf.Definition) { d.Stages[2].When = strings.Repeat(" ", 4096) + "x" }, "/stages/2/when"},
		"no approvers":               {func(d *wf.Definition) { d.Stages[0].Approvers = nil }, "/stages/0/approvers"},
		"more than 50 rules":         {func(d *wf.Definition) { d.Stages[0].Approvers = slices.Repeat([]wf.Rule{names("ana", "bo")}, 51) }, "/stages/0/approvers"},
		"nothing without fallback":   {func(d *wf.Definition) { d.Settings.FallbackApprovers = nil }, "/stages/2/on_empty"},
		"submitters that are nobody": {func(d *wf.Definition) { d.Settings.Submitters = []wf.Rule{} }, "/settings/submitters"},
		"step-up for nothing":        {func(d *wf.Definition) { d.Stages[2].Reauth = &wf.Reauth{} }, "/stages/2/reauth"},
		"acr of a token without one": {func(d *wf.Definition) { d.Stages[2].Reauth = &wf.Reauth{ACRValues: []string{"gold", ""}} }, "/stages/2/reauth/acr_values/1"},
		"two acr in one":             {func(d *wf.Definition) { d.Stages[2].Reauth.ACRValues = []string{"gold silver"} }, "/stages/2/reauth/acr_values/0"},
		"step-up age":                {func(d *wf.Definition) { d.Stages[2].Reauth.MaxAge = "PT0S" }, "/stages/2/reauth/max_age"},
		"decision schema":            {func(d *wf.Definition) { d.Stages[2].DecisionSchema = []byte(`[]`) }, "/stages/2/decision_schema"},

		"count missing":                {func(d *wf.Definition) { d.Stages[0].Quorum.Mode = quorum.QuorumCount }, "/stages/0/quorum/value"},
		"count over 100":               {func(d *wf.Definition) { d.Stages[2].Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 101} }, "/stages/2/quorum/value"},
		"count over the people":        {func(d *wf.Definition) { d.Stages[1].Quorum.Value = 4 }, "/stages/1/quorum/value"},
		"count under the minimums":     {func(d *wf.Definition) { d.Stages[1].Approvers[0].MinApprovals = 3 }, "/stages/1/quorum/value"},
		"percentage 0":                 {func(d *wf.Definition) { d.Stages[2].Quorum.Value = 0 }, "/stages/2/quorum/value"},
		"percentage 101":               {func(d *wf.Definition) { d.Stages[2].Quorum.Value = 101 }, "/stages/2/quorum/value"},
		"value of all":                 {func(d *wf.Definition) { d.Stages[0].Quorum.Value = 1 }, "/stages/0/quorum/value"},
		"value of any":                 {func(d *wf.Definition) { d.Stages[0].Quorum = quorum.Quorum{Mode: quorum.QuorumAny, Value: 1} }, "/stages/0/quorum/value"},
		"minimum below zero":           {func(d *wf.Definition) { d.Stages[2].Quorum.MinApprovals = -1 }, "/stages/2/quorum/min_approvals"},
		"minimum over 100":             {func(d *wf.Definition) { d.Stages[2].Quorum.MinApprovals = 101 }, "/stages/2/quorum/min_approvals"},
		"minimum over the people":      {func(d *wf.Definition) { d.Stages[0].Quorum.MinApprovals = 4 }, "/stages/0/quorum/min_approvals"},
		"a pool of all":                {func(d *wf.Definition) { d.Stages[1].Quorum = quorum.Quorum{} }, "/stages/1/quorum/mode"},
		"required in a pool":           {func(d *wf.Definition) { d.Stages[1].Approvers[0].Required = true }, "/stages/1/approvers/0/required"},
		"a pool that waits for all":    {func(d *wf.Definition) { d.Stages[1].Quorum.WaitForAll = true }, "/stages/1/quorum/wait_for_all"},
		"101 each":                     {func(d *wf.Definition) { d.Stages[0].Approvers[0].IDs = many("p", 101) }, "/stages/0/quorum"},
		"1001 in a pool":               {func(d *wf.Definition) { d.Stages[1].Approvers[0].IDs = many("p", 1001) }, "/stages/1/quorum"},
		"rejections missing":           {func(d *wf.Definition) { d.Stages[2].Rejection.Value = 0 }, "/stages/2/rejection/value"},
		"value of a veto":              {func(d *wf.Definition) { d.Stages[0].Rejection.Value = 1 }, "/stages/0/rejection/value"},
		"rule minimum below zero":      {func(d *wf.Definition) { d.Stages[2].Approvers[0].MinApprovals = -1 }, "/stages/2/approvers/0/min_approvals"},
		"rule minimum over 100":        {func(d *wf.Definition) { d.Stages[2].Approvers[0].MinApprovals = 101 }, "/stages/2/approvers/0/min_approvals"},
		"rule minimum beyond counting": {func(d *wf.Definition) { d.Stages[2].Approvers[0].MinApprovals = 1 << 62 }, "/stages/2/approvers/0/min_approvals"},
		"rule minimums over 100": {func(d *wf.Definition) {
			d.Stages[2].Approvers[0].MinApprovals, d.Stages[2].Approvers[1].MinApprovals = 60, 60
		}, "/stages/2/quorum"},
		"rule minimum over its people": {func(d *wf.Definition) {
			d.Stages[0].Approvers = []wf.Rule{names("ana", "bo"), {Type: wf.RuleUser, IDs: []string{"cy"}, MinApprovals: 2}}
		}, "/stages/0/quorum"},
		"one person for two minimums": {func(d *wf.Definition) {
			one := wf.Rule{Type: wf.RuleUser, IDs: []string{"ana"}, MinApprovals: 1}
			d.Stages[0].Approvers = []wf.Rule{one, one, names("bo")}
		}, "/stages/0/quorum"},

		"rule of no user":              {func(d *wf.Definition) { d.Stages[0].Approvers[0].IDs = nil }, "/stages/0/approvers/0/ids"},
		"user id empty":                {func(d *wf.Definition) { d.Stages[0].Approvers[0].IDs[1] = "" }, "/stages/0/approvers/0/ids/1"},
		"user id too long":             {func(d *wf.Definition) { d.Stages[0].Approvers[0].IDs[1] = strings.Repeat("x", 256) }, "/stages/0/approvers/0/ids/1"},
		"expression":                   {func(d *wf.Definition) { d.Stages[2].Approvers[1].CEL = "true" }, "/stages/2/approvers/1/cel"},
		"expression missing":           {func(d *wf.Definition) { d.Stages[2].Approvers[1].CEL = "" }, "/stages/2/approvers/1/cel"},
		"member of another type":       {func(d *wf.Definition) { d.Stages[0].Approvers[0].Role = "officer" }, "/stages/0/approvers/0/role"},
		"actors of a later stage":      {func(d *wf.Definition) { d.Stages[0].Approvers[0] = wf.Rule{Type: wf.RuleStageActor, Stage: "three"} }, "/stages/0/approvers/0/stage"},
		"actors of its own stage":      {func(d *wf.Definition) { d.Stages[2].Approvers[2].Stage = "three" }, "/stages/2/approvers/2/stage"},
		"actors of a parallel stage":   {func(d *wf.Definition) { d.Stages[1].Approvers[0] = wf.Rule{Type: wf.RuleStageActor, Stage: "one"} }, "/stages/1/approvers/0/stage"},
		"actors of no stage":           {func(d *wf.Definition) { d.Stages[2].Approvers[2].Stage = "" }, "/stages/2/approvers/2/stage"},
		"resolver that is not allowed": {func(d *wf.Definition) { d.Stages[2].Approvers[6].Resolver = "evil" }, "/stages/2/approvers/6"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := sound()
			tt.change(&d)
			found := problems(d, everything)
			if found == nil {
				t.Fatal("accepted")
			}
			if found[0].Pointer != tt.pointer || found[0].Message == "" {
				t.Errorf("problems = %q, want one at %s", []wf.Problem(found), tt.pointer)
			}
		})
	}
}

func stages(n int) []wf.Stage {
	all := make([]wf.Stage, n)
	for i := range all {
		all[i] = each(fmt.Sprint("s", i), "ana")
	}
	return all
}

func TestWithoutADirectoryOnlyUserIDsAndExpressionsWork(t *testing.T) {
	var pointers []string
	for _, p := range problems(sound(), wf.Capabilities{}) {
		pointers = append(pointers, strings.TrimPrefix(p.Pointer, "/stages/2/approvers"))
	}
	want := []string{"/0/usernames", "/1/as", "/3/type", "/4/type", "/5/type", "/6/type"}
	if !slices.Equal(pointers, want) {
		t.Errorf("problems at %v, want %v", pointers, want)
	}
}

func TestEveryProblemIsNamedInTheOrderOfTheDocument(t *testing.T) {
	d := sound()
	d.Stages[0].Quorum, d.Stages[1].Name, d.Settings.Delegation.MaxHops = quorum.Quorum{Mode: quorum.QuorumCount}, "\x00", 9
	d.Stages[2].When = "tru"
	want := strings.Join([]string{
		"/settings/delegation/max_hops: must be between 1 and 3",
		"/stages/0/quorum/value: must be between 1 and 100 with mode count",
		"/stages/1/name: may not hold control or bidirectional characters",
		"/stages/2/when: is not known",
	}, "\n")
	if got := problems(d, everything).Error(); got != want {
		t.Errorf("error = %q, want %q", got, want)
	}
}

func TestAnErrorNamesTwentyProblemsAndCountsTheOthers(t *testing.T) {
	d := policy(stages(20)...)
	for i := range d.Stages {
		d.Stages[i].Key, d.Stages[i].Name = "A", "\x00"
	}
	lines := strings.Split(problems(d, everything).Error(), "\n")
	if len(lines) != 21 || !strings.HasPrefix(lines[19], "/stages/") || lines[20] != "and 39 more" {
		t.Errorf("%d lines, the last ones %q", len(lines), lines[len(lines)-2:])
	}
}

func TestMoreRejectionsThanAPoolHasPeopleAreWorthAWarning(t *testing.T) {
	three := pool("s", 1, "ana", "bo", "cy")
	for name, tt := range map[string]struct {
		stage      wf.Stage
		rejections int
		want       bool
	}{
		"as many as the pool has": {three, 3, false},
		"more":                    {three, 4, true},
		"more than of each":       {each("s", "ana", "bo", "cy"), 4, false}, // rescuers reject, too
	} {
		tt.stage.Rejection = quorum.Rejection{Mode: quorum.RejectionCount, Value: tt.rejections}
		found := policy(tt.stage).Validate(everything)
		warned := len(found) == 1 && found[0].Pointer == "/stages/0/rejection/value" && found[0].Warning != ""
		if warned != tt.want || !tt.want && len(found) > 0 {
			t.Errorf("%s: found %+v", name, found)
		}
	}
}

func TestPolicyKeys(t *testing.T) {
	for key, want := range map[string]bool{
		"disbursement.batch": true, "A": true, "0_x-y.z": true, strings.Repeat("k", 128): true,
		"": false, ".a": false, "-a": false, "a b": false, "a/b": false, "ä": false, strings.Repeat("k", 129): false, "a\n": false,
	} {
		if got := wf.ValidPolicyKey(key); got != want {
			t.Errorf("ValidPolicyKey(%q) = %v", key, got)
		}
	}
}

func TestRulesNameThemselves(t *testing.T) {
	for want, rule := range map[string]wf.Rule{
		"user":                   names("ana"),
		"Finance":                {Type: wf.RuleRole, Role: "officer", Label: "Finance"},
		"role officer":           {Type: wf.RuleRole, Role: "officer"},
		"group /officers":        {Type: wf.RuleGroup, Path: "/officers"},
		"approvers of stage one": {Type: wf.RuleStageActor, Stage: "one"},
		"resolver hr":            {Type: wf.RuleHTTP, Resolver: "hr"},
		"expression":             {Type: wf.RuleExpression, CEL: "names"},
	} {
		if got := rule.String(); got != want {
			t.Errorf("%+v is called %q, want %q", rule, got, want)
		}
	}
}
