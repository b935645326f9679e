package wf

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"

	"github.com/countersign/countersign/libs/strictjson"
)

// EventType says what happened, as webhooks name it.
type EventType string

// The event types. Those of one request are numbered 1, 2, 3 … without a gap.
const (
	RequestCreated          EventType = "request.created"
	RequestBlocked          EventType = "request.blocked"
	RequestUnblocked        EventType = "request.unblocked"
	RequestChangesRequested EventType = "request.changes_requested"
	RequestResubmitted      EventType = "request.resubmitted"
	RequestApproved         EventType = "request.approved"
	RequestRejected         EventType = "request.rejected"
	RequestCancelled        EventType = "request.cancelled"
	RequestExpired          EventType = "request.expired"
	RequestOverridden       EventType = "request.overridden"

	StageStarted     EventType = "stage.started"
	StageWasSkipped  EventType = "stage.skipped"
	StageWasApproved EventType = "stage.approved"
	StageWasRejected EventType = "stage.rejected"

	StageResolutionFailed EventType = "stage.resolution_failed"

	TaskCreated    EventType = "task.created"
	TaskWasClaimed EventType = "task.claimed"
	TaskUnclaimed  EventType = "task.unclaimed"
	TaskDecided    EventType = "task.decided"
	TaskReassigned EventType = "task.reassigned"
	TaskOrphaned   EventType = "task.orphaned"
	TaskClosed     EventType = "task.closed"

	DelegationCreated    EventType = "delegation.created"
	DelegationStarted    EventType = "delegation.started"
	DelegationHasEnded   EventType = "delegation.ended"
	DelegationWasRevoked EventType = "delegation.revoked"
	DelegationApplied    EventType = "delegation.applied"
	DelegationNotApplied EventType = "delegation.not_applied"

	PolicyCreated     EventType = "policy.created"
	PolicyVersioned   EventType = "policy.version_added"
	PolicyUpdated     EventType = "policy.updated"
	PolicyActivated   EventType = "policy.activated"
	PolicyDeactivated EventType = "policy.deactivated"
	PolicySimulated   EventType = "policy.simulated"

	PolicyVersionDeleted EventType = "policy.version_deleted"

	DeliveryRetried     EventType = "delivery.retried"
	DeliveriesRecovered EventType = "delivery.recovered"

	EndpointCreated     EventType = "endpoint.created"
	EndpointUpdated     EventType = "endpoint.updated"
	EndpointRotated     EventType = "endpoint.rotated"
	EndpointWasDisabled EventType = "endpoint.disabled" // by the service, not by an admin
	EndpointDeleted     EventType = "endpoint.deleted"

	WebhookTest EventType = "webhook.test" // to one endpoint, because an admin asked
)

// EventTypes lists every type that an endpoint can subscribe to.
var EventTypes = []EventType{
	RequestCreated, RequestBlocked, RequestUnblocked, RequestChangesRequested, RequestResubmitted,
	RequestApproved, RequestRejected, RequestCancelled, RequestExpired, RequestOverridden,
	StageStarted, StageWasSkipped, StageWasApproved, StageWasRejected, StageResolutionFailed,
	TaskCreated, TaskWasClaimed, TaskUnclaimed, TaskDecided, TaskReassigned, TaskOrphaned, TaskClosed,
	DelegationApplied, DelegationNotApplied, DelegationStarted, DelegationHasEnded, DelegationWasRevoked,
	PolicyActivated, PolicyDeactivated, EndpointWasDisabled,
}

// DefaultPatterns is what a webhook target hears of when it names no patterns.
var DefaultPatterns = []string{"request.*"}

// Matches reports whether one of the patterns selects the type.
func (t EventType) Matches(patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, string(t))
		return ok && err == nil
	})
}

// ValidPattern reports whether the pattern selects any type at all.
func ValidPattern(pattern string) bool {
	return slices.ContainsFunc(EventTypes, func(t EventType) bool { return t.Matches([]string{pattern}) })
}

