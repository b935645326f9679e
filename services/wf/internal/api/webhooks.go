package api

import (
	_ "embed"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
)

// webhooks describes every message type. The third column lists the members of data; a question
// mark marks a nullable member.
var webhooks = []struct {
	kind    audit.EventType
	summary string
	data    string
}{
	{audit.EventRequestCreated, "A request was created", "request"},
	{audit.EventRequestBlocked, "A request is blocked: a stage has too few approvers", "request"},
	{audit.EventRequestUnblocked, "A blocked request continues", "request"},
	{audit.EventRequestChangesRequested, "An approver asks for changes", "request stage"},
	{audit.EventRequestResubmitted, "The requester has resubmitted a request", "request"},
	{audit.EventRequestApproved, "A request is approved", "request"},
	{audit.EventRequestRejected, "A request is rejected", "request"},
	{audit.EventRequestCancelled, "A request is cancelled", "request"},
	{audit.EventRequestExpired, "A request has expired", "request"},
	{audit.EventRequestOverridden, "An admin has overridden the outcome of a stage", "request stage"},
	{audit.EventRequestCommented, "A comment was added to a request; comment contains its text and mentions", "request"},
	{audit.EventRequestExpiring, "A request expires soon: within a day, or the configured period", "request"},
	{audit.EventRequestLapsing, "An approval lapses soon: within a day, or the configured period", "request"},
	{audit.EventRequestLapsed, "The validity of an approval is over", "request"},
	{audit.EventRequestRevoked, "An approval was revoked; reason is the cause", "request"},
	{audit.EventRequestConsumed, "An approval was consumed; reason is the consumer, if named", "request"},
	{audit.EventStageStarted, "A stage has started", "request stage"},
	{audit.EventStageSkipped, "A stage was skipped", "request stage"},
	{audit.EventStageApproved, "A stage is approved", "request stage"},
	{audit.EventStageRejected, "A stage is rejected", "request stage"},
	{audit.EventStageReminded, "A stage is due soon, or overdue; stage.reminder contains the time by the policy", "request stage"},
	{audit.EventStageDue, "The due date of a stage is reached", "request stage"},
	{audit.EventStageDueMoved, "An admin has moved the due date of a stage; stage.moved contains both dates", "request stage"},
	{audit.EventStageEscalated, "The due date of a stage has added approvers, in stage.added", "request stage"},
	{audit.EventStageEscalationEmpty, "The due date of a stage has added nobody; stage.error is the reason", "request stage"},
	{audit.EventStageResolutionFailed, "The approvers of a stage cannot be resolved; the resolution is retried", "request stage"},
	{audit.EventTaskCreated, "A task was created", "request stage task"},
	{audit.EventTaskClaimed, "A task was claimed", "request stage task"},
	{audit.EventTaskUnclaimed, "A claimed task was released", "request stage task"},
	{audit.EventTaskDecided, "A task was decided", "request stage task decision"},
	{audit.EventTaskReassigned, "A task has another assignee", "request stage task"},
	{audit.EventTaskOrphaned, "A user is no longer an approver; in a pool, task is the task that they had claimed, if any", "request stage task?"},
	{audit.EventTaskClosed, "A task was closed undecided", "request stage task"},
	{audit.EventDelegationApplied, "A delegation applies to a task or a pool", "request stage task?"},
	{audit.EventDelegationNotApplied, "A delegation cannot apply", "request stage task?"},
	{audit.EventDelegationStarted, "A delegation has started", ""},
	{audit.EventDelegationEnded, "A delegation has ended; repeated for each pool that the delegate leaves", "request? stage?"},
	{audit.EventDelegationRevoked, "A delegation was revoked", ""},
	{audit.EventPolicyActivated, "A policy version is active; reason is its content hash", ""},
	{audit.EventPolicyDeactivated, "A policy version is no longer active; reason is its content hash", ""},
	{audit.EventEndpointDisabled, "The service has disabled an endpoint; reason is the cause", ""},
	{audit.EventWebhookTest, "An admin has sent a test event", ""},
}

// webhookExamples are messages of the service. A test runs a scenario with every type and compares
// them.
var webhookExamples = web.Examples[audit.EventType](webhookExamplesFile)

//go:embed webhooks.json
var webhookExamplesFile []byte

// dataRule describes the members of data.
func dataRule(fields string) string {
	const members = "`request`, `stage`, `task` and `decision`"
	var there, maybe, says []string
	for _, name := range strings.Fields(fields) {
		if bare, optional := strings.CutSuffix(name, "?"); optional {
			maybe = append(maybe, "`"+bare+"`")
		} else {
			there = append(there, "`"+bare+"`")
		}
	}
	if there != nil {
		says = append(says, "has "+strings.Join(there, ", "))
	}
	if maybe != nil {
		says = append(says, "may have "+strings.Join(maybe, ", "))
	}
	if says == nil {
		return "The event belongs to the service chain: " + members + " are null."
	}
	return "`data` " + strings.Join(says, " and ") + "; the rest of " + members + " is null."
}

// documentWebhooks adds the messages to the document. a.document calls it after the registration of
// the time schemas.
func (a *API) documentWebhooks() {
	document := a.Server.API.OpenAPI()
	schemas := document.Components.Schemas
	payload := schemas.Schema(reflect.TypeFor[wf.Payload](), true, "")
	data := schemas.Map()["PayloadData"].Properties
	members := map[string]*huma.Schema{}
	for _, name := range []string{"request", "stage", "task", "decision"} {
		members[name] = data[name]
		data[name] = web.OrNull(data[name])
	}
	document.Tags = tags
	messages := make([]web.Webhook, len(webhooks))
	for i, hook := range webhooks {
		narrowed := map[string]*huma.Schema{}
		for name, member := range members {
			switch fields := strings.Fields(hook.data); {
			case slices.Contains(fields, name):
				narrowed[name] = member
			case !slices.Contains(fields, name+"?"):
				narrowed[name] = &huma.Schema{Type: "null"}
			}
		}
		messages[i] = web.Webhook{
			Type: string(hook.kind), Summary: hook.summary, Description: dataRule(hook.data),
			Narrowed: map[string]*huma.Schema{"data": {Properties: narrowed}}, Example: webhookExamples[hook.kind],
		}
	}
	a.DocumentWebhooks(web.Webhooks{
		Service: "wf", Subject: "request", Payload: payload, Messages: messages,
		SentTo: "the webhook endpoints with a matching pattern, to the endpoints of the request's policy and, for request.*, to callback_url",
	})
}
