package interop

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/timetest"
)

// install copies a folder of testdata and runs the commands that install its packages. Without the programs or the
// network the test ends.
func install(t *testing.T, folder string, commands ...string) (dir string) {
	t.Helper()
	if !isEnabled() {
		t.Skip("make check SUITE=interop runs this")
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", folder))); err != nil {
		t.Fatal(err)
	}
	for _, command := range commands {
		words := strings.Fields(command)
		if !strings.Contains(words[0], "/") {
			if _, err := exec.LookPath(words[0]); err != nil {
				unavailable(t, words[0]+" is not there")
			}
		}
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			unavailable(t, command+": "+strings.TrimSpace(string(out)))
		}
	}
	return dir
}

func installNode(t *testing.T) (dir string) {
	t.Helper()
	return install(t, "node", "npm ci --ignore-scripts --no-audit --no-fund --loglevel=error")
}

func installPython(t *testing.T) (dir string) {
	t.Helper()
	return install(t, "python", "python3 -m venv env",
		"env/bin/python -m pip install --quiet --requirement requirements.txt")
}

// The registrations are those of the libraries, with their defaults. The libraries find the registrar in Keycloak's
// metadata.
func TestLibrariesRegisterByTheStandardAPI(t *testing.T) {
	k := theKeycloak(t)
	s := k.startFoundRegistrar()
	root := k.person("root")
	for _, library := range []struct {
		name, policy string
		install      func(*testing.T) string
		command      []string
	}{
		{"npm openid-client", "demo-policy", installNode, []string{"node", "openid-client.mjs"}},
		{"npm oauth4webapi", "app-policy", installNode, []string{"node", "oauth4webapi.mjs"}},
		{"PyPI authlib", "demo-policy", installPython, []string{"env/bin/python", "with_authlib.py"}},
		{"PyPI idpyoidc", "demo-policy", installPython, []string{"env/bin/python", "with_idpyoidc.py"}},
	} {
		t.Run(library.name, func(t *testing.T) {
			ask(t, library.name, "registers with its defaults by the initial access token, and signs a user in at Keycloak")
			k := k
			k.t = t
			var initial struct{ Token string }
			s.call(root, "POST", "/v1/registrar/admin/initial-access-tokens", object{
				"request": object{"authPartnerId": "demo-partner", "policyId": library.policy},
			}).Is(200).Decode(&initial)
			out := k.signInBy(library.install(t), library.command, func(string) {}, "INITIAL_TOKEN="+initial.Token,
				"ISSUER="+k.issuer(), "REDIRECT_URI="+portal)
			if !strings.Contains(out, anaID) {
				t.Errorf("the user is %s", out)
			}
		})
	}
}

const portal = "https://portal.example/callback"

// Clients of the Model Context Protocol find the authorization server of a resource, register there without a token,
// and sign in once wf has approved them.
func TestAgentsRegisterAndWaitForTheApproval(t *testing.T) {
	k := theKeycloak(t)
	address := k.registrarAddress()
	wf, s := k.startWithApprovals(address, "OPEN_REGISTRATION=demo-partner/app-policy",
		"SUPPORTED_GRANT_TYPES=authorization_code,refresh_token")
	resource := k.newResource()
	k.give(anaID, "offline_access") // requested by the Python SDK with refresh_token
	root, ana := k.person("root"), k.person("ana")
	for _, sdk := range []struct {
		name    string
		install func(*testing.T) string
		command []string
	}{
		{"npm @modelcontextprotocol/sdk", installNode, []string{"node", "mcp.mjs"}},
		{"PyPI mcp", installPython, []string{"env/bin/python", "with_mcp.py"}},
	} {
		t.Run(sdk.name, func(t *testing.T) {
			ask(t, sdk.name, "finds the registrar, waits for the approval in wf, signs in with PKCE")
			k, wf, s := k, wf, s
			k.t, wf.t, s.t = t, t, t
			dir := sdk.install(t)
			approve := func(signIn string) {
				if shown := newBrowser(t, "").open(signIn); shown.status != http.StatusBadRequest {
					t.Errorf("before the approval Keycloak shows %d %s", shown.status, shown.text)
				}
				var tasks struct{ Items []struct{ ID string } }
				timetest.Eventually(t, "wf asks ana", func() bool {
					wf.call(ana, "GET", "/v1/wf/tasks?inbox=me&status=open", nil).Is(200).Decode(&tasks)
					return len(tasks.Items) == 1
				})
				wf.call(ana, "POST", "/v1/wf/tasks/"+tasks.Items[0].ID+"/decision", object{"action": "approve"}).Is(200)
				timetest.Eventually(t, "the client is at Keycloak", func() bool {
					var list struct{ Items []struct{ Status string } }
					s.call(root, "GET", partnerAPI+"?status=PENDING", nil).Is(200).Decode(&list)
					return len(list.Items) == 0
				})
			}
			out := k.signInBy(dir, sdk.command, approve, "RESOURCE="+resource,
				"REDIRECT_URI=http://localhost:3334/oauth/callback")
			if !strings.Contains(out, anaID) {
				t.Errorf("the resource returns %s", out)
			}
		})
	}
}

