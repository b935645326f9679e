package wf

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// maxYield is the maximum number of people yielded by one rule.
const maxYield = 1000

// people resolves a rule. run is the stage run of the rule, nil for settings.submitters. The
// failure has the reason ResolverFailed for a missing answer or an open question, and another
// reason for an invalid rule. With a failure, the result contains the people listed by id in the
// rule.
func (c *change) people(rule policy.Rule, run *StageRun, maxAge time.Duration) ([]identity.User, *refusal.Error) {
	if rule.Type == policy.RuleStageActor {
		return c.ApproversOf(rule.Stage), nil
	}
	subject, failure := c.subject(rule, run)
	if failure != nil {
		return nil, failure
	}
	ids, queries := rule.Lookups(subject)
	byID, failure := named(ids)
	if failure != nil {
		return nil, failure
	}
	people := byID
	for _, query := range queries {
		q := Question{Rule: query.Rule, From: query.From, MaxAge: maxAge}
		if q.Rule.Type == policy.RuleHTTP {
			q.About = c.resolverInput(rule, run)
		}
		users, err := c.ask(q)
		if err != nil && (failure == nil || err.Reason == reason.ResolverFailed) {
			failure = err
		}
		people = append(people, users...)
	}
	if failure != nil {
		return byID, failure
	}
	return people, nil
}

// subject returns the strings that a rule starts from: the value of its expression, or the
// id of the person whose manager it yields. The value of an expression is stored with the
// run and never changes in it, so that a recheck evaluates nothing.
func (c *change) subject(rule policy.Rule, run *StageRun) ([]string, *refusal.Error) {
	source := rule.Expression()
	switch {
	case source != "":
	case rule.Type != policy.RuleManager:
		return nil, nil
	case rule.Of == policy.OfSubmitter:
		return []string{c.SubmittedBy.ID}, nil
	default:
		return []string{c.Requester.ID}, nil
	}
	names, failure := c.names(source, run)
	if failure == nil && rule.Type == policy.RuleManager && len(names) > 1 {
		return nil, failed("of yields %d people, not one", len(names))
	}
	return names, failure
}

// names returns the value of an expression that yields names, of a run the stored one.
func (c *change) names(source string, run *StageRun) ([]string, *refusal.Error) {
	if run == nil {
		value := c.evaluate(source, true)
		return value.Names, value.Failure
	}
	if names, stored := run.Names[source]; stored {
		return names, nil
	}
	value := c.evaluate(source, true)
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
func (c *change) resolverInput(rule policy.Rule, run *StageRun) *ResolverInput {
	in := &ResolverInput{
		PolicyKey: c.PolicyKey, PolicyVersion: c.PolicyVersion, Params: rule.Params, Context: c.Context,
		Request: ResolverRequest{ID: c.ID, Requester: c.Requester, ArtifactType: c.ArtifactType, ArtifactID: c.ArtifactID},
	}
	if run != nil {
		in.StageKey = run.Key
	}
	return in
}

// named returns users with the given ids.
func named(ids []string) ([]identity.User, *refusal.Error) {
	if len(ids) > maxYield {
		return nil, failed("yields %d people, over the limit of %d", len(ids), maxYield)
	}
	people := make([]identity.User, 0, len(ids))
	for _, id := range ids {
		if err := identity.CheckUserID(id); err != nil {
			return nil, failed("%s", err)
		}
		people = append(people, identity.User{ID: id})
	}
	return people, nil
}

func failed(format string, args ...any) *refusal.Error {
	return &refusal.Error{Reason: reason.EngineRefused, Message: fmt.Sprintf(format, args...)}
}

// unanswered reports whether the failure is a missing answer, not an invalid rule or expression.
func unanswered(e *refusal.Error) bool { return e != nil && e.Reason == reason.ResolverFailed }

// errAsks ends a transition with open questions. The caller receives the questions.
var errAsks = &refusal.Error{Reason: reason.ResolverFailed, Message: "not answered yet"}

// asks reports whether the transition has open questions.
func (c *change) asks() bool { return c.open.any() }

// ask returns the answer of a directory or resolver, or records the open question.
func (c *change) ask(q Question) ([]identity.User, *refusal.Error) {
	key := q.AnswerKey()
	if answer, ok := c.facts.Answers.People[key]; ok {
		return answer.Users, answer.Failure
	}
	if !slices.ContainsFunc(c.open.Questions, func(other Question) bool { return other.AnswerKey() == key }) {
		c.open.Questions = append(c.open.Questions, q)
	}
	return nil, errAsks
}

// evaluate returns the value of an expression for the current request.
func (c *change) evaluate(source string, names bool) Value {
	e := Evaluation{Source: source, Names: names, Reads: c.Environment(c.def)}
	if value, ok := c.facts.Answers.Values[e.Key()]; ok {
		return value
	}
	c.open.Evaluations = append(c.open.Evaluations, e)
	return Value{Failure: errAsks}
}

// condition reports whether a condition is true; an empty one is not.
func (c *change) condition(condition string) (bool, *refusal.Error) {
	if condition == "" {
		return false, nil
	}
	value := c.evaluate(condition, false)
	return value.Bool && value.Failure == nil, value.Failure
}

// fits reports whether a document fits a schema; there may be none.
func (c *change) fits(d Document) *refusal.Error {
	if len(d.Schema) == 0 {
		return nil
	}
	failure, ok := c.facts.Answers.Documents[d.Key()]
	if !ok {
		c.open.Documents = append(c.open.Documents, d)
		return nil
	}
	return failure
}

// known returns the people present and enabled in the directory, with their names. Without a
// directory or an answer, it returns all of them.
func (c *change) known(people []identity.User) map[string]identity.User {
	all := make(map[string]identity.User, len(people))
	for _, u := range people {
		all[u.ID] = u
	}
	if !c.facts.Directory || len(people) == 0 {
		return all
	}
	found, failure := c.ask(Whether(slices.Sorted(maps.Keys(all))...))
	if failure != nil {
		return all
	}
	enabled := make(map[string]identity.User, len(found))
	for _, u := range found {
		enabled[u.ID] = u
	}
	return enabled
}

// Whether returns a directory query for the existing and enabled users of ids.
func Whether(ids ...string) Question {
	return Question{Rule: policy.Rule{Type: policy.RuleUser, IDs: ids}}
}

// union merges what the rules yield into one list, each person once, in the order in
// which they are first named.
func union(rules [][]identity.User) []Approver {
	var people []Approver
	index := map[string]int{}
	for rule, users := range rules {
		for _, user := range users {
			i, known := index[user.ID]
			if !known {
				i = len(people)
				index[user.ID] = i
				people = append(people, Approver{User: user})
			}
			if !slices.Contains(people[i].Rules, rule) {
				people[i].Rules = append(people[i].Rules, rule)
			}
		}
	}
	return people
}
