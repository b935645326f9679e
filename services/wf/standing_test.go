package wf_test

import (
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

func (s *story) revokeApproval(by identity.Actor) error {
	s.t.Helper()
	return s.apply(by, wf.Revoke("suspended"))
}

func (s *story) consume(hash string, by identity.Actor) error {
	s.t.Helper()
	return s.apply(by, wf.Consume(wf.Consumption{ContextHash: hash}))
}

func (s *story) lapse() error {
	s.t.Helper()
	return s.apply(identity.Actor{}, wf.EndByTime)
}

func (s *story) warnOfLapse(within time.Duration) error {
	s.t.Helper()
	return s.apply(identity.Actor{}, wf.WarnOfEnd(within))
}

// approvedUnder returns a request that ana has approved under the settings.
func approvedUnder(t *testing.T, settings policy.Settings) *story {
	t.Helper()
	def := policyOf(each("s", "ana"))
	def.Settings = settings
	s := tell(t, def)
	s.must(s.start())
	s.must(s.approve(s.of("s", "ana"), "ana"))
	return s
}

var hourOnce = policy.Settings{SingleUse: true, Validity: &policy.Validity{ValidFor: "PT1H"}}

func TestOneEndOfAnApprovalExcludesTheOthers(t *testing.T) {
	ends := map[wf.Standing]func(s *story) error{
		wf.StandingRevoked:  func(s *story) error { return s.revokeApproval(person("rita")) },
		wf.StandingConsumed: func(s *story) error { return s.consume("sha256:one", person("sam")) },
		wf.StandingLapsed: func(s *story) error {
			s.at = noon.Add(time.Hour)
			return s.lapse()
		},
	}
	for first, end := range ends {
		for second, again := range ends {
			s := approvedUnder(t, hourOnce)
			s.must(end(s))
			if s.now.Standing != first || s.now.Status != wf.RequestApproved || s.now.EndedAt.IsZero() || s.now.EndedBy == nil {
				t.Errorf("after %s: %+v", first, s.now)
			}
			n, before := len(s.events), encode(s.now)
			if err := again(s); second == wf.StandingLapsed {
				s.must(err)
			} else {
				s.refused(err, reason.WrongState)
			}
			if len(s.events) != n || encode(s.now) != before {
				t.Errorf("%s after %s: %v", second, first, s.types(n))
			}
		}
	}
}

func TestAnApprovalLapsesByItsInstant(t *testing.T) {
	for name, tt := range map[string]struct {
		late time.Duration
		want wf.Standing
	}{
		"a millisecond before": {-time.Millisecond, wf.StandingInForce}, "at the end": {0, wf.StandingLapsed},
		"a day later": {24 * time.Hour, wf.StandingLapsed},
	} {
		s := approvedUnder(t, hourOnce)
		s.at = noon.Add(time.Hour + tt.late)
		read := s.now.AsOf(s.at)
		if read.Standing != tt.want || tt.want == wf.StandingLapsed && !read.EndedAt.Equal(noon.Add(time.Hour)) {
			t.Errorf("%s it reads as %s, ended %s", name, read.Standing, read.EndedAt)
		}
		n := len(s.events)
		err := s.revokeApproval(person("rita"))
		if tt.want == wf.StandingInForce {
			s.must(err)
			continue
		}
		s.refused(err, reason.WrongState)
		last := s.events[len(s.events)-1]
		if len(s.events) != n+1 || last.Type != audit.EventRequestLapsed || last.Actor.ID != identity.SystemExpiry.ID || last.Reason != "" {
			t.Errorf("%s: %v", name, s.types(n))
		}
	}
	s := approvedUnder(t, policy.Settings{})
	s.at = noon.AddDate(100, 0, 0)
	s.must(s.lapse())
	if s.now.AsOf(s.at).Standing != wf.StandingInForce {
		t.Error("an approval without a validity has lapsed")
	}
}

// TestTheWarningOfAnEndIsSentOnceInItsTime: an approval lapses after an hour, and a request expires after an hour.
func TestTheWarningOfAnEndIsSentOnceInItsTime(t *testing.T) {
	expires := func(t *testing.T) *story {
		s := tell(t, policyOf(each("s", "ana")))
		s.def.Settings.ExpiresIn = "PT1H"
		s.must(s.start())
		return s
	}
	lapses := func(t *testing.T) *story { return approvedUnder(t, hourOnce) }
	for name, tt := range map[string]struct {
		within, at time.Duration
		want       int
	}{
		"too early":               {30 * time.Minute, 30*time.Minute - time.Millisecond, 0},
		"at its instant":          {30 * time.Minute, 30 * time.Minute, 1},
		"too late":                {30 * time.Minute, time.Hour, 0},
		"the time is no longer":   {time.Hour, 30 * time.Minute, 0},
		"the time is just longer": {time.Hour - time.Millisecond, 30 * time.Minute, 1},
	} {
		for what, of := range map[string]func(*testing.T) *story{"lapse": lapses, "expiry": expires} {
			s := of(t)
			s.at = noon.Add(tt.at)
			n := len(s.events)
			s.must(s.warnOfLapse(tt.within))
			s.must(s.warnOfLapse(tt.within))
			if got := len(s.events) - n; got != tt.want {
				t.Errorf("%s, %s: %d warnings", what, name, got)
			}
		}
	}
}

// TestALapseIsOfTheServiceAndTheRestOfTheCaller: a comment commits a due lapse, and keeps its own author.
func TestALapseIsOfTheServiceAndTheRestOfTheCaller(t *testing.T) {
	s := approvedUnder(t, hourOnce)
	s.at = noon.Add(time.Hour)
	n := len(s.events)
	s.must(s.comment("rita", "too late"))
	if got := s.types(n); len(got) != 2 || s.events[n].Actor.ID != identity.SystemExpiry.ID || s.events[n+1].Actor.ID != "rita" {
		t.Errorf("events %v by %s and %s", got, s.events[n].Actor.ID, s.events[n+1].Actor.ID)
	}
}

func TestConsumptionNeedsTheRightTheContentAndAnApproval(t *testing.T) {
	open := tell(t, policyOf(each("s", "ana")))
	open.def.Settings.SingleUse = true
	open.must(open.start())
	err := open.consume("sha256:one", sam)
	if open.refused(err, reason.WrongState); refusal.MessageOf(err) != "request r1 is in_review, not approved" {
		t.Errorf("refused with %v", err)
	}
	open.refused(open.consume("sha256:one", root), reason.Forbidden)

	s := approvedUnder(t, hourOnce)
	n := len(s.events)
	s.refused(s.consume("sha256:one", root), reason.Forbidden)
	s.refused(s.consume("sha256:two", sam), reason.WrongState)
	s.def.Settings.Consumers = &policy.Callers{Users: []string{"runner"}}
	s.refused(s.consume("sha256:one", sam), reason.Forbidden)
	s.def.Settings.SingleUse = false
	s.refused(s.consume("sha256:one", person("runner")), reason.WrongState)
	s.def.Settings.SingleUse = true
	if len(s.events) != n {
		t.Errorf("events of refusals: %v", s.types(n))
	}
	s.must(s.apply(person("runner"), wf.Consume(wf.Consumption{ContextHash: "sha256:one", Consumer: "run 17"})))
	if s.now.EndReason != "run 17" || s.now.EndedBy.ID != "runner" || s.events[n].Reason != "run 17" {
		t.Errorf("consumed by %s for %q", s.now.EndedBy.ID, s.now.EndReason)
	}
}

// beginning is a single use that begins in an hour and lasts for two hours more.
var beginning = policy.Settings{SingleUse: true, Validity: &policy.Validity{FromCEL: "from", ValidForCEL: "length"}}

func TestAnApprovalIsPendingUntilItsStart(t *testing.T) {
	for name, tt := range map[string]struct {
		at       time.Duration
		standing wf.Standing
		consume  string // part of the refusal
		revoked  bool
	}{
		"at the approval":                {0, wf.StandingPending, "not yet in force: it begins at 2026-03-02T13:00:00.000Z", true},
		"a millisecond before the start": {time.Hour - time.Millisecond, wf.StandingPending, "not yet in force", true},
		"at the start":                   {time.Hour, wf.StandingInForce, "", true},
		"a millisecond before the end":   {3*time.Hour - time.Millisecond, wf.StandingInForce, "", true},
		"at the end":                     {3 * time.Hour, wf.StandingLapsed, "ended by its validity", false},
	} {
		s := approvedUnder(t, beginning)
		first := s.events[len(s.events)-1].Request
		if s.now.Standing != wf.StandingPending || first.Standing != wf.StandingPending ||
			!first.ValidFrom.Equal(noon.Add(time.Hour)) || !first.ValidUntil.Equal(noon.Add(3*time.Hour)) {
			t.Fatalf("approved: %s, event %+v", s.now.Standing, first)
		}
		s.at = noon.Add(tt.at)
		if read := s.now.AsOf(s.at); read.Standing != tt.standing || read.Rev != s.now.Rev {
			t.Errorf("%s it reads as %s", name, read.Standing)
		}
		again := *s
		if err := again.consume("sha256:one", sam); tt.consume == "" {
			again.must(err)
		} else if again.refused(err, reason.WrongState); !strings.Contains(refusal.MessageOf(err), tt.consume) {
			t.Errorf("%s: consume is refused with %v", name, err)
		}
		if err := s.revokeApproval(root); tt.revoked {
			s.must(err)
		} else {
			s.refused(err, reason.WrongState)
		}
	}
}

// A comment after the start records the standing that it reads.
func TestEventsAfterTheStartAreOfAnApprovalInForce(t *testing.T) {
	s := approvedUnder(t, beginning)
	s.at = noon.Add(2 * time.Hour)
	s.must(s.comment("rita", "begun"))
	if last := s.events[len(s.events)-1]; last.Request.Standing != wf.StandingInForce || s.now.Standing != wf.StandingInForce {
		t.Errorf("standing %s, event %s", s.now.Standing, last.Request.Standing)
	}
	s.at = noon.Add(3 * time.Hour)
	s.must(s.lapse())
	if s.now.Standing != wf.StandingLapsed || !s.now.EndedAt.Equal(s.at) {
		t.Errorf("%s at %s", s.now.Standing, s.now.EndedAt)
	}
}

func TestALateApprovalIsInForceImmediately(t *testing.T) {
	for name, tt := range map[string]struct {
		at       time.Duration
		standing wf.Standing
		until    time.Duration
	}{
		"before the start": {30 * time.Minute, wf.StandingPending, 3 * time.Hour},
		"at the start":     {time.Hour, wf.StandingInForce, 3 * time.Hour},
		"after the start":  {5 * time.Hour, wf.StandingInForce, 7 * time.Hour},
	} {
		def := policyOf(each("s", "ana"))
		def.Settings = beginning
		s := tell(t, def)
		s.must(s.start())
		s.at = noon.Add(tt.at)
		s.must(s.approve(s.of("s", "ana"), "ana"))
		if s.now.Standing != tt.standing || !s.now.ValidUntil.Equal(noon.Add(tt.until)) {
			t.Errorf("%s: %s until %s", name, s.now.Standing, s.now.ValidUntil)
		}
	}
}

// The warning period before the lapse of an approval counts from its start.
func TestTheWarningOfALapseCountsFromTheStart(t *testing.T) {
	for within, want := range map[time.Duration]int{2*time.Hour - time.Millisecond: 1, 2 * time.Hour: 0} {
		s := approvedUnder(t, beginning)
		s.at = noon.Add(150 * time.Minute)
		n := len(s.events)
		s.must(s.warnOfLapse(within))
		if got := len(s.events) - n; got != want {
			t.Errorf("within %s: %d warnings", within, got)
		}
	}
}

func TestTheContentOfAnOpenRequestMayEndUnused(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana")))
	s.def.Settings.Validity = &policy.Validity{UntilCEL: "until", FromCEL: "from"}
	s.must(s.start())
	for at, want := range map[time.Duration]bool{0: false, 2*time.Hour - time.Millisecond: false, 2 * time.Hour: true} {
		if got := s.now.EndsUnused(noon.Add(at)); got != want {
			t.Errorf("after %s: %t", at, got)
		}
	}
	s.at = noon.Add(2 * time.Hour)
	s.must(s.approve(s.of("s", "ana"), "ana"))
	if s.now.Standing != wf.StandingLapsed || s.now.EndsUnused(s.at) {
		t.Errorf("approved: %s", s.now.Standing)
	}
}

func TestTheEarlierEndOfTheValidityApplies(t *testing.T) {
	for name, tt := range map[string]struct {
		validity policy.Validity
		want     time.Duration
	}{
		"valid_for_cel":       {policy.Validity{ValidForCEL: "length"}, 2 * time.Hour},
		"from a start":        {policy.Validity{ValidFor: "PT30M", FromCEL: "from"}, 90 * time.Minute},
		"from a start, until": {policy.Validity{ValidFor: "PT3H", FromCEL: "from", UntilCEL: "until"}, 2 * time.Hour},
		"a start only":        {policy.Validity{FromCEL: "from"}, 0},
		"valid_for":           {policy.Validity{ValidFor: "PT1H"}, time.Hour},
		"until_cel":           {policy.Validity{UntilCEL: "until"}, 2 * time.Hour},
		"both":                {policy.Validity{ValidFor: "PT1H", UntilCEL: "until"}, time.Hour},
		"both, the other":     {policy.Validity{ValidFor: "PT3H", UntilCEL: "until"}, 2 * time.Hour},
	} {
		s := approvedUnder(t, policy.Settings{Validity: &tt.validity})
		if got := s.now.ValidUntil.Sub(noon); got != tt.want && (tt.want > 0 || !s.now.ValidUntil.IsZero()) {
			t.Errorf("%s: valid for %s", name, got)
		}
	}
	for name, validity := range map[string]policy.Validity{
		"an end at the start":       {UntilCEL: "from", FromCEL: "from"},
		"an end before the start":   {UntilCEL: "from", FromCEL: "until"},
		"a duration of a second":    {ValidForCEL: "second"},
		"a duration of 11 years":    {ValidForCEL: "eleven"},
		"a timestamp as a duration": {ValidForCEL: "instant"},
		"no duration":               {ValidForCEL: "none"},
		"a start that fails":        {FromCEL: "fails"},
		"an end in the year 10000":  {FromCEL: "last", ValidFor: "P1D"},
		"a computed end":            {FromCEL: "last", ValidForCEL: "length"},
	} {
		def := policyOf(each("s", "ana"))
		def.Settings.Validity = &validity
		s := tell(t, def)
		s.values["second"], s.values["eleven"] = lasts("PT1S"), lasts("P4018D")
		s.values["instant"], s.values["none"], s.values["fails"] = s.values["until"], lasts(""), fails("no such key")
		instant := s.values["until"]
		instant.Due.At = instant.Time
		s.values["instant"], s.values["last"] = instant, policy.Value{Time: time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC)}
		if s.refused(s.start(), reason.EngineRefused); s.now.ID != "" {
			t.Errorf("%s: a request exists", name)
		}
	}
	for name, value := range map[string]policy.Value{
		"now": {Time: noon}, "in the past": {Time: noon.Add(-1)}, "failed": fails("no such key"),
	} {
		def := policyOf(each("s", "ana"))
		def.Settings.Validity = &policy.Validity{UntilCEL: "until"}
		s := tell(t, def)
		s.values["until"] = value
		err := s.start()
		if s.refused(err, reason.EngineRefused); s.now.ID != "" {
			t.Errorf("%s: a request exists", name)
		}
		if value.Failure != nil && refusal.MessageOf(err) != "settings.validity.until_cel: no such key" {
			t.Errorf("%s: %v", name, err)
		}
		s.values["until"] = late
		s.refused(s.start(), reason.ResolverFailed)
	}
}

