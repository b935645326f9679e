package containers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// stack is docker-compose.yml, started by make up in a clone of the repository.
type stack struct {
	t      *testing.T // of the subtest that runs
	folder string
	env    []string
	wf     string // URL at the proxy
	tokens []string
}

const (
	replicas = 3
	workers  = 6
	pace     = 100 * time.Millisecond // between two calls of a worker: the limit of a person is 50 a second
)

// The subtests share one stack and run in this order; make check SUITE=containers ARGS='-run TestTheStack/kill' takes one.
func TestTheStackInContainers(t *testing.T) {
	if os.Getenv("COUNTERSIGN_CONTAINERS") == "" {
		t.Skip("make check SUITE=containers runs it")
	}
	if reason := os.Getenv("DOCKER_MISSING"); reason != "" {
		if os.Getenv("COUNTERSIGN_REQUIRE_CONTAINERS") != "" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	s := startStack(t)
	for _, test := range []struct {
		name string
		run  func(*stack)
	}{
		{"images", (*stack).images},
		{"smoke", (*stack).smoke},
		{"restart", (*stack).restart},
		{"partition", (*stack).partition},
		{"kill", (*stack).kill},
		{"observability", (*stack).observability},
		{"mail", (*stack).mail},
		{"keycloak", (*stack).keycloak},
		{"upgrade", (*stack).upgrade}, // last: it leaves a schema that the image of the other subtests refuses
	} {
		t.Run(test.name, func(t *testing.T) {
			s.t = t
			test.run(s)
		})
		s.t = t
	}
}

func startStack(t *testing.T) *stack {
	folder := filepath.Join(t.TempDir(), "clone")
	run(t, nil, "git", "-c", "safe.directory=*", "clone", "--quiet", root, folder)
	// The variables of the make that runs this test would make the inner ones print folders.
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS") })
	s := &stack{t: t, folder: folder, env: append(env, "COMPOSE_PROJECT_NAME=countersign-test")}
	t.Cleanup(func() {
		down := exec.Command("docker", "compose", "--profile", "*", "down", "--volumes", "--timeout", "5")
		down.Dir, down.Env = s.folder, s.env
		if out, err := down.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	s.do("make", "up")
	s.scale()
	s.wf = "http://" + strings.TrimSpace(s.compose("port", "proxy", "8081"))
	for i := range workers {
		s.tokens = append(s.tokens, s.token("load-"+strconv.Itoa(i)))
	}
	policy := `{"policy_key": "load", "name": "Load", "stages": [{"key": "check", "name": "Check", "approvers": [{"type": "user", "ids": ["ana"]}]}]}`
	s.must("POST", "/v1/wf/policies", s.token("ada", "--role", "WF_ADMIN"), policy, http.StatusCreated)
	s.must("POST", "/v1/wf/policies/load/versions/1/activate", s.token("eve", "--role", "WF_ADMIN"), "", http.StatusOK)
	return s
}

// do runs a program in the clone and returns its output.
func (s *stack) do(program string, arguments ...string) string {
	s.t.Helper()
	return run(s.t, &exec.Cmd{Dir: s.folder, Env: s.env}, program, arguments...)
}

func (s *stack) docker(arguments ...string) string {
	s.t.Helper()
	return strings.TrimSpace(s.do("docker", arguments...))
}

func (s *stack) compose(arguments ...string) string {
	s.t.Helper()
	return s.docker(append([]string{"compose"}, arguments...)...)
}

func (s *stack) token(subject string, arguments ...string) string {
	s.t.Helper()
	return strings.TrimSpace(s.do("bin/wf", append([]string{"token", "--sub", subject, "--ttl", "8h"}, arguments...)...))
}

// scale starts the missing replicas of wf from the present image, and returns when all are healthy.
func (s *stack) scale() {
	s.t.Helper()
	s.compose("up", "--detach", "--wait", "--no-build", "--no-recreate", "--scale", "wf="+strconv.Itoa(replicas))
}

// containers returns the ids of the containers of a service, or of all.
func (s *stack) containers(service ...string) []string {
	s.t.Helper()
	return strings.Fields(s.compose(append([]string{"ps", "--quiet"}, service...)...))
}

// healthy polls until a container is healthy.
func (s *stack) healthy(container string, within time.Duration) {
	s.t.Helper()
	s.within(within, "a healthy "+container, func() bool {
		return s.docker("inspect", "--format", "{{.State.Status}} {{.State.Health.Status}}", container) == "running healthy"
	})
}

// within polls a condition.
func (s *stack) within(limit time.Duration, what string, met func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(limit); !met(); <-time.After(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("%s: not within %v", what, limit)
		}
	}
}

var client = &http.Client{Timeout: 5 * time.Second}

func call(method, url, token, key, body string) (status int, reply []byte, err error) {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.GetBody = nil // or the client would send a call again
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	reply, err = io.ReadAll(response.Body)
	return response.StatusCode, reply, err
}

func (s *stack) must(method, path, token, body string, want int) {
	s.t.Helper()
	if status, reply, err := call(method, s.wf+path, token, "", body); err != nil || status != want {
		s.t.Fatalf("%s %s: %d, %v, %s", method, path, status, err, reply)
	}
}

// count returns the number of requests in the database.
func (s *stack) count() int {
	s.t.Helper()
	text := s.compose("exec", "-T", "postgres", "psql", "-U", "postgres", "-d", "wf", "-tAc", "SELECT count(*) FROM request")
	number, err := strconv.Atoi(text)
	if err != nil {
		s.t.Fatal(err)
	}
	return number
}

// outcome holds the responses to the callers of a load.
type outcome struct {
	created int
	failed  []string      // calls without the reply 201; each was repeated under the same Idempotency-Key until it had it
	longest time.Duration // from the first attempt of a call to its reply 201
}

// underLoad creates requests at the proxy while disturb runs. Each accepted request exists once afterwards.
func (s *stack) underLoad(disturb func()) (all outcome) {
	s.t.Helper()
	before := s.count()
	stop := make(chan struct{})
	var group sync.WaitGroup
	var lock sync.Mutex
	ids := map[string]bool{}
	for i, token := range s.tokens {
		group.Go(func() {
			tick := time.NewTicker(pace)
			defer tick.Stop()
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				case <-tick.C:
				}
				key, begun := fmt.Sprintf("%s-%d-%d-%d", s.t.Name(), i, n, time.Now().UnixNano()), time.Now()
				for {
					status, reply, err := call("POST", s.wf+"/v1/wf/requests", token, key, `{"policy_key": "load"}`)
					var envelope struct {
						Response struct {
							ID string `json:"id"`
						} `json:"response"`
					}
					if err == nil && status == http.StatusCreated {
						err = json.Unmarshal(reply, &envelope)
					}
					lock.Lock()
					if err == nil && status == http.StatusCreated {
						if envelope.Response.ID == "" || ids[envelope.Response.ID] {
							all.failed = append(all.failed, "a second request with the id "+envelope.Response.ID)
						}
						ids[envelope.Response.ID] = true
						all.created++
						all.longest = max(all.longest, time.Since(begun))
						lock.Unlock()
						break
					}
					all.failed = append(all.failed, fmt.Sprintf("%v: %d %v %.200s", time.Since(begun).Round(time.Millisecond), status, err, reply))
					lock.Unlock()
					if time.Since(begun) > 90*time.Second {
						return // the count shows it as lost
					}
					<-time.After(100 * time.Millisecond)
				}
			}
		})
	}
	func() {
		defer group.Wait()
		defer close(stop) // after a failure of disturb too
		disturb()
	}()
	if got := s.count() - before; got != all.created || all.created < 20 {
		s.t.Errorf("%d requests accepted, %d in the database", all.created, got)
	}
	s.t.Logf("%d created, %d failed attempts, longest %v", all.created, len(all.failed), all.longest.Round(time.Millisecond))
	return all
}

