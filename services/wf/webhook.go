package wf

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Payload is the body of a webhook.
type Payload struct {
	Type      audit.EventType `json:"type" doc:"Type of the event."`
	Timestamp identity.Stamp  `json:"timestamp" doc:"Time of the event."`
	Data      PayloadData     `json:"data" doc:"What happened."`
}

// PayloadData says what happened. Receivers that keep state ignore a sequence
// lower than one that they have seen: no order is guaranteed.
type PayloadData struct {
	EventID  string            `json:"event_id" doc:"Identifier of the event: the webhook-id of every attempt."`
	Sequence int64             `json:"sequence" doc:"1, 2, 3 … for the events of one request, and for those of the service."`
	Resource Resource          `json:"resource" doc:"What the event is about."`
	Request  *RequestSummary   `json:"request" doc:"The request after the event; null for an event of the service."`
	Stage    *StageSummary     `json:"stage" doc:"The stage that the event is about, or null."`
	Task     *TaskSummary      `json:"task" doc:"The task that the event is about, or null."`
	Decision *Decision         `json:"decision" doc:"The decision, or null."`
	Comment  *Comment          `json:"comment,omitempty" doc:"What was said, of request.commented."`
	Actor    identity.ActorRef `json:"actor" doc:"Who caused the event."`
	Reason   string            `json:"reason,omitempty" doc:"Why it happened, if there is a reason."`
}

// Audience is who is told of events, besides the endpoints whose own patterns select
// them.
type Audience struct {
	Named    []policy.WebhookTarget // of the policy
	Callback string                 // URL of the request; empty for none
	People   []outbox.Target        // receivers besides webhooks
	Pages    string                 // URL of the inbox pages; empty if not configured
	Context  []byte                 // of the request, after settings.redact; for endpoints that include it
}

// Deliveries returns what the event sends, due at once: one delivery for each endpoint,
// however often it is selected, and one for the callback. Events for the audit trail
// alone send nothing.
func (e Event) Deliveries(endpoints []outbox.Endpoint, also Audience, newID func() string) ([]outbox.Delivery, error) {
	if e.Type != audit.EventWebhookTest && !slices.Contains(audit.EventTypes, e.Type) {
		return nil, nil
	}
	targets := map[string][]outbox.Target{} // by the parts that they include
	for _, endpoint := range endpoints {
		if e.selectedBy(endpoint) || endpoint.Enabled && also.names(endpoint.Name, e.Type) {
			parts := strings.Join(endpoint.Include, " ")
			targets[parts] = append(targets[parts], endpoint.Target())
		}
	}
	if also.Callback != "" && e.Type.Matches(audit.DefaultPatterns) {
		targets[""] = append(targets[""], outbox.Target{URL: also.Callback})
	}
	if len(also.People) > 0 {
		targets[""] = append(targets[""], also.People...)
	}
	var all []outbox.Delivery
	for _, parts := range slices.Sorted(maps.Keys(targets)) {
		payload, err := e.payload(strings.Fields(parts), also)
		if err != nil {
			return nil, err
		}
		all = append(all, outbox.Message{
			EventID: e.ID, Variant: parts, EventType: string(e.Type), Subject: e.RequestID, Sequence: e.Seq, At: e.At.Time, Payload: payload, Traceparent: e.Traceparent,
		}.To(targets[parts], newID)...)
	}
	return all, nil
}

// payload is the message about the event with these parts.
func (e Event) payload(include []string, also Audience) ([]byte, error) {
	e = e.message(include, also.Context)
	return json.Marshal(Payload{
		Type: e.Type, Timestamp: e.At,
		Data: PayloadData{
			EventID: e.ID, Sequence: e.Seq, Resource: e.Resource,
			Request: also.paged(e.Request), Stage: e.Stage, Task: e.Task, Decision: e.Decision, Comment: e.Comment, Actor: e.Actor, Reason: e.Reason,
		},
	})
}

// paged is a request with the address of its page.
func (a Audience) paged(r *RequestSummary) *RequestSummary {
	if r == nil || a.Pages == "" {
		return r
	}
	paged := new(*r)
	paged.Page = a.Pages + "/requests/" + r.ID
	return paged
}

// selectedBy reports whether the endpoint hears of the event by its own patterns. A test
// is for one endpoint alone, which is named.
func (e Event) selectedBy(endpoint outbox.Endpoint) bool {
	return e.Type != audit.EventWebhookTest && endpoint.Selects(string(e.Type), e.PolicyKey())
}

// names reports whether the policy tells the endpoint of events of the type.
func (a Audience) names(endpoint string, t audit.EventType) bool {
	return slices.ContainsFunc(a.Named, func(w policy.WebhookTarget) bool {
		patterns := w.Events
		if len(patterns) == 0 {
			patterns = audit.DefaultPatterns
		}
		return w.Endpoint == endpoint && t.Matches(patterns)
	})
}

// CheckEndpoint refuses a wrong name and wrong patterns. Whether the URL may be called is
// checked by the engine.
func CheckEndpoint(e outbox.Endpoint) error {
	if !outbox.ValidName(e.Name) {
		return refusal.At(reason.BadName, "/name", "String should match %s", outbox.NamePattern)
	}
	if !slices.Contains(outbox.Formats, e.Format) {
		return refusal.At(reason.NotListed, "/format", "is no format")
	}
	for i, pattern := range e.Events {
		if !audit.ValidPattern(pattern) {
			return refusal.At(reason.BadInput, fmt.Sprintf("/events/%d", i), "matches no event type")
		}
	}
	for i, part := range e.Include {
		switch {
		case !slices.Contains(Include("").Values(), Include(part)):
			return refusal.At(reason.NotListed, fmt.Sprintf("/include/%d", i), "Input should be 'context' or 'decision_data'")
		case e.Chat():
			return refusal.At(reason.BadInput, "/include", "messages to a chat include neither context nor decision data")
		}
	}
	return approver.CheckPatterns(e.PolicyKeys, "/policy_keys")
}

// EndpointResource names an endpoint in events.
func EndpointResource(e outbox.Endpoint) Resource {
	return Resource{Type: "endpoint", ID: e.ID, Name: e.Name}
}

// Include is a part of a webhook's payload that an endpoint asks for by name.
type Include string

// Values returns every value.
func (Include) Values() []Include { return []Include{IncludeContext, IncludeDecisionData} }

// The parts: the context of the request, after settings.redact, and the data, attachments and authentication of
// decisions.
const (
	IncludeContext      Include = "context"
	IncludeDecisionData Include = "decision_data"
)

// message returns the event as a message with these parts shows it.
func (e Event) message(include []string, context json.RawMessage) Event {
	if !slices.Contains(include, string(IncludeDecisionData)) {
		e.Decision = e.Decision.withoutEvidence()
	}
	if e.Request != nil && slices.Contains(include, string(IncludeContext)) {
		e.Request = new(*e.Request)
		e.Request.Context = context
	}
	return e
}
