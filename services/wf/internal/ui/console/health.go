package console

import (
	"net/http"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// healthPage is the state of the service.
type healthPage struct {
	Ready, Writes bool
	Unsigned      int
	Sends         bool            // the service sends mail
	NoAddress     []identity.User // approvers of open tasks without a stored address
	Counts        []wf.TaskCount
}

// ShowHealth shows the state of the service.
func ShowHealth(req *page.Request) error {
	ctx := req.R.Context()
	p := healthPage{Ready: req.Server.Ready(ctx) == nil, Writes: req.Server.Health(ctx) == nil,
		Unsigned: req.Engine.Webhooks.UnsignedCount()}
	counts, _, err := req.Engine.Tasks.GetTaskStats(ctx, req.By, wf.TaskFilter{})
	if err != nil {
		return err
	}
	if p.NoAddress, p.Sends, err = req.Engine.Notices.WithoutAddress(ctx); err != nil {
		return err
	}
	by := map[wf.TaskStatus]int64{}
	for _, c := range counts {
		by[c.Status] += c.Count
	}
	for _, status := range []wf.TaskStatus{wf.TaskOpen, wf.TaskClaimed} {
		p.Counts = append(p.Counts, wf.TaskCount{Status: status, Count: by[status]})
	}
	return req.Show(http.StatusOK, "console-health", req.T("console.health"), p)
}
