package inbox

import (
	"net/http"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/manage"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
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
	Secret *manage.Shown
}

// endpoints lists the webhook endpoints.
func (v *visit) endpoints() error { return v.showEndpoints(nil) }

func (v *visit) showEndpoints(secret *manage.Shown) error {
	list, next, err := v.engine.Endpoints(v.R.Context(), outbox.EndpointFilter{Q: cut(v.R.URL.Query().Get("q"), 200)}, v.wanted())
	if err != nil {
		return err
	}
	var items []endpointItem
	for _, e := range list {
		items = append(items, endpointItem{e, e.State(v.Begun), e.Enabled && !v.engine.Signs(e, v.Begun), v.At(&e.Health.PausedUntil)})
	}
	return v.show(http.StatusOK, "console-endpoints", v.T("console.endpoints"), endpointsPage{consoleList(v, items, next), secret})
}

// addEndpoint adds an endpoint and shows its secret once.
func (v *visit) addEndpoint() error {
	f := v.R.PostForm
	draft := outbox.Endpoint{Name: strings.TrimSpace(f.Get("name")), URL: strings.TrimSpace(f.Get("url")), Format: outbox.Format(strings.TrimPrefix(f.Get("format"), "event")), Events: audit.DefaultPatterns, PolicyKeys: []string{"*"}, Signature: outbox.SignHMAC, Enabled: true}
	if events := strings.Fields(f.Get("events")); len(events) > 0 {
		draft.Events = events
	}
	made, err := v.engine.CreateEndpoint(v.R.Context(), v.By, draft, "")
	if err != nil {
		return err
	}
	if made.Chat() { // a chat has no secret
		return v.Done(nil, Root+"/console/endpoints", "endpoint.added")
	}
	return v.showEndpoints(&made)
}

const secretOverlap = 24 * time.Hour // the previous secret still signs

// changeEndpoint tests, rotates, enables or disables an endpoint.
func (v *visit) changeEndpoint(id string) error {
	ctx, do := v.R.Context(), v.R.PostForm.Get("do")
	var err error
	switch do {
	case "test":
		_, err = v.engine.TestEndpoint(ctx, v.By, id)
	case "rotate":
		made, err := v.engine.RotateSecret(ctx, v.By, id, "", secretOverlap)
		if err != nil {
			return err
		}
		return v.showEndpoints(&made)
	case "enable", "disable":
		on := do == "enable"
		_, err = v.engine.UpdateEndpoint(ctx, v.By, id, "", manage.Change{Enabled: &on})
	default:
		return v.Status(http.StatusBadRequest, "refused.form")
	}
	return v.Done(err, Root+"/console/endpoints", "endpoint."+do)
}

// deliveryItem is a delivery with the recipient of its mail, if any.
type deliveryItem struct {
	outbox.Delivery
	Person identity.User
}

// deliveries lists webhook and mail deliveries.
func (v *visit) deliveries() error {
	query := v.R.URL.Query()
	list, next, err := v.engine.Deliveries(v.R.Context(), outbox.DeliveryFilter{
		Status: filled[outbox.DeliveryStatus](query, "status"), Endpoint: filled[string](query, "endpoint"), EventType: filled[string](query, "type"), Subject: query.Get("request"), CreatedAfter: v.dayOf("after"),
	}, v.wanted())
	if err != nil {
		return err
	}
	people, err := v.engine.Addressees(v.R.Context(), list...)
	if err != nil {
		return err
	}
	items := make([]deliveryItem, len(list))
	for i, d := range list {
		items[i] = deliveryItem{d, people[d.ID]}
	}
	return v.show(http.StatusOK, "console-deliveries", v.T("console.deliveries"), consoleList(v, items, next))
}

// retry retries a delivery.
func (v *visit) retry(id string) error {
	_, err := v.engine.RetryDelivery(v.R.Context(), v.By, id, "")
	return v.Done(err, Root+"/console/deliveries", "retried")
}

// recoverAll retries the failed deliveries of the last seven days.
func (v *visit) recoverAll() error {
	f := v.R.PostForm
	until := v.Begun.Add(time.Minute)
	done, err := v.engine.RecoverDeliveries(v.R.Context(), v.By, outbox.Recovery{
		Endpoint: strings.TrimSpace(f.Get("endpoint")), Status: outbox.DeliveryFailed, CreatedAfter: until.AddDate(0, 0, -7), CreatedBefore: until,
	})
	note := "recovered"
	if done.Retried == 0 {
		note = "recovered.none"
	}
	return v.Done(err, Root+"/console/deliveries", note)
}
