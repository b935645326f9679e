package engine

import (
	"context"
	"errors"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// Preview is what a request would become. Its stages that would not start at once are
// pending, and have no people yet.
type Preview struct {
	Case
	Skipped map[string]bool // by key: pending stages whose condition is false as things stand
}

// PreviewRequest runs a creation as CreateRequest does, writes nothing, and refuses what
// that would refuse.
func (e *Engine) PreviewRequest(ctx context.Context, by wf.Actor, in RequestInput) (Preview, error) {
	var shown Preview
	id := newID() // the same in every turn: resolvers are told it
	err := e.do(ctx, func(tx *store.Tx, a *answers) error {
		start, err := tx.Start(nil, in.PolicyKey, nil)
		if err == nil {
			err = startable(start, in.PolicyKey)
		}
		if err != nil {
			return err
		}
		def, err := tx.Definition(in.PolicyKey, start.Version)
		if err != nil {
			return err
		}
		r, _, err := a.plan(tx, tx.Now(), id, by, in, def, start.Version)
		if err != nil {
			return err
		}
		if def.OneOpen(in.ArtifactID) && !r.Status.Final() {
			if err := artifactFree(tx, in, by); err != nil {
				return err
			}
		}
		shown = Preview{Case: Case{Request: r, Definition: def}}
		shown.Skipped, err = a.skipped(tx, r, def)
		return err
	})
	return shown, err
}

// artifactFree refuses a request for an artifact that another open request is about.
func artifactFree(tx *store.Tx, in RequestInput, by wf.Actor) error {
	open, err := tx.OpenRequest(in.PolicyKey, in.ArtifactType, in.ArtifactID)
	if err != nil || open == "" {
		return err
	}
	other, err := tx.Request(store.ByID(open))
	if err != nil || other.Status.Final() || other.Overdue(tx.Now()) { // it would end first
		return err
	}
	return artifactTaken(tx, by, other.ID)
}

// skipped says of the stages that a request has not reached whose conditions are false as
// things stand. One that fails runs its stage.
func (a *answers) skipped(tx *store.Tx, r wf.Request, def wf.Definition) (map[string]bool, error) {
	skipped := map[string]bool{}
	for _, run := range r.Stages {
		stage, _ := def.Stage(run.Key)
		if run.Status != wf.StagePending || stage.When == "" {
			continue
		}
		value, err := a.condition(tx, wf.Evaluation{Source: stage.When, Reads: r.Environment(def)})
		if err != nil {
			return nil, err
		}
		skipped[run.Key] = !value.Bool && value.Failure == nil
	}
	return skipped, nil
}

// Usable are policies under which somebody may create requests, in their active versions.
type Usable struct {
	Versions []wf.Version
	Unknown  int // policies of which nobody can say it now: a directory does not answer
}

// UsablePolicies lists the policies under which the caller may create requests, by key. A
// page may have fewer than its limit, and none.
func (e *Engine) UsablePolicies(ctx context.Context, by wf.Actor, search string, p wf.Page) (Usable, string, error) {
	list, nextPage, err := e.store.Policies(ctx, wf.PolicyFilter{Status: []wf.VersionStatus{wf.VersionActive}, Q: search}, p)
	if err != nil {
		return Usable{}, "", err
	}
	a := e.answers()
	if a.now, err = e.store.Now(ctx); err != nil {
		return Usable{}, "", err
	}
	refusals := a.submit(ctx, by, list)
	var usable Usable
	for i, policy := range list {
		switch {
		case refusals[i] == nil:
			usable.Versions = append(usable.Versions, *policy.Active)
		case errors.Is(refusals[i], wf.ResolverFailed):
			usable.Unknown++
		}
	}
	return usable, nextPage, nil
}

// submit says of policies why the caller may not create requests under them; nil where
// they may.
func (a *answers) submit(ctx context.Context, by wf.Actor, policies []wf.Policy) []error {
	ctx, stop := a.within(ctx, askTime)
	defer stop()
	refusals := make([]error, len(policies))
	for range maxRounds {
		var open wf.Unanswered
		for i, p := range policies {
			refusals[i] = p.Active.Definition.MaySubmit(p.Key, p.Active.Number, by, a.facts(a.now))
			if asked, asks := errors.AsType[*wf.Unanswered](refusals[i]); asks {
				open.Questions = append(open.Questions, asked.Questions...)
				open.Evaluations = append(open.Evaluations, asked.Evaluations...)
			}
		}
		if len(open.Questions)+len(open.Evaluations) == 0 {
			break
		}
		a.ask(ctx, &open)
	}
	return refusals
}
