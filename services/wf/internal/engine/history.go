package engine

import (
	"context"
	"errors"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/reason"
)

// History is a request with its first events and comments, and one earlier revision.
type History struct {
	wf.Case
	Events, Comments []wf.Event
	Earlier          *wf.Revision // nil if none is stored
}

// RequestHistory returns a request with its history, and the revision with the number since. The
// default is the previous one. The request is loaded once.
func (e *Requests) RequestHistory(ctx context.Context, by identity.Actor, id string, since int) (History, error) {
	c, rd, err := e.loadReadable(ctx, by, store.ByID(id), "request "+id)
	if err != nil {
		return History{}, err
	}
	h := History{Case: c.VisibleTo(rd)}
	first := wf.Page{Limit: 200}
	if h.Events, _, err = e.eventsOf(ctx, c, rd, first, e.store.Events); err != nil {
		return h, err
	}
	if h.Comments, _, err = e.eventsOf(ctx, c, rd, first, e.store.Comments); err != nil {
		return h, err
	}
	if c.Request.Revision < 2 {
		return h, nil
	}
	if since < 1 || since >= c.Request.Revision {
		since = c.Request.Revision - 1
	}
	earlier, err := e.revisionOf(ctx, c, rd, since)
	if errors.Is(err, reason.RequestNotFound) {
		return h, nil
	}
	h.Earlier = &earlier
	return h, err
}
