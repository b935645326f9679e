package wf

import (
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// bars returns the reasons for excluding people from the run that follow from the request alone. rescue selects
// those of a rescue task, which the requester never holds.
func (s runChange) bars(rescue bool) approver.Bars {
	b := s.parts(rescue)
	b.Start = make(map[string]bool, len(s.run.Barred))
	for _, id := range s.run.Barred {
		b.Start[id] = true
	}
	return b
}

// parts returns the bars by a part in the request: without the exclude rules.
func (s runChange) parts(rescue bool) (b approver.Bars) {
	if rescue || !s.c.def.Settings.RequesterMayApprove {
		b.Parties = map[string]approver.ExclusionReason{s.c.req.SubmittedBy.ID: approver.ExcludedSubmitter}
		b.Parties[s.c.req.Requester.ID] = approver.ExcludedRequester
	}
	if s.c.def.Settings.RepeatApprover == policy.RepeatExclude {
		b.Repeats = func(id string) bool { return repeats(s.c.req, s.run, id) }
	}
	return b
}

// fit returns the person as fit for the run, or the reason for their exclusion. The failure is a missing answer
// about the exclude rules, if membership_recheck requires one.
func (s runChange) fit(u identity.User, rescue bool) (person approver.Fit, why *approver.Exclusion, err error) {
	b := s.bars(rescue)
	if b.Now, err = s.excludedNow(); err == nil {
		person, why = b.Check(u)
	}
	return person, why, err
}

// fitToJoin returns the check of people for joining the run. It rejects former holders of a place, and all people
// without a required answer about the exclude rules.
func (s runChange) fitToJoin() func(identity.User) (approver.Fit, bool) {
	b, err := s.bars(false), error(nil)
	b.Now, err = s.excludedNow()
	return func(u identity.User) (approver.Fit, bool) {
		person, why := b.Check(u)
		return person, why == nil && err == nil && !slices.Contains(s.run.Former, u.ID)
	}
}

// membershipAge is the maximum age of a cached membership.
const membershipAge = 5 * time.Minute

// recheckAge returns the maximum age of an answer at a recheck; negative for none.
func recheckAge(mode policy.MembershipRecheck) time.Duration {
	if mode == policy.RecheckStrict {
		return -1
	}
	return membershipAge
}

// excludedNow returns the names of the exclude rules by the ids of the people that they yield now, according to
// settings.membership_recheck. A rule without an answer fails with strict; otherwise the people of the start count
// for it.
func (s runChange) excludedNow() (map[string]string, error) {
	mode := s.c.def.Settings.MembershipRecheck
	if s.c.facts.TrustMembership || mode == policy.RecheckNone {
		return nil, nil
	}
	now, failures := s.excludedBy(recheckAge(mode))
	for i, failure := range failures {
		switch {
		case failure == nil:
		case mode == policy.RecheckStrict:
			return nil, reason.NoAnswer("stage %s: exclude rule %d: %s", s.run.Key, i, failure.Message)
		default:
			s.c.stale = true
		}
	}
	return now, nil
}

// excludedBy resolves the exclude rules: their names by the ids of the people, and the failure of each rule.
func (s runChange) excludedBy(maxAge time.Duration) (people map[string]string, failures []*refusal.Error) {
	rules := slices.Concat(s.c.def.Settings.Exclude, s.stage().Exclude)
	people, failures = map[string]string{}, make([]*refusal.Error, len(rules))
	for i := range rules {
		var users []identity.User
		users, failures[i] = s.c.peopleUpTo(policy.MaxExcluded, rules[i], s.run, maxAge)
		for _, u := range users {
			if _, known := people[u.ID]; !known {
				people[u.ID] = rules[i].Name()
			}
		}
	}
	return people, failures
}

// repeats reports whether the user has approved another stage, or holds an open task of a parallel stage and
// none of the run.
func repeats(r Request, run *StageRun, id string) bool {
	if approvedElsewhere(r, run, id) {
		return true
	}
	elsewhere := false
	for _, t := range r.Tasks {
		if !t.Status.live() || t.Assignee == nil || t.Assignee.ID != id {
			continue
		}
		if run.Owns(t) {
			return false
		}
		elsewhere = true
	}
	return elsewhere
}

// approvedElsewhere reports whether the user approved another stage in its last run.
func approvedElsewhere(r Request, run *StageRun, id string) bool {
	return slices.ContainsFunc(r.Tasks, func(t Task) bool {
		last, _ := r.LatestRun(t.StageKey)
		return t.StageKey != run.Key && t.Decision != nil && t.Decision.Action == ActionApprove && t.person() == id &&
			last.Run == t.StageRun
	})
}
