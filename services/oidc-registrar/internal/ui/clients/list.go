// Package clients has the pages of clients: the list, the queues, a client, and its changes.
package clients

import (
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/libs/ui/frame"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

// Pages holds the templates of the package.
//
//go:embed pages
var Pages embed.FS

// listPage is a page of the list of clients.
type listPage struct {
	Title    string
	Path     string // of the list
	Query    url.Values
	Statuses []string
	Origins  []registrar.Origin
	Queues   []queue // of the pages of queues
	Items    []item
	Pager    frame.Pager
	Filtered bool
	Narrow   bool // by one of the further filters
}

// item is a client of the list.
type item struct {
	registrar.Client
	Path, Status string
	KeySince     frame.Moment
	UpdatedAt    frame.Moment
	Why          string // of a queue: the reason
}

// queue is a tab of the queues with its number of clients.
type queue struct {
	Name, Path string
	Count      string
	Here       bool
}

// statuses lists the display statuses for the filter.
var statuses = []string{"pending", "active", "inactive", "failed", "doubtful"}

// furtherFilters are the parameters that the page shows on demand.
var furtherFilters = []string{"partner", "policy", "key"}

// pageLength is the number of clients on a page.
const pageLength = 50

// ShowClients lists the clients that the reader can read, by filter.
func ShowClients(req *page.Request) error {
	query := req.R.URL.Query()
	text := func(name string) string { return frame.Truncate(query.Get(name), 2048) }
	filter := registrar.ClientFilter{
		Text: frame.Truncate(query.Get("q"), 200), PartnerID: text("partner"), Origin: registrar.Origin(query.Get("api")),
		KeyThumbprint: text("key"), PolicyID: text("policy"),
	}
	filter = withStatus(filter, query.Get("status"))
	if !slices.Contains(filter.Origin.Values(), filter.Origin) {
		filter.Origin = ""
	}
	p := listPage{Title: req.T("nav.clients"), Path: page.Root, Query: query, Statuses: statuses,
		Origins: registrar.Origin("").Values()}
	isSet := func(name string) bool { return query.Get(name) != "" }
	p.Narrow = slices.ContainsFunc(furtherFilters, isSet)
	p.Filtered = p.Narrow || slices.ContainsFunc([]string{"q", "status", "api"}, isSet)
	return p.show(req, filter)
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
	p := listPage{Title: req.T("queue." + queues[at].name), Path: queuePath(queues[at].name), Query: req.R.URL.Query()}
	for i, q := range queues {
		p.Queues = append(p.Queues, queue{q.name, queuePath(q.name), countText(req, q.count(counts)), i == at})
	}
	return p.show(req, queues[at].filter)
}

func queuePath(name string) string { return page.Root + "/queues/" + name }

// countText returns a number of clients, which may be cut.
func countText(req *page.Request, n int) string {
	if n >= engine.MaxQueueCount {
		return req.Number(strconv.Itoa(engine.MaxQueueCount-1)) + "+"
	}
	return req.Number(strconv.Itoa(n))
}

// show shows the clients of a filter.
func (p listPage) show(req *page.Request, f registrar.ClientFilter) error {
	at := registrar.Page{Limit: pageLength, Cursor: req.R.URL.Query().Get("cursor")}
	list, next, err := req.Engine.Clients.ListClients(req.R.Context(), req.By, f, at)
	if err != nil {
		return err
	}
	for _, c := range list {
		line := item{
			Client: c, Path: page.ClientPath(c.ID), Status: statusOf(c), KeySince: req.Moment(c.CurrentKeySince()),
			UpdatedAt: req.Moment(c.UpdatedAt),
		}
		if c.Status == registrar.ClientFailed {
			line.Why = req.T("refused." + string(c.Failure.Reason.General()))
		}
		p.Items = append(p.Items, line)
	}
	p.Pager = req.Pager(p.Path, next)
	return req.Show(http.StatusOK, "clients", p.Title, p)
}
