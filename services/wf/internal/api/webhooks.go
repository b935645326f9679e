package api

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
)

// webhooks describes every message that a receiver may get. The third column says
// which members of data are there; one with a question mark may be null, and the
// others are.
var webhooks = []struct {
	kind    wf.EventType
	summary string
	data    string
}{
	{wf.EventRequestCreated, "A request was created", "request"},
	{wf.EventRequestBlocked, "A request waits for an admin: a stage has too few approvers", "request"},
	{wf.EventRequestUnblocked, "A request goes on", "request"},
	{wf.EventRequestChangesRequested, "An approver asks for changes", "request stage"},
	{wf.EventRequestResubmitted, "The requester has answered a request for changes", "request"},
	{wf.EventRequestApproved, "A request is approved", "request"},
	{wf.EventRequestRejected, "A request is rejected", "request"},
	{wf.EventRequestCancelled, "A request is cancelled", "request"},
	{wf.EventRequestExpired, "A request has expired", "request"},
	{wf.EventRequestOverridden, "An admin has decided a stage that was blocked", "request stage"},
	{wf.EventRequestCommented, "Somebody has commented on a request; comment says what, and whom they mention", "request"},
	{wf.EventRequestExpiring, "A request expires soon: within a day, or as long before as the service is set to", "request"},
	{wf.EventStageStarted, "A stage has started", "request stage"},
	{wf.EventStageSkipped, "A stage was skipped", "request stage"},
	{wf.EventStageApproved, "A stage is approved", "request stage"},
	{wf.EventStageRejected, "A stage is rejected", "request stage"},
	{wf.EventStageResolutionFailed, "Who may approve a stage cannot be found out now; it is tried again", "request stage"},
	{wf.EventTaskCreated, "A task was created", "request stage task"},
	{wf.EventTaskClaimed, "A task was claimed", "request stage task"},
	{wf.EventTaskUnclaimed, "A claimed task was put back", "request stage task"},
	{wf.EventTaskDecided, "A task was decided", "request stage task decision"},
	{wf.EventTaskReassigned, "A task has another assignee", "request stage task"},
	{wf.EventTaskOrphaned, "A person is no approver any more; in a pool, task is the one that they held, if any", "request stage task?"},
	{wf.EventTaskClosed, "A task was closed undecided", "request stage task"},
	{wf.EventDelegationApplied, "A delegate stands in: on a task, or in a pool", "request stage task?"},
	{wf.EventDelegationNotApplied, "A delegate cannot stand in", "request stage task?"},
	{wf.EventDelegationStarted, "A delegation has started", ""},
	{wf.EventDelegationEnded, "A delegation has ended; once more for each pool that the delegate leaves", "request? stage?"},
	{wf.EventDelegationRevoked, "A delegation was revoked", ""},
	{wf.EventPolicyActivated, "A policy version is active; reason is its content hash", ""},
	{wf.EventPolicyDeactivated, "A policy version is no longer active; reason is its content hash", ""},
	{wf.EventEndpointDisabled, "The service has disabled an endpoint; reason says why", ""},
	{wf.EventWebhookTest, "An admin tests this endpoint", ""},
}

const webhookTag = "events"

// webhookExamples are messages that the service has sent: a test tells a story in
// which each type occurs, and compares.
var webhookExamples = func() (examples map[wf.EventType]json.RawMessage) {
	if err := json.Unmarshal(webhookExamplesFile, &examples); err != nil {
		panic(err)
	}
	return examples
}()

//go:embed webhooks.json
var webhookExamplesFile []byte

// webhookHeaders are the headers of every message. The document repeats them in each
// entry: generators of clients read webhooks, and get references from there wrong.
var webhookHeaders = func() []*huma.Param {
	header := func(name, description string, schema *huma.Schema) *huma.Param {
		return &huma.Param{Name: name, In: "header", Required: true, Description: description, Schema: schema}
	}
	text := &huma.Schema{Type: huma.TypeString}
	return []*huma.Param{
		header("webhook-id", "Of the event: the same for every attempt, and after a retry by hand. Drop a message whose id was seen.", text),
		header("webhook-timestamp", "Of this attempt, in seconds since 1970. Refuse one that is more than 5 minutes away.", &huma.Schema{Type: huma.TypeInteger}),
		header("webhook-signature", "Signatures of webhook-id.webhook-timestamp.body, separated by spaces; one that verifies is enough. "+
			"v1, and the base64 of HMAC-SHA256 with the secret; v1a, and the base64 of Ed25519 for the public key. While a secret is being replaced there are those of both.", text),
		header("wf-delivery-id", "For support; not signed.", text),
		header("wf-attempt", "1 to 6. For support; not signed.", &huma.Schema{Type: huma.TypeInteger}),
	}
}()

