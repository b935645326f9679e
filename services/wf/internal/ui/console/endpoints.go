package console

import (
	"net/http"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/admin"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
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
	Secret *admin.Shown
}

// ShowEndpoints lists the webhook endpoints.
func ShowEndpoints(req *page.Request) error { return showEndpoints(req, nil) }

func showEndpoints(req *page.Request, secret *admin.Shown) error {
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
	p := endpointsPage{listPage(req, items, next), secret}
	return req.Show(http.StatusOK, "console-endpoints", req.T("console.endpoints"), p)
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
	made, err := req.Engine.Webhooks.CreateEndpoint(req.R.Context(), req.By, draft, "")
	if err != nil {
		return err
	}
	if made.Chat() { // a chat has no secret
		return req.Complete(nil, page.Root+"/console/endpoints", "endpoint.added")
	}
	return showEndpoints(req, &made)
}

const secretOverlap = 24 * time.Hour // the previous secret still signs

// ChangeEndpoint tests, rotates, enables or disables an endpoint.
func ChangeEndpoint(req *page.Request, id string) error {
	ctx, do := req.R.Context(), req.R.PostForm.Get("do")
	var err error
	switch do {
	case "test":
		_, err = req.Engine.Webhooks.TestEndpoint(ctx, req.By, id)
	case "rotate":
		made, err := req.Engine.Webhooks.RotateSecret(ctx, req.By, id, "", secretOverlap)
		if err != nil {
			return err
		}
		return showEndpoints(req, &made)
	case "enable", "disable":
		on := do == "enable"
		_, err = req.Engine.Webhooks.UpdateEndpoint(ctx, req.By, id, "", admin.Change{Enabled: &on})
	default:
		return req.Status(http.StatusBadRequest, "refused.form")
	}
	return req.Complete(err, page.Root+"/console/endpoints", "endpoint."+do)
}
