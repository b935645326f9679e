package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/server"
)

// The program is killed in the middle of a call to the provider: before the provider does
// anything, when it has done all, or when it has answered and nothing is stored. The next
// process completes each call: both states agree, or the outcome is unknown and an admin resolves it.

// killing is a program with a provider that kills it at a given step.
type killing struct {
	*process
	dir, token string
	env        []string
	provider   provider
	die        func()
	release    func() // lets the program write again
}

// provider is a double of one of the providers.
type provider interface {
	SetHook(step registrartest.Step, fn func())
	Configure(c *server.Config)
	CloseClientConnections()
}

// settings returns the environment variables for a double.
func settings(configure func(*server.Config)) []string {
	var c server.Config
	configure(&c)
	return []string{"REGISTRAR_IDP=" + c.IDP, "REGISTRAR_IDP_URL=" + c.IDPURL}
}

const clientPath = "/v1/esignet/client-mgmt/client"

// start runs the program in a folder of its own.
func startKilling(t *testing.T, p provider, env []string) *killing {
	t.Helper()
	k := &killing{dir: t.TempDir(), env: env, provider: p, release: func() {}}
	k.process = serve(t, k.dir, env...)
	k.token = program(t, k.dir, "token", "--sub=ana", "--role=PARTNER_ADMIN")
	return k
}

// killAt has the next call to the provider kill the program at a step, or when it has answered
// so many calls.
func (k *killing) killAt(step registrartest.Step, calls int32) {
	k.die = sync.OnceFunc(func() {
		_ = k.cmd.Process.Kill()
		_ = k.cmd.Wait()
	})
	drop := func() {
		k.die()
		panic(http.ErrAbortHandler)
	}
	switch step {
	case registrartest.Answered: // nothing is stored from before the answer until it is dead
		hold, begun, answered := sync.OnceFunc(k.hold), atomic.Int32{}, atomic.Int32{}
		k.provider.SetHook(registrartest.Before, func() {
			if hold(); begun.Add(1) > calls { // the program has read the answer before its end
				drop()
			}
		})
		k.provider.SetHook(registrartest.Answered, func() {
			if answered.Add(1) == calls {
				k.die()
			}
		})
	default:
		k.provider.SetHook(step, drop)
	}
}

// hold keeps the program from writing to its database.
func (k *killing) hold() {
	db, err := sql.Open("sqlite", "file:"+k.dir+"/.data/registrar.db?_pragma=busy_timeout(5000)")
	if err != nil {
		k.t.Error(err)
		return
	}
	conn, err := db.Conn(context.Background())
	if err == nil {
		_, err = conn.ExecContext(context.Background(), "BEGIN IMMEDIATE")
	}
	if err != nil {
		k.t.Error(err)
	}
	k.release = func() { _, _ = conn.Close(), db.Close() } // which rolls back
}

// again restarts the program after the end of the dead process's lease.
func (k *killing) again() {
	k.t.Helper()
	k.provider.CloseClientConnections() // a call that the dead program had sent meets the hooks
	for _, step := range []registrartest.Step{registrartest.Before, registrartest.Done, registrartest.Answered} {
		k.provider.SetHook(step, nil)
	}
	k.release()
	db, err := sql.Open("sqlite", "file:"+k.dir+"/.data/registrar.db?_pragma=busy_timeout(5000)")
	if err == nil {
		_, err = db.Exec("UPDATE idp_call SET leased_ms = 1 WHERE lease_token <> ''")
	}
	if err != nil {
		k.t.Fatal(err)
	}
	_ = db.Close()
	k.process = serve(k.t, k.dir, k.env...)
}

// do makes a call that has to be answered.
func (k *killing) do(method, path string, body map[string]any, want int) {
	k.t.Helper()
	if status, text, err := k.call(method, path, k.token, body); err != nil || status != want {
		k.t.Fatalf("%s: %d %s, %v", method, status, text, err)
	}
}

// dies makes the call in which the program is killed.
func (k *killing) dies(method, path string, body map[string]any) {
	k.t.Helper()
	if status, text, err := k.call(method, path, k.token, body); err == nil {
		k.t.Fatalf("%s: the program answered %d %s", method, status, text)
	}
	k.die()
}