// webhookRules is what receivers rely on, whatever the message.
const webhookRules = "Sent by POST to the webhook endpoints that select the event, to those that the policy of the request names, and request.* also to its callback_url. " +
	"Signed by Standard Webhooks 1.0.0: verify before anything else.\n\n" +
	"Any 2xx within 15 seconds is success. After anything else, a redirect too, five more attempts follow: 1 minute, 5 minutes, 15 minutes, 1 hour and 6 hours after the one before, " +
	"up to a tenth later, and not before the Retry-After of a 429 or 503, if that is at most 6 hours. An admin may start them again. " +
	"410 ends them at once and disables the endpoint. After failures in a row an endpoint is paused, which costs no attempt.\n\n" +
	"A message comes at least once, and in no order. Drop a webhook-id that was seen in the last 7 days, and do not let a lower sequence of the same request undo a higher one."

// dataRule says which members of data are there.
func dataRule(fields string) string {
	there, maybe := []string{}, []string{}
	for _, name := range strings.Fields(fields) {
		if bare, optional := strings.CutSuffix(name, "?"); optional {
			maybe = append(maybe, "`"+bare+"`")
		} else {
			there = append(there, "`"+bare+"`")
		}
	}
	switch {
	case len(there)+len(maybe) == 0:
		return "It belongs to no request: `request`, `stage`, `task` and `decision` are null."
	case len(maybe) == 0:
		return "`data` has " + strings.Join(there, ", ") + "; the rest of `request`, `stage`, `task` and `decision` is null."
	case len(there) == 0:
		return "`data` may have " + strings.Join(maybe, ", ") + "; the rest of `request`, `stage`, `task` and `decision` is null."
	default:
		return "`data` has " + strings.Join(there, ", ") + " and may have " + strings.Join(maybe, ", ") + "; the rest of `request`, `stage`, `task` and `decision` is null."
	}
}

// documentWebhooks adds the messages to the document. a.document calls it when the
// schemas of times are known.
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
	document.Components.Responses = map[string]*huma.Response{
		"Received":    {Description: "Received."},
		"Gone":        {Description: "Never send here again: the endpoint is disabled."},
		"NotReceived": {Description: "Not received: the message is sent again."},
	}
	document.Tags = append(slices.Clone(tags), &huma.Tag{Name: webhookTag, Description: webhookRules})
	document.Webhooks = map[string]*huma.PathItem{}
	for _, hook := range webhooks {
		narrowed := map[string]*huma.Schema{}
		for name, member := range members {
			switch fields := strings.Fields(hook.data); {
			case slices.Contains(fields, name):
				narrowed[name] = member
			case !slices.Contains(fields, name+"?"):
				narrowed[name] = &huma.Schema{Type: "null"}
			}
		}
		document.Webhooks[string(hook.kind)] = &huma.PathItem{Post: &huma.Operation{
			OperationID: camelCase(string(hook.kind)), Summary: hook.summary, Description: dataRule(hook.data), Tags: []string{webhookTag}, Security: []map[string][]string{}, Parameters: webhookHeaders,
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"application/json": {
				Schema: &huma.Schema{AllOf: []*huma.Schema{payload, {Properties: map[string]*huma.Schema{
					"type": {Const: string(hook.kind)},
					"data": {Properties: narrowed},
				}}}},
				Example: webhookExamples[hook.kind],
			}}},
			Responses: map[string]*huma.Response{
				"2XX": {Ref: "#/components/responses/Received"}, "410": {Ref: "#/components/responses/Gone"}, "default": {Ref: "#/components/responses/NotReceived"},
			},
		}}
	}
}

// camelCase is a name with dots and underscores in the case of operation ids.
func camelCase(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == '.' || r == '_' })
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}
