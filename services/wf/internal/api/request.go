package api

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// requestHandlers serves the operations on requests.
type requestHandlers struct{ *API }

func (h requestHandlers) mount() {
	register(h.API, operation{"createRequest", post, "/v1/wf/requests", anyone, 201,
		[]error{reason.PolicyNotFound, reason.EngineRefused, reason.WrongState, reason.ResolverFailed, reason.KeyReused},
		"Create an approval request"}, h.createRequest)
	register(h.API, operation{"previewRequest", post, "/v1/wf/policies/{key}/preview", anyone, 200,
		[]error{reason.EngineRefused, reason.WrongState, reason.ResolverFailed},
		"Preview the approvers of a request"}, h.previewRequest)
	register(h.API, operation{"listRequests", get, "/v1/wf/requests", anyone, 200, nil,
		"Search requests; without a role, those of the caller"}, h.listRequests)
	register(h.API, operation{"listStuckRequests", get, "/v1/wf/admin/requests/stuck", viewers, 200, nil,
		"List stuck requests"}, h.listStuckRequests)
	register(h.API, operation{"getRequest", get, "/v1/wf/requests/{id}", anyone, 200, nil,
		"Read a request"}, h.getRequest)
	register(h.API, operation{"getRevision", get, "/v1/wf/requests/{id}/revisions/{n}", anyone, 200, nil,
		"Read a revision of a request"}, h.getRevision)
	register(h.API, operation{"listEvents", get, "/v1/wf/requests/{id}/events", anyone, 200, nil,
		"Read the timeline of a request, and verify it"}, h.listEvents)
	register(h.API, operation{"listComments", get, "/v1/wf/requests/{id}/comments", anyone, 200, nil,
		"List the comments on a request"}, h.listComments)
	register(h.API, operation{"addComment", post, "/v1/wf/requests/{id}/comments", anyone, 200,
		[]error{reason.WrongState, reason.KeyReused}, "Comment on a request"}, h.addComment)
	register(h.API, operation{"cancelRequest", post, "/v1/wf/requests/{id}/cancel", anyone, 200,
		[]error{reason.WrongState, reason.KeyReused}, "Cancel a request"}, h.cancelRequest)
	register(h.API, operation{"resubmitRequest", post, "/v1/wf/requests/{id}/resubmit", anyone, 200,
		[]error{reason.EngineRefused, reason.WrongState, reason.ResolverFailed, reason.KeyReused},
		"Resubmit a request after a request for changes"}, h.resubmitRequest)
	register(h.API, operation{"revokeRequest", post, "/v1/wf/requests/{id}/revoke", anyone, 200,
		[]error{reason.WrongState, reason.KeyReused}, "Revoke the approval of a request"}, h.revokeRequest)
	register(h.API, operation{"consumeRequest", post, "/v1/wf/requests/{id}/consume", anyone, 200,
		[]error{reason.WrongState, reason.KeyReused}, "Consume the approval of a request"}, h.consumeRequest)
	register(h.API, operation{"moveDueDate", patch, "/v1/wf/requests/{id}/stages/{key}", h.orOwners(admins), 200,
		[]error{reason.WrongState}, "Move the due date of a stage"}, h.moveDueDate)
	register(h.API, operation{"reevaluateRequest", post, "/v1/wf/admin/requests/{id}/reevaluate", h.orOwners(admins), 200,
		[]error{reason.WrongState, reason.ResolverFailed}, "Re-evaluate a request"}, h.reevaluateRequest)
}

type createRequestInput struct {
	Keyed
	Body struct {
		PolicyKey string `json:"policy_key" minLength:"1" maxLength:"128" doc:"Policy that the request is judged by: its active version."`
		Draft
		Title       string            `json:"title,omitempty" maxLength:"200" doc:"Title for people."`
		Link        string            `json:"link,omitempty" maxLength:"2048" pattern:"^https://[^\\s]+$" doc:"https URL"`
		CallbackURL string            `json:"callback_url,omitempty" minLength:"1" maxLength:"2048" doc:"URL that request.* events are sent to, on an allowed host."`
		Priority    wf.Priority       `json:"priority,omitempty" doc:"normal when absent"`
		Labels      map[string]string `json:"labels,omitempty" maxProperties:"20" doc:"Labels to filter by; keys of 1 to 64 bytes, values of at most 256."`
		ExpiresIn   policy.Duration   `json:"expires_in,omitempty" minLength:"1" maxLength:"64" doc:"ISO 8601 duration; a longer one than the policy's is refused."`
		Comment     string            `json:"comment,omitempty" maxLength:"4096" doc:"Comment for the approvers."`
		Attachments []wf.Attachment   `json:"attachments,omitempty" maxItems:"20" doc:"References to documents that belong to the request."`
	}
}

