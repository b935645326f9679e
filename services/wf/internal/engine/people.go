package engine

import (
	"context"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// People has the use cases of users.
type People struct{ *core }

// FindPeople finds users by a part of their name: in the directory, or without one among the stored
// users. Permitted callers are WF_ADMIN, present and former assignees and candidates, and both
// parties of an active delegation.
func (e *People) FindPeople(ctx context.Context, by identity.Actor, search string, limit int) ([]identity.User, error) {
	if e.NoPeopleSearch {
		return nil, refusal.New(reason.Forbidden, "the search for people is disabled")
	}
	may, err := e.maySearch(ctx, by)
	if err != nil {
		return nil, err
	}
	if !may {
		return nil, refusal.New(reason.Forbidden, "only approvers, delegates and delegators may search for people")
	}
	if e.Search == nil {
		return e.store.People(ctx, search, limit)
	}
	return e.Search(ctx, search, limit)
}

func (e *People) maySearch(ctx context.Context, by identity.Actor) (bool, error) {
	if by.Has(identity.RoleAdmin) {
		return true, nil
	}
	if asked, err := e.store.WasAsked(ctx, by.ID); asked || err != nil {
		return asked, err
	}
	active := wf.DelegationFilter{Own: by.ID, Status: []approver.DelegationStatus{approver.DelegationActive}}
	delegations, _, err := e.store.Delegations.List(ctx, active, wf.Page{Limit: 1})
	return len(delegations) > 0, err
}
