package engine

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Requests has the use cases of requests, their comments and their timelines.
type Requests struct{ *core }

// RequestInput is the body of a new request.
type RequestInput struct {
	PolicyKey    string
	Version      int    // required active version of the policy; 0 for any
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
	ExpiresIn    policy.Duration // must not exceed the policy's limit
	Comment      string
	Attachments  []wf.Attachment
}

// CreateRequest starts a request under the active version of its policy.
func (e *Requests) CreateRequest(ctx context.Context, by identity.Actor, in RequestInput, key *IdempotencyKey) (Reply, error) {
	c := creation{id: newID(), by: by, in: in, key: key} // constant over all rounds: resolvers receive it
	a := e.answers()
	err := a.do(ctx, c.run)
	if errors.Is(err, store.ErrArtifactTaken) { // no check in advance: conflicts are rare
		c.contested = true
		err = a.do(ctx, c.run)
	}
	e.measures.repeat(key, c.reply, err)
	return c.reply, err
}

// creation is a request before its insertion.
type creation struct {
	id        string
	by        identity.Actor
	in        RequestInput
	key       *IdempotencyKey
	contested bool // an open request for the same artifact was found
	preview   bool // nothing is written

	reply Reply
}

func (c *creation) run(tx *store.Tx, a *answers) error {
	c.reply = Reply{}
	start, err := tx.Start(c.key, c.in.PolicyKey)
	switch {
	case err != nil:
		return err
	case start.Reused:
		return errKeyReused()
	case start.Replay != nil:
		c.reply = Reply{StoredReply: *start.Replay, Replayed: true}
		return nil
	}
	planned, events, err := c.plan(tx, a, start)
	if err != nil {
		return err
	}
	r := planned.Request
	c.reply.Case = planned
	c.reply.StoredReply, err = a.render(tx, http.StatusCreated, c.by, store.Locked{}, c.reply.Case, showRequest)
	if err != nil {
		return err
	}
	c.reply.Location = "/v1/wf/requests/" + r.ID
	deliveries, err := a.deliveriesOf(tx, wf.Request{}, r, planned.Definition, events)
	if err != nil {
		return err
	}
	a.steps = append(a.steps, step{wf.Request{}, r, events, deliveries})
	return tx.AddRequest(r, events, deliveries, keyReply(c.key, c.reply.StoredReply))
}

// plan creates the request under the active version, and writes nothing of it.
func (c *creation) plan(tx *store.Tx, a *answers, start store.Start) (planned wf.Case, events []wf.Event, err error) {
	switch {
	case !start.PolicyKnown:
		return planned, nil, refusal.New(reason.PolicyNotFound, "no policy %s", c.in.PolicyKey)
	case start.Version == 0:
		return planned, nil, refusal.New(reason.PolicyNotFound, "policy %s has no active version", c.in.PolicyKey)
	case c.in.Version != 0 && c.in.Version != start.Version:
		return planned, nil, refusal.New(reason.VersionChanged, "version %d of policy %s is active, not %d",
			start.Version, c.in.PolicyKey, c.in.Version)
	}
	def, err := tx.Policies.Definition(c.in.PolicyKey, start.Version)
	if err != nil {
		return planned, nil, err
	}
	r, events, err := a.step(tx.Now(), func(f wf.Facts) (wf.Request, []wf.Event, error) {
		return a.start(c.id, c.by, c.in, def, start.Version, f)
	})
	if err != nil && !errors.Is(err, reason.ResolverFailed) {
		return planned, nil, err
	}
	if c.contested || err != nil { // a conflict takes precedence over a missing answer
		err = cmp.Or(a.ensureArtifactFree(tx, r, def, c.by, !c.preview), err)
	}
	return wf.Case{Request: r, Definition: def, Now: tx.Now()}, events, err
}

