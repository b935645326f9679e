package api

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// webhooks describes every message that a receiver may get, by an event that causes it.
var webhooks = []struct {
	kind    registrar.WebhookType
	summary string
	says    string
	event   registrar.Event
	status  registrar.ClientStatus
}{
	{registrar.WebhookRegistered, "A client was registered", "Its status is PENDING until the identity provider has it.", registrar.Event{Actor: "ana"}, registrar.ClientPending},
	{registrar.WebhookActivated, "A client is usable", "The identity provider has it, or it was switched on again.", registrar.Event{Actor: "ana"}, registrar.ClientActive},
	{registrar.WebhookUpdated, "A client has changed", "`changed` names the fields.", registrar.Event{Actor: "ana", Changed: []string{"redirectUris"}}, registrar.ClientActive},
	{registrar.WebhookDeactivated, "A client was switched off", "It may be switched on again.", registrar.Event{Actor: "ana", Changed: []string{"status"}}, registrar.ClientInactive},
	{registrar.WebhookFailed, "A registration or a change has come to nothing", "The identity provider refused it or could not be reached for too long, or it was given up. A registration may be gone then: its status here is FAILED.", registrar.Event{Actor: "oidc-registrar", Reason: registrar.ProviderUnreachable}, registrar.ClientFailed},
	{registrar.WebhookTest, "An admin tests this endpoint", "It is about no client.", registrar.Event{Actor: "ana"}, ""},
}

const webhookTag = "events"

// webhookRules is what receivers rely on, whatever the message.
const webhookRules = "Sent by POST to the webhook endpoints that select the event. Signed by Standard Webhooks 1.0.0: verify before anything else.\n\n" +
	"Any 2xx within 15 seconds is success. After anything else, a redirect too, five more attempts follow: 1 minute, 5 minutes, 15 minutes, 1 hour and 6 hours after the one before, " +
	"up to a tenth later, and not before the Retry-After of a 429 or 503, if that is at most 6 hours. An admin may start them again. " +
	"410 ends them at once and disables the endpoint. After failures in a row an endpoint is paused, which costs no attempt.\n\n" +
	"A message comes at least once, and in no order. Drop a webhook-id that was seen in the last 7 days, and do not let a lower sequence of the same client undo a higher one. " +
	"No message holds a key."

// webhookHeaders are the headers of every message.
var webhookHeaders = func() []*huma.Param {
	header := func(name, description, kind string) *huma.Param {
		return &huma.Param{Name: name, In: "header", Required: true, Description: description, Schema: &huma.Schema{Type: kind}}
	}
	return []*huma.Param{
		header("webhook-id", "Of the event: the same for every attempt, and after a retry by hand. Drop a message whose id was seen.", huma.TypeString),
		header("webhook-timestamp", "Of this attempt, in seconds since 1970. Refuse one that is more than 5 minutes away.", huma.TypeInteger),
		header("webhook-signature", "Signatures of webhook-id.webhook-timestamp.body, separated by spaces; one that verifies is enough. "+
			"v1, and the base64 of HMAC-SHA256 with the secret; v1a, and the base64 of Ed25519 for the public key. While a secret is being replaced there are those of both.", huma.TypeString),
		header("registrar-delivery-id", "For support; not signed.", huma.TypeString),
		header("registrar-attempt", "1 to 6. For support; not signed.", huma.TypeInteger),
	}
}()

// webhookExample is a message about an event.
func webhookExample(kind registrar.WebhookType, e registrar.Event, status registrar.ClientStatus) json.RawMessage {
	e.At = time.Date(2026, 11, 22, 9, 30, 0, 0, time.UTC)
	message := kind.Payload(e, "019a3c5e-7b10-7c3f-9d52-4f6a1e2b8c01", 1, registrar.Client{
		ID: "nYi9V7hGgoZ4hbHY2SxTOO5rqSvBBoDIzRYT2hGdL_8", Name: "Example portal", Status: status, PartnerID: "demo-partner", PolicyID: "demo-policy",
		LogoURI: "https://rp.example.org/logo.png", RedirectURIs: []string{"https://rp.example.org/callback"},
		UserClaims: []string{"name", "email"}, ACRs: []string{"mosip:idp:acr:password"},
		GrantTypes: []string{"authorization_code"}, AuthMethods: []string{"private_key_jwt"},
	})
	if kind == registrar.WebhookTest {
		message.Data.Client, message.Data.PartnerID, message.Data.PolicyID = nil, "", ""
	}
	data, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	return data
}

// documentWebhooks adds the messages to the document.
func (a *API) documentWebhooks() {
	document := a.API.OpenAPI()
	payload := document.Components.Schemas.Schema(reflect.TypeFor[registrar.WebhookPayload](), true, "")
	if document.Components.Responses == nil {
		document.Components.Responses = map[string]*huma.Response{}
	}
	document.Components.Responses["Received"] = &huma.Response{Description: "Received."}
	document.Components.Responses["Gone"] = &huma.Response{Description: "Never send here again: the endpoint is disabled."}
	document.Components.Responses["NotReceived"] = &huma.Response{Description: "Not received: the message is sent again."}
	document.Tags = append(slices.Clone(document.Tags), &huma.Tag{Name: webhookTag, Description: webhookRules})
	document.Webhooks = map[string]*huma.PathItem{}
	for _, hook := range webhooks {
		kind, name, _ := strings.Cut(string(hook.kind), ".")
		document.Webhooks[string(hook.kind)] = &huma.PathItem{Post: &huma.Operation{
			OperationID: kind + strings.ToUpper(name[:1]) + name[1:], Summary: hook.summary, Description: hook.says, Tags: []string{webhookTag}, Security: []map[string][]string{}, Parameters: webhookHeaders,
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
				Schema:  &huma.Schema{AllOf: []*huma.Schema{payload, {Properties: map[string]*huma.Schema{"type": {Const: string(hook.kind)}}}}},
				Example: webhookExample(hook.kind, hook.event, hook.status),
			}}},
			Responses: map[string]*huma.Response{
				"2XX": {Ref: "#/components/responses/Received"}, "410": {Ref: "#/components/responses/Gone"}, "default": {Ref: "#/components/responses/NotReceived"},
			},
		}}
	}
}
