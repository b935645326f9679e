package api_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/internal/server"
)

const owned = `{"owners":{"users":["olga"],"roles":["payments"]},"single_use":true,"redact":["/secret"]}`

// ownerStage is decided by ana and bo and has a due date.
const ownerStage = `{"key":"s","name":"S","approvers":[{"type":"user","ids":["ana","bo"]}],"deadline":{"due_in":"PT2H"}}`

// Owners change their policies except their owners. Ownership is checked in place of the role.
func TestOwnersChangeTheirPolicies(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", owned, ownerStage)
	w.policy("q", `{"owners":{"users":["otto"]}}`, ownerStage)
	const versions = "/v1/wf/policies/p/versions"
	olga, otto := w.Client(t, "olga"), w.Client(t, "otto")
	team := w.Client(t, "ci", "payments")
	other := `{"owners":{"users":["olga","eve"]}}`

	olga.Put("/v1/wf/policies/p", definition("p", owned, ownerStage)).Want(201)
	team.Put("/v1/wf/policies/p?unless_unchanged=true", definition("p", owned, ownerStage)).Want(200)
	olga.Put("/v1/wf/policies/p", definition("p", other, ownerStage)).Refused(403, "WF-008")
	olga.Put("/v1/wf/policies/p", definition("p", "", ownerStage)).Refused(403, "WF-008")
	otto.Put("/v1/wf/policies/p", definition("p", owned, ownerStage)).Refused(403, "WF-008")
	w.eve.Put("/v1/wf/policies/p", "{").Refused(403, "WF-008")
	w.vic.Put("/v1/wf/policies/p", definition("p", owned, ownerStage)).Refused(403, "WF-008")
	olga.Put("/v1/wf/policies/p", "{").Refused(422, "")
	olga.Put("/v1/wf/policies/unknown", definition("unknown", owned, ownerStage)).Refused(403, "WF-008")
	olga.Post("/v1/wf/policies", definition("r", owned, ownerStage)).Refused(403, "WF-008")

	olga.Patch(versions+"/2", `{"name":"Other"}`).Want(200)
	olga.Patch(versions+"/2", `{"settings":{"owners":{"users":["olga","eve"]}}}`).Refused(403, "WF-008")
	olga.Patch(versions+"/2", `{"settings":{"owners":null}}`).Refused(403, "WF-008")
	olga.Patch(versions+"/2", `{"policy_key":"q"}`).Refused(400, "WF-010")
	otto.Patch(versions+"/2", `{"name":"Other"}`).Refused(403, "WF-008")

	for _, path := range []string{"", "/versions", "/versions/2", "/versions/2/diff?against=1"} {
		olga.Get("/v1/wf/policies/p" + path).Want(200)
		team.Get("/v1/wf/policies/p" + path).Want(200)
		otto.Get("/v1/wf/policies/p"+path).Refused(403, "WF-008")
		w.vic.Get("/v1/wf/policies/p" + path).Want(200)
		olga.Get("/v1/wf/policies/unknown"+path).Refused(403, "WF-008")
		w.vic.Get("/v1/wf/policies/unknown"+path).Refused(404, "WF-001")
	}
	same(t, "policies of olga", fmt.Sprint(olga.Get("/v1/wf/policies").Want(200).Items("policy_key")), "[p]")
	w.eve.Get("/v1/wf/policies").Refused(403, "WF-008")
	w.eve.Post(versions+"/2/simulate", "{}").Refused(403, "WF-008")
	olga.Post(versions+"/2/simulate", "{}").Want(200)

	olga.Post(versions+"/2/activate", nil).Want(200)
	olga.Post(versions+"/2/deactivate", nil).Want(200)
	otto.Post(versions+"/2/activate", nil).Refused(403, "WF-008")
	w.root.Put("/v1/wf/policies/p", definition("p", owned, ownerStage)).Want(201)
	otto.Delete(versions+"/3").Refused(403, "WF-008")
	olga.Delete(versions + "/3").Want(200)
	olga.Get(versions+"/3").Refused(404, "WF-001")

	twice := `{"owners":{"users":["olga","olga"],"roles":["a"]}}` // a duplicate is accepted
	w.root.Post("/v1/wf/policies", definition("twice", twice, ownerStage)).Want(201)
	olga.Get("/v1/wf/policies/twice").Want(200)
}

