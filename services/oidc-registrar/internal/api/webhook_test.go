package api_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"

	"github.com/countersign/countersign/libs/work"
)

const (
	endpointsPath  = "/v1/registrar/admin/webhooks"
	deliveriesPath = "/v1/registrar/admin/deliveries"
)

// receiver receives webhooks. It verifies each with its secret and replies with a
// status.
type receiver struct {
	*httptest.Server
	service *registrartest.Service
	id      string // of its endpoint

	mu     sync.Mutex
	secret string
	status int
	seen   []message
}

// message is a webhook as it arrived.
type message struct {
	Type string
	Data struct {
		EventID             string
		Sequence            int64
		PartnerID, PolicyID string
		Changed             []string
		Reason              string
		Actor               string
		Client              *struct{ ClientID, Status string }
	}
	body string
}

// receive adds an endpoint by the API and starts what stands behind it.
func receive(t *testing.T, w *registrartest.Service, request map[string]any) *receiver {
	t.Helper()
	r := &receiver{service: w, status: 200}
	r.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		body, err := io.ReadAll(req.Body)
		if err == nil {
			err = verify(r.secret, body, req.Header)
		}
		var m message
		if err = errors.Join(err, json.Unmarshal(body, &m)); err != nil || req.Header.Get("webhook-id") != m.Data.EventID {
			t.Errorf("message %s: %v", body, err)
		}
		if req.Header.Get("registrar-delivery-id") == "" || req.Header.Get("registrar-attempt") == "" || req.UserAgent() != "registrar-webhooks/1" {
			t.Errorf("headers: %v", req.Header)
		}
		m.body = string(body)
		r.seen = append(r.seen, m)
		rw.WriteHeader(r.status)
	}))
	t.Cleanup(r.Close)
	request["url"] = r.URL
	made := w.Call("POST", endpointsPath, w.Admin(), map[string]any{"request": request})
	r.id, _ = made.Member("endpointId").(string)
	r.secret, _ = made.Member("secret").(string)
	if made.Status != 200 || r.id == "" || !strings.HasPrefix(r.secret, "whsec_") {
		t.Fatalf("create: %d %s", made.Status, made.Body)
	}
	return r
}

func verify(secret string, body []byte, header http.Header) error {
	reference, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return err
	}
	return reference.Verify(body, header)
}

func (r *receiver) answers(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// gets makes the service send the due deliveries, and returns the messages since the previous
// call.
func (r *receiver) gets(t *testing.T) []message {
	t.Helper()
	if _, err := r.service.Sender.RunOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.seen
	r.seen = nil
	slices.SortStableFunc(seen, func(a, b message) int { return int(a.Data.Sequence - b.Data.Sequence) })
	return seen
}

// path is that of the endpoint.
func (r *receiver) path() string { return endpointsPath + "/" + r.id }

func types(list []message) (names []string) {
	for _, m := range list {
		names = append(names, m.Type)
	}
	return names
}

func TestClientEventsAreDelivered(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	everything := receive(t, w, map[string]any{"name": "all"})
	other := receive(t, w, map[string]any{"name": "other", "policyIds": []string{"another-*"}})
	ends := receive(t, w, map[string]any{"name": "ends", "events": []string{"client.deactivated"}})

	registered := w.Call("POST", partnerPath, w.Admin(), registrartest.PartnerRequest(registrartest.Key(t), nil))
	id, _ := registered.Member("clientId").(string)
	got := everything.gets(t)
	if want := []string{"client.registered", "client.activated"}; !slices.Equal(types(got), want) {
		t.Fatalf("messages %q, want %q", types(got), want)
	}
	for i, m := range got {
		if m.Data.Client == nil || m.Data.Client.ClientID != id || m.Data.PartnerID != "demo-partner" || m.Data.PolicyID != "demo-policy" ||
			m.Data.Actor != "admin" || m.Data.Sequence != int64(i)+1 || strings.Contains(m.body, "kty") {
			t.Errorf("message %s", m.body)
		}
	}
	for _, change := range []struct {
		request map[string]any
		want    string
	}{
		{map[string]any{"clientName": "Another name"}, "client.updated"},
		{map[string]any{"clientName": "Another name", "status": "INACTIVE"}, "client.deactivated"},
		{map[string]any{"clientName": "Another name"}, "client.activated"},
	} {
		w.Call("PUT", partnerPath+"/"+id, w.Admin(), registrartest.UpdateRequest(change.request))
		if got := everything.gets(t); len(got) != 1 || got[0].Type != change.want || got[0].Data.Changed == nil {
			t.Errorf("after %v the messages are %+v, want %s", change.request, got, change.want)
		}
	}
	if got := w.Call("PUT", partnerPath+"/"+id, w.Admin(),
		registrartest.UpdateRequest(map[string]any{"clientName": "Another name"})); got.Code() != "" ||
		len(everything.gets(t)) != 0 {
		t.Errorf("a call without a change has a message: %s", got.Body)
	}
	if got := w.Call("PUT", partnerPath+"/"+id, w.Admin(),
		registrartest.UpdateRequest(map[string]any{"redirectUris": []any{"http://x"}})); got.Code() == "" ||
		len(everything.gets(t)) != 0 {
		t.Errorf("a refusal has a message: %s", got.Body)
	}
	if got := types(ends.gets(t)); !slices.Equal(got, []string{"client.deactivated"}) {
		t.Errorf("the subscriber of ends received %q", got)
	}
	w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("app", registrartest.Key(t), nil))
	for name, r := range map[string]*receiver{"all": everything, "of another policy": other} {
		got := r.gets(t)
		if want := []string{"client.registered", "client.activated"}; !slices.Equal(types(got), want) ||
			got[0].Data.PolicyID != "" || got[0].Data.PartnerID != "rp-1" {
			t.Errorf("%s received a client without a policy: %+v", name, got)
		}
	}
}

