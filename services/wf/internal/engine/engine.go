// Package engine is the use cases of the service: one method for each operation. It opens
// the transaction of each. The rules are in package wf: the engine loads, asks the domain,
// and writes what it returns.
package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/manage"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/condition"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// Options is what an Engine works with.
type Options struct {
	Store      *store.Store
	Conditions *condition.Env

	Keys seal.Keys // keys for the secrets of webhook endpoints; without them there are no endpoints

	// EndpointURL refuses a URL of an endpoint that the service may not call. Callback
	// refuses a callback_url that it may not call or has no key for.
	EndpointURL, Callback func(url string) error

	// Resolve answers the rules that need a directory or a resolver; nil if neither is
	// configured. It refuses with wf.ResolverFailed when there is no answer now, and
	// with wf.EngineRefused when there never will be one. It is called outside
	// transactions.
	Resolve func(context.Context, wf.Question) ([]wf.User, error)

	// Search finds people of the directory by a part of their name, as Resolve answers; nil
	// without a directory.
	Search func(ctx context.Context, text string, limit int) ([]wf.User, error)

	Directory bool                // Resolve answers for a directory
	HTTPRule  func(wf.Rule) error // checks an http rule; nil when there are no resolvers

	// Tells is how people are told of things; nil when nobody is.
	Tells *Telling

	// Wake tells the workers that a delivery may be due. It must not block.
	Wake func()

	// Pages is where the pages of the inbox are, which messages have links to; empty when
	// nobody has said so.
	Pages string

	// TokenLifetime is the longest time for which the API accepts an access token. Tokens of
	// a session that the issuer has ended are refused for so long.
	TokenLifetime time.Duration

	ServiceApprovers bool // service accounts may claim and decide
	NoPeopleSearch   bool // nobody may search for people
	FourEyes         bool // nobody activates a version that they edited last

	// EvaluationTime bounds the evaluations of one operation; when zero it is 5 s, or
	// Patience if that is longer. Tests end it with a negative time.
	EvaluationTime time.Duration

	// Patience is the least time in which the questions of an operation have to be
	// answered; when zero it is that of production. Tests have much of it, so that they
	// pass on a slow machine.
	Patience time.Duration

	Metrics *metrics.Registry // may be nil
}

// Engine runs the use cases. It is safe for concurrent use.
type Engine struct {
	Options
	*manage.Service[wf.Actor, wf.Page]
	store    *store.Store
	measures *measures
	latest   sync.Map // by policy key: the course of its last request
	logouts  atomic.Pointer[logouts]
}

// New returns an Engine.
func New(o Options) *Engine {
	e := &Engine{Options: o, store: o.Store, measures: newMeasures(o.Metrics)}
	e.Service = e.endpoints()
	return e
}

// within is a context that ends after the limit, or with the Engine's patience.
func (e *Engine) within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, max(limit, e.Patience))
}

// newID returns a UUIDv7. Ids sort by time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// Case is a request with its definition.
type Case struct {
	Request    wf.Request
	Definition wf.Definition
	Events     []wf.Event // what the operation has caused, of one that changes the request
}

// What a repeat of an operation is told apart by, and what it receives.
type (
	IdempotencyKey = store.Key
	StoredReply    = store.Reply
)

// Repeatable lets a caller repeat an operation safely. Encode makes the reply that
// a repeat receives again; it runs inside the transaction, so that an effect and
// its reply are stored together or not at all.
type Repeatable struct {
	Key    *IdempotencyKey // nil when the caller sent no Idempotency-Key
	Encode func(Case) (StoredReply, error)
}

// Reply is the outcome of an operation: the encoded reply, and whether it was stored
// before.
type Reply struct {
	store.Reply
	Replayed bool
	Case     Case // not set when Replayed
}

// keyReply is the encoded reply with its key, or nil.
func (r Repeatable) keyReply(reply store.Reply) *store.KeyReply {
	if r.Key == nil {
		return nil
	}
	return &store.KeyReply{Key: *r.Key, Reply: reply}
}

func errKeyReused() error {
	return wf.Refuse(wf.KeyReused, "this Idempotency-Key was used with another body")
}

