package engine

import (
	"context"
	"fmt"
	"slices"

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

// Known returns a function that returns the stored users by id.
func (e *People) Known(ctx context.Context) func(ids []string) (map[string]identity.User, error) {
	return func(ids []string) (map[string]identity.User, error) { return e.store.KnownPeople(ctx, ids) }
}

// named is a user that a call names by id.
type named struct {
	identity.User
	unknown bool   // to the directory, or without one to the service
	warning string // empty for a known and enabled user
}

// findUser returns the user that a caller names in a member. Without WF_ADMIN an unknown user is refused.
func (e *core) findUser(ctx context.Context, by identity.Actor, member, id string) (named, error) {
	u := named{User: identity.User{ID: id}}
	if e.Directory {
		found, err := e.Resolve(ctx, approver.ExistingUsers(id))
		switch {
		case err != nil:
			u.warning = id + " could not be found: the directory does not answer"
			return u, nil //nolint:nilerr // the caller decides whether it needs the answer
		case len(found) > 0:
			u.User = found[0]
			return u, nil
		}
	}
	shown, err := e.store.ShownUsers(ctx, []string{id})
	if err != nil {
		return u, err
	}
	_, known := shown[id]
	switch {
	case known && e.Directory:
		u.warning = id + " is disabled in the directory, or absent from it: they cannot act on tasks"
	case known:
	case !by.Has(identity.RoleAdmin):
		return u, refusal.At(reason.BadInput, member, "%s", e.unknownUser())
	default:
		u.unknown, u.warning = true, fmt.Sprintf("%s is unknown: %s", id, e.unknownUser())
	}
	return u, nil
}

// unknownUser states the rule for the users that a call names.
func (e *core) unknownUser() string {
	if e.Directory {
		return "must be a user of the directory, unless WF_ADMIN names them"
	}
	return "must be a user who has signed in or acted, unless WF_ADMIN names them"
}

// findUsers returns the known users of ids, by id, and the ids of the others. It fails without an answer of the
// directory.
func (e *core) findUsers(
	ctx context.Context, ids []string,
) (known map[string]identity.User, unknown []string, err error) {
	if known, err = e.store.ShownUsers(ctx, ids); err != nil {
		return nil, nil, err
	}
	isKnown := func(id string) bool { _, ok := known[id]; return ok }
	unknown = slices.DeleteFunc(slices.Clone(ids), isKnown)
	if !e.Directory {
		return known, unknown, nil
	}
	for some := range slices.Chunk(slices.Clone(unknown), missingAtOnce) {
		found, err := e.Resolve(ctx, approver.ExistingUsers(some...))
		if err != nil {
			return known, nil, err
		}
		for _, u := range found {
			known[u.ID] = u
		}
	}
	return known, slices.DeleteFunc(unknown, isKnown), nil
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
