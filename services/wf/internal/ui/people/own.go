package people

import (
	"net/http"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// minePage lists the reader's own requests.
type minePage struct {
	Status   string
	Requests []engine.OwnRequest
	Pager    frame.Pager
}

// ShowOwnRequests lists the reader's requests and their pending approvers.
func ShowOwnRequests(req *page.Request) error {
	query := req.R.URL.Query()
	filter := wf.RequestFilter{Requester: req.By.ID, Sort: "updated_at"}
	p := minePage{Status: query.Get("status")}
	switch p.Status {
	case "open":
		filter.Status = []wf.RequestStatus{wf.RequestInReview, wf.RequestBlocked, wf.RequestChangesRequested}
	case "back":
		filter.Status = []wf.RequestStatus{wf.RequestChangesRequested}
	case "part":
		filter.Requester, filter.Participant = "", req.By.ID
		filter.Sort = "" // no index supports this filter in the order of changes
	case "over":
		filter.Status = []wf.RequestStatus{wf.RequestApproved, wf.RequestRejected, wf.RequestCancelled, wf.RequestExpired}
	}
	list, next, err := req.Engine.Requests.ListOwnRequests(
		req.R.Context(), req.By, filter, wf.Page{Limit: 30, Cursor: query.Get("cursor")})
	if err != nil {
		return err
	}
	p.Requests, p.Pager = list, req.Pager(page.Root+"/mine", next)
	return req.Show(http.StatusOK, "mine", req.T("nav.mine"), p)
}
