package api

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
)

// Identity says where a token names the person and their roles.
type Identity struct {
	UserClaim    string   // the immutable user id; sub when empty
	RolePointers []string // JSON pointers to arrays of roles
	PersonClaims []string // a token that names a client and has none of them is a service's
}

type callerKey struct{}

// caller is who calls. service says by which rule the token is a service account's;
// empty for a person's.
type caller struct {
	wf.Actor
	service string
}

// actorOf returns the caller; authenticate has put them there.
func actorOf(ctx context.Context) wf.Actor {
	by, _ := ctx.Value(callerKey{}).(caller)
	return by.Actor
}

// logService says which rule made a token a service account's when the caller may not
// do what a person might.
func (a *API) logService(ctx context.Context, op operation, err error) {
	by, _ := ctx.Value(callerKey{}).(caller)
	if by.service != "" && errors.Is(err, wf.Forbidden) {
		a.Logger.InfoContext(ctx, "service account refused", "request_id", web.RequestID(ctx), "operation", op.id,
			"client", by.Client, "rule", by.service)
	}
}

// authenticate runs before the body is read, so that an anonymous caller cannot
// probe schemas.
func (a *API) authenticate(ctx huma.Context, next func(huma.Context)) {
	need, _ := ctx.Operation().Metadata["access"].(access)
	if need == open {
		next(ctx)
		return
	}
	by, err := a.caller(ctx)
	if err == nil {
		ctx = withAttempt(huma.WithValue(ctx, callerKey{}, by))
		if err = need.admits(by.Actor); err != nil {
			a.recordRefusal(ctx.Context(), err)
		}
	}
	if err != nil {
		web.WriteError(ctx, a.fail(operation{id: ctx.Operation().OperationID, access: need}, err))
		return
	}
	next(ctx)
}

func (a *API) caller(ctx huma.Context) (caller, error) {
	values := map[string][]string{}
	ctx.EachHeader(func(name, value string) { values[name] = append(values[name], value) })
	raw, err := bearer.FromHeader(values)
	if err != nil {
		return caller{}, wf.Refuse(wf.Unauthenticated, "a valid bearer token is required")
	}
	token, err := a.Verifier.Verify(ctx.Context(), raw)
	if errors.Is(err, bearer.ErrUnavailable) {
		return caller{}, wf.Refuse(wf.Starting, "the keys of the token issuer are not available")
	}
	if err != nil {
		a.Logger.InfoContext(ctx.Context(), "token refused", "request_id", web.RequestID(ctx.Context()), "reason", err.Error())
		return caller{}, wf.Refuse(wf.Unauthenticated, "a valid bearer token is required")
	}
	by := a.Identity.caller(token)
	by.CallID = web.RequestID(ctx.Context())
	if err := wf.CheckUserID(by.ID); err != nil {
		return caller{}, wf.Refuse(wf.Unauthenticated, "a valid bearer token is required")
	}
	return by, nil
}

// caller reads the person, or the service, from the claims.
func (i Identity) caller(t bearer.Token) caller {
	id := t.Subject
	if i.UserClaim != "" && i.UserClaim != "sub" {
		id = t.String(i.UserClaim)
	}
	by := wf.Actor{
		User:   wf.User{ID: id, Username: t.String("preferred_username"), Name: t.String("name"), Email: t.String("email")},
		Kind:   wf.ActorUser,
		Issuer: t.Issuer, Client: cmp.Or(t.String("azp"), t.String("client_id")),
		Auth: wf.Auth{ACR: t.ACR, AMR: t.AMR, AuthTime: wf.Stamp{Time: t.AuthTime}},
	}
	service := i.service(t)
	if service != "" {
		by.Kind = wf.ActorService
	}
	for _, role := range t.Roles(i.RolePointers...) {
		if role == string(wf.RoleViewer) || role == string(wf.RoleAdmin) {
			by.Roles = append(by.Roles, wf.Role(role))
		}
	}
	return caller{by, service}
}

// service says by which rule a token is a service account's; empty for a person's.
func (i Identity) service(t bearer.Token) string {
	switch {
	case strings.HasPrefix(t.String("preferred_username"), "service-account-"): // as Keycloak names them
		return "preferred_username begins with service-account-"
	case t.String("client_id") == t.Subject: // RFC 9068, section 2.2: no person took part
		return "client_id equals sub"
	case t.String("client_id")+t.String("azp") != "" && !slices.ContainsFunc(i.PersonClaims, func(claim string) bool {
		value := t.Claims[claim]
		return value != nil && value != ""
	}):
		return "names a client and has none of " + strings.Join(i.PersonClaims, ", ")
	default:
		return ""
	}
}

func (need access) admits(by wf.Actor) error {
	role := map[access]wf.Role{viewers: wf.RoleViewer, admins: wf.RoleAdmin}[need]
	if role == "" || by.Has(role) {
		return nil
	}
	return wf.Refuse(wf.Forbidden, "this operation needs another role")
}