func (in *createRequestInput) checkInput() error {
	return cmp.Or(in.Body.check(in.Body.Title, in.Body.Labels), checkAttachments(in.Body.Attachments))
}

func (h requestHandlers) createRequest(ctx context.Context, in *createRequestInput) (result[view.Request], error) {
	b := in.Body
	return renderedReply[view.Request](h.engine.Requests.CreateRequest(ctx, actorOf(ctx), engine.RequestInput{
		PolicyKey: b.PolicyKey, Context: b.canonical, ContextHash: b.hash, ArtifactType: b.ArtifactType, ArtifactID: b.ArtifactID,
		Title: b.Title, Link: b.Link, Requester: b.Requester, CallbackURL: b.CallbackURL,
		Priority: cmp.Or(b.Priority, wf.PriorityNormal), Labels: b.Labels, ExpiresIn: b.ExpiresIn, Comment: b.Comment,
		Attachments: b.Attachments,
	}, in.key))
}

type getRequestInput struct {
	Identified
	LongPoll
}

func (h requestHandlers) getRequest(ctx context.Context, in *getRequestInput) (result[view.Request], error) {
	c, waited, err := h.await(ctx, in.LongPoll, in.ID)
	if err != nil {
		return result[view.Request]{}, err
	}
	shown := view.NewRequest(actorOf(ctx), c)
	return result[view.Request]{Value: shown, ETag: shown.ETag, Waited: waited}, nil
}

type listRequestsInput struct {
	Paged
	Labelled
	Status        []wf.RequestStatus `query:"status" doc:"Requests in one of these states."`
	PolicyKey     []string           `query:"policy_key,explode" maxItems:"50" doc:"Requests of one of these policies."`
	ArtifactType  []string           `query:"artifact_type,explode" maxItems:"50" doc:"Requests about one of these types."`
	ArtifactID    []string           `query:"artifact_id,explode" maxItems:"50" doc:"Requests about one of these artifacts."`
	Requester     string             `query:"requester" maxLength:"255" doc:"User id, or me."`
	Participant   string             `query:"participant" maxLength:"255" doc:"User id, or me: requester, submitter, assignee, candidate or delegate."`
	CreatedAfter  time.Time          `query:"created_after" doc:"Exclusive."`
	CreatedBefore time.Time          `query:"created_before" doc:"Exclusive."`
	Standing      []wf.Standing      `query:"standing" doc:"Approved requests with one of these standings."`
	ValidBefore   time.Time          `query:"valid_before" doc:"Approved requests whose validity ends before, exclusive."`
	Overdue       flag               `query:"overdue" doc:"true: open requests with a stage past its due date. false: all others."`
	DueBefore     time.Time          `query:"due_before" doc:"Open requests with a stage due before, exclusive."`
	Q             string             `query:"q" maxLength:"200" doc:"Part of the title or the artifact id."`
	Sort          string             `query:"sort" enum:"created_at,priority,due_at" doc:"created_at, newest first, when absent. priority is the most urgent first, and of those the oldest. due_at is the earliest first; requests without a due date are last."`
}

func (h requestHandlers) listRequests(ctx context.Context, in *listRequestsInput) (result[Page[view.RequestHead]], error) {
	by := actorOf(ctx)
	requests, next, err := h.engine.Requests.ListRequests(ctx, by, wf.RequestFilter{
		Status: in.Status, PolicyKey: in.PolicyKey, ArtifactType: in.ArtifactType, ArtifactID: in.ArtifactID,
		Requester: resolveMe(in.Requester, by), Participant: resolveMe(in.Participant, by), CreatedAfter: in.CreatedAfter, CreatedBefore: in.CreatedBefore,
		Standing: in.Standing, ValidBefore: in.ValidBefore,
		Due: wf.DueFilter{Overdue: in.Overdue.value(), Before: in.DueBefore},
		Q:   in.Q, Labels: in.labels, Sort: in.Sort,
	}, in.page())
	return listReply(requests, next, err, view.NewRequestHead)
}

