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
// In memory an event has the names of people, for webhooks. Hashed and stored bytes have their ids only,
// so that names can be erased; see ADR 3.
type Event struct {
	ID        string            `json:"id" doc:"Identifier of the event."`
	Seq       int64             `json:"seq" doc:"Place in the chain, from 1, without a gap."`
	Type      audit.EventType   `json:"type" doc:"Type of the event."`
	At        identity.Stamp    `json:"at" doc:"Time of the event."`
	Actor     identity.ActorRef `json:"actor" doc:"Who caused the event."`
	Auth      identity.Auth     `json:"auth,omitzero" doc:"How they were authenticated."`
	Client    string            `json:"client,omitempty" doc:"OAuth client of the caller's token."`
	Resource  Resource          `json:"resource" doc:"What the event is about."`
	RequestID string            `json:"request_id,omitempty" doc:"Request that the event is about."`
	Request   *RequestSummary   `json:"request,omitempty" doc:"The request after the event."`
	Stage     *StageSummary     `json:"stage,omitempty" doc:"The stage that the event is about."`
	Task      *TaskSummary      `json:"task,omitempty" doc:"The task that the event is about."`
	Decision  *Decision         `json:"decision,omitempty" doc:"The decision."`
	Comment   *Comment          `json:"comment,omitempty" doc:"What was said."` // of EventRequestCommented
	Reason    string            `json:"reason,omitempty" doc:"Why it happened, if there is a reason."`
	CallID    string            `json:"call_id,omitempty" doc:"X-Request-Id of the call that caused it."`

	Traceparent string `json:"traceparent,omitempty" doc:"Where that call stands in its trace, as W3C traceparent; absent when it belongs to none."`

	// MembershipStale is set if the directory did not answer and the membership at the start of the stage
	// counted.
	MembershipStale bool `json:"membership_stale,omitempty" doc:"The directory did not answer, and the actor counted as an approver because they were one when the stage started."`

	Outcome EventOutcome `json:"outcome,omitempty" doc:"Whether the call was done or refused."`
	Denial               // of EventAuthDenied

	Purged *audit.Purged `json:"purged,omitempty" doc:"What was deleted of a chain."`                      // of EventAuditPurged
	Breaks []audit.Break `json:"breaks,omitempty" doc:"Breaks of a chain that an admin has acknowledged."` // of EventAuditAcknowledged

	PrevHash string `json:"prev_hash" doc:"Hash of the event before in the chain; empty for the first."`
	Hash     string `json:"-"`

	// Body is the stored event: the hashed bytes. Append sets it, and it is not changed afterwards.
	Body []byte `json:"-"`
}

// Denial describes a refused call.
type Denial struct {
	Operation string  `json:"operation,omitempty" doc:"operationId of the call that was refused."`
	ErrorCode string  `json:"error_code,omitempty" doc:"Code that the caller was answered."`
	Origin    *Origin `json:"origin,omitempty" doc:"Where the call came from."`
	Folded    int64   `json:"folded,omitempty" doc:"How many refusals of the same person, object and code have happened since the last event about them, without an event of their own."`
}

// Origin is the origin of a call.
type Origin struct {
	IPHash    string `json:"ip_hash,omitempty" doc:"HMAC-SHA256 of the address under a key of this service: equal for equal addresses."`
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
	Type    ResourceType `json:"type" doc:"Kind of the object."`
	ID      string       `json:"id" doc:"Identifier of the object; of a policy its key, of a stage its key."`
	Name    string       `json:"name,omitempty" doc:"Name of the object, if it has one."`
	Version int          `json:"version,omitempty" doc:"Version of a policy."`
}

// PolicyKey returns the key of the event's policy, or an empty text.
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
	ID            string          `json:"id" doc:"Identifier of the request."`
	PolicyKey     string          `json:"policy_key" doc:"Policy of the request."`
	PolicyVersion int             `json:"policy_version" doc:"Version of the policy that the request is judged by."`
	Status        RequestStatus   `json:"status" doc:"Status of the request."`
	StatusReason  *StatusReason   `json:"status_reason,omitempty" doc:"Why the request has this status."`
	Title         string          `json:"title,omitempty" doc:"Title for people."`
	ArtifactType  string          `json:"artifact_type,omitempty" doc:"Type of what is to be approved."`
	ArtifactID    string          `json:"artifact_id,omitempty" doc:"Identifier of what is to be approved, in the system that holds it."`
	Requester     identity.User   `json:"requester" doc:"Who asks for approval."`
	Revision      int             `json:"revision" doc:"Revision of the content, from 1."`
	ContextHash   string          `json:"context_hash" doc:"Hash of the content."`
	CompletedAt   *identity.Stamp `json:"completed_at,omitempty" doc:"When the request was completed."`
	Link          string          `json:"link,omitempty" doc:"Where people can look at what is to be approved."`

	// For messages to people. The request stores them, and the trail does not repeat them.
	Priority Priority          `json:"priority,omitempty" doc:"Priority of the request; in messages alone."`
	Labels   map[string]string `json:"labels,omitempty" doc:"Labels of the request; in messages alone."`
	Page     string            `json:"page,omitempty" doc:"Where people read the request and decide; in messages alone, and only when the service knows the address of its pages."`

	Context json.RawMessage `json:"context,omitempty" doc:"Content of the request without what settings.redact names; in messages alone, to endpoints that include context."`
}

