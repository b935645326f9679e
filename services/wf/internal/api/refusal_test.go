package api_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// denied are the refusals in the audit trail, oldest first, each as these members.
func denied(t *testing.T, w *callers, members ...any) []string {
	t.Helper()
	reply := w.vic.Get(auditPath + "?type=auth.denied&limit=200").Want(200)
	list := []string{}
	for i := range reply.Items("id") {
		var texts []string
		for _, m := range members {
			texts = append(texts, reply.Response("items", i, m))
		}
		list = append(list, strings.Join(texts, " "))
	}
	slices.Reverse(list)
	return list
}

func TestRefusalsToActAreInTheAuditTrail(t *testing.T) {
	w := boot(t, Options{Events: []string{"*"}})
	w.policy("p", "", bothApprove)
	request := w.request("p", "")
	id, path := request.Response("id"), "/v1/wf/tasks/"+task(t, request, "ana")
	w.ana.Post(path+"/decision", `{"action":"approve"}`).Want(200)
	timeline := w.vic.Get("/v1/wf/requests/" + id + "/events").Want(200).Items("type")
	rows := w.Rows(t)

	var want []string
	for _, row := range []struct {
		by         *Client
		path, body string
		status     int
		code, want string
	}{
		{w.eve, path + "/claim", "", 403, "WF-008", "eve claimTask task WF-008"},
		{w.bo, path + "/decision", `{"action":"approve"}`, 403, "WF-008", "bo decideTask task WF-008"},
		{w.rita, path + "/reassign", `{"new_assignee":"dan"}`, 403, "WF-008", "rita reassignTask task WF-008"},
		{w.Client(t, "cy"), path + "/unclaim", "", 403, "WF-008", "cy unclaimTask task WF-008"},
		{w.Client(t, "dan"), path + "/withdraw", "", 403, "WF-008", "dan withdrawTask task WF-008"},
		{w.ana, path + "/claim", "", 409, "WF-007", "ana claimTask task WF-007"},
		{w.root, path + "/reassign", `{"new_assignee":"dan"}`, 409, "WF-007", "root reassignTask task WF-007"},
		{w.vic, "/v1/wf/policies/p/versions/1/activate", "", 403, "WF-008", "vic activateVersion policy WF-008"},
		// Refusals other than of an action, or of other operations.
		{w.Anonymous(t), path + "/claim", "", 401, "WF-008", ""},
		{w.eve, "/v1/wf/tasks/" + unknownID + "/claim", "", 404, "WF-004", ""},
		{w.eve, path + "/decision", `{"action":"x"}`, 422, "", ""},
		{w.root, "/v1/wf/policies/p/versions/9/activate", "", 404, "WF-001", ""},
		{w.eve, "/v1/wf/requests/" + id + "/cancel", "", 403, "WF-008", ""},
		{w.vic, "/v1/wf/policies/p/versions/1/deactivate", "", 403, "WF-008", ""},
	} {
		var body any
		if row.body != "" {
			body = row.body
		}
		row.by.Post(row.path, body, "User-Agent", "tests/1", "X-Request-Id", "call-"+row.code).Refused(row.status, row.code)
		if row.want != "" {
			want = append(want, row.want)
		}
	}
	got := denied(t, w, "actor", "operation", "resource", "error_code")
	for i := range want {
		who, rest, _ := strings.Cut(want[i], " ")
		operation, rest, _ := strings.Cut(rest, " ")
		kind, code, _ := strings.Cut(rest, " ")
		if i >= len(got) || !strings.HasPrefix(got[i], `{"id":"`+who+`"`) || !strings.Contains(got[i], operation+" ") ||
			!strings.Contains(got[i], `"type":"`+kind+`"`) || !strings.HasSuffix(got[i], code) {
			t.Errorf("refusal %d, want %s, of %q", i, want[i], got)
		}
	}
	same(t, "refusals", len(got), len(want))

	reply := w.vic.Get(auditPath + "?type=auth.denied").Want(200)
	same(t, "outcome", reply.Response("items", 7, "outcome"), "denied")
	same(t, "call", reply.Response("items", 7, "call_id"), "call-WF-008")
	same(t, "user agent", reply.Response("items", 7, "origin", "user_agent"), "tests/1")
	same(t, "chain", reply.Response("items", 7, "chain"), "service")
	same(t, "request", reply.Response("items", 7, "request_id"), id)
	same(t, "reason", reply.Response("items", 2, "reason"), "task "+task(t, request, "ana")+" is completed")
	if hash := reply.Response("items", 7, "origin", "ip_hash"); len(hash) != len("hmac-sha256:")+64 ||
		hash != reply.Response("items", 0, "origin", "ip_hash") {
		t.Errorf("address %s in %s", hash, reply)
	}
	if events := w.Dump(t, "event"); strings.Contains(events, "127.0.0.1") {
		t.Errorf("an event has the address: %s", events)
	}
	same(t, "timeline", strings.Join(w.vic.Get("/v1/wf/requests/"+id+"/events").Want(200).Items("type"), " "), strings.Join(timeline, " "))
	same(t, "deliveries", w.Rows(t)["delivery"], rows["delivery"])
	same(t, "chains", w.vic.Get(auditPath+"?verify=true").Want(200).Response("verification", "valid"), "true")
}

func TestARefusalThatIsRepeatedIsOneEventAMinute(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	path := "/v1/wf/tasks/" + task(t, w.request("p", ""), "ana") + "/claim"
	for _, at := range []time.Duration{0, 0, 59 * time.Second, time.Second, time.Minute} {
		w.Clock.Advance(at)
		w.eve.Post(path, nil).Refused(403, "WF-008")
	}
	w.rita.Post(path, nil).Refused(403, "WF-008") // another person
	same(t, "refusals", strings.Join(denied(t, w, "folded"), ","), ",2,,")
}

func TestRefusalEventsOmitMissingPolicyVersions(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	for _, path := range []string{"a/versions/1", "b/versions/1", "%22/versions/1", "p/versions/7", "p/versions/x", "p/versions/-1"} {
		w.eve.Post("/v1/wf/policies/"+path+"/activate", nil).Refused(403, "WF-008")
	}
	w.eve.Post("/v1/wf/policies/p/versions/1/activate", nil).Refused(403, "WF-008")
	same(t, "refusals", strings.Join(denied(t, w, "resource"), ","), `{"id":"","type":"policy"},{"id":"p","type":"policy","version":1}`)
}

func TestARefusalThatCannotBeRecordedIsTheSameToTheCaller(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	path := "/v1/wf/tasks/" + task(t, w.request("p", ""), "ana") + "/claim"
	w.Hold(t, func(tx *store.Tx) error { return tx.Exec("DROP TABLE denial").Error }, func() {})
	w.eve.Post(path, nil).Refused(403, "WF-008")
	if !strings.Contains(w.Log.String(), "refusal not recorded") {
		t.Error("the log lacks the refusal")
	}
}

func TestALockThatIsTakenIsNoRefusal(t *testing.T) {
	w := people(t, Boot(t, Options{URL: wftest.Schema.Postgres(t) + "&lock_timeout=50ms"}))
	w.policy("p", "", bothApprove)
	request := w.request("p", "")
	w.Hold(t, func(tx *store.Tx) error { _, err := tx.Request(store.ByID(request.Response("id"))); return err }, func() {
		w.eve.Post("/v1/wf/tasks/"+task(t, request, "ana")+"/claim", nil).Refused(503, "WF-006")
	})
	same(t, "refusals", len(denied(t, w, "id")), 0)
}
