package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/services/wf/audit"
)

const endpoints = "/v1/wf/admin/webhooks"

// endpoint makes an endpoint that leads to the receiver, with these members besides
// its name and URL, and returns its address.
func (w *callers) endpoint(t *testing.T, name, members string) string {
	t.Helper()
	if members != "" {
		members = "," + members
	}
	created := w.root.Post(endpoints, fmt.Sprintf(`{"name":%q,"url":%q%s}`, name, w.Receiver.URL+"/"+name, members)).Want(201)
	w.Receiver.Trust(t, created.Response("secret"))
	return created.Header.Get("Location")
}

// everything lists each event type to which an endpoint can subscribe.
var everything = func() string {
	types, err := json.Marshal(audit.EventTypes)
	if err != nil {
		panic(err)
	}
	return string(types)
}()

// types are those of the webhooks that came to a path of the receiver, in no order.
func (w *callers) types(path string) []string {
	var types []string
	for _, hook := range w.Receiver.Got() {
		var payload struct{ Type string }
		if hook.Path == path && json.Unmarshal(hook.Body, &payload) == nil {
			types = append(types, payload.Type)
		}
	}
	slices.Sort(types)
	return types
}

func TestAnEndpointGoesThroughItsLife(t *testing.T) {
	w := boot(t, Options{})
	created := w.root.Post(endpoints, fmt.Sprintf(`{"name":"ledger","url":%q}`, w.Receiver.URL+"/ledger")).Want(201)
	path := created.Header.Get("Location")
	same(t, "Location", path, endpoints+"/"+created.Response("id"))
	for member, want := range map[string]string{
		"name": "ledger", "url": w.Receiver.URL + "/ledger", "events": `["request.*"]`, "policy_keys": `["*"]`, "enabled": "true", "disabled_reason": "",
		"signature": "v1", "failures": "0", "created_by": `{"id":"root"}`, "created_at": "2026-03-01T12:00:00.000Z", "previous_secret_expires_at": "",
	} {
		same(t, member, created.Response(member), want)
	}
	secret := created.Response("secret")
	if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_")); err != nil || len(raw) != 32 {
		t.Errorf("secret %q: %d bytes, %v", secret, len(raw), err)
	}
	same(t, "secret_hint", created.Response("secret_hint"), secret[len(secret)-4:])
	same(t, "public_key", strings.HasPrefix(created.Response("public_key"), "whpk_"), true)
	w.Receiver.Trust(t, secret)
	w.root.Post(endpoints, `{"name":"ledger","url":"https://other.example"}`).Refused(409, "WF-007")
	if text := w.bo.Post(endpoints, `{"name":"other","url":"https://other.example"}`).Refused(403,
		"WF-008"); !strings.Contains(text, "the role WF_ADMIN") {
		t.Errorf("the refusal %q does not name the role", text)
	}

	read := w.root.Get(path).Want(200)
	same(t, "ETag", read.Header.Get("ETag"), created.Header.Get("ETag"))
	same(t, "secret", read.Response("secret"), "")

	w.Clock.Advance(time.Minute)
	edited := w.root.Patch(path, `{"events":["request.cancelled"],"policy_keys":[],"signature":"both","url":null}`,
		"If-Match", read.Header.Get("ETag")).Want(200)
	for member, want := range map[string]string{
		"url": w.Receiver.URL + "/ledger", "events": `["request.cancelled"]`, "policy_keys": `[]`, "signature": "both",
		"enabled": "true", "updated_at": "2026-03-01T12:01:00.000Z",
	} {
		same(t, member, edited.Response(member), want)
	}
	w.root.Patch(path, `{"enabled":false}`, "If-Match", read.Header.Get("ETag")).Refused(409, "WF-007")
	same(t, "ETag after no change", w.root.Patch(path, `{"signature":"both"}`).Want(200).Header.Get("ETag"), edited.Header.Get("ETag"))

	disabled := w.root.Patch(path, `{"enabled":false}`).Want(200)
	same(t, "disabled_reason", disabled.Response("disabled_reason"), "admin")
	same(t, "disabled_at", disabled.Response("disabled_at"), "2026-03-01T12:01:00.000Z")
	w.root.Post(path+"/test", nil).Refused(409, "WF-007")
	same(t, "disabled_reason", w.root.Patch(path, `{"enabled":true}`).Want(200).Response("disabled_reason"), "")

	w.root.Do(http.MethodDelete, path, nil, "If-Match", read.Header.Get("ETag")).Refused(409, "WF-007")
	same(t, "name", w.root.Delete(path).Want(200).Response("name"), "ledger")
	w.root.Delete(path).Refused(404, "WF-095")
	w.endpoint(t, "ledger", "") // its name is free
}

