package wf

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// Link numbers the event, links it to the chain and returns both. It encodes the Body of the event; no other
// function does.
func (e Event) Link(c audit.Chain) (audit.Chain, Event, error) {
	e.Seq, e.PrevHash = c.Seq+1, c.Hash
	var err error
	if e.Body, err = e.canonical(); err != nil {
		return c, e, err
	}
	c = c.Append(e.Body)
	e.Hash = c.Hash
	return c, e, nil
}

// canonical returns the canonical JSON of the event, with users by id and without the members of messages.
func (e Event) canonical() ([]byte, error) {
	bare, users, actors := e.places()
	if bare.Request != nil {
		bare.Request.Priority, bare.Request.Labels, bare.Request.Page = "", nil, ""
		bare.Request.Context = nil
	}
	if bare.Stage != nil {
		bare.Stage = new(*bare.Stage)
		bare.Stage.Name = ""
	}
	for _, u := range users {
		*u = identity.User{ID: u.ID}
	}
	for _, a := range actors {
		a.Username, a.Name = "", ""
	}
	body, err := json.Marshal(bare)
	if err == nil {
		body, err = strictjson.Canonical(body)
	}
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.ID, err)
	}
	return body, nil
}

// places returns a copy of the event, and pointers to the users in it.
func (e Event) places() (*Event, []*identity.User, []*identity.ActorRef) {
	var users []*identity.User
	actors := []*identity.ActorRef{&e.Actor}
	own := func(place **identity.User) {
		if *place != nil {
			*place = new(**place)
			users = append(users, *place)
		}
	}
	if e.Request != nil {
		e.Request = new(*e.Request)
		users = append(users, &e.Request.Requester)
		if e.Request.SubmittedBy != nil {
			e.Request.SubmittedBy = new(*e.Request.SubmittedBy)
			users = append(users, &e.Request.SubmittedBy.User)
		}
	}
	if e.Stage != nil && e.Stage.Added != nil {
		stage := *e.Stage
		e.Stage, stage.Added = &stage, slices.Clone(stage.Added)
		for i := range stage.Added {
			users = append(users, &stage.Added[i])
		}
	}
	if e.Task != nil {
		e.Task = new(*e.Task)
		own(&e.Task.Assignee)
		own(&e.Task.ClaimedBy)
		own(&e.Task.ReassignedFrom)
	}
	if e.Decision != nil {
		e.Decision = new(*e.Decision)
		own(&e.Decision.OnBehalfOf)
		actors = append(actors, &e.Decision.Actor)
	}
	if e.Comment != nil {
		comment := *e.Comment
		e.Comment, comment.Mentions = &comment, slices.Clone(comment.Mentions)
		for i := range comment.Mentions {
			users = append(users, &comment.Mentions[i])
		}
	}
	return &e, users, actors
}

// People returns the users in the event with more than an id. It may contain duplicates.
func (e Event) People() []identity.User {
	_, users, actors := e.places()
	var people []identity.User
	for _, u := range users {
		if *u != (identity.User{ID: u.ID}) {
			people = append(people, *u)
		}
	}
	for _, a := range actors {
		if a.User() != (identity.User{ID: a.ID}) {
			people = append(people, a.User())
		}
	}
	return people
}

// WithNames returns the event with the names of the given users, by id.
func (e Event) WithNames(people map[string]identity.User) Event {
	named, users, actors := e.places()
	setNames(users, actors, people)
	return *named
}

// Mentions returns the ids of the users in the event. It may contain duplicates.
func (e Event) Mentions() []string {
	_, users, actors := e.places()
	return idsAt(users, actors)
}
