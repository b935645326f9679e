// Package clients has the pages of clients: the list, the queues, a client, and its changes.
package clients

import (
	"embed"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// Pages holds the templates of the package.
//
//go:embed pages
var Pages embed.FS

// statuses lists the display statuses for the filter.
var statuses = []string{"pending", "active", "inactive", "failed", "doubtful"}

// pageLength is the number of clients on a page.
const pageLength = 50

// ShowClients lists the clients that the reader can read, by filter.
func ShowClients(req *page.Request) error {
	query := req.R.URL.Query()
	text := func(name string) string { return frame.Truncate(query.Get(name), 2048) }
	filter := registrar.ClientFilter{
		Q: frame.Truncate(query.Get("q"), 200), PartnerID: text("partner"), Origin: registrar.Origin(query.Get("api")),
		KeyThumbprint: text("key"), PolicyID: text("policy"),
	}
	filter = withStatus(filter, query.Get("status"))
	if !slices.Contains(filter.Origin.Values(), filter.Origin) {
		filter.Origin = ""
	}
	var states, origins []form.Choice
	for _, status := range statuses {
		states = append(states, form.Choice{Value: status, Title: req.Label("status", status)})
	}
	for _, origin := range registrar.Origin("").Values() {
		origins = append(origins, form.Choice{Value: string(origin), Title: req.Label("api", origin)})
	}
	return show(req, "nav.clients", filter, func(p *frame.List) {
		p.Search = req.Search("clients.search", len(p.Table.Rows) > 0,
			req.Filter("choice", "status", "clients.status", states...),
			req.Filter("choice", "api", "clients.api", origins...), req.Filter("text", "partner", "clients.partner"),
			req.Filter("text", "policy", "clients.policy"), req.Filter("text", "key", "clients.key"))
		p.Table.Empty = req.T("clients.none")
		if p.Search.IsFiltered() {
			p.Table.Empty = req.T("clients.nothing")
		}
	})
}

// withStatus adds a display status to a filter. Another text does not filter.
func withStatus(f registrar.ClientFilter, status string) registrar.ClientFilter {
	switch {
	case status == "doubtful":
		f.OutcomeUnknown = true
	case slices.Contains(statuses, status):
		f.Status = registrar.ClientStatus(strings.ToUpper(status))
	}
	return f
}

// filteredQueue is a queue with its filter.
type filteredQueue struct {
	name   string
	filter registrar.ClientFilter
	count  func(engine.QueueCounts) int
}

var queues = []filteredQueue{
	{"approval", registrar.ClientFilter{AwaitsApproval: true}, func(n engine.QueueCounts) int { return n.Waiting }},
	{"failed", registrar.ClientFilter{Status: registrar.ClientFailed}, func(n engine.QueueCounts) int { return n.Failed }},
	{"doubtful", registrar.ClientFilter{OutcomeUnknown: true}, func(n engine.QueueCounts) int { return n.Doubtful }},
	{"different", registrar.ClientFilter{Differs: true}, func(n engine.QueueCounts) int { return n.Different }},
}

// ShowQueue lists the clients of a queue: those that wait for an approval, have failed, are doubtful, or differ
// from the provider's record.
func ShowQueue(req *page.Request) error {
	wanted := req.R.PathValue("queue")
	at := slices.IndexFunc(queues, func(q filteredQueue) bool { return q.name == wanted })
	if wanted == "" {
		at = 0
	}
	if at < 0 {
		return req.Status(http.StatusNotFound, "status.Not Found")
	}
	counts, err := req.Engine.Clients.CountQueues(req.R.Context(), req.By)
	if err != nil {
		return err
	}
	return show(req, "queue."+queues[at].name, queues[at].filter, func(p *frame.List) {
		p.Lead, p.Table.Empty, p.Views.Label = req.T("queue.lead."+queues[at].name), req.T("queue.empty"), req.T("nav.queues")
		for i, q := range queues {
			p.Views.Links = append(p.Views.Links, frame.View{Path: queuePath(q.name), Text: req.T("queue." + q.name),
				Count: countText(req, q.count(counts)), Here: i == at})
		}
		p.Views.Links = append(p.Views.Links, frame.View{Text: req.T("nav.mappings"),
			Path: page.MappingsPath + "?status=" + string(registrar.MappingInProgress)})
	})
}

func queuePath(name string) string { return page.Root + "/queues/" + name }

// countText returns a number of clients, which may be cut.
func countText(req *page.Request, n int) string {
	if n >= engine.MaxQueueCount {
		return req.Number(strconv.Itoa(engine.MaxQueueCount-1)) + "+"
	}
	return req.Number(strconv.Itoa(n))
}

// show shows the clients of a filter. title is the key of the title, and complete completes the page.
func show(req *page.Request, title string, f registrar.ClientFilter, complete func(*frame.List)) error {
	at := registrar.Page{Limit: pageLength, Cursor: req.R.URL.Query().Get("cursor")}
	list, next, err := req.Engine.Clients.ListClients(req.R.Context(), req.By, f, at)
	if err != nil {
		return err
	}
	p := frame.List{Table: frame.Table{Columns: req.Columns("main clients.name", "clients.id", "clients.partner",
		"clients.status", "extra clients.api", "extra clients.age", "clients.changed")}}
	for _, c := range list {
		status := statusOf(c)
		mark := frame.Cell{frame.Mark("status "+status, req.Label("status", status))}
		if c.Status == registrar.ClientFailed {
			mark = append(mark, frame.Soft(req.T("refused."+string(c.Failure.Reason.General()))))
		}
		p.Table.Rows = append(p.Table.Rows, frame.Row{Cells: []frame.Cell{
			{frame.LinkTo(page.ClientPath(c.ID), c.Name)}, {frame.ID(c.ID)}, {frame.Plain(c.PartnerID)}, mark,
			{frame.Soft(req.Label("api", c.Origin))}, {frame.TimeOf(req.Moment(c.CurrentKeySince()))},
			{frame.TimeOf(req.Moment(c.UpdatedAt))},
		}})
	}
	complete(&p)
	return req.ShowList(p, title, next)
}
