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
func (s *staffing) observe(at runChange, stage policy.Stage, maxAge time.Duration) {
	for i := range len(stage.Observers) {
		users, failure := at.c.people(stage.Observers[i], at.run, maxAge)
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
func newStaffing(at runChange, stage policy.Stage, maxAge time.Duration) staffing {
	s := staffing{minimums: stage.Minimums()}
	yields := make([][]identity.User, len(stage.Approvers))
	for i := range yields {
		users, failure := at.approvers(i, maxAge)
		if failure == nil {
			yields[i] = users
		} else if s.fails(stage.Approvers[i].Place("approver", i), failure) {
			s.minimums[i] = max(s.minimums[i], 1)
		}
	}
	bars := at.bars(false)
	certain := s.exclude(at, &bars, maxAge)
	s.observe(at, stage, maxAge)
	s.noApprovers = len(at.run.Computed.Off) < len(stage.Approvers) // rules that are off skip no stage
	keep := at.run.reassigned(at.c.req.Tasks)
	for _, a := range approver.Union(yields) {
		held := func(other approver.Approver) bool { return other.ID == a.ID }
		if slices.Contains(at.run.Former, a.ID) || slices.ContainsFunc(keep, held) {
			continue
		}
		a.Required = stage.Assignment != policy.AssignmentPool &&
			slices.ContainsFunc(a.Rules, func(i int) bool { return stage.Approvers[i].Required })
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
	s.weigh(stage, at.run)
	if s.understaffed && stage.OnEmpty == policy.OnEmptyFallback && len(s.failures) == 0 && s.unavailable == "" {
		s.fallBack(at, bars, understaffed, maxAge)
	}
	return s
}

// exclude adds the people that the exclude rules yield to the bars. It returns false after the failure of a rule;
// then no person is eligible.
func (s *staffing) exclude(at runChange, bars *approver.Bars, maxAge time.Duration) (certain bool) {
	now, failures := at.excludedBy(maxAge)
	certain = true
	for i, failure := range failures {
		if failure != nil {
			s.fails(policy.Rule{}.Place("exclude", i), failure)
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
func (s *staffing) fails(rule string, failure *refusal.Error) (wrong bool) {
	message := rule + ": " + failure.Message
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
func (s *staffing) fallBack(at runChange, bars approver.Bars, understaffed []int, maxAge time.Duration) {
	rules, stage := understaffed, at.stage()
	if len(rules) == 0 {
		for i := range stage.Approvers {
			rules = append(rules, i)
		}
	}
	s.fallback = true
	last := at.c.def.Settings.FallbackApprovers
	for i := range last {
		if users, failure := at.c.people(last[i], at.run, maxAge); failure == nil {
			s.join(bars, at.run.Former, users, rules)
		} else {
			s.fails(policy.Rule{}.Place("fallback", i), failure)
		}
	}
	s.weigh(stage, at.run)
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

// people resolves a rule. run is the stage run of the rule, nil for settings.submitters. The failure has the
// reason ResolverFailed for a missing answer, and another reason for an invalid rule. With a failure, the
// result contains the users that the rule lists by id.
func (c *change) people(rule policy.Rule, run *StageRun, maxAge time.Duration) ([]identity.User, *refusal.Error) {
	return c.peopleUpTo(0, rule, run, maxAge)
}

// peopleUpTo is people with another maximum number of people of a directory's answer than 1,000.
func (c *change) peopleUpTo(
	most int, rule policy.Rule, run *StageRun, maxAge time.Duration,
) ([]identity.User, *refusal.Error) {
	if rule.Type == policy.RuleStageActor {
		return c.req.ApproversOf(rule.Stage), nil
	}
	subject, failure := c.subject(rule, run)
	if failure != nil {
		return nil, failure
	}
	q := approver.Question{Rule: rule, Most: most, MaxAge: maxAge}
	if rule.Type == policy.RuleHTTP {
		q.About = c.resolverInput(rule, run)
	}
	return c.finder.Find(q, subject)
}

// approvers resolves an approver rule of the run's stage. A rule that is off yields no people.
func (s runChange) approvers(rule int, maxAge time.Duration) ([]identity.User, *refusal.Error) {
	if s.run.Computed.IsOff(rule) {
		return nil, nil
	}
	return s.c.people(s.stage().Approvers[rule], s.run, maxAge)
}

// subject returns the start values of a rule: the value of its expression, or the id of the user whose
// manager it yields. The value of an expression is stored with the run, so that a recheck does not evaluate
// it again.
func (c *change) subject(rule policy.Rule, run *StageRun) ([]string, *refusal.Error) {
	source := rule.Expression()
	switch {
	case source != "":
	case rule.Type != policy.RuleManager:
		return nil, nil
	case rule.Of == policy.OfAssignee:
		return run.assignees(c.req.Tasks), nil
	case rule.Of == policy.OfSubmitter:
		return []string{c.req.SubmittedBy.ID}, nil
	default:
		return []string{c.req.Requester.ID}, nil
	}
	names, failure := c.names(source, run)
	if failure == nil && rule.Type == policy.RuleManager && len(names) > 1 {
		return nil, approver.Invalid("of yields %d users, not one", len(names))
	}
	return names, failure
}

// names returns the value of an expression that yields names; within a run, the stored value.
func (c *change) names(source string, run *StageRun) ([]string, *refusal.Error) {
	if run == nil {
		value := c.evaluate(source, policy.YieldsNames)
		return value.Names, value.Failure
	}
	if names, stored := run.Names[source]; stored {
		return names, nil
	}
	value := c.evaluate(source, policy.YieldsNames)
	if value.Failure == nil {
		run.Names = maps.Clone(run.Names) // shared with the request before the change
		if run.Names == nil {
			run.Names = map[string][]string{}
		}
		run.Names[source] = value.Names
	}
	return value.Names, value.Failure
}

// resolverInput returns the input of the resolver of an http rule.
func (c *change) resolverInput(rule policy.Rule, run *StageRun) *approver.ResolverInput {
	in := &approver.ResolverInput{
		PolicyKey: c.req.PolicyKey, PolicyVersion: c.req.PolicyVersion, Params: rule.Params, Context: c.req.Context,
		Request: approver.ResolverRequest{
			ID: c.req.ID, Requester: c.req.Requester, ArtifactType: c.req.ArtifactType, ArtifactID: c.req.ArtifactID,
		},
	}
	if run != nil {
		in.StageKey = run.Key
	}
	return in
}

// condition reports whether a condition is true; an empty condition is false.
func (c *change) condition(condition string) (bool, *refusal.Error) {
	if condition == "" {
		return false, nil
	}
	value := c.evaluate(condition, policy.YieldsBool)
	return value.Bool && value.Failure == nil, value.Failure
}

// evaluate returns the value of an expression for the current request.
func (c *change) evaluate(source string, yields policy.Yield) policy.Value {
	return c.def.Programs.Evaluate(source, yields, c.req.input(c.def, c.facts.At))
}

// fits validates a document by a schema of the policy. Both are optional.
func (c *change) fits(schema, document []byte) *refusal.Error {
	if len(schema) == 0 {
		return nil
	}
	return c.def.Programs.Fits(schema, document)
}

// input returns the input of the policy's expressions at a time.
func (r Request) input(def policy.Definition, now time.Time) policy.Input {
	in := policy.Input{
		Context: r.Context,
		Request: policy.RequestInput{
			ID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion,
			ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID,
			Revision: r.Revision, CreatedAt: r.CreatedAt, Priority: string(r.Priority), Labels: r.Labels,
		},
		Requester: policy.RequesterInput{ID: r.Requester.ID, Username: r.Requester.Username, Email: r.Requester.Email},
		Stages:    make(map[string]policy.StageInput, len(def.Stages)),
		Now:       now,
	}
	for _, stage := range def.Stages {
		facts := policy.StageInput{Status: string(StagePending)}
		if run, ok := r.LatestRun(stage.Key); ok {
			facts.Status, facts.Approvals = string(run.Status), run.Count.Approvals
		}
		for _, u := range r.ApproversOf(stage.Key) {
			facts.Approvers = append(facts.Approvers, u.ID)
		}
		in.Stages[stage.Key] = facts
	}
	return in
}

// Applies returns the value of a condition of the policy at a time.
func (c Case) Applies(condition string) policy.Value {
	return c.Definition.Programs.Evaluate(condition, policy.YieldsBool, c.Request.input(c.Definition, c.Now))
}
