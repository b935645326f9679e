package approver

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

// Finder resolves rules with the answers that it has, and collects the open questions.
type Finder struct {
	Answers   Answers
	Directory bool // a directory is configured
	Open      *Unanswered
}

// maxYield is the maximum number of people yielded by one rule.
const maxYield = 1000

// Find returns the people of a rule. subject is the value of its expression, or the person whose
// manager it yields; about is the input of the resolver of an http rule. The failure has the reason
// ResolverFailed for a missing answer or an open question, and another reason for an invalid rule.
// With a failure, the result contains the people listed by id in the rule.
func (f *Finder) Find(rule policy.Rule, subject []string, about *ResolverInput, maxAge time.Duration) ([]identity.User, *refusal.Error) {
	ids, queries := rule.Lookups(subject)
	byID, failure := named(ids)
	if failure != nil {
		return nil, failure
	}
	people := byID
	for _, q := range queries {
		users, err := f.Ask(Question{Rule: q.Rule, From: q.From, About: about, MaxAge: maxAge})
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

// named returns users with the given ids.
func named(ids []string) ([]identity.User, *refusal.Error) {
	if len(ids) > maxYield {
		return nil, Invalid("yields %d people, over the limit of %d", len(ids), maxYield)
	}
	people := make([]identity.User, 0, len(ids))
	for _, id := range ids {
		if err := identity.CheckUserID(id); err != nil {
			return nil, Invalid("%s", err)
		}
		people = append(people, identity.User{ID: id})
	}
	return people, nil
}

// Invalid returns the failure of an invalid rule.
func Invalid(format string, args ...any) *refusal.Error {
	return &refusal.Error{Reason: reason.EngineRefused, Message: fmt.Sprintf(format, args...)}
}

// IsUnanswered reports whether the failure is a missing answer, not an invalid rule or expression.
func IsUnanswered(e *refusal.Error) bool { return e != nil && e.Reason == reason.ResolverFailed }

// ErrAsks ends a transition with open questions. The caller receives the questions.
var ErrAsks = &refusal.Error{Reason: reason.ResolverFailed, Message: "not answered yet"}

// Ask returns the answer of a directory or resolver, or records the open question.
func (f *Finder) Ask(q Question) ([]identity.User, *refusal.Error) {
	key := q.AnswerKey()
	if answer, ok := f.Answers.People[key]; ok {
		return answer.Users, answer.Failure
	}
	if !slices.ContainsFunc(f.Open.Questions, func(other Question) bool { return other.AnswerKey() == key }) {
		f.Open.Questions = append(f.Open.Questions, q)
	}
	return nil, ErrAsks
}

// Evaluate returns the value of an expression, or records the open evaluation.
func (f *Finder) Evaluate(e policy.Evaluation) Value {
	if value, ok := f.Answers.Values[e.Key()]; ok {
		return value
	}
	f.Open.Evaluations = append(f.Open.Evaluations, e)
	return Value{Failure: ErrAsks}
}

// Fits reports whether a document fits a schema; there may be none.
func (f *Finder) Fits(d policy.Document) *refusal.Error {
	if len(d.Schema) == 0 {
		return nil
	}
	failure, ok := f.Answers.Documents[d.Key()]
	if !ok {
		f.Open.Documents = append(f.Open.Documents, d)
		return nil
	}
	return failure
}

// Known returns the people present and enabled in the directory, with their names. Without a
// directory or an answer, it returns all of them.
func (f *Finder) Known(people []identity.User) map[string]identity.User {
	all := make(map[string]identity.User, len(people))
	for _, u := range people {
		all[u.ID] = u
	}
	if !f.Directory || len(people) == 0 {
		return all
	}
	found, failure := f.Ask(Whether(slices.Sorted(maps.Keys(all))...))
	if failure != nil {
		return all
	}
	enabled := make(map[string]identity.User, len(found))
	for _, u := range found {
		enabled[u.ID] = u
	}
	return enabled
}
