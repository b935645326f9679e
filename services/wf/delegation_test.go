package wf_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// delegation is in force for a day around noon.
func delegation(from, to string) approver.Delegation {
	return approver.Delegation{
		ID: from + ">" + to, User: user(from), DelegateTo: user(to),
		StartsAt: noon.Add(-time.Hour), EndsAt: noon.Add(23 * time.Hour), CreatedAt: noon.Add(-time.Hour), CreatedBy: user(from),
	}
}

func newest(d approver.Delegation) approver.Delegation {
	d.CreatedAt = noon
	return d
}

func TestADelegationIsCheckedWhenItIsMade(t *testing.T) {
	tests := map[string]struct {
		change func(*approver.Delegation)
		where  string // empty when accepted
	}{
		"accepted":                      {func(*approver.Delegation) {}, ""},
		"for a whole leap year":         {func(d *approver.Delegation) { d.EndsAt = d.StartsAt.Add(366 * 24 * time.Hour) }, ""},
		"ends just after now":           {func(d *approver.Delegation) { d.EndsAt = noon.Add(time.Millisecond) }, ""},
		"to themselves":                 {func(d *approver.Delegation) { d.DelegateTo = d.User }, "/delegate_to"},
		"without an id":                 {func(d *approver.Delegation) { d.DelegateTo.ID = "" }, "/delegate_to"},
		"to the service":                {func(d *approver.Delegation) { d.DelegateTo.ID = "system:policy" }, "/delegate_to"},
		"from the service":              {func(d *approver.Delegation) { d.User.ID = "system:policy" }, "/user_id"},
		"ends when it starts":           {func(d *approver.Delegation) { d.EndsAt = d.StartsAt }, "/ends_at"},
		"ends before it starts":         {func(d *approver.Delegation) { d.StartsAt = d.EndsAt.Add(time.Hour) }, "/ends_at"},
		"ends in the past":              {func(d *approver.Delegation) { d.EndsAt = noon }, "/ends_at"},
		"for longer than a year":        {func(d *approver.Delegation) { d.EndsAt = d.StartsAt.Add(366*24*time.Hour + 1) }, "/ends_at"},
		"with a scope in the middle":    {func(d *approver.Delegation) { d.Scope.PolicyKeys = []string{"ok", "a*b"} }, "/scope/policy_keys/1"},
		"with a scope of every policy":  {func(d *approver.Delegation) { d.Scope.PolicyKeys = []string{"*"} }, "/scope/policy_keys/0"},
		"with a prefix":                 {func(d *approver.Delegation) { d.Scope.PolicyKeys = []string{"pay.*", "pay"} }, ""},
		"part of a loop, which is fine": {func(d *approver.Delegation) { d.User, d.DelegateTo = d.DelegateTo, d.User }, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := delegation("ana", "dee")
			tt.change(&d)
			err := d.Check(noon)
			if tt.where == "" {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			refusal, ok := errors.AsType[*refusal.Error](err)
			if !ok || refusal.Reason != reason.BadInput || refusal.Where != tt.where {
				t.Errorf("error = %v, want %s at %s", err, reason.BadInput, tt.where)
			}
		})
	}
}

func TestADelegationStandsWhereItsDatesPutIt(t *testing.T) {
	d := delegation("ana", "dee")
	revoked := d
	revoked.RevokedAt = noon
	for name, tt := range map[string]struct {
		d      approver.Delegation
		at     time.Time
		want   approver.DelegationStatus
		revoke error
	}{
		"before it starts":       {d, d.StartsAt.Add(-1), approver.DelegationScheduled, nil},
		"when it starts":         {d, d.StartsAt, approver.DelegationActive, nil},
		"just before it ends":    {d, d.EndsAt.Add(-1), approver.DelegationActive, nil},
		"when it ends":           {d, d.EndsAt, approver.DelegationEnded, reason.DelegationNotFound},
		"revoked":                {revoked, noon, approver.DelegationRevoked, reason.DelegationNotFound},
		"revoked, after the end": {revoked, d.EndsAt, approver.DelegationRevoked, reason.DelegationNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.d.Status(tt.at); got != tt.want {
				t.Fatalf("Status = %s, want %s", got, tt.want)
			}
			got, err := tt.d.Revoke(user("root"), tt.at)
			if !errors.Is(err, tt.revoke) {
				t.Fatalf("Revoke error = %v, want %v", err, tt.revoke)
			}
			if err == nil && (got.Status(tt.at) != approver.DelegationRevoked || got.RevokedBy.ID != "root" || !got.RevokedAt.Equal(tt.at)) {
				t.Errorf("revoked = %+v", got)
			}
		})
	}
}

