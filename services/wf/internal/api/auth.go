package api

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/trace"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// Identity says where a token names the person.
type Identity struct {
	UserClaim    string   // the immutable user id; sub when empty
	PersonClaims []string // a token that names a client and has none of them is a service's
}

// caller is who calls. service says by which rule the token is a service account's,
// empty for a person's, and attempt is what the audit trail has of the call if it is
// refused.
type caller struct {
	wf.Actor
	service string
	attempt *engine.Refusal
}

// actorOf returns who calls.
func actorOf(ctx context.Context) wf.Actor { return web.CallerOf[caller](ctx).Actor }

// isService says of what caller returned whether it is a service account.
func isService(by any) bool { return by.(caller).service != "" }

var errLoggedOut = errors.New("the issuer has ended the session of the token")

// caller makes of a token who calls.
func (a *API) caller(ctx huma.Context, t bearer.Token, roles []string) (any, error) {
	actor, service := a.Identity.Actor(t, roles)
	by := caller{Actor: actor, service: service}
	by.CallID, by.Traceparent = web.RequestID(ctx.Context()), trace.Parent(ctx.Context())
	by.attempt = attemptOf(ctx)
	if a.engine.LoggedOut(t.Subject, t.String("sid"), t.IssuedAt) {
		return by, errLoggedOut
	}
	oplog.Note(ctx.Context(), slog.String("subject", oplog.Subject(by.ID))) // as events have it
	return by, wf.CheckUserID(by.ID)
}

// Actor reads the person, or the service, from the claims. For a service account, service
// says by which rule the token is one.
func (i Identity) Actor(t bearer.Token, roles []string) (by wf.Actor, service string) {
	id := t.Subject
	if i.UserClaim != "" && i.UserClaim != "sub" {
		id = t.String(i.UserClaim)
	}
	email, unverified := t.String("email"), ""
	if verified := t.Claims["email_verified"]; verified == false || verified == "false" {
		email, unverified = "", email // OpenID Connect Core 1.0 §5.1: the issuer does not know that it is theirs
	}
	by = wf.Actor{
		User:   wf.User{ID: id, Username: t.String("preferred_username"), Name: t.String("name"), Email: email}.Shown(),
		Kind:   wf.ActorUser,
		Issuer: t.Issuer, Client: t.Client, Unverified: unverified,
		Auth: wf.Auth{ACR: t.ACR, AMR: t.AMR, AuthTime: wf.Stamp{Time: t.AuthTime}},
	}
	service = i.service(t)
	if service != "" {
		by.Kind = wf.ActorService
	}
	for _, role := range roles {
		if role == string(wf.RoleViewer) || role == string(wf.RoleAdmin) {
			by.Roles = append(by.Roles, wf.Role(role))
		}
	}
	return by, service
}

// service says by which rule a token is a service account's; empty for a person's.
func (i Identity) service(t bearer.Token) string {
	switch rule := t.Service(); {
	case rule != "":
		return rule
	case t.Client != "" && !slices.ContainsFunc(i.PersonClaims, func(claim string) bool {
		value := t.Claims[claim]
		return value != nil && value != ""
	}):
		return "names a client and has none of " + strings.Join(i.PersonClaims, ", ")
	default:
		return ""
	}
}
