package ui

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// users lists the users of --dev. Other ids can be entered.
var users = []signin.User{
	{ID: "mia", Name: "Mia Keller", Email: "mia@example.org", Part: "dev.part.employee"},
	{ID: "tom", Name: "Tom Lindqvist", Email: "tom@example.org", Part: "dev.part.lead"},
	{ID: "ines", Name: "Inès Moreau", Email: "ines@example.org", Part: "dev.part.hr"},
	{ID: "ada", Name: "Ada Osei", Email: "ada@example.org", Roles: []string{string(identity.RoleAdmin)}, Part: "dev.part.admin"},
}

// showSignIn redirects to the issuer. With --dev it shows the users.
func (u *UI) showSignIn(req *page.Request) error {
	if u.devToken == nil {
		return u.SignIn.Start(req.Request.Request)
	}
	return signin.ShowUsers(req.Request.Request, users)
}

// signInAs signs in as a user of the page. It is available only with --dev.
func (u *UI) signInAs(req *page.Request) error {
	if u.devToken == nil {
		return req.Status(http.StatusNotFound, "status.Not Found")
	}
	f := req.R.PostForm
	as, listed := signin.ChosenUser(req.Request.Request, users)
	switch {
	case !listed && identity.CheckUserID(as.ID) != nil:
		signin.RejectUser(req.Request.Request)
		return nil
	case !listed:
		for _, role := range []identity.Role{identity.RoleViewer, identity.RoleAdmin} {
			if slices.Contains(f["role"], string(role)) {
				as.Roles = append(as.Roles, string(role))
			}
		}
	}
	for _, u := range users { // known without a directory, also before they sign in
		by := identity.Actor{User: identity.User{ID: u.ID, Name: u.Name, Email: u.Email}, Kind: identity.ActorUser}
		if err := req.Engine.People.RememberActor(req.R.Context(), by); err != nil {
			return err
		}
	}
	if err := addExamples(req); err != nil {
		return err
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

// examplesText holds two example policies.
//
//go:embed examples.json
var examplesText []byte

// addExamples adds the example policies if there are no policies.
func addExamples(req *page.Request) error {
	ctx := req.R.Context()
	by := req.WithCall(identity.Actor{
		User: identity.User{ID: "ada", Username: "ada"}, Kind: identity.ActorUser, Roles: []identity.Role{identity.RoleAdmin},
	})
	existing, _, err := req.Engine.Policies.ListPolicies(ctx, by, wf.PolicyFilter{}, wf.Page{Limit: 1})
	if err != nil || len(existing) > 0 {
		return err
	}
	var examples map[string]policy.Definition
	if err := json.Unmarshal(examplesText, &examples); err != nil {
		return fmt.Errorf("examples.json: %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(examples)) {
		made, err := req.Engine.Policies.CreatePolicy(ctx, by, key, examples[key])
		if errors.Is(err, reason.PolicyExists) { // created by a concurrent sign-in
			continue
		}
		if err == nil {
			_, err = req.Engine.Policies.ActivateVersion(ctx, by, key, made.Number, "", made.ContentHash)
		}
		if err != nil && !errors.Is(err, reason.Forbidden) { // with four eyes, another user activates them
			return err
		}
	}
	return nil
}