// TestWhoMayActForWhom has the checks of an act, each for a claim and a decision: examples 44 to 48 of the design. After
// each, the delegator may still decide, unless another row says so.
func TestWhoMayActForWhom(t *testing.T) {
	const ok = refusal.Reason("")
	both := each("s", "ana", "bo")
	queue := pool("s", 2, "ana", "bo", "cy")
	scoped := func(scope approver.Scope) approver.Delegation {
		d := delegation("ana", "dee")
		d.Scope = scope
		return d
	}
	late, over := delegation("ana", "dee"), delegation("ana", "dee")
	late.StartsAt, over.EndsAt = noon.Add(time.Millisecond), noon
	for name, tt := range map[string]struct {
		stage     policy.Stage
		given     []approver.Delegation
		forbidden bool // by settings.delegation
		prepare   func(s *story)
		by        identity.Actor
		behalf    string
		want      refusal.Reason
		owner     string // "-" if the delegator may not decide afterwards; ana when empty
	}{
		"a delegate of the holder":             {stage: both, given: toDee()},
		"a delegate of a candidate":            {stage: queue, given: toDee()},
		"in their name":                        {stage: both, given: toDee(), behalf: "ana"},
		"in the name of another person":        {stage: both, given: toDee(), behalf: "bo", want: reason.Forbidden},
		"a stranger":                           {stage: both, want: reason.Forbidden},
		"a stranger in the name of the holder": {stage: both, behalf: "ana", want: reason.Forbidden},
		"before the start":                     {stage: both, given: []approver.Delegation{late}, want: reason.Forbidden},
		"at the end":                           {stage: both, given: []approver.Delegation{over}, want: reason.Forbidden},
		"after a revocation":                   {stage: both, given: toDee(), prepare: func(s *story) { s.revoke("ana>dee") }, want: reason.Forbidden},
		"of a delegate of the holder": {stage: both, given: []approver.Delegation{delegation("ana", "eve"),
			delegation("eve", "dee")}, want: reason.Forbidden},
		"another policy": {stage: both,
			given: []approver.Delegation{scoped(approver.Scope{PolicyKeys: []string{"other", "test.*"}})},
			want:  reason.Forbidden},
		"this policy": {stage: both, given: []approver.Delegation{scoped(approver.Scope{PolicyKeys: []string{"other", "test"}})}},
		"another stage": {stage: both,
			given: []approver.Delegation{scoped(approver.Scope{StageKeys: []string{"t"}})}, want: reason.Forbidden},
		"another artifact type": {stage: both,
			given: []approver.Delegation{scoped(approver.Scope{ArtifactTypes: []string{"invoice"}})}, want: reason.Forbidden},
		"the policy permits none": {stage: both, given: toDee(), forbidden: true, want: reason.Forbidden},
		"the stage permits none": {stage: but(both, func(s *policy.Stage) { s.Allow.Delegate = new(false) }),
			given: toDee(), want: reason.Forbidden},
		"the requester": {stage: both, given: []approver.Delegation{delegation("ana", "rita")},
			by: person("rita"), want: reason.Forbidden},
		"the submitter": {stage: queue, given: []approver.Delegation{delegation("ana", "sam")}, by: sam, want: reason.Forbidden},
		"a service account": {stage: both, given: toDee(), by: identity.Actor{User: user("dee"), Kind: identity.ActorService},
			want: reason.Forbidden},
		"a person with a seat": {stage: both, given: []approver.Delegation{delegation("ana", "bo")},
			by: person("bo"), behalf: "ana", want: reason.WrongState},
		"a person with a place in a pool": {stage: queue, given: []approver.Delegation{delegation("ana", "bo")},
			by: person("bo"), behalf: "ana", want: reason.WrongState},
		"a person that has decided a seat": {stage: both, given: []approver.Delegation{delegation("ana", "dee"),
			delegation("bo", "dee")}, prepare: func(s *story) { s.must(s.approve(s.of("s", "bo"), "dee")) },
			want: reason.WrongState},
		"a person that has claimed a task": {stage: queue, given: []approver.Delegation{delegation("ana", "dee"),
			delegation("bo", "dee")}, prepare: func(s *story) { s.must(s.claimFor("bo", s.nth("s", 2), person("dee"))) },
			behalf: "ana", want: reason.WrongState},
		"a person that has released a task": {stage: queue, given: []approver.Delegation{delegation("ana", "dee"),
			delegation("bo", "dee")}, prepare: func(s *story) {
			s.must(s.claimFor("bo", s.nth("s", 2), person("dee")))
			s.must(s.unclaim(s.nth("s", 2), person("dee")))
		}, behalf: "ana"},
		"a former holder": {stage: but(both, anyHolder), given: toDee(), prepare: func(s *story) {
			s.must(s.reassign(s.of("s", "bo"), "dee", root))
			s.must(s.reassign(s.of("s", "dee"), "bo", root))
		}, want: reason.WrongState},
		"a claim of another delegate": {stage: both, given: []approver.Delegation{delegation("ana", "dee"),
			delegation("ana", "eve")}, prepare: func(s *story) { s.must(s.claim(s.of("s", "ana"), person("eve"))) },
			want: reason.WrongState},
		"a claim of a former delegate": {stage: both, given: []approver.Delegation{delegation("ana", "dee"),
			delegation("ana", "eve")}, prepare: func(s *story) {
			s.must(s.claim(s.of("s", "ana"), person("eve")))
			s.revoke("ana>eve")
		}},
		"a claim of the holder": {stage: both, given: toDee(), prepare: func(s *story) { s.must(s.claim(s.of("s", "ana"), person("ana"))) }},
		"a decided task": {stage: both, given: toDee(),
			prepare: func(s *story) { s.must(s.approve(s.of("s", "ana"), "ana")) }, want: reason.WrongState, owner: "-"},
		"a task of the pool of ana": {stage: queue, given: toDee(),
			prepare: func(s *story) { s.must(s.claim(s.nth("s", 1), person("bo"))) }, want: reason.WrongState, owner: "-"},
		"a candidate that has acted": {stage: queue, given: toDee(),
			prepare: func(s *story) { s.must(s.approve(s.nth("s", 2), "ana")) }, want: reason.WrongState, owner: "-"},
		"excluded now": {stage: excluding(both, roleOf("author")), given: toDee(), prepare: func(s *story) {
			s.def.Settings.MembershipRecheck = policy.RecheckStrict
			s.yields = byRole(map[string][]string{"author": {"dee"}})
		}, want: reason.Forbidden},
		"disabled in the directory": {stage: both, given: toDee(), prepare: func(s *story) {
			s.directory, s.yields = true, withoutPeople("dee")
		}, want: reason.Forbidden},
		"disabled, without a recheck": {stage: both, given: toDee(), prepare: func(s *story) {
			s.def.Settings.MembershipRecheck, s.directory, s.yields = policy.RecheckNone, true, withoutPeople("dee")
		}},
		"the directory is down": {stage: both, given: toDee(), prepare: func(s *story) { s.directory, s.yields = true, down }},
		"the directory is down, strict": {stage: both, given: toDee(), prepare: func(s *story) {
			s.def.Settings.MembershipRecheck, s.directory, s.yields = policy.RecheckStrict, true, down
		}, want: reason.ResolverFailed},
	} {
		for act, try := range map[string]func(s *story, task string, by identity.Actor) error{
			"claim": func(s *story, task string, by identity.Actor) error { return s.claimFor(tt.behalf, task, by) },
			"decide": func(s *story, task string, by identity.Actor) error {
				return s.decide(task, by, wf.DecisionInput{Action: wf.ActionApprove, OnBehalfOf: tt.behalf})
			},
		} {
			t.Run(name+", "+act, func(t *testing.T) {
				s := tell(t, policyOf(tt.stage))
				s.yields = byRole(nil)
				s.def.Settings.Delegation.Allowed = new(!tt.forbidden)
				s.delegate(tt.given...)
				s.must(s.start())
				task := s.nth("s", 1)
				if tt.prepare != nil {
					tt.prepare(s)
				}
				by := tt.by
				if by.ID == "" {
					by = person("dee")
				}
				before := encode(s.now.Tasks)
				err := try(s, task, by)
				if tt.want != ok {
					s.refused(err, tt.want)
					if encode(s.now.Tasks) != before {
						t.Errorf("the tasks changed to %s", encode(s.now.Tasks))
					}
				} else {
					s.must(err)
					done := s.task(task)
					if !done.HeldBy("ana") {
						t.Fatalf("the task is with %s", held(done.Assignee))
					}
					if d := done.Decision; act == "decide" && (d.Actor.ID != by.ID || d.OnBehalfOf == nil || d.OnBehalfOf.ID != "ana") ||
						act == "claim" && done.ClaimedBy.ID != by.ID {
						t.Errorf("task = %s", encode(done))
					}
				}
				err = s.approve(task, "ana")
				if mayDecide := tt.owner == "" && (tt.want != ok || act == "claim"); mayDecide != (err == nil) {
					t.Errorf("the decision of the delegator: %v", err)
				}
			})
		}
	}
}

