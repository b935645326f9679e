package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// requestView is the API representation of a request.
type requestView struct {
	RequestHead
	Context        object            `json:"context" doc:"As created, numbers with all their digits."`
	Comment        string            `json:"comment,omitempty" doc:"Comment of the submitter."`
	Attachments    []wf.Attachment   `json:"attachments" doc:"References to documents that belong to the request."`
	CallbackURL    *string           `json:"callback_url" nullable:"true" doc:"URL that request.* events are sent to; null when there is none."`
	CurrentStages  []string          `json:"current_stages" doc:"Keys of the stages that run now."`
	Stages         []stageView       `json:"stages" doc:"Every run of every stage, in order."`
	Tasks          []TaskSummaryView `json:"tasks" doc:"Tasks of the current stages."`
	AllowedActions []string          `json:"allowed_actions" doc:"What this caller may do now."`
}

// RequestHead is a request in a list.
type RequestHead struct {
	ID            string            `json:"id" format:"uuid" doc:"Identifier of the request."`
	PolicyKey     string            `json:"policy_key" doc:"Policy of the request."`
	PolicyVersion int               `json:"policy_version" doc:"Version of the policy that the request is judged by."`
	Status        wf.RequestStatus  `json:"status" doc:"Status of the request."`
	StatusReason  *wf.StatusReason  `json:"status_reason,omitempty" doc:"Why the request has this status."`
	ArtifactType  string            `json:"artifact_type,omitempty" doc:"Type of what is to be approved."`
	ArtifactID    string            `json:"artifact_id,omitempty" doc:"Identifier of what is to be approved, in the system that holds it."`
	Title         string            `json:"title,omitempty" doc:"Title for people."`
	Link          string            `json:"link,omitempty" doc:"Where people can look at what is to be approved."`
	Priority      wf.Priority       `json:"priority" doc:"Priority of the request."`
	Labels        map[string]string `json:"labels" doc:"Labels to filter by."`
	ContextHash   string            `json:"context_hash" doc:"Hash of the content."`
	Revision      int               `json:"revision" doc:"Revision of the content, from 1."`
	Requester     identity.User     `json:"requester" doc:"Who asks for approval."`
	SubmittedBy   identity.User     `json:"submitted_by" doc:"Who made the call that created the request."`
	ExpiresAt     *identity.Stamp   `json:"expires_at" nullable:"true" doc:"When the request expires; null for never."`
	CreatedAt     identity.Stamp    `json:"created_at" doc:"When the request was created."`
	UpdatedAt     identity.Stamp    `json:"updated_at" doc:"When it last changed."`
	CompletedAt   *identity.Stamp   `json:"completed_at" nullable:"true" doc:"When it was completed; null before."`
	ETag          string            `json:"etag" doc:"Entity tag, for If-Match."`
}

// stageView is one run of a stage.
type stageView struct {
	Key           string               `json:"key" doc:"Key of the stage."`
	Name          string               `json:"name" doc:"Name for people."`
	Run           int                  `json:"run" doc:"Which run of the stage, from 1; another one starts after changes."`
	Status        wf.StageStatus       `json:"status" doc:"Status of the run."`
	ParallelGroup string               `json:"parallel_group,omitempty" doc:"Adjacent stages with the same value run together."`
	Quorum        quorumView           `json:"quorum" doc:"Approvals that the stage needs and has."`
	StartedAt     *identity.Stamp      `json:"started_at" nullable:"true" doc:"When it started; null before."`
	CompletedAt   *identity.Stamp      `json:"completed_at" nullable:"true" doc:"When it was completed; null before."`
	Skip          *wf.Skip             `json:"skip,omitempty" doc:"Why the stage was skipped."`
	Approvers     []approverView       `json:"approvers" doc:"Who may approve, and what they did."`
	Excluded      []approver.Exclusion `json:"excluded" doc:"People whom a rule names and who may not approve."`
	Observers     []identity.User      `json:"observers" doc:"Who reads the request and may comment on it, without being counted."`
	LastError     string               `json:"last_error,omitempty" doc:"Why a rule yields nobody, or has no answer."`
	RetryAt       *identity.Stamp      `json:"retry_at,omitempty" doc:"While the stage is resolving: when its rules are asked again."`
}

