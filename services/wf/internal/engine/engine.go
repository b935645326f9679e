// Package engine implements the use cases of the service, one method per operation. A method opens
// the transaction, loads the rows, calls package wf and writes the result. The rules are in package
// wf.
package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/manage"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/condition"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Options holds the dependencies and settings of an Engine.
type Options struct {
	Store      *store.Store
	Conditions *condition.Env

	Keys seal.Keys // keys for the secrets of webhook endpoints; without them there are no endpoints

	// EndpointURL rejects the URL of an endpoint that the service may not call. Callback rejects a
	// callback_url that the service may not call or has no key for.
	EndpointURL, Callback func(url string) error

	// Resolve answers rules that require a directory or a resolver; nil if neither is configured.
	// It returns wf.ResolverFailed for a temporary failure and wf.EngineRefused for a permanent
	// one. It is called outside transactions.
	Resolve func(context.Context, approver.Question) ([]identity.User, error)

	// Search finds users of the directory by a part of their name, with the errors of Resolve; nil
	// without a directory.
	Search func(ctx context.Context, text string, limit int) ([]identity.User, error)

	Directory bool                    // Resolve answers for a directory
	HTTPRule  func(policy.Rule) error // checks an http rule; nil when there are no resolvers

	// Tells holds the notification defaults; nil if notifications are disabled.
	Tells *Telling

	// Wake notifies the workers that a delivery may be due. It must not block.
	Wake func()

	// Pages is the base URL of the inbox pages, for links in messages; empty if not configured.
	Pages string

	// TokenLifetime is the maximum lifetime of an access token at the API. Tokens of a session that
	// the issuer has ended are rejected for this long.
	TokenLifetime time.Duration

	ServiceApprovers bool // service accounts may claim and decide
	NoPeopleSearch   bool // the search for people is disabled
	FourEyes         bool // a version cannot be activated by its last editor

	// EvaluationTime bounds the evaluations of one operation. The default is 5 s, or Patience if
	// that is longer. Tests set a negative time to force a timeout.
	EvaluationTime time.Duration

	// Patience is the minimum time limit for the questions of an operation. Zero selects the
	// production limits. Tests set a high value, so that they pass on a slow machine.
	Patience time.Duration

	Metrics *metrics.Registry // may be nil
}

// Engine runs the use cases. It is safe for concurrent use.
type Engine struct {
	Options
	*manage.Service[identity.Actor, wf.Page]
	store    *store.Store
	measures *measures
	latest   sync.Map // prefetch hints by policy key
	logouts  logouts
}

// New returns an Engine.
func New(o Options) *Engine {
	e := &Engine{Options: o, store: o.Store, measures: newMeasures(o.Metrics)}
	e.logouts.sessions, e.logouts.subjects = map[string]store.Logout{}, map[string]store.Logout{}
	e.Service = e.endpoints()
	return e
}

// within returns a context that ends after the limit, or after Patience if that is longer.
func (e *Engine) within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, max(limit, e.Patience))
}

// newID returns a UUIDv7. Ids sort by time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// Case is a request with its definition.
type Case struct {
	Request    wf.Request
	Definition policy.Definition
	Events     []wf.Event // the events of the operation; empty for reads
}

// Key and stored reply of an idempotent operation.
type (
	IdempotencyKey = store.Key
	StoredReply    = store.Reply
)

// Repeatable makes an operation idempotent. Encode returns the reply that a repeated call receives.
// It runs inside the transaction, so that the effect and its reply are stored together.
type Repeatable struct {
	Key    *IdempotencyKey // nil without an Idempotency-Key
	Encode func(Case) (StoredReply, error)
}

// Reply is the outcome of an operation: the encoded reply and whether it is a replay.
type Reply struct {
	store.Reply
	Replayed bool
	Case     Case // not set when Replayed
}

// keyReply returns the encoded reply with its key, or nil without a key.
func (r Repeatable) keyReply(reply store.Reply) *store.KeyReply {
	if r.Key == nil {
		return nil
	}
	return &store.KeyReply{Key: *r.Key, Reply: reply}
}

func errKeyReused() error {
	return refusal.New(reason.KeyReused, "this Idempotency-Key was used with another body")
}

// transition is one step of a request under its lock. If it returns both events and a refusal, the
// events are stored and the caller receives the refusal.
type transition func(r wf.Request, def policy.Definition, f wf.Facts) (wf.Request, []wf.Event, error)

// change loads and locks a request, applies the transition and writes the result with the
// deliveries of its events. It runs in one transaction.
func (e *Engine) change(ctx context.Context, by identity.Actor, rep Repeatable, ref store.RequestRef, step transition) (Reply, error) {
	var reply Reply
	var deliveries []outbox.Delivery
	var refused error
	a := e.answers()
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
	def           policy.Definition
	before, after wf.Request
	events        []wf.Event
	deliveries    []outbox.Delivery
}

// transit applies a transition to a locked request. It writes nothing.
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

// apply is change for the service's own transitions. It runs inside an open transaction.
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
func (a *answers) deliveriesOf(tx *store.Tx, before, r wf.Request, def policy.Definition, events []wf.Event) ([]outbox.Delivery, error) {
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

// match returns a state conflict if If-Match names another revision than the current one.
// Operations do not return 412.
func match(ifMatch string, rev int64) error {
	if ifMatch == "" || ifMatch == "*" || ifMatch == ETag(rev) {
		return nil
	}
	return refusal.New(reason.WrongState, "the resource has changed since it was read")
}
