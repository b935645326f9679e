package wf_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// delegation is in force for a day around noon.
func delegation(from, to string) approver.Delegation {
	return approver.Delegation{
		ID: from + ">" + to, User: user(from), DelegateTo: user(to), Mode: approver.DelegationReplace, ApplyToOpen: true, ReturnOnEnd: true,
		StartsAt: noon.Add(-time.Hour), EndsAt: noon.Add(23 * time.Hour), CreatedAt: noon.Add(-time.Hour), CreatedBy: user(from),
	}
}

func share(from, to string) approver.Delegation {
	d := delegation(from, to)
	d.Mode = approver.DelegationShare
	return d
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
		"with a scope that is no glob":  {func(d *approver.Delegation) { d.Scope.PolicyKeys = []string{"ok", "[a"} }, "/scope/policy_keys/1"},
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

func TestTheSeatGoesToTheDelegate(t *testing.T) {
	tests := map[string]struct {
		delegations []approver.Delegation
		hops        int
		approvers   []string // ana and bo when absent
		change      func(*policy.Definition)
		want        []string
		shared      string // the sharer of the first seat
		unapplied   bool
	}{
		"nobody delegates":                         {want: []string{"ana", "bo"}},
		"ana to dee":                               {delegations: []approver.Delegation{delegation("ana", "dee")}, want: []string{"dee", "bo"}},
		"ana shares with dee":                      {delegations: []approver.Delegation{share("ana", "dee")}, want: []string{"ana", "bo"}, shared: "dee"},
		"both to dee, in one seat":                 {delegations: []approver.Delegation{delegation("ana", "dee"), delegation("bo", "dee")}, want: []string{"dee", "bo"}, unapplied: true},
		"both share with dee, in one seat":         {delegations: []approver.Delegation{share("ana", "dee"), share("bo", "dee")}, want: []string{"ana", "bo"}, shared: "dee", unapplied: true},
		"to a seat holder":                         {delegations: []approver.Delegation{delegation("ana", "bo")}, want: []string{"ana", "bo"}, unapplied: true},
		"in a loop of two":                         {delegations: []approver.Delegation{delegation("ana", "bo"), delegation("bo", "ana")}, hops: 3, want: []string{"ana", "bo"}, unapplied: true},
		"in a loop through others":                 {delegations: []approver.Delegation{delegation("ana", "dee"), delegation("dee", "eve"), delegation("eve", "ana")}, hops: 3, want: []string{"ana", "bo"}, unapplied: true},
		"in a loop beyond the hops":                {delegations: []approver.Delegation{delegation("ana", "dee"), delegation("dee", "eve"), delegation("eve", "dee")}, want: []string{"ana", "bo"}, unapplied: true},
		"the newest counts, in any order":          {delegations: []approver.Delegation{newest(delegation("ana", "eve")), delegation("ana", "dee")}, want: []string{"eve", "bo"}},
		"to the first seat holder":                 {delegations: []approver.Delegation{delegation("bo", "ana")}, want: []string{"ana", "bo"}, unapplied: true},
		"a shared seat is not delegated further":   {delegations: []approver.Delegation{share("ana", "dee"), delegation("dee", "eve")}, hops: 2, want: []string{"ana", "bo"}, shared: "dee"},
		"to the requester":                         {delegations: []approver.Delegation{delegation("ana", "rita")}, want: []string{"ana", "bo"}, unapplied: true},
		"to the submitter":                         {delegations: []approver.Delegation{delegation("ana", "sam")}, want: []string{"ana", "bo"}, unapplied: true},
		"one hop by default":                       {delegations: []approver.Delegation{delegation("ana", "dee"), delegation("dee", "eve")}, want: []string{"dee", "bo"}},
		"two hops":                                 {delegations: []approver.Delegation{delegation("ana", "dee"), delegation("dee", "eve"), delegation("eve", "fay")}, hops: 2, want: []string{"eve", "bo"}},
		"three hops":                               {delegations: []approver.Delegation{delegation("ana", "dee"), delegation("dee", "eve"), delegation("eve", "fay")}, hops: 3, want: []string{"fay", "bo"}},
		"stops at the last eligible delegate":      {delegations: []approver.Delegation{delegation("ana", "dee"), delegation("dee", "rita")}, hops: 2, want: []string{"dee", "bo"}},
		"passes an ineligible delegate":            {delegations: []approver.Delegation{delegation("ana", "rita"), delegation("rita", "dee")}, hops: 2, want: []string{"dee", "bo"}},
		"a sharing delegate keeps the seat":        {delegations: []approver.Delegation{delegation("ana", "dee"), share("dee", "eve")}, hops: 2, want: []string{"dee", "bo"}},
		"the newest counts":                        {delegations: []approver.Delegation{delegation("ana", "dee"), newest(delegation("ana", "eve"))}, want: []string{"eve", "bo"}},
		"not yet":                                  {delegations: []approver.Delegation{scheduled()}, want: []string{"ana", "bo"}},
		"revoked":                                  {delegations: []approver.Delegation{revoked()}, want: []string{"ana", "bo"}},
		"for this policy":                          {delegations: []approver.Delegation{scoped(approver.Scope{PolicyKeys: []string{"other", "te*"}})}, want: []string{"dee", "bo"}},
		"for another policy":                       {delegations: []approver.Delegation{scoped(approver.Scope{PolicyKeys: []string{"other"}})}, want: []string{"ana", "bo"}},
		"for this stage":                           {delegations: []approver.Delegation{scoped(approver.Scope{StageKeys: []string{"s"}})}, want: []string{"dee", "bo"}},
		"for another stage":                        {delegations: []approver.Delegation{scoped(approver.Scope{StageKeys: []string{"other"}})}, want: []string{"ana", "bo"}},
		"for another artifact":                     {delegations: []approver.Delegation{scoped(approver.Scope{ArtifactTypes: []string{"loan"}})}, want: []string{"ana", "bo"}},
		"where the policy forbids it":              {delegations: []approver.Delegation{delegation("ana", "dee")}, change: func(d *policy.Definition) { d.Settings.Delegation.Allowed = ptr(false) }, want: []string{"ana", "bo"}},
		"where the stage forbids it":               {delegations: []approver.Delegation{delegation("ana", "dee")}, change: func(d *policy.Definition) { d.Stages[0].Allow.Delegate = ptr(false) }, want: []string{"ana", "bo"}},
		"the requester's own seat is gone already": {delegations: []approver.Delegation{delegation("rita", "dee")}, approvers: []string{"rita", "bo"}, want: []string{"bo"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			approvers := tt.approvers
			if approvers == nil {
				approvers = []string{"ana", "bo"}
			}
			s := tell(t, policyOf(each("s", approvers...)))
			s.def.Settings.Delegation.MaxHops = tt.hops
			if tt.change != nil {
				tt.change(&s.def)
			}
			s.delegations = tt.delegations
			s.must(s.start())
			s.holdersAre("s", tt.want...)
			if got := slices.Contains(s.types(0), audit.EventDelegationNotApplied); got != tt.unapplied {
				t.Errorf("delegation.not_applied = %v, want %v", got, tt.unapplied)
			}
			first := s.tasks("s")[0]
			if tt.shared != "" && (first.SharedWith == nil || first.SharedWith.ID != tt.shared) || tt.shared == "" && first.SharedWith != nil {
				t.Errorf("the first seat is shared with %v, want %q", first.SharedWith, tt.shared)
			}
			if first.Assignee.ID != approvers[0] && tt.approvers == nil && (first.OnBehalfOf == nil || first.OnBehalfOf.ID != "ana" || first.DelegationID == "") {
				t.Errorf("the delegate holds the task for %v under %q", first.OnBehalfOf, first.DelegationID)
			}
			people := map[string]bool{}
			for _, task := range s.tasks("s") {
				people[task.Assignee.ID] = true
			}
			if len(people) != len(tt.want) {
				t.Errorf("%d people hold %d tasks", len(people), len(tt.want))
			}
		})
	}
}

func scheduled() approver.Delegation {
	d := delegation("ana", "dee")
	d.StartsAt = noon.Add(1)
	return d
}

func revoked() approver.Delegation {
	d := delegation("ana", "dee")
	d.RevokedAt = noon
	return d
}

func scoped(s approver.Scope) approver.Delegation {
	d := delegation("ana", "dee")
	d.Scope = s
	return d
}

func TestADelegateDecidesInAnothersPlace(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana", "bo")))
	s.delegations = []approver.Delegation{delegation("ana", "dee")}
	s.must(s.start())
	s.refused(s.approve(s.of("s", "dee"), "ana"), reason.Forbidden)
	s.must(s.approve(s.of("s", "dee"), "dee"))
	if d := s.task(s.of("s", "dee")).Decision; d.Actor.ID != "dee" || d.OnBehalfOf == nil || d.OnBehalfOf.ID != "ana" {
		t.Errorf("decision = %+v", d)
	}
	if got := s.now.ApproversOf("s"); !slices.Equal(got, users("dee")) {
		t.Errorf("approvers = %v", got)
	}
}

func TestASharedSeatIsDecidedOnceByEither(t *testing.T) {
	for who, other := range map[string]string{"ana": "dee", "dee": "ana"} {
		t.Run(who, func(t *testing.T) {
			s := tell(t, policyOf(each("s", "ana", "bo")))
			s.delegations = []approver.Delegation{share("ana", "dee")}
			s.must(s.start())
			id := s.of("s", "ana")
			s.must(s.approve(id, who))
			if d := s.task(id).Decision; d.Actor.ID != who || (d.OnBehalfOf != nil) != (who == "dee") {
				t.Errorf("decision = %+v", d)
			}
			s.refused(s.approve(id, other), reason.WrongState)
			s.refused(s.reassign(s.of("s", "bo"), who, root), reason.WrongState)
			s.must(s.approve(s.of("s", "bo"), "bo"))
			s.status(wf.RequestApproved)
		})
	}
}

func TestSharedDelegateGetsNoSecondSeat(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana", "bo", "cy")))
	s.delegations = []approver.Delegation{share("ana", "dee")}
	s.must(s.start())
	s.refused(s.reassign(s.of("s", "bo"), "dee", root), reason.WrongState)
	n := len(s.events)
	s.must(s.delegate(share("bo", "dee")))
	s.must(s.delegate(delegation("cy", "dee")))
	if got, want := s.types(n), []audit.EventType{audit.EventDelegationNotApplied, audit.EventDelegationNotApplied}; !slices.Equal(got, want) {
		t.Errorf("events = %v, want %v", got, want)
	}
	s.must(s.reassign(s.of("s", "ana"), "dee", root))
	s.holdersAre("s", "dee", "bo", "cy")
}

func TestADelegatedSeatCanBeGivenBackByHand(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana", "bo")))
	s.delegations = []approver.Delegation{delegation("ana", "dee")}
	s.must(s.start())
	s.refused(s.reassign(s.of("s", "bo"), "ana", root), reason.WrongState) // dee has ana's voice
	s.must(s.reassign(s.of("s", "dee"), "ana", root))
	if got := s.task(s.of("s", "ana")); got.OnBehalfOf != nil || got.DelegationID != "" {
		t.Errorf("task = %+v", got)
	}
}

func TestInAPoolADelegateActsForACandidate(t *testing.T) {
	s := tell(t, policyOf(pool("s", 2, "ana", "bo")))
	s.delegations = []approver.Delegation{delegation("ana", "dee")}
	s.must(s.start())
	s.must(s.claim(s.nth("s", 1), person("dee")))
	if got := s.task(s.nth("s", 1)); got.OnBehalfOf == nil || got.OnBehalfOf.ID != "ana" {
		t.Errorf("task = %+v", got)
	}
	s.refused(s.claim(s.nth("s", 2), person("dee")), reason.WrongState)
	s.refused(s.claim(s.nth("s", 2), person("ana")), reason.WrongState) // dee has ana's voice
	s.refused(s.reassign(s.nth("s", 2), "ana", root), reason.WrongState)
}

func TestSharedDelegationCountsOnceInAPool(t *testing.T) {
	for who, other := range map[string]string{"ana": "dee", "dee": "ana"} {
		t.Run(who, func(t *testing.T) {
			s := tell(t, policyOf(pool("s", 2, "ana", "bo")))
			s.delegations = []approver.Delegation{share("ana", "dee")}
			s.must(s.start())
			s.must(s.claim(s.nth("s", 1), person(who)))
			s.refused(s.claim(s.nth("s", 2), person(other)), reason.WrongState)
			s.refused(s.approve(s.nth("s", 2), other), reason.WrongState)
			s.must(s.approve(s.nth("s", 1), who))
			s.must(s.approve(s.nth("s", 2), "bo"))
			s.status(wf.RequestApproved)
		})
	}
}

func TestDelegateWithOwnTaskCannotClaimSecond(t *testing.T) {
	s := tell(t, policyOf(pool("s", 2, "ana", "bo")))
	s.delegations = []approver.Delegation{delegation("ana", "dee")}
	s.must(s.start())
	s.must(s.reassign(s.nth("s", 1), "dee", root))
	s.refused(s.claim(s.nth("s", 2), person("dee")), reason.WrongState)
	s.refused(s.approve(s.nth("s", 2), "dee"), reason.WrongState)
}

func TestAPoolIsNotLargerForSharing(t *testing.T) {
	s := tell(t, policyOf(pool("s", 3, "ana", "bo")))
	s.delegations = []approver.Delegation{share("ana", "dee")}
	s.must(s.start())
	s.status(wf.RequestBlocked)
}

func TestADelegationThatStartsTakesOverOpenTasks(t *testing.T) {
	tests := map[string]struct {
		prepare func(s *story)
		d       approver.Delegation
		want    []string
		types   []audit.EventType
	}{
		"an open task":             {nil, delegation("ana", "dee"), []string{"dee", "bo"}, []audit.EventType{audit.EventDelegationApplied}},
		"shared":                   {nil, share("ana", "dee"), []string{"ana", "bo"}, []audit.EventType{audit.EventDelegationApplied}},
		"not a claimed one":        {func(s *story) { s.must(s.claim(s.of("s", "ana"), person("ana"))) }, delegation("ana", "dee"), []string{"ana", "bo"}, nil},
		"not when out of scope":    {nil, scoped(approver.Scope{StageKeys: []string{"other"}}), []string{"ana", "bo"}, nil},
		"not before its time":      {nil, scheduled(), []string{"ana", "bo"}, nil},
		"not to the requester":     {nil, delegation("ana", "rita"), []string{"ana", "bo"}, []audit.EventType{audit.EventDelegationNotApplied}},
		"not to a seat holder":     {nil, delegation("ana", "bo"), []string{"ana", "bo"}, []audit.EventType{audit.EventDelegationNotApplied}},
		"not of others":            {nil, delegation("cy", "dee"), []string{"ana", "bo"}, nil},
		"not on to a third person": {func(s *story) { s.must(s.delegate(delegation("ana", "dee"))) }, delegation("dee", "eve"), []string{"dee", "bo"}, nil},
		"to a third person, if the policy allows": {func(s *story) {
			s.def.Settings.Delegation.MaxHops = 2
			s.must(s.delegate(delegation("ana", "dee")))
		}, delegation("dee", "eve"), []string{"eve", "bo"}, []audit.EventType{audit.EventTaskReassigned, audit.EventDelegationApplied}},
		"not when it is for new work alone": {nil, forNewWork("ana", "dee"), []string{"ana", "bo"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := begin(t, each("s", "ana", "bo"))
			if tt.prepare != nil {
				tt.prepare(s)
			}
			n := len(s.events)
			s.must(s.delegate(tt.d))
			s.holdersAre("s", tt.want...)
			if got := s.types(n); !slices.Equal(got, tt.types) {
				t.Errorf("events = %v, want %v", got, tt.types)
			}
		})
	}
}

// forNewWork is a delegation that does not apply to open tasks.
func forNewWork(from, to string) approver.Delegation {
	d := newest(delegation(from, to))
	d.StartsAt, d.CreatedAt, d.ApplyToOpen = noon.Add(-time.Minute), noon.Add(time.Minute), false
	return d
}

// lasting is the delegation with an end that is far away.
func lasting(d approver.Delegation) approver.Delegation {
	d.EndsAt = d.StartsAt.AddDate(0, 1, 0)
	return d
}

// end lets the time of a delegation pass, and the service find that.
func (s *story) end(d approver.Delegation) error {
	s.t.Helper()
	s.at = d.EndsAt
	return s.reroute(d)
}

func TestTasksReturnedWhenDelegationEnds(t *testing.T) {
	replace, shared := delegation("ana", "dee"), share("ana", "dee")
	final := replace
	final.ReturnOnEnd = false
	claimed := func(s *story) { s.must(s.claim(s.of("s", "dee"), person("dee"))) }
	handedOn := func(s *story) { s.must(s.reassign(s.of("s", "dee"), "eve", root)) }
	ended, revoked := (*story).end, func(s *story, d approver.Delegation) error { return s.revoke(d.ID) }
	tests := map[string]struct {
		d       approver.Delegation
		prepare func(s *story)
		over    func(*story, approver.Delegation) error
		want    []string
	}{
		"an open task":                       {replace, nil, ended, []string{"ana", "bo"}},
		"a shared task":                      {shared, nil, ended, []string{"ana", "bo"}},
		"not a claimed one":                  {replace, claimed, ended, []string{"dee", "bo"}},
		"not one that was handed on":         {replace, handedOn, ended, []string{"eve", "bo"}},
		"not one of another delegation":      {replace, func(s *story) { s.must(s.delegate(lasting(delegation("bo", "eve")))) }, ended, []string{"ana", "eve"}},
		"nothing, when it is final":          {final, nil, ended, []string{"dee", "bo"}},
		"nothing claimed, when it is final":  {final, claimed, ended, []string{"dee", "bo"}},
		"a shared task that does not return": {func() approver.Delegation { d := shared; d.ReturnOnEnd = false; return d }(), nil, ended, []string{"ana", "bo"}},
		"an open task, revoked":              {replace, nil, revoked, []string{"ana", "bo"}},
		"a shared task, revoked":             {shared, nil, revoked, []string{"ana", "bo"}},
		"a claimed one, revoked":             {replace, claimed, revoked, []string{"ana", "bo"}},
		"not one that was handed on, though": {replace, handedOn, revoked, []string{"eve", "bo"}},
		"all, when a final one is revoked":   {final, claimed, revoked, []string{"ana", "bo"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(each("s", "ana", "bo")))
			s.delegations = []approver.Delegation{tt.d}
			s.must(s.start())
			if tt.prepare != nil {
				tt.prepare(s)
			}
			rev := s.tasks("s")[0].Rev
			s.must(tt.over(s, tt.d))
			if first := s.run("s").People[0]; first.Delegate != nil || first.Shared {
				if first.DelegationID == "" || tt.want[0] != "dee" {
					t.Errorf("ana = %+v", first)
				}
			}
			if first := s.tasks("s")[0]; tt.want[0] == "ana" && first.Rev == rev {
				t.Error("the task has changed, and its entity tag has not")
			}
			s.holdersAre("s", tt.want...)
			first := s.tasks("s")[0]
			if first.Assignee.ID == "ana" && (first.OnBehalfOf != nil || first.SharedWith != nil || first.DelegationID != "" || first.Status != wf.TaskOpen) {
				t.Errorf("the task that came back = %+v", first)
			}
			n := len(s.events)
			s.must(tt.over(s, tt.d)) // again changes nothing
			if len(s.events) != n {
				t.Errorf("and again: %v", s.types(n))
			}
			holder := s.of("s", tt.want[0])
			s.must(s.approve(holder, tt.want[0]))
		})
	}
}