type quorumView struct {
	Mode  quorum.QuorumMode `json:"mode" doc:"How approvals are counted."`
	Value int               `json:"value,omitempty" doc:"The number of mode count, or the percentage of mode percentage."`
	quorum.Count
}

// approverView is an approver of a stage, with their decision if any.
type approverView struct {
	User        identity.User   `json:"user" doc:"The person."`
	Via         []string        `json:"via" doc:"The rules that name the person; empty for a person whom somebody has assigned."`
	PlacedBy    *identity.User  `json:"placed_by,omitempty" doc:"The admin who put the person on a rescue task."`
	Status      wf.TaskStatus   `json:"status,omitempty" doc:"Of the person's task, if there is one."`
	OnBehalfOf  *identity.User  `json:"on_behalf_of,omitempty" doc:"For whom they stand in."`
	Lost        bool            `json:"lost,omitempty" doc:"They are no approver any more."`
	Action      wf.Action       `json:"action,omitempty" doc:"What they decided."`
	Comment     string          `json:"comment,omitempty" doc:"Comment on their decision."`
	DecidedAt   *identity.Stamp `json:"decided_at,omitempty" doc:"When they decided."`
	Data        json.RawMessage `json:"data,omitempty" doc:"Shown to the requester, to people who have decided in the stage, and to viewers."`
	Attachments []wf.Attachment `json:"attachments,omitempty" doc:"Shown to the same people as data."`
	Auth        *identity.Auth  `json:"auth,omitempty" doc:"Shown to the same people as data."`
}

func viewHead(r wf.Request) RequestHead {
	labels := map[string]string{}
	maps.Copy(labels, r.Labels)
	return RequestHead{
		ID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, Status: r.Status, StatusReason: r.StatusReason,
		ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID, Title: r.Title, Link: r.Link, Priority: r.Priority, Labels: labels,
		ContextHash: r.ContextHash, Revision: r.Revision, Requester: r.Requester, SubmittedBy: r.SubmittedBy,
		ExpiresAt: stampPtr(r.ExpiresAt), CreatedAt: identity.Stamp{Time: r.CreatedAt}, UpdatedAt: identity.Stamp{Time: r.UpdatedAt}, CompletedAt: identity.StampOf(r.CompletedAt),
		ETag: engine.ETag(r.Rev),
	}
}

// showRequest returns the view of a case for the caller.
func showRequest(ctx context.Context, c engine.Case) (view requestView, etag string) {
	r := c.Request
	view = requestView{
		RequestHead: viewHead(r), Context: object{r.Context}, Comment: r.Comment, Attachments: append([]wf.Attachment{}, r.Attachments...),
		CurrentStages: r.Current(), Stages: viewStages(c), Tasks: []TaskSummaryView{}, AllowedActions: r.Actions(actorOf(ctx)),
		CallbackURL: orNull(r.CallbackURL),
	}
	for _, t := range r.Tasks {
		if run := r.Run(t); run.Status == wf.StageActive || run.Status == wf.StageBlocked {
			view.Tasks = append(view.Tasks, viewTaskSummary(t, run, r.Tasks))
		}
	}
	return view, view.ETag
}

func viewStages(c engine.Case) []stageView {
	return views(c.Request.Stages, func(run wf.StageRun) stageView {
		stage, _ := c.Definition.Stage(run.Key)
		return stageView{
			Key: run.Key, Name: run.Name, Run: run.Run, Status: run.Status, ParallelGroup: run.ParallelGroup, Quorum: viewQuorum(stage, run),
			StartedAt: identity.StampOf(run.StartedAt), CompletedAt: identity.StampOf(run.CompletedAt), Skip: run.Skip,
			Approvers: viewApprovers(stage, run, c.Request.Tasks), Excluded: append([]approver.Exclusion{}, run.Excluded...), Observers: append([]identity.User{}, run.Observers...), LastError: run.LastError,
			RetryAt: identity.StampOf(run.RetryAt),
		}
	})
}

func viewQuorum(s policy.Stage, run wf.StageRun) quorumView {
	return quorumView{Mode: cmp.Or(s.Quorum.Mode, quorum.QuorumAll), Value: s.Quorum.Value, Count: run.Count}
}

