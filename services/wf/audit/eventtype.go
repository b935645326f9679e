// Package audit contains the types of events and the hash chains that link their bytes.
package audit

import (
	"slices"

	"github.com/countersign/countersign/libs/outbox"
)

// EventType is the type of an event, as in webhooks.
type EventType string

// The event types. Events of a request are numbered 1, 2, 3 … without a gap.
const (
	EventRequestCreated          EventType = "request.created"
	EventRequestBlocked          EventType = "request.blocked"
	EventRequestUnblocked        EventType = "request.unblocked"
	EventRequestChangesRequested EventType = "request.changes_requested"
	EventRequestResubmitted      EventType = "request.resubmitted"
	EventRequestApproved         EventType = "request.approved"
	EventRequestRejected         EventType = "request.rejected"
	EventRequestCancelled        EventType = "request.cancelled"
	EventRequestExpired          EventType = "request.expired"
	EventRequestOverridden       EventType = "request.overridden"
	EventRequestCommented        EventType = "request.commented"
	EventRequestExpiring         EventType = "request.expiring" // once, before the expiry
	EventRequestLapsing          EventType = "request.lapsing"  // once, before the end of an approval's validity
	EventRequestLapsed           EventType = "request.lapsed"
	EventRequestRevoked          EventType = "request.revoked"
	EventRequestConsumed         EventType = "request.consumed"

	EventStageStarted  EventType = "stage.started"
	EventStageSkipped  EventType = "stage.skipped"
	EventStageApproved EventType = "stage.approved"
	EventStageRejected EventType = "stage.rejected"

	EventStageReminded        EventType = "stage.reminded"
	EventStageDue             EventType = "stage.due"       // once per due date
	EventStageDueMoved        EventType = "stage.due_moved" // by an admin
	EventStageEscalated       EventType = "stage.escalated" // once per run, like the next
	EventStageEscalationEmpty EventType = "stage.escalation_empty"

	EventStageResolutionFailed EventType = "stage.resolution_failed"

	EventTaskCreated    EventType = "task.created"
	EventTaskClaimed    EventType = "task.claimed"
	EventTaskUnclaimed  EventType = "task.unclaimed"
	EventTaskDecided    EventType = "task.decided"
	EventTaskWithdrawn  EventType = "task.withdrawn"
	EventTaskReassigned EventType = "task.reassigned"
	EventTaskOrphaned   EventType = "task.orphaned"
	EventTaskClosed     EventType = "task.closed"

	EventDelegationCreated EventType = "delegation.created"
	EventDelegationStarted EventType = "delegation.started"
	EventDelegationEnded   EventType = "delegation.ended"
	EventDelegationRevoked EventType = "delegation.revoked"

	EventPolicyCreated      EventType = "policy.created"
	EventPolicyVersionAdded EventType = "policy.version_added"
	EventPolicyUpdated      EventType = "policy.updated"
	EventPolicyActivated    EventType = "policy.activated"
	EventPolicyDeactivated  EventType = "policy.deactivated"
	EventPolicySimulated    EventType = "policy.simulated"

	EventPolicyVersionDeleted EventType = "policy.version_deleted"

	EventDeliveryRetried     EventType = "delivery.retried"
	EventDeliveriesRecovered EventType = "delivery.recovered"

	EventEndpointCreated  EventType = "endpoint.created"
	EventEndpointUpdated  EventType = "endpoint.updated"
	EventEndpointRotated  EventType = "endpoint.rotated"
	EventEndpointDisabled EventType = "endpoint.disabled" // by the service, not by an admin
	EventEndpointDeleted  EventType = "endpoint.deleted"

	EventWebhookTest EventType = "webhook.test" // to one endpoint, sent by an admin

	EventAuthDenied EventType = "auth.denied" // refused for lack of permission, or as too late

	EventAuditPurged EventType = "audit.purged" // events were deleted after their retention period
	EventAuditErased EventType = "audit.erased" // the names of a person were erased

	EventAuditRestarted  EventType = "audit.restarted"  // an admin started a new service chain after an invalid one
	EventAuditCheckpoint EventType = "audit.checkpoint" // ends of the chains of requests; see Checkpoint
)

// Webhook describes the webhook of an event type.
type Webhook struct {
	Type    EventType
	Summary string
	Data    string // members of data; a question mark marks a nullable member
}

