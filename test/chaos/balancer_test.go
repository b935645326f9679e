package chaos

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// balancer distributes calls to replicas in turn, without a retry at a second one. It queries the
// readiness of all at its interval, and skips those that are not ready.
type balancer struct {
	url     string
	targets []*target
	turn    atomic.Uint64
}

// target is a replica as the balancer sees it.
type target struct {
	url   *url.URL
	ready atomic.Bool
	proxy *httputil.ReverseProxy
}

// balance puts a balancer before replicas, which are all ready.
func balance(t *testing.T, poll time.Duration, replicas ...*replica) *balancer {
	t.Helper()
	b := &balancer{}
	transport := &http.Transport{MaxIdleConnsPerHost: 100, IdleConnTimeout: time.Minute}
	for _, r := range replicas {
		u, err := url.Parse(r.url)
		if err != nil {
			t.Fatal(err)
		}
		next := &target{url: u, proxy: httputil.NewSingleHostReverseProxy(u)}
		next.proxy.Transport, next.proxy.ErrorLog = transport, log.New(io.Discard, "", 0)
		next.proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusBadGateway)
		}
		next.ready.Store(true)
		b.targets = append(b.targets, next)
	}
	front := httptest.NewServer(b)
	ctx, stop := context.WithCancel(context.Background())
	var polling sync.WaitGroup
	for _, target := range b.targets {
		polling.Go(func() { target.poll(ctx, poll) })
	}
	t.Cleanup(func() {
		stop()
		polling.Wait()
		front.Close()
		transport.CloseIdleConnections()
	})
	b.url = front.URL
	return b
}

// poll queries the readiness until ctx ends. A replica without an answer in a second is not ready.
func (g *target) poll(ctx context.Context, every time.Duration) {
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		response, err := client.Get(g.url.String() + "/readyz")
		if err == nil {
			_ = response.Body.Close()
		}
		g.ready.Store(err == nil && response.StatusCode == http.StatusOK)
	}
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	turn := b.turn.Add(1)
	for i := range b.targets {
		next := b.targets[(turn+uint64(i))%uint64(len(b.targets))]
		if next.ready.Load() {
			next.proxy.ServeHTTP(w, r)
			return
		}
	}
	http.Error(w, "no replica is ready", http.StatusServiceUnavailable)
}

// sees reports whether the balancer hands calls to the replica.
func (b *balancer) sees(r *replica) bool {
	for _, target := range b.targets {
		if target.url.String() == r.url {
			return target.ready.Load()
		}
	}
	return false
}
