package api_test

import (
	"strings"
	"testing"
)

func TestAnObserverReadsAndCommentsAndHasNothingToDecide(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", `{"key":"s","name":"Stage","approvers":[{"type":"user","ids":["ana","bo"]}],"observers":[{"type":"user","ids":["eve"]}]}`)
	request := w.request("p", "")
	path := "/v1/wf/requests/" + request.Response("id")
	read := w.eve.Get(path).Want(200)
	same(t, "observers", read.Response("stages", 0, "observers"), `[{"id":"eve"}]`)
	same(t, "approvals needed", read.Response("stages", 0, "quorum", "need"), "2")
	same(t, "what eve sees in lists", strings.Join(w.eve.Get("/v1/wf/requests?participant=me").Want(200).Items("id"), ","), request.Response("id"))
	same(t, "tasks of eve", strings.Join(w.eve.Get("/v1/wf/tasks?inbox=me").Want(200).Items("id"), ","), "")
	w.eve.Post(path+"/comments", `{"text":"Seen","mentions":["ana"]}`).Want(200)
	w.ana.Post(path+"/comments", `{"text":"Good","mentions":["eve"]}`).Want(200)
	for _, who := range []string{"ana", "bo"} {
		w.eve.Post("/v1/wf/tasks/"+task(t, request, who)+"/decision", `{"action":"approve"}`).Refused(403, "WF-008")
	}
	w.eve.Post(path+"/cancel", nil).Refused(403, "WF-008")
	for name, by := range map[string]*Client{"ana": w.ana, "bo": w.bo} {
		by.Post("/v1/wf/tasks/"+task(t, request, name)+"/decision", `{"action":"approve"}`).Want(200)
	}
	same(t, "status", w.eve.Get(path).Response("status"), "approved")
	w.root.Post("/v1/wf/policies",
		`{"policy_key":"q","name":"Q","stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["ana"]}],"observers":[{"type":"user","ids":["eve"],"required":true}]}]}`).Want(422)
}
