package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Key and stored reply of an idempotent operation.
type (
	IdempotencyKey = store.Key
	StoredReply    = store.Reply
)

// Reply is the outcome of an operation: the encoded reply and whether it is a replay.
type Reply struct {
	StoredReply
	Replayed bool
	Case     wf.Case // not set when Replayed
}

// call is an operation of a caller on one request.
type call struct {
	by   identity.Actor
	ref  store.RequestRef
	key  *IdempotencyKey // nil without an Idempotency-Key
	show show

	owned  string // id of the request whose policy the caller may own; empty if owners have no rights of their own
	agents bool   // a party that acts for the caller may call it, see wf.RequirePerson

	// ifMatch is the expected entity tag of the object with the revision that rev returns; empty for any.
	ifMatch string
	rev     func(wf.Request) int64
}

// show returns the view of the operation's object, and the object's entity tag.
type show func(by identity.Actor, c wf.Case) (view any, etag string, err error)

// byAgents permits a call to parties that act for the caller.
func (c call) byAgents() call {
	c.agents = true
	return c
}

// ofOwners is onRequest for a call that owners of the policy may make.
func ofOwners(by identity.Actor, id, ifMatch string, key *IdempotencyKey) call {
	c := onRequest(by, id, ifMatch, key)
	c.owned = id
	return c
}

// onRequest is a call on a request.
func onRequest(by identity.Actor, id, ifMatch string, key *IdempotencyKey) call {
	rev := func(r wf.Request) int64 { return r.Rev }
	return call{by: by, ref: store.ByID(id), key: key, show: showRequest, ifMatch: ifMatch, rev: rev}
}

func showRequest(by identity.Actor, c wf.Case) (shown any, etag string, err error) {
	v := view.NewRequest(by, c)
	return v, v.ETag, nil
}

// onTask is a call on a task.
func onTask(by identity.Actor, id, ifMatch string, key *IdempotencyKey) call {
	rev := func(r wf.Request) int64 {
		task, _ := r.Task(id)
		return task.Rev
	}
	show := func(by identity.Actor, c wf.Case) (shown any, etag string, err error) {
		v := view.NewTaskOf(by, c, id)
		return v, v.ETag, nil
	}
	return call{by: by, ref: store.ByTask(id), key: key, show: show, ifMatch: ifMatch, rev: rev}
}

// change loads and locks the request of a call, applies the step and writes the result with the deliveries of its
// events and the reply. It runs in one transaction. If the step returns both events and a refusal, the events are
// stored and the caller receives the refusal.
func (e *core) change(ctx context.Context, c call, step wf.Step) (Reply, error) {
	if !c.agents {
		if err := wf.RequirePerson(c.by); err != nil {
			return Reply{}, err
		}
	}
	if c.owned != "" && !c.by.Has(identity.RoleAdmin) {
		var err error
		if c.by.Owner, err = e.store.OwnsRequest(ctx, c.by, c.owned); err != nil {
			return Reply{}, err
		}
	}
	var reply Reply
	var refused error
	err := e.do(ctx, func(tx *store.Tx, a *answers) error {
		reply, refused = Reply{}, nil
		locked, err := tx.ClaimRequest(c.key, c.ref, c.by.ID)
		switch {
		case err != nil:
			return err
		case locked.Reused:
			return errKeyReused()
		case locked.Replay != nil:
			reply = Reply{StoredReply: *locked.Replay, Replayed: true}
			return nil
		}
		done, err := a.transit(tx, locked, c.by, step)
		changed := match(c.ifMatch, c.rev(locked.Request))
		if changed != nil && !errors.Is(err, reason.Forbidden) && !errors.Is(err, reason.EngineRefused) {
			return changed // a conflict, which a missing right and bad input precede
		}
		if err != nil && len(done.events) == 0 {
			return err
		}
		refused = err
		tx.MeetActor(c.by)
		if refused != nil { // no reply is stored, so that the call can be repeated
			if err := a.write(tx, done, nil); err != nil || c.key == nil {
				return err
			}
			return tx.ReleaseKey(*c.key)
		}
		reply.Case = wf.Case{
			Request: done.after, Definition: done.def, Events: done.events, Now: tx.Now(), Delegations: locked.Delegations,
		}
		if reply.StoredReply, err = e.render(tx, http.StatusOK, c.by, locked, reply.Case, c.show); err != nil {
			return err
		}
		return a.write(tx, done, keyReply(c.key, reply.StoredReply))
	})
	e.measures.repeat(c.key, reply, errors.Join(err, refused))
	return reply, cmp.Or(err, refused)
}

