package api

import (
	"context"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
)

// stuckView is an open request without an open task or a pending retry.
type stuckView struct {
	ID            string           `json:"id" format:"uuid" doc:"Identifier of the request."`
	PolicyKey     string           `json:"policy_key" doc:"Key of its policy."`
	PolicyVersion int              `json:"policy_version" doc:"Version of the policy that it follows."`
	Status        wf.RequestStatus `json:"status" doc:"Status of the request."`
	Title         string           `json:"title" doc:"Title for people."`
	CreatedAt     identity.Stamp   `json:"created_at" doc:"When it was created."`
	UpdatedAt     identity.Stamp   `json:"updated_at" doc:"When it last changed."`
}

func viewStuck(r wf.Request) stuckView {
	created, updated := identity.Stamp{Time: r.CreatedAt}, identity.Stamp{Time: r.UpdatedAt}
	return stuckView{r.ID, r.PolicyKey, r.PolicyVersion, r.Status, r.Title, created, updated}
}

func (h requestHandlers) listStuckRequests(ctx context.Context, in *Paged) (result[Page[stuckView]], error) {
	items, next, err := h.engine.Requests.ListStuckRequests(ctx, in.page())
	return listReply(items, next, err, viewStuck)
}