// Webhooks describes every type that an endpoint receives.
var Webhooks = []Webhook{
	{EventRequestCreated, "A request was created", "request"},
	{EventRequestBlocked, "A request is blocked: a stage has too few approvers", "request"},
	{EventRequestUnblocked, "A blocked request continues", "request"},
	{EventRequestChangesRequested, "An approver asks for changes", "request stage"},
	{EventRequestResubmitted, "The requester has resubmitted a request", "request"},
	{EventRequestApproved, "A request is approved", "request"},
	{EventRequestRejected, "A request is rejected", "request"},
	{EventRequestCancelled, "A request is cancelled", "request"},
	{EventRequestExpired, "A request has expired", "request"},
	{EventRequestOverridden, "An admin has overridden the outcome of a stage", "request stage"},
	{EventRequestCommented, "A comment was added to a request; comment contains its text and mentions", "request"},
	{EventRequestExpiring, "A request expires soon: within a day, or the configured period", "request"},
	{EventRequestLapsing, "An approval lapses soon: within a day, or the configured period", "request"},
	{EventRequestLapsed, "The validity of an approval is over", "request"},
	{EventRequestRevoked, "An approval was revoked; reason is the cause", "request"},
	{EventRequestConsumed, "An approval was consumed; reason is the consumer, if named", "request"},
	{EventStageStarted, "A stage has started", "request stage"},
	{EventStageSkipped, "A stage was skipped", "request stage"},
	{EventStageApproved, "A stage is approved", "request stage"},
	{EventStageRejected, "A stage is rejected", "request stage"},
	{EventStageResolutionFailed, "The approvers of a stage cannot be resolved; the resolution is retried", "request stage"},
	{EventStageReminded, "A stage is due soon, or overdue; stage.reminder contains the time by the policy", "request stage"},
	{EventStageDue, "The due date of a stage is reached", "request stage"},
	{EventStageDueMoved, "An admin has moved the due date of a stage; stage.moved contains both dates", "request stage"},
	{EventStageEscalated, "The due date of a stage has added approvers, in stage.added", "request stage"},
	{EventStageEscalationEmpty, "The due date of a stage has added nobody; stage.error is the reason", "request stage"},
	{EventTaskCreated, "A task was created", "request stage task"},
	{EventTaskClaimed, "A task was claimed", "request stage task"},
	{EventTaskUnclaimed, "A claimed task was released", "request stage task"},
	{EventTaskDecided, "A task was decided", "request stage task decision"},
	{EventTaskWithdrawn, "A decision was withdrawn by its actor; reason is the cause, if given",
		"request stage task decision"},
	{EventTaskReassigned, "A task has another assignee", "request stage task"},
	{EventTaskOrphaned, "A user is no longer an approver; in a pool, task is the task that they had claimed, if any", "request stage task?"},
	{EventTaskClosed, "A task was closed undecided", "request stage task"},
	{EventDelegationStarted, "A delegation has started", ""},
	{EventDelegationEnded, "A delegation has ended", ""},
	{EventDelegationRevoked, "A delegation was revoked", ""},
	{EventPolicyActivated, "A policy version is active; reason is its content hash", ""},
	{EventPolicyDeactivated, "A policy version is no longer active; reason is its content hash", ""},
	{EventEndpointDisabled, "The service has disabled an endpoint; reason is the cause", ""},
	{EventAuditCheckpoint, "The end of the audit trail was signed; only for endpoints that name this type", "checkpoint"},
	{EventWebhookTest, "An admin has sent a test event", ""},
}

// EventTypes lists every type that an endpoint can subscribe to: all webhooks except the test.
var EventTypes = subscribable()

func subscribable() (types []EventType) {
	for _, w := range Webhooks {
		if w.Type != EventWebhookTest {
			types = append(types, w.Type)
		}
	}
	return types
}

// AllEventTypes lists every type, including the types of the audit trail only.
var AllEventTypes = slices.Concat(EventTypes, []EventType{
	EventDelegationCreated, EventPolicyCreated, EventPolicyVersionAdded, EventPolicyUpdated, EventPolicySimulated,
	EventPolicyVersionDeleted, EventDeliveryRetried, EventDeliveriesRecovered,
	EventEndpointCreated, EventEndpointUpdated, EventEndpointRotated, EventEndpointDeleted, EventWebhookTest,
	EventAuthDenied, EventAuditPurged, EventAuditErased, EventAuditRestarted,
})

// TypesMatching returns the types selected by a pattern.
func TypesMatching(patterns ...string) []EventType {
	return slices.DeleteFunc(slices.Clone(AllEventTypes), func(t EventType) bool { return !t.Matches(patterns) })
}

// DefaultPatterns select the events of a webhook target without patterns.
var DefaultPatterns = []string{"request.*"}

// Matches reports whether one of the patterns selects the type.
func (t EventType) Matches(patterns []string) bool {
	return outbox.Matches(string(t), patterns)
}

// SentTo reports whether a receiver with these patterns receives the type. A checkpoint must be named: it is for
// third parties and not about a request.
func (t EventType) SentTo(patterns []string) bool {
	if t == EventAuditCheckpoint {
		return slices.Contains(patterns, string(t))
	}
	return t.Matches(patterns)
}

// ValidPattern reports whether a receiver with the pattern receives a type.
func ValidPattern(pattern string) bool {
	return slices.ContainsFunc(EventTypes, func(t EventType) bool { return t.SentTo([]string{pattern}) })
}
