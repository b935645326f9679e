package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// Idempotent is the input of an operation that may be repeated with a key.
type Idempotent struct {
	IdempotencyKey string `header:"Idempotency-Key" doc:"1 to 255 visible ASCII characters, optionally in double quotes. A repeat with the same key and body gets the first reply again."`
}

const maxKey = 255

// Resolve refuses a malformed key, which no schema of a header can say. An empty
// header is refused before.
func (i *Idempotent) Resolve(huma.Context) []error {
	if _, ok := parseKey(i.IdempotencyKey); i.IdempotencyKey != "" && !ok {
		return []error{web.Detail{
			Type: "value_error", Loc: []any{"header", "Idempotency-Key"},
			Msg: "Value error, must be 1 to 255 visible ASCII characters, optionally in double quotes",
		}}
	}
	return nil
}

// parseKey removes one pair of surrounding quotes: the draft standard writes a
// structured-field string, and many callers a bare word.
func parseKey(s string) (string, bool) {
	if strings.HasPrefix(s, `"`) || strings.HasSuffix(s, `"`) {
		if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
			return "", false
		}
		s = s[1 : len(s)-1]
	}
	visible := !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
	return s, visible && s != "" && len(s) <= maxKey
}

// repeatable makes the reply of an operation inside its transaction, headers
// included, and, with a key, lets a repeat have it. subject is the id in the path: one
// key names one effect on one object. rev is that of the object which the ETag is of.
func repeatable[T any](ctx context.Context, a *API, op operation, in Idempotent, subject string, body []byte, show func(context.Context, engine.Case) T, rev func(engine.Case) int64) (engine.Repeatable, error) {
	rep := engine.Repeatable{Encode: func(c engine.Case) (engine.StoredReply, error) {
		raw, err := a.encode(show(ctx, c))
		reply := engine.StoredReply{Status: op.status, ETag: engine.ETag(rev(c)), Body: raw}
		if op.status == http.StatusCreated {
			reply.Location = op.path + "/" + c.Request.ID
		}
		return reply, err
	}}
	key, ok := parseKey(in.IdempotencyKey)
	if !ok {
		return rep, nil
	}
	if len(body) == 0 {
		body = []byte("{}")
	}
	fingerprint, err := strictjson.Sum(body)
	if err != nil {
		return rep, err
	}
	by := actorOf(ctx)
	rep.TTL = a.IdempotencyTTL
	rep.Key = &engine.IdempotencyKey{
		Principal: by.Issuer + "|" + by.ID, Method: op.method, Route: op.path, Value: key,
		Fingerprint: subject + fingerprint,
	}
	return rep, nil
}

// replied passes the encoded reply on.
func replied[T any](r engine.Reply, err error) (result[T], error) {
	return result[T]{Raw: r.Body, Replayed: r.Replayed, Location: r.Location, ETag: r.ETag}, err
}
