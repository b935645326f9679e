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
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// Identity configures the claims that identify the user, and the rights of service accounts.
type Identity struct {
	UserClaim        string // immutable user id; the default is sub
	ServiceApprovers bool   // service accounts may claim and decide
}

// personClaims are claims of tokens of people. A token with a client and none of them belongs to a
// service account.
var personClaims = []string{"preferred_username", "email", "name", "auth_time", "sid"}

// caller is the authenticated caller. service is the rule that classifies the token as a service
// account's, or "" for a person. attempt is the audit record of the call in case of a refusal.
type caller struct {
	identity.Actor
	service string
	attempt *engine.Refusal
}

// actorOf returns the caller of an operation.
func actorOf(ctx context.Context) identity.Actor { return web.CallerOf[caller](ctx).Actor }

// orOwners permits the owners of the policy in the path, or of the policy of the request in the path, in place of a
// role. Without either, it permits the owners of any policy.
func (a *API) orOwners(access web.Access) web.Access {
	access.Owner = func(ctx huma.Context, by any) (bool, error) {
		actor := by.(caller).Actor
		if id := ctx.Param("id"); id != "" {
			return a.engine.Requests.IsOwner(ctx.Context(), actor, plainID(id))
		}
		if key := ctx.Param("key"); key != "" {
			return a.engine.Policies.IsOwner(ctx.Context(), actor, key)
		}
		return a.engine.Policies.OwnsAny(ctx.Context(), actor)
	}
	return access
}

// isService reports whether a result of caller is a service account.
func isService(by any) bool { return by.(caller).service != "" }

var (
	errLoggedOut  = errors.New("the issuer has ended the session of the token")
	errUnverified = errors.New("WF_USER_CLAIM=email requires a token with email_verified: true")
)

// caller converts a token to a caller. It rejects tokens of ended sessions.
func (a *API) caller(ctx huma.Context, t bearer.Token, roles []string) (any, error) {
	actor, service := a.Identity.Actor(t, roles)
	by := caller{Actor: actor, service: service}
	by.CallID, by.Traceparent = web.RequestID(ctx.Context()), trace.Parent(ctx.Context())
	by.attempt = attemptOf(ctx, actor.IsRepresented())
	if a.sessions.IsLoggedOut(t.Subject, t.String("sid"), t.IssuedAt) {
		return by, errLoggedOut
	}
	if by.ID == "" && a.Identity.UserClaim == emailClaim {
		return by, errUnverified
	}
	oplog.Note(ctx.Context(), slog.String("subject", oplog.Subject(by.ID))) // same form as in events
	return by, identity.CheckUserID(by.ID)
}

// emailClaim is a claim that names another person's address unless the issuer has verified it.
const emailClaim = "email"

// Actor returns the actor of a token's claims. For a service account, service is the rule that
// classifies the token. The id is empty, and thus refused, if it would be an address that the issuer has not verified.
func (i Identity) Actor(t bearer.Token, roles []string) (by identity.Actor, service string) {
	id := t.Subject
	if i.UserClaim != "" && i.UserClaim != "sub" {
		id = t.String(i.UserClaim)
	}
	email, unverified, verified := t.String(emailClaim), "", t.Claims["email_verified"]
	if i.UserClaim == emailClaim && verified != true && verified != "true" {
		id = ""
	}
	if verified == false || verified == "false" {
		email, unverified = "", email // OpenID Connect Core 1.0 §5.1: the issuer has not verified the address
	}
	by = identity.Actor{
		User:   identity.User{ID: id, Username: t.String("preferred_username"), Name: t.String("name"), Email: email}.Sanitize(),
		Kind:   identity.ActorUser,
		Issuer: t.Issuer, Client: t.Client, Unverified: unverified, TokenRoles: roles,
		Auth: identity.Auth{ACR: t.ACR, AMR: t.AMR, AuthTime: identity.Stamp{Time: t.AuthTime}},
	}
	for _, a := range t.Actors {
		by.Acting = append(by.Acting, identity.Party{Subject: a.Subject, Issuer: a.Issuer})
	}
	service = i.service(t)
	if service != "" {
		by.Kind, by.Approves = identity.ActorService, i.ServiceApprovers
	}
	for _, role := range roles {
		if role == string(identity.RoleViewer) || role == string(identity.RoleAdmin) {
			by.Roles = append(by.Roles, identity.Role(role))
		}
	}
	return by, service
}

// service returns the rule that classifies a token as a service account's, or "" for a person.
func (i Identity) service(t bearer.Token) string {
	switch rule := t.Service(); {
	case rule != "":
		return rule
	case t.Client != "" && !slices.ContainsFunc(personClaims, func(claim string) bool {
		value := t.Claims[claim]
		return value != nil && value != ""
	}):
		return "names a client and has none of " + strings.Join(personClaims, ", ")
	default:
		return ""
	}
}
