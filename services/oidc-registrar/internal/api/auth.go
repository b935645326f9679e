package api

import (
	"context"
	"errors"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
	"github.com/countersign/countersign/services/oidc-registrar/internal/engine"
)

// The roles. A partner's caller manages the clients of the partners in its token; an admin manages
// all clients and the catalogue.
const (
	authPartner  = "AUTH_PARTNER"
	partnerAdmin = "PARTNER_ADMIN"
)

// Access rules of operations.
var (
	open     = web.Access{}
	partners = web.Access{Token: true, Roles: []string{authPartner, partnerAdmin}}
	admins   = web.Access{Token: true, Roles: []string{partnerAdmin}}
)

// The scopes of client management.
const addScope, updateScope, getScope = "add_oidc_client", "update_oidc_client", "get_oidc_client"

// Scopes lists every scope.
var Scopes = []string{addScope, updateScope, getScope}

// eitherAPI returns the access rule of paths that both interfaces share.
func (a *API) eitherAPI(scope string) web.Access {
	access := a.requireScope(scope)
	access.Roles = []string{authPartner, partnerAdmin}
	return access
}

// requireScope returns the access rule of the client-management API: the scope or an alias of it.
func (a *API) requireScope(scope string) web.Access {
	return web.Access{Token: true, Roles: []string{partnerAdmin}, Scopes: append([]string{scope}, a.ScopeAliases[scope]...)}
}

// callerOf returns the caller. Open operations have none.
func callerOf(ctx context.Context) engine.Caller { return web.CallerOf[engine.Caller](ctx) }

var errLoggedOut = errors.New("the issuer has ended the session of the token")

// caller derives the caller from a token. It refuses tokens of ended sessions, and a write that needs PARTNER_ADMIN
// with a token of another acting party.
func (a *API) caller(ctx huma.Context, token bearer.Token, roles []string) (any, error) {
	if a.sessions.IsLoggedOut(token.Subject, token.String("sid"), token.IssuedAt) {
		return engine.Caller{}, errLoggedOut
	}
	own := rolesOf(token, roles, ctx.Method())
	if access := web.OperationOf(ctx.Context()).Access; access.Permits(roles, token.Scopes()) && !access.Permits(own, token.Scopes()) {
		return engine.Caller{}, refusal.New(web.Forbidden, "a write that needs PARTNER_ADMIN takes no token with act: the admin makes the call")
	}
	return a.callerOf(token, own), nil
}

// CallerOf returns the caller of a verified token, for a call with the method.
func (a *API) CallerOf(token bearer.Token, method string) engine.Caller {
	return a.callerOf(token, rolesOf(token, token.Roles(a.RolePointers...), method))
}

// rolesOf returns the roles of a token for a call with the method: a party that acts for an admin only reads as such.
func rolesOf(token bearer.Token, roles []string, method string) []string {
	if len(token.Actors) == 0 || method == get {
		return roles
	}
	return slices.DeleteFunc(slices.Clone(roles), func(role string) bool { return role == partnerAdmin })
}

func (a *API) callerOf(token bearer.Token, roles []string) engine.Caller {
	by := engine.Caller{Subject: token.Subject, Admin: slices.Contains(roles, partnerAdmin), Service: token.Service() != ""}
	for _, actor := range token.Actors {
		by.Acting = append(by.Acting, registrar.Party{Subject: actor.Subject, Issuer: actor.Issuer})
	}
	by.ReadsProviderSide, by.ChangesProviderSide = a.hasScope(token, getScope), a.hasScope(token, updateScope)
	if slices.Contains(roles, authPartner) {
		by.Partners = token.Strings(a.PartnerClaim)
	}
	return by
}

// isService reports whether a value of caller is a service account.
func isService(by any) bool { return by.(engine.Caller).Service }

// maxPartner is the maximum length of a partner id.
const maxPartner = 100

// limitRegistration applies the partner's registration rate. It does not wait, since the call
// occupies a slot. Admins are exempt. The rules refuse an empty or long id later.
func (a *API) limitRegistration(by engine.Caller, partner string) error {
	if by.Admin || partner == "" || len(partner) > maxPartner {
		return nil
	}
	if _, err := a.registrations.Take(partner, 0); err != nil {
		return a.OverRate(err)
	}
	return nil
}

// hasScope reports whether a token has a scope or an alias of it.
func (a *API) hasScope(token bearer.Token, scope string) bool {
	return slices.ContainsFunc(token.Scopes(), func(s string) bool {
		return s == scope || slices.Contains(a.ScopeAliases[scope], s)
	})
}