// withoutPeople answers for a directory that lacks people.
func withoutPeople(gone ...string) yields {
	return func(rule policy.Rule, _ time.Duration) ([]identity.User, error) {
		return users(slices.DeleteFunc(slices.Clone(rule.IDs), func(id string) bool { return slices.Contains(gone, id) })...), nil
	}
}

// TestADelegateNeverGivesAway: a delegate may release an own claim, and not reassign the task, nor release that of others.
func TestADelegateNeverGivesAway(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": but(each("s", "ana", "bo"), anyHolder), "pool": but(pool("s", 2, "ana", "bo"), anyHolder)} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, stage)
			s.delegate(delegation("ana", "dee"), delegation("ana", "eve"))
			task := s.nth("s", 1)
			s.refused(s.reassign(task, "eve", person("dee")), reason.Forbidden)
			s.must(s.claim(task, person("dee")))
			s.must(s.claim(task, person("dee"))) // again
			s.refused(s.reassign(task, "eve", person("dee")), reason.Forbidden)
			s.refused(s.unclaim(task, person("eve")), reason.Forbidden)
			s.must(s.unclaim(task, person("dee")))
			if got := s.task(task); got.Status != wf.TaskOpen || got.ClaimedBy != nil || (got.Assignee == nil) != (name == "pool") {
				t.Errorf("task = %s", encode(got))
			}
			s.must(s.claim(task, person("eve")))
			s.must(s.claim(task, person("ana"))) // claims it back
			s.refused(s.unclaim(task, person("eve")), reason.Forbidden)
			s.must(s.unclaim(task, person("ana")))
			s.must(s.claim(task, person("eve")))
			s.revoke("ana>eve")
			s.refused(s.unclaim(task, person("eve")), reason.Forbidden)
			if by := s.asCase().Request.Tasks[0].ClaimedBy; by == nil || by.ID != "ana" {
				t.Errorf("after the revocation the claim is that of %s", held(by))
			}
			s.must(s.unclaim(task, person("ana")))
		})
	}
}

