package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/keycloaktest"
	"github.com/countersign/countersign/libs/logtest"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

var empty sqldbtest.Schema

func TestMain(m *testing.M) { os.Exit(empty.Run(m)) }

// config returns the defaults with args, on a database and a port of its own.
func config(t *testing.T, args ...string) server.Config {
	t.Helper()
	dir := t.TempDir()
	var c server.Config
	args = append([]string{"--listen=127.0.0.1:0", "--admin-listen=127.0.0.1:0", "--database-url=" + empty.Fresh(t),
		"--data-dir=" + dir, "--drain-delay=0s"}, args...)
	if err := server.Program().Parse(&c, args); err != nil {
		t.Fatal(err)
	}
	return c
}

// running is a server that was started.
type running struct {
	t    *testing.T
	log  *logtest.Log
	stop context.CancelFunc
	done chan error
}

// start runs a server until the test is over.
func start(t *testing.T, c server.Config) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	r := &running{t: t, log: &logtest.Log{}, stop: cancel, done: make(chan error, 1)}
	go func() { r.done <- server.Run(ctx, c, r.log.Logger(), nil) }()
	t.Cleanup(cancel)
	return r
}

// wait returns the error of the server.
func (r *running) wait() error {
	r.t.Helper()
	return timetest.Await(r.t, r.done, "the server ends")
}

// awaitLog polls the log for a line and returns its part between text and a quote.
func (r *running) awaitLog(text string) string {
	r.t.Helper()
	var value string
	timetest.Eventually(r.t, text+" is logged", func() bool {
		select {
		case err := <-r.done:
			r.t.Fatalf("the server stopped: %v\n%s", err, r.log)
		default:
		}
		_, rest, ok := strings.Cut(r.log.String(), text)
		value, _, _ = strings.Cut(rest, `"`)
		return ok
	})
	return value
}

