package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// Replacement is what activating a version would change, and for whom.
type Replacement struct {
	wf.Replacement
	Active   *wf.Version // that goes out of use; nil for none
	Findings Findings    // about the version
	Tried    []Trial     // the last requests of the policy, the newest first
	Untried  bool        // there are more: a directory or a resolver takes too long
}

// Trial is a request that was made, as it would go if it was made now under the active
// version, and under the one that is to take its place.
type Trial struct {
	Request       wf.Request
	Before, After SimulationOutcome // Before is empty without an active version
	Added, Gone   []Asked           // who would be asked under one of them alone
}

// Asked is somebody whom a stage would ask.
type Asked struct {
	wf.User
	Stage string // its name
}

const (
	mostTrials = 5               // requests
	trialTime  = 4 * time.Second // for all of them: somebody waits for a page
)

// Replacement tells what activating a version would change. It writes nothing.
func (e *Engine) Replacement(ctx context.Context, by wf.Actor, key string, number int) (Replacement, error) {
	if !by.Has(wf.RoleAdmin) {
		return Replacement{}, wf.Refuse(wf.Forbidden, "only an admin may activate a version")
	}
	v, err := e.Version(ctx, key, number)
	if err != nil {
		return Replacement{}, err
	}
	var r Replacement
	var before wf.Definition
	switch active, err := e.Policy(ctx, key); {
	case err != nil:
		return r, err
	case active.Status == wf.VersionActive && active.Number != number:
		r.Active, before = &active, active.Definition
	}
	r.Replacement = v.Definition.Replacing(before)
	judged := e.judge(v.Definition)
	err = e.store.Do(ctx, func(tx *store.Tx) (err error) {
		r.Findings, err = settle(tx, judged)
		return err
	})
	if err != nil {
		return r, err
	}
	last, _, err := e.store.Requests(ctx, wf.RequestFilter{PolicyKey: []string{key}}, wf.Page{Limit: mostTrials})
	if err != nil {
		return r, err
	}
	soon, stop := e.within(ctx, trialTime)
	defer stop()
	for _, request := range last {
		t, err := e.try(soon, by, v, r.Active, request)
		if errors.Is(err, wf.ResolverFailed) || soon.Err() != nil && ctx.Err() == nil {
			r.Untried = true
			break
		}
		if errors.Is(err, wf.RequestNotFound) { // it was purged
			continue
		}
		if err != nil {
			return r, err
		}
		r.Tried = append(r.Tried, t)
	}
	return r, nil
}

// try runs a request under two versions.
func (e *Engine) try(ctx context.Context, by wf.Actor, v wf.Version, active *wf.Version, request wf.Request) (Trial, error) {
	t := Trial{Request: request}
	after, err := e.rehearse(ctx, by, v, request.ID)
	if err != nil {
		return t, err
	}
	t.After = after.Outcome
	var was []Asked
	if active != nil {
		before, err := e.rehearse(ctx, by, *active, request.ID)
		if err != nil {
			return t, err
		}
		t.Before, was = before.Outcome, before.asked()
	}
	now := after.asked()
	t.Added, t.Gone = without(now, was), without(was, now)
	return t, nil
}

// rehearse is Simulate of a real request, which tells nobody.
func (e *Engine) rehearse(ctx context.Context, by wf.Actor, v wf.Version, request string) (Simulation, error) {
	var sim Simulation
	in, id := SimulationInput{FromRequest: request}, newID()
	err := e.do(ctx, func(tx *store.Tx, a *answers) error {
		var err error
		sim, err = a.simulate(tx, id, by, v, Findings{}, in)
		if errors.Is(err, wf.BadInput) {
			return wf.Refuse(wf.RequestNotFound, "no request %s", request)
		}
		return err
	})
	return sim, err
}

// asked are the people of the stages that a simulated request would go through.
func (s Simulation) asked() []Asked {
	var all []Asked
	for _, stage := range s.Stages {
		if stage.Run.Status == wf.StageSkipped || stage.When != nil && !stage.When.Value || s.Outcome != WouldStart {
			continue
		}
		for _, a := range stage.Run.People {
			all = append(all, Asked{a.User, stage.Definition.Name})
		}
	}
	return all
}

// without are those of a list who are not in another one.
func without(list, others []Asked) []Asked {
	return slices.DeleteFunc(slices.Clone(list), func(a Asked) bool {
		return slices.ContainsFunc(others, func(o Asked) bool { return o.ID == a.ID && o.Stage == a.Stage })
	})
}