// TestADelegateOfSeveral acts for the one that they name, else for the newest delegation whose delegator may act.
func TestADelegateOfSeveral(t *testing.T) {
	for name, tt := range map[string]struct {
		behalf  string
		prepare func(s *story)
		want    string // empty if refused
	}{
		"the newest":           {want: "bo"},
		"the named":            {behalf: "ana", want: "ana"},
		"the newest has acted": {prepare: func(s *story) { s.must(s.take("s", "bo", wf.ActionApprove)) }, want: "ana"},
		"a stranger":           {behalf: "cy"},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, pool("s", 2, "ana", "bo", "cy"))
			s.delegate(newest(delegation("bo", "dee")), delegation("ana", "dee"))
			if tt.prepare != nil {
				tt.prepare(s)
			}
			task := s.unassigned("s")[0]
			shown := s.asCase().OnBehalfOf(s.task(task), s.run("s"), person("dee"))
			err := s.decide(task, person("dee"), wf.DecisionInput{Action: wf.ActionApprove, OnBehalfOf: tt.behalf})
			if tt.want == "" {
				s.refused(err, reason.Forbidden)
				return
			}
			s.must(err)
			if got := s.task(task); !got.HeldBy(tt.want) || got.Decision.OnBehalfOf.ID != tt.want || tt.behalf == "" && held(shown) != tt.want {
				t.Errorf("decided %s, shown for %s", encode(got), held(shown))
			}
		})
	}
}