// The owners are those of the active version, else of the latest. An owner starts no version with others.
func TestOwnersAreThoseOfTheActiveVersion(t *testing.T) {
	w := boot(t, Options{})
	const versions = "/v1/wf/policies/p/versions"
	olga, otto := w.Client(t, "olga"), w.Client(t, "otto")
	by := func(user string) string {
		return definition("p", fmt.Sprintf(`{"owners":{"users":[%q]}}`, user), ownerStage)
	}
	w.root.Post("/v1/wf/policies", by("olga")).Want(201)
	olga.Put("/v1/wf/policies/p", by("olga")).Want(201)
	w.root.Post(versions+"/1/activate", nil).Want(200)
	w.root.Put("/v1/wf/policies/p", by("otto")).Want(201) // version 3, a draft
	otto.Get("/v1/wf/policies/p").Refused(403, "WF-008")
	olga.Get("/v1/wf/policies/p").Want(200)
	olga.Patch(versions+"/3", `{"name":"Other"}`).Want(200)
	olga.Post(versions+"/3/activate", nil).Refused(403, "WF-008")
	olga.Post(versions+"/1/deactivate", nil).Refused(403, "WF-008") // otto would own it
	olga.Post(versions+"/2/activate", nil).Want(200)
	w.root.Post(versions+"/2/deactivate", nil).Want(200)
	olga.Get("/v1/wf/policies/p").Refused(403, "WF-008")
	otto.Delete(versions+"/3").Refused(403, "WF-008") // olga would own it
	otto.Post(versions+"/3/activate", nil).Want(200)
	otto.Post(versions+"/1/activate", nil).Refused(403, "WF-008")
	w.root.Post(versions+"/1/activate", nil).Want(200)
	otto.Get("/v1/wf/policies/p").Refused(403, "WF-008")
	olga.Get("/v1/wf/policies/p").Want(200)
}

func TestFourEyesApplyToOwners(t *testing.T) {
	w := boot(t, Options{Config: func(c *server.Config) { c.FourEyes = true }})
	olga, team := w.Client(t, "olga"), w.Client(t, "ci", "payments")
	w.root.Post("/v1/wf/policies", definition("p", owned, ownerStage)).Want(201)
	seen := olga.Put("/v1/wf/policies/p", definition("p", owned, ownerStage, byRule("t", anaAndBo, ""))).Want(201).Response("etag")
	olga.Do("POST", "/v1/wf/policies/p/versions/2/activate", nil, "If-Match", seen).Refused(403, "WF-008")
	team.Do("POST", "/v1/wf/policies/p/versions/2/activate", nil, "If-Match", seen).Want(200)
}

