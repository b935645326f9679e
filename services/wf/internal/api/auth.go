package api

import (
	"context"
	"errors"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
)

// Identity says where a token names the person and his roles.
type Identity struct {
	UserClaim    string   // the immutable user id; sub when empty
	RolePointers []string // JSON pointers to arrays of roles
}

type actorKey struct{}

// actorOf returns the caller; authenticate has put him there.
func actorOf(ctx context.Context) wf.Actor {
	by, _ := ctx.Value(actorKey{}).(wf.Actor)
	return by
}

// authenticate runs before the body is read, so that an anonymous caller cannot
// probe schemas.
func (a *API) authenticate(ctx huma.Context, next func(huma.Context)) {
	need, _ := ctx.Operation().Metadata["access"].(access)
	if need == open {
		next(ctx)
		return
	}
	by, err := a.actor(ctx)
	if err == nil {
		ctx = withAttempt(huma.WithValue(ctx, actorKey{}, by))
		if err = need.admits(by); err != nil {
			a.recordRefusal(ctx.Context(), err)
		}
	}
	if err != nil {
		web.WriteError(ctx, a.fail(operation{id: ctx.Operation().OperationID, access: need}, err))
		return
	}
	next(ctx)
}

func (a *API) actor(ctx huma.Context) (wf.Actor, error) {
	values := map[string][]string{}
	ctx.EachHeader(func(name, value string) { values[name] = append(values[name], value) })
	raw, err := bearer.FromHeader(values)
	if err != nil {
		return wf.Actor{}, wf.Refuse(wf.Unauthenticated, "a valid bearer token is required")
	}
	token, err := a.Verifier.Verify(ctx.Context(), raw)
	if errors.Is(err, bearer.ErrUnavailable) {
		return wf.Actor{}, wf.Refuse(wf.Starting, "the keys of the token issuer are not available")
	}
	if err != nil {
		a.Logger.InfoContext(ctx.Context(), "token refused", "request_id", web.RequestID(ctx.Context()), "reason", err.Error())
		return wf.Actor{}, wf.Refuse(wf.Unauthenticated, "a valid bearer token is required")
	}
	by := a.Identity.actor(token)
	by.CallID = web.RequestID(ctx.Context())
	if err := wf.CheckUserID(by.ID); err != nil {
		return wf.Actor{}, wf.Refuse(wf.Unauthenticated, "a valid bearer token is required")
	}
	return by, nil
}

// actor reads the person from the claims.
func (i Identity) actor(t bearer.Token) wf.Actor {
	id := t.Subject
	if i.UserClaim != "" && i.UserClaim != "sub" {
		id = t.String(i.UserClaim)
	}
	by := wf.Actor{
		User:   wf.User{ID: id, Username: t.String("preferred_username"), Name: t.String("name"), Email: t.String("email")},
		Kind:   wf.ByUser,
		Issuer: t.Issuer, Client: t.String("azp"),
		Auth: wf.Auth{ACR: t.ACR, AMR: t.AMR, AuthTime: wf.Stamp{Time: t.AuthTime}},
	}
	// Keycloak names the account of a client so; RFC 9068, section 2.2, has sub
	// equal the client when no person takes part.
	if strings.HasPrefix(by.Username, "service-account-") || t.String("client_id") == t.Subject {
		by.Kind = wf.ByService
	}
	for _, role := range t.Roles(i.RolePointers...) {
		if role == string(wf.Viewer) || role == string(wf.Admin) {
			by.Roles = append(by.Roles, wf.Role(role))
		}
	}
	return by
}

func (need access) admits(by wf.Actor) error {
	role := map[access]wf.Role{viewers: wf.Viewer, admins: wf.Admin}[need]
	if role == "" || by.Has(role) {
		return nil
	}
	return wf.Refuse(wf.Forbidden, "this operation needs another role")
}
