package wf_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/policy"
)

// told returns the notices of the events after one step, such as "ana waits_for_you, …".
func (s *story) told(step func() error) string {
	s.t.Helper()
	before, n := s.now, len(s.events)
	s.must(step())
	var list []string
	for _, notice := range notice.Collect(before, s.now, s.events[n:], s.inForce()) {
		if !slices.ContainsFunc(s.events[n:], func(e wf.Event) bool { return e.ID == notice.EventID }) {
			s.t.Fatalf("%s has a notice of event %q, which is not of the step", notice.Person.ID, notice.EventID)
		}
		if !s.asCase().HasPart(notice.Person.ID) {
			s.t.Fatalf("%s has no part in the request and a notice %s", notice.Person.ID, notice.Kind)
		}
		list = append(list, fmt.Sprintf("%s %s", notice.Person.ID, notice.Kind))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

func TestNoticeRecipients(t *testing.T) {
	comment := func(s *story, by string, mentions ...string) func() error {
		return func() error { return s.comment(by, "Look", mentions...) }
	}
	warn := func(s *story) error {
		return s.apply(identity.Actor{}, wf.WarnOfEnd(24*time.Hour))
	}
	for name, tt := range map[string]struct {
		stages []policy.Stage
		given  func(s *story)
		step   func(s *story) error
		want   string
	}{
		"each approver at the start": {[]policy.Stage{each("s", "ana", "bo")}, nil, nil, "ana waits_for_you, bo waits_for_you"},
		"all members of a pool at the start": {[]policy.Stage{pool("s", 1, "ana", "bo", "cy")}, nil, nil,
			"ana waits_for_you, bo waits_for_you, cy waits_for_you"},
		"not those of a stage to come": {[]policy.Stage{each("s", "ana"), each("next", "bo")}, nil, nil, "ana waits_for_you"},
		"the next stage when it is reached": {[]policy.Stage{each("s", "ana"), each("next", "bo")}, nil,
			func(s *story) error { return s.approve(s.of("s", "ana"), "ana") }, "bo waits_for_you"},
		"none about a claim": {[]policy.Stage{pool("s", 1, "ana", "bo")}, nil,
			func(s *story) error { return s.claim(s.tasks("s")[0].ID, person("ana")) }, ""},
		"none when a task returns to the pool": {[]policy.Stage{pool("s", 1, "ana", "bo")},
			func(s *story) { s.must(s.claim(s.tasks("s")[0].ID, person("ana"))) },
			func(s *story) error { return s.unclaim(s.tasks("s")[0].ID, person("ana")) }, ""},
		"none while others decide": {[]policy.Stage{each("s", "ana", "bo")}, nil,
			func(s *story) error { return s.approve(s.of("s", "ana"), "ana") }, ""},
		"the requester and the submitter of the end": {[]policy.Stage{each("s", "ana")}, nil,
			func(s *story) error { return s.approve(s.of("s", "ana"), "ana") }, "rita decided, sam decided"},
		"the same of a rejection": {[]policy.Stage{each("s", "ana", "bo")}, nil,
			func(s *story) error { return s.reject(s.of("s", "ana"), "ana") }, "rita decided, sam decided"},
		"the submitter of a withdrawal by the requester": {[]policy.Stage{each("s", "ana")}, nil,
			func(s *story) error { return s.cancel(person("rita")) }, "sam decided"},
		"of a request for changes": {[]policy.Stage{each("s", "ana", "bo")}, nil,
			func(s *story) error { return s.sendBack(s.of("s", "ana"), "ana") }, "rita changes_asked, sam changes_asked"},
		"the approvers again after changes": {[]policy.Stage{each("s", "ana", "bo")},
			func(s *story) { s.must(s.sendBack(s.of("s", "ana"), "ana")) },
			func(s *story) error { return s.resubmit(person("rita"), "") }, "ana waits_for_you, bo waits_for_you"},
		"the receiver of a task": {[]policy.Stage{each("s", "ana", "bo")}, nil,
			func(s *story) error { return s.reassign(s.of("s", "ana"), "cy", root) }, "cy waits_for_you"},
		"the delegates as well": {[]policy.Stage{each("s", "ana"), pool("next", 1, "bo", "cy")},
			func(s *story) { s.delegate(delegation("bo", "dee"), delegation("cy", "bo"), delegation("bo", "rita")) },
			func(s *story) error { return s.approve(s.of("s", "ana"), "ana") }, "bo waits_for_you, cy waits_for_you, dee waits_for_you"},
		"no delegate after a revocation": {[]policy.Stage{each("s", "ana"), each("next", "bo")},
			func(s *story) { s.delegate(delegation("bo", "dee")); s.revoke("bo>dee") },
			func(s *story) error { return s.approve(s.of("s", "ana"), "ana") }, "bo waits_for_you"},
		"delegates about a near end": {[]policy.Stage{each("s", "ana", "bo")},
			func(s *story) { s.at = s.now.ExpiresAt.Add(-time.Hour); s.delegate(lasting(delegation("ana", "dee"))) },
			warn, "ana expires_soon, bo expires_soon, dee expires_soon, rita expires_soon, sam expires_soon"},
		"the mentioned users of a comment": {[]policy.Stage{each("s", "ana", "bo")}, nil,
			func(s *story) error { return comment(s, "ana", "bo", "rita", "bo")() }, "bo mentioned, rita mentioned"},
		"not about an own comment":  {[]policy.Stage{each("s", "ana", "bo")}, nil, func(s *story) error { return comment(s, "ana", "ana")() }, ""},
		"none about other comments": {[]policy.Stage{each("s", "ana", "bo")}, nil, func(s *story) error { return comment(s, "ana")() }, ""},
		"about a near end, the entitled users": {[]policy.Stage{each("s", "ana", "bo")},
			func(s *story) { s.must(s.approve(s.of("s", "ana"), "ana")); s.at = s.now.ExpiresAt.Add(-time.Hour) },
			warn, "bo expires_soon, rita expires_soon, sam expires_soon"},
		"once": {[]policy.Stage{each("s", "ana", "bo")},
			func(s *story) { s.at = s.now.ExpiresAt.Add(-time.Hour); s.must(warn(s)) }, warn, ""},
		"not too early": {[]policy.Stage{each("s", "ana", "bo")}, nil, warn, ""},
		"none if the time was as short at the start": {[]policy.Stage{each("s", "ana", "bo")}, nil, func(s *story) error {
			return s.apply(identity.Actor{}, wf.WarnOfEnd(60*24*time.Hour))
		}, ""},
		"of the expiry": {[]policy.Stage{each("s", "ana", "bo")}, func(s *story) { s.at = *s.now.ExpiresAt },
			func(s *story) error { return s.expire() }, "rita decided, sam decided"},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(tt.stages...))
			if tt.step == nil {
				if got := s.told(s.start); got != tt.want {
					t.Errorf("told: %s\nwant: %s", got, tt.want)
				}
				return
			}
			s.must(s.start())
			if tt.given != nil {
				tt.given(s)
			}
			if got := s.told(func() error { return tt.step(s) }); got != tt.want {
				t.Errorf("told: %s\nwant: %s", got, tt.want)
			}
		})
	}
}

