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

// webhookExamples are messages of the service. A test runs a scenario with every type and compares
// them.
var webhookExamples = web.Examples[audit.EventType](webhookExamplesFile)

//go:embed webhooks.json
var webhookExamplesFile []byte

// dataRule describes the members of data.
func dataRule(fields string) string {
	const members = "`request`, `stage`, `task` and `decision`"
	var has []string
	for _, name := range strings.Fields(fields) {
		bare, optional := strings.CutSuffix(name, "?")
		if bare = "`" + bare + "`"; optional {
			bare += " (or null)"
		}
		has = append(has, bare)
	}
	if has == nil {
		return "The event belongs to the service chain: " + members + " are null."
	}
	return "`data` has " + strings.Join(has, ", ") + "; the rest of " + members + " is null."
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
	document.Tags = slices.Clone(tags)
	document.Tags[0] = &huma.Tag{Name: tags[0].Name, Description: tags[0].Description + expressions()}
	messages := make([]web.Webhook, len(audit.Webhooks))
	for i, hook := range audit.Webhooks {
		narrowed := map[string]*huma.Schema{}
		for name, member := range members {
			switch fields := strings.Fields(hook.Data); {
			case slices.Contains(fields, name):
				narrowed[name] = member
			case !slices.Contains(fields, name+"?"):
				narrowed[name] = &huma.Schema{Type: "null"}
			}
		}
		messages[i] = web.Webhook{
			Type: string(hook.Type), Summary: hook.Summary, Description: dataRule(hook.Data),
			Narrowed: map[string]*huma.Schema{"data": {Properties: narrowed}}, Example: webhookExamples[hook.Type],
		}
	}
	a.DocumentWebhooks(web.Webhooks{
		Service: "wf", Subject: "request", Payload: payload, Messages: messages,
		SentTo: "the webhook endpoints with a matching pattern, to the endpoints of the request's policy and, for request.*, to callback_url",
	})
}