// viewApprovers returns the eligible approvers with their delegates, and the assignees of other
// tasks. Decisions are visible to every reader of the request.
func viewApprovers(s policy.Stage, run wf.StageRun, tasks []wf.Task) []approverView {
	views, shown := []approverView{}, map[[2]string]bool{} // ids of approvers and delegators
	part := func(u identity.User, behalf *identity.User) [2]string {
		return [2]string{u.ID, cmp.Or(behalf, &identity.User{}).ID}
	}
	add := func(u identity.User, a approver.Approver, behalf *identity.User) {
		if shown[part(u, behalf)] {
			return
		}
		view := approverView{User: u, OnBehalfOf: behalf, Via: []string{}, PlacedBy: a.PlacedBy, Lost: a.Lost}
		if a.Fallback {
			view.Via = append(view.Via, "fallback")
		}
		for _, rule := range a.Rules {
			if !a.Fallback && rule < len(s.Approvers) {
				view.Via = append(view.Via, fmt.Sprintf("rules[%d] %s", rule, s.Approvers[rule]))
			}
		}
		for _, t := range tasks {
			d := t.Decision
			holds := t.Assignee != nil && part(*t.Assignee, t.OnBehalfOf) == part(u, behalf)
			if run.Owns(t) && (holds || d != nil && part(d.Actor.User(), d.OnBehalfOf) == part(u, behalf)) {
				view.Status, view.PlacedBy = t.Status, cmp.Or(t.PlacedBy, view.PlacedBy)
				view = view.decided(d, u)
			}
		}
		if a.Given || view.PlacedBy != nil {
			view.Via = []string{}
		}
		shown[part(u, behalf)] = true
		views = append(views, view)
	}
	for _, a := range run.People {
		if a.StandIn == nil || a.Shared || run.Pool {
			add(a.User, a, nil)
		}
		if a.StandIn != nil {
			add(*a.StandIn, a, &a.User)
		}
	}
	for _, t := range tasks {
		if run.Owns(t) && t.Assignee != nil {
			add(*t.Assignee, approver.Approver{}, t.OnBehalfOf)
		}
		if d := t.Decision; run.Owns(t) && d != nil && d.Actor.Kind != identity.ActorSystem {
			add(d.Actor.User(), approver.Approver{}, d.OnBehalfOf)
		}
	}
	return views
}

// decided adds the decision of an approver, or of the service in their place.
func (v approverView) decided(d *wf.Decision, u identity.User) approverView {
	if d == nil || d.Actor.ID != u.ID && d.Actor.Kind != identity.ActorSystem {
		return v
	}
	v.Action, v.Comment, v.DecidedAt, v.OnBehalfOf = d.Action, d.Comment, &d.DecidedAt, d.OnBehalfOf
	v.Data, v.Attachments = d.Data, d.Attachments
	if d.Actor.Kind != identity.ActorSystem && (d.Auth.ACR != "" || d.Auth.AMR != nil || !d.Auth.AuthTime.IsZero()) {
		v.Auth = &d.Auth
	}
	return v
}

type createRequestInput struct {
	web.Idempotent
	Body struct {
		PolicyKey    string            `json:"policy_key" minLength:"1" maxLength:"128" doc:"Policy that the request is judged by: its active version."`
		Context      object            `json:"context,omitempty" doc:"What is to be approved; at most 200 KiB. A number has at most 64 digits when it is written out without exponent."`
		ArtifactType string            `json:"artifact_type,omitempty" maxLength:"128" doc:"Type of what is to be approved."`
		ArtifactID   string            `json:"artifact_id,omitempty" maxLength:"255" doc:"Identifier of what is to be approved, in the system that holds it."`
		Title        string            `json:"title,omitempty" maxLength:"200" doc:"Title for people."`
		Link         string            `json:"link,omitempty" maxLength:"2048" pattern:"^https://[^\\s]+$" doc:"https URL"`
		Requester    string            `json:"requester,omitempty" minLength:"1" maxLength:"255" doc:"User id; the caller when absent."`
		CallbackURL  string            `json:"callback_url,omitempty" minLength:"1" maxLength:"2048" doc:"URL that request.* events are sent to, on an allowed host."`
		Priority     wf.Priority       `json:"priority,omitempty" doc:"normal when absent"`
		Labels       map[string]string `json:"labels,omitempty" maxProperties:"20" doc:"Labels to filter by; keys of 1 to 64 bytes, values of at most 256."`
		ExpiresIn    policy.Duration   `json:"expires_in,omitempty" minLength:"1" maxLength:"64" doc:"ISO 8601 duration; a longer one than the policy's is refused."`
		Comment      string            `json:"comment,omitempty" maxLength:"4096" doc:"Comment for the approvers."`
		Attachments  []wf.Attachment   `json:"attachments,omitempty" maxItems:"20" doc:"References to documents that belong to the request."`
	}
}