// PreviewRequest is CreateRequest without an effect, and with its refusals.
func (e *Requests) PreviewRequest(ctx context.Context, by identity.Actor, in RequestInput) (planned wf.Case, err error) {
	c := creation{id: newID(), by: by, in: in, contested: true, preview: true}
	err = e.do(ctx, func(tx *store.Tx, a *answers) error {
		start, err := tx.Start(nil, in.PolicyKey)
		if err == nil {
			planned, _, err = c.plan(tx, a, start)
		}
		return err
	})
	return planned, err
}

// ensureArtifactFree rejects a request for an artifact with another open request. An overdue request expires
// first; with expire, it is stored.
func (a *answers) ensureArtifactFree(
	tx *store.Tx, r wf.Request, def policy.Definition, by identity.Actor, expire bool,
) error {
	if !def.OneOpen(r.ArtifactID) || r.Status.Final() {
		return nil
	}
	open, err := tx.OpenRequest(r.PolicyKey, r.ArtifactType, r.ArtifactID)
	if err != nil || open == "" {
		return err
	}
	locked, err := tx.ClaimRequest(nil, store.ByID(open), "")
	other := locked.Request
	switch {
	case err != nil:
		return err
	case other.Status.Final():
		return nil // ended by another transaction
	case !other.Overdue(tx.Now()):
		return artifactTaken(tx, by, other.ID)
	case !expire:
		return nil
	}
	done, err := a.transit(tx, locked, identity.Actor{}, wf.EndByTime)
	if err != nil {
		return err
	}
	return a.write(tx, done, nil)
}

// start validates the input and creates the request in the domain. It writes nothing.
func (a *answers) start(
	id string,
	by identity.Actor,
	in RequestInput,
	def policy.Definition,
	version int,
	f wf.Facts,
) (wf.Request, []wf.Event, error) {
	draft := wf.Request{
		ID: id, PolicyKey: in.PolicyKey, PolicyVersion: version,
		ArtifactType: cmp.Or(in.ArtifactType, def.ArtifactType), ArtifactID: in.ArtifactID, Title: in.Title, Link: in.Link,
		Priority: in.Priority, Labels: in.Labels, Comment: in.Comment, Attachments: in.Attachments, CallbackURL: in.CallbackURL,
		Context: in.Context, ContextHash: in.ContextHash, Revision: 1, CreatedAt: f.At,
		Requester: by.User, SubmittedBy: by.User, Acting: by.Acting,
	}
	if in.Requester != "" && in.Requester != by.ID {
		draft.Requester = identity.User{ID: in.Requester}
	}
	if in.CallbackURL != "" {
		if err := a.Callback(in.CallbackURL); err != nil {
			return draft, nil, refusal.New(reason.EngineRefused, "callback_url: %s", err)
		}
	}
	if in.ExpiresIn != "" {
		ends, err := expiry(in.PolicyKey, def, in.ExpiresIn, f.At)
		if err != nil {
			return draft, nil, err
		}
		draft.ExpiresAt = ends
	}
	return wf.NewRequest(draft, def, by, f)
}

// expiry returns the end of a request with the caller's lifetime. It rejects a time after the end
// that the policy sets.
func expiry(key string, def policy.Definition, wanted policy.Duration, now time.Time) (*time.Time, error) {
	ends, err := policy.Lifetime(wanted).End(now, "")
	if err != nil {
		return nil, refusal.At(reason.BadDuration, "/expires_in", "Value %s", err)
	}
	latest, err := def.Settings.ExpiresAt(now)
	if err != nil {
		return nil, err
	}
	if latest != nil && latest.Before(*ends) {
		return nil, refusal.New(reason.EngineRefused, "expires_in: is longer than settings.expires_in of policy %s", key)
	}
	return ends, nil
}

// FindApproval returns the id of the caller's newest request for a content under a policy that is open or whose
// approval is in force; empty without one. count is the number of all requests of the caller for the content.
func (e *Requests) FindApproval(ctx context.Context, by identity.Actor, policyKey, contextHash string) (id string, count int, err error) {
	return e.store.FindApproval(ctx, by.ID, policyKey, contextHash)
}

