package api_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestADelegationGoesThroughItsStates(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	request := w.request("p", "")
	taskPath := "/v1/wf/tasks/" + task(t, request, "ana")
	created := w.ana.Post("/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-05T00:00:00Z","reason":"holiday"}`).Want(201)
	path := created.Header.Get("Location")
	same(t, "Location", path, "/v1/wf/delegations/"+created.Response("id"))
	for member, want := range map[string]string{
		"status": "active", "starts_at": "2026-03-01T12:00:00.000Z", "ends_at": "2026-03-05T00:00:00.000Z", "reason": "holiday",
		"warnings": "[]", "scope": "{}",
	} {
		same(t, member, created.Response(member), want)
	}
	dan := w.Client(t, "dan")
	shown := dan.Get(taskPath).Want(200)
	same(t, "the task of ana", shown.Response("assignee", "id")+" "+shown.Response("on_behalf_of", "id")+" "+
		shown.Response("allowed_actions"), `ana ana ["claim","decide"]`)
	same(t, "to ana", w.ana.Get(taskPath).Want(200).Response("on_behalf_of"), "")
	same(t, "in the inbox of dan", dan.Get("/v1/wf/tasks?inbox=me").Want(200).Response("items", 0, "on_behalf_of", "id"), "ana")
	same(t, "tasks of dan", dan.Get("/v1/wf/me").Want(200).Response("tasks"), `{"candidate":0,"claimed":0,"delegated":1,"open":0}`)
	dan.Post(taskPath+"/claim", `{"on_behalf_of":"bo"}`).Refused(403, "WF-008")
	claimed := dan.Post(taskPath+"/claim", `{"on_behalf_of":"ana"}`).Want(200)
	same(t, "claimed", claimed.Response("assignee", "id")+" "+claimed.Response("claimed_by", "id"), "ana dan")
	same(t, "claimed, to ana", w.ana.Get(taskPath).Want(200).Response("claimed_by", "id"), "dan")

	for _, c := range []*Client{w.ana, dan, w.vic, w.root} {
		same(t, "status", c.Get(path).Want(200).Response("status"), "active")
	}
	w.eve.Get(path).Refused(403, "WF-008")
	w.eve.Delete(path).Refused(403, "WF-008")
	dan.Delete(path).Refused(403, "WF-008")
	revoked := w.ana.Delete(path).Want(200)
	same(t, "status", revoked.Response("status"), "revoked")
	same(t, "revoked_by", revoked.Response("revoked_by", "id"), "ana")
	dan.Get(taskPath).Refused(403, "WF-008")
	same(t, "the claim", w.ana.Get(taskPath).Want(200).Response("claimed_by", "id"), "ana")
	w.ana.Delete(path).Refused(404, "WF-004")
	same(t, "read", w.ana.Get(path).Want(200).Response("status"), "revoked")
}

func TestADelegationThatCannotBeIsRefused(t *testing.T) {
	w := boot(t, Options{})
	before := w.Rows(t)
	for _, row := range []struct{ name, body, detail string }{
		{"to an unknown user", `{"delegate_to":"Inès","ends_at":"2026-03-05T00:00:00Z"}`, "value_error body.delegate_to"},
		{"that ends before it starts",
			`{"delegate_to":"dan","starts_at":"2026-03-05T00:00:00Z","ends_at":"2026-03-04T00:00:00Z"}`,
			"value_error body.ends_at"},
		{"to the year 10000", `{"delegate_to":"dan","starts_at":"9999-12-31T00:00:00Z","ends_at":"9999-12-31T23:59:59-00:01"}`, "value_error body.ends_at"},
		{"for policies that are no pattern",
			`{"delegate_to":"dan","ends_at":"2026-03-05T00:00:00Z","scope":{"policy_keys":["a*b"]}}`,
			"value_error body.scope.policy_keys.0"},
		{"with a mode", `{"delegate_to":"dan","ends_at":"2026-03-05T00:00:00Z","mode":"share"}`, "extra_forbidden body.mode"},
	} {
		t.Run(row.name, func(t *testing.T) {
			same(t, "details", strings.Join(details(people(t, w.Service).ana.Post("/v1/wf/delegations", row.body).Want(422)), ","), row.detail)
		})
	}
	w.ana.Post("/v1/wf/delegations", `{"user_id":"bo","delegate_to":"dan","ends_at":"2026-03-05T00:00:00Z"}`).Refused(403, "WF-008")
	unchanged(t, w, before)
	w.root.Post("/v1/wf/delegations", `{"user_id":"bo","delegate_to":"dan","ends_at":"2026-03-05T00:00:00Z"}`).Want(201)
	w.ana.Post("/v1/wf/delegations", `{"user_id":"ana","delegate_to":"dan","ends_at":"2027-03-02T12:00:00Z"}`).Want(201) // 366 days
	warned := w.root.Post("/v1/wf/delegations", `{"user_id":"eve","delegate_to":"Inès","ends_at":"2026-03-05T00:00:00Z"}`).Want(201)
	same(t, "warnings", warned.Response("warnings"), `["Inès is unknown: must be a user who has signed in or acted, unless WF_ADMIN names them"]`)
}

func TestTimesHaveTheirForm(t *testing.T) {
	w := boot(t, Options{})
	for _, value := range []string{
		`"2027-02-30T00:00:00Z"`, `"2027-02-01T00:00:00"`, `"10000-01-01T00:00:00Z"`, `"2026-12-31T23:59:60Z"`,
		`"2026-05-01T00:00:00+25:00"`, `1800000000`, `""`, `"tomorrow"`,
	} {
		found := details(w.ana.Post("/v1/wf/delegations", fmt.Sprintf(`{"delegate_to":"dan","ends_at":%s}`, value)).Want(422))
		if len(found) != 1 || !strings.HasSuffix(found[0], " body.ends_at") {
			t.Errorf("%s: %v", value, found)
		}
		if strings.HasPrefix(value, `"`) && value != `""` {
			text := strings.ReplaceAll(strings.Trim(value, `"`), "+", "%2B")
			found = details(w.rita.Get("/v1/wf/requests?created_after=" + text).Want(422))
			same(t, text, strings.Join(found, ","), "datetime_parsing query.created_after")
		}
	}
	shifted := w.ana.Post("/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-05T01:30:00.1239+01:30"}`).Want(201)
	same(t, "ends_at", shifted.Response("ends_at"), "2026-03-05T00:00:00.123Z")
}
