package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/countersign/countersign/libs/timetest"
)

// At level info, a request with two decisions and its webhooks writes one line for each call.
func TestTheLogOfARequestIsShort(t *testing.T) {
	s := start(t)
	var received atomic.Int32
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { received.Add(1) }))
	t.Cleanup(receiver.Close)
	s.called("root", http.MethodPost, "/v1/wf/admin/webhooks", `{"name":"e","url":"`+receiver.URL+`","events":["*"]}`, 201, "WF_ADMIN")
	s.called("root", http.MethodPost, "/v1/wf/policies",
		`{"policy_key":"log","name":"Log","stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["ana","bo"]}]}]}`, 201, "WF_ADMIN")
	s.called("root2", http.MethodPost, "/v1/wf/policies/log/versions/1/activate", "", 200, "WF_ADMIN")
	before, events := len(s.log.String()), received.Load()
	id := s.asked("tom", `{"policy_key":"log"}`)
	for _, who := range []string{"ana", "bo"} {
		task := s.called(who, http.MethodGet, "/v1/wf/tasks?inbox=me", "", 200).find(`"id":"([0-9a-f-]{36})"`)
		s.called(who, http.MethodPost, "/v1/wf/tasks/"+task+"/decision", `{"action":"approve"}`, 200)
	}
	s.called("tom", http.MethodGet, "/v1/wf/requests/"+id, "", 200)
	timetest.Eventually(t, "the webhooks are delivered", func() bool { return received.Load()-events >= 7 })
	var text strings.Builder
	for line := range strings.Lines(s.log.String()[before:]) {
		if !strings.Contains(line, `"level":"DEBUG"`) {
			text.WriteString(line)
		}
	}
	if lines := strings.Count(text.String(), "\n"); lines != 6 || text.Len() > 4<<10 {
		t.Errorf("%d lines and %d bytes, want one line for each of 6 calls and 4 KB:\n%s", lines, text.Len(), &text)
	}
}
