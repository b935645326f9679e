// Package egress makes the HTTP clients for addresses that somebody else chose:
// webhook targets, approver resolvers, key sets.
//
// A client made here cannot reach the machine it runs on, its private network or a
// cloud's metadata service. The check that counts is made after name resolution, on
// every address that is dialled, so a record that changes between two look-ups does not
// get through, nor one odd address in a set. [Policy.CheckURL] makes the same check
// earlier, when a caller can still be told; a name that is harmless then may not be
// later.
//
// Out of scope: a forward proxy. The guard would see only the address of the proxy, so
// none is used, whatever the environment says.
package egress

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/countersign/countersign/libs/trace"
)

// ErrBlocked means that the policy forbids the destination. Nothing was sent. Another
// attempt fails as well, unless the name points elsewhere by then.
var ErrBlocked = errors.New("destination is blocked")

const (
	defaultTotal      = 15 * time.Second
	defaultMaxPerHost = 8

	defaultRetryWait = 100 * time.Millisecond
	longestWait      = 8 // times the first
)

// Policy says what a client may reach and how long it may take. The zero value
// reaches https on port 443 of public addresses, once, within 15 seconds.
type Policy struct {
	// Ports are the destination ports allowed. Empty means 443, and 80 too when
	// AllowHTTP is set.
	Ports []uint16

	// AnyPort lifts the rule on ports. It is meant for development, where a
	// receiver listens wherever it can.
	AnyPort bool

	// AllowHTTP permits plain http beside https.
	AllowHTTP bool

	// Allow opens prefixes that are refused otherwise, such as 10.5.0.0/16 for a
	// private network. Link-local and metadata addresses stay closed.
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

	// UserAgent is sent unless the request brings its own.
	UserAgent string

	// MaxPerHost bounds the connections to one host. Zero means 8.
	MaxPerHost int

	// resolver replaces the system's in tests.
	resolver *net.Resolver
}

// Validate reports the first setting of p that makes no sense or opens too much.
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

// New returns a client that obeys p and makes each exchange once. It panics if p
// does not pass [Policy.Validate].
//
// The client follows no redirect: a 3xx is returned as it came. It does not ask
// for compression, so a body is as long as it was on the wire, but the caller
// still has to limit how much of it they read.
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
			MaxIdleConnsPerHost:    p.MaxPerHost, // fewer would close connections that are needed again at once
			IdleConnTimeout:        30 * time.Second,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Retrying returns the client of New for calls that no schedule repeats. A failed
// exchange is repeated up to that many times, whatever its method: connection
// errors, 429 and 5xx except 501 count as failed. A response is returned whatever
// its status, also after the last retry.
//
// Code that wants an [http.Client] may use StandardClient. That one tries to
// follow redirects, and gets ErrBlocked.
func Retrying(p Policy, retries int) *retryablehttp.Client {
	wait := cmp.Or(p.RetryWait, defaultRetryWait)
	client := retryablehttp.NewClient()
	client.HTTPClient = New(p)
	client.Logger = nil // it would log whole URLs
	client.RetryMax = retries
	client.RetryWaitMin, client.RetryWaitMax = wait, longestWait*wait
	client.Backoff = boundedBackoff
	client.CheckRetry = retryUnlessBlocked
	// The default replaces the last response by an error.
	client.ErrorHandler = retryablehttp.PassthroughErrorHandler
	return client
}

// transport checks each request by the policy's URL rules, also if the caller forgot
// CheckURL, and refuses the requests that a redirect leads to.
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
	ctx, span := trace.Step(r.Context(), trace.Client, r.Method, slog.String("http.request.method", r.Method), slog.String("server.address", r.URL.Host))
	r = r.Clone(ctx)
	if t.policy.UserAgent != "" && r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", t.policy.UserAgent)
	}
	trace.Send(ctx, r.Header)
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
		return fmt.Errorf("%w; see %sOUTBOUND_ALLOW, %sOUTBOUND_PORTS and %sALLOW_HTTP_OUTBOUND", err, s, s, s)
	}
	return err
}

// endSpan ends the span of an exchange. It has the host alone: paths and queries may hold
// secrets, and so may the text of an error.
func endSpan(span trace.Span, r *http.Response, err error) {
	switch {
	case errors.Is(err, ErrBlocked):
		span.End("blocked")
	case errors.Is(err, context.DeadlineExceeded):
		span.End("timeout")
	case err != nil:
		span.End("unreachable")
	default:
		span.Set(slog.Int("http.response.status_code", r.StatusCode))
		failure := ""
		if r.StatusCode >= http.StatusBadRequest {
			failure = strconv.Itoa(r.StatusCode)
		}
		span.End(failure)
	}
}

// CloseIdleConnections lets [http.Client.CloseIdleConnections] reach the pool.
func (t *transport) CloseIdleConnections() { t.next.CloseIdleConnections() }

// retryUnlessBlocked is the library's policy, but for blocked addresses, which it would
// dial again and again.
func retryUnlessBlocked(ctx context.Context, r *http.Response, err error) (bool, error) {
	if errors.Is(err, ErrBlocked) {
		return false, err
	}
	return retryablehttp.DefaultRetryPolicy(ctx, r, err)
}

// boundedBackoff is the library's backoff, kept between lo and hi. The library obeys
// any Retry-After.
func boundedBackoff(lo, hi time.Duration, attempt int, r *http.Response) time.Duration {
	return min(max(lo, retryablehttp.DefaultBackoff(lo, hi, attempt, r)), hi)
}