type cancelRequestInput struct {
	Identified
	Guarded
	Keyed
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"4096" doc:"Reason, for people."`
	}
}

func (h requestHandlers) cancelRequest(ctx context.Context, in *cancelRequestInput) (result[view.Request], error) {
	return renderedReply[view.Request](h.engine.Requests.CancelRequest(ctx, actorOf(ctx), in.ID, bodyOrZero(in.Body).Reason, in.IfMatch, in.key))
}

// checkReason rejects a required reason without a visible character.
func checkReason(text string) error {
	if identity.IsBlank(text) {
		return refusal.At(reason.TooShort, "/reason", "String should contain a character other than white space")
	}
	return nil
}

type moveDueDateInput struct {
	Identified
	Guarded
	Key  string `path:"key" doc:"Key of the stage"`
	Body struct {
		DueAt  time.Time `json:"due_at" doc:"New due date of the latest run of the stage; in the future."`
		Reason string    `json:"reason" minLength:"1" maxLength:"4096" doc:"Reason, for people."`
	}
}

func (in *moveDueDateInput) checkInput() error {
	return cmp.Or(checkReason(in.Body.Reason), checkYear("due_at", in.Body.DueAt))
}

func (h requestHandlers) moveDueDate(ctx context.Context, in *moveDueDateInput) (result[view.Request], error) {
	return renderedReply[view.Request](h.engine.Requests.MoveDueDate(
		ctx, actorOf(ctx), in.ID, in.Key, millis(in.Body.DueAt), in.Body.Reason, in.IfMatch))
}

type revokeRequestInput struct {
	Identified
	Guarded
	Keyed
	Body struct {
		Reason string `json:"reason" minLength:"1" maxLength:"4096" doc:"Reason, for people."`
	}
}

func (in *revokeRequestInput) checkInput() error { return checkReason(in.Body.Reason) }

func (h requestHandlers) revokeRequest(ctx context.Context, in *revokeRequestInput) (result[view.Request], error) {
	return renderedReply[view.Request](h.engine.Requests.RevokeRequest(ctx, actorOf(ctx), in.ID, in.Body.Reason, in.IfMatch, in.key))
}

type consumeRequestInput struct {
	Identified
	Keyed
	Body struct {
		ContextHash string `json:"context_hash" minLength:"1" maxLength:"100" doc:"context_hash of the content about to be used."`
		Consumer    string `json:"consumer,omitempty" maxLength:"200" doc:"Name of the use, for people."`
	}
}

func (in *consumeRequestInput) checkInput() error {
	if err := identity.CheckLabel(in.Body.Consumer); err != nil {
		return refusal.At(reason.BadInput, "/consumer", "%s", err)
	}
	return nil
}

func (h requestHandlers) consumeRequest(ctx context.Context, in *consumeRequestInput) (result[view.ConsumedRequest], error) {
	use := wf.Consumption{ContextHash: in.Body.ContextHash, Consumer: in.Body.Consumer}
	return renderedReply[view.ConsumedRequest](h.engine.Requests.ConsumeRequest(ctx, actorOf(ctx), in.ID, use, in.key))
}

type resubmitRequestInput struct {
	Identified
	Guarded
	Keyed
	Body *struct {
		Context *view.Object `json:"context,omitempty" doc:"The new content; the old one stays when absent."`
		Comment string       `json:"comment,omitempty" maxLength:"4096" doc:"Comment for the approvers."`
	}

	context []byte // in canonical form; nil when absent
	hash    string
}

// checkInput rejects an invalid context and keeps the canonical form of a valid one.
func (in *resubmitRequestInput) checkInput() (err error) {
	if b := bodyOrZero(in.Body); b.Context != nil {
		in.context, in.hash, err = canonicalContext(*b.Context)
	}
	return err
}

func (h requestHandlers) resubmitRequest(ctx context.Context, in *resubmitRequestInput) (result[view.Request], error) {
	return renderedReply[view.Request](h.engine.Requests.ResubmitRequest(
		ctx, actorOf(ctx), in.ID, in.context, in.hash, bodyOrZero(in.Body).Comment, in.IfMatch, in.key))
}

func (h requestHandlers) reevaluateRequest(ctx context.Context, in *Identified) (result[view.Request], error) {
	return renderedReply[view.Request](h.engine.Requests.ReevaluateRequest(ctx, actorOf(ctx), in.ID))
}

// EventView is one event of a request's timeline.
type EventView struct {
	wf.Event
	Hash string `json:"hash" doc:"sha256: and the SHA-256 of prev_hash and the event."`
}

func viewEvent(e wf.Event) EventView {
	e.Outcome = cmp.Or(e.Outcome, wf.OutcomeSuccess)
	return EventView{e, e.Hash}
}

type eventsView struct {
	Page[EventView]
	Verification *verificationView `json:"verification,omitempty" doc:"Outcome of the verification, if it was asked for."`
}

// verificationView is the result of verifying the hash chain and the stored state.
type verificationView struct {
	Valid    bool   `json:"valid" doc:"Whether every hash is right and the stored state is that of the last events."`
	Events   int64  `json:"events" doc:"Number of events before the first bad one."`
	FirstBad *int64 `json:"first_bad,omitempty" doc:"seq of the first event that does not fit, or that the stored state contradicts."`
}

type listEventsInput struct {
	Identified
	Paged
	Verify bool `query:"verify" doc:"Verify the whole chain of hashes, and the stored state against it."`
}

func (h requestHandlers) listEvents(ctx context.Context, in *listEventsInput) (result[eventsView], error) {
	events, next, err := h.engine.Requests.ListEvents(ctx, actorOf(ctx), in.ID, in.page())
	shown := eventsView{Page: pageOf(events, next, viewEvent)}
	if in.Verify && err == nil {
		var firstBad, count int64
		firstBad, count, err = h.engine.Requests.VerifyTimeline(ctx, actorOf(ctx), in.ID)
		shown.Verification = &verificationView{Valid: firstBad == 0, Events: count, FirstBad: view.OrNull(firstBad)}
	}
	return result[eventsView]{Value: shown}, err
}

// stuckView is an open request without an open task or a pending retry.
type stuckView struct {
	ID            string           `json:"id" format:"uuid" doc:"Identifier of the request."`
	PolicyKey     string           `json:"policy_key" doc:"Key of its policy."`
	PolicyVersion int              `json:"policy_version" doc:"Version of the policy that it follows."`
	Status        wf.RequestStatus `json:"status" doc:"Status of the request."`
	Title         string           `json:"title" doc:"Title for people."`
	CreatedAt     identity.Stamp   `json:"created_at" doc:"When it was created."`
	UpdatedAt     identity.Stamp   `json:"updated_at" doc:"When it last changed."`
}

func viewStuck(r wf.Request) stuckView {
	created, updated := identity.Stamp{Time: r.CreatedAt}, identity.Stamp{Time: r.UpdatedAt}
	return stuckView{r.ID, r.PolicyKey, r.PolicyVersion, r.Status, r.Title, created, updated}
}

func (h requestHandlers) listStuckRequests(ctx context.Context, in *Paged) (result[Page[stuckView]], error) {
	items, next, err := h.engine.Requests.ListStuckRequests(ctx, in.page())
	return listReply(items, next, err, viewStuck)
}

// revisionView is the API representation of a revision.
type revisionView struct {
	RequestID   string          `json:"request_id" format:"uuid" doc:"Identifier of the request."`
	Revision    int             `json:"revision" doc:"Number of the revision, from 1."`
	Context     view.Object     `json:"context" doc:"Context of this revision; numbers keep all their digits."`
	ContextHash string          `json:"context_hash" doc:"Hash of the canonical form of the content."`
	EndedAt     *identity.Stamp `json:"ended_at" nullable:"true" doc:"When the next revision began; null for the present one."`
}

type getRevisionInput struct {
	Identified
	Number string `path:"n" doc:"Number of the revision, from 1"`
}

func (h requestHandlers) getRevision(ctx context.Context, in *getRevisionInput) (result[revisionView], error) {
	number, err := strconv.Atoi(in.Number)
	known := err == nil && strconv.Itoa(number) == in.Number && number > 0 && number <= 1<<30
	if !known {
		number = 0 // no such revision; the read permission is checked first
	}
	r, err := h.engine.Requests.GetRevision(ctx, actorOf(ctx), in.ID, number)
	if errors.Is(err, reason.RequestNotFound) && !known {
		err = refusal.New(reason.RequestNotFound, "no revision %.20q", in.Number)
	}
	return result[revisionView]{
		Value: revisionView{
			RequestID:   in.ID,
			Revision:    r.Number,
			Context:     view.Object{RawMessage: r.Context},
			ContextHash: r.ContextHash,
			EndedAt:     identity.StampOf(r.EndedAt),
		},
	}, err
}