// here returns the client in the program: status, outcome and name.
func (k *killing) here(id string) string {
	k.t.Helper()
	_, text, err := k.call("GET", "/v1/idp/client-mgmt/oidc-client/"+id, k.token, nil)
	if err != nil {
		k.t.Fatal(err)
	}
	var reply struct {
		Response *struct {
			Status, ClientName string
			OutcomeUnknown     bool `json:"doubtful"`
		}
	}
	if err := json.Unmarshal([]byte(text), &reply); err != nil {
		k.t.Fatal(err)
	}
	switch r := reply.Response; {
	case r == nil:
		return "gone"
	case r.OutcomeUnknown:
		return r.Status + " doubtful " + r.ClientName
	default:
		return r.Status + " " + r.ClientName
	}
}

// await polls until the program and the provider have the expected state.
func (k *killing) await(id, here, there string, what func() string) {
	k.t.Helper()
	got := ""
	defer func() {
		if k.t.Failed() {
			k.t.Logf("here %q, want %q; there %q, want %q", got, here, what(), there)
		}
	}()
	timetest.Eventually(k.t, "it has come to its end", func() bool {
		got = k.here(id)
		return got == here
	})
	if what() != there {
		k.t.Error("the provider has something else")
	}
}

// withRequestTime adds the member that later forms of client management require.
func withRequestTime(body map[string]any) map[string]any {
	body["requestTime"] = time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	return body
}

func TestAProgramThatIsKilledDuringACallLosesNothing(t *testing.T) {
	steps := []registrartest.Step{registrartest.Before, registrartest.Done, registrartest.Answered}
	for name, tt := range map[string]struct {
		calls int32        // to the provider
		ends  [3][2]string // the expected state here and there, by step
	}{
		"esignet": {1, [3][2]string{
			{"ACTIVE A", "ACTIVE A"}, {"PENDING doubtful A", "ACTIVE A"}, {"PENDING doubtful A", "ACTIVE A"},
		}},
		"esignet-2.0": {2, [3][2]string{ // it reads, then registers
			{"ACTIVE A", "ACTIVE A encrypted"}, {"ACTIVE A", "ACTIVE A encrypted"}, {"PENDING doubtful A", "ACTIVE A"},
		}},
		"rfc7591": {1, [3][2]string{{"ACTIVE A", "A"}, {"ACTIVE A", "A A"}, {"ACTIVE A", "A A"}}},
	} {
		for i, step := range steps {
			t.Run(name+"/"+string(step), func(t *testing.T) {
				t.Parallel()
				request := withRequestTime(registrartest.ProviderRequest("c1", registrartest.Key(t), map[string]any{"clientName": "A"}))
				double, there := newDouble(t, name)
				if name == "esignet-2.0" {
					enc := registrartest.Key(t)
					enc["use"] = "enc"
					request["request"].(map[string]any)["encPublicKey"] = enc
				}
				k := startKilling(t, double, settings(double.Configure))
				k.killAt(step, tt.calls)
				k.dies("POST", clientPath, request)
				k.again()
				k.await("c1", tt.ends[i][0], tt.ends[i][1], there)
			})
		}
	}
}

// newDouble runs a provider. there returns its clients: their names, and of eSignet the status.
func newDouble(t *testing.T, name string) (double provider, there func() string) {
	if name == "rfc7591" {
		p := registrartest.NewRFC7591(t)
		return p, func() string {
			var names []string
			for _, metadata := range p.Clients() {
				names = append(names, metadata["client_name"].(string))
			}
			return strings.Join(names, " ")
		}
	}
	p := registrartest.NewESignet(t)
	if name == "esignet-2.0" {
		p = registrartest.NewESignet2(t)
	}
	return p, func() string {
		c := p.Client("c1")
		text := strings.TrimSpace(c.Status + " " + c.Name)
		if c.EncKey != nil {
			text += " encrypted"
		}
		return text
	}
}

// Without a remote provider the client is stored whole or not at all.
func TestAProgramThatIsKilledBeforeItStoresLosesNothingEither(t *testing.T) {
	t.Parallel()
	k := startKilling(t, registrartest.NewESignet(t), nil)
	request := withRequestTime(registrartest.ProviderRequest("c1", registrartest.Key(t), nil))
	k.hold()
	ended := make(chan error, 1)
	go func() {
		_, _, err := k.call("POST", clientPath, k.token, request)
		ended <- err
	}()
	_ = k.cmd.Process.Kill()
	_ = k.cmd.Wait()
	if err := timetest.Await(t, ended, "the call ends"); err == nil {
		t.Error("the program answered")
	}
	k.again()
	if got := k.here("c1"); got != "gone" {
		t.Errorf("the client is %s", got)
	}
	k.do("POST", clientPath, request, http.StatusOK)
	if got := k.here("c1"); got != "ACTIVE Health portal" {
		t.Errorf("the client is %s", got)
	}
}