// TestAnImpossibleValidityIsRefusedAtTheCreation, not at the approval.
func TestAnImpossibleValidityIsRefusedAtTheCreation(t *testing.T) {
	s := tell(t, policyOf(each("s", "ana")))
	s.def.Settings.Validity = &policy.Validity{ValidFor: "a year"}
	s.refused(s.start(), reason.EngineRefused)
}

func TestOnlyTheActorsOfCountedApprovalsMayRevoke(t *testing.T) {
	s := begin(t, each("s", "ana", "bo"), pool("p", 1, "cy", "dee"))
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.must(s.sendBack(s.of("s", "bo"), "bo")) // ana's approval no longer counts
	s.must(s.resubmit(person("rita"), "sha256:two"))
	s.must(s.reassign(s.of("s", "ana"), "eve", root))
	s.must(s.approve(s.of("s", "eve"), "eve"))
	s.must(s.approve(s.of("s", "bo"), "bo"))
	s.refused(s.revokeApproval(person("rita")), reason.WrongState) // not approved yet
	s.must(s.approve(s.tasks("p")[0].ID, "cy"))
	s.status(wf.RequestApproved)
	for _, id := range []string{"ana", "dee", "max"} {
		s.refused(s.revokeApproval(person(id)), reason.Forbidden)
	}
	for _, by := range []identity.Actor{person("eve"), person("bo"), person("cy"), person("rita"), sam, root} {
		again := *s
		again.must(again.revokeApproval(by))
	}
}