// GetRequest returns a request, as visible to the caller. Readers are WF_VIEWER, its participants, and the consumers and
// owners of its policy.
func (e *Requests) GetRequest(ctx context.Context, by identity.Actor, id string) (wf.Case, error) {
	c, rd, err := e.read(ctx, by, store.ByID(id))
	rd.Consumer = err == nil && c.Definition.Settings.Consumers.Includes(by)
	if err = requireReader(rd, err, "request "+id); err != nil {
		return wf.Case{}, err
	}
	return c.VisibleTo(rd), nil
}

// loadReadable returns the request of ref and the caller as its reader; name is used in the refusal.
// Without WF_VIEWER, a missing request is rejected like one of other users, so that the reply does
// not disclose existing ids.
func (e *core) loadReadable(ctx context.Context, by identity.Actor, ref store.RequestRef, name string) (wf.Case, wf.Reader, error) {
	c, rd, err := e.read(ctx, by, ref)
	if err = requireReader(rd, err, name); err != nil {
		return wf.Case{}, rd, err
	}
	return c, rd, nil
}

// read returns the request of ref and the caller as its reader, before the check of their right.
func (e *core) read(ctx context.Context, by identity.Actor, ref store.RequestRef) (wf.Case, wf.Reader, error) {
	found, err := e.store.ReadRequestFor(ctx, ref, by.ID)
	rd := wf.Reader{Actor: by}
	rd.Owner = found.Owners.Includes(by)
	if err != nil {
		return wf.Case{}, rd, err
	}
	c := wf.Case{
		Request: found.Request.AsOf(found.Now).WithClaims(found.Delegations, found.Now), Now: found.Now, Owner: rd.Owner,
		Delegations: found.Delegations,
	}
	c.Definition, err = e.store.Policies.Definition(ctx, c.Request.PolicyKey, c.Request.PolicyVersion)
	rd.Part = c.HasPart(by.ID)
	return c, rd, err
}

// requireReader returns the error of a read, or the refusal of a caller without the right to read.
func requireReader(rd wf.Reader, err error, name string) error {
	missing := errors.Is(err, reason.RequestNotFound) || errors.Is(err, reason.TaskNotFound)
	if (err == nil || missing) && !rd.MayRead() {
		return refusal.New(reason.Forbidden, "the caller has no part in %s", name)
	}
	return err
}

// GetRevision returns a revision of a request to readers of the request.
func (e *Requests) GetRevision(ctx context.Context, by identity.Actor, id string, number int) (wf.Revision, error) {
	c, rd, err := e.loadReadable(ctx, by, store.ByID(id), "request "+id)
	if err != nil {
		return wf.Revision{}, err
	}
	return e.revisionOf(ctx, c, rd, number)
}

// revisionOf returns a revision of a request, as visible to its reader.
func (e *Requests) revisionOf(ctx context.Context, c wf.Case, rd wf.Reader, number int) (revision wf.Revision, err error) {
	revision = wf.Revision{Number: number, Context: c.Request.Context, ContextHash: c.Request.ContextHash}
	if c.Request.Revision != number {
		revision, err = e.store.Revision(ctx, c.Request.ID, number)
	}
	revision.Context = rd.Content(revision.Context, c.Definition)
	return revision, err
}

// ListRequests lists requests. A caller without a role receives only requests in which they
// participate, and those of policies that they own.
func (e *Requests) ListRequests(ctx context.Context, by identity.Actor, f wf.RequestFilter, p wf.Page) ([]wf.Request, string, error) {
	if !by.Has(identity.RoleViewer) {
		f.Own = by.ID
		var err error
		if f.Owned, err = e.store.Policies.Owned(ctx, by); err != nil {
			return nil, "", err
		}
	}
	return e.store.Requests(ctx, f, p)
}

// IsOwner reports whether a caller owns the policy of a request.
func (e *Requests) IsOwner(ctx context.Context, by identity.Actor, id string) (bool, error) {
	return e.store.OwnsRequest(ctx, by, id)
}

