package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receiver takes webhooks for many endpoints. Each has a port of its own, and is a
// server of its own to who sends: what is limited by host is limited for each alone.
// It verifies what comes, as every receiver should.
type receiver struct {
	urls   []string
	secret string // of every endpoint
	key    *standardwebhooks.Webhook
	server *http.Server

	mu      sync.Mutex
	posts   []post
	refused error
	wanted  int
	enough  chan struct{} // is closed when so many have come
}

// post is one webhook, as it came.
type post struct {
	at     time.Time
	url    string
	header http.Header
	body   []byte
}

// newReceiver listens for so many endpoints.
func newReceiver(endpoints int) (*receiver, error) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	key, err := standardwebhooks.NewWebhookRaw(random)
	if err != nil {
		return nil, err
	}
	r := &receiver{key: key, secret: "whsec_" + base64.StdEncoding.EncodeToString(random)}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: callLimit}
	for range endpoints {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			r.close()
			return nil, err
		}
		r.urls = append(r.urls, "http://"+listener.Addr().String()+"/hooks")
		go func() { _ = r.server.Serve(listener) }() // ends with close
	}
	r.expect(0)
	return r, nil
}

func (r *receiver) close() { _ = r.server.Close() }

// expect forgets what has come, and expects so many.
func (r *receiver) expect(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.posts, r.refused, r.wanted, r.enough = make([]post, 0, n), nil, n, make(chan struct{})
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	p := post{url: "http://" + req.Host + req.URL.Path, header: req.Header}
	var err error
	if p.body, err = io.ReadAll(http.MaxBytesReader(w, req.Body, 64<<10)); err == nil {
		err = r.key.Verify(p.body, p.header)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.at = time.Now(); err != nil {
		r.refused = err
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if r.posts = append(r.posts, p); len(r.posts) == r.wanted {
		close(r.enough)
	}
	w.WriteHeader(http.StatusNoContent)
}

// all waits until as many have come as are expected, and returns them in the order in
// which they came. Each has to be another.
func (r *receiver) all(ctx context.Context) ([]post, error) {
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	r.mu.Lock()
	enough := r.enough
	r.mu.Unlock()
	select {
	case <-enough:
	case <-ctx.Done():
	}
	return r.received()
}

// received is what has come until now.
func (r *receiver) received() ([]post, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused != nil {
		return nil, fmt.Errorf("a webhook was refused: %w", r.refused)
	}
	if len(r.posts) != r.wanted {
		return nil, fmt.Errorf("%d webhooks came, of %d", len(r.posts), r.wanted)
	}
	seen := map[[2]string]bool{}
	for _, p := range r.posts {
		id := [2]string{p.url, p.header.Get(standardwebhooks.HeaderWebhookID)}
		if seen[id] {
			return nil, fmt.Errorf("webhook %s came to %s twice", id[1], id[0])
		}
		seen[id] = true
	}
	return slices.Clone(r.posts), nil
}

// drainLimit is how long a backlog may take to arrive.
const drainLimit = 2 * time.Minute

// rate is how many came a second, from the first to the last.
func rate(posts []post) float64 {
	return float64(len(posts)-1) / posts[len(posts)-1].at.Sub(posts[0].at).Seconds()
}

// hole is a receiver that accepts connections and never answers.
type hole struct {
	url      string
	listener net.Listener
	first    chan struct{} // is closed when somebody has connected

	mu    sync.Mutex
	conns []*caught
}

// caught is a connection, and from when until when it was open.
type caught struct {
	net.Conn
	begin, end time.Time // end is zero while it is open
}

func newHole() (*hole, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := &hole{url: "http://" + listener.Addr().String() + "/hooks", listener: listener, first: make(chan struct{})}
	go h.serve()
	return h, nil
}

func (h *hole) serve() {
	for {
		conn, err := h.listener.Accept()
		if err != nil {
			return // closed
		}
		c := &caught{Conn: conn, begin: time.Now()}
		h.mu.Lock()
		if h.conns = append(h.conns, c); len(h.conns) == 1 {
			close(h.first)
		}
		h.mu.Unlock()
		go func() {
			_, _ = io.Copy(io.Discard, conn) // until the other end has had enough
			h.mu.Lock()
			c.end = time.Now()
			h.mu.Unlock()
		}()
	}
}

// used waits until somebody is caught.
func (h *hole) used(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	select {
	case <-h.first:
		return nil
	case <-ctx.Done():
		return errors.New("nobody connects to the endpoint that hangs")
	}
}

// closing is how long a connection may take to close after its exchange is over: the
// next one may be there before.
const closing = time.Second / 4

// most is how many exchanges there were at a time.
func (h *hole) most() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	peak := 0
	for _, c := range h.conns {
		beside := 0
		for _, other := range h.conns {
			if !other.begin.After(c.begin) && (other.end.IsZero() || other.end.Add(-closing).After(c.begin) || other == c) {
				beside++
			}
		}
		peak = max(peak, beside)
	}
	return peak
}

func (h *hole) close() {
	_ = h.listener.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.conns {
		_ = c.Close()
	}
}
