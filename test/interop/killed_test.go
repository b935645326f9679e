package interop

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
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
	env := []string{"REGISTRAR_LISTEN=" + address, "REGISTRAR_ADMIN_LISTEN=off", "REGISTRAR_RECONCILE_EVERY=0", "REGISTRAR_CATALOG_FILE=" + catalog(t)}
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

// dies makes a call and kills the program during it: the provider completes the call of the method, and its
// answer is lost.
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
		k.t.Errorf("%s %s: the killed program answered %d", method, path, response.StatusCode)
	}
	select {
	case <-k.process.Done():
	case <-time.After(time.Minute):
		k.t.Fatalf("%s %s killed nothing", method, path)
	}
	w.lose("", nil)
}

// stop ends the program.
func (k *killable) stop() {
	k.process.Signal(os.Interrupt)
	k.process.Wait()
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

// A registrar is killed after Keycloak's change and before its answer. With credentials for all clients the
// next process repeats the change. Without them the client is locked, and the refusal names that reason.
func TestARegistrarThatIsKilledDuringAChangeAtKeycloak(t *testing.T) {
	for name, manages := range map[string]bool{"with management credentials": true, "without management credentials": false} {
		t.Run(name, func(t *testing.T) {
			ask(t, "Keycloak", "a registrar that is killed during a change and during a registration, "+name)
			k := theKeycloak(t)
			w, m := newWire(t, k.url), discover(t, k.issuer())
			port, _ := url.Parse(w.URL)
			base := []string{
				"IDP=keycloak", "IDP_URL=" + w.URL + "/realms/" + k.realm + "/clients-registrations/openid-connect", "IDP_CLIENT_ID=oidc-registrar", "IDP_CLIENT_SECRET=registrar-secret",
				"ALLOW_HTTP_OUTBOUND=true", "OUTBOUND_ALLOW=127.0.0.0/8", "OUTBOUND_PORTS=" + port.Port(),
			}
			manager := append(base[:len(base):len(base)], "IDP_MANAGE_CLIENT_ID=oidc-registrar-manager", "IDP_MANAGE_CLIENT_SECRET=manager-secret")
			settings := base
			if manages {
				settings = manager
			}
			dir := t.TempDir()
			r := developKillable(t, dir, settings...)
			if warned := strings.Contains(r.process.Log.String(), "REGISTRAR_IDP_MANAGE_CLIENT_ID is not set"); warned == manages {
				t.Errorf("warned at the start: %t", warned)
			}
			rp := newRelyingParty(t)
			var made comparedClient
			r.call(r.root, "POST", partnerAPI, atPartners(rp)).Is(200).Decode(&made)
			k.forget(made.ProviderClientID)
			rp.redirect = "https://portal.example/new"
			r.dies(w, "PUT", "PUT", partnerAPI+"/"+made.ClientID, rp.changedByPartners("ACTIVE"))

			r = developKillable(t, dir, settings...)
			if !manages {
				timetest.Eventually(t, "the client is doubtful", func() bool { return r.client(made.ClientID).Doubtful })
				later := r.call(r.root, "PUT", partnerAPI+"/"+made.ClientID, rp.changedByPartners("INACTIVE"))
				later.ExpectRefusal(200, "invalid_status")
				if !strings.Contains(string(later.Body), "REGISTRAR_IDP_MANAGE_CLIENT_ID") {
					t.Errorf("a later change: %s", later.Body)
				}
				r.reconcile().expect(t, "1 doubtful", "client "+made.ClientID+": not compared")
				r.stop()
				r = developKillable(t, dir, manager...)
				r.call(r.root, "POST", "/v1/registrar/admin/clients/"+made.ClientID+"/confirm", nil).Is(200)
			}
			timetest.Eventually(t, "the change is made", func() bool {
				c := r.client(made.ClientID)
				return !c.Doubtful && c.Name == "Renamed"
			})
			if who, refusal := rp.signIn(m, made.ProviderClientID, "ana"); refusal != "" || who.Name != "Ana Lima" {
				t.Errorf("after the change ana signs in as %+v %s", who, refusal)
			}
			r.reconcile().expect(t, "1 same", "0 doubtful", "0 unknown")

			// A registration: Keycloak has a client unknown to the registrar, and the comparison finds it.
			other := newRelyingParty(t)
			r.dies(w, "POST", "POST", providerAPI, other.providerRegistration())
			r = developKillable(t, dir, manager...)
			var second comparedClient
			timetest.Eventually(t, "the client is registered again", func() bool {
				var c struct{ ClientID, ProviderClientID, Status string }
				r.call(r.root, "GET", providerAPI+"/"+other.id(), nil).Decode(&c)
				second.ProviderClientID = c.ProviderClientID
				return c.Status == "ACTIVE"
			})
			k.forget(second.ProviderClientID)
			said := r.reconcile()
			said.expect(t, "2 same", "1 unknown", "registered for client "+other.id())
			for _, line := range strings.Split(string(said), "\n") {
				if _, orphan, ok := strings.Cut(line, "client "); ok && strings.Contains(line, "registered for client "+other.id()) {
					id, _, _ := strings.Cut(orphan, " ")
					if id == second.ProviderClientID {
						t.Errorf("%s is the client itself", id)
					}
					k.forget(id)
				}
			}
		})
	}
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