func TestRejectingApproverCannotRevokeApproval(t *testing.T) {
	stage := but(each("s", "ana", "bo"), func(s *policy.Stage) {
		s.Quorum = quorum.Quorum{Mode: quorum.QuorumAny, WaitForAll: true}
		s.Rejection = quorum.Rejection{Mode: quorum.RejectionUnreachable}
	})
	s := begin(t, stage)
	s.must(s.reject(s.of("s", "bo"), "bo"))
	s.must(s.approve(s.of("s", "ana"), "ana"))
	s.status(wf.RequestApproved)
	s.refused(s.revokeApproval(person("bo")), reason.Forbidden)
	s.must(s.revokeApproval(person("ana")))
}

func TestAnApprovalAfterItsEndLapsesAtTheApproval(t *testing.T) {
	def := policyOf(each("s", "ana"))
	def.Settings.Validity = &policy.Validity{UntilCEL: "until"}
	s := tell(t, def)
	s.values["until"] = policy.Value{Time: noon.Add(time.Hour)}
	s.must(s.start())
	s.at = noon.Add(2 * time.Hour)
	s.must(s.approve(s.of("s", "ana"), "ana"))
	if s.now.Standing != wf.StandingLapsed || !s.now.EndedAt.Equal(s.at) {
		t.Errorf("the approval is %s, ended at %s", s.now.Standing, s.now.EndedAt)
	}
}
