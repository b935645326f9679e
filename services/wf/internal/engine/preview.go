package engine

import (
	"context"
	"errors"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Preview is a request before its creation. Stages that would not start immediately are pending and
// have no approvers yet.
type Preview struct {
	wf.Case
	Skipped map[string]bool // by key: pending stages whose condition is currently false
}

// PreviewRequest runs a creation as CreateRequest does and writes nothing. It returns the refusals
// of CreateRequest.
func (e *Requests) PreviewRequest(ctx context.Context, by identity.Actor, in RequestInput) (Preview, error) {
	var shown Preview
	id := newID() // constant over all rounds: resolvers receive it
	err := e.do(ctx, func(tx *store.Tx, a *answers) error {
		start, err := tx.Start(nil, in.PolicyKey, nil)
		if err == nil {
			err = requireActiveVersion(start, in.PolicyKey)
		}
		if err != nil {
			return err
		}
		def, err := tx.Policies.Definition(in.PolicyKey, start.Version)
		if err != nil {
			return err
		}
		in := in.withDefaults(def)
		r, _, err := a.plan(tx, tx.Now(), id, by, in, def, start.Version)
		if err != nil {
			return err
		}
		if def.OneOpen(in.ArtifactID) && !r.Status.Final() {
			if err := artifactFree(tx, in, by); err != nil {
				return err
			}
		}
		shown = Preview{Case: wf.Case{Request: r, Definition: def, Now: tx.Now()}}
		shown.Skipped = skippedStages(r, def, tx.Now())
		return nil
	})
	return shown, err
}

// PreviewResubmission runs a resubmission as ResubmitRequest does and writes nothing. It returns the refusals of
// ResubmitRequest.
func (e *Requests) PreviewResubmission(
	ctx context.Context, by identity.Actor, id string, content []byte, hash string,
) (Preview, error) {
	var shown Preview
	err := e.do(ctx, func(tx *store.Tx, a *answers) error {
		r, err := tx.Request(store.ByID(id))
		if err != nil {
			return err
		}
		def, err := tx.Policies.Definition(r.PolicyKey, r.PolicyVersion)
		if err != nil {
			return err
		}
		after, _, err := a.step(tx, tx.Now(), func(f wf.Facts) (wf.Request, []wf.Event, error) {
			return r.Resubmit(def, content, hash, "", by, f)
		})
		if err != nil {
			return err
		}
		shown = Preview{Case: wf.Case{Request: after, Definition: def, Now: tx.Now()}}
		shown.Skipped = skippedStages(after, def, tx.Now())
		return nil
	})
	return shown, err
}

// artifactFree rejects a request for an artifact with another open request.
func artifactFree(tx *store.Tx, in RequestInput, by identity.Actor) error {
	open, err := tx.OpenRequest(in.PolicyKey, in.ArtifactType, in.ArtifactID)
	if err != nil || open == "" {
		return err
	}
	other, err := tx.Request(store.ByID(open))
	if err != nil || other.Status.Final() || other.Overdue(tx.Now()) { // it would expire first
		return err
	}
	return artifactTaken(tx, by, other.ID)
}

// skippedStages returns the pending stages whose conditions are currently false. If a condition fails,
// its stage runs.
func skippedStages(r wf.Request, def policy.Definition, now time.Time) map[string]bool {
	skipped := map[string]bool{}
	for _, run := range r.Stages {
		stage, _ := def.Stage(run.Key)
		if run.Status != wf.StagePending || stage.When == "" {
			continue
		}
		value := wf.Case{Request: r, Definition: def, Now: now}.Applies(stage.When)
		skipped[run.Key] = !value.Bool && value.Failure == nil
	}
	return skipped
}

// Usable lists the active policies under which the caller may create requests.
type Usable struct {
	Versions []policy.Version
	Unknown  int // policies without an answer: the directory does not respond
}

// ListUsablePolicies lists the policies under which the caller may create requests, by key. A page may
// contain fewer entries than its limit, or none.
func (e *Policies) ListUsablePolicies(ctx context.Context, by identity.Actor, search string, p wf.Page) (Usable, string, error) {
	list, nextPage, err := e.store.Policies.List(ctx, wf.PolicyFilter{Status: []policy.VersionStatus{policy.VersionActive}, Q: search}, p)
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
		case errors.Is(refusals[i], reason.ResolverFailed):
			usable.Unknown++
		}
	}
	return usable, nextPage, nil
}

// submit returns the refusal of each policy for the caller, or nil if they may create requests
// under it.
func (a *answers) submit(ctx context.Context, by identity.Actor, policies []wf.Policy) []error {
	ctx, stop := a.limitContext(ctx, askTime)
	defer stop()
	refusals, definitions := make([]error, len(policies)), make([]policy.Definition, len(policies))
	for i, p := range policies {
		definitions[i] = p.Active.Definition.Compiled()
	}
	for range maxRounds {
		var open approver.Unanswered
		for i, p := range policies {
			refusals[i] = wf.MaySubmit(definitions[i], p.Key, p.Active.Number, by, a.facts(a.now))
			if asked, unanswered := errors.AsType[*approver.Unanswered](refusals[i]); unanswered {
				open.Questions = append(open.Questions, asked.Questions...)
			}
		}
		if len(open.Questions) == 0 {
			break
		}
		a.ask(ctx, &open)
	}
	return refusals
}