// TestDelegationsInBothDirections: each acts on the tasks of the other.
func TestDelegationsInBothDirections(t *testing.T) {
	s := begin(t, together(each("one", "ana")), together(each("two", "bo")))
	s.delegate(delegation("ana", "bo"), delegation("bo", "ana"))
	s.must(s.approve(s.of("one", "ana"), "bo"))
	s.must(s.approve(s.of("two", "bo"), "ana"))
	s.status(wf.RequestApproved)
}

// TestTheRightFollowsTheHolder of the task: through reassignment, escalation and rescue, and not to former holders.
func TestTheRightFollowsTheHolder(t *testing.T) {
	for name, tt := range map[string]struct {
		stage   policy.Stage
		prepare func(s *story) (task string)
		from    string // whose delegate acts
		want    refusal.Reason
	}{
		"the new holder": {but(each("s", "ana", "bo"), anyHolder), func(s *story) string {
			task := s.of("s", "ana")
			s.must(s.reassign(task, "zoe", person("ana")))
			return task
		}, "zoe", ""},
		"the former holder": {but(each("s", "ana", "bo"), anyHolder), func(s *story) string {
			task := s.of("s", "ana")
			s.must(s.reassign(task, "zoe", person("ana")))
			return task
		}, "ana", reason.Forbidden},
		"reassigned under a claim": {but(each("s", "ana", "bo"), anyHolder), func(s *story) string {
			s.delegate(delegation("ana", "dee"))
			task := s.of("s", "ana")
			s.must(s.claim(task, person("dee")))
			s.must(s.reassign(task, "zoe", root))
			return task
		}, "zoe", ""},
		"an added approver": {due(each("s", "ana"), toCarl), func(s *story) string {
			s.at = after(time.Hour)
			s.must(s.deadlines())
			return s.of("s", "c")
		}, "c", ""},
		"an added member of a pool": {due(pool("s", 1, "ana"), toCarl), func(s *story) string {
			s.at = after(time.Hour)
			s.must(s.deadlines())
			return s.nth("s", 1)
		}, "c", ""},
		"a rescuer": {each("s", "ana", "bo"), func(s *story) string {
			s.must(s.sweep("ana"))
			task := s.rescue("s")
			s.must(s.reassign(task, "zoe", root))
			return task
		}, "zoe", ""},
		"a rescue without an assignee": {each("s", "ana", "bo"), func(s *story) string {
			s.must(s.sweep("ana"))
			return s.rescue("s")
		}, "ana", reason.Forbidden},
	} {
		for _, by := range []identity.Actor{person("dee"), root} {
			t.Run(name+", "+by.ID, func(t *testing.T) {
				s := begin(t, tt.stage)
				task := tt.prepare(s)
				d := lasting(delegation(tt.from, by.ID))
				d.ID = "last"
				s.delegate(d)
				err := s.decide(task, by, wf.DecisionInput{Action: wf.ActionApprove})
				switch assigns := by.ID == root.ID && name == "a rescuer"; {
				case assigns || tt.want != "" && !(by.ID == root.ID && errors.Is(err, reason.WrongState)):
					s.refused(err, reason.Forbidden) // the admin that assigned a rescue is no rescuer
				case tt.want == "":
					s.must(err)
				}
			})
		}
	}
}

