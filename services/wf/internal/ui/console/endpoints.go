package console

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/reason"
)

const endpointsPath = page.Root + "/console/endpoints"

// showSecret answers a form with the list, which shows the secret.
func showSecret(req *page.Request, made admin.Shown) error {
	return req.ShowForm(endpointsPath, signin.Form{
		Values: url.Values{}, Result: frame.Secret{Text: req.T("endpoint.secret", made.Name), Value: made.Secret},
	})
}

// ShowEndpoints lists the webhook endpoints.
func ShowEndpoints(req *page.Request) error {
	filter := outbox.EndpointFilter{Q: frame.Truncate(req.R.URL.Query().Get("q"), 200)}
	list, next, err := req.Engine.Webhooks.Endpoints(req.R.Context(), filter, pageOf(req))
	if err != nil {
		return err
	}
	p := frame.List{
		Search: req.Search("endpoint.search", len(list) > 0),
		Table: frame.Table{Empty: req.T("endpoint.nothing"), Columns: req.Columns("endpoint.name", "main endpoint.url",
			"endpoint.events", "endpoint.policies", "console.status", "list.operations")},
		New: frame.NewEntry{
			Title: req.T("endpoint.new"), Action: endpointsPath, Do: req.T("endpoint.add"), Inputs: endpointInputs(req),
		},
	}
	for _, e := range list {
		p.Table.Rows = append(p.Table.Rows, endpointRow(req, e))
	}
	return showList(req, "console.endpoints", next, p)
}

// endpointRow returns the row of an endpoint, with the reason why it receives nothing.
func endpointRow(req *page.Request, e outbox.Endpoint) frame.Row {
	state, why := e.State(req.Begun), ""
	switch {
	case e.Enabled && !req.Engine.Webhooks.Signs(e, req.Begun):
		why = req.T("endpoint.nokey")
	case state == outbox.EndpointPaused:
		why = req.N("endpoint.failures", e.Health.Failures) + " · " + req.T("endpoint.until") + " " +
			req.Moment(e.Health.PausedUntil).Text
	case e.DisabledReason != "":
		why = req.Label("disabled", e.DisabledReason)
	}
	operations := []string{"test"}
	if !e.Chat() {
		operations = append(operations, "rotate")
	}
	operations = append(operations, map[bool]string{true: "disable", false: "enable"}[e.Enabled])
	var buttons frame.Cell
	for _, do := range operations {
		buttons = append(buttons, frame.Do(endpointsPath+"/"+e.ID, "do", do, req.Label("endpoint.do", do), e.Name))
	}
	return frame.Row{Skip: true, Cells: []frame.Cell{
		{frame.Plain(e.Name)}, {frame.Soft(e.URL)}, {frame.Plain(strings.Join(e.Events, " "))},
		{frame.Plain(strings.Join(e.PolicyKeys, " "))},
		frame.Cell{req.StatusMark("endpoint.state", state)}.When(why != "", frame.Soft(why)), buttons,
	}}
}

// endpointInputs returns the fields of a new endpoint.
func endpointInputs(req *page.Request) []form.Input {
	sent := req.Submitted.Values
	format := req.Input("choice", "format", "endpoint.format", cmp.Or(sent.Get("format"), "event"), 0)
	include := req.Input("boxes", "include", "endpoint.include", "", 0).WithHelp(req.T("endpoint.include.help"))
	for _, part := range wf.Include("").Values() {
		include.Options = append(include.Options, form.Choice{
			Value: string(part), Title: req.Label("endpoint.include", part),
			Chosen: slices.Contains(sent["include"], string(part)),
		})
	}
	text := func(name, help string) form.Input {
		return req.Input("text", name, "endpoint."+name, sent.Get(name), 0).WithHelp(help)
	}
	return []form.Input{
		req.Input("text", "name", "endpoint.name", sent.Get("name"), 64).Must(),
		req.Input("url", "url", "endpoint.url", sent.Get("url"), 2048).Must(),
		format.WithHelp(req.T("endpoint.format.help")).Must().
			WithOptions(page.Choices(req, "endpoint.format", "event", "slack", "mattermost", "teams")...),
		text("events", "request.*"), text("policies", "purchase.*"), include,
	}
}

// AddEndpoint adds an endpoint and shows its secret once.
func AddEndpoint(req *page.Request) error {
	f := req.R.PostForm
	patterns := func(name string, other ...string) []string {
		if words := strings.Fields(strings.ReplaceAll(f.Get(name), ",", " ")); len(words) > 0 {
			return words
		}
		return other
	}
	draft := outbox.Endpoint{
		Name: strings.TrimSpace(f.Get("name")), URL: strings.TrimSpace(f.Get("url")),
		Format: outbox.Format(strings.TrimPrefix(f.Get("format"), "event")), Include: f["include"],
		Events: patterns("events", audit.DefaultPatterns...), PolicyKeys: patterns("policies", "*"),
		Signature: outbox.SignHMAC, Enabled: true,
	}
	made, err := req.Engine.Webhooks.CreateEndpoint(req.R.Context(), req.By, draft, "")
	err = req.Audited("createEndpoint", wf.Resource{Type: "endpoint"}, err)
	if refused, ok := page.IsRefused(err); ok {
		return req.ShowForm(endpointsPath, signin.Form{Status: req.StatusOf(refused), Problem: req.RefusalText(refused)})
	}
	if err != nil {
		return err
	}
	if made.Chat() { // a chat has no secret
		return req.Complete(nil, endpointsPath, "endpoint.added")
	}
	return showSecret(req, made)
}

const secretOverlap = 24 * time.Hour // the previous secret still signs

// ChangeEndpoint tests, rotates, enables or disables an endpoint.
func ChangeEndpoint(req *page.Request, id string) error {
	ctx, do := req.R.Context(), req.R.PostForm.Get("do")
	if (do == "rotate" || do == "disable") && !req.Confirmed() {
		return askAboutEndpoint(req, id, do)
	}
	var made admin.Shown
	var err error
	operation, webhooks := "updateEndpoint", req.Engine.Webhooks
	switch do {
	case "test":
		operation = "testEndpoint"
		_, err = webhooks.TestEndpoint(ctx, req.By, id)
	case "rotate":
		operation = "rotateSecret"
		made, err = webhooks.RotateSecret(ctx, req.By, id, "", secretOverlap)
	case "enable", "disable":
		_, err = webhooks.UpdateEndpoint(ctx, req.By, id, "", admin.Change{Enabled: new(do == "enable")})
	default:
		return refusal.At(reason.NotListed, "/do", "no such operation")
	}
	err = req.Audited(operation, wf.Resource{Type: "endpoint", ID: id}, err)
	if err == nil && do == "rotate" {
		return showSecret(req, made)
	}
	return req.Complete(err, endpointsPath, "endpoint."+do)
}

// askAboutEndpoint asks for the confirmation of an operation.
func askAboutEndpoint(req *page.Request, id, do string) error {
	endpoint, err := req.Engine.Webhooks.Endpoint(req.R.Context(), id)
	if err != nil {
		return err
	}
	return req.Ask(signin.Question{
		Title: req.T("confirm.endpoint."+do, endpoint.Name), Consequence: req.T("confirm.endpoint." + do + ".then"),
		Do: req.T("endpoint.do." + do), Back: endpointsPath,
	})
}