// Event is one thing that happened. Events are appended and never changed. Each
// carries the hash of the one before in its chain: a request's own chain, or the
// service's chain for policies, delegations, deliveries and endpoints.
type Event struct {
	ID        string     `json:"id"`
	Seq       int64      `json:"seq"` // from 1, without a gap
	Type      EventType  `json:"type"`
	At        Stamp      `json:"at"`
	Actor     ActorRef   `json:"actor"`
	Auth      Auth       `json:"auth,omitzero"`
	Client    string     `json:"client,omitempty"`
	Resource  Resource   `json:"resource"`
	RequestID string     `json:"request_id,omitempty"`
	Request   *Brief     `json:"request,omitempty"`
	Stage     *StageNote `json:"stage,omitempty"`
	Task      *TaskNote  `json:"task,omitempty"`
	Decision  *Decision  `json:"decision,omitempty"`
	Reason    string     `json:"reason,omitempty"`

	// MembershipStale is set when the directory did not answer, so that the actor was
	// taken for an approver because he was one when the stage started.
	MembershipStale bool `json:"membership_stale,omitempty"`

	PrevHash string `json:"prev_hash"`
	Hash     string `json:"-"`
}

// Resource names what an event is about.
type Resource struct {
	Type    string `json:"type" enum:"request,stage,task,delegation,policy,delivery,endpoint"`
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Version int    `json:"version,omitempty"`
}

// PolicyKey is the key of the policy that the event belongs to; empty when it belongs
// to none.
func (e Event) PolicyKey() string {
	switch {
	case e.Request != nil:
		return e.Request.PolicyKey
	case e.Resource.Type == "policy":
		return e.Resource.ID
	}
	return ""
}

// Brief is the request as it stood when the event happened. It holds no context:
// a webhook says that something happened, not what was asked.
type Brief struct {
	ID            string        `json:"id"`
	PolicyKey     string        `json:"policy_key"`
	PolicyVersion int           `json:"policy_version"`
	Status        RequestStatus `json:"status"`
	StatusReason  *StatusReason `json:"status_reason,omitempty"`
	Title         string        `json:"title,omitempty"`
	ArtifactType  string        `json:"artifact_type,omitempty"`
	ArtifactID    string        `json:"artifact_id,omitempty"`
	Requester     User          `json:"requester"`
	Revision      int           `json:"revision"`
	ContextHash   string        `json:"context_hash"`
	CompletedAt   *Stamp        `json:"completed_at,omitempty"`
	Link          string        `json:"link,omitempty"`
}

// StageNote is the stage that an event is about.
type StageNote struct {
	Key    string      `json:"key"`
	Run    int         `json:"run"`
	Status StageStatus `json:"status"`
	Skip   *Skip       `json:"skip,omitempty"`
}

// TaskNote is the task that an event is about.
type TaskNote struct {
	ID             string      `json:"id"`
	Kind           TaskKind    `json:"kind"`
	StageKey       string      `json:"stage_key"`
	Seat           int         `json:"seat"`
	Status         TaskStatus  `json:"status"`
	Assignee       *User       `json:"assignee,omitempty"`
	OnBehalfOf     *User       `json:"on_behalf_of,omitempty"`
	ReassignedFrom *User       `json:"reassigned_from,omitempty"`
	CloseReason    CloseReason `json:"close_reason,omitempty"`
}

// Chain is the end of a chain of events: its length and its last hash.
type Chain struct {
	Seq  int64
	Hash string
}

// Append numbers the event, links it to the chain and returns both. The hash is
// SHA-256 over the previous hash and the canonical event without its own hash.
func (c Chain) Append(e Event) (Chain, Event, error) {
	e.Seq, e.PrevHash = c.Seq+1, c.Hash
	body, err := e.Canonical()
	if err != nil {
		return c, e, err
	}
	e.Hash = chainHash(c.Hash, body)
	return Chain{Seq: e.Seq, Hash: e.Hash}, e, nil
}

// Canonical returns the bytes that are hashed and stored.
func (e Event) Canonical() ([]byte, error) {
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.ID, err)
	}
	body, err := strictjson.Canonical(raw)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.ID, err)
	}
	return body, nil
}

func chainHash(prev string, body []byte) string {
	h := sha256.New()
	h.Write([]byte(prev))
	h.Write(body)
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Next returns the chain with e at its end, and whether e belongs there. stored
// holds the bytes of e as they were written: they are hashed, and not e encoded
// again, so that a change of the Go types cannot look like tampering.
func (c Chain) Next(e Event, stored []byte) (Chain, bool) {
	fits := e.Seq == c.Seq+1 && e.PrevHash == c.Hash && e.Hash == chainHash(c.Hash, stored)
	return Chain{Seq: e.Seq, Hash: e.Hash}, fits
}