// transition is one step of a request under its lock. If it returns events with a
// refusal, the request has changed although the caller is refused.
type transition func(r wf.Request, def wf.Definition, f wf.Facts) (wf.Request, []wf.Event, error)

// change loads and locks a request, applies the transition and writes what it
// changed, with the deliveries of its events, in one transaction.
func (e *Engine) change(ctx context.Context, by wf.Actor, rep Repeatable, ref store.RequestRef, step transition) (Reply, error) {
	var reply Reply
	var deliveries []outbox.Delivery
	var refused error
	a := e.answers()
	a.shares = true
	err := a.do(ctx, func(tx *store.Tx, a *answers) error {
		reply, deliveries, refused = Reply{}, nil, nil
		locked, err := tx.ClaimRequest(rep.Key, ref)
		switch {
		case err != nil:
			return err
		case locked.Reused:
			return errKeyReused()
		case locked.Replay != nil:
			reply = Reply{Reply: *locked.Replay, Replayed: true}
			return nil
		}
		done, err := a.transit(tx, locked.Request, step)
		if err != nil && len(done.events) == 0 {
			return err
		}
		deliveries, refused = done.deliveries, err
		tx.MeetActor(by)
		if refused != nil { // no reply is stored, so that the call can be repeated
			if err := a.write(tx, done, nil); err != nil || rep.Key == nil {
				return err
			}
			return tx.ReleaseKey(*rep.Key)
		}
		reply.Case = Case{Request: done.after, Definition: done.def, Events: done.events}
		if reply.Reply, err = rep.Encode(reply.Case); err != nil {
			return err
		}
		tx.Last()
		return a.write(tx, done, rep.keyReply(reply.Reply))
	})
	e.measures.repeat(rep.Key, reply, errors.Join(err, refused))
	if err != nil {
		return reply, err
	}
	if len(deliveries) > 0 {
		e.Wake()
	}
	return reply, refused
}

// transited is the result of a transition.
type transited struct {
	def           wf.Definition
	before, after wf.Request
	events        []wf.Event
	deliveries    []outbox.Delivery
}

// transit runs a transition of a locked request. It writes nothing.
func (a *answers) transit(tx *store.Tx, before wf.Request, step transition) (transited, error) {
	done := transited{before: before}
	var err error
	if done.def, err = tx.Definition(before.PolicyKey, before.PolicyVersion); err != nil {
		return done, err
	}
	var refused error
	done.after, done.events, refused = a.step(tx, tx.Now(), func(f wf.Facts) (wf.Request, []wf.Event, error) { return step(before, done.def, f) })
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
	a.steps = append(a.steps, step{t.before, t.after})
	return tx.PutRequest(t.before, t.after, t.events, t.deliveries, reply)
}

// apply is change for the service's own transitions, inside an open transaction.
func (a *answers) apply(tx *store.Tx, id string, step transition) error {
	before, err := tx.Request(store.ByID(id))
	if err != nil {
		return err
	}
	done, err := a.transit(tx, before, step)
	if err != nil {
		return err
	}
	return a.write(tx, done, nil)
}

// deliveriesOf returns the deliveries of the events of a request.
func (a *answers) deliveriesOf(tx *store.Tx, before, r wf.Request, def wf.Definition, events []wf.Event) ([]outbox.Delivery, error) {
	endpoints, err := tx.Outbox.Endpoints()
	if err != nil {
		return nil, err
	}
	people, err := a.notices(tx, before, r, events)
	if err != nil {
		return nil, err
	}
	also := wf.Audience{Named: def.Settings.Webhooks, Callback: r.CallbackURL, Pages: a.Pages, Context: def.Settings.Redacted(r.Context)}
	var all []outbox.Delivery
	for _, event := range events {
		also.People = people[event.ID]
		list, err := event.Deliveries(endpoints, also, newID)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// match refuses when a caller's If-Match names another revision than the current
// one. No operation answers 412, so it is a state conflict.
func match(ifMatch string, rev int64) error {
	if ifMatch == "" || ifMatch == "*" || ifMatch == ETag(rev) {
		return nil
	}
	return wf.Refuse(wf.WrongState, "the resource has changed since it was read")
}
