package egress

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// canary is a server on 127.0.0.1 that counts its requests.
func canary(t *testing.T, answer http.HandlerFunc) (url string, hits *atomic.Int64) {
	t.Helper()
	hits = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		if answer != nil {
			answer(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, hits
}

// local returns a policy that allows servers on 127.0.0.0/8 at any port.
func local() Policy {
	return Policy{AllowHTTP: true, AnyPort: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
}

func get(t *testing.T, client *retryablehttp.Client, url string) (*http.Response, error) {
	t.Helper()
	r, err := retryablehttp.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return client.Do(r)
}

func TestABlockedAddressIsNeverReached(t *testing.T) {
	url, hits := canary(t, nil)
	port := url[strings.LastIndexByte(url, ':'):]
	public := Policy{AllowHTTP: true, AnyPort: true, Settings: "WF_"}
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0", "0.0.0.0",
		"[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1%25lo]",
	} {
		if _, err := get(t, NewRetrying(public, 3), "http://"+host+port); !errors.Is(err, ErrBlocked) {
			t.Errorf("GET %s = %v, want ErrBlocked", host, err)
		} else if !strings.Contains(err.Error(), "WF_OUTBOUND_ALLOW") {
			t.Errorf("GET %s = %v, want the name of the setting", host, err)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the canary was hit %d times", n)
	}
}

func TestTheGuardJudgesEachDialledAddress(t *testing.T) {
	open := local()
	open.Ports, open.AnyPort = []uint16{443}, false
	open.Allow = append(open.Allow, netip.MustParsePrefix("2002::/16"), netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("fd00::/8"))
	tests := map[string]struct {
		network, address string
		blocked          bool
	}{
		"a public address":                    {"tcp4", "8.8.8.8:443", false},
		"an opened address":                   {"tcp4", "127.0.0.1:443", false},
		"an opened address, mapped":           {"tcp6", "[::ffff:127.0.0.1]:443", false},
		"an opened address behind NAT64":      {"tcp6", "[64:ff9b::7f00:1]:443", false},
		"an opened 6to4 of an opened address": {"tcp6", "[2002:7f00:1::]:443", false},
		"an opened 6to4 of a closed address":  {"tcp6", "[2002:a00:1::]:443", true},
		"an opened 6to4 of metadata":          {"tcp6", "[2002:a9fe:a9fe::]:443", true},
		"an opened Teredo":                    {"tcp6", "[2001:0:808:808::f7f7:f7f7]:443", false},
		"an opened Teredo, closed server":     {"tcp6", "[2001:0:a00:1::f7f7:f7f7]:443", true},
		"an opened Teredo, closed client":     {"tcp6", "[2001:0:808:808::f5ff:fffe]:443", true},
		"metadata in an opened prefix":        {"tcp6", "[fd00:ec2::254]:443", true},
		"its neighbour":                       {"tcp6", "[fd00:ec2::253]:443", false},
		"an address with a zone":              {"tcp6", "[fd00:ec2::254%eth0]:443", true},
		"metadata":                            {"tcp4", "169.254.169.254:443", true},
		"metadata, mapped":                    {"tcp6", "[::ffff:169.254.169.254]:443", true},
		"a private address":                   {"tcp4", "10.0.0.1:443", true},
		"another port":                        {"tcp4", "8.8.8.8:80", true},
		"another network":                     {"udp4", "8.8.8.8:443", true},
		"a socket file":                       {"unix", "/run/docker.sock", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := newGuard(open).control(tt.network, tt.address, nil)
			if errors.Is(err, ErrBlocked) != tt.blocked {
				t.Errorf("control(%s, %s) = %v, want blocked: %t", tt.network, tt.address, err, tt.blocked)
			}
		})
	}
}

func TestRedirectsAreReturnedNotFollowed(t *testing.T) {
	target, targetHits := canary(t, nil)
	for _, status := range []int{301, 302, 303, 307, 308} {
		url, _ := canary(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, status) })
		response, err := get(t, NewRetrying(local(), 0), url)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != status {
			t.Errorf("status = %d, want %d", response.StatusCode, status)
		}
		if _, err := NewRetrying(local(), 1).StandardClient().Get(url); !errors.Is(err, ErrBlocked) {
			t.Errorf("GET with the standard client = %v, want ErrBlocked", err)
		}
	}
	if n := targetHits.Load(); n != 0 {
		t.Errorf("the target was hit %d times", n)
	}
}

func TestTheEnvironmentNamesNoProxy(t *testing.T) {
	proxy, proxyHits := canary(t, nil)
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("HTTPS_PROXY", proxy)
	if New(local()).Transport.(*transport).next.Proxy != nil {
		t.Error("the transport has a proxy")
	}
	p := local()
	p.resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no name server")
	}}
	if _, err := get(t, NewRetrying(p, 0), "http://rp.example/"); err == nil {
		t.Error("GET succeeded without a name server")
	}
	if n := proxyHits.Load(); n != 0 {
		t.Errorf("the proxy was hit %d times", n)
	}
}