func (a *API) createRequest(ctx context.Context, in *createRequestInput) (result[requestView], error) {
	b := in.Body
	var none result[requestView]
	body, hash, err := canonicalContext(b.Context)
	if err != nil {
		return none, err
	}
	if err := checkTexts(map[string]string{"title": b.Title, "artifact_type": b.ArtifactType, "artifact_id": b.ArtifactID, "requester": b.Requester}, b.Labels); err != nil {
		return none, err
	}
	if err := checkAttachments(b.Attachments); err != nil {
		return none, err
	}
	return repeatable(ctx, a, in.Idempotent, "", showRequest, func(rep engine.Repeatable) (engine.Reply, error) {
		return a.engine.CreateRequest(ctx, actorOf(ctx), engine.RequestInput{
			PolicyKey: b.PolicyKey, Context: body, ContextHash: hash, ArtifactType: b.ArtifactType, ArtifactID: b.ArtifactID,
			Title: b.Title, Link: b.Link, Requester: b.Requester, CallbackURL: b.CallbackURL, Priority: cmp.Or(b.Priority, wf.PriorityNormal), Labels: b.Labels,
			ExpiresIn: b.ExpiresIn, Comment: b.Comment, Attachments: b.Attachments,
		}, rep)
	})
}

// checkTexts rejects names and labels with invisible characters, and an invalid requester.
func checkTexts(members, labels map[string]string) error {
	for _, name := range []string{"title", "artifact_type", "artifact_id", "requester"} {
		if err := identity.CheckLabel(members[name]); err != nil {
			return refusal.At(reason.BadInput, "/"+name, "%s", err)
		}
	}
	for key, value := range labels {
		if identity.CheckLabel(key+value) != nil || key == "" || len(key) > 64 || len(value) > 256 {
			return refusal.At(reason.BadInput, "/labels", "keys take 1 to 64 bytes and values 256, without control or bidirectional characters")
		}
	}
	if id := members["requester"]; id != "" && identity.CheckUserID(id) != nil {
		return refusal.At(reason.BadInput, "/requester", "is not a user id")
	}
	return nil
}

func (a *API) getRequest(ctx context.Context, in *Identified) (result[requestView], error) {
	c, err := a.engine.Request(ctx, actorOf(ctx), in.ID)
	if err != nil {
		return result[requestView]{}, err
	}
	view, etag := showRequest(ctx, c)
	return result[requestView]{Value: view, ETag: etag}, nil
}

type listRequestsInput struct {
	Paged
	Labelled
	Status        []wf.RequestStatus `query:"status" doc:"Requests in one of these states."`
	PolicyKey     []string           `query:"policy_key" maxItems:"50" doc:"Requests of one of these policies."`
	ArtifactType  []string           `query:"artifact_type" maxItems:"50" doc:"Requests about one of these types. One with a comma in it cannot be named here."`
	ArtifactID    []string           `query:"artifact_id" maxItems:"50" doc:"Requests about one of these artifacts. One with a comma in it cannot be named here; q finds it."`
	Requester     string             `query:"requester" maxLength:"255" doc:"User id, or me."`
	Participant   string             `query:"participant" maxLength:"255" doc:"User id, or me: requester, submitter, assignee, candidate or stand-in."`
	CreatedAfter  time.Time          `query:"created_after" doc:"Exclusive."`
	CreatedBefore time.Time          `query:"created_before" doc:"Exclusive."`
	Q             string             `query:"q" maxLength:"200" doc:"Part of the title or the artifact id. A page may then have fewer items than there is room for, or none, and a next_cursor: what is left is looked through from there on."`
	Sort          string             `query:"sort" enum:"created_at,updated_at" doc:"Latest first; created_at when absent. A page by updated_at may have fewer items than there is room for, or none, and a next_cursor, when anything but requester and status narrows the list; and a page by created_at when status does beside participant or requester, or a label does."`
}

