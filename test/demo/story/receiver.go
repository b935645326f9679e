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
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receiver is the other end of a callback_url: what an application writes to hear
// of its requests. It trusts nothing but the signature (Standard Webhooks 1.0.0).
type receiver struct {
	url      string
	server   *http.Server
	secret   *standardwebhooks.Webhook
	received chan hook
}

// hook is a webhook that has arrived.
type hook struct {
	id     string // the same when it is sent again
	header http.Header
	body   []byte
	err    error // it is not to be trusted

	Type string `json:"type"`
	Data struct {
		Sequence int64 `json:"sequence"`
		Request  struct {
			ID     string `json:"id"`
			Status string `json:"status"`
		} `json:"request"`
	} `json:"data"`
}

const (
	maxHook = 64 << 10
	backlog = 64 // more than a story causes, so no sender waits for the story
)

// listen starts a receiver on host:port; port 0 is a free one.
func listen(ctx context.Context, address, secret string) (*receiver, error) {
	key, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, fmt.Errorf("webhook secret: %w", err)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("listen for webhooks: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for webhooks: %w", err)
	}
	// The name, not the address it stands for: wf allows callbacks by name.
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	r := &receiver{url: "http://" + net.JoinHostPort(host, port) + "/hooks", secret: key, received: make(chan hook, backlog)}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 5 * time.Second}
	go r.server.Serve(listener) // ends with close, and has nothing to report
	return r, nil
}

// close does not wait for webhooks that are on their way.
func (r *receiver) close() { _ = r.server.Close() }

// ServeHTTP takes one webhook, and refuses what the service did not sign.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	h := hook{id: req.Header.Get(standardwebhooks.HeaderWebhookID), header: req.Header}
	h.body, h.err = io.ReadAll(http.MaxBytesReader(w, req.Body, maxHook))
	if h.err == nil {
		h.err = r.secret.Verify(h.body, req.Header)
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
		http.Error(w, "not to be trusted", http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// await returns the first webhook of each type for a request. Webhooks may come in
// any order, and twice.
func (r *receiver) await(ctx context.Context, request string, types ...string) (map[string]hook, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	found := map[string]hook{}
	for {
		missing := slices.IndexFunc(types, func(t string) bool { return found[t].id == "" })
		if missing < 0 {
			return found, nil
		}
		select {
		case h := <-r.received:
			if h.err != nil {
				return nil, fmt.Errorf("webhook %s: %w", h.id, h.err)
			}
			if h.Data.Request.ID == request {
				found[h.Type] = h
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for webhook %s: %w", types[missing], ctx.Err())
		}
	}
}
