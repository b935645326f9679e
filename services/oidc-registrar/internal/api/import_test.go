package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

const (
	importPath = "/v1/registrar/admin/import"
	exportPath = "/v1/registrar/admin/export"
	ndjson     = "application/x-ndjson"
)

func record(t *testing.T, id string) string {
	t.Helper()
	key, err := json.Marshal(registrartest.Key(t))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"clientId":%q,"api":"provider","clientName":"Moved","partnerId":"rp-1","publicKey":%s,"userClaims":["name"],"authContextRefs":["mosip:idp:acr:password"],`+
		`"logoUri":"https://rp.example/l.png","redirectUris":["https://rp.example/cb"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"],"status":"ACTIVE"}`+"\n", id, key)
}

func TestAdminsBringClientsInAndTakeThemOut(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	body := []byte(record(t, "c1") + record(t, "a/b"))
	for _, tt := range []struct {
		path, want string
	}{
		{importPath, `"dryRun":true,"added":1,"unchanged":0,"refused":1`},
		{importPath + "?dryRun=true", `"dryRun":true,"added":1,`},
		{importPath + "?dryRun=false",
			`"dryRun":false,"added":1,"unchanged":0,"refused":1,"flagged":0,"refusedLines":[{"line":2,"message":"clientId: must not have a slash`},
		{importPath + "?dryRun=false", `"dryRun":false,"added":0,"unchanged":1,`},
	} {
		r := w.Call("POST", tt.path, w.Admin(), body, "Content-Type", ndjson)
		if r.Status != 200 || !strings.Contains(r.Body, tt.want) {
			t.Errorf("%s: %d %s, want %s", tt.path, r.Status, r.Body, tt.want)
		}
	}
	out := w.Call("GET", exportPath, w.Admin(), nil)
	if out.Status != 200 || out.Header.Get("Content-Type") != ndjson || strings.Count(out.Body, "\n") != 1 ||
		!strings.HasPrefix(out.Body, `{"clientId":"c1"`) || !strings.Contains(out.Body, `"createdBy":"admin"`) {
		t.Errorf("%d %v %s", out.Status, out.Header, out.Body)
	}
	if r := w.Call("POST", importPath+"?dryRun=false", w.Admin(), []byte(out.Body), "Content-Type",
		ndjson); !strings.Contains(r.Body, `"unchanged":1,"refused":0`) {
		t.Errorf("the removed member: %s", r.Body)
	}
	if got := response(t, w.Call("GET", providerPath+"/c1", w.Admin(), nil)); got["status"] != "ACTIVE" {
		t.Errorf("the client is %v", got)
	}
}

func TestAnImportIsForAdminsAndInItsMediaType(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	body := []byte(record(t, "c1"))
	for name, tt := range map[string]struct {
		method, path, token, media string
		status                     int
	}{
		"no token":             {"POST", importPath, "", ndjson, 401},
		"a partner":            {"POST", importPath, w.Partner("ana", "demo-partner"), ndjson, 403},
		"the provider":         {"POST", importPath, w.Provider(), ndjson, 403},
		"JSON":                 {"POST", importPath, w.Admin(), "application/json", 415},
		"not true or false":    {"POST", importPath + "?dryRun=maybe", w.Admin(), ndjson, 200},
		"an unknown parameter": {"POST", importPath + "?write=true", w.Admin(), ndjson, 200},
		"an export, a partner": {"GET", exportPath, w.Partner("ana", "demo-partner"), "", 403},
	} {
		r := w.Call(tt.method, tt.path, tt.token, body, "Content-Type", tt.media)
		if r.Status != tt.status || r.Code() == "" {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	if r := w.Call("GET", providerPath+"/c1", w.Admin(), nil); r.Code() != "invalid_client_id" {
		t.Errorf("a refused call has brought in a client: %s", r.Body)
	}
}

// A body that is longer than any other call's is read as it comes, and one caller has one
// import at a time.
func TestAnImportIsReadAsItComes(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	body, feed := io.Pipe()
	done := make(chan string, 1)
	go func() {
		req, err := http.NewRequestWithContext(t.Context(), "POST", w.URL+importPath+"?dryRun=false", body)
		if err != nil {
			t.Error(err)
			return
		}
		req.Header.Set("Content-Type", ndjson)
		req.Header.Set("Authorization", "Bearer "+w.Admin())
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			done <- err.Error()
			return
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		done <- fmt.Sprint(res.StatusCode, string(text), err)
	}()
	for i := range 1500 { // 600 KiB
		if _, err := io.WriteString(feed, record(t, fmt.Sprint("c", i))); err != nil {
			t.Fatal(err)
		}
	}
	timetest.Eventually(t, "the first part is stored", func() bool {
		return w.Call("GET", providerPath+"/c999", w.Admin(), nil).Code() == ""
	})
	if r := w.Call("POST", importPath, w.Admin(), []byte("\n"), "Content-Type", ndjson); r.Status != 429 || r.Header.Get("Retry-After") == "" {
		t.Errorf("another import of the same caller: %d %s", r.Status, r.Body)
	}
	if err := feed.Close(); err != nil {
		t.Fatal(err)
	}
	if got := timetest.Await(t, done, "the import ends"); !strings.HasPrefix(got, "200") || !strings.Contains(got, `"added":1500`) {
		t.Error(got)
	}
}
