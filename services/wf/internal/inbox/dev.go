package inbox

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Person is a user of the sign-in page of --dev.
type Person struct {
	ID, Name, Email string
	Roles           []string
	Part            string // purpose, as a key of the catalogue
}

// people lists the users of --dev. Other ids can be entered.
var people = []Person{
	{ID: "mia", Name: "Mia Keller", Email: "mia@example.org", Part: "dev.part.employee"},
	{ID: "tom", Name: "Tom Lindqvist", Email: "tom@example.org", Part: "dev.part.lead"},
	{ID: "ines", Name: "Inès Moreau", Email: "ines@example.org", Part: "dev.part.hr"},
	{ID: "ada", Name: "Ada Osei", Email: "ada@example.org", Roles: []string{string(identity.RoleAdmin)}, Part: "dev.part.admin"},
}

// devNames maps the ids of these users to their names, since development has no directory.
var devNames = func() map[string]string {
	names := map[string]string{}
	for _, p := range people {
		names[p.ID] = p.Name
	}
	return names
}()

type devPage struct {
	People []Person
	To     string
	Bad    bool
}

// showPeople shows the sign-in page of --dev.
func (v *visit) showPeople(status int, to string) error {
	return v.show(status, "people", v.T("dev.title"), devPage{people, to, status != http.StatusOK})
}

// signInAs signs in as a user of the page. It is available only with --dev.
func (v *visit) signInAs() error {
	if v.Dev == nil {
		return v.Status(http.StatusNotFound, "status.Not Found")
	}
	f, to := v.R.PostForm, v.Local(v.R.PostForm.Get("to"))
	who := Person{ID: f.Get("id")}
	if at := slices.IndexFunc(people, func(p Person) bool { return p.ID == f.Get("person") }); at >= 0 {
		who = people[at]
	} else if identity.CheckUserID(who.ID) != nil {
		return v.showPeople(http.StatusUnprocessableEntity, to)
	} else {
		for _, role := range []identity.Role{identity.RoleViewer, identity.RoleAdmin} {
			if slices.Contains(f["role"], string(role)) {
				who.Roles = append(who.Roles, string(role))
			}
		}
		who.Name = devNames[who.ID]
	}
	if err := v.addExamples(); err != nil {
		return err
	}
	access, err := v.Dev(who)
	if err != nil {
		return err
	}
	if err := v.begin(signedInto{Tokens: engine.Tokens{Access: access}}); err != nil {
		return err
	}
	v.Redirect(to)
	return nil
}

// examples holds two example policies.
//
//go:embed examples.json
var examplesText []byte

// addExamples adds the example policies if there are no policies.
func (v *visit) addExamples() error {
	ctx := v.R.Context()
	there, _, err := v.engine.Policies(ctx, wf.PolicyFilter{}, wf.Page{Limit: 1})
	if err != nil || len(there) > 0 {
		return err
	}
	var examples map[string]policy.Definition
	if err := json.Unmarshal(examplesText, &examples); err != nil {
		return fmt.Errorf("examples.json: %w", err)
	}
	by := v.actor(identity.Actor{User: identity.User{ID: "ada", Username: "ada"}, Kind: identity.ActorUser, Roles: []identity.Role{identity.RoleAdmin}})
	for _, key := range slices.Sorted(maps.Keys(examples)) {
		made, err := v.engine.CreatePolicy(ctx, by, key, examples[key])
		if errors.Is(err, reason.PolicyExists) { // created by a concurrent sign-in
			continue
		}
		if err == nil {
			_, err = v.engine.ActivateVersion(ctx, by, key, made.Number)
		}
		if err != nil && !errors.Is(err, reason.Forbidden) { // with four eyes, another user activates them
			return err
		}
	}
	return nil
}