func TestAnEndpointThatIsUnknownIsNotFound(t *testing.T) {
	w := boot(t, Options{})
	for _, id := range []string{unknownID, noID, "receiver"} {
		path := endpoints + "/" + id
		w.root.Get(path).Refused(404, "WF-095")
		w.root.Patch(path, `{"enabled":false}`).Refused(404, "WF-095")
		w.root.Delete(path).Refused(404, "WF-095")
		w.root.Post(path+"/rotate-secret", nil).Refused(404, "WF-095")
		w.root.Post(path+"/test", nil).Refused(404, "WF-095")
	}
}

func TestEndpointTestIsDeliveredToThatEndpointOnly(t *testing.T) {
	w := boot(t, Options{})
	path := w.endpoint(t, "ledger", `"events":[],"policy_keys":[]`)
	w.endpoint(t, "nosy", `"events":`+everything)
	sent := w.root.Post(path+"/test", nil).Want(200)
	for member, want := range map[string]string{"event_type": "webhook.test", "status": "pending", "request_id": "", "attempt": "0"} {
		same(t, member, sent.Response(member), want)
	}
	same(t, "endpoint", sent.Response("endpoint", "name"), "ledger")
	same(t, "endpoint", endpoints+"/"+sent.Response("endpoint", "id"), path)
	w.Deliver(t)
	same(t, "webhooks of ledger", fmt.Sprint(w.types("/ledger")), "[webhook.test]")
	same(t, "test events of nosy", slices.Contains(w.types("/nosy"), "webhook.test"), false)
	detail := w.vic.Get("/v1/wf/admin/deliveries/" + sent.Response("id")).Want(200)
	same(t, "status", detail.Response("status"), "delivered")
	same(t, "resource", detail.Response("payload", "data", "resource", "name"), "ledger")
}

func TestASecretIsRotated(t *testing.T) {
	w := boot(t, Options{})
	path := w.endpoint(t, "ledger", `"policy_keys":[]`)
	rotated := w.root.Post(path+"/rotate-secret", nil).Want(200)
	same(t, "previous_secret_expires_at", rotated.Response("previous_secret_expires_at"), "2026-03-02T12:00:00.000Z")
	w.root.Post(path+"/test", nil).Want(200)
	same(t, "sent", w.Deliver(t), 1) // the receiver has only the previous secret
	w.Receiver.Trust(t, rotated.Response("secret"))
	own := "whsec_" + base64.StdEncoding.EncodeToString([]byte("twenty-four bytes, ours."))
	shown := w.root.Post(path+"/rotate-secret", fmt.Sprintf(`{"secret":%q,"overlap":"PT0S"}`, own)).Want(200)
	same(t, "secret", shown.Response("secret"), own)
	same(t, "previous_secret_expires_at", shown.Response("previous_secret_expires_at"), "")
	w.Receiver.Trust(t, own)
	w.root.Post(path+"/test", nil).Want(200)
	same(t, "sent", w.Deliver(t), 1)
}

