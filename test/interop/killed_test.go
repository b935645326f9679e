package interop

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/test/programs"
)

// wire is a proxy between the registrar and a provider. It can lose the answer to a call after the provider
// has processed it.
type wire struct {
	*httptest.Server
	target string

	mu     sync.Mutex
	method string // of the call about a client whose answer is lost
	lost   func()
}

func newWire(t *testing.T, target string) *wire {
	w := &wire{target: strings.TrimRight(target, "/")}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

// lose calls lost instead of forwarding the next answer to a method of a client, and all later answers.
func (w *wire) lose(method string, lost func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.method, w.lost = method, lost
}

func (w *wire) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(in.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	ctx := context.WithoutCancel(in.Context()) // the provider completes the call although the caller dies
	call, err := http.NewRequestWithContext(ctx, in.Method, w.target+in.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	call.Header = in.Header.Clone()
	call.Header.Del("Accept-Encoding")
	answer, err := http.DefaultTransport.RoundTrip(call)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	w.mu.Lock()
	method, lost := w.method, w.lost
	w.mu.Unlock()
	if method == in.Method && lost != nil && !strings.HasSuffix(in.URL.Path, "/token") {
		lost()
		err = http.ErrAbortHandler
	}
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	// Addresses of the provider are those of the wire.
	text = bytes.ReplaceAll(text, []byte(w.target), []byte(w.URL))
	out.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
	out.WriteHeader(answer.StatusCode)
	_, _ = out.Write(text)
}

// killable is an oidc-registrar with the development issuer. It can be restarted on the same database.
type killable struct {
	service
	dir     string
	process *programs.Process
	root    string
}

// developKillable starts one in a new folder, or in the folder of an earlier one.
func developKillable(t *testing.T, dir string, variables ...string) *killable {
	t.Helper()
	address := programs.FreeAddress(t)
	env := []string{
		"REGISTRAR_LISTEN=" + address, "REGISTRAR_ADMIN_LISTEN=off",
		"REGISTRAR_CATALOG_FILE=" + catalog(t, "confidential"),
	}
	for _, variable := range variables {
		env = append(env, "REGISTRAR_"+variable)
	}
	path := programs.Build(t, "oidc-registrar")
	run := func(args ...string) *programs.Process {
		return programs.Run(t, dir, env, path, append(args, "--dev")...)
	}
	p := run("serve")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s", p.Log.String())
		}
	})
	p.Ready("http://" + address)
	root, err := daemon.DevToken(filepath.Join(dir, ".data"), bearer.DevToken{
		Audience: "countersign-registrar", Subject: "root", Roles: []string{"PARTNER_ADMIN"}, TTL: time.Hour,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &killable{service{t, "http://" + address, run}, dir, p, root}
}

// killLimit is the maximum duration of a kill. It is longer than the time until the first retry of a slow call.
const killLimit = 3 * time.Minute

// dies makes a call and kills the program during it, or during a retry: the provider completes the call of the method,
// and its answer is lost.
func (k *killable) dies(w *wire, lost, method, path string, body object) {
	k.t.Helper()
	w.lose(lost, func() {
		k.process.Signal(os.Kill)
		<-k.process.Done()
	})
	request := mustRequest(k.t, method, k.url+path, body)
	request.Header.Set("Authorization", "Bearer "+k.root)
	if response, err := http.DefaultClient.Do(request); err == nil {
		_ = response.Body.Close()
		if response.StatusCode != http.StatusServiceUnavailable { // an earlier try was too slow
			k.t.Errorf("%s %s: the killed program answered %d", method, path, response.StatusCode)
		}
	}
	select {
	case <-k.process.Done():
	case <-time.After(killLimit):
		k.t.Fatalf("%s %s killed nothing", method, path)
	}
	w.lose("", nil)
}

// awaitProviderClient waits until a client of the client-management API has a status and a name. The first retry of a
// slow call is after a minute.
func (k *killable) awaitProviderClient(path, status, name string) {
	k.t.Helper()
	timetest.Eventually(k.t, path+" is "+status, func() bool {
		var c struct{ Status, ClientName string }
		k.call(k.root, "GET", path, nil).Is(200).Decode(&c)
		return c.Status == status && c.ClientName == name
	})
}

// client is a client in the registrar's response.
func (k *killable) client(id string) (c struct {
	ClientID, ProviderClientID, Status, Name string
	Doubtful                                 bool
}) {
	k.t.Helper()
	k.call(k.root, "GET", partnerAPI+"/"+id, nil).Is(200).Decode(&c)
	return c
}

// A registrar is killed after Keycloak's change and before its answer. The next process repeats the call: each client
// is there once, and none is doubtful. COUNTERSIGN_KILLS is the number of kills; 3 without it.
func TestARegistrarThatIsKilledDuringACallAtKeycloak(t *testing.T) {
	ask(t, "Keycloak", "admin API: a registrar that is killed during registrations, changes and disables; one client each, no orphan")
	k := theKeycloak(t)
	kills, err := strconv.Atoi(cmp.Or(os.Getenv("COUNTERSIGN_KILLS"), "3"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWire(t, k.url)
	settings := append(k.asProvider(w.URL), "ALLOW_HTTP_OUTBOUND=true", "OUTBOUND_ALLOW=127.0.0.0/8,"+portOf(t, w.URL))
	dir := t.TempDir()
	r := developKillable(t, dir, settings...)
	before := k.clientCount()
	for n := range kills {
		rp := newRelyingParty(t)
		id, at := rp.id(), providerAPI+"/"+rp.id()
		k.forget(id)
		const registered = "Portal of a relying party"
		status, name := "ACTIVE", registered
		if n%3 == 0 {
			r.dies(w, "POST", "POST", providerAPI, rp.providerRegistration())
		} else {
			status, name = map[int]string{1: "ACTIVE", 2: "INACTIVE"}[n%3], "Renamed"
			made := r.call(r.root, "POST", providerAPI, rp.providerRegistration())
			if made.Status != http.StatusServiceUnavailable { // Keycloak was too slow
				made.Is(200)
			}
			r.awaitProviderClient(at, "ACTIVE", registered)
			r.dies(w, "PUT", "PUT", at, rp.changeWithClaims(status))
		}
		r = developKillable(t, dir, settings...)
		r.awaitProviderClient(at, status, name)
		if _, there := k.client(id); there["enabled"] != (status == "ACTIVE") || there["name"] != name {
			t.Errorf("kill %d: Keycloak has %v, enabled %v", n, there["name"], there["enabled"])
		}
	}
	r.reconcile().expect(t, fmt.Sprintf("%d same, 0 different, 0 missing, 0 unknown, 0 not compared", kills))
	if n := k.clientCount() - before; n != kills {
		t.Errorf("after %d kills Keycloak has %d clients more", kills, n)
	}
}

// clientCount returns the number of clients of the realm.
func (k keycloak) clientCount() int {
	var all []object
	k.manage(http.MethodGet, "/"+k.realm+"/clients", nil, &all)
	return len(all)
}

func mustRequest(t *testing.T, method, address string, body object) *http.Request {
	t.Helper()
	request, err := http.NewRequest(method, address, bytes.NewReader(mustJSON(t, body)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	return request
}
