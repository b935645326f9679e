package story

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/keycloaktest"
)

// directory shows approvers from a directory and from a resolver. It starts doubles of both, and a wf
// that is connected to them.
func (s *story) directory() {
	s.chapter("Approvers from a directory")

	s.step("Start a directory, a resolver and a wf")
	realm := keycloaktest.New()
	defer realm.Close()
	resolver, err := s.resolver()
	if err != nil {
		s.fail("%w", err)
		return
	}
	defer resolver.Close()
	mail, err := openMailbox(s.ctx)
	if err != nil {
		s.fail("%w", err)
		return
	}
	defer mail.close()
	base, stop, err := s.another(realm, mail)
	if err != nil {
		s.fail("start another wf with %s: %w", s.Program, err)
		return
	}
	defer stop()
	nina := realm.AddUser(keycloaktest.User{ID: "nina", Username: "nina"})
	omar := realm.AddUser(keycloaktest.User{ID: "omar", Username: "omar"})
	olga := realm.AddDisabled(keycloaktest.User{ID: "olga", Username: "olga"})
	gina := realm.AddUser(keycloaktest.User{ID: "gina", Username: "gina"})
	realm.AddUser(keycloaktest.User{ID: "mona", Username: "mona.b"})
	realm.AddUser(keycloaktest.User{ID: "rosa", Username: "rosa", Attributes: map[string][]string{"manager": {"mona.b"}}})
	realm.AddGroup("/payments", omar)
	realm.AddRole("payments-officer", keycloaktest.Holders{Users: []string{nina, olga}, Groups: []string{"/payments"}})
	realm.AddRole("auditor", keycloaktest.Holders{Users: []string{gina}})
	realm.AddGroup("/audit/internal", gina)
	s.line("nina, omar, olga      role payments-officer, omar through the group; the account of olga is disabled")
	s.line("gina                  group /audit/internal")
	s.line("mona                  manager of rosa")
	s.line("hugo                  result of the resolver")
	s.proves("The directory is a double of Keycloak, with the same HTTP interface.")

	as := func(name string, roles ...string) person {
		return s.enter(base, bearer.DevToken{Subject: name, Roles: roles})
	}
	s.runDirectory(as, realm, resolver.URL)
	s.payments(as, realm, mail)
	s.agents(as)
}

// runDirectory makes the steps at the wf with a directory.
func (s *story) runDirectory(as func(string, ...string) person, realm *keycloaktest.Keycloak, resolver string) {
	ana, rosa := as("ana", "WF_ADMIN"), as("rosa")
	inForce := func(key string, stages ...object) {
		ana.post("/v1/wf/policies", object{"policy_key": key, "name": "Payment", "stages": stages}).is(201)
		ana.post("/v1/wf/policies/"+key+"/versions/1/activate", nil).is(200)
	}

	s.step("Create a policy with rules of a directory")
	s.line("officer: one user with the role payments-officer")
	s.line("seniors: the group /audit, the manager of the requester and the users of the resolver, all of them")
	inForce("payment",
		object{
			"key": "officer", "name": "Officer", "quorum": object{"mode": "any"},
			"approvers": []object{{"type": "role", "role": "payments-officer"}},
		},
		object{
			"key": "seniors", "name": "Seniors",
			"approvers": []object{
				{"type": "group", "path": "/audit", "include_subgroups": true},
				{"type": "manager", "of": "requester"},
				{"type": "http", "url": resolver, "params": object{"rota": "payments"}},
			},
		})
	inForce("audit", object{"key": "audit", "name": "Audit", "approvers": []object{{"type": "role", "role": "auditor"}}})
	s.proves("A change of staff requires no change of the policy.")

	s.step("Create a request")
	created := rosa.post("/v1/wf/requests", object{"policy_key": "payment", "title": "Invoice 7", "context": object{"amount": 900}}).is(201).
		has("stages.0.quorum.seats", 2)
	task := created.taskOf("nina")
	created.taskOf("omar")
	path := "/v1/wf/requests/" + created.value("id")
	s.proves("wf resolves the approvers when a stage starts. Disabled accounts are left out.")

	s.step("Stop the directory")
	realm.SetHook(func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusServiceUnavailable)
		return true
	})
	rosa.post("/v1/wf/requests", object{"policy_key": "audit"}).expectCodes(503, "WF-007")
	as("nina").decide(task, object{"action": "approve"}).is(200).
		has("request.status", "in_review").has("request.stages.0.status", "approved").has("request.stages.1.status", "resolving")
	s.proves("A new request is refused and not stored. A decision is stored; the next stage is resolving.")

	s.step("Start the directory: the request continues")
	realm.SetHook(nil)
	waiting := rosa.poll(path, "stages.1.status", "active")
	for _, name := range []string{"gina", "mona", "hugo"} {
		as(name).decide(waiting.taskOf(name), object{"action": "approve"}).is(200)
	}
	rosa.get(path).is(200).has("status", "approved")
	s.proves("wf retries a resolving stage after 5 s, with increasing delays.")

	s.step("Create a request for a role without users")
	realm.AddRole("controller", keycloaktest.Holders{})
	inForce("control", object{
		"key": "control", "name": "Control", "approvers": []object{{"type": "role", "role": "controller"}}, "quorum": object{"mode": "count", "value": 2},
	})
	blocked := rosa.post("/v1/wf/requests", object{"policy_key": "control"}).is(201).
		has("status", "blocked").has("tasks.0.kind", "rescue").has("tasks.1.kind", "rescue")
	path = "/v1/wf/requests/" + blocked.value("id")
	again := "/v1/wf/admin/requests/" + blocked.value("id") + "/reevaluate"
	s.proves("The stage is blocked with two rescue tasks, which an admin can assign.")

	s.step("Add users to the role and re-evaluate the stage")
	realm.AddRole("controller", keycloaktest.Holders{Users: []string{"nina", "omar"}})
	staffed := ana.post(again, nil).is(200).has("status", "in_review").has("stages.0.quorum.seats", 2)
	for _, name := range []string{"nina", "omar"} {
		as(name).decide(staffed.taskOf(name), object{"action": "approve"}).is(200)
	}
	rosa.get(path).is(200).has("status", "approved")
	ana.post(again, nil).expectCodes(409, "WF-007")
	s.proves("The stage has enough approvers, and its rescue tasks are closed. wf would also re-evaluate it on its schedule.")
}

