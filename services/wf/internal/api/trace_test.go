package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/trace/tracetest"
	"github.com/countersign/countersign/services/wf/internal/server"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// resolver answers that ana approves, and keeps the traceparent of each question.
func resolver(t *testing.T, asked *[]string) (config func(*server.Config)) {
	double := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Header.Get("Traceparent"))
		_, _ = io.WriteString(w, `{"user_ids":["ana"]}`)
	}))
	t.Cleanup(double.Close)
	return func(c *server.Config) {
		c.Resolvers = server.Secrets{"who": daemon.Secret(double.URL + "/approvers " + wftest.Secret)}
	}
}

const resolved = `{"key":"s","name":"Stage","approvers":[{"type":"http","resolver":"who"}]}`

// Not beside other tests: all spans of the process go to one recorder.
func TestOneTraceRunsFromTheRequestToTheWebhook(t *testing.T) {
	recorder := tracetest.Record(t)
	var asked []string
	w := people(t, Boot(t, Options{Events: []string{"request.created"}, Config: resolver(t, &asked)}))
	w.policy("p", "", resolved)
	request := w.rita.Post("/v1/wf/requests", `{"policy_key":"p"}`, "Traceparent", traceparent).Want(201)
	w.Deliver(t)

	traceID := traceparent[3:35]
	call, hook := recorder.Find(t, traceID, "POST /v1/wf/requests"), recorder.Find(t, traceID, "deliver request.created")
	if call.Parent != traceparent[36:52] || call.Attributes["http.response.status_code"] != "201" {
		t.Errorf("the call: %+v", call)
	}
	if hook.Parent != call.ID || hook.Attributes["request"] != request.Response("id") || hook.Failed {
		t.Errorf("the delivery: %+v", hook)
	}
	question, write := recorder.Find(t, traceID, "resolve approvers"), recorder.Find(t, traceID, "transaction")
	if question.Parent != call.ID || question.Attributes["outcome"] != "answered" || write.Parent != call.ID {
		t.Errorf("the steps: %s", recorder.Text(traceID))
	}
	exchanges := map[string]string{} // of the spans of clients, by their parent
	for _, s := range recorder.Spans(traceID) {
		if s.Name == "POST" && s.Kind == "client" {
			exchanges[s.Parent] = "00-" + traceID + "-" + s.ID + "-01"
		}
	}
	got := w.Receiver.Got()
	if len(got) != 1 || got[0].Header.Get("Traceparent") != exchanges[hook.ID] {
		t.Errorf("the receiver got %v, want %s", got, exchanges[hook.ID])
	}
	if len(asked) != 1 || asked[0] != exchanges[question.ID] {
		t.Errorf("the resolver got %v, want %s", asked, exchanges[question.ID])
	}
	for _, line := range w.Log.Lines(t, "delivery accepted") {
		if line["trace_id"] != traceID {
			t.Errorf("line: %v", line)
		}
	}
}

func TestTraceparentIsForwardedWithoutARecorder(t *testing.T) {
	var asked []string
	w := boot(t, Options{Events: []string{"request.created"}, Config: resolver(t, &asked)})
	w.policy("p", "", resolved)
	w.rita.Post("/v1/wf/requests", `{"policy_key":"p"}`, "Traceparent", traceparent, "Tracestate", "canary=1").Want(201)
	w.Deliver(t)
	got := w.Receiver.Got()
	if len(asked) != 1 || asked[0] != traceparent || len(got) != 1 || got[0].Header.Get("Traceparent") != traceparent ||
		got[0].Header.Get("Tracestate") != "" {
		t.Errorf("asked %v, sent %v", asked, got)
	}
}
