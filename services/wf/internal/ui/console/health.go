package console

import (
	"net/http"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
)

// healthPage is the state of the service.
type healthPage struct {
	Ready, Writes bool
	Unsigned      int
	Sends         bool            // the service sends mail
	NoAddress     []identity.User // approvers of open tasks without a stored address
}

// ShowHealth shows the state of the service.
func ShowHealth(req *page.Request) error {
	ctx := req.R.Context()
	p := healthPage{Ready: req.Server.Ready(ctx) == nil, Writes: req.Server.Health(ctx) == nil,
		Unsigned: req.Engine.Webhooks.UnsignedCount()}
	var err error
	if p.NoAddress, p.Sends, err = req.Engine.Notices.WithoutAddress(ctx); err != nil {
		return err
	}
	return req.Show(http.StatusOK, "console-health", req.T("console.health"), p)
}
