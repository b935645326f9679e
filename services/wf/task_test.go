package wf_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// In these situations task t is ana's. Bo may approve the stage as well; eve may not;
// root is an admin.
var situations = map[string]func(*testing.T) (s *story, task string){
	"open": func(t *testing.T) (*story, string) {
		s := begin(t, but(each("s", "ana", "bo"), anyHolder))
		return s, s.of("s", "ana")
	},
	"claimed": func(t *testing.T) (*story, string) {
		s := begin(t, but(each("s", "ana", "bo"), anyHolder))
		s.must(s.claim(s.of("s", "ana"), person("ana")))
		return s, s.of("s", "ana")
	},
	"completed": func(t *testing.T) (*story, string) {
		s := begin(t, but(each("s", "ana", "bo"), anyHolder))
		s.must(s.approve(s.of("s", "ana"), "ana"))
		return s, s.of("s", "ana")
	},
	"skipped": func(t *testing.T) (*story, string) {
		s := begin(t, but(each("s", "ana", "bo"), func(s *policy.Stage) { anyHolder(s); s.Quorum.Mode = quorum.QuorumAny }), each("next", "cy"))
		s.must(s.approve(s.of("s", "bo"), "bo"))
		return s, s.of("s", "ana")
	},
	"cancelled": func(t *testing.T) (*story, string) {
		s := begin(t, but(each("s", "ana", "bo"), anyHolder))
		s.must(s.cancel(person("rita")))
		return s, s.of("s", "ana")
	},
	"sent back": func(t *testing.T) (*story, string) {
		s := begin(t, but(each("s", "ana", "bo"), anyHolder))
		s.must(s.sendBack(s.of("s", "bo"), "bo"))
		return s, s.of("s", "ana")
	},
	"pool, open": func(t *testing.T) (*story, string) {
		s := begin(t, but(pool("s", 2, "ana", "bo", "cy"), anyHolder))
		return s, s.nth("s", 1)
	},
	"pool, claimed": func(t *testing.T) (*story, string) {
		s := begin(t, but(pool("s", 2, "ana", "bo", "cy"), anyHolder))
		s.must(s.claim(s.nth("s", 1), person("ana")))
		return s, s.nth("s", 1)
	},
	"pool, completed": func(t *testing.T) (*story, string) {
		s := begin(t, but(pool("s", 2, "ana", "bo", "cy"), anyHolder))
		s.must(s.approve(s.nth("s", 1), "ana"))
		return s, s.nth("s", 1)
	},
	"pool, handed to ana": func(t *testing.T) (*story, string) {
		s := begin(t, but(pool("s", 2, "ana", "bo", "cy"), anyHolder))
		s.must(s.reassign(s.nth("s", 1), "ana", root))
		return s, s.nth("s", 1)
	},
	"pool, skipped": func(t *testing.T) (*story, string) {
		s := begin(t, but(pool("s", 2, "ana", "bo", "cy"), anyHolder))
		s.must(s.reject(s.nth("s", 2), "cy"))
		return s, s.nth("s", 1)
	},
	"pool, cancelled": func(t *testing.T) (*story, string) {
		s := begin(t, but(pool("s", 2, "ana", "bo", "cy"), anyHolder))
		s.must(s.cancel(person("rita")))
		return s, s.nth("s", 1)
	},
	"rescue": func(t *testing.T) (*story, string) {
		s := begin(t, but(pool("s", 3, "ana", "bo"), anyHolder))
		return s, s.rescue("s")
	},
}

func anyHolder(s *policy.Stage) { s.Allow.Reassign = policy.ReassignAny }