func TestAnEndpointThatCannotBeIsRefused(t *testing.T) {
	w := boot(t, Options{})
	path := w.endpoint(t, "ledger", "")
	before := w.Rows(t)
	many := `["*"` + strings.Repeat(`,"*"`, 50) + `]`
	for _, row := range []struct{ name, members, detail string }{
		{"of a name with capitals", `"name":"Ledger"`, "string_pattern_mismatch body.name"},
		{"for an event that is none", `"events":["request.*","no.such"]`, "value_error body.events.1"},
		{"for too many patterns", `"events":` + many, "too_long body.events"},
		{"for the test event", `"events":["webhook.test"]`, "value_error body.events.0"},
		{"for policies that are no pattern", `"policy_keys":["["]`, "value_error body.policy_keys.0"},
		{"for too many policies", `"policy_keys":` + many, "too_long body.policy_keys"},
		{"with a signature that is none", `"signature":"v2"`, "enum body.signature"},
		{"with a secret that is none", `"secret":"canary"`, "value_error body.secret"},
	} {
		t.Run(row.name, func(t *testing.T) {
			base := `"url":"https://hooks.example/"`
			if !strings.Contains(row.members, `"name"`) {
				base += `,"name":"other"`
			}
			reply := people(t, w.Service).root.Post(endpoints, "{"+base+","+row.members+"}").Want(422)
			same(t, "details", strings.Join(details(reply), ","), row.detail)
			if strings.Contains(string(reply.Body), "canary") || strings.Contains(string(reply.Body), "Y2FuYXJ5") {
				t.Errorf("%s repeats the secret", reply)
			}
		})
	}
	for overlap, want := range map[string]string{
		"P7DT1S": "value_error body.overlap", "P8D": "value_error body.overlap", "-PT1S": "value_error body.overlap",
		"P1M": "value_error body.overlap", "24h": "value_error body.overlap",
	} {
		same(t, overlap, strings.Join(details(w.root.Post(path+"/rotate-secret", fmt.Sprintf(`{"overlap":%q}`, overlap)).Want(422)), ","), want)
	}
	w.root.Patch(path, `{"name":"other"}`).Refused(422, "")
	unchanged(t, w, before)
	w.root.Post(path+"/rotate-secret", `{"overlap":"P7D"}`).Want(200)
}

// The rules of package egress apply to each address.
func TestAURLThatTheServiceMustNotCallIsRefused(t *testing.T) {
	w := boot(t, Options{Network: &egress.Policy{}})
	path := w.root.Post(endpoints, `{"name":"ledger","url":"https://hooks.example/"}`).Want(201).Header.Get("Location")
	before := w.Rows(t)
	for _, url := range []string{"https://127.0.0.1", "https://169.254.169.254", "http://hooks.example/", "hooks.example", ""} {
		for what, reply := range map[string]Reply{
			"create": w.root.Post(endpoints, map[string]any{"name": "other", "url": url}),
			"edit":   w.root.Patch(path, map[string]any{"url": url}),
		} {
			same(t, what+" "+url, strings.Join(details(reply.Want(422)), ","), "url_parsing body.url")
		}
	}
	unchanged(t, w, before)
	w.root.Post(endpoints, `{"name":"other","url":"https://hooks.example:443/x?y=z"}`).Want(201)
}

func TestEndpointsAreFound(t *testing.T) {
	w := boot(t, Options{})
	w.endpoint(t, "ledger", "")
	w.Clock.Advance(time.Minute)
	w.endpoint(t, "chat", `"enabled":false`)
	for query, want := range map[string]string{
		"": "chat ledger receiver", "?enabled=true": "ledger receiver", "?enabled=false": "chat", "?q=LEDG": "ledger", "?q=%2Fchat": "chat", "?q=none": "",
		"?limit=1": "chat",
	} {
		same(t, query, strings.Join(w.root.Get(endpoints+query).Want(200).Items("name"), " "), want)
	}
	next := w.root.Get(endpoints + "?limit=1").Response("next_cursor")
	same(t, "second page", strings.Join(w.root.Get(endpoints+"?limit=1&cursor="+next).Want(200).Items("name"), " "), "ledger")
	w.root.Get(endpoints+"?enabled=yes").Refused(422, "")
}

