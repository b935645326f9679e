package engine_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
)

// A simulation moves its clock: reminders, escalation, the end of the validity and uses of the approval happen as
// in a real request.
func TestASimulationPlaysTheClock(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		def := policyOf(but(stage("check", "ana", "bo"), func(s *policy.Stage) {
			s.Deadline = &policy.Deadline{DueIn: "PT2H", OnDue: policy.OnDueEscalate, EscalateTo: []policy.Rule{names("cy")}}
		}), but(stage("director", "dora"), func(s *policy.Stage) {
			s.Deadline = &policy.Deadline{DueIn: "PT1H", OnDue: policy.OnDueExpire}
		}))
		def.Settings.SingleUse, def.Settings.Validity = true, &policy.Validity{ValidFor: "PT4H"}
		key := s.publish(def)
		start := time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC)
		decide := func(stage, user string) engine.PlayEntry {
			return engine.PlayEntry{Stage: stage, User: user, Action: wf.ActionApprove}
		}
		after := func(hours float64) engine.PlayEntry {
			return engine.PlayEntry{At: start.Add(time.Duration(hours * float64(time.Hour)))}
		}
		approved := []engine.PlayEntry{decide("check", "ana"), decide("check", "bo"), decide("director", "dora")}
		tests := map[string]struct {
			play     []engine.PlayEntry
			status   wf.RequestStatus
			standing wf.Standing
			refused  string
		}{
			"a stage without tasks": {[]engine.PlayEntry{decide("director", "dora")}, wf.RequestInReview, "",
				"has no task to decide"},
			"cy before the date":       {[]engine.PlayEntry{after(1), decide("check", "cy")}, wf.RequestInReview, "", "neither the assignee"},
			"cy after the date":        {[]engine.PlayEntry{after(2), decide("check", "cy")}, wf.RequestInReview, "", ""},
			"the clock backwards":      {[]engine.PlayEntry{after(2), after(1)}, wf.RequestInReview, "", "already"},
			"the second stage expires": {[]engine.PlayEntry{decide("check", "ana"), decide("check", "bo"), after(1)}, wf.RequestExpired, "", ""},
			"in force":                 {append(slices.Clip(approved), after(3.9)), wf.RequestApproved, wf.StandingInForce, ""},
			"lapsed":                   {append(slices.Clip(approved), after(4)), wf.RequestApproved, wf.StandingLapsed, ""},
			"consumed":                 {append(slices.Clip(approved), engine.PlayEntry{Consume: "rita"}), wf.RequestApproved, wf.StandingConsumed, ""},
			"consumed by a stranger": {append(slices.Clip(approved), engine.PlayEntry{Consume: "eve"}), wf.RequestApproved,
				wf.StandingInForce, "may not consume"},
			"consumed before": {[]engine.PlayEntry{{Consume: "rita"}}, wf.RequestInReview, "", "not approved"},
			"revoked":         {append(slices.Clip(approved), engine.PlayEntry{Revoke: "ana"}), wf.RequestApproved, wf.StandingRevoked, ""},
			"revoked by a stranger": {append(slices.Clip(approved), engine.PlayEntry{Revoke: "eve"}), wf.RequestApproved,
				wf.StandingInForce, "may not revoke"},
		}
		for name, tt := range tests {
			sim, err := s.Policies.SimulateVersion(t.Context(), root, key, 1, engine.DryRunInput{
				RequestInput: engine.RequestInput{Context: []byte(`{}`), Requester: "rita"}, At: start, Play: tt.play,
			})
			must(t, err)
			last := sim.Play[len(sim.Play)-1]
			refused := ""
			if last.Refusal != nil {
				refused = last.Refusal.Message
			}
			if last.RequestStatus != tt.status || last.Standing != tt.standing || (tt.refused == "") != (refused == "") ||
				!strings.Contains(refused, tt.refused) {
				t.Errorf("%s: %s, standing %q, refused %q; want %s, %q, %q", name, last.RequestStatus, last.Standing, refused, tt.status, tt.standing, tt.refused)
			}
		}
	})
}

// The user of an entry acts on the task that they have decided or may decide, with the roles of the directory.
func TestASimulationActsAsTheUser(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		d := direct(s)
		def := policyOf(but(stage("check", "ana", "bo", "cy"), func(s *policy.Stage) {
			s.Assignment, s.Quorum = policy.AssignmentPool, quorum.Quorum{Mode: quorum.QuorumCount, Value: 2}
		}))
		def.Settings.SingleUse, def.Settings.Consumers = true, &policy.Callers{Roles: []string{"officer"}}
		key := d.publish(def)
		decide := func(user string) engine.PlayEntry {
			return engine.PlayEntry{Stage: "check", User: user, Action: wf.ActionApprove}
		}
		withdraw := engine.PlayEntry{Stage: "check", Withdraw: "ana"}
		for name, tt := range map[string]struct {
			play    []engine.PlayEntry
			refused []bool
		}{
			"two members":          {[]engine.PlayEntry{decide("ana"), decide("bo")}, []bool{false, false}},
			"one member, twice":    {[]engine.PlayEntry{decide("ana"), decide("ana")}, []bool{false, true}},
			"taken back":           {[]engine.PlayEntry{decide("ana"), withdraw, decide("ana")}, []bool{false, false, false}},
			"nothing to take back": {[]engine.PlayEntry{decide("bo"), withdraw}, []bool{false, true}},
			"consumed by an officer": {[]engine.PlayEntry{decide("ana"), decide("cy"), {Consume: "bo"}},
				[]bool{false, false, false}},
			"consumed by another": {[]engine.PlayEntry{decide("ana"), decide("bo"), {Consume: "cy"}},
				[]bool{false, false, true}},
		} {
			sim, err := d.Policies.SimulateVersion(t.Context(), root, key, 1, engine.DryRunInput{
				RequestInput: engine.RequestInput{Context: []byte(`{}`), Requester: "rita"}, Play: tt.play,
			})
			must(t, err)
			var got []bool
			for _, played := range sim.Play {
				got = append(got, played.Refusal != nil)
			}
			equal(t, name, got, tt.refused)
		}
	})
}

func TestAPlayEntryIsOneAct(t *testing.T) {
	acts := []engine.PlayEntry{
		{Stage: "s", User: "ana", Action: wf.ActionApprove}, {Stage: "s", Withdraw: "ana"}, {At: time.UnixMilli(1)},
		{Consume: "ana"}, {Revoke: "ana"},
	}
	must(t, engine.CheckPlay(acts))
	bad := []engine.PlayEntry{
		{}, {Stage: "s"}, {Stage: "s", User: "ana"}, {User: "ana", Action: wf.ActionApprove},
		{Stage: "s", Action: wf.ActionApprove}, {Withdraw: "ana"},
	}
	for i, a := range acts {
		for _, b := range acts[i+1:] {
			bad = append(bad, engine.PlayEntry{
				Stage: cmp.Or(a.Stage, b.Stage), User: a.User, Action: a.Action,
				Withdraw: cmp.Or(a.Withdraw, b.Withdraw), At: cmp.Or(a.At, b.At),
				Consume: cmp.Or(a.Consume, b.Consume), Revoke: b.Revoke,
			})
		}
	}
	for _, entry := range bad {
		if engine.CheckPlay([]engine.PlayEntry{entry}) == nil {
			t.Errorf("%+v is accepted", entry)
		}
	}
}
