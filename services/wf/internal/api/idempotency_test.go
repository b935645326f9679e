package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const header = "Idempotency-Key"

// replays fails unless second is the stored reply of first.
func replays(t *testing.T, first, second Reply) {
	t.Helper()
	if second.Status != first.Status || string(second.Body) != string(first.Body) || second.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("%s (replayed: %q)\nis not a replay of\n%s", second, second.Header.Get("Idempotency-Replayed"), first)
	}
	headers := func(r Reply) http.Header {
		kept := r.Header.Clone()
		for _, own := range []string{"Date", "X-Request-Id", "Idempotency-Replayed"} { // of each call
			kept.Del(own)
		}
		return kept
	}
	if diff := cmp.Diff(headers(first), headers(second)); diff != "" {
		t.Errorf("%s: the replay has other headers: %s", second, diff)
	}
	if first.Header.Get("ETag") == "" || (first.Status == http.StatusCreated) != (first.Header.Get("Location") != "") {
		t.Errorf("%s has no ETag, or not the right Location: %v", first, first.Header)
	}
	if first.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("%s is marked as a replay", first)
	}
}

func TestARepeatGetsTheFirstReply(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	post := func(body string) Reply { return w.rita.Post("/v1/wf/requests", body, header, "k") }
	first := post(`{"policy_key":"p","context":{"a":1,"b":9007199254740993}}`).Want(201)
	rows := w.Rows(t)
	w.Clock.Advance(time.Hour)
	for name, body := range map[string]string{
		"the same":        `{"policy_key":"p","context":{"a":1,"b":9007199254740993}}`,
		"in other order":  `{ "context" : {"b":9007199254740993,"a":1}, "policy_key":"\u0070" }`,
		"numbers spelled": `{"policy_key":"p","context":{"a":1.0,"b":90071992547409930e-1}}`,
	} {
		t.Run(name, func(t *testing.T) { replays(t, first, post(body)) })
	}
	same(t, "quoted", string(w.rita.Post("/v1/wf/requests", `{"policy_key":"p","context":{"a":1,"b":9007199254740993}}`,
		header, `"k"`).Body), string(first.Body))
	unchanged(t, w, rows)
	post(`{"policy_key":"p","context":{"a":1,"b":9007199254740992}}`).Refused(409, "WF-009")
	post(`{"policy_key":"p"}`).Refused(409, "WF-009")
	unchanged(t, w, rows)

	other := w.eve.Post("/v1/wf/requests", `{"policy_key":"p"}`, header, "k").Want(201)
	if other.Response("id") == first.Response("id") {
		t.Errorf("%s belongs to another caller", other)
	}
	cancelled := w.rita.Post("/v1/wf/requests/"+first.Response("id")+"/cancel", nil, header, "k").Want(200)
	same(t, "status", cancelled.Response("status"), "cancelled")
	replays(t, first, post(`{"policy_key":"p","context":{"a":1,"b":9007199254740993}}`)) // as it was, not as it is

	post(`{"policy_key":1}`).Refused(422, "") // a body that does not fit comes first
	w.Anonymous(t).Post("/v1/wf/requests", `{"policy_key":"p"}`, header, "k").Refused(401, "WF-008")
}

func TestAKeyCoversTheOtherEffectsToo(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	request := w.request("p", "")
	ana, bo := "/v1/wf/tasks/"+task(t, request, "ana"), "/v1/wf/tasks/"+task(t, request, "bo")

	moved := w.root.Post(bo+"/reassign", `{"new_assignee":"dan"}`, header, "r").Want(200)
	replays(t, moved, w.root.Post(bo+"/reassign", `{"new_assignee":"dan"}`, header, "r"))
	w.root.Post(bo+"/reassign", `{"new_assignee":"eve"}`, header, "r").Refused(409, "WF-009")

	decided := w.ana.Post(ana+"/decision", `{"action":"approve"}`, header, "d").Want(200)
	replays(t, decided, w.ana.Post(ana+"/decision", `{"action":"approve"}`, header, "d"))
	w.ana.Post(ana+"/decision", `{"action":"reject"}`, header, "d").Refused(409, "WF-009")
	w.ana.Post(ana+"/decision", `{"action":"approve"}`, header, "another").Refused(409, "WF-007")

	sent := w.Client(t, "dan").Post(bo+"/decision", `{"action":"request_changes"}`).Want(200)
	same(t, "status", sent.Response("request", "status"), "changes_requested")
	path := "/v1/wf/requests/" + request.Response("id")
	again := w.rita.Post(path+"/resubmit", nil, header, "s").Want(200)
	replays(t, again, w.rita.Post(path+"/resubmit", `{}`, header, "s"))
	w.rita.Post(path+"/resubmit", `{"comment":"x"}`, header, "s").Refused(409, "WF-009")

	gone := w.rita.Post(path+"/cancel", nil, header, "c").Want(200)
	replays(t, gone, w.rita.Post(path+"/cancel", nil, header, "c"))
	w.rita.Post(path+"/cancel", `{"reason":"x"}`, header, "c").Refused(409, "WF-009")

	// One key names one effect on one object.
	next := w.request("p", "")
	w.rita.Post("/v1/wf/requests/"+next.Response("id")+"/cancel", nil, header, "c").Refused(409, "WF-009")
}

func TestAMalformedKeyIsRefused(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	before := w.Rows(t)
	const body = `{"policy_key":"p"}`
	for _, headers := range [][]string{
		{header, ""}, {header, `"k`}, {header, `"`}, {header, `""`}, {header, "a b"}, {header, "ключ"}, {header, strings.Repeat("k", 256)}, {header, "k", header, "k"},
	} {
		found := details(w.rita.Post("/v1/wf/requests", body, headers...).Want(422))
		if len(found) != 1 || !strings.HasSuffix(found[0], " header.Idempotency-Key") {
			t.Errorf("%.20q: details: %v", headers, found)
		}
	}
	unchanged(t, w, before)
	for _, key := range []string{strings.Repeat("k", 255), `"` + strings.Repeat("q", 255) + `"`, `a"b`} {
		w.rita.Post("/v1/wf/requests", body, header, key).Want(201)
	}
}
