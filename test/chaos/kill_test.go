package chaos

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
)

// maxSilence bounds the pause of a busy endpoint after the death of its sender.
const maxSilence = 8 * time.Second

// receiver replies slowly to each webhook, and records it. Each of its endpoints has
// a port of its own, because connections per target are limited.
type receiver struct {
	urls, ports []string

	mu       sync.Mutex
	begun    []time.Time
	accepted map[string]int // by endpoint and webhook-id
}

func receives(t *testing.T, endpoints int, slow time.Duration) *receiver {
	r := &receiver{accepted: map[string]int{}}
	handler := http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		r.mu.Lock()
		r.begun = append(r.begun, time.Now())
		r.mu.Unlock()
		select {
		case <-time.After(slow):
		case <-request.Context().Done(): // the caller has died
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.accepted[request.URL.Path+request.Header.Get("Webhook-Id")]++
	})
	for i := range endpoints {
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		r.urls = append(r.urls, fmt.Sprint(server.URL, "/", i))
		r.ports = append(r.ports, server.URL[strings.LastIndex(server.URL, ":")+1:])
	}
	return r
}

// arrivals are when messages came, the first first.
func (r *receiver) arrivals() []time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.begun)
}

// messages are how many different ones were accepted, and how many more than once.
func (r *receiver) messages() (different, twice int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.accepted {
		if n > 1 {
			twice++
		}
	}
	return len(r.accepted), twice
}

// countBetween returns the number of messages in a period.
func (r *receiver) countBetween(from, to time.Time) (n int) {
	for _, at := range r.arrivals() {
		if at.After(from) && at.Before(to) {
			n++
		}
	}
	return n
}

// settings are those of a service that may send to the receiver.
func (r *receiver) settings() []string {
	return []string{
		"ENC_KEYS=k1:" + base64.StdEncoding.EncodeToString([]byte(rand.Text() + rand.Text())[:32]),
		"ALLOW_HTTP_OUTBOUND=true", "OUTBOUND_ALLOW=127.0.0.0/8," + strings.Join(r.ports, ","), "ADMIN_LISTEN=off",
	}
}

// sends is a wf that may send to the receiver, and a caller of its first replica.
func sends(t *testing.T, r *receiver) (*service, *replica, *caller) {
	s := wf(t, sqldbtest.Postgres(t), r.settings()...)
	first := s.begin("")
	return s, first, s.caller(first.url)
}

// tell creates the endpoints of the receiver, and requests with messages to all of them.
func (c *caller) tell(t *testing.T, r *receiver, requests int) {
	t.Helper()
	for i, url := range r.urls {
		c.must(t, "POST", "/v1/wf/admin/webhooks",
			fmt.Sprintf(`{"name":"slow-%d","url":"%s","events":["request.created"],"policy_keys":["spend"]}`, i, url), 201)
	}
	c.policy(t)
	for range requests {
		c.must(t, "POST", "/v1/wf/requests", `{"policy_key":"spend"}`, 201)
	}
}

// The receiver has the maximum of deliveries in flight when their sender dies. They are retried
// only after the liveness timeout. Until then they must not occupy the slots of later
// deliveries.
func TestABusyEndpointIsNotSilentForLongAfterItsSenderWasKilled(t *testing.T) {
	chaos(t)
	const n, slow = 200, time.Second
	r := receives(t, 1, slow)
	s, first, caller := sends(t, r)
	caller.tell(t, r, n)
	began := len(r.arrivals())
	timetest.Eventually(t, "the receiver is busy", func() bool { return len(r.arrivals()) >= began+16 })

	first.Signal(syscall.SIGKILL)
	first.Wait()
	killed := time.Now()
	s.begin(first.address())
	t.Logf("ready again after %s", time.Since(killed).Round(time.Millisecond))

	deadline := time.Now().Add(2 * time.Minute)
	for different := 0; different < n; different, _ = r.messages() {
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d messages were accepted", different, n)
		}
		time.Sleep(100 * time.Millisecond)
	}
	arrivals := r.arrivals()
	var longest, after time.Duration
	for i := 1; i < len(arrivals); i++ {
		if gap := arrivals[i].Sub(arrivals[i-1]); gap > longest && !arrivals[i].Before(killed) && arrivals[i-1].Before(killed.Add(30*time.Second)) {
			longest, after = gap, arrivals[i-1].Sub(killed)
		}
	}
	_, twice := r.messages()
	t.Logf("the longest silence was %s, from %s after the kill; %d of %d messages were accepted twice",
		longest.Round(time.Millisecond), after.Round(time.Millisecond), twice, n)
	if longest > maxSilence {
		t.Errorf("it was silent for %s, want at most %s", longest, maxSilence)
	}
	if twice > 8 {
		t.Errorf("%d messages were accepted twice, want at most the 8 that were under way", twice)
	}
}

func TestWhenOneOfTwoSendersIsKilledTheOtherTakesItsShare(t *testing.T) {
	chaos(t)
	const endpoints, requests, slow = 4, 220, time.Second // 32 a second
	r := receives(t, endpoints, slow)
	s, first, caller := sends(t, r)
	s.begin("")
	caller.tell(t, r, requests)
	filled := time.Now()
	const window = 4 * time.Second
	timetest.Eventually(t, "some time passes", func() bool { return time.Since(filled) > window })
	before := r.countBetween(filled, filled.Add(window))

	first.Signal(syscall.SIGKILL)
	first.Wait()
	killed := time.Now()
	timetest.Eventually(t, "some more time passes", func() bool { return time.Since(killed) > maxSilence+window })
	after := r.countBetween(killed.Add(maxSilence), killed.Add(maxSilence+window))
	if different, _ := r.messages(); different > requests*endpoints-32*5 {
		t.Fatalf("%d messages are accepted: too few are left for the test", different)
	}
	var line []string
	for second := range 12 {
		from := killed.Add(time.Duration(second) * time.Second)
		line = append(line, fmt.Sprint(r.countBetween(from, from.Add(time.Second))))
	}
	t.Logf("%d came in %s before the kill, %d in as long from %s after it; each second: %s", before, window, after, maxSilence, strings.Join(line, " "))
	// Messages come in steps of a second, of which a window has one more or one less.
	if after < before*9/10-endpoints*8 {
		t.Errorf("%d came in %s, want about %d as before", after, window, before)
	}
}
