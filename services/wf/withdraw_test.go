package wf_test

import (
	"slices"
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

// TestWithdraw has the guards: only the actor withdraws, and only while the stage is undecided.
func TestWithdraw(t *testing.T) {
	ana := person("ana")
	agent := ana
	agent.Acting = []identity.Party{{Subject: "agent"}}
	approved := func(s *story) { s.must(s.approve(s.of("s", "ana"), "ana")) }
	for name, tt := range map[string]struct {
		by      identity.Actor
		arrange func(s *story)
		want    refusal.Reason
	}{
		"by the actor":             {ana, approved, ""},
		"by another approver":      {person("bo"), approved, reason.Forbidden},
		"by an admin":              {root, approved, reason.Forbidden},
		"by the requester":         {person("rita"), approved, reason.Forbidden},
		"by a party for the actor": {agent, approved, reason.Forbidden},
		"without a decision":       {ana, func(*story) {}, reason.WrongState},
		"of nothing, by another":   {person("bo"), func(*story) {}, reason.Forbidden},
		"twice": {ana, func(s *story) {
			approved(s)
			s.must(s.withdraw(s.of("s", "ana"), ana))
		}, reason.WrongState},
		"after a decision of another": {ana, func(s *story) { approved(s); s.must(s.approve(s.of("s", "bo"), "bo")) }, ""},
		"of an abstention":            {ana, func(s *story) { s.must(s.act(s.of("s", "ana"), "ana", wf.ActionAbstain)) }, ""},
		"after the stage": {ana, func(s *story) {
			approved(s)
			s.must(s.approve(s.of("s", "bo"), "bo"))
			s.must(s.approve(s.of("s", "cy"), "cy"))
		}, reason.WrongState},
		"after a rejection": {ana, func(s *story) {
			approved(s)
			s.must(s.reject(s.of("s", "bo"), "bo"))
		}, reason.WrongState},
		"after a request for changes": {ana, func(s *story) {
			s.must(s.sendBack(s.of("s", "ana"), "ana"))
		}, reason.WrongState},
		"after a resubmission": {ana, func(s *story) {
			approved(s)
			s.must(s.sendBack(s.of("s", "bo"), "bo"))
			s.must(s.resubmit(sam, ""))
		}, reason.WrongState},
		"after the end": {ana, func(s *story) { approved(s); s.at = s.now.ExpiresAt.Add(time.Second) }, reason.WrongState},
		"forbidden by the stage": {ana, func(s *story) {
			approved(s)
			s.def.Stages[0].Allow.Withdraw = new(false)
		}, reason.WrongState},
		"of an override": {root, func(s *story) {
			s.def.Settings.AdminOverride = true
			in := wf.DecisionInput{Action: wf.ActionApprove, Comment: "they are all on leave"}
			s.must(s.decide(s.of("s", "ana"), root, in))
		}, reason.WrongState},
	} {
		t.Run(name, func(t *testing.T) {
			stage := each("s", "ana", "bo", "cy")
			stage.Allow.Abstain = true
			s := begin(t, stage, each("next", "dee"))
			task := s.of("s", "ana")
			tt.arrange(s)
			before, now := len(s.events), s.task(task)
			offered := slices.Contains(s.asCase().TaskActions(now, s.now.Run(now), tt.by), "withdraw")
			err := s.withdraw(task, tt.by)
			if offered != (tt.want == "") {
				t.Errorf("offered: %t", offered)
			}
			if tt.want != "" {
				s.refused(err, tt.want)
				return
			}
			s.must(err)
			e := s.events[before]
			if e.Type != audit.EventTaskWithdrawn || e.Reason != "by mistake" ||
				e.Decision == nil || e.Decision.WithdrawnAt == nil || !e.Decision.WithdrawnAt.Equal(s.at) || e.Actor.ID != "ana" || e.Task.Status != wf.TaskOpen {
				t.Errorf("the event is %s", encode(e))
			}
			if after := s.task(task); after.Decision != nil || after.Status != wf.TaskOpen || !after.CompletedAt.IsZero() ||
				s.run("s").Count.Abstentions != 0 {
				t.Errorf("the task is %s", encode(after))
			}
			s.must(s.approve(task, "ana"))
		})
	}
}

func TestAWithdrawnDecisionIsNotCounted(t *testing.T) {
	s := begin(t, each("s", "ana", "bo"))
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.must(s.withdraw(s.of("s", "ana"), person("ana")))
	s.must(s.approve(s.of("s", "bo"), "bo"))
	s.stageIs("s", wf.StageActive)
	s.must(s.reject(s.of("s", "ana"), "ana"))
	s.status(wf.RequestRejected)
}

// TestAWithdrawalRestoresTheTask crosses assignments and claims with the actor.
func TestAWithdrawalRestoresTheTask(t *testing.T) {
	claimedBy := func(id string) func(*story) {
		return func(s *story) { s.must(s.claim(s.nth("s", 1), person(id))) }
	}
	for name, tt := range map[string]struct {
		stage   policy.Stage
		arrange func(s *story)
		by      string
		claimed string // by this user; empty for open
	}{
		"open":                         {each("s", "ana", "bo"), func(*story) {}, "ana", ""},
		"claimed":                      {each("s", "ana", "bo"), claimedBy("ana"), "ana", "ana"},
		"of a pool, directly":          {pool("s", 2, "ana", "bo"), func(*story) {}, "ana", "ana"},
		"open, by a delegate":          {each("s", "ana", "bo"), func(*story) {}, "dee", ""},
		"claimed by the delegate":      {each("s", "ana", "bo"), claimedBy("dee"), "dee", "dee"},
		"of a pool, by a delegate":     {pool("s", 2, "ana", "bo"), func(*story) {}, "dee", "dee"},
		"claimed, decided by delegate": {each("s", "ana", "bo"), claimedBy("ana"), "dee", "ana"},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(tt.stage))
			s.delegate(delegation("ana", "dee"))
			s.must(s.start())
			task := s.nth("s", 1)
			tt.arrange(s)
			s.must(s.act(task, tt.by, wf.ActionApprove))
			if s.now.Participates("dee") != (tt.by == "dee") {
				t.Errorf("the delegate is a participant: %t", s.now.Participates("dee"))
			}
			s.must(s.withdraw(task, person(tt.by)))
			after := s.task(task)
			want := wf.TaskOpen
			if tt.claimed != "" {
				want = wf.TaskClaimed
			}
			if after.Status != want || !after.HeldBy("ana") || want == wf.TaskClaimed && after.ClaimedBy.ID != tt.claimed {
				t.Errorf("the task is %s", encode(after))
			}
			if s.now.Participates("dee") {
				t.Error("the delegate reads the request without a decision")
			}
			if _, waits := s.asCase().WaitsFor("ana"); !waits {
				t.Error("the task does not wait for ana")
			}
			s.must(s.act(task, "ana", wf.ActionApprove)) // the delegator claims it back
		})
	}
}

