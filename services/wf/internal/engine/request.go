package engine

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// ETag is the entity tag of a revision, as callers see it.
func ETag(rev int64) string { return `"` + strconv.FormatInt(rev, 10) + `"` }

// RequestInput is what a caller says about a new request.
type RequestInput struct {
	PolicyKey    string
	Context      []byte // canonical JSON object
	ContextHash  string
	ArtifactType string
	ArtifactID   string
	Title        string
	Link         string
	Requester    string // user id; empty for the caller
	CallbackURL  string
	Priority     wf.Priority
	Labels       map[string]string
	ExpiresIn    wf.Duration // may only shorten the policy's
	Comment      string
	Attachments  []wf.Attachment
}

// CreateRequest starts a request under the active version of its policy.
func (e *Engine) CreateRequest(ctx context.Context, by wf.Actor, in RequestInput, rep Repeatable) (Reply, error) {
	var reply Reply
	var deliveries []wf.Delivery
	id := newID() // the same each time, since resolvers are told it
	a := e.answers()
	e.foresee(ctx, a, id, by, in)
	err := a.do(ctx, func(tx *store.Tx, a *answers) error {
		reply, deliveries = Reply{}, nil
		start, err := tx.Start(store.StartInput{Key: rep.key(tx.Now), PolicyKey: in.PolicyKey, ArtifactType: in.ArtifactType, ArtifactID: in.ArtifactID})
		switch {
		case err != nil:
			return err
		case start.Reused:
			return errKeyReused()
		case start.Replay != nil:
			reply = Reply{Reply: *start.Replay, Replayed: true}
			return nil
		case !start.PolicyKnown:
			return wf.Refuse(wf.PolicyNotFound, "no policy %s", in.PolicyKey)
		case start.Version == 0:
			return wf.Refuse(wf.PolicyNotFound, "policy %s has no active version", in.PolicyKey)
		}
		e.latest.Store(in.PolicyKey, start.Version)
		def, err := tx.Definition(in.PolicyKey, start.Version)
		if err != nil {
			return err
		}
		r, events, err := a.step(tx, tx.Now, func(f wf.Facts) (wf.Request, []wf.Event, error) { return e.start(id, by, in, def, start.Version, f) })
		if err != nil && !errors.Is(err, wf.ResolverFailed) {
			return err
		}
		// A conflict is said before a missing answer.
		if clash := def.OneOpen(in.ArtifactID) && !r.Status.Final(); clash {
			if err := a.makeWay(tx, start.OpenRequest, by); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		reply.Case = Case{Request: r, Definition: def}
		if reply.Reply, err = rep.Encode(reply.Case); err != nil {
			return err
		}
		if deliveries, err = deliveriesOf(tx, r, def, events); err != nil {
			return err
		}
		return tx.AddRequest(r, events, deliveries, rep.keyReply(reply.Reply))
	})
	if err == nil && len(deliveries) > 0 {
		e.Wake()
	}
	return reply, err
}

// foresee answers the questions of a new request before the transaction, by the version
// that the last request of its policy followed. If another version is active by now,
// its other questions are answered later.
func (e *Engine) foresee(ctx context.Context, a *answers, id string, by wf.Actor, in RequestInput) {
	version, ok := e.latest.Load(in.PolicyKey)
	if !ok {
		return
	}
	def, known := e.store.CachedDefinition(in.PolicyKey, version.(int))
	if !known || !def.AsksOthers() {
		return
	}
	a.prepare(ctx, func(f wf.Facts) (wf.Request, []wf.Event, error) { return e.start(id, by, in, def, version.(int), f) })
}

// makeWay refuses a request for an artifact that another open request is about. A
// request whose time is over expires first.
func (a *answers) makeWay(tx *store.Tx, open string, by wf.Actor) error {
	if open == "" {
		return nil
	}
	other, err := tx.Request(open)
	switch {
	case err != nil:
		return err
	case other.Status.Final():
		return nil // it has ended meanwhile
	case !other.Overdue(tx.Now):
		return artifactTaken(tx, by, other.ID)
	}
	done, err := a.transit(tx, other, expire)
	if err != nil {
		return err
	}
	return done.write(tx, nil)
}

func expire(r wf.Request, def wf.Definition, f wf.Facts) (wf.Request, []wf.Event, error) {
	return r.Expire(def, f)
}

// start checks what the caller may ask for, and runs the domain. It writes nothing.
func (e *Engine) start(id string, by wf.Actor, in RequestInput, def wf.Definition, version int, f wf.Facts) (wf.Request, []wf.Event, error) {
	draft := wf.Request{
		ID: id, PolicyKey: in.PolicyKey, PolicyVersion: version,
		ArtifactType: in.ArtifactType, ArtifactID: in.ArtifactID, Title: in.Title, Link: in.Link,
		Priority: in.Priority, Labels: in.Labels, Comment: in.Comment, Attachments: in.Attachments, CallbackURL: in.CallbackURL,
		Context: in.Context, ContextHash: in.ContextHash, Revision: 1, CreatedAt: f.At,
		Requester: by.User, SubmittedBy: by.User,
	}
	if in.Requester != "" && in.Requester != by.ID {
		draft.Requester = wf.User{ID: in.Requester}
	}
	if in.CallbackURL != "" {
		if err := e.Callback(in.CallbackURL); err != nil {
			return draft, nil, wf.Refuse(wf.EngineRefused, "callback_url: %s", err)
		}
	}
	if in.ExpiresIn != "" {
		ends, err := expiry(def, in.ExpiresIn, f.At)
		if err != nil {
			return draft, nil, err
		}
		draft.ExpiresAt = ends
	}
	return wf.NewRequest(draft, def, by, f)
}

// expiry is when a request ends: after the time that the caller says, or when the
// policy says, whichever is first.
func expiry(def wf.Definition, wanted wf.Duration, now time.Time) (*time.Time, error) {
	ends, err := wf.Lifetime(wanted).Since(now, "")
	if err != nil {
		return nil, wf.RefuseInput("duration_parsing", []any{"body", "expires_in"}, "Value %s", err)
	}
	latest, err := def.Settings.ExpiresAt(now)
	if err != nil {
		return nil, err
	}
	if latest != nil && latest.Before(*ends) {
		return latest, nil
	}
	return ends, nil
}

// Request returns a request to viewers, admins and everybody who has or had a part in
// it.
func (e *Engine) Request(ctx context.Context, by wf.Actor, id string) (Case, error) {
	r, err := e.store.ReadRequest(ctx, id)
	if err != nil {
		return Case{}, err
	}
	if r, err = e.asOfNow(ctx, r); err != nil {
		return Case{}, err
	}
	if !by.Has(wf.RoleViewer) && !r.Participates(by.ID) {
		return Case{}, wf.Refuse(wf.Forbidden, "the caller has no part in request %s", id)
	}
	return e.withDefinition(ctx, r)
}

// asOfNow is a request as callers read it: one whose time is over reads as expired.
func (e *Engine) asOfNow(ctx context.Context, r wf.Request) (wf.Request, error) {
	if r.Status.Final() || r.ExpiresAt == nil {
		return r, nil
	}
	now, err := e.store.Now(ctx)
	return r.AsOf(now), err
}

func (e *Engine) withDefinition(ctx context.Context, r wf.Request) (Case, error) {
	def, _, err := e.store.Definition(ctx, r.PolicyKey, r.PolicyVersion)
	return Case{Request: r, Definition: def}, err
}

// Requests lists requests. A caller without a role sees those in which they have a
// part.
func (e *Engine) Requests(ctx context.Context, by wf.Actor, f store.RequestFilter, p store.Page) ([]wf.Request, string, error) {
	if !by.Has(wf.RoleViewer) {
		f.Own = by.ID
	}
	var err error
	if f.AsOf, err = e.store.Now(ctx); err != nil {
		return nil, "", err
	}
	list, next, err := e.store.Requests(ctx, f, p)
	for i := range list {
		list[i] = list[i].AsOf(f.AsOf)
	}
	return list, next, err
}

// CancelRequest withdraws a request.
func (e *Engine) CancelRequest(ctx context.Context, by wf.Actor, id, reason, ifMatch string, rep Repeatable) (Reply, error) {
	return e.change(ctx, rep, byID(id), func(r wf.Request, def wf.Definition, f wf.Facts) (wf.Request, []wf.Event, error) {
		return matched(ifMatch, r.Rev)(r.Cancel(def, reason, by, f))
	})
}

// ResubmitRequest answers a request for changes. A nil context keeps the old one.
func (e *Engine) ResubmitRequest(ctx context.Context, by wf.Actor, id string, context []byte, hash, comment, ifMatch string, rep Repeatable) (Reply, error) {
	return e.change(ctx, rep, byID(id), func(r wf.Request, def wf.Definition, f wf.Facts) (wf.Request, []wf.Event, error) {
		return matched(ifMatch, r.Rev)(r.Resubmit(def, context, hash, comment, by, f))
	})
}

// ReevaluateRequest looks again, because an admin asks, at the stages that wait for
// approvers to be found.
func (e *Engine) ReevaluateRequest(ctx context.Context, by wf.Actor, id string, rep Repeatable) (Reply, error) {
	return e.change(ctx, rep, byID(id), func(r wf.Request, def wf.Definition, f wf.Facts) (wf.Request, []wf.Event, error) {
		return r.Reevaluate(def, by, f)
	})
}

// matched returns the result of a transition, unless the caller's If-Match names
// another revision. A refusal stays what it is.
func matched(ifMatch string, rev int64) func(wf.Request, []wf.Event, error) (wf.Request, []wf.Event, error) {
	return func(after wf.Request, events []wf.Event, err error) (wf.Request, []wf.Event, error) {
		if err == nil {
			if err = match(ifMatch, rev); err != nil {
				events = nil
			}
		}
		return after, events, err
	}
}

func byID(id string) func(*store.Tx) (wf.Request, error) {
	return func(tx *store.Tx) (wf.Request, error) { return tx.Request(id) }
}
