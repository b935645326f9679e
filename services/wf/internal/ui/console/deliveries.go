package console

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// ShowDeliveries lists webhook and mail deliveries.
func ShowDeliveries(req *page.Request) error {
	ctx, query := req.R.Context(), req.R.URL.Query()
	list, next, err := req.Engine.Webhooks.Deliveries(ctx, outbox.DeliveryFilter{
		Status: optionalFilter[outbox.DeliveryStatus](query, "status"), Endpoint: optionalFilter[string](query, "endpoint"),
		EventType: optionalFilter[string](query, "type"), Subject: query.Get("request"), CreatedAfter: dayOf(req, "after"),
	}, pageOf(req))
	if err != nil {
		return err
	}
	people, err := req.Engine.Notices.Addressees(ctx, list...)
	if err != nil {
		return err
	}
	endpoints, _, err := req.Engine.Webhooks.Endpoints(ctx, outbox.EndpointFilter{}, wf.Page{Limit: 200})
	if err != nil {
		return err
	}
	var names []form.Choice
	for _, e := range endpoints {
		names = append(names, form.Choice{Value: e.Name, Title: e.Name})
	}
	p := frame.List{
		Search: req.Search("", len(list) > 0, req.Filter("choice", "status", "console.status",
			page.Choices(req, "delivery", outbox.DeliveryStatus("").Values()...)...),
			req.Filter("choice", "endpoint", "delivery.endpoint", names...), req.Filter("text", "request", "audit.request"),
			req.Filter("date", "after", "console.after")),
		Table: frame.Table{Columns: req.Columns("main console.event", "delivery.request", "delivery.endpoint",
			"console.status",
			"number delivery.attempts", "delivery.last", "list.operations")},
	}
	if req.Admin() {
		p.Top = []frame.Part{frame.Do(page.Root+"/console/deliveries/recover", "endpoint", query.Get("endpoint"),
			req.T("delivery.recover"), "")}
	}
	for _, d := range list {
		p.Table.Rows = append(p.Table.Rows, deliveryRow(req, d, people[d.ID]))
	}
	return showList(req, "console.deliveries", next, p)
}

// deliveryRow returns the row of a delivery, with the person of a mail.
func deliveryRow(req *page.Request, d outbox.Delivery, to identity.User) frame.Row {
	target := cmp.Or(d.Target.Endpoint, d.Target.URL)
	if to.ID != "" {
		target = req.Person(to)
	}
	event := frame.Plain(req.EventName(audit.EventType(d.EventType)))
	event.Title = d.EventType
	var about, last frame.Cell
	if d.Subject != "" {
		about = frame.Cell{frame.LinkTo(page.Root+"/requests/"+d.Subject, req.T("delivery.request")), frame.ID(d.Subject)}
	}
	if d.LastStatusCode != 0 {
		last = append(last, frame.Plain(strconv.Itoa(d.LastStatusCode)))
	}
	last = last.When(d.LastError != "", frame.Soft(d.LastError)).
		When(!d.LastAttemptAt.IsZero(), frame.TimeOf(req.Moment(d.LastAttemptAt)))
	retry := frame.Do(page.Root+"/console/deliveries/"+d.ID+"/retry", "", "", req.T("delivery.retry"),
		d.EventType+" "+target+", "+req.Clock(d.CreatedAt))
	return frame.Row{Skip: true, Cells: []frame.Cell{
		{event}, about, {frame.Plain(target)}, {req.StatusMark("delivery", d.Status)},
		{frame.Plain(strconv.Itoa(d.Attempt))}, last,
		frame.Cell{}.When(req.Admin() && d.Status != outbox.DeliverySending, retry),
	}}
}

// RetryDelivery retries a delivery.
func RetryDelivery(req *page.Request, id string) error {
	_, err := req.Engine.Webhooks.RetryDelivery(req.R.Context(), req.By, id, "")
	err = req.Audited("retryDelivery", wf.Resource{Type: "delivery", ID: id}, err)
	return req.Complete(err, page.Root+"/console/deliveries", "retried")
}

// RecoverDeliveries retries the failed deliveries of the last seven days.
func RecoverDeliveries(req *page.Request) error {
	f := req.R.PostForm
	endpoint := strings.TrimSpace(f.Get("endpoint"))
	if !req.Confirmed() {
		q := signin.Question{
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
	done, err := req.Engine.Webhooks.RecoverDeliveries(req.R.Context(), req.By, outbox.Recovery{
		Endpoint: endpoint, Status: outbox.RecoverFailed, CreatedAfter: until.AddDate(0, 0, -7), CreatedBefore: until,
	})
	if done.Retried == 0 {
		note = "recovered.none"
	}
	err = req.Audited("recoverDeliveries", wf.Resource{Type: "delivery"}, err)
	return req.Complete(err, page.Root+"/console/deliveries", note)
}
