package api

import (
	"context"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
)

// meView is the caller and their open work.
type meView struct {
	identity.User
	Kind        identity.ActorKind `json:"kind" doc:"A person or a service account."`
	Roles       []identity.Role    `json:"roles" doc:"Roles of this service that the token has."`
	Delegations meDelegations      `json:"delegations" doc:"In force now."`
	Tasks       meTasks            `json:"tasks" doc:"How many tasks wait for the caller."`
}

type meDelegations struct {
	Given    []delegationView `json:"given" doc:"By the caller; the 200 newest."`
	Received []delegationView `json:"received" doc:"To the caller; the 200 newest."`
}

type meTasks struct {
	Open      int64 `json:"open" doc:"Assigned to the caller and not claimed."`
	Claimed   int64 `json:"claimed" doc:"Assigned to the caller and claimed by them or a delegate."`
	Candidate int64 `json:"candidate" doc:"Of pools, that the caller could claim."`
	Delegated int64 `json:"delegated" doc:"Of delegators of the caller, on which the caller may act."`
	More      bool  `json:"more,omitempty" doc:"true when there are more of some of these: none is counted beyond 10,000."`
}

func (h personHandlers) getMe(ctx context.Context, _ *struct{}) (result[meView], error) {
	by := actorOf(ctx)
	s, err := h.engine.People.GetMe(ctx, by)
	now := h.Now()
	show := func(d approver.Delegation) delegationView { return viewDelegation(d, now) }
	return result[meView]{Value: meView{
		User: by.User, Kind: by.Kind, Roles: append([]identity.Role{}, by.Roles...),
		Delegations: meDelegations{Given: view.List(s.Given, show), Received: view.List(s.Received, show)},
		Tasks:       meTasks{Open: s.Open, Claimed: s.Claimed, Candidate: s.Candidate, Delegated: s.Delegated, More: s.More},
	}}, err
}
