package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/work"
)

// cancellations are the events of which the receiver is notified.
var cancellations = []string{"request.cancelled"}

// cancelled cancels a request and returns its delivery.
func cancelled(t *testing.T, w *callers) string {
	t.Helper()
	request := w.request("p", "")
	w.rita.Post("/v1/wf/requests/"+request.Response("id")+"/cancel", nil).Want(200)
	ids := w.vic.Get("/v1/wf/admin/deliveries?request_id=" + request.Response("id")).Want(200).Items("id")
	if len(ids) != 1 {
		t.Fatalf("%d deliveries of %s", len(ids), request)
	}
	return "/v1/wf/admin/deliveries/" + ids[0]
}

// exhaust makes every attempt at the only pending delivery.
func exhaust(t *testing.T, w *callers) {
	t.Helper()
	for _, wait := range append([]time.Duration{0}, work.Schedule[:]...) {
		w.Clock.Advance(wait + time.Minute) // attempts take time, on a slow machine much
		same(t, "sent", w.Deliver(t), 1)
	}
}

func TestADeliveryIsSentReadAndRetried(t *testing.T) {
	w := boot(t, Options{Events: cancellations})
	w.policy("p", "", bothApprove)
	w.Receiver.Answer(http.StatusInternalServerError)
	path := cancelled(t, w)
	pending := w.vic.Get(path).Want(200)
	for member, want := range map[string]string{"status": "pending", "event_type": "request.cancelled", "attempt": "0",
		"max_attempts": "6", "cycle": "1", "attempts": "[]"} {
		same(t, member, pending.Response(member), want)
	}
	w.vic.Post(path+"/retry", nil).Refused(403, "WF-008")
	same(t, "a retry before the first attempt", w.root.Post(path+"/retry", nil).Want(200).Response("cycle"), "1")

	exhaust(t, w)
	failed := w.vic.Get(path).Want(200)
	for member, want := range map[string]string{"status": "failed", "attempt": "6", "last_status_code": "500", "next_attempt_at": ""} {
		same(t, member, failed.Response(member), want)
	}
	same(t, "attempts", len(failed.Value("response", "attempts").([]any)), 6)

	w.root.Post(path+"/retry", nil, "If-Match", `"1"`).Refused(409, "WF-007")
	w.Clock.Advance(2 * time.Minute) // after so many failures the endpoint is paused
	retried := w.root.Post(path+"/retry", nil, "If-Match", failed.Header.Get("ETag")).Want(200)
	for member, want := range map[string]string{"status": "pending", "cycle": "2", "attempt": "0"} {
		same(t, member, retried.Response(member), want)
	}
	w.Receiver.Answer(http.StatusNoContent)
	same(t, "sent", w.Deliver(t), 1)
	same(t, "status", w.vic.Get(path).Response("status"), "delivered")
	w.root.Post(path+"/retry", nil).Refused(409, "WF-007")

	hooks := w.Receiver.Got()
	same(t, "webhooks", len(hooks), 7)
	for _, hook := range hooks {
		same(t, "webhook-id", hook.Header.Get("webhook-id"), pending.Response("event_id"))
		same(t, "body", string(hook.Body), string(hooks[0].Body))
	}
	var sent, shown map[string]any
	err := json.Unmarshal(hooks[0].Body, &sent)
	if err != nil || json.Unmarshal([]byte(pending.Response("payload")), &shown) != nil || fmt.Sprint(sent) != fmt.Sprint(shown) {
		t.Errorf("the payload shown is %v, and %v was sent", shown, sent)
	}
}

func TestCallbackURLReceivesEventsOfItsRequest(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", anyApproves)
	request := w.request("p", fmt.Sprintf(`"callback_url":%q`, w.Receiver.URL+"/hook"))
	same(t, "callback_url", request.Response("callback_url"), w.Receiver.URL+"/hook")
	w.ana.Post("/v1/wf/tasks/"+task(t, request, "ana")+"/decision", `{"action":"approve"}`).Want(200)
	w.Deliver(t)
	var types []string
	for _, hook := range w.Receiver.Got() {
		var payload struct{ Type string }
		must(t, json.Unmarshal(hook.Body, &payload))
		types = append(types, payload.Type)
	}
	for _, want := range []string{"request.created", "request.approved"} {
		if !strings.Contains(strings.Join(types, " "), want) {
			t.Errorf("webhooks: %v, want %s", types, want)
		}
	}
	// The document describes each payload; the reply is held against it.
	for _, id := range w.vic.Get("/v1/wf/admin/deliveries").Want(200).Items("id") {
		w.vic.Get("/v1/wf/admin/deliveries/" + id).Want(200)
	}
}
