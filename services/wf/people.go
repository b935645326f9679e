package wf

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// maxYield is how many people one rule may yield.
const maxYield = 1000

// people returns whom a rule yields now; stage is the key of its stage. The failure is
// about the rule: ResolverFailed when there is no answer now, another reason when the
// rule is wrong. A question that is still open is a ResolverFailed too.
func (c *change) people(rule Rule, stage string, maxAge time.Duration) ([]User, *Error) {
	switch rule.Type {
	case RuleUser:
		people, failure := named(rule.IDs)
		if failure != nil || len(rule.Usernames) == 0 {
			return people, failure
		}
		more, failure := c.ask(Question{Rule: Rule{Type: RuleUser, Usernames: rule.Usernames}, MaxAge: maxAge})
		return append(people, more...), failure
	case RuleStageActor:
		return c.ApproversOf(rule.Stage), nil
	case RuleExpression:
		return c.byExpression(rule, maxAge)
	case RuleManager:
		from, failure := c.managed(rule)
		if failure != nil || from == "" {
			return nil, failure
		}
		return c.ask(Question{Rule: rule, From: from, MaxAge: maxAge})
	case RuleHTTP:
		return c.ask(Question{Rule: rule, MaxAge: maxAge, About: &ResolverInput{
			PolicyKey: c.PolicyKey, PolicyVersion: c.PolicyVersion, StageKey: stage, Params: rule.Params, Context: c.Context,
			Request: ResolverRequest{ID: c.ID, Requester: c.Requester, ArtifactType: c.ArtifactType, ArtifactID: c.ArtifactID},
		}})
	default:
		return c.ask(Question{Rule: rule, MaxAge: maxAge})
	}
}

// byExpression returns the people whom an expression names, as users, by roles, or by
// groups.
func (c *change) byExpression(rule Rule, maxAge time.Duration) ([]User, *Error) {
	value := c.evaluate(rule.CEL, true)
	if value.Failure != nil {
		return nil, value.Failure
	}
	var rules []Rule
	switch rule.As {
	case AsUsernames:
		rules = []Rule{{Type: RuleUser, Usernames: value.Names}}
	case AsRoles:
		for _, name := range value.Names {
			rules = append(rules, Rule{Type: RuleRole, Role: name})
		}
	case AsGroupPaths:
		for _, path := range value.Names {
			rules = append(rules, Rule{Type: RuleGroup, Path: path})
		}
	default:
		return named(value.Names)
	}
	if len(value.Names) == 0 {
		return nil, nil
	}
	var people []User
	var failure *Error
	for _, rule := range rules {
		some, err := c.ask(Question{Rule: rule, MaxAge: maxAge})
		if err != nil && (failure == nil || err.Reason == ResolverFailed) {
			failure = err
		}
		people = append(people, some...)
	}
	if failure != nil {
		return nil, failure
	}
	return people, nil
}

// managed is the id of the person whose manager a rule asks for, or empty.
func (c *change) managed(rule Rule) (string, *Error) {
	switch rule.Of {
	case "", OfRequester:
		return c.Requester.ID, nil
	case OfSubmitter:
		return c.SubmittedBy.ID, nil
	}
	value := c.evaluate(rule.Of, true)
	switch {
	case value.Failure != nil || len(value.Names) == 0:
		return "", value.Failure
	case len(value.Names) > 1:
		return "", failed("of yields %d people, not one", len(value.Names))
	default:
		return value.Names[0], nil
	}
}

// named returns the people with these ids.
func named(ids []string) ([]User, *Error) {
	if len(ids) > maxYield {
		return nil, failed("yields %d people, over the limit of %d", len(ids), maxYield)
	}
	people := make([]User, 0, len(ids))
	for _, id := range ids {
		if err := CheckUserID(id); err != nil {
			return nil, failed("%s", err)
		}
		people = append(people, User{ID: id})
	}
	return people, nil
}

func failed(format string, args ...any) *Error {
	return &Error{Reason: EngineRefused, Message: fmt.Sprintf(format, args...)}
}

// errAsks ends a transition that has questions. Its caller gets them.
var errAsks = &Error{Reason: ResolverFailed, Message: "not answered yet"}

// asks reports whether the transition has questions.
func (c *change) asks() bool { return c.open.any() }

// ask puts a question to a directory or a resolver.
func (c *change) ask(q Question) ([]User, *Error) {
	key := q.AnswerKey()
	if answer, ok := c.facts.Answers.People[key]; ok {
		return answer.Users, answer.Failure
	}
	if !slices.ContainsFunc(c.open.Questions, func(other Question) bool { return other.AnswerKey() == key }) {
		c.open.Questions = append(c.open.Questions, q)
	}
	return nil, errAsks
}

// evaluate returns what an expression says of the request as it stands.
func (c *change) evaluate(source string, names bool) Value {
	e := Evaluation{Source: source, Names: names, Reads: c.Environment(c.def)}
	if value, ok := c.facts.Answers.Values[e.Key()]; ok {
		return value
	}
	c.open.Evaluations = append(c.open.Evaluations, e)
	return Value{Failure: errAsks}
}

// condition reports whether a condition is true; an empty one is not.
func (c *change) condition(condition string) (bool, *Error) {
	if condition == "" {
		return false, nil
	}
	value := c.evaluate(condition, false)
	return value.Bool && value.Failure == nil, value.Failure
}

// fits reports whether a document fits a schema; there may be none.
func (c *change) fits(d Document) *Error {
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

// known returns which of these people the directory knows and has enabled, with their
// names. Without a directory, or without its answer, it returns everybody.
func (c *change) known(people []User) map[string]User {
	all := make(map[string]User, len(people))
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
	enabled := make(map[string]User, len(found))
	for _, u := range found {
		enabled[u.ID] = u
	}
	return enabled
}

// Whether asks which of these people the directory knows and has enabled.
func Whether(ids ...string) Question { return Question{Rule: Rule{Type: RuleUser, IDs: ids}} }

// union merges what the rules yield into one list, each person once, in the order in
// which they are first named.
func union(rules [][]User) []Approver {
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