func TestAnEndpointIsManaged(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	r := receive(t, w, map[string]any{"name": "portal", "signature": "both"})
	admin := w.Admin()
	read := w.Call("GET", r.path(), admin, nil)
	if read.Member("name") != "portal" || read.Member("secret") != nil || strings.Contains(read.Body, r.secret) ||
		read.Member("secretHint") != r.secret[len(r.secret)-4:] {
		t.Errorf("read: %s", read.Body)
	}
	if list := w.Call("GET", endpointsPath+"?q=PORT", admin, nil); !strings.Contains(list.Body, r.id) || strings.Contains(list.Body, "sealed") {
		t.Errorf("list: %s", list.Body)
	}

	w.Call("POST", r.path()+"/test", admin, nil)
	if got := r.gets(t); len(got) != 1 || got[0].Type != "webhook.test" || got[0].Data.Client != nil {
		t.Errorf("test: %+v", got)
	}

	before := r.secret
	rotated := w.Call("POST", r.path()+"/rotate-secret", admin, map[string]any{"request": map[string]any{}})
	after, _ := rotated.Member("secret").(string)
	if after == "" || after == before || rotated.Member("previousSecretExpiresAt") == nil {
		t.Errorf("rotate: %s", rotated.Body)
	}
	for _, secret := range []string{before, after} { // either verifies during the overlap
		r.mu.Lock()
		r.secret = secret
		r.mu.Unlock()
		w.Call("POST", r.path()+"/test", admin, nil)
		if len(r.gets(t)) != 1 {
			t.Error("no message")
		}
	}

	if off := w.Call("PATCH", r.path(), admin,
		map[string]any{"request": map[string]any{"enabled": false,
			"events": []string{"client.failed"}}}); off.Member("enabled") != false || off.Member("disabledReason") != "admin" {
		t.Errorf("disable: %s", off.Body)
	}
	if refused := w.Call("POST", r.path()+"/test", admin, nil); refused.Code() != "webhook_state" {
		t.Errorf("a test of a disabled endpoint: %s", refused.Body)
	}
	if gone := w.Call("DELETE", r.path(), admin, nil); gone.Member("endpointId") != r.id {
		t.Errorf("delete: %s", gone.Body)
	}
	if none := w.Call("GET", r.path(), admin, nil); none.Status != 200 || none.Code() != "webhook_not_found" {
		t.Errorf("read of a deleted endpoint: %d %s", none.Status, none.Body)
	}
}

