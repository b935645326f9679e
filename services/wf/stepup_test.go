package wf_test

import (
	"errors"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// TestStepUp crosses the acts that decide or give a decision away with tokens: in a stage with reauth, each of them
// requires a recent and strong authentication, of the delegate as well. Example 51 of the design.
func TestStepUp(t *testing.T) {
	tokens := map[string]struct {
		auth identity.Auth
		may  bool
	}{
		"fresh": {identity.Auth{ACR: "gold", AuthTime: identity.Stamp{Time: noon.Add(-time.Minute)}}, true},
		"stale": {identity.Auth{ACR: "gold", AuthTime: identity.Stamp{Time: noon.Add(-time.Hour)}}, false},
		"weak":  {identity.Auth{ACR: "bronze", AuthTime: identity.Stamp{Time: noon.Add(-time.Minute)}}, false},
	}
	approve := wf.DecisionInput{Action: wf.ActionApprove, Comment: "long enough for an override"}
	for name, act := range map[string]struct {
		by    identity.Actor
		free  bool // without a step-up
		apply func(s *story, task string, by identity.Actor) error
	}{
		"claim":                {person("ana"), false, (*story).claim},
		"decide":               {person("ana"), false, func(s *story, task string, by identity.Actor) error { return s.decide(task, by, approve) }},
		"reassign":             {person("ana"), false, func(s *story, task string, by identity.Actor) error { return s.reassign(task, "cy", by) }},
		"reassign as an admin": {root, false, func(s *story, task string, by identity.Actor) error { return s.reassign(task, "cy", by) }},
		"override":             {root, false, func(s *story, task string, by identity.Actor) error { return s.decide(task, by, approve) }},
		"claim as a delegate":  {person("dee"), false, func(s *story, _ string, by identity.Actor) error { return s.claim(s.nth("s", 2), by) }},
		"decide as a delegate": {person("dee"), false, func(s *story, _ string, by identity.Actor) error { return s.decide(s.nth("s", 2), by, approve) }},
		"withdraw": {person("ana"), false, func(s *story, task string, by identity.Actor) error {
			before := by
			before.Auth = identity.Auth{ACR: "gold", AuthTime: identity.Stamp{Time: noon}}
			s.must(s.decide(task, before, approve))
			return s.withdraw(task, by)
		}},
		"cancel":                    {sam, true, func(s *story, _ string, by identity.Actor) error { return s.cancel(by) }},
		"move the date as an admin": {root, true, func(s *story, _ string, by identity.Actor) error { return s.moveDue("s", after(2*time.Hour), "x", by) }},
	} {
		for token, row := range tokens {
			t.Run(name+", "+token, func(t *testing.T) {
				stage := due(each("s", "ana", "bo"))
				stage.Reauth = &policy.Reauth{MaxAge: "PT5M", ACRValues: []string{"gold"}}
				stage.Allow = policy.Allow{Reassign: policy.ReassignAny, Delegate: new(true)}
				s := tell(t, policyOf(stage))
				s.def.Settings.AdminOverride = true
				s.delegations = append(s.delegations, delegation("bo", "dee"))
				s.must(s.start())
				by := act.by
				by.Auth = row.auth
				err := act.apply(s, s.of("s", "ana"), by)
				if row.may || act.free {
					s.must(err)
					return
				}
				s.refused(err, reason.Forbidden)
				if refused, _ := errors.AsType[*refusal.Error](err); refused == nil || refused.StepUp == nil {
					t.Errorf("refused without a challenge: %v", err)
				}
			})
		}
	}
}

// TestDelegationsOfAStageWithReauth apply only if the policy says so.
func TestDelegationsOfAStageWithReauth(t *testing.T) {
	for name, tt := range map[string]struct {
		reauth *policy.Reauth
		allow  *bool
		want   bool
	}{
		"without reauth":            {nil, nil, true},
		"without reauth, permitted": {nil, new(true), true},
		"without reauth, forbidden": {nil, new(false), false},
		"with reauth":               {&policy.Reauth{MaxAge: "PT5M"}, nil, false},
		"with reauth, permitted":    {&policy.Reauth{MaxAge: "PT5M"}, new(true), true},
		"with reauth, forbidden":    {&policy.Reauth{MaxAge: "PT5M"}, new(false), false},
	} {
		for kind, stage := range map[string]policy.Stage{"each": each("s", "ana"), "pool": pool("s", 1, "ana")} {
			for moment, later := range map[string]bool{"at the start": false, "later": true} {
				t.Run(name+", "+kind+", "+moment, func(t *testing.T) {
					stage.Reauth, stage.Allow.Delegate = tt.reauth, tt.allow
					s := tell(t, policyOf(stage))
					if !later {
						s.delegations = append(s.delegations, delegation("ana", "dee"))
					}
					s.must(s.start())
					if later {
						s.delegate(delegation("ana", "dee"))
					}
					by := person("dee")
					by.Auth.AuthTime = identity.Stamp{Time: s.at}
					err := s.decide(s.nth("s", 1), by, wf.DecisionInput{Action: wf.ActionApprove})
					if tt.want != (err == nil) || err != nil && !errors.Is(err, reason.Forbidden) {
						t.Errorf("the decision of the delegate: %v", err)
					}
				})
			}
		}
	}
}