// TestAHolderWithARevivedClaim: a delegate whose right has ended may get a task of their own. While a new delegation
// revives their claim of another task, they decide neither; they act on their own once the claim has ended.
func TestAHolderWithARevivedClaim(t *testing.T) {
	s := begin(t, each("s", "ana", "bo", "eve"))
	claimed, own := s.of("s", "ana"), s.of("s", "bo")
	s.delegate(delegation("ana", "dee"))
	s.must(s.claim(claimed, person("dee")))
	s.revoke("ana>dee")
	s.must(s.reassign(own, "dee", root))
	again := delegation("ana", "dee")
	again.ID = "again"
	s.delegate(again)
	s.refused(s.approve(own, "dee"), reason.WrongState)
	s.refused(s.approve(claimed, "dee"), reason.WrongState)
	s.revoke("again")
	s.must(s.approve(own, "dee"))
	s.refused(s.approve(claimed, "dee"), reason.Forbidden)
	s.must(s.approve(claimed, "ana"))
}

// TestAWithdrawalAfterADelegatesClaim: the claim is the assignee's, who has decided. The delegate may have a task of their own by then.
func TestAWithdrawalAfterADelegatesClaim(t *testing.T) {
	s := begin(t, each("s", "ana", "bo", "eve"))
	claimed, own := s.of("s", "ana"), s.of("s", "bo")
	s.delegate(delegation("ana", "dee"))
	s.must(s.claim(claimed, person("dee")))
	s.must(s.approve(claimed, "ana"))
	s.must(s.reassign(own, "dee", root))
	s.must(s.withdraw(claimed, person("ana")))
	if task := s.task(claimed); task.Status != wf.TaskClaimed || task.ClaimedBy.ID != "ana" {
		t.Errorf("the task is %s by %v", task.Status, task.ClaimedBy)
	}
	s.must(s.approve(own, "dee"))
	s.must(s.approve(claimed, "ana"))
}

// TestARequesterAsADelegate: where requesters may approve, they may act for a holder, and not for a rescuer.
func TestARequesterAsADelegate(t *testing.T) {
	for _, rescue := range []bool{false, true} {
		t.Run(fmt.Sprintf("rescue %t", rescue), func(t *testing.T) {
			s := tell(t, policyOf(each("s", "ana", "bo")))
			s.def.Settings.RequesterMayApprove = true
			s.delegate(lasting(delegation("bo", "rita")), lasting(delegation("zoe", "rita")))
			s.must(s.start())
			task := s.of("s", "bo")
			if rescue {
				s.must(s.sweep("ana"))
				task = s.rescue("s")
				s.must(s.reassign(task, "zoe", root))
			}
			err := s.decide(task, person("rita"), wf.DecisionInput{Action: wf.ActionApprove})
			if rescue {
				s.refused(err, reason.Forbidden)
			} else {
				s.must(err)
			}
		})
	}
}

// TestAnActForALostApprover releases the place, as an act of their own. The delegate then has no right.
func TestAnActForALostApprover(t *testing.T) {
	for name, stage := range map[string]policy.Stage{"each": ruled("s", officers("ana", "bo")),
		"pool": but(ruled("s", officers("ana", "bo")), func(s *policy.Stage) {
			s.Assignment, s.Quorum = policy.AssignmentPool, quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}
		})} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, stage)
			s.delegate(delegation("ana", "dee"))
			s.yields = now("bo")
			n, task := len(s.events), s.nth("s", 1)
			s.refused(s.approve(task, "dee"), reason.Forbidden)
			if !slices.Contains(s.types(n), audit.EventTaskOrphaned) {
				t.Errorf("events = %v", s.types(n))
			}
			s.refused(s.approve(task, "dee"), reason.Forbidden)
			s.stageIs("s", wf.StageBlocked)
		})
	}
}

