package wf_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// agent is a program that acts for a person, and the program that started it.
var agent = []identity.Party{{Subject: "agent-7", Issuer: "https://agents.test"}, {Subject: "runner"}}

// ofThePerson lists the events of actions that no party may take for a person.
var ofThePerson = []audit.EventType{
	audit.EventTaskClaimed, audit.EventTaskDecided, audit.EventTaskReassigned, audit.EventRequestOverridden,
}

func TestAPartyThatActsForAPersonMayNotActOnTasks(t *testing.T) {
	approve := wf.DecisionInput{Action: wf.ActionApprove, Comment: "an override has a reason"}
	for name, tt := range map[string]struct {
		by     identity.Actor
		act    func(s *story, task string, by identity.Actor) error
		action string
	}{
		"claim":                {person("ana"), func(s *story, task string, by identity.Actor) error { return s.claim(task, by) }, "claim"},
		"decide":               {person("ana"), func(s *story, task string, by identity.Actor) error { return s.decide(task, by, approve) }, "decide"},
		"reassign":             {person("ana"), func(s *story, task string, by identity.Actor) error { return s.reassign(task, "cy", by) }, "reassign"},
		"reassign as an admin": {root, func(s *story, task string, by identity.Actor) error { return s.reassign(task, "cy", by) }, "reassign"},
		"override":             {root, func(s *story, task string, by identity.Actor) error { return s.decide(task, by, approve) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(but(each("s", "ana", "bo"), func(s *policy.Stage) { s.Allow.Reassign = policy.ReassignAny })))
			s.def.Settings.AdminOverride = true
			s.must(s.start())
			task, before := s.of("s", "ana"), len(s.events)
			byAgent := tt.by
			byAgent.Acting = agent[:1]
			if actions := s.asCase().TaskActions(s.task(task), s.run("s"), byAgent); len(actions) > 0 {
				t.Errorf("allowed actions %v", actions)
			}
			if err := tt.act(s, task, byAgent); !errors.Is(err, reason.Forbidden) {
				t.Errorf("a party that acts for the person: %v", err)
			}
			if len(s.events) > before {
				t.Errorf("%d events of a refused action", len(s.events)-before)
			}
			if actions := s.asCase().TaskActions(s.task(task), s.run("s"), tt.by); tt.action != "" && !slices.Contains(actions, tt.action) {
				t.Errorf("allowed actions of the person %v", actions)
			}
			s.must(tt.act(s, task, tt.by))
			if !slices.ContainsFunc(s.events[before:], func(e wf.Event) bool { return slices.Contains(ofThePerson, e.Type) }) {
				t.Error("the person itself has no effect")
			}
		})
	}
}

func TestEventsNameThePartiesThatAct(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana")))
	r := draft()
	r.Acting = agent
	s.must(s.create(r))
	s.must(s.cancel(func() identity.Actor { by := person("rita"); by.Acting = agent[:1]; return by }()))
	for _, e := range s.events {
		if by := e.Request.SubmittedBy; by == nil || by.ID != "sam" || !slices.Equal(by.Acting, agent) {
			t.Errorf("%s: submitted by %+v", e.Type, by)
		}
		if cancelled := e.Type == audit.EventRequestCancelled; cancelled && !slices.Equal(e.Acting, agent[:1]) {
			t.Errorf("%s: acting %+v", e.Type, e.Acting)
		}
	}
	if plain := begin(t, each("s", "ana")).events[0]; plain.Request.SubmittedBy != nil || plain.Acting != nil {
		t.Errorf("without a party: %+v, %+v", plain.Request.SubmittedBy, plain.Acting)
	}
}
