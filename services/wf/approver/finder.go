package approver

import (
	"fmt"
	"maps"
	"slices"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// Finder resolves rules with the available answers. A missing answer stops the transition: the Finder panics
// with Open, and Attempt recovers. The engine answers the questions and repeats the transition, so that no
// rule continues with the zero value of a missing answer.
type Finder struct {
	Answers   Answers
	Directory bool        // a directory is configured
	Open      *Unanswered // not nil
}

// Attempt runs a step. It returns the error of the step, or Open after a missing answer.
func (f *Finder) Attempt(step func() error) (err error) {
	defer f.Recover(&err)
	return step()
}

// Recover sets err to Open after a missing answer. The function that returns err defers it.
func (f *Finder) Recover(err *error) {
	switch stopped := recover(); stopped {
	case nil:
	case f.Open:
		*err = f.Open
	default:
		panic(stopped)
	}
}

// Want runs n independent steps. If answers are missing, it stops the transition after the last
// step, so that one round answers the questions of all steps.
func (f *Finder) Want(n int, step func(i int)) {
	f.Any(n, func(i int) bool {
		step(i)
		return false
	})
}

// WantAll is Want for steps of different kinds.
func (f *Finder) WantAll(steps ...func()) {
	f.Want(len(steps), func(i int) { steps[i]() })
}

// Any runs independent steps until one reports true. Missing answers of the other steps stop the transition
// only if no step reports true.
func (f *Finder) Any(n int, step func(i int) bool) (found bool) {
	var missing error
	for i := range n {
		if err := f.Attempt(func() error {
			found = step(i)
			return nil
		}); err != nil {
			missing = err
		}
		if found {
			return true
		}
	}
	if missing != nil {
		panic(f.Open)
	}
	return false
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
	f.Want(len(queries), func(i int) {
		query := q
		query.Rule, query.From = queries[i].Rule, queries[i].From
		users, err := f.Ask(query)
		if err != nil && (failure == nil || err.Reason == reason.ResolverFailed) {
			failure = err
		}
		people = append(people, users...)
	})
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
	if answer, ok := f.Answers.People[key]; ok {
		return answer.Users, answer.Failure
	}
	if !slices.ContainsFunc(f.Open.Questions, func(other Question) bool { return other.AnswerKey() == key }) {
		f.Open.Questions = append(f.Open.Questions, q)
	}
	panic(f.Open)
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
