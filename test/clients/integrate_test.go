package clients

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/strictjson"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/test/programs"
)

// The vectors in docs/integrate.md are those that the programs verify, and those of the service.
func TestTheServiceAgreesWithTheVectorsOfTheContextHash(t *testing.T) {
	page, err := os.ReadFile("../../docs/integrate.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/integrate/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Document, Canonical string
		Hash                string `json:"context_hash"`
	}
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors) != 2 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	for _, v := range vectors {
		form, err := strictjson.Canonical([]byte(v.Document))
		if err != nil || string(form) != v.Canonical {
			t.Errorf("%s: %s, %v", v.Document, form, err)
		}
		if sum, err := strictjson.Sum([]byte(v.Document)); err != nil || sum != v.Hash {
			t.Errorf("%s: %s, %v", v.Document, sum, err)
		}
		for _, part := range []string{v.Document, v.Canonical, v.Hash} {
			if !strings.Contains(string(page), part) {
				t.Errorf("docs/integrate.md lacks %s", part)
			}
		}
	}
}

// The programs of docs/integrate.md get a token, request an approval, verify its webhooks and read the result.
func TestIntegrations(t *testing.T) {
	enabled(t)
	env := serve(t)
	const id, secret = "portal", "the secret"
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if user != id || password != secret || r.FormValue("grant_type") != "client_credentials" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": variable(env, "RITA"), "token_type": "Bearer", "expires_in": 300})
	}))
	t.Cleanup(issuer.Close)
	for _, tt := range []struct {
		name    string
		needs   string
		prepare func(u user)
		program []string
	}{
		{"curl", "jq", func(user) {}, []string{"./integrate.sh"}},
		{"python", "python3", func(u user) { u.run("python3", "integrate.py", "vectors.json") }, []string{"python3", "integrate.py"}},
		{"typescript", "npm", func(u user) {
			u.run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
			u.run("node_modules/.bin/tsc")
			u.run("node", "out/integrate.js", "vectors.json")
		}, []string{"node", "out/integrate.js"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := exec.LookPath(tt.needs); err != nil {
				t.Skipf("%s is not there", tt.needs)
			}
			policy, at := "integrate-"+tt.name, freeAddress(t)
			_, port, _ := net.SplitHostPort(at)
			key := openEndpoint(t, env, policy, at)
			u := use(t, "integrate", append(env[:len(env):len(env)], "POLICY="+policy, "PORT="+port, "WEBHOOK_SECRET="+key,
				"TOKEN_URL="+issuer.URL, "CLIENT_ID="+id, "CLIENT_SECRET="+secret))
			tt.prepare(u)
			var out bytes.Buffer
			cmd := u.command(tt.program[0], tt.program[1:]...)
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			approve(t, env, policy, func() {
				if tt.name != "curl" { // which receives nothing
					forge(t, "http://"+at, key)
				}
			})
			if err := timetest.Await(t, ended, "the program ends"); err != nil || !strings.Contains(out.String(), "sha256:") {
				t.Errorf("%v\n%s", err, out.String())
			}
		})
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// openEndpoint creates a policy and an endpoint of its events, and returns the secret of the endpoint.
func openEndpoint(t *testing.T, env []string, policy, at string) string {
	t.Helper()
	root, base := variable(env, "ROOT"), variable(env, "WF_URL")+"/v1/wf"
	programs.Call(t, root, "", http.MethodPost, base+"/policies", map[string]any{
		"policy_key": policy, "name": "Invoices",
		"stages": []any{map[string]any{"key": "s", "name": "Finance", "approvers": []any{map[string]any{"type": "user", "ids": []string{"ana"}}}}},
	}).Is(http.StatusCreated)
	programs.Call(t, root, "", http.MethodPost, base+"/policies/"+policy+"/versions/1/activate", nil).Is(http.StatusOK)
	var made struct{ Secret string }
	programs.Call(t, root, "", http.MethodPost, base+"/admin/webhooks", map[string]any{
		"name": policy, "url": "http://" + at + "/", "policy_keys": []string{policy},
	}).Is(http.StatusCreated).Decode(&made)
	return made.Secret
}

// approve waits for the task of a policy, runs before, and approves it.
func approve(t *testing.T, env []string, policy string, before func()) {
	t.Helper()
	ana, base := variable(env, "ANA"), variable(env, "WF_URL")+"/v1/wf"
	var tasks struct{ Items []struct{ ID string } }
	timetest.Eventually(t, "the program creates a request", func() bool {
		programs.Call(t, ana, "", http.MethodGet, base+"/tasks?inbox=me&policy_key="+policy, nil).Is(http.StatusOK).Decode(&tasks)
		return len(tasks.Items) == 1
	})
	before()
	programs.Call(t, ana, "", http.MethodPost, base+"/tasks/"+tasks.Items[0].ID+"/decision", map[string]string{"action": "approve"}).Is(http.StatusOK)
}

// forge sends messages that a receiver has to refuse: unsigned, of another secret, changed, and old.
func forge(t *testing.T, url, secret string) {
	t.Helper()
	const body = `{"type":"request.approved","data":{"request":{"id":"forged"}}}`
	sign := func(secret, sent, body string) string {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			t.Fatal(err)
		}
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "msg_1.%s.%s", sent, body)
		return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	now, old := strconv.FormatInt(time.Now().Unix(), 10), strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
	for _, tt := range []struct {
		name, sent, signature string
		want                  int
	}{
		{"unsigned", now, "", 401},
		{"of another secret", now, sign("whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", now, body), 401},
		{"changed", now, sign(secret, now, body+" "), 401},
		{"old", old, sign(secret, old, body), 401},
		{"of the service", now, "v1,AAAA " + sign(secret, now, body), 204},
	} {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"webhook-id": "msg_1", "webhook-timestamp": tt.sent, "webhook-signature": tt.signature} {
			r.Header.Set(name, value)
		}
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if reply.Body.Close(); reply.StatusCode != tt.want {
			t.Errorf("a message that is %s: %d, want %d", tt.name, reply.StatusCode, tt.want)
		}
	}
}
