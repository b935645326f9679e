package approver

import (
	"fmt"
	"maps"
	"slices"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// Finder resolves rules with the available answers. A question without an answer counts as a resolver that does not
// respond, and is kept: the transition goes on, so that it names its further questions, and then has no effect. The
// engine asks the questions and repeats it.
type Finder struct {
	Answers   Answers
	Directory bool // a directory is configured
	unasked   []Question
}

// Unasked returns the questions without an answer as an error, or nil if there are none.
func (f *Finder) Unasked() error {
	if len(f.unasked) == 0 {
		return nil
	}
	return &Unasked{f.unasked}
}

// YieldsAny reports whether the people of any of n rules include the user. With the first rule that does, the
// questions of the others are left out. The failure is that of the last failed rule.
func (f *Finder) YieldsAny(id string, n int, people func(rule int) ([]identity.User, *refusal.Error)) (found bool, failure *refusal.Error) {
	asked := len(f.unasked)
	for i := range n {
		users, err := people(i)
		if err != nil {
			failure = err
		}
		if slices.ContainsFunc(users, func(u identity.User) bool { return u.ID == id }) {
			f.unasked = f.unasked[:asked]
			return true, nil
		}
	}
	return false, failure
}

// maxYield is the maximum number of people yielded by one rule.
const maxYield = 1000

// Find returns the people of a rule. subject is the value of its expression, or the person whose
// manager it yields; q holds the rule and the limits of its queries. The failure has the reason
// ResolverFailed for a missing answer, and another reason for an invalid rule.
// With a failure, the result contains the people listed by id in the rule.
func (f *Finder) Find(q Question, subject []string) ([]identity.User, *refusal.Error) {
	ids, queries := q.Rule.Lookups(subject)
	byID, failure := newUsers(ids)
	if failure != nil {
		return nil, failure
	}
	people := byID
	for _, query := range queries {
		one := q
		one.Rule, one.From = query.Rule, query.From
		users, err := f.Ask(one)
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

// newUsers returns users with the given ids.
func newUsers(ids []string) ([]identity.User, *refusal.Error) {
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

// IsUnanswered reports whether the failure is a missing answer rather than an invalid rule or expression.
func IsUnanswered(e *refusal.Error) bool { return e != nil && e.Reason == reason.ResolverFailed }

// Ask returns the answer of a directory or resolver.
func (f *Finder) Ask(q Question) ([]identity.User, *refusal.Error) {
	key := q.AnswerKey()
	if answer, ok := f.Answers[key]; ok {
		return answer.Users, answer.Failure
	}
	if !slices.ContainsFunc(f.unasked, func(other Question) bool { return other.AnswerKey() == key }) {
		f.unasked = append(f.unasked, q)
	}
	return nil, &refusal.Error{Reason: reason.ResolverFailed, Message: "not asked yet"}
}

// KnownUsers returns the people present and enabled in the directory, with their names. Without a
// directory, or if it fails, it returns all of them.
func (f *Finder) KnownUsers(people []identity.User) map[string]identity.User {
	all := make(map[string]identity.User, len(people))
	for _, u := range people {
		all[u.ID] = u
	}
	if !f.Directory || len(people) == 0 {
		return all
	}
	found, failure := f.Ask(ExistingUsers(slices.Sorted(maps.Keys(all))...))
	if failure != nil {
		return all
	}
	enabled := make(map[string]identity.User, len(found))
	for _, u := range found {
		enabled[u.ID] = u
	}
	return enabled
}