func TestLargePoolIsNotifiedOncePerCandidate(t *testing.T) {
	var ids []string
	for i := range 200 {
		ids = append(ids, fmt.Sprintf("u%03d", i))
	}
	s := tell(t, policyOf(pool("s", 3, ids...)))
	if got := s.told(s.start); strings.Count(got, " waits_for_you") != 200 {
		t.Errorf("%d are told", strings.Count(got, " waits_for_you"))
	}
	if got := s.told(func() error { return s.approve(s.tasks("s")[0].ID, "u000") }); got != "" {
		t.Errorf("told again: %.80s", got)
	}
}

func TestMailIsDue(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	schedule := notice.Schedule{Collect: 5 * time.Minute, Hour: 8, Zone: paris}
	for _, tt := range []struct {
		mail      notice.Mail
		now, want string
	}{
		{notice.Frequent, "2026-01-15T06:59:59Z", "2026-01-15T07:04:59Z"},
		{notice.Daily, "2026-01-15T06:59:59Z", "2026-01-15T07:00:00Z"},
		{notice.Daily, "2026-01-15T07:00:00Z", "2026-01-16T07:00:00Z"},
		{notice.Daily, "2026-03-28T12:00:00Z", "2026-03-29T06:00:00Z"}, // summer begins
		{notice.Daily, "2026-10-24T12:00:00Z", "2026-10-25T07:00:00Z"}, // and ends
		{notice.Daily, "2026-12-31T23:30:00Z", "2027-01-01T07:00:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := schedule.Due(tt.mail, now).UTC().Format(time.RFC3339); got != tt.want {
			t.Errorf("%s after %s: %s, want %s", tt.mail, tt.now, got, tt.want)
		}
	}
}

