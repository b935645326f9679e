package story

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receiver is the application of a callback_url. It verifies signatures (Standard Webhooks 1.0.0).
type receiver struct {
	url      string
	server   *http.Server
	received chan hook
	secret   *standardwebhooks.Webhook
}

// hook is a received webhook.
type hook struct {
	header http.Header
	body   []byte
	err    error // the signature is invalid

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
	backlog = 64 // more than a tour causes, so that no sender is blocked
)

// listen opens host:port; port 0 is a free one.
func listen(ctx context.Context, address, secret string) (*receiver, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("listen for webhooks: %w", err)
	}
	key, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, fmt.Errorf("webhook secret: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for webhooks: %w", err)
	}
	// The host name: wf allows callbacks by name.
	number := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	r := &receiver{url: "http://" + net.JoinHostPort(host, number) + "/hooks", received: make(chan hook, backlog), secret: key}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	go r.server.Serve(listener) // ends with close
	return r, nil
}

// close drops webhooks in flight.
func (r *receiver) close() { _ = r.server.Close() }

// ServeHTTP receives a webhook and rejects an invalid signature.
func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	h := hook{header: req.Header}
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
		http.Error(w, "invalid signature", http.StatusUnauthorized)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// await returns the first webhook of a type for a request. Webhooks have no order and may be duplicates.
func (r *receiver) await(ctx context.Context, request, kind string) (hook, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		select {
		case h := <-r.received:
			if h.err != nil || h.Data.Request.ID == request && h.Type == kind {
				return h, h.err
			}
		case <-ctx.Done():
			return hook{}, fmt.Errorf("wait for %s at %s: %w", kind, r.url, ctx.Err())
		}
	}
}
