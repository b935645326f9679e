package server_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
)

func TestReadOnlyServesReadsAlone(t *testing.T) {
	c := config(t, "--dev")
	r := start(t, c)
	r.awaitLog(`"msg":"ready`)
	r.stop()
	if err := r.wait(); err != nil {
		t.Fatal(err)
	}

	c.ReadOnly = true
	r = start(t, c)
	r.awaitLog(`"msg":"ready`)
	for _, path := range []string{"/readyz", "/v1/registrar/health"} {
		if status, body := r.get(path); status != 200 {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	token, err := daemon.DevToken(c.DataDir, bearer.DevToken{Subject: "root", Audience: c.AuthAudience, Roles: []string{"PARTNER_ADMIN"}})
	if err != nil {
		t.Fatal(err)
	}
	call := func(method, path string) (status int, body string, retry string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, "http://"+r.awaitLog(`"msg":"listening","address":"`)+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		reply, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		var members map[string]json.RawMessage
		if err := json.NewDecoder(reply.Body).Decode(&members); err != nil {
			t.Fatal(err)
		}
		text, _ := json.Marshal(members)
		return reply.StatusCode, string(text), reply.Header.Get("Retry-After")
	}
	if status, body, _ := call("GET", "/v1/partnermanager/partners"); status != 200 || !strings.Contains(body, "partnerId") {
		t.Errorf("partners: %d %s", status, body)
	}
	_, text := r.get("/openapi.json")
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	writes := 0
	for path, operations := range document.Paths {
		for method := range operations {
			if method == "get" {
				continue
			}
			writes++
			want := `"errorCode":"PMS_PRT_500","message":"the service is read-only"`
			switch {
			case strings.HasPrefix(path, "/v1/idp/"), strings.HasPrefix(path, "/v1/esignet/"),
				strings.HasPrefix(path, "/v1/registrar/clients/"):
				want = `"errorCode":"unknown_error","errorMessage":"the service is read-only"`
			case strings.HasPrefix(path, "/v1/registrar/register"):
				want = `"error":"temporarily_unavailable"`
			}
			status, body, retry := call(strings.ToUpper(method), strings.NewReplacer("{", "", "}", "").Replace(path))
			if status != http.StatusServiceUnavailable || !strings.Contains(body, want) || retry != "60" {
				t.Errorf("%s %s: %d %s, want 503 with %s", method, path, status, body, want)
			}
		}
	}
	if writes < 20 {
		t.Errorf("the document has %d operations that write", writes)
	}
	r.stop()
	if err := r.wait(); err != nil {
		t.Error(err)
	}
	if log := r.log.String(); strings.Contains(log, `"level":"ERROR"`) {
		t.Error(log)
	}
}
