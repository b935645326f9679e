package wf

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// Payload is the body of a webhook.
type Payload struct {
	Type      audit.EventType `json:"type" doc:"Type of the event."`
	Timestamp identity.Stamp  `json:"timestamp" doc:"Time of the event."`
	Data      PayloadData     `json:"data" doc:"Content of the event."`
}

// PayloadData is the content of an event. Deliveries are not ordered: a receiver with state ignores a
// sequence below the last one that it has processed.
type PayloadData struct {
	EventID  string          `json:"event_id" doc:"Identifier of the event; equals webhook-id in every attempt."`
	Sequence int64           `json:"sequence" doc:"Number of the event in the chain of its request, or in the service chain, from 1."`
	Resource Resource        `json:"resource" doc:"Object of the event."`
	Request  *RequestSummary `json:"request" doc:"Request after the event; null for an event of the service chain."`
	Stage    *StageSummary   `json:"stage" doc:"Stage of the event, or null."`
	Task     *TaskSummary    `json:"task" doc:"Task of the event, or null."`
	Decision *Decision       `json:"decision" doc:"Decision of the event, or null."`
	Comment  *Comment        `json:"comment,omitempty" doc:"Comment of the event; only with type request.commented."`

	Checkpoint string `json:"checkpoint,omitempty" doc:"Signed end of the audit trail: a JWS in compact form; only with type audit.checkpoint."`

	Actor  identity.ActorRef `json:"actor" doc:"Actor of the event."`
	Reason string            `json:"reason,omitempty" doc:"Reason given by the actor, if any."`
}

// Audience holds the receivers of an event besides the endpoints with matching patterns of their own.
type Audience struct {
	Named    string // name of the only endpoint of EventWebhookTest
	Callback string // URL of the request; empty for none
	Pages    string // URL of the inbox pages; empty if not configured
	Context  []byte // of the request, after settings.redact; for endpoints that include it

	Checkpoint string // of EventAuditCheckpoint
}

// Deliveries returns the deliveries of an event, due immediately: one for each selected endpoint and one for
// the callback. Events for the audit trail only have none.
func (e Event) Deliveries(endpoints []outbox.Endpoint, also Audience, newID func() string) ([]outbox.Delivery, error) {
	if e.Type != audit.EventWebhookTest && !slices.Contains(audit.EventTypes, e.Type) {
		return nil, nil
	}
	targets := map[string][]outbox.Target{} // by included parts
	for _, endpoint := range endpoints {
		if e.selectedBy(endpoint, also.Named) {
			parts := strings.Join(endpoint.Include, " ")
			targets[parts] = append(targets[parts], endpoint.Target())
		}
	}
	if also.Callback != "" && e.Type.Matches(audit.DefaultPatterns) {
		targets[""] = append(targets[""], outbox.Target{URL: also.Callback})
	}
	var all []outbox.Delivery
	for _, parts := range slices.Sorted(maps.Keys(targets)) {
		payload, err := e.payload(strings.Fields(parts), also)
		if err != nil {
			return nil, err
		}
		all = append(all, outbox.Message{
			EventID: e.ID, Variant: parts, EventType: string(e.Type), Subject: e.RequestID, Sequence: e.Seq, At: e.At.Time,
			Payload: payload, Traceparent: e.Traceparent,
		}.Deliveries(targets[parts], newID)...)
	}
	return all, nil
}

// payload returns the message about the event with these parts.
func (e Event) payload(include []string, also Audience) ([]byte, error) {
	e = e.message(include, also.Context)
	return json.Marshal(Payload{
		Type: e.Type, Timestamp: e.At,
		Data: PayloadData{
			EventID: e.ID, Sequence: e.Seq, Resource: e.Resource,
			Request: also.withPage(e.Request), Stage: e.Stage, Task: e.Task, Decision: e.Decision, Comment: e.Comment, Actor: e.Actor, Reason: e.Reason,
			Checkpoint: also.Checkpoint,
		},
	})
}

// withPage returns a request with the URL of its page.
func (a Audience) withPage(r *RequestSummary) *RequestSummary {
	if r == nil || a.Pages == "" {
		return r
	}
	withURL := new(*r)
	withURL.Page = a.Pages + "/requests/" + r.ID
	return withURL
}

// selectedBy reports whether the patterns of the endpoint select the event. A test event has one named
// receiver only.
func (e Event) selectedBy(endpoint outbox.Endpoint, named string) bool {
	if e.Type == audit.EventWebhookTest {
		return endpoint.Enabled && endpoint.Name == named
	}
	return endpoint.Selects(string(e.Type), e.PolicyKey()) && e.Type.SentTo(endpoint.Events)
}

// CheckEndpoint rejects an invalid name, format or pattern. The engine checks the URL.
func CheckEndpoint(e outbox.Endpoint) error {
	if !outbox.ValidName(e.Name) {
		return refusal.At(reason.BadName, "/name", "String should match %s", outbox.NamePattern)
	}
	if !slices.Contains(outbox.Formats, e.Format) {
		return refusal.At(reason.NotListed, "/format", "Input should be 'slack', 'mattermost' or 'teams'")
	}
	for i, pattern := range e.Events {
		if !audit.ValidPattern(pattern) {
			return refusal.At(reason.BadInput, fmt.Sprintf("/events/%d", i), "must match an event type")
		}
	}
	for i, part := range e.Include {
		switch {
		case !slices.Contains(Include("").Values(), Include(part)):
			return refusal.At(reason.NotListed, fmt.Sprintf("/include/%d", i), "Input should be 'context' or 'decision_data'")
		case e.Chat():
			return refusal.At(reason.BadInput, "/include", "chat formats include neither context nor decision data")
		}
	}
	for i, pattern := range e.PolicyKeys {
		where := fmt.Sprintf("/policy_keys/%d", i)
		if strings.TrimSpace(pattern) == "" {
			return refusal.At(reason.BadInput, where, "must match a policy; use * for every policy")
		}
		if _, err := path.Match(pattern, ""); err != nil {
			return refusal.At(reason.BadInput, where, "must be a policy key or a pattern such as disbursement.*")
		}
	}
	return nil
}

// EndpointResource returns the endpoint as the object of events.
func EndpointResource(e outbox.Endpoint) Resource {
	return Resource{Type: "endpoint", ID: e.ID, Name: e.Name}
}

// Include is an optional part of a webhook's payload.
type Include string

// Values returns every value.
func (Include) Values() []Include { return []Include{IncludeContext, IncludeDecisionData} }

// The parts: the context of the request after settings.redact; the data, attachments and authentication of
// decisions.
const (
	IncludeContext      Include = "context"
	IncludeDecisionData Include = "decision_data"
)

// message returns the event as contained in a message with these parts. The attachments of the request are none.
func (e Event) message(include []string, context json.RawMessage) Event {
	if !slices.Contains(include, string(IncludeDecisionData)) {
		e.Decision = e.Decision.withoutEvidence()
	}
	if e.Request != nil {
		e.Request = new(*e.Request)
		e.Request.Attachments = nil
		if slices.Contains(include, string(IncludeContext)) {
			e.Request.Context = context
		}
	}
	return e
}
