// Package egress creates HTTP clients for addresses supplied by callers and administrators: webhook targets,
// approver resolvers, key sets.
//
// Such a client cannot reach its own machine, the private network or a cloud's metadata service. Each
// dialled address is checked after name resolution, which prevents DNS rebinding and covers sets with one
// forbidden address. [Policy.CheckURL] checks a URL earlier, for a refusal to the caller; a name can resolve
// to another address later.
//
// A forward proxy is out of scope. The guard would check only the address of the proxy, so the proxy
// variables of the environment are ignored.
package egress

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"go.opentelemetry.io/otel/attribute"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/countersign/countersign/libs/trace"
)

// ErrBlocked indicates that the policy forbids the destination. Nothing was sent. A retry fails too, unless
// the name resolves to another address.
var ErrBlocked = errors.New("destination is blocked")

const (
	defaultTotal      = 15 * time.Second
	defaultMaxPerHost = 8

	defaultRetryWait = 100 * time.Millisecond
	longestWait      = 8 // times the first
)

// Policy restricts the destinations and the time of a client. The zero value permits https on port 443 of
// public addresses, without retries, within 15 seconds.
type Policy struct {
	// Ports are the destination ports allowed. Empty means 443, and 80 too when
	// AllowHTTP is set.
	Ports []uint16

	// AnyPort permits every port. It is for development, where receivers listen on arbitrary ports.
	AnyPort bool

	// AllowHTTP permits plain http beside https.
	AllowHTTP bool

	// Allow permits prefixes that are forbidden otherwise, such as 10.5.0.0/16 for a private network.
	// Link-local and metadata addresses remain forbidden.
	Allow []netip.Prefix

	// Total bounds one exchange from the dial to the last byte of the body; each
	// retry is a new exchange. Zero means 15 seconds.
	Total time.Duration

	// RetryWait is the wait before the first retry; each further one is twice as long, up
	// to eight times the first. Zero means 100 milliseconds.
	RetryWait time.Duration

	// Settings is the prefix of the service's variables, such as WF_. With it, the error of a
	// blocked destination names the variables that permit the destination.
	Settings string

	// UserAgent is the default User-Agent of requests.
	UserAgent string

	// MaxPerHost bounds the connections to one host. Zero means 8.
	MaxPerHost int

	// resolver replaces the system's in tests.
	resolver *net.Resolver
}

// Validate returns the first invalid or too permissive setting of p.
func (p Policy) Validate() error {
	for _, port := range p.Ports {
		if port == 0 {
			return errors.New("egress policy: port 0")
		}
	}
	for _, prefix := range p.Allow {
		if err := checkAllowed(prefix); err != nil {
			return fmt.Errorf("egress policy: allow %s: %w", prefix, err)
		}
	}
	switch {
	case p.Total < 0:
		return fmt.Errorf("egress policy: total %s is negative", p.Total)
	case p.RetryWait < 0:
		return fmt.Errorf("egress policy: a wait of %s before a retry", p.RetryWait)
	case p.MaxPerHost < 0:
		return fmt.Errorf("egress policy: %d connections per host", p.MaxPerHost)
	}
	return nil
}

