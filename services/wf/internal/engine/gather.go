package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/reason"
)

const (
	// askTime bounds all questions of one operation. The decision must be stored within the rest of
	// the ten seconds that a call may take.
	askTime = 5 * time.Second

	// maxRounds bounds the repetitions of a transition whose answers lead to further questions. A stage needs its
	// approvers, then its fallback approvers; one operation may pass all 20 stages of a policy, and more in a dry run.
	maxRounds = 100

	concurrentQuestions = 8
)

// answers holds the answers of directories and resolvers that an operation has gathered for its transitions. An
// answer belongs to one question: if a row has changed meanwhile, the transition has another question.
type answers struct {
	*core
	known approver.Answers
	until time.Time    // end of the time for questions; zero before the first one
	again func() error // the last transition, on the rows that it had
	steps []step       // of the last transaction
	trust bool         // see wf.Facts.TrustMembership
}

func (e *core) answers() *answers { return &answers{core: e, known: approver.Answers{}} }

// facts returns the input of a transition at a time.
func (a *answers) facts(now time.Time) wf.Facts {
	return wf.Facts{At: now, Seed: newSeed(), Directory: a.Directory, Answers: a.known, TrustMembership: a.trust}
}

func newSeed() (seed wf.Seed) {
	_, _ = rand.Read(seed[:]) // never fails
	return seed
}

// step runs a transition. It fails with approver.Unasked if answers are missing.
func (a *answers) step(now time.Time, transition func(wf.Facts) (wf.Request, []wf.Event, error)) (wf.Request, []wf.Event, error) {
	a.again = func() error {
		_, _, err := transition(a.facts(now))
		return err
	}
	return transition(a.facts(now))
}

// do runs fn in a transaction; see answers.do.
func (e *core) do(ctx context.Context, fn func(tx *store.Tx, a *answers) error) error {
	return e.answers().do(ctx, fn)
}

// do runs fn in a transaction. If a transition misses answers, the transaction is rolled back, the answers are
// gathered while no lock and no connection is held, and fn runs again in a new transaction.
func (a *answers) do(ctx context.Context, fn func(tx *store.Tx, a *answers) error) error {
	for range maxRounds {
		err := a.store.Do(ctx, func(tx *store.Tx) error {
			a.steps = nil // nothing of an earlier transaction stays
			return fn(tx, a)
		})
		if err == nil {
			a.reportCommit()
		}
		open, unasked := errors.AsType[*approver.Unasked](err)
		if !unasked {
			return err
		}
		a.ask(ctx, open.Questions)
		if a.again != nil {
			_ = a.gather(ctx, a.again) // the transaction returns its error
		}
	}
	return errEndless
}

// errEndless refuses an operation whose answers always lead to further questions.
var errEndless = reason.NoAnswer("every answer led to another question")

// gather runs a transition outside transactions and asks its questions until none is open. It returns the error of
// the transition.
func (a *answers) gather(ctx context.Context, transition func() error) error {
	for range maxRounds {
		err := transition()
		open, unasked := errors.AsType[*approver.Unasked](err)
		if !unasked {
			return err
		}
		a.ask(ctx, open.Questions)
	}
	return errEndless
}

// try returns a request after a step that is not stored, with the events of the step.
func (a *answers) try(
	ctx context.Context, by identity.Actor, id string, step wf.Step,
) (c wf.Case, events []wf.Event, err error) {
	r, now, err := a.store.ReadRequest(ctx, store.ByID(id))
	if err != nil {
		return c, nil, err
	}
	def, err := a.store.Policies.Definition(ctx, r.PolicyKey, r.PolicyVersion)
	if err != nil {
		return c, nil, err
	}
	c = wf.Case{Definition: def, Now: now}
	err = a.gather(ctx, func() (err error) {
		c.Request, events, err = r.Apply(def, by, a.facts(now), step)
		return err
	})
	return c, events, err
}

// ask asks the questions without an answer. A question after the end of the time has the answer of a resolver that
// does not respond.
func (a *answers) ask(ctx context.Context, questions []approver.Question) {
	if a.until.IsZero() {
		a.until = time.Now().Add(max(askTime, a.Patience))
	}
	ctx, stop := context.WithDeadline(ctx, a.until)
	defer stop()
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(concurrentQuestions)
	for _, q := range questions {
		group.Go(func() error {
			users, failure := a.resolve(ctx, q)
			mu.Lock()
			defer mu.Unlock()
			a.known[q.AnswerKey()] = approver.People{Users: users, Failure: failure}
			return nil
		})
	}
	_ = group.Wait()
}

func (a *answers) resolve(ctx context.Context, q approver.Question) ([]identity.User, *refusal.Error) {
	if a.Resolve == nil {
		return nil, refusalOf(reason.EngineRefused, fmt.Errorf("no directory or resolver answers rules of type %s", q.Rule.Type))
	}
	if ctx.Err() != nil {
		return nil, refusalOf(reason.ResolverFailed, reason.NoAnswer("%s: not answered in time", q.Rule))
	}
	users, err := a.Resolve(ctx, q)
	switch {
	case err == nil:
		return users, nil
	case errors.Is(err, reason.ResolverFailed):
		return nil, refusalOf(reason.ResolverFailed, err)
	default:
		return nil, refusalOf(reason.EngineRefused, err)
	}
}

// refusalOf returns a refusal with the message of an error.
func refusalOf(reason refusal.Reason, err error) *refusal.Error {
	return &refusal.Error{Reason: reason, Message: refusal.MessageOf(err)}
}

// reportCommit reports the steps of a committed transaction to the metrics, to waiting calls and to the workers.
func (a *answers) reportCommit() {
	a.measures.count(a.steps)
	for _, s := range a.steps {
		if a.Changed != nil && s.after.Rev != s.before.Rev {
			a.Changed(s.after.ID, s.after.Rev)
		}
		if len(s.deliveries) > 0 {
			a.Wake()
		}
	}
}
