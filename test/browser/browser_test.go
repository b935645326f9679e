package browser

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/test/programs"
)

// wanted is set by make browser: a browser takes a minute, and npm needs the network.
const wanted = "COUNTERSIGN_BROWSER"

func TestTheInboxInABrowser(t *testing.T) { tellOfInbox(t, "story.mjs") }

func TestTheTaskListInABrowser(t *testing.T) { tellOfInbox(t, "worklist.mjs") }

// tellOfInbox runs a story of the inbox on a service of its own.
func tellOfInbox(t *testing.T, name string) {
	t.Helper()
	cache, env := prepare(t)
	wf := programs.Build(t, "wf")
	dir := t.TempDir()
	address := programs.Start(t, wf, "WF_LISTEN", dir, "WF_RATE_PERSON=0", "WF_ADMIN_LISTEN=off")
	admin := exec.CommandContext(t.Context(), wf, "token", "--sub", "ada", "--role", "WF_ADMIN")
	admin.Dir = dir
	token, err := admin.Output()
	if err != nil {
		t.Fatal(err)
	}
	tell(t, cache, append(env, "BASE="+address+"/inbox", "ADMIN="+strings.TrimSpace(string(token))), name)
}

func TestThePolicyEditorInABrowser(t *testing.T) {
	cache, env := prepare(t)
	address := programs.Start(t, programs.Build(t, "wf"), "WF_LISTEN", t.TempDir(), "WF_RATE_PERSON=0", "WF_ADMIN_LISTEN=off", "WF_POLICY_FOUR_EYES=true")
	tell(t, cache, append(env, "BASE="+address+"/inbox"), "editor.mjs")
}

func TestTheConsoleInABrowser(t *testing.T) {
	cache, env := prepare(t)
	address := programs.Start(t, programs.Build(t, "oidc-registrar"), "REGISTRAR_LISTEN", t.TempDir(), "REGISTRAR_ADMIN_LISTEN=off")
	tell(t, cache, append(env, "BASE="+address+"/console", "KEYS="+t.TempDir()), "registrar.mjs")
}

func TestClientsOfTheConsoleInABrowser(t *testing.T) {
	cache, env := prepare(t)
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
	tell(t, cache, append(env, "BASE="+address+"/console", "KEYS="+t.TempDir(), "ADMIN="+strings.TrimSpace(string(token))), "clients.mjs")
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

// prepare installs the tools of the stories. It returns their folder and their settings.
func prepare(t *testing.T) (cache string, env []string) {
	t.Helper()
	if os.Getenv(wanted) == "" {
		t.Skip("make browser runs this")
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("there is no chromium: apt-get install chromium")
	}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("there is no %s", tool)
		}
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	cache = filepath.Join(root, ".cache", "browser")
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(cache, 0o755); err != nil { // #nosec G301 -- tools and pictures
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(cache, name), text, 0o644); err != nil { // #nosec G306 -- tools and pictures
			t.Fatal(err)
		}
	}
	run(t, cache, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	return cache, []string{"CHROMIUM=" + chromium, "MODULES=" + filepath.Join(cache, "node_modules")}
}

// tell runs a story. Its pictures are in a folder of its name.
func tell(t *testing.T, cache string, env []string, name string) {
	t.Helper()
	story, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	folder := "pictures"
	if name != "story.mjs" {
		folder += "-" + strings.TrimSuffix(name, ".mjs")
	}
	run(t, cache, append(env, "PICTURES="+filepath.Join(cache, folder)), "node", story)
}

func run(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir, command.Env = dir, append(os.Environ(), env...)
	out, err := command.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
