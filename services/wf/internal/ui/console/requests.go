// Package console has the pages of admins: requests, policies, endpoints, deliveries, audit and health.
package console

import (
	"embed"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// Pages holds the templates of the package.
//
//go:embed pages
var Pages embed.FS

// consolePage is a page of a console list, with its filter and the address of the next page.
type consolePage[T any] struct {
	Query url.Values
	Items []T
	Pager frame.Pager
}

// listPage returns a page of a list with the address of the next one.
func listPage[T any](req *page.Request, items []T, next string) consolePage[T] {
	return consolePage[T]{req.R.URL.Query(), items, req.Pager(req.R.URL.Path, next)}
}

// optionalFilter returns a query parameter as a filter: empty, or one value.
func optionalFilter[S ~string](query url.Values, name string) []S {
	if value := strings.TrimSpace(frame.Truncate(query.Get(name), 255)); value != "" {
		return []S{S(value)}
	}
	return nil
}

// dayOf returns a date parameter in the reader's time zone; zero if invalid.
func dayOf(req *page.Request, name string) time.Time {
	day, _ := time.ParseInLocation(time.DateOnly, req.R.URL.Query().Get(name), req.Zone) // zero on error
	return day
}

func pageOf(req *page.Request) wf.Page {
	return wf.Page{Limit: 50, Cursor: req.R.URL.Query().Get("cursor")}
}

// ShowRequests lists requests by filter.
func ShowRequests(req *page.Request) error {
	query := req.R.URL.Query()
	filter := wf.RequestFilter{
		Status: optionalFilter[wf.RequestStatus](query, "status"), PolicyKey: optionalFilter[string](query, "policy"),
		ArtifactType: optionalFilter[string](query, "type"), ArtifactID: optionalFilter[string](query, "artifact"),
		Requester: frame.Truncate(query.Get("requester"), 255), Participant: frame.Truncate(query.Get("participant"), 255),
		Q: frame.Truncate(query.Get("q"), 200), Sort: "updated_at",
		CreatedAfter: dayOf(req, "after"), CreatedBefore: dayOf(req, "before"),
	}
	if overdue, err := strconv.ParseBool(query.Get("overdue")); err == nil {
		filter.Due.Overdue = &overdue
	}
	if name, value, ok := strings.Cut(query.Get("label"), "="); ok {
		filter.Labels = map[string]string{name: value}
	}
	if len(filter.PolicyKey)+len(filter.ArtifactType) > 0 || filter.Participant != "" {
		filter.Sort = "" // no index supports these filters in the order of changes
	}
	list, next, err := req.Engine.Requests.ListRequests(req.R.Context(), req.By, filter, pageOf(req))
	if err != nil {
		return err
	}
	return req.Show(http.StatusOK, "console-requests", req.T("nav.console"), listPage(req, list, next))
}

// ReevaluateRequest resolves the approvers of a blocked request again.
func ReevaluateRequest(req *page.Request, id string) error {
	err := req.Attempt("reevaluateRequest", wf.Resource{Type: "request", ID: id}, func() error {
		_, err := req.Engine.Requests.ReevaluateRequest(req.R.Context(), req.By, id)
		return err
	})
	if err != nil {
		return err
	}
	return req.Complete(nil, page.Root+"/requests/"+id, "reevaluated")
}
