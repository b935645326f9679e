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

	// maxRounds bounds the retries of an operation whose answers open further questions. In
	// sequence, a stage needs its approvers and its fallback approvers. One operation may skip all 20
	// stages of a policy.
	maxRounds = 20*3 + 1

	concurrentQuestions = 8
)

// answers holds the results that an operation has collected for the domain.
//
// Directories and resolvers are slow, and a transaction holds locks. If a transition needs one of
// them, the transaction is rolled back and the questions are answered outside it. The operation then runs
// again; see Engine.do. An answer belongs to one question: if a row has changed, the transition
// opens another question.
type answers struct {
	*core
	known approver.Answers
	open  *approver.Unanswered // the open questions of the last transaction
	now   time.Time            // of the last transaction
	ended bool                 // time limit reached: open questions remain unanswered
	steps []step               // of the last transaction
	trust bool                 // see wf.Facts.TrustMembership
}

func (e *core) answers() *answers {
	return &answers{core: e, known: approver.Answers{People: map[string]approver.People{}}}
}

// facts returns the input of a transition at a time.
func (a *answers) facts(now time.Time) wf.Facts {
	return wf.Facts{At: now, Seed: newSeed(), Directory: a.Directory, Answers: a.known, TrustMembership: a.trust}
}

func newSeed() (seed wf.Seed) {
	_, _ = rand.Read(seed[:]) // never fails
	return seed
}

// errOpen rolls back a transaction with open questions.
var errOpen = errors.New("questions are open")

// step runs a transition. It returns errOpen if questions are open.
func (a *answers) step(now time.Time, transition func(wf.Facts) (wf.Request, []wf.Event, error)) (wf.Request, []wf.Event, error) {
	a.now = now
	after, events, err := transition(a.facts(now))
	return after, events, a.keepOpen(err)
}

// keepOpen keeps the open questions of a transition and returns errOpen for them; it returns any other error.
func (a *answers) keepOpen(err error) error {
	open, unanswered := errors.AsType[*approver.Unanswered](err)
	if unanswered {
		a.open = open
		return errOpen
	}
	return err
}

// ask answers the open questions outside transactions.
func (a *answers) ask(ctx context.Context, open *approver.Unanswered) {
	if a.ended || ctx.Err() != nil {
		for _, q := range open.Questions {
			a.known.People[q.AnswerKey()] = approver.People{Failure: refusalOf(reason.ResolverFailed, reason.NoAnswer("%s: not answered in time", q.Rule))}
		}
		return
	}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(concurrentQuestions)
	for _, q := range open.Questions {
		group.Go(func() error {
			users, failure := a.resolve(ctx, q)
			mu.Lock()
			defer mu.Unlock()
			a.known.People[q.AnswerKey()] = approver.People{Users: users, Failure: failure}
			return nil
		})
	}
	_ = group.Wait()
}

func (a *answers) resolve(ctx context.Context, q approver.Question) ([]identity.User, *refusal.Error) {
	if a.Resolve == nil {
		return nil, refusalOf(reason.EngineRefused, fmt.Errorf("no directory or resolver answers rules of type %s", q.Rule.Type))
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

// do runs fn in a transaction. If fn has open questions, the transaction
// is rolled back and the questions are answered. Then fn runs again in a new transaction. The
// effects of earlier runs are discarded.
func (e *core) do(ctx context.Context, fn func(tx *store.Tx, a *answers) error) error {
	return e.answers().do(ctx, fn)
}

// reportCommit reports the steps of a committed transaction to the metrics and to waiting calls.
func (a *answers) reportCommit() {
	a.measures.count(a.steps)
	for _, s := range a.steps {
		if a.Changed != nil && s.after.Rev != s.before.Rev {
			a.Changed(s.after.ID, s.after.Rev)
		}
	}
}

func (a *answers) do(ctx context.Context, fn func(tx *store.Tx, a *answers) error) error {
	var asking context.Context
	for round := 1; ; round++ {
		err := a.store.Do(ctx, func(tx *store.Tx) error {
			a.open, a.steps = nil, nil // nothing of an earlier transaction stays
			return fn(tx, a)
		})
		if err == nil {
			a.reportCommit()
		}
		if !errors.Is(err, errOpen) {
			return err
		}
		if asking == nil {
			var stop context.CancelFunc
			asking, stop = a.limitContext(ctx, askTime)
			defer stop()
		}
		if round > 2*maxRounds {
			return reason.NoAnswer("every answer led to another question")
		}
		a.ended = round > maxRounds
		a.ask(asking, a.open)
	}
}

// prepare prefetches the answers of a transition that do not depend on the transaction or its time.
func (a *answers) prepare(ctx context.Context, transition func(wf.Facts) (wf.Request, []wf.Event, error)) {
	ctx, stop := a.limitContext(ctx, askTime)
	defer stop()
	for range maxRounds {
		_, _, err := transition(a.facts(time.Now()))
		open, unanswered := errors.AsType[*approver.Unanswered](err)
		if !unanswered || len(open.Questions) == 0 {
			return
		}
		if a.ask(ctx, open); ctx.Err() != nil {
			return
		}
	}
}