// render returns the reply to the caller of an operation on a locked request, as visible to them.
func (e *core) render(tx *store.Tx, status int, by identity.Actor, locked store.Locked, c wf.Case, show show) (StoredReply, error) {
	value, etag, err := show(by, c.VisibleToCaller(by))
	if err != nil {
		return StoredReply{}, err
	}
	known := func(ids []string) (map[string]identity.User, error) {
		parts := locked.Request.Parts() // their names have been read
		people, err := tx.KnownPeople(slices.DeleteFunc(ids, func(id string) bool { _, read := parts[id]; return read }))
		maps.Copy(people, locked.People)
		if err == nil && by.Name != "" {
			people[by.ID] = by.User // stored at the end of the transaction
		}
		return people, err
	}
	if value, err = view.WithNames(value, known); err != nil {
		return StoredReply{}, err
	}
	body, err := view.Encode(tx.Now(), value)
	return StoredReply{Status: status, ETag: etag, Body: body}, err
}

// keyReply returns a reply with its key, or nil without a key.
func keyReply(key *IdempotencyKey, reply StoredReply) *store.KeyReply {
	if key == nil {
		return nil
	}
	return &store.KeyReply{Key: *key, Reply: reply}
}

func errKeyReused() error {
	return refusal.New(reason.KeyReused, "this Idempotency-Key was used with another body")
}

// transited is the result of a transition.
type transited struct {
	def           policy.Definition
	before, after wf.Request
	events        []wf.Event
	deliveries    []outbox.Delivery
}

// transit applies a step to a locked request. It writes nothing.
func (a *answers) transit(tx *store.Tx, locked store.Locked, by identity.Actor, step wf.Step) (transited, error) {
	before := locked.Request
	done := transited{before: before}
	var err error
	if done.def, err = tx.Policies.Definition(before.PolicyKey, before.PolicyVersion); err != nil {
		return done, err
	}
	var refused error
	done.after, done.events, refused = a.step(tx.Now(), func(f wf.Facts) (wf.Request, []wf.Event, error) {
		f.Delegations = locked.Delegations
		return before.Apply(done.def, by, f, step)
	})
	if refused != nil && len(done.events) == 0 {
		return done, refused
	}
	if done.deliveries, err = a.deliveriesOf(tx, before, done.after, done.def, done.events); err != nil {
		return transited{}, err
	}
	return done, refused
}

// write stores a transition.
func (a *answers) write(tx *store.Tx, t transited, reply *store.KeyReply) error {
	a.steps = append(a.steps, step{t.before, t.after, t.events, t.deliveries})
	return tx.PutRequest(t.before, t.after, t.events, t.deliveries, reply)
}

// apply is change for the service's own steps. It runs inside an open transaction.
func (a *answers) apply(tx *store.Tx, id string, step wf.Step) error {
	locked, err := tx.ClaimRequest(nil, store.ByID(id), "")
	if err != nil {
		return err
	}
	done, err := a.transit(tx, locked, identity.Actor{}, step)
	if err != nil {
		return err
	}
	return a.write(tx, done, nil)
}

// deliveriesOf returns the deliveries of the events of a request.
func (a *answers) deliveriesOf(tx *store.Tx, before, r wf.Request, def policy.Definition, events []wf.Event) ([]outbox.Delivery, error) {
	endpoints, err := tx.Outbox.Endpoints()
	if err != nil {
		return nil, err
	}
	if err := a.collect(tx, before, r, events); err != nil {
		return nil, err
	}
	also := wf.Audience{Callback: r.CallbackURL, Pages: a.Pages, Context: def.Settings.RedactContext(r.Context)}
	var all []outbox.Delivery
	for _, event := range events {
		list, err := event.Deliveries(endpoints, also, newID)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// match returns a state conflict if If-Match names another revision than the current one.
// Operations do not return 412.
func match(ifMatch string, rev int64) error {
	if ifMatch == "" || ifMatch == "*" || ifMatch == view.ETag(rev) {
		return nil
	}
	return refusal.New(reason.WrongState, "the resource has changed since it was read")
}