func TestFailedExchangesAreRepeatedAndTheLastAnswerIsReturned(t *testing.T) {
	tests := map[string]struct {
		status, retries int
		want            int64
	}{
		"no retry by default":        {503, 0, 1},
		"one retry":                  {503, 1, 2},
		"too many requests":          {429, 1, 2},
		"a refusal is final":         {400, 2, 1},
		"not implemented is final":   {501, 2, 1},
		"success is final, too":      {200, 2, 1},
		"a redirect is not repeated": {302, 2, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			url, hits := canary(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(tt.status)
				io.WriteString(w, "why")
			})
			response, err := get(t, NewRetrying(local(), tt.retries), url)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != tt.status || string(body) != "why" {
				t.Errorf("answer = %d %q, %v", response.StatusCode, body, err)
			}
			if n := hits.Load(); n != tt.want {
				t.Errorf("%d exchanges, want %d", n, tt.want)
			}
		})
	}
}

func TestABlockedDialIsNotRepeated(t *testing.T) {
	blocked := &url.Error{Op: "Get", Err: newGuard(Policy{}).control("tcp4", "127.0.0.1:443", nil)}
	if again, err := retryUnlessBlocked(t.Context(), nil, blocked); again || !errors.Is(err, ErrBlocked) {
		t.Errorf("retry = %t, %v", again, err)
	}
}

func TestPolicySetsRetryWait(t *testing.T) {
	for set, want := range map[time.Duration][2]time.Duration{
		0:           {100 * time.Millisecond, 800 * time.Millisecond},
		time.Second: {time.Second, 8 * time.Second},
	} {
		client := NewRetrying(Policy{RetryWait: set}, 2)
		if got := [2]time.Duration{client.RetryWaitMin, client.RetryWaitMax}; got != want {
			t.Errorf("with %s the waits are %v, want %v", set, got, want)
		}
	}
}

func TestBackoffIsBounded(t *testing.T) {
	lo, hi := defaultRetryWait, longestWait*defaultRetryWait
	for _, header := range []string{"", "0", "1", "7200", "999999999", "9223372037", "-1", "abc",
		"Fri, 31 Dec 1999 23:59:59 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		for _, status := range []int{429, 503, 500} {
			r := &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {header}}}
			for attempt := range 70 {
				if got := boundedBackoff(lo, hi, attempt, r); got < lo || got > hi {
					t.Fatalf("Retry-After %q, attempt %d: wait %s", header, attempt, got)
				}
			}
		}
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	p := local()
	p.MaxPerHost = 8
	arrived, release := make(chan struct{}), make(chan struct{})
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := New(p)
	for range 5 {
		var running sync.WaitGroup
		for range p.MaxPerHost {
			running.Go(func() {
				response, err := client.Get(server.URL)
				if err != nil {
					t.Error(err)
					return
				}
				// The read of the body, empty here, returns a connection to the pool.
				if _, err := io.Copy(io.Discard, response.Body); err != nil {
					t.Error(err)
				}
				response.Body.Close()
			})
		}
		for range p.MaxPerHost { // all at the same time
			<-arrived
		}
		for range p.MaxPerHost {
			release <- struct{}{}
		}
		running.Wait()
	}
	if n := opened.Load(); n != int64(p.MaxPerHost) {
		t.Errorf("%d connections were opened for %d requests at a time, want %d", n, p.MaxPerHost, p.MaxPerHost)
	}
}

func TestTotalCoversTheBody(t *testing.T) {
	url, _ := canary(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	p := local()
	p.Total = 50 * time.Millisecond
	response, err := get(t, NewRetrying(p, 0), url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.ReadAll(response.Body); err == nil {
		t.Error("the body was read to its end")
	}
}

func TestABodyIsNotDecompressed(t *testing.T) {
	sent := []byte{0x1f, 0x8b, 8, 0}
	url, _ := canary(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Accept-Encoding"); got != "" {
			t.Errorf("Accept-Encoding = %q, want none", got)
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(sent)
	})
	response, err := get(t, NewRetrying(local(), 0), url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if got, err := io.ReadAll(response.Body); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("body = %x, %v; want %x", got, err, sent)
	}
}

func TestTheUserAgentIsADefault(t *testing.T) {
	var got atomic.Value
	url, _ := canary(t, func(_ http.ResponseWriter, r *http.Request) { got.Store(r.UserAgent()) })
	p := local()
	p.UserAgent = "wf-webhooks/1"
	for _, own := range []string{"", "own/2"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		want := p.UserAgent
		if own != "" {
			r.Header.Set("User-Agent", own)
			want = own
		}
		response, err := New(p).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got.Load() != want {
			t.Errorf("User-Agent = %q, want %q", got.Load(), want)
		}
	}
}

func TestNewPanicsOnAnInvalidPolicy(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New returned")
		}
	}()
	New(Policy{Allow: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")}})
}
