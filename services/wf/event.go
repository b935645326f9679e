package wf

import (
	"encoding/json"

	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// EventOutcome is the outcome of a call.
type EventOutcome string

// The outcomes. An event without an outcome is a success.
const (
	OutcomeSuccess EventOutcome = "success"
	OutcomeDenied  EventOutcome = "denied"
)

// Values returns every value.
func (EventOutcome) Values() []EventOutcome {
	return []EventOutcome{OutcomeSuccess, OutcomeDenied}
}

// Event is an append-only record of the audit trail. It contains the hash of the previous event in its
// chain: the chain of a request, or the service chain of policies, delegations, deliveries, endpoints and
// refusals.
//
// In memory, an event contains the names of users for webhooks. Hashed and stored bytes contain ids only, so
// that names can be erased; see ADR 2.
type Event struct {
	ID        string            `json:"id" doc:"Identifier of the event."`
	Seq       int64             `json:"seq" doc:"Position in the chain, from 1, without gaps."`
	Type      audit.EventType   `json:"type" doc:"Type of the event."`
	At        identity.Stamp    `json:"at" doc:"Time of the event."`
	Actor     identity.ActorRef `json:"actor" doc:"Actor of the event."`
	Auth      identity.Auth     `json:"auth,omitzero" doc:"Authentication of the actor."`
	Client    string            `json:"client,omitempty" doc:"OAuth client of the caller's token."`
	Acting    []identity.Party  `json:"acting,omitempty" doc:"Parties that acted for the caller, the current one first: the act claim of the token (RFC 8693, section 4.1)."`
	Resource  Resource          `json:"resource" doc:"Object of the event."`
	RequestID string            `json:"request_id,omitempty" doc:"Request of the event."`
	Request   *RequestSummary   `json:"request,omitempty" doc:"Request after the event."`
	Stage     *StageSummary     `json:"stage,omitempty" doc:"Stage of the event."`
	Task      *TaskSummary      `json:"task,omitempty" doc:"Task of the event."`
	Decision  *Decision         `json:"decision,omitempty" doc:"Decision of the event."`
	Comment   *Comment          `json:"comment,omitempty" doc:"Comment of the event."` // of EventRequestCommented
	Reason    string            `json:"reason,omitempty" doc:"Reason given by the actor, if any."`
	CallID    string            `json:"call_id,omitempty" doc:"X-Request-Id of the call that caused the event."`

	Traceparent string `json:"traceparent,omitempty" doc:"W3C traceparent of the call that caused the event; absent without a trace."`

	// MembershipStale is set if the directory did not respond and the membership at the start of the stage
	// was used.
	MembershipStale bool `json:"membership_stale,omitempty" doc:"The directory did not respond; the actor's membership at the start of the stage was used."`

	Outcome EventOutcome `json:"outcome,omitempty" doc:"Outcome of the call: done or refused."`
	Denial               // of EventAuthDenied

	Purged *audit.Purged `json:"purged,omitempty" doc:"Deleted events of a chain."`                      // of EventAuditPurged
	Breaks []audit.Break `json:"breaks,omitempty" doc:"Breaks of the service chain before its restart."` // of EventAuditRestarted

	Checkpoint *audit.Checkpoint `json:"checkpoint,omitempty" doc:"Ends of the chains of requests."` // of EventAuditCheckpoint

	// StateHash is set in events of requests, see Request.Document. The events of one transaction have the same.
	StateHash string `json:"state_hash,omitempty" doc:"SHA-256 of the stored request at the end of the call; absent in the service's own chain."`

	PrevHash string `json:"prev_hash" doc:"Hash of the previous event in the chain; empty for the first."`
	Hash     string `json:"-"`

	// Body is the stored event: the hashed bytes. Append sets it, and it is not changed afterwards.
	Body []byte `json:"-"`
}

// Denial describes a refused call.
type Denial struct {
	Operation string  `json:"operation,omitempty" doc:"operationId of the refused call."`
	ErrorCode string  `json:"error_code,omitempty" doc:"Error code of the reply."`
	Origin    *Origin `json:"origin,omitempty" doc:"Origin of the call."`
	Folded    int64   `json:"folded,omitempty" doc:"Number of refusals of the same user, object and code since the last event about them, recorded without an event of their own."`
}

// Origin is the origin of a call.
type Origin struct {
	IPHash    string `json:"ip_hash,omitempty" doc:"HMAC-SHA256 of the client address under a key of this service; equal for equal addresses."`
	UserAgent string `json:"user_agent,omitempty" doc:"User-Agent header of the call."`
}

// ResourceType is the type of the object of an event.
type ResourceType string

// Values returns every value.
func (ResourceType) Values() []ResourceType {
	return []ResourceType{"request", "stage", "task", "delegation", "policy", "delivery", "endpoint", "chain", "person"}
}

// Resource is the object of an event.
type Resource struct {
	Type    ResourceType `json:"type" doc:"Type of the object."`
	ID      string       `json:"id" doc:"Identifier of the object; the key of a policy or stage."`
	Name    string       `json:"name,omitempty" doc:"Name of the object, if it has one."`
	Version int          `json:"version,omitempty" doc:"Version of a policy."`
}

// PolicyKey returns the key of the event's policy, or an empty string.
func (e Event) PolicyKey() string {
	switch {
	case e.Request != nil:
		return e.Request.PolicyKey
	case e.Resource.Type == "policy":
		return e.Resource.ID
	}
	return ""
}

// RequestSummary is the request at the event.
type RequestSummary struct {
	ID            string              `json:"id" doc:"Identifier of the request."`
	PolicyKey     string              `json:"policy_key" doc:"Policy of the request."`
	PolicyVersion int                 `json:"policy_version" doc:"Version of the policy that governs the request."`
	Status        RequestStatus       `json:"status" doc:"Status of the request."`
	StatusReason  *StatusReason       `json:"status_reason,omitempty" doc:"Reason for the status."`
	Title         string              `json:"title,omitempty" doc:"Title."`
	ArtifactType  string              `json:"artifact_type,omitempty" doc:"Type of the artifact."`
	ArtifactID    string              `json:"artifact_id,omitempty" doc:"Identifier of the artifact in its own system."`
	Requester     identity.User       `json:"requester" doc:"Requester of the approval."`
	SubmittedBy   *identity.Submitter `json:"submitted_by,omitempty" doc:"Caller that created the request, if another party acted for the caller."`
	Revision      int                 `json:"revision" doc:"Revision of the content, from 1."`
	ContextHash   string              `json:"context_hash" doc:"Hash of the content."`
	CompletedAt   *identity.Stamp     `json:"completed_at,omitempty" doc:"Time of completion."`
	Link          string              `json:"link,omitempty" doc:"URL of the artifact."`
	Attachments   []Attachment        `json:"attachments,omitempty" doc:"References to documents of the request; in request.created only, not in messages."`

	Standing   Standing        `json:"standing,omitempty" doc:"State of the approval; absent unless approved."`
	ValidFrom  *identity.Stamp `json:"valid_from,omitempty" doc:"Start of the approval's validity; absent for the time of the approval."`
	ValidUntil *identity.Stamp `json:"valid_until,omitempty" doc:"End of the approval's validity; absent for none."`
	EndedAt    *identity.Stamp `json:"ended_at,omitempty" doc:"Time at which the approval lapsed or was revoked or consumed."`
	EndReason  string          `json:"end_reason,omitempty" doc:"Reason of the revocation, or consumer named at the consumption."`

	// The following members are in messages only. The request stores them, and the audit trail does not
	// repeat them.
	Priority Priority          `json:"priority,omitempty" doc:"Priority of the request; in messages only."`
	Labels   map[string]string `json:"labels,omitempty" doc:"Labels of the request; in messages only."`
	Page     string            `json:"page,omitempty" doc:"URL of the request's page; in messages only, if the service has the base URL of its pages."`

	Context json.RawMessage `json:"context,omitempty" doc:"Context of the request without the values selected by settings.redact; in messages only, for endpoints that include context."`
}

// StageSummary is the stage of an event.
type StageSummary struct {
	Key    string      `json:"key" doc:"Key of the stage."`
	Name   string      `json:"name,omitempty" doc:"Display name of the stage; in messages only."`
	Run    int         `json:"run" doc:"Number of the run, from 1. A resubmission starts another run."`
	Status StageStatus `json:"status" doc:"Status of the run."`
	Skip   *Skip       `json:"skip,omitempty" doc:"Reason for skipping the stage."`
	Error  string      `json:"error,omitempty" doc:"Error of a rule or of the condition of the stage; the reason of stage.escalation_empty."`

	DueAt    *identity.Stamp `json:"due_at,omitempty" doc:"Due date of the run."`
	Reminder *Reminder       `json:"reminder,omitempty" doc:"Reminder of stage.reminded."`
	Moved    *Moved          `json:"moved,omitempty" doc:"Change of the due date of stage.due_moved."`
	Added    []identity.User `json:"added,omitempty" doc:"Approvers added by stage.escalated."`
}

// ReminderPhase is the place of a reminder before or after the due date.
type ReminderPhase string

// The phases.
const (
	ReminderBefore ReminderPhase = "before"
	ReminderAfter  ReminderPhase = "after"
)

// Values returns every value.
func (ReminderPhase) Values() []ReminderPhase { return []ReminderPhase{ReminderBefore, ReminderAfter} }

// Reminder is a reminder of a due date.
type Reminder struct {
	At    identity.Stamp `json:"at" doc:"Time of the reminder by the policy; it may be sent later."`
	Phase ReminderPhase  `json:"phase" doc:"Before or after the due date."`
}

// Moved is the change of a due date.
type Moved struct {
	From identity.Stamp `json:"from" doc:"Previous due date."`
	To   identity.Stamp `json:"to" doc:"New due date."`
}

// TaskSummary is the task of an event.
type TaskSummary struct {
	ID             string         `json:"id" doc:"Identifier of the task."`
	Kind           TaskKind       `json:"kind" doc:"approver: a task of an approver. rescue: a task of an admin for a blocked stage."`
	StageKey       string         `json:"stage_key" doc:"Stage that the task belongs to."`
	Seat           int            `json:"seat" doc:"Seat number in the stage, from 1."`
	Status         TaskStatus     `json:"status" doc:"Status of the task."`
	Assignee       *identity.User `json:"assignee,omitempty" doc:"Assignee; absent for an unclaimed task of a pool."`
	ClaimedBy      *identity.User `json:"claimed_by,omitempty" doc:"The assignee or a delegate of theirs, for a claimed task."`
	ReassignedFrom *identity.User `json:"reassigned_from,omitempty" doc:"Previous assignee."`
	CloseReason    CloseReason    `json:"close_reason,omitempty" doc:"Reason for closing the task without a decision."`
}

// Comment is a comment on a request, separate from its decisions. It is part of its event and
// therefore immutable.
type Comment struct {
	Text     string          `json:"text" doc:"Text of the comment."`
	Mentions []identity.User `json:"mentions,omitempty" doc:"Mentioned participants of the request."`
}

// Summary returns the request as contained in events.
func (r Request) Summary() *RequestSummary {
	summary := &RequestSummary{
		ID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, Status: r.Status, StatusReason: r.StatusReason,
		Title: r.Title, ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID, Requester: r.Requester,
		Revision: r.Revision, ContextHash: r.ContextHash, CompletedAt: identity.StampOf(r.CompletedAt), Link: r.Link,
		Priority: r.Priority, Labels: r.Labels,
	}
	if len(r.Acting) > 0 {
		summary.SubmittedBy = &identity.Submitter{User: r.SubmittedBy, Acting: r.Acting}
	}
	if r.Standing != "" {
		summary.Standing = r.Standing
		summary.ValidFrom, summary.ValidUntil = identity.StampOf(r.ValidFrom), identity.StampOf(r.ValidUntil)
		summary.EndedAt, summary.EndReason = identity.StampOf(r.EndedAt), r.EndReason
	}
	return summary
}

// PurgeRequest returns the event that replaces the events of a deleted request. end is the end of its chain.
func PurgeRequest(id string, end audit.Chain, at identity.Stamp) Event {
	return Event{
		Type: audit.EventAuditPurged, At: at, Actor: identity.SystemRetention.Ref(), Resource: Resource{Type: "request", ID: id}, RequestID: id,
		Purged: &audit.Purged{Events: end.Seq, Last: end.Seq, Hash: end.Hash},
	}
}

// PurgeFrom returns the event that replaces deleted events of the named chain. ends contains the chain after
// each of them, in order.
func PurgeFrom(name string, ends []audit.Chain, at identity.Stamp) Event {
	purged := &audit.Purged{Events: int64(len(ends))}
	for _, end := range ends {
		if n := len(purged.Gaps); n > 0 && purged.Last+1 == end.Seq {
			purged.Gaps[n-1].Last, purged.Gaps[n-1].Hash = end.Seq, end.Hash
		} else {
			purged.Gaps = append(purged.Gaps, audit.Gap{First: end.Seq, Last: end.Seq, Hash: end.Hash})
		}
		purged.Last, purged.Hash = end.Seq, end.Hash
	}
	return Event{
		Type:     audit.EventAuditPurged,
		At:       at,
		Actor:    identity.SystemRetention.Ref(),
		Resource: Resource{Type: "chain", ID: name},
		Purged:   purged,
	}
}

// RestartChain returns the event by which an admin starts a new service chain after an invalid one. Its prev_hash is
// the stored end of the old chain.
func RestartChain(breaks []audit.Break, reason string, by identity.Actor, at identity.Stamp) Event {
	return Event{
		Type: audit.EventAuditRestarted, At: at, Actor: by.Ref(), Auth: by.Auth, Client: by.Client, Acting: by.Acting,
		CallID: by.CallID, Traceparent: by.Traceparent,
		Resource: Resource{Type: "chain", ID: "service"}, Reason: reason, Breaks: breaks,
	}
}

// SealChains returns the event that records the ends of the chains of requests in the service chain, and the invalid
// chains. More ends follow in the next event if more is set.
func SealChains(ends []audit.End, invalid []string, more bool, at identity.Stamp) Event {
	return Event{
		Type: audit.EventAuditCheckpoint, At: at, Actor: identity.SystemCheckpoint.Ref(), Resource: Resource{Type: "chain", ID: "requests"},
		Checkpoint: &audit.Checkpoint{Ends: append([]audit.End{}, ends...), Invalid: invalid, More: more},
	}
}
