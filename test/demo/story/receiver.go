package story

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// port is a server of webhook receivers.
type port struct {
	url    string // without a path
	mux    *http.ServeMux
	server *http.Server
}

// receiver is the application of a callback_url or an endpoint. It verifies signatures (Standard
// Webhooks 1.0.0).
type receiver struct {
	url      string
	received chan hook

	mu     sync.Mutex
	secret *standardwebhooks.Webhook
	status int // of the answers to valid webhooks
}

// hook is a received webhook.
type hook struct {
	id       string // the same in a retry
	delivery string // its id
	header   http.Header
	body     []byte
	err      error // the signature is invalid

	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	Data      struct {
		Sequence int64 `json:"sequence"`
		Resource struct {
			Name string `json:"name"`
		} `json:"resource"`
		Request struct {
			ID     string `json:"id"`
			Status string `json:"status"`
		} `json:"request"`
		Reason     string `json:"reason"`
		Checkpoint string `json:"checkpoint"`
	} `json:"data"`
}

const (
	maxHook = 64 << 10
	backlog = 64 // more than a tour causes, so that no sender is blocked
)

// listen opens host:port; port 0 is a free one.
func listen(ctx context.Context, address string) (*port, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("listen for webhooks: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for webhooks: %w", err)
	}
	// The host name: wf allows callbacks by name.
	number := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	p := &port{url: "http://" + net.JoinHostPort(host, number), mux: http.NewServeMux()}
	p.server = &http.Server{Handler: p.mux, ReadHeaderTimeout: 5 * time.Second}
	go p.server.Serve(listener) // ends with close
	return p, nil
}

// close drops webhooks in flight.
func (p *port) close() { _ = p.server.Close() }

// receiver adds one at a path.
func (p *port) receiver(path, secret string) (*receiver, error) {
	r := &receiver{url: p.url + path, received: make(chan hook, backlog), status: http.StatusNoContent}
	if err := r.trust(secret); err != nil {
		return nil, err
	}
	p.mux.Handle(path, r)
	return r, nil
}

// trust replaces the secret.
func (r *receiver) trust(secret string) error {
	key, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return fmt.Errorf("webhook secret: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = key
	return nil
}

// answer replaces the status of the answers.
func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// ServeHTTP receives a webhook and rejects an invalid signature.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	secret, status := r.secret, r.status
	r.mu.Unlock()
	h := hook{id: req.Header.Get(standardwebhooks.HeaderWebhookID), delivery: req.Header.Get("Wf-Delivery-Id"), header: req.Header}
	h.body, h.err = io.ReadAll(http.MaxBytesReader(w, req.Body, maxHook))
	if h.err == nil {
		h.err = secret.Verify(h.body, req.Header)
	}
	if h.err == nil {
		h.err = json.Unmarshal(h.body, &h)
	}
	select {
	case r.received <- h:
	case <-req.Context().Done():
		return
	}
	if h.err != nil {
		http.Error(w, "invalid signature", http.StatusUnauthorized)
		return
	}
	w.WriteHeader(status)
}

// next returns the next webhook, with a valid or an invalid signature.
func (r *receiver) next(ctx context.Context) (hook, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	select {
	case h := <-r.received:
		return h, nil
	case <-ctx.Done():
		return hook{}, fmt.Errorf("wait for a webhook at %s: %w", r.url, ctx.Err())
	}
}

// await returns the first webhook of each type for a request. Webhooks have no order and may be
// duplicates.
func (r *receiver) await(ctx context.Context, request string, types ...string) (map[string]hook, error) {
	found := map[string]hook{}
	for {
		missing := slices.IndexFunc(types, func(t string) bool { return found[t].id == "" })
		if missing < 0 {
			return found, nil
		}
		h, err := r.next(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s of request %s: %w", types[missing], request, err)
		}
		if h.err != nil {
			return nil, fmt.Errorf("webhook %s: %w", h.id, h.err)
		}
		if h.Data.Request.ID == request {
			found[h.Type] = h
		}
	}
}
