package wf_test

import (
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// watched lets these people observe a stage.
func watched(s policy.Stage, rules ...policy.Rule) policy.Stage {
	s.Observers = rules
	return s
}

func TestObserversReadAndCommentAndAreNeverCounted(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "a pool": pool("s", 2, "ana", "bo")} {
		t.Run(name, func(t *testing.T) {
			plain := begin(t, stage)
			s := begin(t, watched(stage, names("olga", "ana", "rita"), names("olga")))
			if got, want := s.run("s").Count, plain.run("s").Count; got != want || len(s.now.Tasks) != len(plain.now.Tasks) {
				t.Errorf("with observers %+v and %d tasks, without %+v and %d", got, len(s.now.Tasks), want, len(plain.now.Tasks))
			}
			if got := s.run("s").Observers; len(got) != 3 || got[0].ID != "olga" {
				t.Errorf("observers %+v", got)
			}
			if !s.now.Participates("olga") {
				t.Error("an observer has no part in the request")
			}
			s.must(s.comment("olga", "I have seen it"))
			s.must(s.comment("ana", "And?", "olga"))
			for _, task := range s.now.Tasks {
				if actions := s.asCase().TaskActions(task, s.run("s"), person("olga")); len(actions) > 0 {
					t.Errorf("an observer may %v", actions)
				}
				s.refused(s.approve(task.ID, "olga"), reason.Forbidden)
				s.refused(s.claim(task.ID, person("olga")), reason.Forbidden)
			}
			for _, who := range []string{"ana", "bo"} {
				for _, task := range s.now.Tasks {
					if task.Status == wf.TaskOpen && (task.Assignee == nil || task.Assignee.ID == who) {
						s.must(s.approve(task.ID, who))
						break
					}
				}
			}
			s.status(wf.RequestApproved)
			s.must(s.comment("olga", "Also when it is over"))
		})
	}
}

func TestAStageDoesNotWaitForItsObservers(t *testing.T) {
	for name, row := range map[string]struct {
		answer yields
		want   string
	}{
		"a role that does not exist": {answering(policy.RuleRole, unknown), "observer rule 0: role officer: there is none"},
		"no answer": {answering(policy.RuleRole, func(policy.Rule, time.Duration) ([]identity.User,
			error) {
			return nil, reason.NoAnswer("no answer")
		}), "observer rule 0: no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(watched(each("s", "ana"), officers(), names("olga"))))
			s.yields = row.answer
			s.must(s.start())
			s.stageIs("s", wf.StageActive)
			if run := s.run("s"); len(run.Observers) != 1 || run.Observers[0].ID != "olga" || run.LastError != row.want {
				t.Errorf("observers %+v, %q", run.Observers, run.LastError)
			}
		})
	}
}

func TestSomeoneObservesFromTheirStageOn(t *testing.T) {
	s := begin(t, each("first", "ana"), watched(each("second", "bo"), names("olga")))
	s.refused(s.comment("olga", "too early"), reason.Forbidden)
	s.must(s.approve(s.of("first", "ana"), "ana"))
	s.must(s.comment("olga", "now"))
}

func TestObserverRulesRefuseRequiredAndMinApprovals(t *testing.T) {
	for _, rule := range []policy.Rule{required(names("olga")), {Type: policy.RuleUser, IDs: []string{"olga"}, MinApprovals: 1}} {
		problems := ""
		for _, f := range policyOf(watched(each("s", "ana"), rule)).Validate(policy.Capabilities{}) {
			problems += f.Pointer + " " + f.Problem
		}
		if !strings.Contains(problems, "/stages/0/observers/0 required and min_approvals") {
			t.Errorf("%+v: %s", rule, problems)
		}
	}
}
