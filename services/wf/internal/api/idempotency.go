package api

import (
	"context"
	"net/http"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// repeatable runs an operation on one object and stores its reply, with headers, in the same
// transaction. A repeat with the same key receives that reply. subject is the id in the path.
func repeatable[T any](
	ctx context.Context, a *API, in web.Idempotent, subject string,
	show func(context.Context, engine.Case) (view T, etag string), do func(engine.Repeatable) (engine.Reply, error),
) (result[T], error) {
	op := web.OperationOf(ctx)
	rep, err := a.repeated(ctx, in, subject, func(c engine.Case) (engine.StoredReply, error) {
		view, etag := show(ctx, c.Shown(actorOf(ctx)))
		raw, err := a.encode(view)
		reply := engine.StoredReply{Status: op.Status, ETag: etag, Body: raw}
		if op.Status == http.StatusCreated {
			reply.Location = op.Path + "/" + c.Request.ID
		}
		return reply, err
	})
	if err != nil {
		return result[T]{}, err
	}
	r, err := do(rep)
	return result[T]{Raw: r.Body, Replayed: r.Replayed, Location: r.Location, ETag: r.ETag}, err
}

// repeated returns the idempotency key of a call, and the encoder of its reply.
func (a *API) repeated(ctx context.Context, in web.Idempotent, subject string, encode func(engine.Case) (engine.StoredReply, error)) (engine.Repeatable, error) {
	by := actorOf(ctx)
	rep := engine.Repeatable{Encode: encode}
	scope, err := in.Scope(ctx, by.Issuer+"|"+by.ID, subject)
	if err == nil && scope != nil {
		rep.Key = &engine.IdempotencyKey{
			Principal: scope.Principal, Method: scope.Method, Route: scope.Route, Value: scope.Key, Fingerprint: scope.Fingerprint, TTL: a.IdempotencyTTL,
		}
	}
	return rep, err
}
