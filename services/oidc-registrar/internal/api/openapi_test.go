package api_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/web/webtest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/api"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

func TestOpenAPI(t *testing.T) {
	a, err := api.New(api.Options{PublicURL: "https://clients.example"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	webtest.CheckStored(t, got)
	for _, word := range []string{"HTTPValidationError", `"422"`} {
		if strings.Contains(string(got), word) {
			t.Errorf("the document has %s, which the apiPaths never send", word)
		}
	}
}

// What happens to a client is named in the document, whatever it is.
func TestTheDocumentNamesEveryEvent(t *testing.T) {
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Enum []string }
			}
		}
	}
	w := registrartest.Boot(t, registrartest.Options{})
	if err := json.Unmarshal([]byte(w.Call("GET", "/openapi.json", "", nil).Body), &document); err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("../../event.go")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, constant := range regexp.MustCompile(`EventType = "(\w+)"`).FindAllSubmatch(source, -1) {
		want = append(want, string(constant[1]))
	}
	if got := document.Components.Schemas["EventView"].Properties["kind"].Enum; len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("the document names %q, and there are %q", got, want)
	}
}

var requestTime = regexp.MustCompile(`"requestTime": *"[^"]*"`)

// now is a requestTime.
func now() string { return time.Now().UTC().Format("2006-01-02T15:04:05.000Z") }

func TestEveryBodyOfTheDocumentHasAnExampleThatWorks(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	examples := webtest.BodyExamples(t, []byte(w.Call("GET", "/openapi.json", "", nil).Body))
	if len(examples) != 28 {
		t.Errorf("%d bodies, want 28", len(examples))
	}
	send := func(id, method, path, token string) string {
		t.Helper()
		r := w.Call(method, path, token, requestTime.ReplaceAll(examples[id], []byte(`"requestTime":"`+now()+`"`)))
		if r.Status != 200 || r.Code() != "" {
			t.Errorf("the example of %s: %d %s", id, r.Status, r.Body)
		}
		for _, member := range []string{"clientId", "endpointId", "mappingkey"} {
			if id, ok := r.Member(member).(string); ok {
				return id
			}
		}
		return ""
	}
	admin, provider := w.Admin(), w.Provider()
	send("putPolicy", "PUT", "/v1/partnermanager/policies/example-policy", admin)
	send("putPartner", "PUT", "/v1/partnermanager/partners/example-partner", admin)
	mapping := send("requestMapping", "POST", "/v1/partnermanager/partners/example-partner/policy/map", admin)
	send("decideMapping", "PUT", decidePath(mapping), admin)
	client := send("registerPartnerClient", "POST", partnerPath, admin)
	send("updatePartnerClient", "PUT", partnerPath+"/"+client, admin)
	send("disableClient", "POST", "/v1/registrar/clients/"+client+"/disable", admin)
	send("addClientKey", "POST", clientsPath+client+"/keys", admin)
	client = send("registerProviderClient", "POST", providerPath, provider)
	send("updateProviderClient", "PUT", providerPath+"/"+client, provider)
	client = send("registerOauthPartnerClient", "POST", oauthPath, admin)
	send("updateOauthPartnerClient", "PUT", oauthPath+"/"+client, admin)
	send("issueInitialAccessToken", "POST", tokensPath, admin)
	rfc7591Examples(t, w, examples)
	for path, op := range map[string]string{"oidc-client": "Esignet", "oauth-client": "Oauth", "client": "Configured"} {
		client = send("register"+op+"Client", "POST", esignetPath+path, provider)
		send("update"+op+"Client", "PUT", esignetPath+path+"/"+client, provider)
	}
	send("patchConfiguredClient", "PATCH", esignetPath+"client/"+client, provider)
	endpoint := send("createEndpoint", "POST", endpointsPath, admin)
	send("updateEndpoint", "PATCH", endpointsPath+"/"+endpoint, admin)
	send("rotateSecret", "POST", endpointsPath+"/"+endpoint+"/rotate-secret", admin)
	var line string
	if err := json.Unmarshal(examples["importClients"], &line); err != nil {
		t.Error(err)
	}
	if r := w.Call("POST", importPath+"?dryRun=false", admin, []byte(line), "Content-Type", "application/x-ndjson"); r.Member("added") != 1.0 {
		t.Errorf("the example of importClients: %d %s", r.Status, r.Body)
	}
	send("recoverDeliveries", "POST", deliveriesPath+"/recover", admin)
}

// rfc7591Examples sends the examples of the RFC 7591 API, which has its own tokens.
func rfc7591Examples(t *testing.T, w *registrartest.Service, examples map[string][]byte) {
	t.Helper()
	client := members(t, w.Call("POST", standardPath, initialToken(t, w, 1), examples["registerStandardClient"]), 201)
	id, access := client["client_id"].(string), client["registration_access_token"].(string)
	members(t, w.Call("PUT", standardPath+"/"+id, access, bytes.ReplaceAll(examples["updateStandardClient"], []byte("CLIENT_ID"), []byte(id))), 200)
}