// A notice that no longer holds is not sent.
func TestNoticeHolds(t *testing.T) {
	of := func(kind audit.EventType, stage string) wf.Event {
		e := wf.Event{Type: kind}
		if stage != "" {
			e.Stage = &wf.StageSummary{Key: stage, Run: 1}
		}
		return e
	}
	watched := each("s", "ana", "bo")
	watched.Observers = []policy.Rule{{Type: policy.RuleUser, IDs: []string{"oli"}}}
	started, expiring, commented := of(audit.EventStageStarted, "s"), of(audit.EventRequestExpiring, ""), of(audit.EventRequestCommented, "")
	due, reminded, other := of(audit.EventStageDue, "s"), of(audit.EventStageReminded, "s"), of(audit.EventStageDue, "other")
	again := of(audit.EventStageDue, "s")
	again.Stage.Run = 2
	for name, tt := range map[string]struct {
		kind  notice.Kind
		event wf.Event
		given func(s *story)
		want  string // the people
	}{
		"of tasks":                     {notice.Waits, started, nil, "ana bo"},
		"of tasks, one decided":        {notice.Waits, started, func(s *story) { s.must(s.approve(s.of("s", "ana"), "ana")) }, "bo"},
		"of tasks of a closed request": {notice.Waits, started, func(s *story) { s.must(s.cancel(person("rita"))) }, ""},
		"of the expiry":                {notice.Expires, expiring, nil, "ana bo rita sam"},
		"of the expiry, one decided":   {notice.Expires, expiring, func(s *story) { s.must(s.approve(s.of("s", "ana"), "ana")) }, "bo rita sam"},
		"of the expiry after the end":  {notice.Expires, expiring, func(s *story) { s.must(s.cancel(person("rita"))) }, ""},
		"of a due date":                {notice.Expires, due, nil, "ana bo oli rita sam"},
		"of a due date after the end":  {notice.Expires, due, func(s *story) { s.must(s.reject(s.of("s", "ana"), "ana")) }, ""},
		"of a due date of no run":      {notice.Expires, other, nil, ""},
		"of a due date of another run": {notice.Expires, again, nil, ""},
		"of a reminder":                {notice.Expires, reminded, nil, "ana bo rita sam"},
		"of changes":                   {notice.Changes, commented, func(s *story) { s.must(s.sendBack(s.of("s", "ana"), "ana")) }, "ana bo oli rita sam"},
		"of changes that were made":    {notice.Changes, commented, nil, ""},
		"of a mention after the end":   {notice.Mentioned, commented, func(s *story) { s.must(s.reject(s.of("s", "ana"), "ana")) }, "ana bo oli rita sam"},
		"of a decision":                {notice.Decided, commented, func(s *story) { s.must(s.reject(s.of("s", "ana"), "ana")) }, "ana bo oli rita sam"},
	} {
		s := tell(t, policyOf(watched))
		s.must(s.start())
		if tt.given != nil {
			tt.given(s)
		}
		var got []string
		for _, id := range []string{"ana", "bo", "eve", "oli", "rita", "sam"} {
			if notice.Holds(tt.kind, tt.event, s.asCase(), id) {
				got = append(got, id)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
}

// A comment on a request whose time is over ends it first.
func TestRecipientOfTwoEventsIsNotifiedOfBoth(t *testing.T) {
	r := wf.Request{ID: "r", Requester: identity.User{ID: "rita"}, SubmittedBy: identity.User{ID: "rita"}}
	events := []wf.Event{
		{ID: "1", Type: audit.EventRequestExpired, Actor: identity.SystemExpiry.Ref()},
		{ID: "2", Type: audit.EventRequestCommented, Actor: identity.ActorRef{ID: "ana"},
			Comment: &wf.Comment{Mentions: []identity.User{{ID: "rita"}, {ID: "rita", Name: "Rita"}}}},
	}
	want := []notice.Notice{{Person: r.Requester, Kind: notice.Decided, EventID: "1"}, {Person: r.Requester, Kind: notice.Mentioned, EventID: "2"}}
	if got := notice.Collect(r, r, events, nil); !slices.Equal(got, want) {
		t.Errorf("notices %v, want %v", got, want)
	}
}
