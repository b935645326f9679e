package browser_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/test/browser"
	"github.com/countersign/countersign/test/programs"
)

// skipUnwanted skips a test without make check SUITE=browser: a browser takes a minute, and npm needs the network.
func skipUnwanted(t *testing.T) {
	t.Helper()
	if os.Getenv("COUNTERSIGN_BROWSER") == "" {
		t.Skip("make check SUITE=browser runs this")
	}
}

func TestTheInboxInABrowser(t *testing.T) { testInbox(t, "story.mjs") }

func TestTheTaskListInABrowser(t *testing.T) { testInbox(t, "worklist.mjs") }

// testInbox runs a story of the inbox on a service of its own.
func testInbox(t *testing.T, name string) {
	t.Helper()
	skipUnwanted(t)
	wf := programs.Build(t, "wf")
	dir := t.TempDir()
	address := programs.Start(t, wf, "WF_LISTEN", dir, "WF_RATE_PERSON=0", "WF_ADMIN_LISTEN=off")
	admin := exec.CommandContext(t.Context(), wf, "token", "--sub", "ada", "--role", "WF_ADMIN")
	admin.Dir = dir
	token, err := admin.Output()
	if err != nil {
		t.Fatal(err)
	}
	browser.RunStory(t, name, "BASE="+address+"/inbox", "ADMIN="+strings.TrimSpace(string(token)))
}

func TestThePolicyEditorInABrowser(t *testing.T) {
	skipUnwanted(t)
	address := programs.Start(t, programs.Build(t, "wf"), "WF_LISTEN", t.TempDir(), "WF_RATE_PERSON=0",
		"WF_ADMIN_LISTEN=off", "WF_POLICY_FOUR_EYES=true")
	browser.RunStory(t, "editor.mjs", "BASE="+address+"/inbox")
}

func TestTheConsoleInABrowser(t *testing.T) {
	skipUnwanted(t)
	address := programs.Start(t, programs.Build(t, "oidc-registrar"), "REGISTRAR_LISTEN", t.TempDir(), "REGISTRAR_ADMIN_LISTEN=off")
	browser.RunStory(t, "registrar.mjs", "BASE="+address+"/console", "KEYS="+t.TempDir())
}

func TestClientsOfTheConsoleInABrowser(t *testing.T) {
	skipUnwanted(t)
	provider := httptest.NewServer(&provider{clients: map[string]map[string]any{}})
	t.Cleanup(provider.Close)
	program, dir := programs.Build(t, "oidc-registrar"), t.TempDir()
	address := programs.Start(t, program, "REGISTRAR_LISTEN", dir, "REGISTRAR_ADMIN_LISTEN=off", "REGISTRAR_IDP=rfc7591",
		"REGISTRAR_IDP_URL="+provider.URL+"/register", "REGISTRAR_IDP_TOKEN_URL="+provider.URL+"/token", "REGISTRAR_IDP_CLIENT_ID=registrar",
		"REGISTRAR_IDP_CLIENT_SECRET=secret", "REGISTRAR_APPROVAL_URL=http://127.0.0.1:1")
	admin := exec.CommandContext(t.Context(), program, "token", "--sub", "ada", "--role", "PARTNER_ADMIN")
	admin.Dir = dir
	token, err := admin.Output()
	if err != nil {
		t.Fatal(err)
	}
	browser.RunStory(t, "clients.mjs", "BASE="+address+"/console", "KEYS="+t.TempDir(), "ADMIN="+strings.TrimSpace(string(token)))
}

// provider is an identity provider with dynamic client registration. It loses the reply to a change of a client whose
// name begins with Lost, and has other redirect URIs of one whose name begins with Changed.
type provider struct {
	mu      sync.Mutex
	clients map[string]map[string]any
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var sent map[string]any
	_ = json.NewDecoder(r.Body).Decode(&sent) // nil for other calls
	id := strings.TrimPrefix(r.URL.Path, "/register/")
	name, _ := sent["client_name"].(string)
	status := http.StatusOK
	switch {
	case r.URL.Path == "/token":
		sent = map[string]any{"access_token": "token", "token_type": "Bearer", "expires_in": 300}
	case r.Method == http.MethodPost:
		id, status = fmt.Sprintf("at-provider-%d", len(p.clients)+1), http.StatusCreated
		p.clients[id] = sent
	case r.Method == http.MethodPut:
		if p.clients[id] = sent; strings.HasPrefix(name, "Lost") {
			panic(http.ErrAbortHandler)
		}
	}
	if r.URL.Path != "/token" {
		sent = maps.Clone(p.clients[id])
		sent["client_id"], sent["registration_client_uri"], sent["registration_access_token"] = id, "http://"+r.Host+"/register/"+id, "token"
		if name, _ := sent["client_name"].(string); strings.HasPrefix(name, "Changed") && r.Method == http.MethodGet {
			sent["redirect_uris"] = []string{"https://elsewhere.example/callback"}
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(sent)
}
