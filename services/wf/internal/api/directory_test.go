package api_test

import (
	"net/http"
	"testing"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/keycloaktest"
	"github.com/countersign/countersign/services/wf/internal/server"
)

func TestDirectoryDataVisibleToCallers(t *testing.T) {
	realm := keycloaktest.New()
	t.Cleanup(realm.Close)
	for _, id := range []string{"ana", "bo", "rita"} {
		realm.AddUser(keycloaktest.User{ID: id, Username: id + ".name"})
	}
	realm.AddRole("officer", keycloaktest.Holders{Users: []string{"ana"}})
	w := boot(t, Options{Config: func(c *server.Config) {
		c.KeycloakURL, c.KeycloakClientSecret = realm.URL+"/realms/"+realm.Realm, daemon.Secret(realm.ClientSecret)
	}})
	const byRole = `{"key":"r","name":"By role","approvers":[{"type":"role","role":"officer"}]}`
	w.policy("first", "", byRole)
	w.policy("next", "", anyApproves, byRole)
	w.policy("strict", `{"membership_recheck":"strict"}`, byRole)
	w.root.Post("/v1/wf/policies", definition("bad", "", `{"key":"r","name":"By role","approvers":[{"type":"role"}]}`)).Want(422)
	w.root.Post("/v1/wf/policies", definition("bad", "", `{"key":"r","name":"R","approvers":[{"type":"http","resolver":"r"}]}`)).Want(422)

	realm.SetHook(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusForbidden); return true })
	for path, body := range map[string]string{
		"/v1/wf/requests": `{"policy_key":"first"}`,
		"/v1/wf/policies/first/versions/1/simulate": `{"context":{}}`,
	} {
		reply := w.root.Post(path, body)
		reply.Refused(503, "WF-007")
		same(t, "Retry-After of "+path, reply.Header.Get("Retry-After"), "5")
	}
	next := w.request("next", "")
	decided := w.ana.Post("/v1/wf/tasks/"+task(t, next, "ana")+"/decision", `{"action":"approve"}`).Want(200)
	same(t, "current stages", decided.Response("request", "current_stages"), `["r"]`)
	same(t, "stage", decided.Response("request", "stages", 1, "status"), "resolving")
	same(t, "the next try", decided.Response("request", "stages", 1, "retry_at"), "2026-03-01T12:00:05.000Z")
	same(t, "why", decided.Response("request", "stages", 1, "last_error"), "approver rule 0: role officer: no answer from upstream")

	realm.SetHook(nil)
	strict := task(t, w.request("strict", ""), "ana")
	w.ana.Post("/v1/wf/tasks/"+strict+"/reassign", `{"new_assignee":"stan"}`).Refused(409, "WF-007")
	realm.SetHook(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusForbidden); return true })
	w.ana.Post("/v1/wf/tasks/"+strict+"/claim", nil).Refused(503, "WF-007")
	w.root.Post("/v1/wf/tasks/"+strict+"/reassign", `{"new_assignee":"bo"}`).Refused(503, "WF-007")
	w.eve.Post("/v1/wf/delegations", `{"delegate_to":"bo","ends_at":"2026-03-02T12:00:00Z"}`).Want(201)
	realm.SetHook(nil)
	w.ana.Post("/v1/wf/tasks/"+strict+"/claim", nil).Want(200)
}