// noneFailed fails the test for calls without the reply 201.
func (s *stack) noneFailed(o outcome) {
	s.t.Helper()
	if len(o.failed) != 0 {
		s.t.Errorf("%d refused, first %s", len(o.failed), o.failed[0])
	}
}

func (s *stack) images() {
	revision := strings.TrimSpace(s.do("git", "rev-parse", "HEAD"))
	// The programs without symbols have 51 and 38 MB: CEL, the drivers of both databases, MCP, OpenTelemetry, OpenAPI.
	for name, limit := range map[string]int{"wf": 56_000_000, "oidc-registrar": 42_000_000} {
		var image []struct {
			Size   int
			Config struct {
				User   string
				Labels map[string]string
			}
		}
		if err := json.Unmarshal([]byte(s.docker("image", "inspect", "countersign-"+name)), &image); err != nil {
			s.t.Fatal(err)
		}
		s.t.Logf("%s: %d bytes", name, image[0].Size)
		if image[0].Size > limit {
			s.t.Errorf("%s has %d bytes, want at most %d", name, image[0].Size, limit)
		}
		labels := image[0].Config.Labels
		for label, want := range map[string]string{
			"title": name, "source": "https://github.com/countersign/countersign", "licenses": "Apache-2.0", "revision": revision,
		} {
			if got := labels["org.opencontainers.image."+label]; got != want {
				s.t.Errorf("%s has the label %s %q, want %q", name, label, got, want)
			}
		}
		if labels["org.opencontainers.image.version"] == "" || image[0].Config.User != "65532:65532" {
			s.t.Errorf("%s has the labels %v and the user %s", name, labels, image[0].Config.User)
		}

		// A second build of the commit has the same layers.
		id := s.image(labels["org.opencontainers.image.version"], name, s.folder, "--no-cache")
		layers := func(id string) string { return s.docker("image", "inspect", "--format", "{{json .RootFS.Layers}}", id) }
		if first, second := layers("countersign-"+name), layers(id); first != second {
			s.t.Errorf("two builds of %s have the layers %s and %s", name, first, second)
		}
	}
}