func TestWhenADelegationEndsItsDelegateIsNoCandidateAnyMore(t *testing.T) {
	for name, d := range map[string]approver.Delegation{"replace": delegation("ana", "dee"), "share": share("ana", "dee")} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(pool("s", 2, "ana", "bo")))
			s.delegations = []approver.Delegation{d}
			s.must(s.start())
			s.must(s.end(d))
			s.refused(s.claim(s.nth("s", 1), person("dee")), reason.Forbidden)
			s.refused(s.approve(s.nth("s", 1), "dee"), reason.Forbidden)
			s.must(s.approve(s.nth("s", 1), "ana"))
			s.must(s.approve(s.nth("s", 2), "bo"))
			s.status(wf.RequestApproved)
		})
	}
}

func TestAClaimedPoolTaskStaysWithTheDelegateUntilTheyReleaseIt(t *testing.T) {
	s := tell(t, policyOf(pool("s", 1, "ana", "bo")))
	d := delegation("ana", "dee")
	s.delegations = []approver.Delegation{d}
	s.must(s.start())
	s.must(s.claim(s.nth("s", 1), person("dee")))
	s.must(s.end(d))
	s.holdersAre("s", "dee")
	s.must(s.unclaim(s.nth("s", 1), person("dee")))
	s.refused(s.claim(s.nth("s", 1), person("dee")), reason.Forbidden)
	s.must(s.claim(s.nth("s", 1), person("ana")))
}

func TestSeatOfOwnerInParallelStageWaitsForAdmin(t *testing.T) {
	d := delegation("ana", "dee")
	d.Scope.StageKeys = []string{"one"}
	s := tell(t, policyOf(together(each("one", "ana")), together(each("two", "ana"))))
	s.def.Settings.RepeatApprover = policy.RepeatExclude
	s.delegations = []approver.Delegation{d}
	s.must(s.start())
	s.holdersAre("one", "dee")
	s.holdersAre("two", "ana")
	id := s.of("one", "dee")
	s.must(s.end(d))
	s.status(wf.RequestBlocked)
	s.refused(s.approve(id, "dee"), reason.Forbidden)
	s.must(s.approve(s.of("two", "ana"), "ana"))
	s.must(s.reassign(id, "zoe", root))
	s.must(s.approve(id, "zoe"))
	s.status(wf.RequestApproved)
}
