package api_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/internal/engine"
)

func TestPurgedRequestIsUnknownAndTrailRecordsThePurge(t *testing.T) {
	const day = 24 * time.Hour
	w := boot(t, Options{})
	w.policy("p", "", anyApproves)
	made := w.request("p", "")
	id, task := made.Response("id"), w.ana.Get("/v1/wf/tasks?inbox=me").Want(200).Response("items", 0, "id")
	w.eve.Post("/v1/wf/tasks/"+task+"/decision", `{"action":"approve"}`).Refused(403, "WF-008") // an event of the service's chain
	w.ana.Post("/v1/wf/tasks/"+task+"/decision", `{"action":"approve"}`).Want(200)
	w.policy("q", "", anyApproves)
	last := w.rita.Get("/v1/wf/requests/"+id+"/events").Want(200).Response("items", 5, "seq")
	w.Clock.Advance(100 * day)
	kept := w.request("q", "").Response("id")
	done, err := w.Engine.Deletion.Purge(t.Context(), engine.Retention{Requests: 90 * day, Refusals: 90 * day}, 10)
	if err != nil || done.Requests != 1 || done.Refusals != 1 {
		t.Fatalf("purged %+v, %v", done, err)
	}
	for _, path := range []string{"", "/events", "/events?verify=true"} {
		w.vic.Get("/v1/wf/requests/"+id+path).Refused(404, "WF-003")
	}
	w.vic.Get("/v1/wf/tasks/"+task).Refused(404, "WF-004")
	w.ana.Get("/v1/wf/tasks/"+task).Refused(403, "WF-008")
	w.vic.Get("/v1/wf/requests/" + kept).Want(200)
	for _, chain := range []string{"", "&chain=service", "&chain=" + kept} {
		same(t, "verification", w.vic.Get(auditPath+"?verify=true"+chain).Want(200).Response("verification", "valid"), "true")
	}
	w.vic.Get(auditPath+"?verify=true&chain="+id).Refused(404, "WF-003")
	of := w.vic.Get(auditPath + "?request_id=" + id).Want(200)
	same(t, "type of the tombstone", of.Response("items", 0, "type"), "audit.purged")
	same(t, "resource of the tombstone", of.Response("items", 0, "resource"), `{"id":"`+id+`","type":"request"}`)
	if got := of.Response("items", 0, "purged", "last"); got == "" || last == "" || got < last {
		t.Errorf("%s events replace a chain of at least %s", got, last)
	}
	same(t, "the tombstone of the refusal", w.vic.Get(auditPath+"?resource_type=chain").Want(200).Response("items", 0, "purged", "events"), "1")
	same(t, "refusals", w.vic.Get(auditPath+"?outcome=denied").Want(200).Response("items", 0), "")
}
