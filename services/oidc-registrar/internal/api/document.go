package api

import (
	"encoding/json"
	"reflect"
	"time"

	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// webhooks lists every message type with an example event.
var webhooks = []struct {
	kind    registrar.WebhookType
	summary string
	says    string
	event   registrar.Event
	status  registrar.ClientStatus
}{
	{registrar.WebhookRegistered, "A client was registered", "Its status is PENDING until the identity provider has it.",
		registrar.Event{Actor: "ana"}, registrar.ClientPending},
	{registrar.WebhookActivated, "A client is usable", "The identity provider has it, or it was switched on again.",
		registrar.Event{Actor: "ana"}, registrar.ClientActive},
	{registrar.WebhookUpdated, "A client has changed", "`changed` names the fields.",
		registrar.Event{Actor: "ana", Changed: []string{"redirectUris"}}, registrar.ClientActive},
	{registrar.WebhookDeactivated, "A client was switched off", "It may be switched on again.",
		registrar.Event{Actor: "ana", Changed: []string{"status"}}, registrar.ClientInactive},
	{registrar.WebhookFailed, "A registration or an update failed",
		"The identity provider refused it, was unreachable for all attempts, or it was abandoned. " +
			"A registration may be deleted; its status in the message is FAILED.",
		registrar.Event{Actor: "oidc-registrar", Reason: registrar.ProviderUnreachable}, registrar.ClientFailed},
	{registrar.WebhookTest, "An admin tests this endpoint", "It is about no client.", registrar.Event{Actor: "ana"}, ""},
}

// webhookExample returns an example message.
func webhookExample(kind registrar.WebhookType, e registrar.Event, status registrar.ClientStatus) json.RawMessage {
	e.At = time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)
	data, err := json.Marshal(kind.Payload(e, "019a3c5e-7b10-7c3f-9d52-4f6a1e2b8c01", 1, registrar.Client{
		ID: "nYi9V7hGgoZ4hbHY2SxTOO5rqSvBBoDIzRYT2hGdL_8", Name: "Example portal", Status: status, PartnerID: "demo-partner", PolicyID: "demo-policy",
		LogoURI: "https://rp.example.org/logo.png", RedirectURIs: []string{"https://rp.example.org/callback"},
		UserClaims: []string{"name", "email"}, ACRs: []string{"mosip:idp:acr:password"},
		GrantTypes: []string{"authorization_code"}, AuthMethods: []string{"private_key_jwt"},
	}))
	if err != nil {
		panic(err)
	}
	return data
}

// documentWebhooks adds the messages to the document.
func (a *API) documentWebhooks() {
	messages := make([]web.Webhook, len(webhooks))
	for i, hook := range webhooks {
		messages[i] = web.Webhook{
			Type: string(hook.kind), Summary: hook.summary, Description: hook.says, Example: webhookExample(hook.kind, hook.event, hook.status),
		}
	}
	a.DocumentWebhooks(web.Webhooks{
		Service: "registrar", SentTo: "the webhook endpoints that select the event", Subject: "client", More: " No message holds a key.",
		Payload: a.API.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[registrar.WebhookPayload](), true, ""), Messages: messages,
	})
}
