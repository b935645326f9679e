package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/identity"
)

// Every user in every reply has the name that a token has shown.
func TestEveryReplyHasTheNamesOfPeople(t *testing.T) {
	w := boot(t, Options{})
	ids := []string{"u-root", "u-vic", "u-rita", "u-ana", "u-bo", "u-dan"}
	clients := map[string]*Client{}
	for _, id := range ids {
		var roles []identity.Role
		if id == "u-root" {
			roles = []identity.Role{identity.RoleAdmin}
		}
		w.ClientWith(t, id, map[string]any{"name": "The " + id}).Get("/v1/wf/me").Want(200)
		clients[id] = w.Client(t, id, roles...) // without a name
	}
	w.root, w.rita, w.ana, w.bo = clients["u-root"], clients["u-rita"], clients["u-ana"], clients["u-bo"]
	var found int
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case []any:
			for i, item := range v {
				walk(fmt.Sprint(path, "/", i), item)
			}
		case map[string]any:
			if id, _ := v["id"].(string); slices.Contains(ids, id) {
				if found++; v["name"] != "The "+id {
					t.Errorf("%s: %v", path, v)
				}
			}
			for name, member := range v {
				walk(path+"/"+name, member)
			}
		}
	}
	named := func(least int, reply Reply) Reply {
		t.Helper()
		var body any
		must(t, json.Unmarshal(reply.Body, &body))
		found = 0
		if walk(reply.Call, body); found < least {
			t.Errorf("%s shows %d users: %s", reply.Call, found, reply.Body)
		}
		return reply
	}
	const rule = `"approvers":[{"type":"user","ids":["u-ana","u-bo"]}],"observers":[{"type":"user","ids":["u-dan"]}],"allow":{"reassign":"any"}`
	named(2, w.root.Post("/v1/wf/policies", definition("p", `{"exclude":[{"type":"user","ids":["u-rita"]}]}`,
		`{"key":"s","name":"S",`+rule+`}`)).Want(201))
	named(3, w.root.Post("/v1/wf/policies/p/versions/1/activate", nil).Want(200))
	named(3, w.root.Post("/v1/wf/policies/p/versions/1/simulate", `{"requester":"u-rita"}`).Want(200))
	named(2, w.rita.Post("/v1/wf/policies/p/preview", `{}`).Want(200))
	request := named(6, w.rita.Post("/v1/wf/requests", `{"policy_key":"p"}`).Want(201))
	id, ana, bo := request.Response("id"), task(t, request, "u-ana"), task(t, request, "u-bo")
	named(3, w.ana.Post("/v1/wf/tasks/"+ana+"/claim", nil).Want(200))
	named(8, w.ana.Post("/v1/wf/tasks/"+ana+"/decision", `{"action":"approve"}`).Want(200))
	named(2, w.rita.Post(requestsPath+id+"/comments", `{"text":"hello","mentions":["u-ana"]}`).Want(200))
	named(3, w.bo.Post("/v1/wf/tasks/"+bo+"/reassign", `{"new_assignee":"u-dan"}`).Want(200))
	named(3, w.bo.Post("/v1/wf/delegations", fmt.Sprintf(`{"delegate_to":"u-dan","ends_at":%q}`, stamp(Start.Add(time.Hour)))).Want(201))
	for path, least := range map[string]int{
		requestsPath + id: 6, requestsPath + id + "/events": 10, requestsPath + id + "/comments": 2, "/v1/wf/requests": 2, "/v1/wf/tasks": 6,
		"/v1/wf/tasks/" + ana: 4, "/v1/wf/delegations": 3, auditPath: 4, "/v1/wf/policies": 3, "/v1/wf/policies/p": 3, "/v1/wf/policies/p/versions": 3,
	} {
		named(least, w.root.Get(path).Want(200))
	}
}
