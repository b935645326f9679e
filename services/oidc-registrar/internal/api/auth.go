package api

import (
	"context"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/oidc-registrar/internal/register"
)

// The roles. A partner's caller manages the clients of the partners that its token
// names; an admin manages all and the catalogue.
const (
	authPartner  = "AUTH_PARTNER"
	partnerAdmin = "PARTNER_ADMIN"
)

// Who may call an operation at all.
var (
	open     = web.Access{}
	partners = web.Access{Token: true, Roles: []string{authPartner, partnerAdmin}}
	admins   = web.Access{Token: true, Roles: []string{partnerAdmin}}
)

// The scopes of client management.
const addScope, updateScope, getScope = "add_oidc_client", "update_oidc_client", "get_oidc_client"

// Scopes are all of them.
var Scopes = []string{addScope, updateScope, getScope}

// eitherSide is the access to paths that both sides have in common.
func (a *API) eitherSide() web.Access {
	access := a.scoped(updateScope)
	access.Roles = []string{authPartner, partnerAdmin}
	return access
}

// scoped is the access of the provider door: the scope, or an alias of it.
func (a *API) scoped(scope string) web.Access {
	return web.Access{Token: true, Roles: []string{partnerAdmin}, Scopes: append([]string{scope}, a.ScopeAliases[scope]...)}
}

// callerOf returns who calls. Operations that are open have no caller.
func callerOf(ctx context.Context) register.Caller { return web.CallerOf[register.Caller](ctx) }

// caller makes of a token who calls.
func (a *API) caller(_ huma.Context, token bearer.Token, roles []string) (any, error) {
	by := register.Caller{Subject: token.Subject, Admin: slices.Contains(roles, partnerAdmin), Service: token.Service() != ""}
	by.ProviderSide = slices.Contains(token.Scopes(), updateScope)
	if slices.Contains(roles, authPartner) {
		by.Partners = token.Strings(a.PartnerClaim)
	}
	return by, nil
}

// isService says of what caller returned whether it is a service account.
func isService(by any) bool { return by.(register.Caller).Service }

// maxPartner is how long the rules let an id of a partner be.
const maxPartner = 100

// limitRegistration counts a registration for a partner, which may have so many in a time.
// It does not wait, because the call has a slot. An admin may register as they like. The
// rules refuse an id that is empty or too long.
func (a *API) limitRegistration(by register.Caller, partner string) error {
	if by.Admin || partner == "" || len(partner) > maxPartner {
		return nil
	}
	if _, err := a.registrations.Take(partner, 0); err != nil {
		return a.OverRate(err)
	}
	return nil
}
