package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Replacement lists the changes of an activation and the affected requests.
type Replacement struct {
	policy.Replacement
	Active   *policy.Version // the version to retire; nil if there is none
	Findings Findings        // about the version
	Tried    []Trial         // the latest requests of the policy, newest first
	Untried  bool            // trials stopped early: a directory or resolver is too slow
}

// Trial compares a stored request under the active version and under the new one. Both start now.
type Trial struct {
	Request       wf.Request
	Before, After SimulationOutcome // Before is empty without an active version
	Added, Gone   []Asked           // approvers under one of the two versions only
}

// Asked is an approver of a stage.
type Asked struct {
	identity.User
	Stage string // stage name
}

const (
	mostTrials = 5               // requests
	trialTime  = 4 * time.Second // for all trials: a page request is pending
)

// Replacement returns the changes that the activation of a version would cause. It writes nothing.
func (e *Policies) Replacement(ctx context.Context, by identity.Actor, key string, number int) (Replacement, error) {
	if manages, err := e.Manages(ctx, by, key); err != nil || !manages {
		return Replacement{}, cmp.Or(err, refusal.New(reason.Forbidden, "only an admin or an owner may activate a version"))
	}
	v, err := e.GetVersion(ctx, key, number)
	if err != nil {
		return Replacement{}, err
	}
	var r Replacement
	var before policy.Definition
	switch active, err := e.GetPolicy(ctx, key); {
	case err != nil:
		return r, err
	case active.Status == policy.VersionActive && active.Number != number:
		r.Active, before = &active, active.Definition
	}
	r.Replacement = v.Definition.CompareWith(before)
	findings := e.checkDefinition(v.Definition)
	err = e.store.Do(ctx, func(tx *store.Tx) (err error) {
		r.Findings, err = sortFindings(tx, findings)
		return err
	})
	if err != nil {
		return r, err
	}
	last, _, err := e.store.Requests(ctx, wf.RequestFilter{PolicyKey: []string{key}}, wf.Page{Limit: mostTrials})
	if err != nil {
		return r, err
	}
	soon, stop := e.limitContext(ctx, trialTime)
	defer stop()
	for _, request := range last {
		t, err := e.try(soon, by, v, r.Active, request)
		if errors.Is(err, reason.ResolverFailed) || soon.Err() != nil && ctx.Err() == nil {
			r.Untried = true
			break
		}
		if errors.Is(err, reason.RequestNotFound) { // purged after the list was read
			continue
		}
		if err != nil {
			return r, err
		}
		r.Tried = append(r.Tried, t)
	}
	return r, nil
}

// try simulates a request under two versions.
func (e *Policies) try(ctx context.Context, by identity.Actor, v policy.Version, active *policy.Version, request wf.Request) (Trial, error) {
	t := Trial{Request: request}
	after, err := e.dryRun(ctx, by, v, request.ID)
	if err != nil {
		return t, err
	}
	t.After = after.Outcome
	var was []Asked
	if active != nil {
		before, err := e.dryRun(ctx, by, *active, request.ID)
		if err != nil {
			return t, err
		}
		t.Before, was = before.Outcome, before.approvers()
	}
	now := after.approvers()
	t.Added, t.Gone = subtract(now, was), subtract(was, now)
	return t, nil
}

// dryRun simulates a stored request without an audit event.
func (e *Policies) dryRun(ctx context.Context, by identity.Actor, v policy.Version, request string) (Simulation, error) {
	var sim Simulation
	in, id := SimulationInput{FromRequest: request}, newID()
	err := e.do(ctx, func(tx *store.Tx, a *answers) error {
		var err error
		sim, err = a.simulate(tx, tx.Now(), id, by, v, Findings{}, in)
		if errors.Is(err, reason.BadInput) {
			return refusal.New(reason.RequestNotFound, "no request %s", request)
		}
		return err
	})
	return sim, err
}

// approvers returns the approvers of the stages that a simulated request would reach.
func (s Simulation) approvers() []Asked {
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

// subtract returns the entries of list that are absent from others.
func subtract(list, others []Asked) []Asked {
	return slices.DeleteFunc(slices.Clone(list), func(a Asked) bool {
		return slices.ContainsFunc(others, func(o Asked) bool { return o.ID == a.ID && o.Stage == a.Stage })
	})
}