// New returns a client that enforces p, without retries. It panics if [Policy.Validate] rejects p.
//
// The client returns a 3xx response instead of following it. It does not request compression, so a body has
// its length on the wire. The caller must limit the bytes that they read.
func New(p Policy) *http.Client {
	if err := p.Validate(); err != nil {
		panic(err)
	}
	p.Total, p.MaxPerHost = cmp.Or(p.Total, defaultTotal), cmp.Or(p.MaxPerHost, defaultMaxPerHost)
	// Control runs for each address, after name resolution and before connect.
	dialer := &net.Dialer{Timeout: 3 * time.Second, Control: newGuard(p).control, Resolver: p.resolver}
	return &http.Client{
		Timeout: p.Total,
		Transport: &transport{policy: p, next: &http.Transport{
			DialContext:            dialer.DialContext,
			Proxy:                  nil, // never from the environment
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    3 * time.Second,
			ResponseHeaderTimeout:  10 * time.Second,
			MaxResponseHeaderBytes: 16 << 10,
			DisableCompression:     true,
			ForceAttemptHTTP2:      true,
			MaxConnsPerHost:        p.MaxPerHost,
			MaxIdleConnsPerHost:    p.MaxPerHost, // fewer would close connections that are reused immediately
			IdleConnTimeout:        30 * time.Second,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// NewRetrying returns the client of New for calls without a schedule of their own. It retries a failed exchange
// of any method up to the given number of times. Connection errors, 429 and 5xx except 501 are failures.
// After the last retry it returns the response, whatever its status.
//
// StandardClient of the result is an [http.Client]. It follows redirects, and returns ErrBlocked for them.
func NewRetrying(p Policy, retries int) *retryablehttp.Client {
	wait := cmp.Or(p.RetryWait, defaultRetryWait)
	client := retryablehttp.NewClient()
	client.HTTPClient = New(p)
	client.Logger = nil // logs complete URLs
	client.RetryMax = retries
	client.RetryWaitMin, client.RetryWaitMax = wait, longestWait*wait
	client.Backoff = boundedBackoff
	client.CheckRetry = retryUnlessBlocked
	// The default replaces the last response by an error.
	client.ErrorHandler = retryablehttp.PassthroughErrorHandler
	return client
}

// transport checks the URL of each request, also without an earlier CheckURL, and refuses requests caused by
// a redirect.
type transport struct {
	policy Policy
	next   *http.Transport
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	err := t.policy.CheckURL(r.URL.String())
	if r.Response != nil {
		err = errors.New("redirects are not followed")
	}
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, t.addVariables(fmt.Errorf("%w: %w", ErrBlocked, err))
	}
	ctx, span := trace.Tracer(r.Context()).Start(r.Context(), r.Method, oteltrace.WithSpanKind(oteltrace.SpanKindClient),
		oteltrace.WithAttributes(attribute.String("http.request.method", r.Method), attribute.String("server.address", r.URL.Host)))
	r = r.Clone(ctx)
	if t.policy.UserAgent != "" && r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", t.policy.UserAgent)
	}
	if parent := trace.Parent(ctx); parent != "" {
		r.Header.Set(trace.Header, parent)
	}
	response, err := t.next.RoundTrip(r)
	endSpan(span, response, err)
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		err = fmt.Errorf("%w; SSL_CERT_FILE names the certificates of a private CA", err)
	}
	return response, t.addVariables(err)
}

// addVariables adds the variables of the policy to the error of a blocked destination.
func (t *transport) addVariables(err error) error {
	if s := t.policy.Settings; s != "" && errors.Is(err, ErrBlocked) {
		return fmt.Errorf("%w; see %sOUTBOUND_ALLOW and %sALLOW_HTTP_OUTBOUND", err, s, s)
	}
	return err
}

// endSpan ends the span of an exchange. The span contains only the host, because paths, queries and error
// texts can contain secrets.
func endSpan(span oteltrace.Span, r *http.Response, err error) {
	switch {
	case errors.Is(err, ErrBlocked):
		trace.End(span, "blocked")
	case errors.Is(err, context.DeadlineExceeded):
		trace.End(span, "timeout")
	case err != nil:
		trace.End(span, "unreachable")
	default:
		span.SetAttributes(attribute.Int("http.response.status_code", r.StatusCode))
		failure := ""
		if r.StatusCode >= http.StatusBadRequest {
			failure = strconv.Itoa(r.StatusCode)
		}
		trace.End(span, failure)
	}
}

// CloseIdleConnections implements [http.Client.CloseIdleConnections].
func (t *transport) CloseIdleConnections() { t.next.CloseIdleConnections() }

// retryUnlessBlocked is the library's retry policy, without retries for blocked addresses.
func retryUnlessBlocked(ctx context.Context, r *http.Response, err error) (bool, error) {
	if errors.Is(err, ErrBlocked) {
		return false, err
	}
	return retryablehttp.DefaultRetryPolicy(ctx, r, err)
}

// boundedBackoff is the library's backoff between lo and hi. The library accepts any Retry-After.
func boundedBackoff(lo, hi time.Duration, attempt int, r *http.Response) time.Duration {
	return min(max(lo, retryablehttp.DefaultBackoff(lo, hi, attempt, r)), hi)
}
