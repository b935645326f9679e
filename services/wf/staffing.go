package wf

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// staffing is the result of resolving the approver rules of a stage.
type staffing struct {
	people       []approver.Approver
	excluded     []approver.Exclusion
	barred       []string // ids of the people that the exclude rules yield
	observers    []identity.User
	minimums     []int
	fallback     bool
	unseen       []string // errors of observer rules, which do not block the stage
	failures     []string // errors of invalid rules
	unavailable  string   // error of the rule without a response
	understaffed bool     // too few approvers to reach the quorum
	noApprovers  bool     // no approvers, or only approvers of earlier stages
}

func (s staffing) failureText() string { return strings.Join(s.failures, "; ") }

// put writes the staffing into a run.
func (s staffing) put(run *StageRun) {
	run.People, run.Excluded, run.Minimums, run.Fallback = s.people, s.excluded, s.minimums, s.fallback
	run.Barred = s.barred
	run.Observers = dedupe(run.Observers, s.observers) // earlier observers keep read access
}

// dedupe returns the distinct people of the lists, in order.
func dedupe(lists ...[]identity.User) []identity.User {
	var people []identity.User
	for _, u := range slices.Concat(lists...) {
		if !slices.ContainsFunc(people, func(other identity.User) bool { return other.ID == u.ID }) {
			people = append(people, u)
		}
	}
	return people
}

// observe resolves the observers of a stage. A failed or unavailable rule yields no observers and
// does not block the stage.
func (s *staffing) observe(c runChange, stage policy.Stage, maxAge time.Duration) {
	for i := range len(stage.Observers) {
		users, failure := c.people(stage.Observers[i], c.run, maxAge)
		if failure != nil {
			s.unseen = append(s.unseen, fmt.Sprintf("observer rule %d: %s", i, failure.Message))
		}
		s.observers = dedupe(s.observers, users)
	}
	if n := len(s.observers); n > policy.MaxWatch {
		s.unseen = append(s.unseen, fmt.Sprintf("%d observers, and a stage takes %d", n, policy.MaxWatch))
		s.observers = s.observers[:policy.MaxWatch]
	}
}

// newStaffing resolves the approvers of a stage, removes excluded people and checks the quorum. A failed
// rule, and a required rule without approvers, needs an approval arranged by an admin. A missing,
// excluded or misspelt approver therefore never weakens the quorum.
func newStaffing(c runChange, stage policy.Stage, maxAge time.Duration) staffing {
	s := staffing{minimums: stage.Minimums()}
	yields := make([][]identity.User, len(stage.Approvers))
	for i := range yields {
		users, failure := c.approvers(i, maxAge)
		if failure == nil {
			yields[i] = users
		} else if s.fails("approver", i, failure) {
			s.minimums[i] = max(s.minimums[i], 1)
		}
	}
	bars := c.bars(false)
	certain := s.exclude(c, &bars, maxAge)
	s.observe(c, stage, maxAge)
	s.noApprovers = len(c.run.Computed.Off) < len(stage.Approvers) // rules that are off skip no stage
	keep := c.run.reassigned(c.Tasks)
	for _, a := range approver.Union(yields) {
		held := func(other approver.Approver) bool { return other.ID == a.ID }
		if slices.Contains(c.run.Former, a.ID) || slices.ContainsFunc(keep, held) {
			continue
		}
		a.Required = stage.Assignment != policy.AssignmentPool && slices.ContainsFunc(a.Rules, func(i int) bool { return stage.Approvers[i].Required })
		person, why := bars.Check(a.User)
		s.noApprovers = s.noApprovers && why != nil && why.Reason == approver.ExcludedRepeat
		switch {
		case why != nil:
			s.excluded = append(s.excluded, *why)
		case certain:
			s.people = append(s.people, person.As(a))
		}
	}
	s.people = append(s.people, keep...)
	understaffed := s.understaffedRules(stage)
	for _, i := range understaffed {
		s.minimums[i] = max(s.minimums[i], 1)
	}
	s.weigh(stage, c.run)
	if s.understaffed && stage.OnEmpty == policy.OnEmptyFallback && len(s.failures) == 0 && s.unavailable == "" {
		s.fallBack(c, bars, understaffed, maxAge)
	}
	return s
}

