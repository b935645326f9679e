package wf_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// everyRuleOf returns a rule of each way to find people, and whether a directory or a
// resolver yields them.
func everyRuleOf(id string) map[string]struct {
	rule    wf.Rule
	queries bool
} {
	type row = struct {
		rule    wf.Rule
		queries bool
	}
	expression := func(as wf.NameKind) wf.Rule {
		return wf.Rule{Type: wf.RuleExpression, CEL: "context.approvers", As: as}
	}
	return map[string]row{
		"user ids":                {wf.Rule{Type: wf.RuleUser, IDs: []string{id}}, false},
		"user usernames":          {wf.Rule{Type: wf.RuleUser, Usernames: []string{"name"}}, true},
		"role":                    {wf.Rule{Type: wf.RuleRole, Role: "officer"}, true},
		"group":                   {wf.Rule{Type: wf.RuleGroup, Path: "/officers"}, true},
		"manager":                 {wf.Rule{Type: wf.RuleManager}, true},
		"manager of submitter":    {wf.Rule{Type: wf.RuleManager, Of: wf.OfSubmitter}, true},
		"manager of CEL":          {wf.Rule{Type: wf.RuleManager, Of: "context.approvers"}, true},
		"http":                    {wf.Rule{Type: wf.RuleHTTP, Resolver: "owners"}, true},
		"stage_actor":             {wf.Rule{Type: wf.RuleStageActor, Stage: "first"}, false},
		"expression":              {expression(""), false},
		"expression, user_ids":    {expression(wf.AsUserIDs), false},
		"expression, usernames":   {expression(wf.AsUsernames), true},
		"expression, roles":       {expression(wf.AsRoles), true},
		"expression, group_paths": {expression(wf.AsGroupPaths), true},
	}
}

// Every rule is rechecked by the function that staffed the stage: a person whom a directory
// yielded, and does not yield any more, neither decides nor keeps the task after a sweep.
func TestEveryRuleIsRecheckedAsItWasStaffed(t *testing.T) {
	covered := map[wf.RuleType]bool{}
	for name, tt := range everyRuleOf("ana") {
		covered[tt.rule.Type] = true
		for _, assignment := range []wf.Assignment{wf.AssignmentEach, wf.AssignmentPool} {
			for _, mode := range []wf.MembershipRecheck{wf.RecheckNone, wf.RecheckCached, wf.RecheckStrict} {
				for _, act := range []string{"decides", "is swept"} {
					t.Run(fmt.Sprintf("%s, %s, %s, %s", name, assignment, mode, act), func(t *testing.T) {
						s := tell(t, policy(each("first", "ana"), ruled("s", tt.rule)))
						s.def.Settings.MembershipRecheck = mode
						if s.def.Stages[1].Assignment = assignment; assignment == wf.AssignmentPool {
							s.def.Stages[1].Quorum = quorum.Quorum{Mode: quorum.QuorumAny}
						}
						s.values["context.approvers"] = wf.Value{Names: []string{"ana"}}
						s.yields = now("ana")
						s.must(s.start())
						s.must(s.approve(s.of("first", "ana"), "ana"))
						task := s.now.Tasks[len(s.now.Tasks)-1].ID
						s.values["context.approvers"] = fails("an expression is evaluated once per run")
						s.yields = now("bo")
						n := len(s.events)
						lost := tt.queries && mode != wf.RecheckNone
						if checks := s.def.ChecksMembership(); checks != lost {
							t.Errorf("the sweep looks at the policy: %v, want %v", checks, lost)
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
						if i := slices.IndexFunc(people, func(a wf.Approver) bool { return a.ID == "ana" }); i < 0 || people[i].Lost != lost {
							t.Errorf("people: %+v", people)
						}
					})
				}
			}
		}
	}
	for _, kind := range wf.RuleType("").Values() {
		if !covered[kind] {
			t.Errorf("no row for rules of type %s", kind)
		}
	}
}

// A rule that does not respond ends no membership, and strict refuses then.
func TestARecheckWithoutAnAnswer(t *testing.T) {
	for name, tt := range everyRuleOf("ana") {
		t.Run(name, func(t *testing.T) {
			for mode, want := range map[wf.MembershipRecheck]error{wf.RecheckCached: nil, wf.RecheckStrict: reason.ResolverFailed} {
				s := tell(t, policy(each("first", "ana"), ruled("s", tt.rule)))
				s.def.Settings.MembershipRecheck = mode
				s.values["context.approvers"] = wf.Value{Names: []string{"ana"}}
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

// A person whom a rule names by id stays an approver while the directory does not respond
// about the usernames beside it.
func TestAPersonNamedByIDNeedsNoDirectory(t *testing.T) {
	s := tell(t, policy(ruled("s", wf.Rule{Type: wf.RuleUser, IDs: []string{"ana"}, Usernames: []string{"bo"}})))
	s.def.Settings.MembershipRecheck = wf.RecheckStrict
	s.yields = now("bo")
	s.must(s.start())
	s.yields = down
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.refused(s.approve(s.of("s", "bo"), "bo"), reason.ResolverFailed)
}

// The fallback approvers are swept as well.
func TestASweepFindsAFallbackApproverWhoLeft(t *testing.T) {
	s := tell(t, policy(but(each("s", "rita"), func(s *wf.Stage) { s.OnEmpty = wf.OnEmptyFallback })))
	s.def.Settings.FallbackApprovers = []wf.Rule{{Type: wf.RuleGroup, Path: "/rescue"}}
	s.yields = now("fay")
	s.must(s.start())
	s.holdersAre("s", "fay")
	if !s.def.ChecksMembership() {
		t.Error("the sweep does not look at the policy")
	}
	s.yields = func(wf.Rule, time.Duration) ([]identity.User, error) { return users("gus"), nil }
	s.must(s.sweep())
	s.holdersAre("s", "gus")
}