func TestInvalidEndpointsAreRefused(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	there := receive(t, w, map[string]any{"name": "there"})
	for name, tt := range map[string]struct {
		request map[string]any
		code    string
		says    string
	}{
		"no name":             {map[string]any{"url": there.URL}, "PMS_COR_001", "name"},
		"a name that is used": {map[string]any{"name": "there", "url": there.URL}, "webhook_state", "an endpoint there exists"},
		"no address":          {map[string]any{"name": "a"}, "PMS_COR_001", "url"},
		"a forbidden address": {map[string]any{"name": "a", "url": "https://user@portal.example/"}, "PMS_COR_001", "url"},
		"a pattern of none":   {map[string]any{"name": "a", "url": there.URL, "events": []string{"client.gone"}}, "PMS_COR_001", "events"},
		"no list":             {map[string]any{"name": "a", "url": there.URL, "events": "client.*"}, "PMS_COR_001", "events"},
		"a number in a list": {map[string]any{"name": "a", "url": there.URL, "policyIds": []any{"p", 1}}, "PMS_COR_001",
			"Input should be a valid string :request.policyIds[1]"},
		"too many patterns": {map[string]any{"name": "a", "url": there.URL, "policyIds": slices.Repeat([]string{"p"}, 51)}, "PMS_COR_001", "policyIds"},
		"a bad pattern":     {map[string]any{"name": "a", "url": there.URL, "policyIds": []string{"[a"}}, "PMS_COR_001", "policyIds"},
		"another signature": {map[string]any{"name": "a", "url": there.URL, "signature": "v2"}, "PMS_COR_001", "signature"},
		"a short secret":    {map[string]any{"name": "a", "url": there.URL, "secret": "whsec_c2hvcnQ="}, "PMS_COR_001", "secret"},
		"enabled as a text": {map[string]any{"name": "a", "url": there.URL, "enabled": "yes"}, "PMS_COR_001", "enabled"},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.Call("POST", endpointsPath, w.Admin(), map[string]any{"request": tt.request})
			if r.Status != 200 || r.Code() != tt.code || !strings.Contains(r.Body, tt.says) || strings.Contains(r.Body, "c2hvcnQ") {
				t.Errorf("%d %s, want %s with %q", r.Status, r.Body, tt.code, tt.says)
			}
		})
	}
	if r := w.Call("POST", endpointsPath, w.Admin(), map[string]any{}); r.Code() != "PMS_COR_001" {
		t.Errorf("no request: %s", r.Body)
	}
}

func TestDeliveriesAreListedAndSentAgain(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	r, admin := receive(t, w, map[string]any{"name": "portal", "events": []string{"client.registered"}}), w.Admin()
	r.answers(500)
	id, _ := w.Call("POST", partnerPath, admin, registrartest.PartnerRequest(registrartest.Key(t), nil)).Member("clientId").(string)
	first := r.gets(t)
	if len(first) != 1 {
		t.Fatalf("%d messages", len(first))
	}
	var list struct {
		Response struct {
			Items []struct{ DeliveryID, Status, LastError string }
		}
	}
	find := func(query string) int {
		t.Helper()
		list.Response.Items = nil
		if err := json.Unmarshal([]byte(w.Call("GET", deliveriesPath+query, admin, nil).Body), &list); err != nil {
			t.Fatal(err)
		}
		return len(list.Response.Items)
	}
	for query, want := range map[string]int{
		"?status=delivered": 0, "?clientId=x": 0, "?eventType=client.failed": 0, "?endpoint=x": 0, "?createdAfter=2999-01-01T00:00:00Z": 0,
		"?status=pending": 1, "?eventType=client.registered&endpoint=portal": 1, "?clientId=" + id: 1,
	} {
		if got := find(query); got != want {
			t.Errorf("%s lists %d, want %d", query, got, want)
		}
	}
	if got := find(""); got != 1 {
		t.Fatalf("%d deliveries", got)
	}
	delivery := list.Response.Items[0]
	if delivery.Status != "pending" || delivery.LastError != "status 500" {
		t.Errorf("delivery = %+v", delivery)
	}
	if detail := w.Call("GET", deliveriesPath+"/"+delivery.DeliveryID, admin, nil); !strings.Contains(detail.Body, first[0].body) {
		t.Errorf("%s, detail: %s", first[0].body, detail.Body)
	}
	r.answers(200)
	w.Call("POST", deliveriesPath+"/"+delivery.DeliveryID+"/retry", admin, nil)
	if again := r.gets(t); len(again) != 1 || again[0].Data.EventID != first[0].Data.EventID {
		t.Errorf("sent again: %+v", again)
	}
	for path, what := range map[string]string{"/retry": "delivered", "": ""} {
		unknown := w.Call(map[bool]string{true: "POST", false: "GET"}[path != ""], deliveriesPath+"/x"+path, admin, nil)
		if unknown.Code() != "webhook_state" {
			t.Errorf("an unknown delivery %s: %s", what, unknown.Body)
		}
	}
	if refused := w.Call("POST", deliveriesPath+"/"+delivery.DeliveryID+"/retry", admin, nil); refused.Code() != "webhook_state" {
		t.Errorf("a delivered message is sent again: %s", refused.Body)
	}
}