// A delegate whose right is over withdraws; the claim is the delegator's.
func TestAFormerDelegateWithdraws(t *testing.T) {
	s := tell(t, policyOf(pool("s", 2, "ana", "bo")))
	s.delegate(delegation("ana", "dee"))
	s.must(s.start())
	task := s.nth("s", 1)
	s.must(s.act(task, "dee", wf.ActionApprove))
	s.revoke(s.delegations[0].ID)
	s.delegations = s.inForce()
	s.must(s.withdraw(task, person("dee")))
	if after := s.task(task); after.Status != wf.TaskClaimed || after.ClaimedBy.ID != "ana" {
		t.Errorf("the task is %s", encode(after))
	}
	s.refused(s.act(task, "dee", wf.ActionApprove), reason.Forbidden)
}

// TestAWithdrawalClosesRescues that the stage does not need without the decision, and no other.
func TestAWithdrawalClosesRescues(t *testing.T) {
	block := quorum.Rejection{Mode: quorum.RejectionUnreachable, OnUnreachable: quorum.OnUnreachableBlock}
	for name, stage := range map[string]policy.Stage{"each": each("s", "ana", "bo"), "pool": pool("s", 2, "ana", "bo")} {
		stage.Rejection = block
		t.Run(name, func(t *testing.T) {
			s := begin(t, stage)
			task := s.nth("s", 1)
			s.must(s.reject(task, "ana"))
			s.status(wf.RequestBlocked)
			rescue, n := s.rescue("s"), len(s.events)
			s.must(s.withdraw(task, person("ana")))
			s.status(wf.RequestInReview)
			s.stageIs("s", wf.StageActive)
			if closed := s.task(rescue); closed.Status != wf.TaskSkipped || closed.CloseReason != wf.ClosedNotNeeded {
				t.Errorf("the rescue is %s", encode(closed))
			}
			want := []audit.EventType{audit.EventTaskWithdrawn, audit.EventTaskClosed, audit.EventRequestUnblocked}
			if got := s.types(n); !slices.Equal(got, want) {
				t.Errorf("events %v, want %v", got, want)
			}
			s.must(s.approve(task, "ana"))
			s.must(s.approve(s.nth("s", 2), "bo"))
			s.status(wf.RequestApproved)
		})
	}
	t.Run("not the place of a former approver", func(t *testing.T) {
		stage := but(each("s", "ana", "bo", "cy"), func(s *policy.Stage) {
			s.Quorum, s.Rejection = quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}, block
		})
		s := begin(t, stage)
		s.must(s.reject(s.of("s", "ana"), "ana"))
		s.must(s.sweep("cy"))
		place := s.rescue("s")
		s.must(s.withdraw(s.of("s", "ana"), person("ana")))
		if !live(s.task(place)) {
			t.Error("the place of a former approver is closed")
		}
		s.status(wf.RequestBlocked)
	})
	t.Run("not of a replaced decision", func(t *testing.T) {
		stage := but(each("s", "ana", "bo"), func(s *policy.Stage) {
			s.Approvers = []policy.Rule{{Type: policy.RuleUser, IDs: []string{"ana"}, Required: true}, names("bo", "cy")}
			s.Quorum, s.Rejection = quorum.Quorum{Mode: quorum.QuorumAny}, block
		})
		s := begin(t, stage)
		s.must(s.reject(s.of("s", "ana"), "ana"))
		s.status(wf.RequestBlocked)
		rescue := s.rescue("s")
		s.refused(s.withdraw(s.of("s", "ana"), person("ana")), reason.WrongState)
		s.must(s.reject(s.of("s", "bo"), "bo"))
		s.must(s.withdraw(s.of("s", "bo"), person("bo")))
		if !live(s.task(rescue)) {
			t.Error("the withdrawal of another decision closes the rescue")
		}
		s.must(s.approve(s.of("s", "bo"), "bo"))
		s.stageIs("s", wf.StageBlocked)
	})
}

