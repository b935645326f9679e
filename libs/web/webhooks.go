package web

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Webhooks describes the messages of a service for the document.
type Webhooks struct {
	Service string // prefix of unsigned headers
	SentTo  string // the receivers
	Subject string // object of the events; each has its own sequence
	More    string // further guarantees, as a sentence

	Payload  *huma.Schema
	Messages []Webhook
}

// Webhook is a message. Narrowed are the members of Payload with a narrower schema.
type Webhook struct {
	Type, Summary, Description string

	Narrowed map[string]*huma.Schema
	Example  json.RawMessage
}

const webhookTag = "events"

// headers are the headers of every message. The document repeats them in each entry, because client
// generators resolve references in webhooks incorrectly.
func (w Webhooks) headers() []*huma.Param {
	header := func(name, description, kind string) *huma.Param {
		return &huma.Param{Name: name, In: "header", Required: true, Description: description, Schema: &huma.Schema{Type: kind}}
	}
	return []*huma.Param{
		header("webhook-id", "Of the event: the same for every attempt, and after a retry by hand. Drop a message whose id was seen.", huma.TypeString),
		header("webhook-timestamp", "Of this attempt, in seconds since 1970. Refuse one that is more than 5 minutes away.", huma.TypeInteger),
		header("webhook-signature", "Signatures of webhook-id.webhook-timestamp.body, separated by spaces; one that verifies is enough. "+
			"v1, and the base64 of HMAC-SHA256 with the secret; v1a, and the base64 of Ed25519 for the public key. "+
			"While a secret is being replaced there are those of both.", huma.TypeString),
		header(w.Service+"-delivery-id", "For support; not signed.", huma.TypeString),
		header(w.Service+"-attempt", "1 to 6. For support; not signed.", huma.TypeInteger),
	}
}

// rules are the guarantees of every message.
func (w Webhooks) rules() string {
	return "Sent by POST to " + w.SentTo + ". Signed by Standard Webhooks 1.0.0: verify before anything else.\n\n" +
		"Any 2xx within 15 seconds is success. After anything else, a redirect too, five more attempts follow: " +
		"1 minute, 5 minutes, 15 minutes, 1 hour and 6 hours after the one before, " +
		"up to a tenth later, and not before the Retry-After of a 429 or 503, if that is at most 6 hours. An admin may start them again. " +
		"410 ends them at once and disables the endpoint. After failures in a row an endpoint is paused, which costs no attempt.\n\n" +
		"A message comes at least once, and in no order. Drop a webhook-id that was seen in the last 7 days, and do not let a lower sequence of the same " +
		w.Subject + " undo a higher one." + w.More
}

// DocumentWebhooks adds the messages to the document.
func (s *Server) DocumentWebhooks(w Webhooks) {
	document := s.API.OpenAPI()
	if document.Components.Responses == nil {
		document.Components.Responses = map[string]*huma.Response{}
	}
	document.Components.Responses["Received"] = &huma.Response{Description: "Received."}
	document.Components.Responses["Gone"] = &huma.Response{Description: "Never send here again: the endpoint is disabled."}
	document.Components.Responses["NotReceived"] = &huma.Response{Description: "Not received: the message is sent again."}
	document.Tags = append(slices.Clone(document.Tags), &huma.Tag{Name: webhookTag, Description: w.rules()})
	document.Webhooks = map[string]*huma.PathItem{}
	for _, message := range w.Messages {
		members := map[string]*huma.Schema{"type": {Const: message.Type}}
		maps.Copy(members, message.Narrowed)
		document.Webhooks[message.Type] = &huma.PathItem{Post: &huma.Operation{
			OperationID: camelCase(message.Type), Summary: message.Summary, Description: message.Description,
			Tags: []string{webhookTag}, Security: []map[string][]string{}, Parameters: w.headers(),
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
				Schema: &huma.Schema{AllOf: []*huma.Schema{w.Payload, {Properties: members}}}, Example: message.Example,
			}}},
			Responses: map[string]*huma.Response{
				"2XX": {Ref: "#/components/responses/Received"}, "410": {Ref: "#/components/responses/Gone"},
				"default": {Ref: "#/components/responses/NotReceived"},
			},
		}}
	}
}

// camelCase returns a name with dots and underscores in the case of operation ids.
func camelCase(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '_' })
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
