package console

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// deliveryItem is a delivery with the recipient of its mail, if any.
type deliveryItem struct {
	outbox.Delivery
	Person identity.User
}

// ShowDeliveries lists webhook and mail deliveries.
func ShowDeliveries(req *page.Request) error {
	query := req.R.URL.Query()
	list, next, err := req.Engine.Webhooks.Deliveries(req.R.Context(), outbox.DeliveryFilter{
		Status: optionalFilter[outbox.DeliveryStatus](query, "status"), Endpoint: optionalFilter[string](query, "endpoint"),
		EventType: optionalFilter[string](query, "type"), Subject: query.Get("request"), CreatedAfter: dayOf(req, "after"),
	}, pageOf(req))
	if err != nil {
		return err
	}
	people, err := req.Engine.Notices.Addressees(req.R.Context(), list...)
	if err != nil {
		return err
	}
	items := make([]deliveryItem, len(list))
	for i, d := range list {
		items[i] = deliveryItem{d, people[d.ID]}
	}
	return req.Show(http.StatusOK, "console-deliveries", req.T("console.deliveries"), listPage(req, items, next))
}

// RetryDelivery retries a delivery.
func RetryDelivery(req *page.Request, id string) error {
	err := req.Attempt("retryDelivery", wf.Resource{Type: "delivery", ID: id}, func() error {
		_, err := req.Engine.Webhooks.RetryDelivery(req.R.Context(), req.By, id, "")
		return err
	})
	return req.Complete(err, page.Root+"/console/deliveries", "retried")
}

// RecoverDeliveries retries the failed deliveries of the last seven days.
func RecoverDeliveries(req *page.Request) error {
	f := req.R.PostForm
	endpoint := strings.TrimSpace(f.Get("endpoint"))
	if !req.Confirmed() {
		q := page.Question{
			Title: req.T("delivery.recover"), Consequence: req.T("confirm.recover.all"), Do: req.T("delivery.recover"),
			Back: page.Root + "/console/deliveries",
		}
		if endpoint != "" {
			q.Consequence = req.T("confirm.recover.of", endpoint)
			q.Back += "?endpoint=" + url.QueryEscape(endpoint)
		}
		return req.Ask(q)
	}
	until := req.Begun.Add(time.Minute)
	note := "recovered"
	err := req.Attempt("recoverDeliveries", wf.Resource{Type: "delivery"}, func() error {
		done, err := req.Engine.Webhooks.RecoverDeliveries(req.R.Context(), req.By, outbox.Recovery{
			Endpoint: endpoint, Status: outbox.RecoverFailed,
			CreatedAfter: until.AddDate(0, 0, -7), CreatedBefore: until,
		})
		if done.Retried == 0 {
			note = "recovered.none"
		}
		return err
	})
	return req.Complete(err, page.Root+"/console/deliveries", note)
}