// The automatic approval of another stage rests on the decision.
func TestADecisionThatAnotherStageRepeatsStays(t *testing.T) {
	away := true
	lawyers := []policy.Rule{{Type: policy.RuleRole, Role: "law"}, names("cy")}
	stages := []policy.Stage{each("s", "ana", "bo"), {Key: "law", Name: "law", Approvers: lawyers}}
	for i := range stages {
		stages[i].ParallelGroup = "both"
	}
	s := tell(t, policyOf(append([]policy.Stage{each("first", "dee")}, stages...)...))
	s.def.Settings.RepeatApprover = policy.RepeatAutoApprove
	s.yields = func(rule policy.Rule, _ time.Duration) ([]identity.User, error) {
		if rule.Type == policy.RuleRole && away {
			return nil, reason.NoAnswer("the directory is away")
		}
		if rule.Type == policy.RuleRole {
			return users("ana"), nil
		}
		return users(rule.IDs...), nil
	}
	s.must(s.start())
	s.must(s.approve(s.of("first", "dee"), "dee"))
	s.stageIs("law", wf.StageResolving)
	task := s.of("s", "ana")
	s.must(s.approve(task, "ana"))
	away, s.at = false, s.at.Add(time.Hour)
	s.must(s.resolve())
	if d := s.task(s.of("law", "ana")).Decision; d == nil || d.Actor.Kind != identity.ActorSystem {
		t.Fatalf("the decision of the other stage is %+v", d)
	}
	s.refused(s.withdraw(task, person("ana")), reason.WrongState)
	s.refused(s.withdraw(s.of("law", "ana"), person("ana")), reason.Forbidden)
}

// A former actor reads and writes nothing without another part.
func TestAWithdrawnDecisionGivesNoRight(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana", "bo")))
	s.delegate(delegation("ana", "dee"))
	s.must(s.start())
	s.must(s.act(s.of("s", "ana"), "dee", wf.ActionApprove))
	s.must(s.apply(person("dee"), wf.AddComment(wf.CommentInput{Text: "as the actor"})))
	s.must(s.withdraw(s.of("s", "ana"), person("dee")))
	s.delegations = nil
	s.refused(s.apply(person("dee"), wf.AddComment(wf.CommentInput{Text: "as nobody"})), reason.Forbidden)
	if rd := (wf.Reader{Actor: person("dee"), Part: s.asCase().HasPart("dee")}); rd.MayRead() {
		t.Error("a former actor reads the request")
	}
}