// Definition returns the definition that a request follows. The caller reads the request.
func (e *Requests) Definition(ctx context.Context, r wf.Request) (policy.Definition, error) {
	return e.store.Policies.Definition(ctx, r.PolicyKey, r.PolicyVersion)
}

// OwnRequest is a request of a list with the assignees of its open tasks.
type OwnRequest struct {
	wf.Request
	Assignees []identity.User
}

// ListOwnRequests lists requests in which the caller participates.
func (e *Requests) ListOwnRequests(
	ctx context.Context, by identity.Actor, f wf.RequestFilter, p wf.Page,
) ([]OwnRequest, string, error) {
	f.Own = by.ID
	list, next, err := e.store.Requests(ctx, f, p)
	if err != nil || len(list) == 0 {
		return nil, next, err
	}
	var ids []string
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	assignees, err := e.store.Assignees(ctx, ids)
	if err != nil {
		return nil, "", err
	}
	own := make([]OwnRequest, len(list))
	for i, r := range list {
		own[i] = OwnRequest{r, assignees[r.ID]}
	}
	return own, next, nil
}

// CancelRequest withdraws a request.
func (e *Requests) CancelRequest(ctx context.Context, by identity.Actor, id, reason, ifMatch string, key *IdempotencyKey) (Reply, error) {
	return e.change(ctx, onRequest(by, id, ifMatch, key).byAgents(), wf.Cancel(reason))
}

// MoveDueDate moves the due date of a stage, for admins and owners. A reason is required.
func (e *Requests) MoveDueDate(
	ctx context.Context, by identity.Actor, id, stage string, to time.Time, why, ifMatch string,
) (Reply, error) {
	return e.change(ctx, ofOwners(by, id, ifMatch, nil), wf.MoveDueDate(stage, to, why))
}

// RevokeRequest ends the approval of a request. cause is not blank.
func (e *Requests) RevokeRequest(
	ctx context.Context, by identity.Actor, id, cause, ifMatch string, key *IdempotencyKey,
) (Reply, error) {
	return e.change(ctx, ofOwners(by, id, ifMatch, key), wf.Revoke(cause))
}

// ConsumeRequest uses the approval of a request, once. The reply has the receipt, if receipts are enabled.
func (e *Requests) ConsumeRequest(
	ctx context.Context, by identity.Actor, id string, in wf.Consumption, key *IdempotencyKey,
) (Reply, error) {
	c := onRequest(by, id, "", key).byAgents()
	if !e.Receipts.Empty() {
		evidence, err := e.receiptEvidence(ctx, id)
		if err != nil {
			return Reply{}, err
		}
		c.show = e.showConsumed(evidence)
	}
	return e.change(ctx, c, wf.Consume(in))
}

// ResubmitRequest resubmits a request after a request for changes. A nil context keeps the current one.
func (e *Requests) ResubmitRequest(
	ctx context.Context, by identity.Actor, id string, context []byte, hash, comment, ifMatch string, key *IdempotencyKey,
) (Reply, error) {
	return e.change(ctx, onRequest(by, id, ifMatch, key).byAgents(), wf.Resubmit(context, hash, comment))
}

// PreviewResubmission is ResubmitRequest without an effect, and with its refusals.
func (e *Requests) PreviewResubmission(
	ctx context.Context, by identity.Actor, id string, context []byte, hash string,
) (wf.Case, error) {
	c, _, err := e.answers().try(ctx, by, id, wf.Resubmit(context, hash, ""))
	return c, err
}

// ReevaluateRequest resolves the approvers of waiting stages again, on behalf of an admin or an owner. Other callers are
// refused alike for an unknown request.
func (e *Requests) ReevaluateRequest(ctx context.Context, by identity.Actor, id string) (Reply, error) {
	reply, err := e.change(ctx, ofOwners(by, id, "", nil), wf.Reevaluate)
	if errors.Is(err, reason.RequestNotFound) {
		err = cmp.Or(wf.RequireManager(by, "re-evaluate a request"), err)
	}
	return reply, err
}