// TestEveryTaskTransitionFromEverySituation has a line for each situation: what ana,
// bo, eve and root get. A refusal of the person (403) comes before one of the state
// (409).
func TestEveryTaskTransitionFromEverySituation(t *testing.T) {
	transitions := map[string]struct {
		do    func(s *story, task string, by identity.Actor) error
		table string
	}{
		"claim": {func(s *story, task string, by identity.Actor) error { return s.claim(task, by) }, `
			open                | claimed | 403  | 403 | 403
			claimed             | same    | 403  | 403 | 403
			completed           | 409     | 403  | 403 | 403
			skipped             | 409     | 403  | 403 | 403
			cancelled           | 409     | 403  | 403 | 403
			sent back           | 409     | 403  | 403 | 403
			pool, open          | claimed | claimed | 403 | 403
			pool, claimed       | same    | 409  | 403 | 403
			pool, completed     | 409     | 409  | 403 | 403
			pool, handed to ana | claimed | 409  | 403 | 403
			pool, skipped       | 409     | 409  | 403 | 403
			pool, cancelled     | 409     | 409  | 403 | 403
			rescue              | 409     | 409  | 403 | 403`},
		"unclaim": {func(s *story, task string, by identity.Actor) error { return s.unclaim(task, by) }, `
			open                | 409     | 403  | 403 | 409
			claimed             | open    | 403  | 403 | open
			completed           | 409     | 403  | 403 | 409
			skipped             | 409     | 403  | 403 | 409
			cancelled           | 409     | 403  | 403 | 409
			sent back           | 409     | 403  | 403 | 409
			pool, open          | 403     | 403  | 403 | 409
			pool, claimed       | open    | 403  | 403 | open
			pool, completed     | 409     | 403  | 403 | 409
			pool, handed to ana | 409     | 403  | 403 | 409
			pool, skipped       | 403     | 403  | 403 | 409
			pool, cancelled     | 403     | 403  | 403 | 409
			rescue              | 403     | 403  | 403 | 409`},
		"decide": {func(s *story, task string, by identity.Actor) error {
			return s.decide(task, by, wf.DecisionInput{Action: wf.ActionApprove})
		}, `
			open                | completed | 403  | 403 | 403
			claimed             | completed | 403  | 403 | 403
			completed           | 409       | 403  | 403 | 403
			skipped             | 409       | 403  | 403 | 403
			cancelled           | 409       | 403  | 403 | 403
			sent back           | 409       | 403  | 403 | 403
			pool, open          | completed | completed | 403 | 403
			pool, claimed       | completed | 409  | 403 | 403
			pool, completed     | 409       | 409  | 403 | 403
			pool, handed to ana | completed | 409  | 403 | 403
			pool, skipped       | 409       | 409  | 403 | 403
			pool, cancelled     | 409       | 409  | 403 | 403
			rescue              | 409       | 409  | 403 | 409`},
		"reassign": {func(s *story, task string, by identity.Actor) error { return s.reassign(task, "dee", by) }, `
			open                | open    | 403  | 403 | open
			claimed             | open    | 403  | 403 | open
			completed           | 409     | 403  | 403 | 409
			skipped             | 409     | 403  | 403 | 409
			cancelled           | 409     | 403  | 403 | 409
			sent back           | 409     | 403  | 403 | 409
			pool, open          | 403     | 403  | 403 | open
			pool, claimed       | open    | 403  | 403 | open
			pool, completed     | 409     | 403  | 403 | 409
			pool, handed to ana | open    | 403  | 403 | open
			pool, skipped       | 403     | 403  | 403 | 409
			pool, cancelled     | 403     | 403  | 403 | 409
			rescue              | 403     | 403  | 403 | open`},
	}
	for name, transition := range transitions {
		lines := strings.Split(strings.TrimSpace(transition.table), "\n")
		if len(lines) != len(situations) {
			t.Errorf("%s has %d of %d situations", name, len(lines), len(situations))
		}
		for _, line := range lines {
			cells := strings.Split(line, "|")
			situation := strings.TrimSpace(cells[0])
			for i, by := range []identity.Actor{person("ana"), person("bo"), person("eve"), root} {
				t.Run(name+"/"+situation+"/"+by.ID, func(t *testing.T) {
					s, id := situations[situation](t)
					before := s.task(id)
					err := transition.do(s, id, by)
					switch want := strings.TrimSpace(cells[i+1]); want {
					case "403":
						s.refused(err, reason.Forbidden)
					case "409":
						s.refused(err, reason.WrongState)
					case "same":
						s.must(err)
						if encode(s.task(id)) != encode(before) {
							t.Errorf("task changed to %+v", s.task(id))
						}
					default:
						s.must(err)
						if got := s.task(id); got.Status != wf.TaskStatus(want) || got.Rev <= before.Rev {
							t.Errorf("task is %s at rev %d, want %s after rev %d", got.Status, got.Rev, want, before.Rev)
						}
					}
				})
			}
		}
	}
}

