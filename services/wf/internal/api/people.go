package api

import (
	"context"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

// personHandlers serves the operations on people.
type personHandlers struct{ *API }

func (h personHandlers) mount() {
	register(h.API, operation{"getMe", get, "/v1/wf/me", anyone, 200, nil,
		"Read the caller and the number of their tasks"}, h.getMe)
	register(h.API, operation{SearchPeople, get, "/v1/wf/people", anyone, 200, refusals(reason.ResolverFailed),
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
