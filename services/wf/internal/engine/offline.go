package engine

import (
	"context"
	"errors"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Offline checks and simulates definitions without a database. There are no delegations and no stored requests;
// resolvers are assumed to exist.
type Offline struct{ *Policies }

// NewOffline returns an Offline whose rules are answered by resolve; see Options.Resolve.
func NewOffline(resolve func(context.Context, approver.Question) ([]identity.User, error)) *Offline {
	return &Offline{&Policies{&core{Options: Options{
		Resolve: resolve, Directory: true, HTTPRule: func(policy.Rule) error { return nil },
	}}}}
}

// Check returns the findings about a definition.
func (o *Offline) Check(d policy.Definition) Findings { return o.checkDefinition(d) }

// Simulate runs a version as a creation does.
func (o *Offline) Simulate(ctx context.Context, v policy.Version, in SimulationInput) (Simulation, error) {
	a, id, found := o.answers(), newID(), o.Check(v.Definition)
	for range maxRounds * (1 + len(in.Play)) {
		a.known.Delegations, a.known.Delegation = map[string][]approver.Delegation{}, map[string]approver.Delegation{}
		sim, err := a.simulate(nil, in.At, id, identity.Actor{}, v, found, in)
		if !errors.Is(err, errOpen) {
			return sim, err
		}
		a.ask(ctx, a.open)
	}
	return Simulation{}, refusal.New(reason.EngineRefused, "every answer led to another question")
}
