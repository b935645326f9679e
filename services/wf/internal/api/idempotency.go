package api

import (
	"context"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// renderedReply returns the reply that the engine has rendered, or stored on the first use of its key. T is its type, for
// the document.
func renderedReply[T any](r engine.Reply, err error) (result[T], error) {
	return result[T]{Raw: r.Body, Replayed: r.Replayed, Location: r.Location, ETag: r.ETag}, err
}

// withKey is withID for an operation with an Idempotency-Key.
func withKey[T, I any, In interface {
	*I
	id() string
	scoped
}](
	a *API, missing refusal.Reason, handle func(context.Context, *I, *engine.IdempotencyKey) (result[T], error),
) func(context.Context, *I) (result[T], error) {
	return withID[T, I, In](missing, func(ctx context.Context, in *I) (result[T], error) {
		key, err := a.key(ctx, In(in), In(in).id())
		if err != nil {
			return result[T]{}, err
		}
		return handle(ctx, in, key)
	})
}

// scoped is an input with an Idempotency-Key.
type scoped interface {
	Scope(ctx context.Context, principal, object string) (*web.Scope, error)
}

// key returns the idempotency key of a call, or nil without one. subject is the id in the path.
func (a *API) key(ctx context.Context, in scoped, subject string) (*engine.IdempotencyKey, error) {
	by := actorOf(ctx)
	scope, err := in.Scope(ctx, by.Issuer+"|"+by.ID, subject)
	if err != nil || scope == nil {
		return nil, err
	}
	return &engine.IdempotencyKey{
		Principal: scope.Principal, Method: scope.Method, Route: scope.Route, Value: scope.Key,
		Fingerprint: scope.Fingerprint, TTL: a.IdempotencyTTL,
	}, nil
}
