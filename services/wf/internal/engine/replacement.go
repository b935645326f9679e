package engine

import (
	"cmp"
	"context"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Replacement lists the changes of an activation.
type Replacement struct {
	policy.Replacement
	Active   *policy.Version // the version to retire; nil if there is none
	Findings Findings        // about the version
}

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
	r.Findings = e.checkDefinition(v.Definition)
	return r, nil
}
