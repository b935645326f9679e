package interop

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

func TestKeycloakIsTheDirectoryOfTheRules(t *testing.T) {
	ask(t, "Keycloak", "directory of wf: what its double is asked of roles, groups, managers and names")
	k := theKeycloak(t)
	// The resolver is internal to wf, so its own test runs the query.
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run", "^TestInterop$", "./internal/resolve")
	cmd.Dir = filepath.Join("..", "..", "services", "wf")
	cmd.Env = append(os.Environ(), "KEYCLOAK_URL="+k.url, "KEYCLOAK_REALM="+k.realm)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestWfResolvesApproversFromKeycloak(t *testing.T) {
	ask(t, "Keycloak", "directory of wf: a request goes to the people of a role, and one of them approves")
	k := theKeycloak(t)
	s := startWf(t, k.issuer(), "KEYCLOAK_URL="+k.url+"/realms/"+k.realm, "KEYCLOAK_CLIENT_SECRET=directory-secret")
	root, payments, cy := k.person("root"), k.application("payments", "payments-secret"), k.person("cy")
	s.call(root, "POST", policies, object{"policy_key": "payment", "name": "Payment", "stages": []object{{
		"key": "officers", "name": "Officers", "approvers": []object{{"type": "role", "role": "finance-officer"}}, "quorum": object{"mode": "any"},
	}}}).Is(201)
	s.call(root, "POST", policies+"/payment/versions/1/activate", nil).Is(200)
	var request struct {
		ID    string
		Tasks []struct {
			ID         string
			Candidates []struct{ ID, Username, Name string }
			Assignee   struct{ ID, Username, Name string }
		}
	}
	s.call(payments, "POST", "/v1/wf/requests", object{"policy_key": "payment", "context": object{}}).Is(201).Decode(&request)
	mine := ""
	var people []string
	for _, task := range request.Tasks {
		for _, who := range append(task.Candidates, task.Assignee) {
			if who.Username == "cy" {
				mine = task.ID
			}
			if who.Username != "" {
				people = append(people, who.Username+" "+who.Name)
			}
		}
	}
	slices.Sort(people)
	if want := []string{"ana Ana Lima", "bo Bo Chen", "cy Cy Okoro"}; !slices.Equal(slices.Compact(people), want) {
		t.Errorf("the approvers are %q, want %q", people, want)
	}
	s.call(cy, "POST", "/v1/wf/tasks/"+mine+"/decision", object{"action": "approve"}).Is(200)
	var decided struct{ Status string }
	s.call(payments, "GET", "/v1/wf/requests/"+request.ID, nil).Is(200).Decode(&decided)
	if decided.Status != "approved" {
		t.Errorf("the request is %s", decided.Status)
	}
}