func TestAnUnknownTaskIsNotFound(t *testing.T) {
	s := begin(t, each("s", "ana"))
	s.refused(s.claim("id-99", root), reason.TaskNotFound)
	s.refused(s.unclaim("id-99", root), reason.TaskNotFound)
	s.refused(s.approve("id-99", "ana"), reason.TaskNotFound)
	s.refused(s.reassign("id-99", "bo", root), reason.TaskNotFound)
}

func TestASecondClaimOfOneStageIsRefused(t *testing.T) {
	s := begin(t, pool("s", 2, "ana", "bo"))
	s.must(s.claim(s.nth("s", 1), person("ana")))
	s.refused(s.claim(s.nth("s", 2), person("ana")), reason.WrongState)
	s.refused(s.approve(s.nth("s", 2), "ana"), reason.WrongState)
	s.must(s.approve(s.nth("s", 1), "ana"))
	s.refused(s.claim(s.nth("s", 2), person("ana")), reason.WrongState)
	s.refused(s.approve(s.nth("s", 2), "ana"), reason.WrongState)
	s.must(s.approve(s.nth("s", 2), "bo"))
	s.status(wf.RequestApproved)
}

func TestDecidingAnOpenPoolTaskClaimsIt(t *testing.T) {
	s := begin(t, pool("s", 2, "ana", "bo"))
	n := len(s.events)
	s.must(s.approve(s.nth("s", 1), "ana"))
	if got, want := s.types(n), []audit.EventType{audit.EventTaskClaimed, audit.EventTaskDecided}; !slices.Equal(got, want) {
		t.Errorf("events = %v, want %v", got, want)
	}
	if got := s.task(s.nth("s", 1)); got.Assignee.ID != "ana" || got.Owner.ID != "ana" || got.ClaimedAt != noon {
		t.Errorf("task = %+v", got)
	}
}

func TestAReleasedPoolTaskIsForEveryoneAgain(t *testing.T) {
	s := begin(t, pool("s", 1, "ana", "bo"))
	id := s.nth("s", 1)
	s.must(s.claim(id, person("ana")))
	s.must(s.unclaim(id, person("ana")))
	if got := s.task(id); got.Assignee != nil || len(got.Rules) > 0 || !got.ClaimedAt.IsZero() {
		t.Errorf("released task = %+v", got)
	}
	s.must(s.claim(id, person("bo")))
}

func TestAReleasedTaskThatWasHandedOverStaysWithItsAssignee(t *testing.T) {
	s := begin(t, each("s", "ana"))
	s.must(s.reassign(s.nth("s", 1), "dee", root))
	s.must(s.claim(s.nth("s", 1), person("dee")))
	s.must(s.unclaim(s.nth("s", 1), person("dee")))
	s.holdersAre("s", "dee")
}

