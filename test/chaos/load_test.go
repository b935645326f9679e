package chaos

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// caller makes calls with a token, on connections of its own.
type caller struct {
	base, token string
	client      *http.Client
}

func (s *service) caller(base string) *caller { return s.callerAs(base, "root") }

func (s *service) callerAs(base, subject string) *caller {
	return &caller{base, s.token(subject), &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{}}}
}

// answer is the response of a call.
type answer struct {
	status  int
	code    string // of the first error
	message string // of the first error
	header  http.Header
	body    []byte
}

// call makes a call, once.
func (c *caller) call(method, path, body string) (answer, error) {
	request, err := http.NewRequest(method, c.base+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return c.do(request)
}

// do sends a request, once.
func (c *caller) do(request *http.Request) (a answer, err error) {
	request.GetBody = nil // prevents a retry by the client
	response, err := c.client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	a = answer{status: response.StatusCode, header: response.Header}
	if a.body, err = io.ReadAll(response.Body); err != nil {
		return a, err
	}
	var envelope struct {
		Errors []struct{ ErrorCode, Message string }
	}
	if json.Unmarshal(a.body, &envelope) == nil && len(envelope.Errors) > 0 {
		a.code, a.message = envelope.Errors[0].ErrorCode, envelope.Errors[0].Message
	}
	return a, nil
}

// must makes a call and requires the status.
func (c *caller) must(t *testing.T, method, path, body string, status int) answer {
	t.Helper()
	a, err := c.call(method, path, body)
	if err != nil || a.status != status {
		t.Fatalf("%s %s: %d %s (%v), want %d", method, path, a.status, a.body, err, status)
	}
	return a
}

const (
	policies = "/v1/wf/policies"
	requests = "/v1/wf/requests"
	clients  = "/v1/partnermanager/oidc/client"
)

// policy creates the policy of the load.
func (c *caller) policy(t *testing.T) {
	t.Helper()
	c.must(t, "POST", policies,
		`{"policy_key":"spend","name":"Spend","stages":[{"key":"check","name":"Check","approvers":[{"type":"user","ids":["ana"]}]}]}`, 201)
	c.must(t, "POST", policies+"/spend/versions/1/activate", "", 200)
}

// step is a call of the load, with the status of success.
type step func() (method, path, body string, status int)

// registers returns a registration of a client with a new key.
func registers() (method, path, body string, status int) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	point, err := key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		panic(err) // the curve is a standard one
	}
	text := base64.RawURLEncoding.EncodeToString
	return "POST", clients, fmt.Sprintf(`{"request":{"name":"Client","policyId":"demo-policy","authPartnerId":"demo-partner",
		"publicKey":{"kty":"EC","crv":"P-256","x":"%s","y":"%s"},"logoUri":"https://client.example.org/logo.png",
		"redirectUris":["https://client.example.org/callback"],"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]}}`,
		text(point[1:33]), text(point[33:])), 200
}

func creates() (method, path, body string, status int) {
	return "POST", requests, `{"policy_key":"spend"}`, 201
}
func lists() (method, path, body string, status int) { return "GET", requests + "?limit=1", "", 200 }
func partners() (method, path, body string, status int) {
	return "GET", "/v1/partnermanager/partners", "", 200
}

// load collects the responses to callers without retries.
type load struct {
	stop    chan struct{}
	done    sync.WaitGroup
	mu      sync.Mutex
	calls   int
	longest time.Duration
	bad     map[string]int // by answer
}

// loads makes callers send the calls in turn, each after the response and a short pause, until
// ends.
func (s *service) loads(base string, callers int, steps ...step) *load {
	return s.loadsAs(base, "root", callers, steps...)
}

// loadsAs is loads with a token of the subject.
func (s *service) loadsAs(base, subject string, callers int, steps ...step) *load {
	l := &load{stop: make(chan struct{}), bad: map[string]int{}}
	for range callers {
		c := s.callerAs(base, subject)
		l.done.Go(func() {
			pause := time.NewTicker(10 * time.Millisecond)
			defer pause.Stop()
			for n := 0; ; n++ {
				select {
				case <-l.stop:
					return
				case <-pause.C:
				}
				method, path, body, status := steps[n%len(steps)]()
				begin := time.Now()
				a, err := c.call(method, path, body)
				l.count(method, a, err, status, time.Since(begin))
			}
		})
	}
	return l
}

func (l *load) count(method string, a answer, err error, want int, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	l.longest = max(l.longest, took)
	switch {
	case err != nil:
		l.bad[method+" "+err.Error()]++
	case a.status != want || a.code != "":
		if a.code == "" {
			a.message = string(a.body[:min(len(a.body), 200)])
		}
		l.bad[fmt.Sprintf("%s %d %s %s", method, a.status, a.code, strings.TrimSpace(a.message))]++
	}
}

// ends stops the load and returns the number of calls, the number of refusals and their
// texts.
func (l *load) ends() (calls, refused int, how string) {
	close(l.stop)
	l.done.Wait()
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(l.bad)) {
		refused += l.bad[what]
		lines = append(lines, fmt.Sprintf("%5d %s", l.bad[what], what))
	}
	return l.calls, refused, strings.Join(lines, "\n")
}