// resolver starts an HTTP resolver that verifies signatures and returns hugo.
func (s *story) resolver() (*httptest.Server, error) {
	secret, err := s.secret()
	if err != nil {
		return nil, err
	}
	key, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, fmt.Errorf("webhook secret: %w", err)
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxHook))
		if err != nil || key.Verify(body, r.Header) != nil {
			http.Error(w, "invalid signature", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(object{"users": []object{{"id": "hugo", "name": "Hugo on call"}}, "cache_ttl": 60})
	})), nil
}

// another starts a wf with the realm as its directory and a mail server, and returns its base URL. stop ends
// it and removes its data.
func (s *story) another(realm *keycloaktest.Keycloak, mail *mailbox) (base string, stop func(), err error) {
	data, err := filepath.Abs(s.Data)
	if err != nil {
		return "", nil, err
	}
	address, err := freeAddress(s.ctx)
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "countersign-demo-")
	if err != nil {
		return "", nil, err
	}
	var logs bytes.Buffer
	cmd := exec.CommandContext(s.ctx, s.Program, "serve", "--dev") // #nosec G204 -- the caller names the program
	cmd.Stdout, cmd.Stderr = &logs, &logs
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	cmd.Env = []string{
		"WF_LISTEN=" + address, "WF_ADMIN_LISTEN=off", "WF_DATABASE_URL=sqlite:" + filepath.Join(dir, "wf.db"), "WF_DATA_DIR=" + data,
		"WF_MCP=true", "WF_INBOX_URL=http://" + address, "WF_NOTIFY_SMTP_URL=" + mail.url(), "WF_NOTIFY_FROM=approvals@example.org",
		"WF_CHECKPOINT_EVERY=1s",
		"WF_KEYCLOAK_URL=" + realm.URL + "/realms/" + realm.Realm,
		"WF_KEYCLOAK_CLIENT_ID=" + realm.ClientID, "WF_KEYCLOAK_CLIENT_SECRET=" + realm.ClientSecret,
	}
	if err := cmd.Start(); err != nil {
		_ = os.RemoveAll(dir)
		return "", nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		_ = os.RemoveAll(dir)
	}
	if err := s.ready("http://"+address, ended); err != nil {
		stop()
		return "", nil, fmt.Errorf("%w\n%s", err, &logs)
	}
	return "http://" + address, stop, nil
}

// ready waits until a service is ready or has ended.
func (s *story) ready(base string, ended chan error) error {
	ctx, cancel := context.WithTimeout(s.ctx, 30*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", nil)
		if err != nil {
			return err
		}
		if res, err := s.http.Do(req); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-tick.C:
		case err := <-ended:
			ended <- err // for stop
			return fmt.Errorf("ended before it was ready: %w", err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// freeAddress returns a free address of this machine.
func freeAddress(ctx context.Context) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}
