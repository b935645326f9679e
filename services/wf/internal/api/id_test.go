package api_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheCaseOfAnIdMeansNothing(t *testing.T) { // RFC 9562, section 4
	w := boot(t, Options{Events: cancellations})
	w.policy("p", "", bothApprove)
	request := w.request("p", "")
	id, mine := request.Response("id"), task(t, request, "ana")
	delegation := w.eve.Post("/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-05T00:00:00Z"}`).Want(201).Response("id")
	delivery := strings.TrimPrefix(cancelled(t, w), "/v1/wf/admin/deliveries/")
	endpoint := w.root.Get(endpoints).Want(200).Items("id")[0]
	reads := 0
	for _, op := range w.Operations() {
		// A receipt is signed anew at each read.
		if op.Method != "GET" || !strings.Contains(op.Path, "{id}") || op.ID == "getReceipt" {
			continue
		}
		reads++
		for noun, id := range map[string]string{"requests": id, "tasks": mine, "delegations": delegation, "deliveries": delivery, "webhooks": endpoint} {
			if !strings.Contains(op.Path, "/"+noun+"/") {
				continue
			}
			read := func(id string) string {
				return w.root.Get(strings.NewReplacer("{id}", id, "{n}", "1").Replace(op.Path)).Want(200).Text("response")
			}
			if read(id) == "" {
				t.Errorf("%s reads nothing", op.ID)
			}
			same(t, op.ID, read(strings.ToUpper(id)), read(id))
		}
	}
	same(t, "reads", reads, 8)

	for _, spelled := range []string{strings.ToUpper(id), "urn:uuid:" + id} {
		same(t, "tasks of "+spelled, len(w.root.Get("/v1/wf/tasks?request_id="+spelled).Want(200).Items("id")), 2)
	}
	same(t, "tasks of nothing", len(w.root.Get("/v1/wf/tasks?request_id="+strings.ToUpper(unknownID)).Want(200).Items("id")), 0)
	of := w.root.Get("/v1/wf/admin/deliveries/" + delivery).Want(200).Response("request_id")
	same(t, "deliveries", len(w.root.Get("/v1/wf/admin/deliveries?request_id="+strings.ToUpper(of)).Want(200).Items("id")), 1)
	w.root.Post("/v1/wf/policies/p/versions/1/simulate", fmt.Sprintf(`{"from_request_id":%q}`, strings.ToUpper(id))).Want(200)

	path := "/v1/wf/tasks/" + strings.ToUpper(mine)
	w.ana.Post(path+"/claim", nil).Want(200)
	w.ana.Post(path+"/unclaim", nil).Want(200)
	decided := w.ana.Post(path+"/decision", `{"action":"approve"}`, header, "k").Want(200)
	replays(t, decided, w.ana.Post("/v1/wf/tasks/"+mine+"/decision", `{"action":"approve"}`, header, "k"))
	w.rita.Post("/v1/wf/requests/"+strings.ToUpper(id)+"/cancel", nil).Want(200)
	w.eve.Delete("/v1/wf/delegations/" + strings.ToUpper(delegation)).Want(200)
	w.root.Post(endpoints+"/"+strings.ToUpper(endpoint)+"/test", nil).Want(200)
}

func TestAnUnknownIdIsNamedWithItsNoun(t *testing.T) {
	w := boot(t, Options{})
	long := strings.Repeat("x", 100)
	for path, want := range map[string]string{
		"/v1/wf/requests/5f":              `no request "5f"`,
		"/v1/wf/requests/" + unknownID:    "no request " + unknownID,
		"/v1/wf/tasks/5f":                 `no task "5f"`,
		"/v1/wf/delegations/5f":           `no delegation "5f"`,
		"/v1/wf/admin/deliveries/5f":      `no delivery "5f"`,
		"/v1/wf/admin/webhooks/5f":        `no webhook endpoint "5f"`,
		"/v1/wf/policies/p":               "no policy p",
		"/v1/wf/policies/a%20b":           `no policy "a b"`,
		"/v1/wf/policies/p/versions/zero": `no version "zero" of policy "p"`,
		"/v1/wf/tasks/" + long:            `no task "` + long[:64] + `"`,
	} {
		same(t, path, w.root.Get(path).Text("errors", 0, "message"), want)
	}
}
