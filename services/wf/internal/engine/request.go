package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/schema"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// ETag is the entity tag of a revision, as callers see it.
func ETag(rev int64) string { return `"` + strconv.FormatInt(rev, 10) + `"` }

// RequestInput is what a caller says of a new request.
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
	id := newID() // the same in every turn: resolvers are told it
	err := e.do(ctx, func(tx *store.Tx, a *answers) error {
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
		def, err := tx.Definition(in.PolicyKey, start.Version)
		if err != nil {
			return err
		}
		r, events, err := e.start(ctx, tx, a, id, by, in, def, start.Version)
		if err != nil {
			return err
		}
		if start.OpenRequest != "" && r.OneOpen && !r.Status.Final() {
			return artifactTaken(tx, by, start.OpenRequest)
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

// start checks what the caller may ask for and runs the domain. It writes nothing.
func (e *Engine) start(ctx context.Context, tx *store.Tx, a *answers, id string, by wf.Actor, in RequestInput, def wf.Definition, version int) (wf.Request, []wf.Event, error) {
	draft := wf.Request{
		ID: id, PolicyKey: in.PolicyKey, PolicyVersion: version,
		ArtifactType: in.ArtifactType, ArtifactID: in.ArtifactID, Title: in.Title, Link: in.Link,
		Priority: in.Priority, Labels: in.Labels, Comment: in.Comment, Attachments: in.Attachments, CallbackURL: in.CallbackURL,
		Context: in.Context, ContextHash: in.ContextHash, Revision: 1, CreatedAt: tx.Now,
		Requester: by.User, SubmittedBy: by.User,
	}
	if in.Requester != "" && in.Requester != by.ID {
		draft.Requester = wf.User{ID: in.Requester}
	}
	if err := e.maySubmit(ctx, a, by, draft, def, tx.Now); err != nil {
		return draft, nil, err
	}
	if in.CallbackURL != "" {
		if err := e.Callback(in.CallbackURL); err != nil {
			return draft, nil, wf.Refuse(wf.EngineRefused, "callback_url: %s", err)
		}
	}
	if in.ExpiresIn != "" {
		ends, err := expiry(def, in.ExpiresIn, tx.Now)
		if err != nil {
			return draft, nil, err
		}
		draft.ExpiresAt = ends
	}
	return e.open(ctx, by, draft, def, e.world(ctx, tx, a, def, tx.Now))
}

// open judges the context and the policy's conditions and starts the request.
func (e *Engine) open(ctx context.Context, by wf.Actor, draft wf.Request, def wf.Definition, w wf.World) (wf.Request, []wf.Event, error) {
	if err := checkContext(def, draft.Context); err != nil {
		return draft, nil, err
	}
	return wf.NewRequest(draft, def, e.automatic(ctx, draft, def, w.At), by, w)
}

// maySubmit applies settings.submitters and settings.on_behalf.
func (e *Engine) maySubmit(ctx context.Context, a *answers, by wf.Actor, draft wf.Request, def wf.Definition, now time.Time) error {
	s := def.Settings
	permitted := s.Submitters == nil
	p := planner{Engine: e, answers: a, ctx: ctx, def: def, now: now}
	var unanswered error
	for _, rule := range s.Submitters {
		// A rule that fails permits nobody.
		people, err := p.people(rule, draft, "", 0)
		if errors.Is(err, wf.ResolverFailed) {
			unanswered = err
		}
		permitted = permitted || err == nil && slices.ContainsFunc(people, func(u wf.User) bool { return u.ID == by.ID })
	}
	if !permitted && unanswered != nil {
		return wf.NoAnswer("submitters of policy %s: %s", draft.PolicyKey, message(unanswered))
	}
	if !permitted {
		return wf.Refuse(wf.Forbidden, "policy %s does not let this caller create requests", draft.PolicyKey)
	}
	if draft.Requester.ID == by.ID {
		return nil
	}
	switch s.OnBehalf {
	case wf.BehalfSubmitters:
		return nil
	case wf.BehalfNone:
	default:
		if by.Has(wf.Admin) {
			return nil
		}
	}
	return wf.Refuse(wf.Forbidden, "policy %s does not let this caller create requests for others", draft.PolicyKey)
}

// automatic is what the policy decides by itself. Rejecting goes first, and an
// expression that fails approves nothing and rejects nothing.
func (e *Engine) automatic(ctx context.Context, draft wf.Request, def wf.Definition, now time.Time) wf.Automatic {
	in := facts(draft, def, now)
	holds := func(expr string) bool {
		if expr == "" {
			return false
		}
		ok, err := e.Conditions.Bool(ctx, expr, in)
		return ok && err == nil
	}
	switch {
	case holds(def.Settings.AutoRejectWhen):
		return wf.AutoReject
	case holds(def.Settings.AutoApproveWhen):
		return wf.AutoApprove
	default:
		return ""
	}
}

func checkContext(def wf.Definition, context []byte) error {
	if len(def.ContextSchema) == 0 {
		return nil
	}
	if err := schema.Validate(def.ContextSchema, context); err != nil {
		return wf.Refuse(wf.EngineRefused, "context: %s", err)
	}
	return nil
}

// expiry is when a request ends whose caller named a lifetime: at that time, or
// when the policy says, whichever is first.
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

// Request returns a request to those who may see it: viewers, admins and
// everybody who has or had a part in it.
func (e *Engine) Request(ctx context.Context, by wf.Actor, id string) (Case, error) {
	r, err := e.store.ReadRequest(ctx, id)
	if err != nil {
		return Case{}, err
	}
	if !by.Has(wf.Viewer) && !r.Participates(by.ID) {
		return Case{}, wf.Refuse(wf.Forbidden, "no part in request %s", id)
	}
	return e.withDefinition(ctx, r)
}

func (e *Engine) withDefinition(ctx context.Context, r wf.Request) (Case, error) {
	def, _, err := e.store.Definition(ctx, r.PolicyKey, r.PolicyVersion)
	return Case{Request: r, Definition: def}, err
}

// Requests lists requests. A caller without a role sees those he has a part in.
func (e *Engine) Requests(ctx context.Context, by wf.Actor, f store.RequestFilter, p store.Page) ([]wf.Request, string, error) {
	if !by.Has(wf.Viewer) {
		f.Own = by.ID
	}
	return e.store.Requests(ctx, f, p)
}

// CancelRequest withdraws a request.
func (e *Engine) CancelRequest(ctx context.Context, by wf.Actor, id, reason, ifMatch string, rep Repeatable) (Reply, error) {
	return e.change(ctx, rep, byID(id), func(r wf.Request, def wf.Definition, w wf.World) (wf.Request, []wf.Event, error) {
		after, events, err := r.Cancel(def, reason, by, w)
		if err == nil {
			err = match(ifMatch, r.Rev)
		}
		return after, events, err
	})
}

// ResubmitRequest answers a request for changes. context is nil to keep what there is.
func (e *Engine) ResubmitRequest(ctx context.Context, by wf.Actor, id string, context []byte, hash, comment, ifMatch string, rep Repeatable) (Reply, error) {
	return e.change(ctx, rep, byID(id), func(r wf.Request, def wf.Definition, w wf.World) (wf.Request, []wf.Event, error) {
		after, events, err := r.Resubmit(def, context, hash, comment, by, w)
		if err == nil && context != nil {
			err = checkContext(def, context)
		}
		if err == nil {
			err = match(ifMatch, r.Rev)
		}
		return after, events, err
	})
}

func byID(id string) func(*store.Tx) (wf.Request, error) {
	return func(tx *store.Tx) (wf.Request, error) { return tx.Request(id) }
}

// ExpireRequests ends at most limit requests whose time is over and returns how
// many it looked at. One that fails does not hold up the others.
func (e *Engine) ExpireRequests(ctx context.Context, now time.Time, limit int) (int, error) {
	due, err := e.store.ExpiredRequests(ctx, now, limit)
	if err != nil {
		return 0, err
	}
	return len(due), e.settle(ctx, due, func(tx *store.Tx, a *answers, id string) error {
		return e.apply(ctx, tx, a, id, func(r wf.Request, def wf.Definition, w wf.World) (wf.Request, []wf.Event, error) {
			return r.Expire(def, w)
		})
	})
}

// RetryResolutions tries at most limit requests again that wait for somebody who says
// who may approve, and returns how many it looked at. One that fails does not hold
// up the others.
func (e *Engine) RetryResolutions(ctx context.Context, now time.Time, limit int) (int, error) {
	due, err := e.store.DueResolutions(ctx, now, limit)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	failures := make([]error, len(due))
	var group errgroup.Group
	group.SetLimit(askedAtOnce) // each may wait for its answer
	for i, id := range due {
		group.Go(func() error {
			failures[i] = e.do(ctx, func(tx *store.Tx, a *answers) error {
				return e.apply(ctx, tx, a, id, func(r wf.Request, def wf.Definition, w wf.World) (wf.Request, []wf.Event, error) {
					return r.Resolve(def, w)
				})
			})
			return nil
		})
	}
	_ = group.Wait()
	e.Wake()
	return len(due), errors.Join(failures...)
}

const (
	missingAtOnce = 20 // people who are looked up with one question
	allMissing    = 3  // from so many of them, and nobody known, the directory is in doubt
)

// ReplaceMissing takes their tasks from people whom the directory does not know any
// more, or whose accounts are disabled; see wf.Request.Replace. One request that
// fails does not hold up the others. A directory that knows nobody at all is not
// believed: a wrong realm would take every task from everybody.
func (e *Engine) ReplaceMissing(ctx context.Context) error {
	if !e.Directory {
		return nil
	}
	var failures []error
	for last := ""; ; {
		ids, err := e.store.LiveAssignees(ctx, last, missingAtOnce)
		if err != nil || len(ids) == 0 {
			return errors.Join(append(failures, err)...)
		}
		last = ids[len(ids)-1]
		known, err := e.Resolve(ctx, whether(ids...))
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		if len(known) == 0 && len(ids) >= allMissing {
			return errors.Join(append(failures, fmt.Errorf("the directory knows none of %d people who hold tasks: is it the one of the token issuer?", len(ids)))...)
		}
		for _, id := range ids {
			if slices.ContainsFunc(known, func(u wf.User) bool { return u.ID == id }) {
				continue
			}
			requests, err := e.store.HeldBy(ctx, id)
			if err == nil {
				err = e.settle(ctx, requests, func(tx *store.Tx, a *answers, request string) error {
					return e.apply(ctx, tx, a, request, func(r wf.Request, def wf.Definition, w wf.World) (wf.Request, []wf.Event, error) {
						return r.Replace(def, id, w)
					})
				})
			}
			failures = append(failures, err)
		}
	}
}
