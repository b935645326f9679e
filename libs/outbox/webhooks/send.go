package webhooks

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/signing"
)

const (
	maxResponse = 64 << 10 // bytes to read, for the reuse of the connection
	maxExcerpt  = 2 << 10  // bytes to store

	// maxRetryAfter prevents an overflow. The domain's own limit is lower.
	maxRetryAfter = 24 * time.Hour
)

// message is one delivery attempt.
type message struct {
	service  string
	delivery outbox.Delivery
	url      string
	keys     []signing.Key
	scheme   outbox.SignatureScheme
	chat     bool // unsigned chat message; the url is secret
	clock    clock
}

// send posts the message and returns the result. Any 2xx status is success, regardless of the body. touched
// is false without a connection: the receiver cannot have the message.
func (m message) send(ctx context.Context, client *http.Client) (r outbox.Result, touched bool) {
	var connected, badTLS atomic.Bool // a dial may outlive the request
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:          func(httptrace.GotConnInfo) { connected.Store(true) },
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { badTLS.Store(err != nil) },
	})
	r.StartedAt = m.clock.now()
	response, err := m.post(ctx, client, r.StartedAt)
	if err != nil {
		r.FinishedAt = m.clock.now()
		r.Error = reason(err, badTLS.Load())
		return r, connected.Load()
	}
	defer response.Body.Close()
	// An error is ignored: the status is known, and the part of the body that arrived in time is enough.
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	r.FinishedAt = m.clock.now()
	r.StatusCode, r.Excerpt = response.StatusCode, excerpt(body)
	if m.chat && leaksURL(r.Excerpt, response.Request.URL) {
		r.Excerpt = ""
	}
	switch status := response.StatusCode; {
	case status >= 200 && status < 300:
	case status >= 300 && status < 400:
		r.Error = "redirect"
	default:
		r.Error = fmt.Sprintf("status %d", status)
		r.Gone = status == http.StatusGone
		if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			r.RetryAfter = retryAfter(response.Header.Get("Retry-After"), r.FinishedAt)
		}
	}
	return r, true
}

// leaksURL reports whether a text contains a part of the path or query of a URL, which may be secret.
func leaksURL(text string, u *url.URL) bool {
	for _, part := range strings.FieldsFunc(u.EscapedPath()+"/"+u.RawQuery, func(r rune) bool { return strings.ContainsRune("/&=?", r) }) {
		if len(part) >= 6 && strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// post sends the request and returns at the end of the response headers.
func (m message) post(ctx context.Context, client *http.Client, at time.Time) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, bytes.NewReader(m.delivery.Payload))
	if err != nil {
		return nil, err
	}
	if m.chat {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("User-Agent", m.service+"-webhooks/1")
		return client.Do(request)
	}
	signature, err := signing.Sign(m.scheme, m.keys, m.delivery.EventID, at, m.delivery.Payload)
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		standardwebhooks.HeaderWebhookID:        m.delivery.EventID,
		standardwebhooks.HeaderWebhookTimestamp: strconv.FormatInt(at.Unix(), 10),
		standardwebhooks.HeaderWebhookSignature: signature,

		"Content-Type": "application/json",
		"User-Agent":   m.service + "-webhooks/1",

		// For support, and not signed.
		m.service + "-Delivery-Id": m.delivery.ID,
		m.service + "-Attempt":     strconv.Itoa(m.delivery.Attempt + 1),
	} {
		request.Header.Set(name, value)
	}
	return client.Do(request)
}

// reason returns a word for err that may be stored and shown. The text of an error may contain addresses of
// this network.
func reason(err error, badTLS bool) string {
	_, dns := errors.AsType[*net.DNSError](err)
	timeout, ok := errors.AsType[net.Error](err)
	_, network := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, egress.ErrBlocked):
		return "blocked_destination"
	case dns:
		return "dns"
	case ok && timeout.Timeout():
		return "timeout"
	case badTLS:
		return "tls"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection_refused"
	// The transports have no types for these errors: HTTP/1, then HTTP/2.
	case strings.Contains(err.Error(), "server response headers exceeded"),
		strings.Contains(err.Error(), "response header list larger than advertised limit"):
		return "headers_too_large"
	case network, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection_failed"
	default:
		return "invalid_response"
	}
}

// excerpt returns the start of a body as text. White space becomes blanks, and control characters are
// removed because they can deceive a terminal.
func excerpt(body []byte) string {
	text := string(body[:min(len(body), maxExcerpt)])
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
}

// retryAfter parses a Retry-After header (RFC 9110 §10.2.3) in seconds or as a date. It returns 0 for a
// past time and for an invalid value.
func retryAfter(value string, now time.Time) time.Duration {
	// ParseInt returns the maximum for a number out of range.
	seconds, err := strconv.ParseUint(value, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	}
	date, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(date.Sub(now), 0), maxRetryAfter)
}
