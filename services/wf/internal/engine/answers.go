package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

const (
	// askTime bounds all that one operation asks. The caller waits, and a decision has
	// to be stored in what is left of his ten seconds.
	askTime = 5 * time.Second

	// maxRounds is how often an operation begins again because an answer led to other
	// questions: a stage may be skipped for each, and a policy has 20.
	maxRounds = 25

	askedAtOnce = 8
)

// answers is what directories and resolvers said during one operation.
//
// Inside a transaction nobody is asked: it holds locks. A question without an answer
// is noted there and counts as one that nobody answers. The transaction is then
// rolled back, the questions are put outside, and the operation begins again; see
// Engine.do.
type answers struct {
	resolve func(context.Context, wf.Question) ([]wf.User, error)
	said    map[string]said
	open    map[string]wf.Question // since the transaction began
	ended   bool                   // no more questions
}

type said struct {
	users []wf.User
	err   error
}

func (e *Engine) answers() *answers {
	return &answers{resolve: e.Resolve, said: map[string]said{}, open: map[string]wf.Question{}}
}

// yield returns what was answered. See engine.Options.Resolve for the errors.
func (a *answers) yield(q wf.Question) ([]wf.User, error) {
	if a.resolve == nil {
		return nil, wf.Refuse(wf.EngineRefused, "nobody answers rules of type %s", q.Rule.Type)
	}
	key := q.Key()
	if s, ok := a.said[key]; ok {
		return s.users, s.err
	}
	if !a.ended {
		if other, ok := a.open[key]; ok {
			q.MaxAge = min(q.MaxAge, other.MaxAge)
		}
		a.open[key] = q
	}
	return nil, wf.NoAnswer("%s: not answered in time", q.Rule)
}

// ask puts the open questions.
func (a *answers) ask(ctx context.Context) {
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(askedAtOnce)
	for key, q := range a.open {
		group.Go(func() error {
			users, err := a.resolve(ctx, q)
			mu.Lock()
			defer mu.Unlock()
			a.said[key] = said{users, err}
			return nil
		})
	}
	_ = group.Wait()
}

// errOpen rolls a transaction back that needs answers.
var errOpen = errors.New("questions are open")

// do runs fn in a transaction. What fn asks of a is answered before, which may take
// several turns: fn runs again, in a new transaction, with what it asked for in the
// last one. What fn has done and returned before is of no effect then.
func (e *Engine) do(ctx context.Context, fn func(tx *store.Tx, a *answers) error) error {
	a := e.answers()
	var asking context.Context
	for round := 1; ; round++ {
		err := e.store.Do(ctx, func(tx *store.Tx) error {
			clear(a.open)
			err := fn(tx, a)
			if len(a.open) > 0 {
				return errOpen
			}
			return err
		})
		if !errors.Is(err, errOpen) {
			return err
		}
		if asking == nil {
			var stop context.CancelFunc
			asking, stop = context.WithTimeout(ctx, askTime)
			defer stop()
		}
		a.ask(asking)
		a.ended = round == maxRounds || asking.Err() != nil
	}
}