// exclude adds the people that the exclude rules yield to the bars. It returns false after the failure of a rule;
// then no person is eligible.
func (s *staffing) exclude(c runChange, bars *approver.Bars, maxAge time.Duration) (certain bool) {
	now, failures := c.excludedBy(maxAge)
	certain = true
	for i, failure := range failures {
		if failure != nil {
			s.fails("exclude", i, failure)
			certain = false
		}
	}
	bars.Now, s.barred = now, slices.Sorted(maps.Keys(now))
	if n := len(s.barred); n > policy.MaxExcluded {
		s.failures = append(s.failures, fmt.Sprintf("the exclude rules yield %d people, over the limit of %d", n, policy.MaxExcluded))
		s.barred, certain = nil, false
	}
	return certain
}

// understaffedRules returns the indexes of the rules with fewer approvers than required.
func (s staffing) understaffedRules(stage policy.Stage) []int {
	var understaffed []int
	for i, rule := range stage.Approvers {
		people := 0
		for _, a := range s.people {
			if slices.Contains(a.Rules, i) {
				people++
			}
		}
		if people < rule.MinApprovals || people == 0 && rule.Required && stage.Assignment != policy.AssignmentPool {
			understaffed = append(understaffed, i)
		}
	}
	return understaffed
}

// fails records the error of a rule. It returns true for an invalid rule and false for an unavailable
// resolver.
func (s *staffing) fails(kind string, rule int, failure *refusal.Error) (wrong bool) {
	message := fmt.Sprintf("%s rule %d: %s", kind, rule, failure.Message)
	if failure.Reason == reason.ResolverFailed {
		s.unavailable = message
		return false
	}
	s.failures = append(s.failures, message)
	return true
}

// weigh checks the limits on approvers, and whether approvals of all approvers would reach the
// quorum.
func (s *staffing) weigh(stage policy.Stage, run *StageRun) {
	if limit := s.overLimit(stage, run); limit != "" {
		s.failures, s.people = append(s.failures, limit), nil
	}
	s.understaffed = s.ballot(stage).Judge() == quorum.VerdictUnreachable
}

func (s staffing) ballot(stage policy.Stage) quorum.Ballot {
	b := quorum.Ballot{Quorum: stage.Quorum, Rejection: stage.Rejection, Minimums: s.minimums, Pool: stage.Assignment == policy.AssignmentPool}
	for _, a := range s.people {
		b.Voters = append(b.Voters, quorum.Voter{State: quorum.VoterPending, Rules: a.Counts()})
	}
	return b
}

// fallBack adds the fallback approvers to each understaffed rule. If only the total is too low, it
// adds them to every rule.
func (s *staffing) fallBack(c runChange, bars approver.Bars, understaffed []int, maxAge time.Duration) {
	rules, stage := understaffed, c.stage()
	if len(rules) == 0 {
		for i := range stage.Approvers {
			rules = append(rules, i)
		}
	}
	s.fallback = true
	last := c.def.Settings.FallbackApprovers
	for i := range last {
		if users, failure := c.people(last[i], c.run, maxAge); failure == nil {
			s.join(bars, c.run.Former, users, rules)
		} else {
			s.fails("fallback", i, failure)
		}
	}
	s.weigh(stage, c.run)
}

func (s *staffing) join(bars approver.Bars, former []string, users []identity.User, rules []int) {
	for _, u := range users {
		i := slices.IndexFunc(s.people, func(a approver.Approver) bool { return a.ID == u.ID })
		switch person, why := bars.Check(u); {
		case slices.Contains(former, u.ID):
		case i >= 0:
			merged := slices.Concat(s.people[i].Rules, rules)
			s.people[i].Rules = slices.Compact(slices.Sorted(slices.Values(merged)))
		case why == nil:
			s.people = append(s.people, person.As(approver.Approver{Rules: slices.Clone(rules), Fallback: true}))
		case !slices.ContainsFunc(s.excluded, func(e approver.Exclusion) bool { return e.User.ID == u.ID }):
			s.excluded = append(s.excluded, *why)
		}
	}
}

func (s staffing) overLimit(stage policy.Stage, run *StageRun) string {
	switch n := len(s.people); {
	case run.Pool && n > policy.MaxPool:
		return fmt.Sprintf("%d candidates, and a pool takes at most %d", n, policy.MaxPool)
	case !run.Pool && n > policy.MaxCounted:
		return fmt.Sprintf("%d approvers, and each takes at most %d; use assignment pool", n, policy.MaxCounted)
	case run.Pool && stage.Quorum.Share(n) > policy.MaxCounted:
		return fmt.Sprintf("%d approvals needed, and a pool takes at most %d", stage.Quorum.Share(n), policy.MaxCounted)
	default:
		return ""
	}
}