func TestDeliveriesOfATimeAreSentAgain(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	r, admin := receive(t, w, map[string]any{"name": "portal"}), w.Admin()
	w.Call("POST", partnerPath, admin, registrartest.PartnerRequest(registrartest.Key(t), nil))
	w.Call("PATCH", r.path(), admin, map[string]any{"request": map[string]any{"enabled": false}}) // cancels pending deliveries
	w.Call("PATCH", r.path(), admin, map[string]any{"request": map[string]any{"enabled": true}})
	if got := r.gets(t); len(got) != 0 {
		t.Fatalf("a cancelled delivery is sent: %+v", got)
	}
	body := map[string]any{"endpoint": "portal", "status": "cancelled", "createdAfter": "2000-01-01T00:00:00Z", "createdBefore": "2999-01-01T00:00:00Z"}
	if again := w.Call("POST", deliveriesPath+"/recover", admin,
		map[string]any{"request": body}); again.Member("retried") != 2.0 || again.Member("more") != false {
		t.Errorf("recover: %s", again.Body)
	}
	if got := r.gets(t); len(got) != 2 {
		t.Errorf("%d messages, want 2", len(got))
	}
	for _, bad := range []map[string]any{
		{"createdAfter": "2999-01-01T00:00:00Z", "createdBefore": "2000-01-01T00:00:00Z"},
		{"createdAfter": "yesterday", "createdBefore": "2000-01-01T00:00:00Z"},
		{"createdAfter": "2000-01-01T00:00:00Z"},
		{"endpoint": 1, "createdAfter": "2000-01-01T00:00:00Z", "createdBefore": "2999-01-01T00:00:00Z"},
		{"status": "pending", "createdAfter": "2000-01-01T00:00:00Z", "createdBefore": "2999-01-01T00:00:00Z"},
	} {
		if r := w.Call("POST", deliveriesPath+"/recover", admin, map[string]any{"request": bad}); r.Code() != "PMS_COR_001" {
			t.Errorf("%v: %s", bad, r.Body)
		}
	}
}

// Every message conforms to the document's schema of its type.
func TestMessagesAreAsDocumented(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	r, admin := receive(t, w, map[string]any{"name": "portal"}), w.Admin()
	id, _ := w.Call("POST", partnerPath, admin, registrartest.PartnerRequest(registrartest.Key(t), nil)).Member("clientId").(string)
	w.Call("PUT", partnerPath+"/"+id, admin, registrartest.UpdateRequest(map[string]any{"status": "INACTIVE"}))
	w.Call("POST", r.path()+"/test", admin, nil)
	document := w.API.API.OpenAPI()
	check := func(kind string, body []byte) {
		t.Helper()
		hook := document.Webhooks[kind]
		if hook == nil {
			t.Errorf("%s is not documented", kind)
			return
		}
		var value any
		if err := json.Unmarshal(body, &value); err != nil {
			t.Fatal(err)
		}
		result := huma.ValidateResult{}
		huma.Validate(document.Components.Schemas, hook.Post.RequestBody.Content["application/json"].Schema,
			huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, value, &result)
		for _, err := range result.Errors {
			t.Errorf("%s: %v: %s", kind, err, body)
		}
	}
	got := r.gets(t)
	if len(got) != 4 {
		t.Errorf("%d messages: %q", len(got), types(got))
	}
	for _, m := range got {
		check(m.Type, []byte(m.body))
	}
	for kind, hook := range document.Webhooks {
		example, _ := hook.Post.RequestBody.Content["application/json"].Example.(json.RawMessage)
		check(kind, example)
	}
	if len(document.Webhooks) != 6 || work.MaxAttempts != 6 {
		t.Errorf("%d messages are documented, with %d attempts", len(document.Webhooks), work.MaxAttempts)
	}
}
