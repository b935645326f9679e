package ui

import (
	"net/http"

	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/oidc-registrar/internal/ui/page"
)

const (
	partnerRole = "AUTH_PARTNER"
	adminRole   = "PARTNER_ADMIN"
)

// users lists the users of --dev. The partner is that of the sample catalogue.
func (u *UI) users() []signin.User {
	return []signin.User{
		{ID: "ada", Name: "Ada Osei", Email: "ada@example.org", Roles: []string{adminRole}, Part: "dev.part.admin"},
		{ID: "pia", Name: "Pia Santos", Email: "pia@example.org", Roles: []string{partnerRole}, Claims: u.partner("demo-partner"), Part: "dev.part.partner"},
	}
}

// partner returns the claim of a partner.
func (u *UI) partner(id string) map[string]any { return map[string]any{u.partnerClaim: id} }

// showSignIn redirects to the issuer. With --dev it shows the users.
func (u *UI) showSignIn(req *page.Request) error {
	if u.devToken == nil {
		return u.SignIn.Start(req.Request.Request)
	}
	return signin.ShowUsers(req.Request.Request, u.users())
}

// maxUserID is the maximum length of an entered user id in bytes.
const maxUserID = 255

// signInAs signs in as a user of the page. It is available only with --dev.
func (u *UI) signInAs(req *page.Request) error {
	if u.devToken == nil {
		return req.Status(http.StatusNotFound, "status.Not Found")
	}
	f := req.R.PostForm
	as, listed := signin.ChosenUser(req.Request.Request, u.users())
	if !listed {
		if as.ID == "" || len(as.ID) > maxUserID {
			signin.RejectUser(req.Request.Request)
			return nil
		}
		if f.Get("admin") != "" {
			as.Roles = append(as.Roles, adminRole)
		}
		if partner := signin.Text(f.Get("partner")); partner != "" {
			as.Roles, as.Claims = append(as.Roles, partnerRole), u.partner(partner)
		}
	}
	access, err := u.devToken(as)
	if err != nil {
		return err
	}
	if err := u.SignIn.Begin(req.Request.Request, access); err != nil {
		return err
	}
	req.Redirect(req.LocalPath(f.Get("to")))
	return nil
}
