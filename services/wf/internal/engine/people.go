package engine

import (
	"context"

	"github.com/countersign/countersign/services/wf"
)

// People finds people by a part of their name: in the directory, or without one among those
// whom the service has met. Only who has a part in some request may look, and viewers.
func (e *Engine) People(ctx context.Context, by wf.Actor, search string, limit int) ([]wf.User, error) {
	if !by.Has(wf.RoleViewer) {
		has, err := e.store.HasPart(ctx, by.ID)
		if err != nil {
			return nil, err
		}
		if !has {
			return nil, wf.Refuse(wf.Forbidden, "only people with a part in a request may look for others")
		}
	}
	if e.Search == nil {
		return e.store.People(ctx, search, limit)
	}
	return e.Search(ctx, search, limit)
}