// TestTheRepeatOfADelegate: the actor counts, also as a delegate.
func TestTheRepeatOfADelegate(t *testing.T) {
	s := tell(t, policyOf(each("one", "ana"), each("two", "dee", "bo")))
	s.def.Settings.RepeatApprover = policy.RepeatExclude
	s.delegate(delegation("ana", "dee"), delegation("bo", "dee"))
	s.must(s.start())
	s.must(s.approve(s.of("one", "ana"), "dee"))
	if got := s.run("two").Excluded; len(got) != 1 || got[0].User.ID != "dee" {
		t.Errorf("excluded: %v", got)
	}
	s.refused(s.approve(s.of("two", "bo"), "dee"), reason.Forbidden)
	s.must(s.approve(s.of("two", "bo"), "bo"))
}

// TestADelegateReads a request while they have a right, and afterwards if they have decided.
func TestADelegateReads(t *testing.T) {
	for name, stage := range map[string]policy.Stage{
		"each": but(each("s", "ana", "bo"), func(s *policy.Stage) { s.Quorum.Mode = quorum.QuorumAny }), "pool": pool("s", 1, "ana", "bo"),
	} {
		for end, tt := range map[string]struct {
			act  func(s *story)
			want bool
		}{
			"at first":                    {func(*story) {}, true},
			"revoked":                     {func(s *story) { s.revoke("ana>dee") }, false},
			"ended":                       {func(s *story) { s.at = delegation("ana", "dee").EndsAt }, false},
			"revoked after a claim":       {func(s *story) { s.must(s.claim(s.nth("s", 1), person("dee"))); s.revoke("ana>dee") }, false},
			"revoked after a decision":    {func(s *story) { s.must(s.approve(s.nth("s", 1), "dee")); s.revoke("ana>dee") }, true},
			"the stage is over":           {func(s *story) { s.must(s.approve(s.nth("s", 1), "ana")) }, false},
			"the request is over":         {func(s *story) { s.must(s.cancel(root)) }, false},
			"the delegator lost the task": {func(s *story) { s.must(s.sweep("ana")) }, false},
		} {
			t.Run(name+", "+end, func(t *testing.T) {
				s := begin(t, stage, each("next", "cy"))
				s.delegate(delegation("ana", "dee"))
				tt.act(s)
				if got := s.asCase().HasPart("dee"); got != tt.want {
					t.Errorf("reads: %t", got)
				}
				if _, named := s.now.Parts()["dee"]; named && !strings.Contains(end, "claim") && !strings.Contains(end, "decision") {
					t.Error("a delegate without an act is stored")
				}
			})
		}
	}
}

// TestTheActionsOfADelegate are those that the transitions accept.
func TestTheActionsOfADelegate(t *testing.T) {
	for name, tt := range map[string]struct {
		given   []approver.Delegation
		prepare func(s *story)
		by      string
		want    []string
	}{
		"a delegate":                {toDee(), nil, "dee", []string{"claim", "decide"}},
		"a delegate with the claim": {toDee(), func(s *story) { s.must(s.claim(s.nth("s", 1), person("dee"))) }, "dee", []string{"decide", "unclaim"}},
		"the delegator of a claim": {toDee(), func(s *story) { s.must(s.claim(s.nth("s", 1), person("dee"))) }, "ana",
			[]string{"claim", "decide", "unclaim", "reassign"}},
		"a former delegate with a claim": {toDee(),
			func(s *story) { s.must(s.claim(s.nth("s", 1), person("dee"))); s.revoke("ana>dee") }, "dee", []string{}},
		"a person with a seat": {[]approver.Delegation{delegation("ana", "bo")}, nil, "bo", []string{}},
		"a stranger":           {nil, nil, "dee", []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, but(each("s", "ana", "bo"), anyHolder))
			s.delegate(tt.given...)
			if tt.prepare != nil {
				tt.prepare(s)
			}
			c := s.asCase()
			if got := c.TaskActions(c.Request.Tasks[0], s.run("s"), person(tt.by)); !slices.Equal(got, tt.want) {
				t.Errorf("actions = %v", got)
			}
		})
	}
}

func toDee() []approver.Delegation { return []approver.Delegation{delegation("ana", "dee")} }

// lasting is in force for years.
func lasting(d approver.Delegation) approver.Delegation {
	d.EndsAt = d.EndsAt.AddDate(10, 0, 0)
	return d
}
