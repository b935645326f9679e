package api

import (
	"context"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

// personHandlers serves the operations on people.
type personHandlers struct{ *API }

func (h personHandlers) mount() {
	register(h.API, operation{"getMe", get, "/v1/wf/me", anyone, 200, nil,
		"Read the caller and the number of their tasks"}, h.getMe)
	register(h.API, operation{SearchPeople, get, "/v1/wf/people", anyone, 200, []error{reason.ResolverFailed},
		"Find people by a part of their name"}, h.findPeople)
}

type findPeopleInput struct {
	Q     string `query:"q" required:"true" minLength:"2" maxLength:"100" doc:"Part of a name or username."`
	Limit int    `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"People in the reply."`
}

// peopleView lists possible assignees and delegates.
type peopleView struct {
	Items []personView `json:"items" doc:"The people; no more than the limit, in no order that means anything."`
}

// personView holds the user data that other users may read.
type personView struct {
	ID       string `json:"id" doc:"User id."`
	Username string `json:"username,omitempty" doc:"Username, if it is known."`
	Name     string `json:"name,omitempty" doc:"Name, if it is known."`
}

func (h personHandlers) findPeople(ctx context.Context, in *findPeopleInput) (result[peopleView], error) {
	people, err := h.engine.People.FindPeople(ctx, actorOf(ctx), in.Q, in.Limit)
	items := view.List(people, func(u identity.User) personView { return personView{u.ID, u.Username, u.Name} })
	return result[peopleView]{Value: peopleView{items}}, err
}

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
