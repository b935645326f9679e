package wf_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// everyRuleOf returns a rule of each way to find people, and whether a directory or a
// resolver yields them.
func everyRuleOf(id string) map[string]struct {
	rule    policy.Rule
	queries bool
} {
	type row = struct {
		rule    policy.Rule
		queries bool
	}
	expression := func(as policy.NameKind) policy.Rule {
		return policy.Rule{Type: policy.RuleExpression, CEL: "context.approvers", As: as}
	}
	return map[string]row{
		"user ids":                {policy.Rule{Type: policy.RuleUser, IDs: []string{id}}, false},
		"user usernames":          {policy.Rule{Type: policy.RuleUser, Usernames: []string{"name"}}, true},
		"role":                    {policy.Rule{Type: policy.RuleRole, Role: "officer"}, true},
		"group":                   {policy.Rule{Type: policy.RuleGroup, Path: "/officers"}, true},
		"manager":                 {policy.Rule{Type: policy.RuleManager}, true},
		"manager of submitter":    {policy.Rule{Type: policy.RuleManager, Of: policy.OfSubmitter}, true},
		"manager of CEL":          {policy.Rule{Type: policy.RuleManager, Of: "context.approvers"}, true},
		"http":                    {policy.Rule{Type: policy.RuleHTTP, Resolver: "owners"}, true},
		"stage_actor":             {policy.Rule{Type: policy.RuleStageActor, Stage: "first"}, false},
		"expression":              {expression(""), false},
		"expression, user_ids":    {expression(policy.AsUserIDs), false},
		"expression, usernames":   {expression(policy.AsUsernames), true},
		"expression, roles":       {expression(policy.AsRoles), true},
		"expression, group_paths": {expression(policy.AsGroupPaths), true},
	}
}

// Every rule is rechecked by the function that staffed the stage: a person outside the current
// result of the directory neither decides nor keeps the task after a sweep.
func TestEveryRuleIsRecheckedAsItWasStaffed(t *testing.T) {
	covered := map[policy.RuleType]bool{}
	for name, tt := range everyRuleOf("ana") {
		covered[tt.rule.Type] = true
		for _, assignment := range []policy.Assignment{policy.AssignmentEach, policy.AssignmentPool} {
			for _, mode := range []policy.MembershipRecheck{policy.RecheckNone, policy.RecheckCached, policy.RecheckStrict} {
				for _, act := range []string{"decides", "is swept"} {
					t.Run(fmt.Sprintf("%s, %s, %s, %s", name, assignment, mode, act), func(t *testing.T) {
						s := tell(t, policyOf(each("first", "ana"), ruled("s", tt.rule)))
						s.def.Settings.MembershipRecheck = mode
						if s.def.Stages[1].Assignment = assignment; assignment == policy.AssignmentPool {
							s.def.Stages[1].Quorum = quorum.Quorum{Mode: quorum.QuorumAny}
						}
						s.values["context.approvers"] = policy.Value{Names: []string{"ana"}}
						s.yields = now("ana")
						s.must(s.start())
						s.must(s.approve(s.of("first", "ana"), "ana"))
						task := s.now.Tasks[len(s.now.Tasks)-1].ID
						s.values["context.approvers"] = fails("an expression is evaluated once per run")
						s.yields = now("bo")
						n := len(s.events)
						lost := tt.queries && mode != policy.RecheckNone
						if checks := s.def.ChecksMembership(); checks != lost {
							t.Errorf("the sweep applies membership_recheck: %v, want %v", checks, lost)
						}
						if act == "is swept" {
							s.must(s.sweep())
						} else if err := s.approve(task, "ana"); (err != nil) != lost {
							t.Errorf("approve: %v", err)
						}
						if got := slices.Contains(s.types(n), audit.EventTaskOrphaned); got != lost {
							t.Errorf("events %v, orphaned is wanted: %v", s.types(n), lost)
						}
						people := s.run("s").People
						if i := slices.IndexFunc(people, func(a approver.Approver) bool { return a.ID == "ana" }); i < 0 || people[i].Ineligible != lost {
							t.Errorf("people: %+v", people)
						}
					})
				}
			}
		}
	}
	for _, kind := range policy.RuleType("").Values() {
		if !covered[kind] {
			t.Errorf("no row for rules of type %s", kind)
		}
	}
}

// A rule that does not respond ends no membership, and strict refuses then.
func TestARecheckWithoutAnAnswer(t *testing.T) {
	for name, tt := range everyRuleOf("ana") {
		t.Run(name, func(t *testing.T) {
			for mode, want := range map[policy.MembershipRecheck]error{policy.RecheckCached: nil, policy.RecheckStrict: reason.ResolverFailed} {
				s := tell(t, policyOf(each("first", "ana"), ruled("s", tt.rule)))
				s.def.Settings.MembershipRecheck = mode
				s.values["context.approvers"] = policy.Value{Names: []string{"ana"}}
				s.yields = now("ana")
				s.must(s.start())
				s.must(s.approve(s.of("first", "ana"), "ana"))
				s.yields = down
				s.must(s.sweep())
				task := s.of("s", "ana")
				if want == nil || !tt.queries {
					s.must(s.approve(task, "ana"))
				} else {
					s.refused(s.approve(task, "ana"), reason.ResolverFailed)
				}
			}
		})
	}
}

// A person named by id in a rule stays an approver while the directory does not respond about the
// usernames of the rule.
func TestAPersonNamedByIDNeedsNoDirectory(t *testing.T) {
	s := tell(t, policyOf(ruled("s", policy.Rule{Type: policy.RuleUser, IDs: []string{"ana"}, Usernames: []string{"bo"}})))
	s.def.Settings.MembershipRecheck = policy.RecheckStrict
	s.yields = now("bo")
	s.must(s.start())
	s.yields = down
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.refused(s.approve(s.of("s", "bo"), "bo"), reason.ResolverFailed)
}

// The fallback approvers are swept as well.
func TestSweepFindsRemovedFallbackApprover(t *testing.T) {
	s := tell(t, policyOf(but(each("s", "rita"), func(s *policy.Stage) { s.OnEmpty = policy.OnEmptyFallback })))
	s.def.Settings.FallbackApprovers = []policy.Rule{{Type: policy.RuleGroup, Path: "/rescue"}}
	s.yields = now("fay")
	s.must(s.start())
	s.holdersAre("s", "fay")
	if !s.def.ChecksMembership() {
		t.Error("the sweep ignores membership_recheck")
	}
	s.yields = func(policy.Rule, time.Duration) ([]identity.User, error) { return users("gus"), nil }
	s.must(s.sweep())
	s.holdersAre("s", "gus")
}