// Owners read the requests of their policies, also in lists, move dates, revoke and re-evaluate.
func TestOwnersManageRequests(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", owned, ownerStage)
	w.policy("q", `{"owners":{"users":["otto"]}}`, ownerStage)
	olga, otto, team := w.Client(t, "olga"), w.Client(t, "otto"), w.Client(t, "ci", "payments")
	mine := olga.Post("/v1/wf/requests", `{"policy_key":"q"}`).Want(201).Response("id") // olga is a participant
	var ids []string
	for range 3 {
		ids = append(ids, w.request("p", `"context":{"secret":1}`).Response("id"))
	}
	id := ids[0]
	path := "/v1/wf/requests/" + id
	for _, c := range []*Client{olga, team, w.root} {
		same(t, "secret", c.Get(path).Want(200).Response("context", "secret"), "1")
	}
	otto.Get(path).Refused(403, "WF-008")
	for _, sub := range []string{"/events", "/comments", "/revisions/1"} {
		olga.Get(path + sub).Want(200)
		otto.Get(path+sub).Refused(403, "WF-008")
	}
	olga.Get("/v1/wf/requests/"+unknownID).Refused(403, "WF-008")
	olga.Post(path+"/comments", `{"text":"x"}`).Refused(403, "WF-008") // for participants
	olga.Post(path+"/cancel", nil).Refused(403, "WF-008")
	olga.Post(path+"/consume", fmt.Sprintf(`{"context_hash":%q}`, olga.Get(path).Response("context_hash"))).Refused(403, "WF-008")

	for query, want := range map[string][]string{
		"":                {ids[2], ids[1], ids[0], mine},
		"?sort=due_at":    {mine, ids[0], ids[1], ids[2]},
		"?policy_key=p":   {ids[2], ids[1], ids[0]},
		"?policy_key=q":   {mine},
		"?requester=me":   {mine},
		"?participant=me": {mine},
		"?requester=rita": {ids[2], ids[1], ids[0]},
	} {
		if got := olga.Get("/v1/wf/requests" + query).Want(200).Items("id"); !slices.Equal(got, want) {
			t.Errorf("requests%s: %v, want %v", query, got, want)
		}
	}
	same(t, "team", fmt.Sprint(team.Get("/v1/wf/requests").Want(200).Items("id")), fmt.Sprint([]string{ids[2], ids[1], ids[0]}))
	same(t, "eve", fmt.Sprint(w.eve.Get("/v1/wf/requests").Want(200).Items("id")), "[]")

	due := fmt.Sprintf(`{"due_at":%q,"reason":"holiday"}`, w.Clock.Now().Add(3*time.Hour).UTC().Format(time.RFC3339))
	olga.Patch(path+"/stages/s", due).Want(200)
	otto.Patch(path+"/stages/s", due).Refused(403, "WF-008")
	otto.Patch(path+"/stages/s", "{").Refused(403, "WF-008")
	olga.Patch("/v1/wf/requests/"+unknownID+"/stages/s", due).Refused(403, "WF-008")
	w.ana.Patch(path+"/stages/s", due).Refused(403, "WF-008")
	olga.Post("/v1/wf/admin/requests/"+id+"/reevaluate", nil).Refused(409, "WF-007") // nothing is resolving
	otto.Post("/v1/wf/admin/requests/"+id+"/reevaluate", nil).Refused(403, "WF-008")
	olga.Post("/v1/wf/admin/requests/"+unknownID+"/reevaluate", nil).Refused(403, "WF-008")

	approved := w.approved(t, "p")
	same(t, "actions", olga.Get("/v1/wf/requests/"+approved).Want(200).Response("allowed_actions"), `["revoke"]`)
	otto.Post("/v1/wf/requests/"+approved+"/revoke", `{"reason":"x"}`).Refused(403, "WF-008")
	same(t, "revoked", olga.Post("/v1/wf/requests/"+approved+"/revoke", `{"reason":"x"}`).Want(200).Response("standing"), "revoked")

	const simulate = "/v1/wf/policies/p/versions/1/simulate"
	olga.Post(simulate, fmt.Sprintf(`{"from_request_id":%q}`, id)).Want(200)
	olga.Post(simulate, fmt.Sprintf(`{"from_request_id":%q}`, mine)).Refused(403, "WF-008")
	w.policy("another", owned, ownerStage)
	another := w.request("another", "").Response("id")
	olga.Post(simulate, fmt.Sprintf(`{"from_request_id":%q}`, another)).Refused(403, "WF-008")
	w.vic.Post(simulate, fmt.Sprintf(`{"from_request_id":%q}`, id)).Refused(403, "WF-008")
}
