package ui

import (
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

const (
	partnerRole = "AUTH_PARTNER"
	adminRole   = "PARTNER_ADMIN"

	maxUserID = 255 // bytes of an entered user id
)

// development has the users of --dev.
type development struct{ partnerClaim string }

// users lists the users. The partner is that of the sample catalogue.
func (d development) users() []signin.User {
	return []signin.User{
		{ID: "ada", Name: "Ada Osei", Email: "ada@example.org", Roles: []string{adminRole}, Part: "dev.part.admin"},
		{
			ID: "pia", Name: "Pia Santos", Email: "pia@example.org", Roles: []string{partnerRole},
			Claims: d.partner("demo-partner"),
			Part:   "dev.part.partner",
		},
	}
}

// partner returns the claim of a partner.
func (d development) partner(id string) map[string]any { return map[string]any{d.partnerClaim: id} }

// entered gives an entered user the chosen roles.
func (d development) entered(req *page.Request, as *signin.User) bool {
	f := req.R.PostForm
	if f.Get("admin") != "" {
		as.Roles = append(as.Roles, adminRole)
	}
	if partner := signin.Text(f.Get("partner")); partner != "" {
		as.Roles, as.Claims = append(as.Roles, partnerRole), d.partner(partner)
	}
	return as.ID != "" && len(as.ID) <= maxUserID
}