// registrarAddress is the address that Keycloak's metadata has for registrations. Without a registrar there the test
// ends.
func (k keycloak) registrarAddress() string {
	k.t.Helper()
	var m struct {
		Registration string `json:"registration_endpoint"`
	}
	get(k.t, k.issuer()+"/.well-known/openid-configuration", &m)
	at, err := url.Parse(m.Registration)
	if err != nil || at.Path != "/v1/registrar/register" {
		unavailable(k.t, "the metadata of this Keycloak has no registrar; deploy/keycloak/README.md has its options")
	}
	return at.Host
}

// startFoundRegistrar starts the registrar of Keycloak's metadata.
func (k keycloak) startFoundRegistrar() service {
	k.t.Helper()
	address := k.registrarAddress()
	return k.startRegistrar("LISTEN="+address, "PUBLIC_URL=http://"+address)
}

// signInBy runs a program that registers a client and prints the address of its sign-in. Once ready returns, ana signs
// in there. The program reads the address that her browser comes back to. The rest of its output is returned.
func (k keycloak) signInBy(dir string, command []string, ready func(signIn string), variables ...string) string {
	k.t.Helper()
	path := command[0]
	if strings.Contains(path, "/") {
		path = filepath.Join(dir, path)
	}
	cmd := exec.CommandContext(k.t.Context(), path, command[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), variables...)
	var problem strings.Builder
	cmd.Stderr = &problem
	in, err := cmd.StdinPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		k.t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	address, err := lines.ReadString('\n')
	signIn, urlErr := url.Parse(strings.TrimSpace(address))
	if err != nil || urlErr != nil {
		_ = cmd.Wait()
		k.t.Fatalf("%s registers no client: %s%s", command[1], address, problem.String())
	}
	query := signIn.Query()
	k.forget(query.Get("client_id"))
	ready(signIn.String())
	b := newBrowser(k.t, query.Get("redirect_uri"))
	came := b.signIn(signIn.String(), "ana", passwordOf("ana"))
	if came.consents() {
		came = b.submit(came, isConsent, nil)
	}
	fmt.Fprintln(in, came.at)
	rest, _ := io.ReadAll(lines)
	if err := cmd.Wait(); err != nil {
		k.t.Fatalf("%s after the sign-in at %s (%s): %v\n%s%s", command[1], came.at, came.text, err, rest, problem.String())
	}
	return string(rest)
}

// newResource starts a server of the Model Context Protocol as far as its clients need it for a token. Its metadata
// (RFC 9728) name Keycloak. A request with a token gets what Keycloak says about the user.
func (k keycloak) newResource() (address string) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	k.t.Cleanup(server.Close)
	const metadata = "/.well-known/oauth-protected-resource/mcp"
	mux.HandleFunc(metadata, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(mustJSON(k.t, object{
			"resource": server.URL + "/mcp", "authorization_servers": []string{k.issuer()},
			"scopes_supported": []string{"openid"},
		}))
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		request, err := http.NewRequest(http.MethodGet, k.issuer()+"/protocol/openid-connect/userinfo", nil)
		if err != nil {
			panic(err)
		}
		request.Header.Set("Authorization", r.Header.Get("Authorization"))
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			panic(err)
		}
		defer answer.Body.Close()
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+server.URL+metadata+`"`)
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body)
	})
	return server.URL + "/mcp"
}
