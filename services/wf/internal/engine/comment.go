package engine

import (
	"context"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
)

// AddComment adds a comment to a request. Its event is the last of the Case.
func (e *Requests) AddComment(
	ctx context.Context, by identity.Actor, id string, in wf.CommentInput, key *IdempotencyKey,
) (Reply, error) {
	c := onRequest(by, id, "", key).byAgents()
	c.show = func(_ identity.Actor, c wf.Case) (shown any, etag string, err error) {
		return view.NewComment(c.Events[len(c.Events)-1]), view.ETag(c.Request.Rev), nil
	}
	return e.change(ctx, c, wf.AddComment(in))
}

// ListComments lists the comment events of a request, oldest first, to readers of the request.
func (e *Requests) ListComments(ctx context.Context, by identity.Actor, id string, p wf.Page) ([]wf.Event, string, error) {
	return e.events(ctx, by, id, p, e.store.Comments)
}
