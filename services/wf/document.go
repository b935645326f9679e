package wf

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// Document is the stored form of a request, in three parts so that lists read only the first. Users have only their
// ids. It omits the members that a retry changes without an event: RetryAt, TimerAt and LastError.
type Document struct {
	Summary []byte // JSON of the members that lists show
	Detail  []byte // JSON of the other members
	Context []byte // the content, which the summary contains the hash of
}

// detail has the members of a request that its summary lacks.
type detail struct {
	Comment     string       `json:"comment,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	CallbackURL string       `json:"callback_url,omitempty"`
	Stages      []StageRun   `json:"stages"`
	Tasks       []Task       `json:"tasks"`
}

// Document returns the stored form of the request, with sorted keys of maps.
func (r Request) Document() (Document, error) {
	bare, users, actors := r.places()
	for _, u := range users {
		*u = identity.User{ID: u.ID}
	}
	for _, a := range actors {
		a.Username, a.Name = "", ""
	}
	d := Document{Context: r.Context}
	rest := detail{bare.Comment, bare.Attachments, bare.CallbackURL, bare.Stages, bare.Tasks}
	bare.ListedDue = r.DueAt()
	bare.Comment, bare.Attachments, bare.CallbackURL, bare.Stages, bare.Tasks, bare.Context = "", nil, "", nil, nil, nil
	var err error
	if d.Summary, err = encodePlain(bare); err == nil {
		d.Detail, err = encodePlain(rest)
	}
	if err != nil {
		return d, fmt.Errorf("encode request %s: %w", r.ID, err)
	}
	return d, nil
}

// encodePlain encodes a value without the escapes for HTML: JSON in it keeps its bytes.
func encodePlain(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// Request decodes the document, without Chain.
func (d Document) Request() (Request, error) {
	r, err := ReadSummary(d.Summary)
	if err != nil {
		return r, err
	}
	var rest detail
	if err := jsonv2.Unmarshal(d.Detail, &rest); err != nil {
		return r, fmt.Errorf("decode a request: %w", err)
	}
	r.ListedDue, r.Context = time.Time{}, d.Context
	r.Comment, r.Attachments, r.CallbackURL = rest.Comment, rest.Attachments, rest.CallbackURL
	r.Stages, r.Tasks = rest.Stages, rest.Tasks
	for i := range r.Tasks {
		r.Tasks[i].RequestID = r.ID
	}
	return r, nil
}

// ReadSummary decodes the summary of a request. A page of a list reads many, so the faster decoder is used.
func ReadSummary(summary []byte) (Request, error) {
	var r Request
	if err := jsonv2.Unmarshal(summary, &r); err != nil {
		return r, fmt.Errorf("decode a request: %w", err)
	}
	return r, nil
}

// Hash returns the state_hash of events: "sha256:" and hexadecimal digits over the summary, a line feed and the detail.
func (d Document) Hash() string {
	hash := sha256.New()
	for _, part := range [][]byte{d.Summary, []byte("\n"), d.Detail} {
		hash.Write(part)
	}
	return "sha256:" + hex.EncodeToString(hash.Sum(nil))
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
	if err == nil { // the integers of events need no other form
		err = (*jsontext.Value)(&body).Canonicalize(jsontext.CanonicalizeRawInts(false))
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