func (a *API) listRequests(ctx context.Context, in *listRequestsInput) (result[Page[RequestHead]], error) {
	by := actorOf(ctx)
	requests, next, err := a.engine.Requests(ctx, by, wf.RequestFilter{
		Status: in.Status, PolicyKey: in.PolicyKey, ArtifactType: in.ArtifactType, ArtifactID: in.ArtifactID,
		Requester: me(in.Requester, by), Participant: me(in.Participant, by), CreatedAfter: in.CreatedAfter, CreatedBefore: in.CreatedBefore,
		Q: in.Q, Labels: in.labels, Sort: in.Sort,
	}, in.page())
	return listed(requests, next, err, viewHead)
}

type cancelRequestInput struct {
	Identified
	Guarded
	web.Idempotent
	Body *struct {
		Reason string `json:"reason,omitempty" maxLength:"4096" doc:"Reason, for people."`
	}
}

func (a *API) cancelRequest(ctx context.Context, in *cancelRequestInput) (result[requestView], error) {
	return repeatable(ctx, a, in.Idempotent, in.ID, showRequest, func(rep engine.Repeatable) (engine.Reply, error) {
		return a.engine.CancelRequest(ctx, actorOf(ctx), in.ID, given(in.Body).Reason, in.IfMatch, rep)
	})
}

type resubmitRequestInput struct {
	Identified
	Guarded
	web.Idempotent
	Body *struct {
		Context *object `json:"context,omitempty" doc:"The new content; the old one stays when absent."`
		Comment string  `json:"comment,omitempty" maxLength:"4096" doc:"Comment for the approvers."`
	}
}

func (a *API) resubmitRequest(ctx context.Context, in *resubmitRequestInput) (result[requestView], error) {
	var none result[requestView]
	b := given(in.Body)
	var body []byte
	var hash string
	if b.Context != nil {
		var err error
		if body, hash, err = canonicalContext(*b.Context); err != nil {
			return none, err
		}
	}
	if err := known(in.ID, reason.RequestNotFound); err != nil {
		return none, err
	}
	return repeatable(ctx, a, in.Idempotent, in.ID, showRequest, func(rep engine.Repeatable) (engine.Reply, error) {
		return a.engine.ResubmitRequest(ctx, actorOf(ctx), in.ID, body, hash, b.Comment, in.IfMatch, rep)
	})
}

func (a *API) reevaluateRequest(ctx context.Context, in *Identified) (result[requestView], error) {
	return repeatable(ctx, a, web.Idempotent{}, in.ID, showRequest, func(rep engine.Repeatable) (engine.Reply, error) {
		return a.engine.ReevaluateRequest(ctx, actorOf(ctx), in.ID, rep)
	})
}

// eventView is one event of a request's timeline.
type eventView struct {
	wf.Event
	Hash string `json:"hash" doc:"sha256: and the SHA-256 of prev_hash and the event."`
}

func viewEvent(e wf.Event) eventView {
	e.Outcome = cmp.Or(e.Outcome, wf.OutcomeSuccess)
	return eventView{e, e.Hash}
}

type eventsView struct {
	Page[eventView]
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

func (a *API) listEvents(ctx context.Context, in *listEventsInput) (result[eventsView], error) {
	events, next, err := a.engine.Events(ctx, actorOf(ctx), in.ID, in.page())
	view := eventsView{Page: pageOf(events, next, viewEvent)}
	if in.Verify && err == nil {
		var firstBad, count int64
		firstBad, count, err = a.engine.VerifyTimeline(ctx, actorOf(ctx), in.ID)
		view.Verification = &verificationView{Valid: firstBad == 0, Events: count, FirstBad: orNull(firstBad)}
	}
	return result[eventsView]{Value: view}, err
}

// assignment returns the assignment mode of a stage, with the default applied.
func assignment(s policy.Stage) policy.Assignment { return cmp.Or(s.Assignment, policy.AssignmentEach) }
