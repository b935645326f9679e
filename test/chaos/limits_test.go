package chaos

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/timetest"
)

// as is a caller whose token names a subject.
func (s *service) as(base, subject string) *caller {
	s.t.Helper()
	token, err := daemon.DevToken(s.dir, bearer.DevToken{Audience: s.audience(), Subject: subject, Roles: []string{"WF_ADMIN", "PARTNER_ADMIN"}, TTL: time.Hour})
	if err != nil {
		s.t.Fatal(err)
	}
	return &caller{base, token, &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{}}}
}

// sqlite is a database that does not exist yet.
func sqlite(t *testing.T) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "wf.db")
}

// peakMiB returns the most memory that the replica has had.
func (r *replica) peakMiB(t *testing.T) int { return r.memoryMiB(t, "VmHWM") }

// memoryMiB returns a value of memory in the status of the process (proc(5)).
func (r *replica) memoryMiB(t *testing.T, name string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.PID()))
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	if err != nil || found == nil {
		t.Fatalf("%v: %s", err, status)
	}
	kib, err := strconv.Atoi(string(found[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kib >> 10
}

// repeat is as many items of a JSON list as fit into so many bytes.
func repeat(item string, size int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(item+",", size/(len(item)+1)), ",") + "]"
}

const kib = 1 << 10

// worst are bodies that take as much memory as they can.
func worst() map[string]struct{ method, path, body string } {
	request := func(member string) string {
		return `{"policy_key":"none","artifact_type":"a","artifact_id":"b",` + member + `}`
	}
	members := &strings.Builder{}
	for i := range 20_000 {
		if i > 0 && i%900 == 0 {
			members.WriteString("},{")
		} else if i > 0 {
			members.WriteString(",")
		}
		fmt.Fprintf(members, `"%x":{}`, i)
	}
	return map[string]struct{ method, path, body string }{
		"a list that may have 20 items":  {"POST", requests, `{"attachments":` + repeat("{}", 255*kib) + `}`},
		"objects in the context":         {"POST", requests, request(`"context":{"a":` + repeat("{}", 190*kib) + `}`)},
		"objects with a member":          {"POST", requests, request(`"context":{"a":` + repeat(`{"":0}`, 190*kib) + `}`)},
		"lists in the context":           {"POST", requests, request(`"context":{"a":` + repeat("[[]]", 190*kib) + `}`)},
		"numbers in the context":         {"POST", requests, request(`"context":{"a":` + repeat("1", 190*kib) + `}`)},
		"many members in the context":    {"POST", requests, request(`"context":{"a":[{` + members.String() + `}]}`)},
		"one string":                     {"POST", requests, request(`"context":{"a":"` + strings.Repeat("x", 190*kib) + `"}`)},
		"unknown members":                {"POST", requests, `{"x":[{` + members.String() + `}]}`},
		"stages that are not":            {"POST", policies, `{"key":"k","name":"n","stages":` + repeat("{}", 255*kib) + `}`},
		"rules that are not, in a stage": {"POST", policies, `{"key":"k","name":"n","stages":[{"key":"a","rules":` + repeat("{}", 255*kib) + `}]}`},
		"a schema that is none":          {"POST", policies, `{"key":"k","name":"n","stages":[],"context_schema":{"enum":` + repeat(`{"":0}`, 255*kib) + `}}`},
		"a patch":                        {"PATCH", policies + "/k/versions/1", `{"description":` + repeat(`{"":0}`, 255*kib) + `}`},
	}
}

func TestTheWorstBodiesStayInMemory(t *testing.T) {
	chaos(t)
	for name, tt := range worst() {
		t.Run(name, func(t *testing.T) {
			s := wf(t, sqlite(t))
			r := s.begin("")
			idle := r.peakMiB(t)
			const calls = 256
			callers := make([]*caller, 16)
			for i := range callers {
				callers[i] = s.as(r.url, fmt.Sprint("caller-", i))
			}
			var mu sync.Mutex
			statuses := map[int]int{}
			start := time.Now()
			for range 3 { // what one round leaves behind is there in the next
				var wg sync.WaitGroup
				for i := range calls {
					wg.Go(func() {
						a, err := callers[i%len(callers)].call(tt.method, tt.path, tt.body)
						mu.Lock()
						defer mu.Unlock()
						if err != nil {
							t.Errorf("%v", err)
						}
						statuses[a.status]++
					})
				}
				wg.Wait()
			}
			most := r.peakMiB(t)
			t.Logf("%d calls of %d bytes: %d MiB (%d before) in %s, answers %v", calls, len(tt.body), most, idle, time.Since(start).Round(time.Millisecond), statuses)
			if most > 160 {
				t.Errorf("%d MiB", most)
			}
			s.as(r.url, "another").must(t, "GET", requests, "", 200)
		})
	}
}

// drip opens connections. Each sends the head of a call, and then single bytes until the end of the
// test. A closed connection is reopened. The start times differ: a thousand simultaneous starts
// load the machine, whatever the service does.
func drip(t *testing.T, address string, count int, head string, every time.Duration) {
	t.Helper()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var open sync.WaitGroup
	open.Add(count)
	for range count {
		wg.Go(func() {
			first := sync.OnceFunc(open.Done)
			time.Sleep(rand.N(time.Second))
			for {
				conn, err := net.Dial("tcp", address)
				if err == nil {
					_, err = io.WriteString(conn, head)
				}
				first()
				for err == nil {
					select {
					case <-stop:
						_ = conn.Close()
						return
					case <-time.After(every):
						_, err = conn.Write([]byte(" "))
					}
				}
				if conn != nil {
					_ = conn.Close()
				}
				select {
				case <-stop:
					return
				case <-time.After(rand.N(200 * time.Millisecond)):
				}
			}
		})
	}
	open.Wait()
	t.Cleanup(func() { close(stop); wg.Wait() })
}

// p99 is how long all but the slowest hundredth of the calls take. All are answered 200.
func p99(t *testing.T, c *caller, path string) time.Duration {
	t.Helper()
	took := make([]time.Duration, 500)
	for i := range took {
		start := time.Now()
		c.must(t, "GET", path, "", 200)
		took[i] = time.Since(start)
		time.Sleep(5 * time.Millisecond) // as one of many callers, below the rate
	}
	slices.Sort(took)
	return took[len(took)*99/100]
}

func TestSlowBodiesAndIdleConnectionsCostOthersNothing(t *testing.T) {
	chaos(t)
	for _, tt := range []struct {
		name  string
		count int
		head  func(token string) string
		every time.Duration
	}{
		{"300 bodies that drip", 300, slowBody, 300 * time.Millisecond},
		{"1,000 bodies that drip", 1000, slowBody, 300 * time.Millisecond},
		{"1,000 bodies without a token", 1000, func(string) string { return slowBody("none") }, 300 * time.Millisecond},
		{"1,000 heads that drip", 1000, func(string) string { return "POST / HTTP/1.1\r\nHost: x\r\nX: " }, 300 * time.Millisecond},
		{"1,000 connections that do nothing", 1000, func(string) string { return "" }, time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := wf(t, sqlite(t), "RATE_SERVICE=500/s:1000", "RATE_PERSON=500/s:1000")
			r := s.begin("")
			another := s.as(r.url, "another")
			p99(t, another, policies) // warm
			idle, before := p99(t, another, policies), r.peakMiB(t)
			slow := s.as(r.url, "slow")
			drip(t, r.address(), tt.count, tt.head(slow.token), tt.every)
			beside := p99(t, another, policies)
			t.Logf("p99 of another caller: %s idle, %s beside; peak %d MiB, %d before", idle, beside, r.peakMiB(t), before)
			if beside > 2*idle+20*time.Millisecond {
				t.Errorf("p99 %s, %s idle", beside, idle)
			}
		})
	}
}

