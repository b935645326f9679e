package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/oidc-registrar/internal/register"
)

// The roles. A partner's caller manages the clients of the partner that its token
// names; an admin manages all and the catalogue.
const (
	authPartner  = "AUTH_PARTNER"
	partnerAdmin = "PARTNER_ADMIN"
)

// access says which tokens may call an operation: those with one of the roles, or
// with the scope. The zero value lets everybody call it.
type access struct {
	roles []string
	scope string
}

var (
	open     = access{}
	partners = access{roles: []string{authPartner, partnerAdmin}}
	admins   = access{roles: []string{partnerAdmin}}
)

// scoped is the access of the provider door.
func scoped(scope string) access { return access{roles: []string{partnerAdmin}, scope: scope} }

// permits reports whether a token is enough. A role is never taken from a scope,
// which a client can ask for, nor a scope from a role.
func (a access) permits(roles, scopes []string) bool {
	return slices.ContainsFunc(a.roles, func(r string) bool { return slices.Contains(roles, r) }) ||
		a.scope != "" && slices.Contains(scopes, a.scope)
}

// security is the access as the document shows it: any one of the entries.
func (a access) security() (list []map[string][]string) {
	if a.scope != "" {
		list = append(list, map[string][]string{"bearer": {a.scope}})
	}
	for _, role := range a.roles {
		list = append(list, map[string][]string{"bearer": {role}})
	}
	return list
}

type callerKey struct{}

// callerOf returns who calls. Operations that are open have no caller.
func callerOf(ctx context.Context) register.Caller {
	c, _ := ctx.Value(callerKey{}).(register.Caller)
	return c
}

// authenticate is a middleware. It runs before the body is read, so that a
// stranger cannot probe the schema.
func (a *API) authenticate(ctx huma.Context, next func(huma.Context)) {
	need := ctx.Operation().Metadata["access"].(access)
	if len(need.roles) == 0 {
		next(ctx)
		return
	}
	d := doorOf(ctx.Operation().Path)
	token, err := a.token(ctx)
	if errors.Is(err, bearer.ErrUnavailable) {
		web.WriteError(ctx, a.unavailable(d, "tokens cannot be checked now"))
		return
	}
	if err != nil { // RFC 6750 §3
		challenge := http.Header{"Www-Authenticate": {`Bearer error="invalid_token"`}}
		web.WriteError(ctx, web.Refuse(http.StatusUnauthorized, a.failure(d, http.StatusUnauthorized, "a valid bearer token is required"), challenge))
		return
	}
	roles := token.Roles(a.RolePointers...)
	if !need.permits(roles, token.Scopes()) {
		web.WriteError(ctx, web.Refuse(http.StatusForbidden, a.failure(d, http.StatusForbidden, "the token does not permit this call"), nil))
		return
	}
	caller := register.Caller{Subject: token.Subject, Admin: slices.Contains(roles, partnerAdmin)}
	if slices.Contains(roles, authPartner) {
		caller.Partner = token.String(a.PartnerClaim)
	}
	next(huma.WithValue(ctx, callerKey{}, caller))
}

// token verifies the token of a request.
func (a *API) token(ctx huma.Context) (bearer.Token, error) {
	headers := http.Header{}
	ctx.EachHeader(func(name, value string) { headers.Add(name, value) })
	raw, err := bearer.FromHeader(headers)
	if err != nil {
		return bearer.Token{}, err
	}
	return a.Verifier.Verify(ctx.Context(), raw)
}
