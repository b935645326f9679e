package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/refusal"
)

// Access is the access rule of an operation. The zero value is public; Token requires a valid token.
// If Roles or Scopes are set, the token needs one of them. Access to a single object is checked
// where the object is read.
type Access struct {
	Token         bool
	Roles, Scopes []string

	// Owner reports whether a caller without a role or scope may call the operation for the object of its path; nil for
	// none. It runs before the body is read.
	Owner func(ctx huma.Context, by any) (bool, error)
}

// Permits reports whether a token satisfies the rule. A scope, which a client can request, does not replace
// a role, nor a role a scope.
func (a Access) Permits(roles, scopes []string) bool {
	among := func(has []string) func(string) bool {
		return func(name string) bool { return slices.Contains(has, name) }
	}
	return len(a.Roles)+len(a.Scopes) == 0 ||
		slices.ContainsFunc(a.Roles, among(roles)) || slices.ContainsFunc(a.Scopes, among(scopes))
}

// requirement returns the message of a refusal, which names the roles and scopes of the rule.
func (a Access) requirement() string {
	var needs []string
	if len(a.Roles) > 0 {
		needs = append(needs, "the role "+strings.Join(a.Roles, " or "))
	}
	if len(a.Scopes) > 0 {
		needs = append(needs, "the scope "+strings.Join(a.Scopes, " or "))
	}
	text := "the call needs a token with " + strings.Join(needs, " or ")
	if a.Owner != nil {
		text += ", or an owner of the object"
	}
	return text
}

// security returns the documented access rule: any one of the entries.
func (a Access) security() (list []map[string][]string) {
	for _, name := range slices.Concat(a.Scopes, a.Roles) {
		list = append(list, map[string][]string{"bearer": {name}})
	}
	if a.Token && list == nil {
		list = append(list, map[string][]string{"bearer": {}})
	}
	return list
}

// CallerOf returns the result of Options.Caller for the token of the call of ctx; the zero value without a
// token.
func CallerOf[T any](ctx context.Context) T {
	caller, _ := callOf(ctx).by.(T)
	return caller
}

// errNoToken is the refusal of a call without credentials, errToken that of a call with invalid ones.
var (
	errNoToken = &refusal.Error{Reason: Unauthenticated, Message: "a valid bearer token is required"}
	errToken   = &refusal.Error{Reason: Unauthenticated, Message: errNoToken.Message}
)

// authenticate is a middleware. It runs before the body is read, so that unauthenticated callers cannot
// probe schemas.
func (s *Server) authenticate(ctx huma.Context, next func(huma.Context)) {
	call, op := callOf(ctx.Context()), operationOf(ctx)
	call.operation = op
	if s.options.ReadOnly && op.Method != http.MethodGet {
		WriteError(ctx, &refusal.Error{Reason: ReadOnly, Message: "the service is read-only", RetryAfter: time.Minute})
		return
	}
	if !op.Access.Token {
		next(ctx)
		return
	}
	token, err := s.token(ctx)
	if err == nil {
		roles := token.Roles(s.options.RolePointers...)
		err = s.admitCaller(ctx, call, token, roles)
	}
	if errors.Is(err, Unauthenticated) {
		s.slowFailure(ctx.Context(), ctx.RemoteAddr())
	}
	if err != nil {
		WriteError(ctx, err)
		return
	}
	next(ctx)
}

// admitCaller admits the subject of a token if the access rule and the rate limit permit it.
func (s *Server) admitCaller(ctx huma.Context, call *call, token bearer.Token, roles []string) (err error) {
	oplog.Note(ctx.Context(), slog.String("subject", oplog.Subject(token.Subject)))
	if token.ID != "" {
		oplog.Note(ctx.Context(), slog.String("jti", truncate(token.ID)))
	}
	if call.by, err = s.options.Caller(ctx, token, roles); err != nil {
		s.refusedToken(ctx, err)
		if errors.Is(err, Forbidden) {
			return err
		}
		return errToken
	}
	call.subject = token.Subject
	if err := s.limitCalls(ctx.Context(), call); err != nil {
		return err
	}
	permitted, owner := call.operation.Access.Permits(roles, token.Scopes()), call.operation.Access.Owner
	if !permitted && owner != nil {
		if permitted, err = owner(ctx, call.by); err != nil {
			return s.answer(ctx.Context(), call.operation, err)
		}
	}
	if !permitted {
		return &refusal.Error{Reason: Forbidden, Message: call.operation.Access.requirement()}
	}
	return LimitAs(ctx.Context(), call.operation.ID)
}

// token verifies the token of a call.
func (s *Server) token(ctx huma.Context) (bearer.Token, error) {
	raw, err := s.rawToken(ctx)
	if err != nil {
		return bearer.Token{}, err
	}
	token, err := s.options.Verifier.Verify(ctx.Context(), raw)
	if errors.Is(err, bearer.ErrUnavailable) {
		return token, &refusal.Error{Reason: Starting, Message: "the keys of the token issuer are not available"}
	}
	if err != nil {
		s.refusedToken(ctx, err)
		return token, errToken
	}
	return token, nil
}

// rawToken returns the token of a call, from its header or its cookie.
func (s *Server) rawToken(ctx huma.Context) (string, error) {
	r := humaecho.UnwrapV4(ctx).Request()
	cookies := r.CookiesNamed("Authorization")
	if r.Header["Authorization"] != nil || !s.options.TokenCookie || len(cookies) == 0 {
		raw, err := bearer.FromHeader(r.Header)
		if err != nil {
			oplog.Note(ctx.Context(), slog.String("cause", err.Error()))
			if r.Header["Authorization"] == nil {
				return "", errNoToken
			}
			return "", errToken
		}
		return raw, nil
	}
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		s.refusedToken(ctx, err)
		return "", &refusal.Error{Reason: Forbidden, Message: "a change with the token in a cookie must come from the service's own origin"}
	}
	if len(cookies) > 1 {
		oplog.Note(ctx.Context(), slog.String("cause", "more than one cookie Authorization"))
		return "", errToken
	}
	return cookies[0].Value, nil
}

// refusedToken adds the cause, which the reply omits, to the log of the call.
func (s *Server) refusedToken(ctx huma.Context, why error) {
	s.metrics.tokenRefused(why)
	oplog.Note(ctx.Context(), slog.String("cause", why.Error()))
}