// A secret leaves the service where it was made, and nowhere else.
func TestASecretIsShownOnce(t *testing.T) {
	w := boot(t, Options{})
	own := "whsec_" + base64.StdEncoding.EncodeToString([]byte("a canary that no one may see"))
	other := "whsec_" + base64.StdEncoding.EncodeToString([]byte("a canary of the second secret"))
	w.Receiver.Trust(t, own)
	w.Receiver.Trust(t, other)
	created := w.root.Post(endpoints, fmt.Sprintf(`{"name":"ledger","url":%q,"events":%s,"secret":%q}`, w.Receiver.URL+
		"/ledger", everything, own)).Want(201)
	same(t, "secret", created.Response("secret"), own)
	path := created.Header.Get("Location")
	same(t, "secret", w.root.Post(path+"/rotate-secret", fmt.Sprintf(`{"secret":%q}`, other)).Want(200).Response("secret"), other)
	w.Receiver.Answer(http.StatusInternalServerError)
	tested := w.root.Post(path+"/test", nil).Want(200)
	w.Deliver(t)
	replies := []Reply{
		w.root.Get(endpoints).Want(200), w.root.Get(path).Want(200), w.root.Patch(path, `{"enabled":false}`).Want(200),
		w.root.Get("/v1/wf/admin/deliveries").Want(200), w.root.Get("/v1/wf/admin/deliveries/" + tested.Response("id")).Want(200),
		w.root.Post(endpoints, fmt.Sprintf(`{"name":"ledger","url":"https://x.example/","secret":%q}`, own)).Want(409),
		w.root.Post(endpoints, fmt.Sprintf(`{"name":"Ledger","url":"https://x.example/","secret":%q}`, own)).Want(422),
		w.root.Post(endpoints, fmt.Sprintf(`{"name":"bad","url":"https://x.example/","secret":%q}`, own+"?")).Want(422),
		w.root.Post(path+"/rotate-secret", fmt.Sprintf(`{"secret":%q,"overlap":"x"}`, own)).Want(422),
		w.root.Delete(path).Want(200),
	}
	var kept strings.Builder
	for _, reply := range replies {
		kept.Write(reply.Body)
	}
	for _, hook := range w.Receiver.Got() {
		fmt.Fprint(&kept, hook)
	}
	kept.WriteString(w.Log.String())
	for table := range w.Rows(t) {
		kept.WriteString(w.Dump(t, table))
	}
	for _, secret := range []string{own, other} {
		encoded := strings.TrimPrefix(secret, "whsec_")
		raw, _ := base64.StdEncoding.DecodeString(encoded)
		for _, form := range []string{encoded, string(raw), encoded[:12], fmt.Sprintf("%x", raw), base64.RawURLEncoding.EncodeToString(raw)} {
			if strings.Contains(kept.String(), form) {
				t.Errorf("the secret is somewhere as %s", form)
			}
		}
	}
	if !strings.Contains(kept.String(), "endpoint.rotated") {
		t.Error("the search did not see the events")
	}
}

func TestDeliveriesAreRecovered(t *testing.T) {
	w := boot(t, Options{Events: cancellations})
	w.policy("p", "", bothApprove)
	w.Receiver.Answer(http.StatusInternalServerError)
	path := cancelled(t, w)
	exhaust(t, w)
	const recovery = "/v1/wf/admin/deliveries/recover"
	for body, want := range map[string]string{
		`{"created_after":"2026-03-01T12:00:00Z","created_before":"2026-03-02T00:00:00Z"}`:                      "0 false", // it was made at noon
		`{"created_after":"2026-03-01T11:00:00Z","created_before":"2026-03-01T12:00:00Z"}`:                      "0 false",
		`{"created_after":"2026-03-01T11:00:00Z","created_before":"2026-03-02T00:00:00Z","endpoint":"other"}`:   "0 false",
		`{"created_after":"2026-03-01T11:00:00Z","created_before":"2026-03-02T00:00:00Z","status":"cancelled"}`: "0 false",
	} {
		reply := w.root.Post(recovery, body).Want(200)
		same(t, body, reply.Response("retried")+" "+reply.Response("more"), want)
	}
	reply := w.root.Post(recovery,
		`{"created_after":"2026-03-01T11:00:00Z","created_before":"2026-03-02T00:00:00Z","endpoint":"receiver","status":"failed"}`).Want(200)
	same(t, "retried", reply.Response("retried"), "1")
	again := w.vic.Get(path).Want(200)
	same(t, "status", again.Response("status"), "pending")
	same(t, "cycle", again.Response("cycle"), "2")
	w.root.Post(recovery, `{"created_after":"2026-03-02T00:00:00Z","created_before":"2026-03-02T00:00:00Z"}`).Refused(422, "")
	w.root.Post(recovery, `{"created_after":"2026-03-01T11:00:00Z","created_before":"2026-03-02T00:00:00Z","status":"delivered"}`).Refused(422, "")
}