func TestRightsToReassign(t *testing.T) {
	tests := map[string]struct {
		allow policy.AllowReassign
		by    identity.Actor
		to    string
		want  error
	}{
		"an assignee to an approver by default":    {"", person("ana"), "cy", nil},
		"an assignee to an approver":               {policy.ReassignEligible, person("ana"), "cy", nil},
		"an assignee to an outsider by default":    {"", person("ana"), "eve", reason.WrongState},
		"an assignee to an outsider, if anyone":    {policy.ReassignAny, person("ana"), "eve", nil},
		"an assignee to an approver, with none":    {policy.ReassignNone, person("ana"), "cy", reason.Forbidden},
		"an admin to an outsider, with none":       {policy.ReassignNone, root, "eve", nil},
		"an admin to themself":                     {policy.ReassignNone, root, "root", reason.WrongState},
		"an assignee to themself":                  {policy.ReassignAny, person("ana"), "ana", reason.WrongState},
		"an admin to the assignee":                 {policy.ReassignAny, root, "ana", reason.WrongState},
		"to the requester":                         {policy.ReassignAny, root, "rita", reason.WrongState},
		"to the submitter":                         {policy.ReassignAny, root, "sam", reason.WrongState},
		"to a person with a seat":                  {policy.ReassignAny, root, "bo", reason.WrongState},
		"by another approver":                      {policy.ReassignAny, person("bo"), "cy", reason.Forbidden},
		"by the requester":                         {policy.ReassignAny, person("rita"), "cy", reason.Forbidden},
		"by an outsider to themself":               {policy.ReassignAny, person("eve"), "eve", reason.Forbidden},
		"an outsider learns nothing of the target": {policy.ReassignAny, person("eve"), "rita", reason.Forbidden},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := begin(t, but(pool("s", 3, "ana", "bo", "cy"), func(s *policy.Stage) { s.Allow.Reassign = tt.allow }))
			s.must(s.claim(s.nth("s", 1), person("ana")))
			s.must(s.claim(s.nth("s", 2), person("bo")))
			id := s.nth("s", 1)
			err := s.reassign(id, tt.to, tt.by)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error = %v, want %v", err, tt.want)
			}
			if err != nil {
				return
			}
			got := s.task(id)
			if got.Assignee.ID != tt.to || got.ReassignedFrom.ID != "ana" || got.ReassignCount != 1 || got.Owner.ID != "ana" || got.Seat != 1 {
				t.Errorf("task = %+v", got)
			}
		})
	}
}

func TestApproverWhoVotedIsAssignedNoSecondTask(t *testing.T) {
	s := begin(t, each("s", "ana", "bo", "cy"))
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.refused(s.reassign(s.of("s", "bo"), "ana", root), reason.WrongState)
}

func TestAReasonToReassignCanBeRequired(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana", "bo")))
	s.def.Settings.RequireComment.Reassign = true
	s.must(s.start())
	s.refused(s.reassign(s.of("s", "ana"), "dee", person("eve")), reason.Forbidden)
	s.refused(s.reassign(s.of("s", "ana"), "dee", root), reason.BadInput)
	s.refused(s.reassign(s.of("s", "ana"), "dee", person("ana")), reason.BadInput)
}

func TestCommentsCanBeRequired(t *testing.T) {
	for action, require := range map[wf.Action]policy.RequireComment{
		wf.ActionApprove:        {Approve: true},
		wf.ActionReject:         {Reject: true},
		wf.ActionAbstain:        {Abstain: true},
		wf.ActionRequestChanges: {RequestChanges: true},
	} {
		t.Run(string(action), func(t *testing.T) {
			s := tell(t, policyOf(but(each("s", "ana", "bo"), func(s *policy.Stage) { s.Allow.Abstain = true })))
			s.def.Settings.RequireComment = require
			s.must(s.start())
			err := s.act(s.of("s", "ana"), "ana", action)
			s.refused(err, reason.BadInput)
			refusal, _ := errors.AsType[*refusal.Error](err)
			if refusal.Where != "/comment" || refusal.Reason != reason.Missing {
				t.Errorf("refusal for %s at %s", refusal.Reason, refusal.Where)
			}
			for other := range map[wf.Action]bool{wf.ActionApprove: true, wf.ActionReject: true, wf.ActionAbstain: true, wf.ActionRequestChanges: true} {
				s := tell(t, s.def)
				s.must(s.start())
				if err := s.act(s.of("s", "ana"), "ana", other); (err != nil) != (other == action) {
					t.Errorf("%s without a comment: %v", other, err)
				}
			}
			s.refused(s.act(s.of("s", "ana"), "eve", action), reason.Forbidden)
			s.refused(s.decide(s.of("s", "ana"), person("ana"), wf.DecisionInput{Action: action, Comment: " \t\u00a0\n"}),
				reason.BadInput) // white space is empty
			s.must(s.decide(s.of("s", "ana"), person("ana"), wf.DecisionInput{Action: action, Comment: "because"}))
			s.refused(s.act(s.of("s", "ana"), "ana", action), reason.BadInput)
			s.refused(s.decide(s.of("s", "ana"), person("ana"), wf.DecisionInput{Action: action, Comment: "because"}), reason.WrongState)
		})
	}
}

