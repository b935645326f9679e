package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/keycloaktest"
	"github.com/countersign/countersign/services/wf/internal/server"
)

func TestADirectoryThatDoesNotAnswerIsShownToCallers(t *testing.T) {
	realm := keycloaktest.New()
	t.Cleanup(realm.Close)
	realm.AddUser(keycloaktest.User{ID: "ana", Username: "ana.name"})
	for _, role := range []string{"officer", "clerk"} {
		realm.AddRole(role, keycloaktest.Holders{Users: []string{"ana"}})
	}
	w := boot(t, Options{Config: func(c *server.Config) {
		c.KeycloakURL, c.KeycloakClientSecret = realm.URL+"/realms/"+realm.Realm, daemon.Secret(realm.ClientSecret)
	}})
	const byRole = `{"key":"r","name":"By role","approvers":[{"type":"role","role":"officer"}]}`
	w.policy("first", "", byRole)
	w.policy("next", "", anyApproves, byRole)
	w.policy("strict", `{"membership_recheck":"strict"}`, strings.Replace(byRole, "officer", "clerk", 1)) // no answer of which is cached
	strict := "/v1/wf/tasks/" + task(t, w.request("strict", ""), "ana")
	realm.SetHook(func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusForbidden); return true })
	for path, body := range map[string]string{
		"/v1/wf/requests": `{"policy_key":"first"}`,
		"/v1/wf/policies/first/versions/1/simulate": `{"context":{}}`,
	} {
		reply := w.root.Post(path, body)
		reply.Refused(503, "WF-007")
		same(t, "Retry-After of "+path, reply.Header.Get("Retry-After"), "5")
	}
	w.ana.Post(strict+"/claim", nil).Refused(503, "WF-007")
	w.root.Post(strict+"/reassign", `{"new_assignee":"bo"}`).Refused(503, "WF-007")
	decided := w.ana.Post("/v1/wf/tasks/"+task(t, w.request("next", ""), "ana")+"/decision", `{"action":"approve"}`).Want(200)
	same(t, "stage", decided.Response("request", "stages", 1, "status"), "resolving")
	same(t, "the next try", decided.Response("request", "stages", 1, "retry_at"), "2026-03-01T12:00:05.000Z")
	same(t, "why", decided.Response("request", "stages", 1, "last_error"), "approver rule 0: role officer: no answer from upstream")
}
