package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// Refusals answer 200 here: only the code differs, in the log as in the reply.
func TestOneRegistrationCanBeFollowedInTheLog(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana := w.Partner("ana", "demo-partner")
	key := registrartest.Key(t)
	made := w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(key, nil), "X-Request-Id", "call-1", "Traceparent", traceparent)
	var answer struct {
		Response struct{ ClientID string }
	}
	if err := json.Unmarshal([]byte(made.Body), &answer); err != nil {
		t.Fatal(err)
	}
	id := answer.Response.ClientID
	w.Call("POST", partnerPath, w.Partner("bo", "demo-partner"), registrartest.PartnerRequest(key, nil))
	w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(key, map[string]any{"name": " "}))
	w.Call("GET", partnerPath+"/"+id, ana, nil)
	w.Call("GET", partnerPath+"/"+id, "", nil)

	lines := w.Log.Lines(t, "call")
	subject := oplog.Subject("ana")
	for i, want := range []logtest.Line{
		{"level": "INFO", "method": "POST", "route": partnerPath, "status": 200.0, "client": id, "subject": subject,
			"events":  []any{"registered", "activated"},
			"call_id": "call-1", "trace_id": traceparent[3:35], "peer": "127.0.0.1", "code": nil},
		{"status": 200.0, "subject": oplog.Subject("bo"), "code": "PMS_IDP_001", "reason": "duplicate_key", "events": []any{"refused"}},
		{"status": 200.0, "subject": subject, "code": "PMS_COR_001", "reason": "invalid_client_name"},
		{"method": "GET", "route": partnerPath + "/{client_id}", "client": id, "status": 200.0},
		{"client": id, "status": 401.0, "code": "KER-ATH-401", "reason": "unauthenticated", "subject": nil},
	} {
		if i >= len(lines) {
			t.Fatalf("%d lines: %s", len(lines), w.Log)
		}
		lines[i].Want(t, want)
	}
	events := w.Call("GET", clientsPath+id+"/events", ana, nil)
	if strings.Count(events.Body, `"callId":"call-1","traceparent":"`+traceparent+`"`) != 2 {
		t.Errorf("events: %s", events.Body)
	}
}