func TestStageRefusesDisallowedActions(t *testing.T) {
	s := begin(t, but(each("s", "ana", "bo"), func(s *policy.Stage) { s.Allow.RequestChanges = ptr(false) }))
	s.refused(s.act(s.of("s", "ana"), "ana", wf.ActionAbstain), reason.WrongState)
	s.refused(s.act(s.of("s", "ana"), "ana", wf.ActionRequestChanges), reason.WrongState)

	s = begin(t, but(each("s", "ana", "bo"), func(s *policy.Stage) { s.Allow.Abstain, s.Allow.RequestChanges = true, ptr(true) }))
	s.must(s.act(s.of("s", "ana"), "ana", wf.ActionAbstain))
	s.must(s.act(s.of("s", "bo"), "bo", wf.ActionRequestChanges))
	s.status(wf.RequestChangesRequested)
}

func TestADecisionIsBoundToTheContentThatWasSeen(t *testing.T) {
	s := begin(t, each("s", "ana", "bo"))
	ana := s.of("s", "ana")
	s.refused(s.decide(ana, person("ana"), wf.DecisionInput{Action: wf.ActionApprove, ExpectedContextHash: "sha256:two"}), reason.WrongState)
	s.refused(s.decide(ana, person("ana"), wf.DecisionInput{Action: wf.ActionApprove, ExpectedRevision: 2}), reason.WrongState)
	s.must(s.decide(ana, person("ana"), wf.DecisionInput{Action: wf.ActionApprove, ExpectedContextHash: "sha256:one", ExpectedRevision: 1}))
	d := s.task(ana).Decision
	if d.ContextHash != "sha256:one" || d.Revision != 1 || d.Actor.ID != "ana" || d.TaskID != ana || d.RequestID != "r1" || d.StageKey != "s" ||
		d.Source != "api" || d.Override || d.DecidedAt.Time != noon {
		t.Errorf("decision = %+v", d)
	}
}

