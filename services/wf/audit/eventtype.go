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
	EventTaskReassigned EventType = "task.reassigned"
	EventTaskOrphaned   EventType = "task.orphaned"
	EventTaskClosed     EventType = "task.closed"

	EventDelegationCreated    EventType = "delegation.created"
	EventDelegationStarted    EventType = "delegation.started"
	EventDelegationEnded      EventType = "delegation.ended"
	EventDelegationRevoked    EventType = "delegation.revoked"
	EventDelegationApplied    EventType = "delegation.applied"
	EventDelegationNotApplied EventType = "delegation.not_applied"

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

	EventAuditAcknowledged EventType = "audit.acknowledged" // an admin acknowledged breaks of a chain
)

// EventTypes lists every type that an endpoint can subscribe to.
var EventTypes = []EventType{
	EventRequestCreated, EventRequestBlocked, EventRequestUnblocked, EventRequestChangesRequested, EventRequestResubmitted,
	EventRequestApproved, EventRequestRejected, EventRequestCancelled, EventRequestExpired, EventRequestOverridden, EventRequestCommented, EventRequestExpiring,
	EventRequestLapsing, EventRequestLapsed, EventRequestRevoked, EventRequestConsumed,
	EventStageStarted, EventStageSkipped, EventStageApproved, EventStageRejected, EventStageResolutionFailed,
	EventStageReminded, EventStageDue, EventStageDueMoved, EventStageEscalated, EventStageEscalationEmpty,
	EventTaskCreated, EventTaskClaimed, EventTaskUnclaimed, EventTaskDecided, EventTaskReassigned, EventTaskOrphaned, EventTaskClosed,
	EventDelegationApplied, EventDelegationNotApplied, EventDelegationStarted, EventDelegationEnded, EventDelegationRevoked,
	EventPolicyActivated, EventPolicyDeactivated, EventEndpointDisabled,
}

// AllEventTypes lists every type, including the types of the audit trail only.
var AllEventTypes = slices.Concat(EventTypes, []EventType{
	EventDelegationCreated, EventPolicyCreated, EventPolicyVersionAdded, EventPolicyUpdated, EventPolicySimulated, EventPolicyVersionDeleted, EventDeliveryRetried, EventDeliveriesRecovered,
	EventEndpointCreated, EventEndpointUpdated, EventEndpointRotated, EventEndpointDeleted, EventWebhookTest, EventAuthDenied, EventAuditPurged, EventAuditErased, EventAuditAcknowledged,
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

// ValidPattern reports whether the pattern selects a type.
func ValidPattern(pattern string) bool {
	return slices.ContainsFunc(EventTypes, func(t EventType) bool { return t.Matches([]string{pattern}) })
}
