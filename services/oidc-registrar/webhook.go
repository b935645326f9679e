package registrar

import (
	"errors"
	"path"
	"slices"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/outbox"
)

// WebhookType is the type of a webhook about a client.
type WebhookType string

const (
	WebhookRegistered  WebhookType = "client.registered"  // stored; the status reports whether it is usable
	WebhookActivated   WebhookType = "client.activated"   // confirmed by the identity provider, or enabled again
	WebhookUpdated     WebhookType = "client.updated"     // fields changed
	WebhookDeactivated WebhookType = "client.deactivated" // disabled
	WebhookFailed      WebhookType = "client.failed"      // a registration or a change failed
	WebhookTest        WebhookType = "webhook.test"       // an admin tests an endpoint
)

// WebhookTypes lists the types that endpoints can select.
var WebhookTypes = []WebhookType{WebhookRegistered, WebhookActivated, WebhookUpdated, WebhookDeactivated, WebhookFailed}

// DefaultWebhooks are the patterns of an endpoint without patterns.
var DefaultWebhooks = []string{"client.*"}

// Webhook returns the webhook type of an event. The client is as given after it, or gone if its
// registration was undone. notified is false for an event without a webhook.
func (e Event) Webhook(after Client, gone bool) (t WebhookType, notified bool) {
	undone := []EventType{EventClientRefused, EventClientRemoved, EventClientDropped}
	updating := []EventType{EventClientUpdated, EventClientConfirmed, EventApprovalEnded, EventClientExpired}
	switch {
	case e.Type == EventClientRegistered:
		return WebhookRegistered, true
	case e.Type == EventClientActivated:
		return WebhookActivated, true
	case e.Type == EventClientFailed, e.Type == EventApprovalEnded && after.Status == ClientFailed,
		gone && slices.Contains(undone, e.Type):
		return WebhookFailed, true
	case !slices.Contains(updating, e.Type) || len(e.Changed) == 0:
		return "", false
	case slices.Contains(e.Changed, "status") && after.Status == ClientInactive:
		return WebhookDeactivated, true
	case slices.Contains(e.Changed, "status") && after.Status == ClientActive:
		return WebhookActivated, true
	default:
		return WebhookUpdated, true
	}
}

// WebhookPayload is the body of a webhook.
type WebhookPayload struct {
	Type      WebhookType   `json:"type" doc:"Type of the event."`
	Timestamp envelope.Time `json:"timestamp" format:"date-time" doc:"Time of the event."`
	Data      WebhookData   `json:"data" doc:"Type of the event."`
}

// WebhookData is the content of a webhook. It never contains a key.
type WebhookData struct {
	EventID   string         `json:"eventId" doc:"Identifier of the event: the webhook-id of every attempt."`
	Sequence  int64          `json:"sequence" doc:"Grows with the changes of a client."`
	PartnerID string         `json:"partnerId,omitempty" doc:"Partner or relying party that owns the client."`
	PolicyID  string         `json:"policyId,omitempty" doc:"Policy of the client; absent if it was registered with named claims."`
	Client    *ClientSummary `json:"client,omitempty" doc:"The client after the event; absent of a test."`
	Changed   []string       `json:"changed,omitempty" doc:"Names of the fields that changed."`
	Reason    Reason         `json:"reason,omitempty" doc:"Reason of the failure, or of the end of the approval."`

	ProviderCode string `json:"providerCode,omitempty" doc:"Code with which the identity provider refused it, if it gave one."`
	Actor        string `json:"actor" doc:"Subject of the caller's token, or oidc-registrar."`
}

// ClientSummary is the representation of a client in webhooks.
type ClientSummary struct {
	ClientID   string       `json:"clientId" doc:"Identifier of the client."`
	ProviderID string       `json:"providerClientId,omitempty" doc:"Identifier that the identity provider assigned and the relying party signs in with; absent if it is clientId."`
	Name       string       `json:"name" doc:"Display name."`
	Status     ClientStatus `json:"status" doc:"Status of the client. What came to nothing before it was ever ACTIVE is FAILED here, and may be gone."`
	SharedMembers
	UserClaims []string `json:"userClaims" doc:"Claims that the client may request."`
	ACRs       []string `json:"authContextRefs" doc:"Authentication context classes that the client may request."`
}

// Payload returns the body of the webhook about an event, with the client after it. The body of a
// test has no client.
func (t WebhookType) Payload(e Event, id string, sequence int64, after Client) WebhookPayload {
	data := WebhookData{EventID: id, Sequence: sequence, Changed: e.Changed, Reason: e.Reason, ProviderCode: e.ProviderCode, Actor: e.Actor}
	if t != WebhookTest {
		data.PartnerID, data.PolicyID = after.PartnerID, after.PolicyID
		data.Client = &ClientSummary{
			ClientID: after.ID, ProviderID: after.ProviderClientID, Name: after.Name, Status: after.Status,
			SharedMembers: after.Shared(), UserClaims: NotNil(after.UserClaims), ACRs: NotNil(after.ACRs),
		}
	}
	return WebhookPayload{Type: t, Timestamp: envelope.Time{Time: e.At}, Data: data}
}

// CheckEndpoint refuses an invalid name and invalid patterns. The URL is checked elsewhere.
func CheckEndpoint(e outbox.Endpoint) error {
	var found problems
	add := func(field, message string) { found.add(field, InvalidRequest, errors.New(message)) }
	if !outbox.ValidName(e.Name) {
		add("name", "must match "+outbox.NamePattern)
	}
	for _, pattern := range e.Events {
		if !slices.ContainsFunc(WebhookTypes, func(t WebhookType) bool { return outbox.Matches(string(t), []string{pattern}) }) {
			add("events", "must be types of events, or patterns that match one")
			break
		}
	}
	for _, pattern := range e.PolicyKeys {
		if _, err := path.Match(pattern, ""); err != nil {
			add("policyIds", "must be policies, or patterns of them")
			break
		}
	}
	return found.err()
}
