package console

import (
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/reason"
)

// endpointItem is an endpoint with the reason why it receives nothing.
type endpointItem struct {
	outbox.Endpoint
	State  outbox.EndpointState
	NoKey  bool // no configured key decrypts its secret
	Paused frame.Moment
}

// endpointsPage lists the webhook endpoints, with the new secret of one of them.
type endpointsPage struct {
	consolePage[endpointItem]
	Secret secret
	Sent   url.Values
}

// Operations returns the operations of the row.
func (e endpointItem) Operations() []string {
	all := []string{"test"}
	if !e.Chat() {
		all = append(all, "rotate")
	}
	if e.Enabled {
		return append(all, "disable")
	}
	return append(all, "enable")
}

// secret is a new secret of an endpoint. It is shown once.
type secret struct{ Name, Secret string }

const endpointsPath = page.Root + "/console/endpoints"

// showSecret answers a form with the list, which shows the secret and the submitted texts.
func showSecret(req *page.Request, made admin.Shown, sent url.Values) error {
	return req.ShowForm(endpointsPath, signin.Form{Values: sent, Result: secret{made.Name, made.Secret}})
}

// ShowEndpoints lists the webhook endpoints.
func ShowEndpoints(req *page.Request) error {
	filter := outbox.EndpointFilter{Q: frame.Truncate(req.R.URL.Query().Get("q"), 200)}
	list, next, err := req.Engine.Webhooks.Endpoints(req.R.Context(), filter, pageOf(req))
	if err != nil {
		return err
	}
	var items []endpointItem
	for _, e := range list {
		noKey := e.Enabled && !req.Engine.Webhooks.Signs(e, req.Begun)
		items = append(items, endpointItem{e, e.State(req.Begun), noKey, req.OptionalMoment(&e.Health.PausedUntil)})
	}
	p := endpointsPage{consolePage: listPage(req, items, next), Sent: req.Submitted.Values}
	p.Secret, _ = req.Submitted.Result.(secret)
	return req.Show(req.FormStatus(), "console-endpoints", req.T("console.endpoints"), p)
}

// AddEndpoint adds an endpoint and shows its secret once.
func AddEndpoint(req *page.Request) error {
	f := req.R.PostForm
	draft := outbox.Endpoint{
		Name: strings.TrimSpace(f.Get("name")), URL: strings.TrimSpace(f.Get("url")),
		Format: outbox.Format(strings.TrimPrefix(f.Get("format"), "event")),
		Events: audit.DefaultPatterns, PolicyKeys: []string{"*"}, Signature: outbox.SignHMAC, Enabled: true,
	}
	if events := strings.Fields(f.Get("events")); len(events) > 0 {
		draft.Events = events
	}
	var made admin.Shown
	err := req.Attempt("createEndpoint", wf.Resource{Type: "endpoint"}, func() (err error) {
		made, err = req.Engine.Webhooks.CreateEndpoint(req.R.Context(), req.By, draft, "")
		return err
	})
	if refused, ok := page.IsRefused(err); ok {
		return req.ShowForm(endpointsPath, signin.Form{Status: req.StatusOf(refused), Problem: req.RefusalText(refused)})
	}
	if err != nil {
		return err
	}
	if made.Chat() { // a chat has no secret
		return req.Complete(nil, endpointsPath, "endpoint.added")
	}
	return showSecret(req, made, url.Values{})
}

const secretOverlap = 24 * time.Hour // the previous secret still signs

// ChangeEndpoint tests, rotates, enables or disables an endpoint.
func ChangeEndpoint(req *page.Request, id string) error {
	ctx, do := req.R.Context(), req.R.PostForm.Get("do")
	if (do == "rotate" || do == "disable") && !req.Confirmed() {
		return askAboutEndpoint(req, id, do)
	}
	operation, webhooks, made := "updateEndpoint", req.Engine.Webhooks, admin.Shown{}
	change := func() (err error) {
		on := do == "enable"
		_, err = webhooks.UpdateEndpoint(ctx, req.By, id, "", admin.Change{Enabled: &on})
		return err
	}
	switch do {
	case "test":
		operation, change = "testEndpoint", func() (err error) {
			_, err = webhooks.TestEndpoint(ctx, req.By, id)
			return err
		}
	case "rotate":
		operation, change = "rotateSecret", func() (err error) {
			made, err = webhooks.RotateSecret(ctx, req.By, id, "", secretOverlap)
			return err
		}
	case "enable", "disable":
	default:
		return refusal.At(reason.NotListed, "/do", "no such operation")
	}
	if err := req.Attempt(operation, wf.Resource{Type: "endpoint", ID: id}, change); err != nil {
		return err
	}
	if do == "rotate" {
		return showSecret(req, made, req.R.PostForm)
	}
	return req.Complete(nil, endpointsPath, "endpoint."+do)
}

// askAboutEndpoint asks for the confirmation of an operation.
func askAboutEndpoint(req *page.Request, id, do string) error {
	endpoint, err := req.Engine.Webhooks.Endpoint(req.R.Context(), id)
	if err != nil {
		return err
	}
	return req.Ask(page.Question{
		Title: req.T("confirm.endpoint."+do, endpoint.Name), Consequence: req.T("confirm.endpoint." + do + ".then"),
		Do: req.T("endpoint.do." + do), Back: endpointsPath,
	})
}