func (s *stack) smoke() {
	out := strings.TrimSpace(s.do("make", "smoke"))
	s.t.Log(out[strings.LastIndexByte(out, '\n')+1:])
	if running := s.containers("wf"); len(running) != replicas {
		s.t.Errorf("%d replicas of wf after the tour, want %d", len(running), replicas)
	}
}

// A replica drains, so that its restart refuses no call.
func (s *stack) restart() {
	s.noneFailed(s.underLoad(func() {
		replica := s.containers("wf")[0]
		s.docker("restart", "--time", "30", replica)
		s.healthy(replica, 30*time.Second)
	}))
}

// Each replica in turn loses the network of its callers, or that of its database.
func (s *stack) partition() {
	for i, replica := range s.containers("wf") {
		network := []string{"services", "database"}[i%2]
		o := s.underLoad(func() {
			name := "countersign-test_" + network
			s.docker("network", "disconnect", name, replica)
			<-time.After(10 * time.Second) // the length of the partition
			s.docker("network", "connect", "--alias", "wf", name, replica)
			healed := time.Now()
			s.within(10*time.Second, "calls at a healed replica", func() bool {
				logs := s.logs(replica, healed)
				return bytes.Contains(logs, []byte(`"POST"`)) && bytes.Contains(logs, []byte(`"status":201`))
			})
		})
		// The caller ends an attempt after 5 s.
		if o.longest > 15*time.Second {
			s.t.Errorf("a call took %v without %s", o.longest, network)
		}
	}
}

// logs returns the log of a container since a time.
func (s *stack) logs(container string, since time.Time) []byte {
	s.t.Helper()
	out, err := exec.CommandContext(s.t.Context(), "docker", "logs", "--since", since.Format(time.RFC3339Nano), container).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// Each container dies and comes back by itself.
func (s *stack) kill() {
	if os.Getuid() != 0 {
		s.t.Skip("only root can kill the processes of containers")
	}
	for _, container := range s.containers() {
		name := s.docker("inspect", "--format", "{{.Name}}", container)
		s.t.Log(name)
		o := s.underLoad(func() {
			pid, err := strconv.Atoi(s.docker("inspect", "--format", "{{.State.Pid}}", container))
			if err != nil || pid == 0 {
				s.t.Fatalf("%s has the process %d (%v)", name, pid, err)
			}
			// Docker restarts no container that docker kill ended.
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				s.t.Fatal(err)
			}
			s.within(time.Minute, "a restart of "+name, func() bool {
				return s.docker("inspect", "--format", "{{.State.Pid}}", container) != strconv.Itoa(pid)
			})
			s.healthy(container, time.Minute)
			<-time.After(2 * time.Second) // calls after the return
		})
		if o.longest > time.Minute {
			s.t.Errorf("a call took %v without %s", o.longest, name)
		}
	}
}

