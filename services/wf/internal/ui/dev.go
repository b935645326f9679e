package ui

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	{ID: "ada", Name: "Ada Osei", Email: "ada@example.org", Roles: []string{string(identity.RoleAdmin)},
		Part: "dev.part.admin"},
}

// enteredUser gives an entered user the chosen roles.
func enteredUser(req *page.Request, as *signin.User) bool {
	for _, role := range []identity.Role{identity.RoleViewer, identity.RoleAdmin} {
		if slices.Contains(req.R.PostForm["role"], string(role)) {
			as.Roles = append(as.Roles, string(role))
		}
	}
	return identity.CheckUserID(as.ID) == nil
}

// prepareUsers makes the listed users known, also without a directory and before they sign in, and adds the examples.
func prepareUsers(req *page.Request) error {
	for _, u := range users {
		by := identity.Actor{User: identity.User{ID: u.ID, Name: u.Name, Email: u.Email}, Kind: identity.ActorUser}
		if err := req.Engine.People.RememberActor(req.R.Context(), by); err != nil {
			return err
		}
	}
	return addExamples(req)
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