func (r *running) get(path string) (int, string) {
	r.t.Helper()
	res, err := http.Get("http://" + r.awaitLog(`"msg":"listening","address":"`) + path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func TestServerServesUntilStopped(t *testing.T) {
	r := start(t, config(t, "--dev"))
	r.awaitLog(`"msg":"ready`)
	for _, path := range []string{"/livez", "/readyz", "/version", "/v1/registrar/health", "/openapi.json", "/openapi.yaml", "/docs"} {
		if status, body := r.get(path); status != 200 {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	r.stop()
	if err := r.wait(); err != nil {
		t.Errorf("error = %v", err)
	}
}

func TestItIsAliveButNotReadyWithoutItsDatabase(t *testing.T) {
	r := start(t, config(t, "--dev", "--database-url=postgres://nobody:hunter2@127.0.0.1:1/none"))
	r.awaitLog(`"reachable":false`)
	timetest.Eventually(t, "the readiness names the database", func() bool {
		_, body := r.get("/readyz")
		return strings.Contains(body, "the database cannot be reached")
	})
	if status, _ := r.get("/livez"); status != 200 {
		t.Errorf("livez: %d", status)
	}
	for path, want := range map[string]string{"/readyz": `"PMS_PRT_500"`, "/v1/registrar/health": `"PMS_PRT_500"`,
		"/v1/idp/client-mgmt/oidc-client/c": `"errorMessage":"the database cannot be reached"`} {
		if status, body := r.get(path); status != 503 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	r.stop()
	if err := r.wait(); err != nil {
		t.Errorf("error = %v", err)
	}
	if strings.Contains(r.log.String(), "hunter2") {
		t.Errorf("the password is logged:\n%s", r.log)
	}
}

func TestItWaitsForTheKeysOfItsIssuer(t *testing.T) {
	issuer, err := bearer.OpenDevIssuer(filepath.Join(t.TempDir(), "issuer.jwk"))
	if err != nil {
		t.Fatal(err)
	}
	var up atomic.Bool
	asked := make(chan struct{}, 100)
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		if !up.Load() {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(issuer.JWKS())
	}))
	defer keys.Close()
	port := keys.URL[strings.LastIndexByte(keys.URL, ':')+1:]
	r := start(t, config(t, "--auth-issuer=https://issuer.test", "--auth-jwks-url="+keys.URL,
		"--allow-http-outbound", "--outbound-allow=127.0.0.0/8,"+port))
	r.awaitLog("database migrated")
	for range 2 { // the second time is a second later
		<-asked
	}
	if status, _ := r.get("/readyz"); status != 503 || strings.Contains(r.log.String(), `"msg":"ready`) {
		t.Errorf("ready without keys: %d", status)
	}
	up.Store(true)
	r.awaitLog(`"msg":"ready`)
	if status, _ := r.get("/readyz"); status != 200 {
		t.Errorf("not ready: %d", status)
	}
}

// A caller without a valid token cannot make the service call its issuer at will.
func TestLogoutTokensOfUnknownKeysCauseOneCallToTheIssuer(t *testing.T) {
	issuer, err := bearer.OpenDevIssuer(filepath.Join(t.TempDir(), "issuer.jwk"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := bearer.OpenDevIssuer(filepath.Join(t.TempDir(), "other.jwk"))
	if err != nil {
		t.Fatal(err)
	}
	var fetched atomic.Int32
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fetched.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(issuer.JWKS())
	}))
	defer keys.Close()
	port := keys.URL[strings.LastIndexByte(keys.URL, ':')+1:]
	r := start(t, config(t, "--auth-issuer=https://issuer.test", "--auth-jwks-url="+keys.URL,
		"--allow-http-outbound", "--outbound-allow=127.0.0.0/8,"+port,
		"--console-client-id=console", "--public-url=https://registrar.example", "--enc-keys=k1:"+seal.NewKey()))
	r.awaitLog(`"msg":"ready`)
	at := "http://" + r.awaitLog(`"msg":"listening","address":"`) + "/console/backchannel-logout"
	told := func(signs *bearer.DevIssuer) int {
		token, err := signs.Issue(bearer.DevToken{Issuer: "https://issuer.test", Subject: "ana", Audience: "console",
			TTL: time.Minute, Claims: map[string]any{
				"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}, "sid": "session",
			}})
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(url.Values{"logout_token": {token}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "registrar.example"
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	if code := told(issuer); code != http.StatusOK {
		t.Fatalf("a logout token of the issuer: %d", code)
	}
	before := fetched.Load()
	for range 5 {
		if code := told(other); code != http.StatusBadRequest {
			t.Errorf("a logout token of an unknown key: %d", code)
		}
	}
	if n := fetched.Load() - before; n > 1 {
		t.Errorf("the keys of the issuer were read %d times", n)
	}
}

func TestInvalidStartupConfigurationIsNamed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	bad := write("bad.yaml", "partners:\n  - partnerId: p\n    name: P\n    type: T\n    status: ON\n")
	for name, tt := range map[string]struct{ arg, want string }{
		"the address":          {"--listen=127.0.0.1:99999", "REGISTRAR_LISTEN: "},
		"the catalogue":        {"--catalog-file=" + bad, "REGISTRAR_CATALOG_FILE: " + bad + ": line 5: status must be ACTIVE or INACTIVE"},
		"a missing catalogue":  {"--catalog-file=" + dir + "/none", "REGISTRAR_CATALOG_FILE: "},
		"the database":         {"--database-url=sqlite:" + bad, "REGISTRAR_DATABASE_URL: open SQLite " + bad + ": file is not a database"},
		"the catalogue's text": {"--catalog-file=" + write("text.yaml", "x: y\n"), "line 1: x is not a known member"},
	} {
		t.Run(name, func(t *testing.T) {
			err := start(t, config(t, "--dev", tt.arg)).wait()
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
		})
	}
}

func TestTheSampleDoesNotComeBack(t *testing.T) {
	c := config(t, "--dev")
	for range 2 {
		r := start(t, c)
		r.awaitLog(`"msg":"ready`)
		r.stop()
		if err := r.wait(); err != nil {
			t.Fatal(err)
		}
	}
}

// Without credentials for all clients a crash during a change locks a client.
func TestTheStartWarnsOfTokensThatAreReplaced(t *testing.T) {
	registry := []string{"--idp=rfc7591", "--idp-url=http://127.0.0.1:1/register"}
	for want, flags := range map[string][]string{
		"the identity provider may replace the registration access token": registry,
		"": append(registry[:2:2], "--idp-token-url=http://127.0.0.1:1/token", "--idp-client-id=r",
			"--idp-manage-client-id=m"),
	} {
		var log logtest.Log
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_ = server.Run(ctx, config(t, append(flags, "--dev")...), log.Logger(), nil)
		if said := log.String(); !strings.Contains(said, want) || strings.Contains(said, "REGISTRAR_IDP_MANAGE_CLIENT_ID is not set") != (want != "") {
			t.Errorf("%v: %s", flags, said)
		}
	}
}

// Without manage-clients every call would fail. A Keycloak that cannot be reached may come back.
func TestTheStartRefusesAServiceAccountWithoutItsRole(t *testing.T) {
	k := keycloaktest.New()
	defer k.Close()
	flags := []string{
		"--dev", "--idp=keycloak", "--idp-url=" + k.URL + "/realms/" + k.Realm,
		"--idp-client-id=" + k.ClientID, "--idp-client-secret=" + k.ClientSecret,
	}
	for name, tt := range map[string]struct {
		roles []string
		fails bool // Keycloak answers 503
		want  string
	}{
		"every role":        {nil, false, ""},
		"manage-clients":    {[]string{"manage-clients"}, false, ""},
		"view-clients":      {[]string{"view-clients"}, false, "REGISTRAR_IDP_CLIENT_ID lacks a role of the client realm-management: manage-clients"},
		"no role":           {[]string{}, false, "manage-clients"},
		"not to be reached": {nil, true, ""},
	} {
		k.Configure(keycloaktest.Settings{Roles: tt.roles})
		k.SetHook(func(w http.ResponseWriter, _ *http.Request) bool {
			if tt.fails {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return tt.fails
		})
		r := start(t, config(t, flags...))
		if tt.want == "" {
			r.awaitLog(`"msg":"ready`)
			r.stop()
		}
		if err := r.wait(); (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