// The keys of clients are public.
func TestSlowBodiesDoNotDelayTheKeysOfAClient(t *testing.T) {
	chaos(t)
	s := registrar(t, "sqlite:"+filepath.Join(t.TempDir(), "registrar.db"))
	r := s.begin("")
	method, path, body, status := registers()
	var registered struct{ Response struct{ ClientID string } }
	if err := json.Unmarshal(s.caller(r.url).must(t, method, path, body, status).body, &registered); err != nil {
		t.Fatal(err)
	}
	stranger := s.caller(r.url)
	stranger.token = "none"
	keys := "/v1/idp/client-mgmt/oidc-client/" + registered.Response.ClientID + "/jwks"
	idle := p99(t, stranger, keys)
	drip(t, r.address(), 300, strings.Replace(slowBody(s.token("root")), requests, path, 1), 300*time.Millisecond)
	beside := p99(t, stranger, keys)
	t.Logf("p99 of the keys: %s idle, %s beside", idle, beside)
	if beside > 2*idle+20*time.Millisecond {
		t.Errorf("p99 %s, %s idle", beside, idle)
	}
}

// slowBody is the head of a call whose body has not begun.
func slowBody(token string) string {
	return "POST " + requests + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n"
}

// A token with a cached key is not delayed by a fetch of keys.
func TestUnknownKeysWhileTheIssuerHangsCostOthersNothing(t *testing.T) {
	chaos(t)
	s := wf(t, sqlite(t))
	keys, err := os.ReadFile(filepath.Join(s.dir, "jwks.json"))
	if err != nil {
		t.Fatal(err)
	}
	hang := make(chan struct{})
	var once sync.Once
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answered := false
		once.Do(func() {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(keys)
			answered = true
		})
		if !answered {
			<-hang
		}
	}))
	t.Cleanup(func() { close(hang); issuer.Close() })
	s.env = slices.DeleteFunc(s.env, func(v string) bool { return strings.HasPrefix(v, "WF_AUTH_JWKS_URL=") })
	_, port, err := net.SplitHostPort(strings.TrimPrefix(issuer.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "WF_AUTH_JWKS_URL="+issuer.URL, "WF_ALLOW_HTTP_OUTBOUND=true", "WF_OUTBOUND_ALLOW=127.0.0.0/8", "WF_OUTBOUND_PORTS="+port,
		"WF_RATE_PERSON=500/s:1000", "WF_RATE_SERVICE=500/s:1000")
	r := s.begin("")
	another := s.as(r.url, "another")
	p99(t, another, policies)
	idle := p99(t, another, policies)

	stop := make(chan struct{})
	var wg sync.WaitGroup
	t.Cleanup(func() { close(stop); wg.Wait() })
	_, rest, _ := strings.Cut(another.token, ".")
	for i := range 1000 {
		unknown := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"alg":"RS256","kid":"unknown-%d"}`, i)) + "." + rest
		client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				c := caller{r.url, unknown, client}
				if a, err := c.call("GET", policies, ""); err == nil && a.status != 401 {
					t.Errorf("an unknown key: %d", a.status)
				}
			}
		})
	}
	timetest.Eventually(t, "the unknown keys are refused", func() bool { return bytes.Count([]byte(r.Log.String()), []byte(`"cause":"`)) > 100 })
	beside := p99(t, another, policies)
	t.Logf("p99 of another caller: %s idle, %s beside", idle, beside)
	if beside > 2*idle+20*time.Millisecond {
		t.Errorf("p99 %s, %s idle", beside, idle)
	}
}