// StageSummary is the stage of an event.
type StageSummary struct {
	Key    string      `json:"key" doc:"Key of the stage."`
	Name   string      `json:"name,omitempty" doc:"Name of the stage, for people; in messages alone."`
	Run    int         `json:"run" doc:"Which run of the stage, from 1; another one starts after changes."`
	Status StageStatus `json:"status" doc:"Status of the run."`
	Skip   *Skip       `json:"skip,omitempty" doc:"Why the stage was skipped."`
	Error  string      `json:"error,omitempty" doc:"Why a rule of the stage, or its condition, could not be followed."`
}

// TaskSummary is the task of an event.
type TaskSummary struct {
	ID             string         `json:"id" doc:"Identifier of the task."`
	Kind           TaskKind       `json:"kind" doc:"A task of an approver, or one of an admin who helps a blocked stage."`
	StageKey       string         `json:"stage_key" doc:"Stage that the task belongs to."`
	Seat           int            `json:"seat" doc:"Which place in the stage the task fills, from 1."`
	Status         TaskStatus     `json:"status" doc:"Status of the task."`
	Assignee       *identity.User `json:"assignee,omitempty" doc:"Whom the task is assigned to; absent for a pool."`
	OnBehalfOf     *identity.User `json:"on_behalf_of,omitempty" doc:"For whom the assignee stands in."`
	ReassignedFrom *identity.User `json:"reassigned_from,omitempty" doc:"Who had the task before."`
	CloseReason    CloseReason    `json:"close_reason,omitempty" doc:"Why the task was closed undecided."`
}

// Comment is a comment on a request, separate from its decisions. It is part of its event and
// therefore immutable.
type Comment struct {
	Text     string          `json:"text" doc:"What was said."`
	Mentions []identity.User `json:"mentions,omitempty" doc:"Whom it is meant for, of those who have a part in the request."`
}

// Summary returns the request as events show it.
func (r Request) Summary() *RequestSummary {
	return &RequestSummary{
		ID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, Status: r.Status, StatusReason: r.StatusReason,
		Title: r.Title, ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID, Requester: r.Requester,
		Revision: r.Revision, ContextHash: r.ContextHash, CompletedAt: identity.StampOf(r.CompletedAt), Link: r.Link,
		Priority: r.Priority, Labels: r.Labels,
	}
}

// PurgeRequest is the event that stands for the events of a request that is deleted,
// whose chain has ended at end.
func PurgeRequest(id string, end audit.Chain, at identity.Stamp) Event {
	return Event{
		Type: audit.EventAuditPurged, At: at, Actor: identity.SystemRetention.Ref(), Resource: Resource{Type: "request", ID: id}, RequestID: id,
		Purged: &audit.Purged{Events: end.Seq, Last: end.Seq, Hash: end.Hash},
	}
}

// PurgeFrom is the event that stands for events of the chain with a name that are
// deleted. ends are the chain after each of them, in order.
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
	return Event{Type: audit.EventAuditPurged, At: at, Actor: identity.SystemRetention.Ref(), Resource: Resource{Type: "chain", ID: name}, Purged: purged}
}

// AcknowledgeBreaks is the event by which an admin records that breaks of a chain are known.
func AcknowledgeBreaks(chain string, breaks []audit.Break, reason string, by identity.Actor, at identity.Stamp) Event {
	return Event{
		Type: audit.EventAuditAcknowledged, At: at, Actor: by.Ref(), Auth: by.Auth, Client: by.Client, CallID: by.CallID, Traceparent: by.Traceparent,
		Resource: Resource{Type: "chain", ID: chain}, Reason: reason, Breaks: breaks,
	}
}