func TestADecisionMayNeedAFreshOrStrongerAuthentication(t *testing.T) {
	tests := map[string]struct {
		reauth policy.Reauth
		auth   identity.Auth
		want   error
	}{
		"fresh enough":      {policy.Reauth{MaxAge: "PT5M"}, identity.Auth{AuthTime: identity.Stamp{Time: noon.Add(-5 * time.Minute)}}, nil},
		"within the leeway": {policy.Reauth{MaxAge: "PT5M"}, identity.Auth{AuthTime: identity.Stamp{Time: noon.Add(time.Minute)}}, nil},
		"1,000 s in the future": {policy.Reauth{MaxAge: "PT5M"},
			identity.Auth{AuthTime: identity.Stamp{Time: noon.Add(1000 * time.Second)}}, reason.Forbidden},
		"beyond the leeway": {policy.Reauth{MaxAge: "PT5M"},
			identity.Auth{AuthTime: identity.Stamp{Time: noon.Add(time.Minute + 1)}}, reason.Forbidden},
		"too old": {policy.Reauth{MaxAge: "PT5M"},
			identity.Auth{AuthTime: identity.Stamp{Time: noon.Add(-5*time.Minute - 1)}}, reason.Forbidden},
		"age unknown":             {policy.Reauth{MaxAge: "PT5M"}, identity.Auth{}, reason.Forbidden},
		"one of the acr values":   {policy.Reauth{ACRValues: []string{"gold", "silver"}}, identity.Auth{ACR: "silver"}, nil},
		"another acr value":       {policy.Reauth{ACRValues: []string{"gold", "silver"}}, identity.Auth{ACR: "bronze"}, reason.Forbidden},
		"strong but too old":      {policy.Reauth{MaxAge: "PT5M", ACRValues: []string{"gold"}}, identity.Auth{ACR: "gold"}, reason.Forbidden},
		"no acr where one is due": {policy.Reauth{ACRValues: []string{"gold"}}, identity.Auth{}, reason.Forbidden},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := begin(t, but(each("s", "ana"), func(s *policy.Stage) { s.Reauth = &tt.reauth }))
			ana := person("ana")
			ana.Auth = tt.auth
			err := s.decide(s.of("s", "ana"), ana, wf.DecisionInput{Action: wf.ActionApprove})
			if !errors.Is(err, tt.want) {
				t.Fatalf("error = %v, want %v", err, tt.want)
			}
			if refusal, ok := errors.AsType[*refusal.Error](err); ok && refusal.StepUp == nil {
				t.Error("the refusal lacks the accepted values")
			}
			eve := person("eve")
			if refusal, _ := errors.AsType[*refusal.Error](s.decide(s.of("s", "ana"), eve,
				wf.DecisionInput{Action: wf.ActionApprove})); refusal.StepUp != nil {
				t.Error("an outsider must authenticate again although the refusal stays")
			}
		})
	}
}

func TestAdminOverrideRequiresPolicySetting(t *testing.T) {
	explained := wf.DecisionInput{Action: wf.ActionApprove, Comment: "the director is ill"}
	tests := map[string]struct {
		allowed bool
		by      identity.Actor
		in      wf.DecisionInput
		want    error
		status  wf.RequestStatus
	}{
		"approves":               {true, root, explained, nil, wf.RequestApproved},
		"rejects":                {true, root, wf.DecisionInput{Action: wf.ActionReject, Comment: "ten chars."}, nil, wf.RequestRejected},
		"not allowed":            {false, root, explained, reason.Forbidden, wf.RequestInReview},
		"not an admin":           {true, person("eve"), explained, reason.Forbidden, wf.RequestInReview},
		"without an explanation": {true, root, wf.DecisionInput{Action: wf.ActionApprove, Comment: "nine char"}, reason.BadInput, wf.RequestInReview},
		"characters, not bytes":  {true, root, wf.DecisionInput{Action: wf.ActionApprove, Comment: "ñññññññññ"}, reason.BadInput, wf.RequestInReview},
		"abstaining": {true, root, wf.DecisionInput{Action: wf.ActionAbstain, Comment: "the director is ill"},
			reason.BadInput, wf.RequestInReview},
		"the requester": {true, identity.Actor{User: user("rita"), Roles: []identity.Role{identity.RoleAdmin}},
			explained, reason.Forbidden, wf.RequestInReview},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(each("s", "ana", "bo")))
			s.def.Settings.AdminOverride = tt.allowed
			s.must(s.start())
			n := len(s.events)
			err := s.decide(s.of("s", "ana"), tt.by, tt.in)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error = %v, want %v", err, tt.want)
			}
			s.status(tt.status)
			if err != nil {
				return
			}
			s.because(wf.BecauseOverride)
			if d := s.task(s.of("s", "ana")).Decision; !d.Override || d.Actor.ID != "root" || d.OnBehalfOf != nil {
				t.Errorf("decision = %+v", d)
			}
			if !slices.Contains(s.types(n), audit.EventRequestOverridden) {
				t.Errorf("events = %v", s.types(n))
			}
			if got := s.task(s.of("s", "bo")); got.Status != wf.TaskSkipped || got.CloseReason != wf.ClosedOverride {
				t.Errorf("the other task = %+v", got)
			}
		})
	}
}

