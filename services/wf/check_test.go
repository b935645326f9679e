package wf_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// checkedBy returns a policy with two checks: "order" about a member, and "total" about the whole content.
func checkedBy() policy.Definition {
	def := policyOf(each("s", "ana"))
	def.Settings.Checks = []policy.Check{
		{CEL: "order", Message: "Last day is before the first day", Field: "/last"},
		{CEL: "total", Message: "The total is too high"},
	}
	return def
}

var checkOutcomes = map[string]struct {
	order, total policy.Value
	message      string // empty: accepted
	problems     []string
}{
	"fulfilled": {constant(true), constant(true), "", nil},
	"a member": {constant(false), constant(true), "context: /last: Last day is before the first day",
		[]string{"/last Last day is before the first day"}},
	"the content": {constant(true), constant(false), "context: The total is too high", []string{" The total is too high"}},
	"both": {constant(false), constant(false), "context: /last: Last day is before the first day; 1 more",
		[]string{"/last Last day is before the first day", " The total is too high"}},
	"an error": {policy.Value{Failure: fails("context.last is not a time").Failure, Refused: `"soon"`}, constant(true),
		`context: /last: settings.checks[0] cannot be evaluated: context.last is not a time: "soon"`,
		[]string{"/last settings.checks[0] cannot be evaluated: context.last is not a time"}},
	"a true value with an error": {constant(true), policy.Value{Bool: true, Failure: fails("odd").Failure},
		"context: settings.checks[1] cannot be evaluated: odd", []string{" settings.checks[1] cannot be evaluated: odd"}},
}

func TestContentThatViolatesACheckIsRefused(t *testing.T) {
	for name, tt := range checkOutcomes {
		for when, send := range map[string]func() (*story, error){
			"creation": func() (*story, error) {
				s := tell(t, checkedBy())
				s.values["order"], s.values["total"] = tt.order, tt.total
				return s, s.start()
			},
			"resubmission": func() (*story, error) { return resubmitted(t, tt.order, tt.total, "sha256:two") },
			"resubmission of the same": func() (*story, error) {
				return resubmitted(t, tt.order, tt.total, "")
			},
		} {
			s, err := send()
			if tt.message == "" {
				if err != nil || s.now.Status != wf.RequestInReview {
					t.Errorf("%s, %s: %v, %s", when, name, err, s.now.Status)
				}
				continue
			}
			refused, ok := errors.AsType[*refusal.Error](err)
			if !ok || refused.Reason != reason.EngineRefused || refused.Message != tt.message {
				t.Errorf("%s, %s: %v, want %s", when, name, err, tt.message)
				continue
			}
			var problems []string
			for _, p := range refused.Problems {
				problems = append(problems, p.Where+" "+p.Message)
			}
			if !slices.Equal(problems, tt.problems) {
				t.Errorf("%s, %s: problems %q, want %q", when, name, problems, tt.problems)
			}
			if s.now.Status != "" && s.now.Status != wf.RequestChangesRequested {
				t.Errorf("%s, %s: the request is %s", when, name, s.now.Status)
			}
		}
	}
}

// resubmitted resubmits a request with these values of its checks.
func resubmitted(t *testing.T, order, total policy.Value, hash string) (*story, error) {
	s := tell(t, checkedBy())
	s.values["order"], s.values["total"] = constant(true), constant(true)
	s.must(s.start())
	s.must(s.sendBack(s.of("s", "ana"), "ana"))
	s.values["order"], s.values["total"] = order, total
	return s, s.resubmit(sam, hash)
}

// A check without an answer is neither fulfilled nor violated, also beside a violated one.
func TestACheckThatWasNotEvaluatedInTimeHasNoAnswer(t *testing.T) {
	s := tell(t, checkedBy())
	s.values["order"], s.values["total"] = constant(true), late
	s.refused(s.start(), reason.ResolverFailed)
}

func TestChecksPrecedeTheConditionsOfThePolicy(t *testing.T) {
	def := checkedBy()
	def.Settings.AutoApproveWhen, def.Settings.AutoRejectWhen = "order", "total"
	s := tell(t, def)
	s.values["order"], s.values["total"] = constant(true), constant(false)
	if s.refused(s.start(), reason.EngineRefused); s.now.ID != "" {
		t.Error("a request exists")
	}
}

func TestACheckIsValidated(t *testing.T) {
	with := func(change func(*policy.Check)) policy.Definition {
		d := sound()
		d.Settings.Checks = []policy.Check{{CEL: "true", Message: "ok"}, {
			CEL: "true", Message: "Wrong", Field: "/a~1b/0", MessageI18n: policy.Texts{"fr": "Faux", "pt-BR": "Errado", "zh-Hant-TW": "錯"},
		}}
		change(&d.Settings.Checks[1])
		return d
	}
	if found := problems(with(func(*policy.Check) {}), everything); found != nil {
		t.Errorf("refused: %v", found)
	}
	for at, change := range map[string]func(*policy.Check){
		"/cel":               func(c *policy.Check) { c.CEL = "names" },
		"/message":           func(c *policy.Check) { c.Message = " " },
		"/field":             func(c *policy.Check) { c.Field = "last" },
		"/message_i18n/fr":   func(c *policy.Check) { c.MessageI18n["fr"] = "a\u202eb" },
		"/message_i18n/pt":   func(c *policy.Check) { c.MessageI18n["pt"] = "" },
		"/message_i18n/x~1y": func(c *policy.Check) { c.MessageI18n["x/y"] = "z" },
		"/message_i18n/de":   func(c *policy.Check) { c.MessageI18n["de"] = strings.Repeat("ü", 4001) },
	} {
		found := problems(with(change), everything)
		if len(found) != 1 || found[0].Where != "/settings/checks/1"+at {
			t.Errorf("%s: %v", at, found)
		}
	}
}

func TestTranslationsAreValidated(t *testing.T) {
	translated := func() policy.Definition {
		d := sound()
		d.NameI18n, d.DescriptionI18n = policy.Texts{"fr": "Versement"}, policy.Texts{"fr": "Un versement.\nDeux lignes."}
		d.Stages[0].NameI18n, d.Settings.Language = policy.Texts{"fr": "Un"}, "en-GB"
		return d
	}
	if found := problems(translated(), everything); found != nil {
		t.Errorf("refused: %v", found)
	}
	for at, change := range map[string]func(*policy.Definition){
		"/name_i18n/fr":            func(d *policy.Definition) { d.NameI18n["fr"] = "a\nb" },
		"/description_i18n/french": func(d *policy.Definition) { d.DescriptionI18n["french"] = "x" },
		"/stages/0/name_i18n/fr":   func(d *policy.Definition) { d.Stages[0].NameI18n["fr"] = "" },
		"/settings/language":       func(d *policy.Definition) { d.Settings.Language = "English" },
	} {
		d := translated()
		change(&d)
		if found := problems(d, everything); len(found) != 1 || found[0].Where != at {
			t.Errorf("%s: %v", at, found)
		}
	}
}