// upgrade replaces the replicas one by one under load by those of a version with one more migration.
func (s *stack) upgrade() {
	const image = "countersign-wf"
	current := s.docker("image", "inspect", "--format", "{{.Id}}", image)
	defer s.docker("tag", current, image)
	newer := s.sources("HEAD")
	migrations := filepath.Join(newer, "services/wf/internal/store/migrations")
	files, err := filepath.Glob(filepath.Join(migrations, "postgres", "*.sql"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, database := range []string{"postgres", "sqlite"} {
		s.do("cp", newer+"/test/containers/testdata/fixture.sql", fmt.Sprintf("%s/%s/%04d_fixture.sql", migrations, database, len(files)+1))
	}
	next := s.image("next", "wf", newer)

	// replace starts an image in place of each replica. Replicas of both run for the pauses.
	replace := func(id string, pause time.Duration) {
		s.docker("tag", id, image)
		for _, replica := range s.containers("wf") {
			s.docker("stop", "--time", "30", replica)
			s.docker("rm", replica)
			s.scale()
			<-time.After(pause)
		}
		running := s.containers("wf")
		for _, replica := range running {
			if got := s.docker("inspect", "--format", "{{.Image}}", replica); got != id {
				s.t.Errorf("a replica runs %s, want %s", got, id)
			}
		}
		if len(running) != replicas {
			s.t.Errorf("%d replicas, want %d", len(running), replicas)
		}
	}
	s.noneFailed(s.underLoad(func() { replace(next, time.Minute/replicas) }))
}

// sources returns a folder with the files of a commit.
func (s *stack) sources(commit string) string {
	s.t.Helper()
	folder := filepath.Join(s.t.TempDir(), "sources")
	revision := strings.TrimSpace(s.do("git", "rev-parse", commit))
	s.do("git", "clone", "--quiet", ".", folder)
	s.do("git", "-C", folder, "checkout", "--quiet", revision)
	return folder
}

// image builds the image of a service from a folder and returns its id.
func (s *stack) image(version, service, folder string, options ...string) string {
	s.t.Helper()
	arguments := append([]string{"build", "--quiet", "--file", folder + "/services/" + service + "/Dockerfile",
		"--build-arg", "VERSION=" + version}, options...)
	for _, argument := range []string{"GO_IMAGE", "RUNTIME_IMAGE", "GOPROXY"} {
		if os.Getenv(argument) != "" {
			arguments = append(arguments, "--build-arg", argument)
		}
	}
	return s.docker(append(arguments, folder)...)
}

func (s *stack) observability() {
	s.compose("--profile", "observability", "up", "--detach", "--no-build", "--no-recreate", "prometheus", "alertmanager")
	prometheus := "http://" + s.compose("--profile", "observability", "port", "prometheus", "9090")
	s.within(time.Minute, "targets of Prometheus", func() bool {
		status, reply, err := call("GET", prometheus+"/api/v1/query?query=sum(up)", "", "", "")
		return err == nil && status == http.StatusOK && bytes.Contains(reply, []byte(`"`+strconv.Itoa(replicas+1)+`"]`))
	})
	if _, reply, err := call("GET", prometheus+"/api/v1/rules", "", "", ""); err != nil || !bytes.Contains(reply, []byte(`"WfDown"`)) {
		s.t.Errorf("rules: %v, %.300s", err, reply)
	}
}

// The notice of a task arrives in Mailpit when the five minutes of its collection have ended.
func (s *stack) mail() {
	s.needs("MAILPIT_IMAGE")
	s.env = append(s.env, "WF_NOTIFY_SMTP_URL=smtp://mailpit:1025?starttls=none") // as make up sets it for the profile
	s.compose("--profile", "observability", "up", "--detach", "--wait", "--no-build", "--scale", "wf="+strconv.Itoa(replicas), "wf", "mailpit", "proxy")
	const request = `{"policy_key": "load"}`
	s.must("POST", "/v1/wf/requests", s.token("ana", "--claim", "email=ana@example.org"), request, http.StatusCreated) // wf learns the address
	s.must("POST", "/v1/wf/requests", s.tokens[0], request, http.StatusCreated)
	mailpit := "http://" + s.compose("--profile", "observability", "port", "mailpit", "8025")
	s.within(7*time.Minute, "a mail to ana", func() bool {
		status, reply, err := call("GET", mailpit+"/api/v1/messages", "", "", "")
		return err == nil && status == http.StatusOK && bytes.Contains(reply, []byte(`"ana@example.org"`))
	})
}

// Keycloak issues a token of the realm.
func (s *stack) keycloak() {
	s.needs("KEYCLOAK_IMAGE")
	s.do("make", "keycloak")
	response, err := client.PostForm("http://127.0.0.1:8130/realms/countersign/protocol/openid-connect/token", url.Values{
		"grant_type": {"client_credentials"}, "client_id": {"payments"}, "client_secret": {"payments-secret"},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if reply, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		s.t.Errorf("%d %v %.300s", response.StatusCode, err, reply)
	}
}

// needs skips a test whose image has no stand-in on this machine.
func (s *stack) needs(image string) {
	s.t.Helper()
	if os.Getenv("RUNTIME_IMAGE") != "" && os.Getenv(image) == "" {
		s.t.Skip("images.sh could not make " + image)
	}
}
