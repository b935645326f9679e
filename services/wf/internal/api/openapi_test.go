package api_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/web/webtest"
	"github.com/countersign/countersign/services/wf/internal/server"
)

func TestOpenAPI(t *testing.T) {
	w := boot(t, Options{})
	generated, err := w.API.OpenAPI()
	must(t, err)
	webtest.CheckStored(t, generated)
	if served := w.Anonymous(t).Get("/openapi.yaml").Want(200); !bytes.Equal(served.Body, generated) {
		t.Error("the document that is served is another one")
	}
	other := people(t, Boot(t, Options{Config: func(c *server.Config) {
		c.ServiceApprovers, c.FourEyes, c.MaxInFlight = true, true, 7
	}}))
	if served := other.Anonymous(t).Get("/openapi.yaml").Want(200); !bytes.Equal(served.Body, generated) {
		t.Error("other settings give another document")
	}
}

func TestEveryBodyOfTheDocumentHasAnExampleThatWorks(t *testing.T) {
	w := boot(t, Options{})
	examples := webtest.BodyExamples(t, w.Anonymous(t).Get("/openapi.json").Body)
	same(t, "bodies", len(examples), 24)

	const policy = "/v1/wf/policies/disbursement.batch"
	w.root.Post("/v1/wf/policies", examples["createPolicy"]).Want(201)
	w.root.Post(policy+"/versions/1/activate", examples["activateVersion"]).Want(200)
	w.root.Put(policy, examples["addVersion"]).Want(201)
	w.root.Patch(policy+"/versions/2", examples["updateVersion"]).Want(200)
	same(t, "simulation", w.root.Post(policy+"/versions/1/simulate", examples["simulateVersion"]).Want(200).Response("play", 0, "problem"), "")
	request := w.rita.Post("/v1/wf/requests", examples["createRequest"]).Want(201)
	same(t, "preview", w.rita.Post(policy+"/preview", examples["previewRequest"]).Want(200).Response("status"), "in_review")
	path := "/v1/wf/requests/" + request.Response("id")
	w.ana.Post("/v1/wf/tasks/"+task(t, request, "ana")+"/decision", `{"action":"request_changes"}`).Want(200)
	again := w.rita.Post(path+"/resubmit", examples["resubmitRequest"]).Want(200)
	undone := "/v1/wf/tasks/" + task(t, again, "bo")
	w.bo.Post(undone+"/decision", `{"action":"approve"}`).Want(200)
	w.bo.Post(undone+"/withdraw", examples["withdrawTask"]).Want(200)
	w.root.Post(undone+"/reassign", examples["reassignTask"]).Want(200)
	w.ana.Post("/v1/wf/tasks/"+task(t, again, "ana")+"/claim", examples["claimTask"]).Want(200)
	w.ana.Post("/v1/wf/tasks/"+task(t, again, "ana")+"/decision", examples["decideTask"]).Want(200)
	w.ana.Post(path+"/comments", examples["addComment"]).Want(200)
	w.rita.Post("/v1/wf/requests/"+w.rita.Post("/v1/wf/requests", examples["createRequest"]).Want(201).Response("id")+
		"/cancel", examples["cancelRequest"]).Want(200)
	w.policy("timed", "", `{"key":"check","name":"Check","approvers":[{"type":"user","ids":["ana"]}],"deadline":{"due_in":"PT2H"}}`)
	timed := w.request("timed", "").Response("id")
	w.root.Patch("/v1/wf/requests/"+timed+"/stages/check", examples["moveDueDate"]).Want(200)
	w.policy("once", `{"single_use":true}`, bothApprove)
	w.rita.Post("/v1/wf/requests/"+w.approved(t, "once")+"/revoke", examples["revokeRequest"]).Want(200)
	w.rita.Post("/v1/wf/requests/"+w.approved(t, "once")+"/consume", examples["consumeRequest"]).Want(200)
	endpoint := w.root.Post("/v1/wf/admin/webhooks", examples["createEndpoint"]).Want(201).Header.Get("Location")
	w.root.Patch(endpoint, examples["updateEndpoint"]).Want(200)
	w.root.Post(endpoint+"/rotate-secret", examples["rotateSecret"]).Want(200)
	w.root.Post("/v1/wf/admin/deliveries/recover", examples["recoverDeliveries"]).Want(200)
	w.root.Post("/v1/wf/admin/audit/restart", examples["restartAudit"]).Refused(409, "WF-007") // the chain is valid
	w.ana.Post("/v1/wf/delegations", examples["createDelegation"]).Want(201)

	w.Clock.Advance(60 * 365 * 24 * time.Hour) // those with dates in them
	w.ana.Post("/v1/wf/delegations", examples["createDelegation"]).Want(201)
	w.root.Post("/v1/wf/admin/deliveries/recover", examples["recoverDeliveries"]).Want(200)
}