func TestAdminApproverDecidesOwnTaskWithoutOverride(t *testing.T) {
	s := tell(t, policyOf(each("s", "root", "bo")))
	s.def.Settings.AdminOverride = true
	s.must(s.start())
	s.must(s.decide(s.of("s", "root"), root, wf.DecisionInput{Action: wf.ActionApprove}))
	s.status(wf.RequestInReview)
	s.stageIs("s", wf.StageActive)
}

func TestAnOverrideForcesABlockedStage(t *testing.T) {
	s := tell(t, policyOf(each("s"), each("next", "ana")))
	s.def.Settings.AdminOverride = true
	s.must(s.start())
	s.status(wf.RequestBlocked)
	s.must(s.decide(s.rescue("s"), root, wf.DecisionInput{Action: wf.ActionApprove, Comment: "nobody is left"}))
	s.status(wf.RequestInReview)
	s.stageIs("s", wf.StageApproved)
	s.must(s.approve(s.of("next", "ana"), "ana"))
	s.status(wf.RequestApproved)
	s.because(wf.BecauseQuorumMet)
}

func TestAnOverrideDoesNotPassTheSeparationOfStages(t *testing.T) {
	s := tell(t, policyOf(each("one", "root"), each("two", "ana")))
	s.def.Settings.AdminOverride, s.def.Settings.RepeatApprover = true, policy.RepeatExclude
	s.must(s.start())
	s.must(s.decide(s.of("one", "root"), root, wf.DecisionInput{Action: wf.ActionApprove}))
	err := s.decide(s.of("two", "ana"), root, wf.DecisionInput{Action: wf.ActionApprove, Comment: "ana is away today"})
	s.refused(err, reason.Forbidden)
}

func TestStatusReasonHasTheRejectionOrChangeRequestComment(t *testing.T) {
	for action, status := range map[wf.Action]wf.RequestStatus{wf.ActionReject: wf.RequestRejected,
		wf.ActionRequestChanges: wf.RequestChangesRequested} {
		s := begin(t, each("s", "ana", "bo"), each("next", "cy"))
		s.must(s.decide(s.of("s", "ana"), person("ana"), wf.DecisionInput{Action: action, Comment: "the amount is wrong"}))
		s.status(status)
		if why := s.now.StatusReason; why.Message != "the amount is wrong" || why.StageKey != "s" {
			t.Errorf("reason = %+v", why)
		}
	}
}

func TestReassignmentEventHasItsReason(t *testing.T) {
	s := begin(t, each("s", "ana", "bo"))
	n := len(s.events)
	s.must(s.apply(root, wf.Reassign(s.of("s", "ana"), user("dee"), false, "on leave")))
	if e := s.events[n]; e.Type != audit.EventTaskReassigned || e.Reason != "on leave" || e.Actor.ID != "root" {
		t.Errorf("event = %+v", e)
	}
	s = begin(t, but(each("s", "ana"), func(s *policy.Stage) { s.Quorum = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2} }))
	id := s.rescue("s")
	n = len(s.events)
	s.must(s.apply(root, wf.Reassign(id, user("eve"), false, "found somebody")))
	if got, want := s.types(n), []audit.EventType{audit.EventTaskReassigned, audit.EventRequestUnblocked}; !slices.Equal(got, want) {
		t.Errorf("events = %v, want %v", got, want)
	}
	for _, e := range s.events[n:] {
		if (e.Reason == "found somebody") != (e.Type == audit.EventTaskReassigned) {
			t.Errorf("%s has the reason %q", e.Type, e.Reason)
		}
	}
}
