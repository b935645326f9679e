package api_test

import "testing"

func TestEarlierContentOfARequestCanBeRead(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	request := w.request("p", `"context":{"amount":12.50,"to":"a"}`)
	path := "/v1/wf/requests/" + request.Response("id")
	w.ana.Post("/v1/wf/tasks/"+task(t, request, "ana")+"/decision", `{"action":"request_changes","comment":"less"}`).Want(200)
	w.rita.Post(path+"/resubmit", `{"context":{"amount":11,"to":"a"}}`).Want(200)

	for _, reader := range []*Client{w.rita, w.bo, w.vic, w.root} {
		first := reader.Get(path + "/revisions/1").Want(200)
		same(t, "content", first.Response("context"), `{"amount":12.5,"to":"a"}`)
		same(t, "hash", first.Response("context_hash"), request.Response("context_hash"))
		same(t, "ended", first.Response("ended_at"), w.rita.Get(path).Response("updated_at"))
		same(t, "now", reader.Get(path+"/revisions/2").Want(200).Response("context")+reader.Get(path+
			"/revisions/2").Response("ended_at"), `{"amount":11,"to":"a"}`)
	}
	w.eve.Get(path+"/revisions/1").Refused(403, "WF-008")
	for _, number := range []string{"0", "3", "-1", "01", "x", "99999999999999999999"} {
		w.rita.Get(path+"/revisions/"+number).Refused(404, "WF-003")
	}
	w.vic.Get("/v1/wf/requests/"+unknownID+"/revisions/1").Refused(404, "WF-003")
	w.vic.Get("/v1/wf/requests/"+noID+"/revisions/1").Refused(404, "WF-003")
}
