package wf

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// Document returns the stored form of the request: JSON with sorted keys of maps, the bytes that StateHash hashes. Users
// have only their ids. It omits the members that a retry changes without an event: RetryAt, TimerAt and LastError.
func (r Request) Document() ([]byte, error) {
	bare, users, actors := r.places()
	for _, u := range users {
		*u = identity.User{ID: u.ID}
	}
	for _, a := range actors {
		a.Username, a.Name = "", ""
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // the content keeps its bytes
	if err := encoder.Encode(bare); err != nil {
		return nil, fmt.Errorf("encode request %s: %w", r.ID, err)
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

// ReadDocument returns the request of a document, without Chain. A page of a list reads one for each row, so the faster
// decoder is used.
func ReadDocument(document []byte) (Request, error) {
	var r Request
	if err := jsonv2.Unmarshal(document, &r); err != nil {
		return r, fmt.Errorf("decode a request: %w", err)
	}
	for i := range r.Tasks {
		r.Tasks[i].RequestID = r.ID
	}
	return r, nil
}

// StateHash returns the hash of a document, as in events: "sha256:" and hexadecimal digits.
func StateHash(document []byte) string {
	sum := sha256.Sum256(document)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// places returns a copy of the request, and pointers to the users in it.
func (r Request) places() (*Request, []*identity.User, []*identity.ActorRef) {
	users := []*identity.User{&r.Requester, &r.SubmittedBy}
	var actors []*identity.ActorRef
	own := func(places ...**identity.User) {
		for _, place := range places {
			if *place != nil {
				*place = new(**place)
				users = append(users, *place)
			}
		}
	}
	own(&r.EndedBy)
	r.Stages, r.Tasks = slices.Clone(r.Stages), slices.Clone(r.Tasks)
	for i := range r.Stages {
		run := &r.Stages[i]
		run.People, run.Excluded, run.Observers = slices.Clone(run.People), slices.Clone(run.Excluded), slices.Clone(run.Observers)
		for j := range run.People {
			users = append(users, &run.People[j].User)
			own(&run.People[j].PlacedBy)
		}
		for j := range run.Excluded {
			users = append(users, &run.Excluded[j].User)
		}
		for j := range run.Observers {
			users = append(users, &run.Observers[j])
		}
	}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		own(&t.Assignee, &t.Owner, &t.ClaimedBy, &t.ReassignedFrom, &t.PlacedBy)
		if t.Decision != nil {
			t.Decision = new(*t.Decision)
			own(&t.Decision.OnBehalfOf)
			actors = append(actors, &t.Decision.Actor)
		}
	}
	return &r, users, actors
}

// Named returns the users in the request with more than an id, by id.
func (r Request) Named() map[string]identity.User {
	named := people{}
	_, users, actors := r.places()
	named.add(users...)
	for _, a := range actors {
		if a.Kind != identity.ActorSystem {
			named.add(new(a.User()))
		}
	}
	maps.DeleteFunc(named, func(id string, u identity.User) bool { return u == identity.User{ID: id} })
	return named
}

// Mentions returns the ids of the users in the request. It may contain duplicates.
func (r Request) Mentions() []string {
	_, users, actors := r.places()
	return idsAt(users, actors)
}

// WithNames returns the request with the names of the given users, by id.
func (r Request) WithNames(people map[string]identity.User) Request {
	named, users, actors := r.places()
	setNames(users, actors, people)
	return *named
}

func idsAt(users []*identity.User, actors []*identity.ActorRef) []string {
	var ids []string
	for _, u := range users {
		ids = append(ids, u.ID)
	}
	for _, a := range actors {
		if a.Kind != identity.ActorSystem {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

func setNames(users []*identity.User, actors []*identity.ActorRef, people map[string]identity.User) {
	for _, u := range users {
		if known, ok := people[u.ID]; ok {
			*u = known
		}
	}
	for _, a := range actors {
		if known, ok := people[a.ID]; ok {
			a.Username, a.Name = known.Username, known.Name
		}
	}
}

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
