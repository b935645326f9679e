package idp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/strictjson"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// maxAnswer is the maximum size of an answer in bytes.
const maxAnswer = 256 << 10

// caller makes the calls to a provider: through the guard, with retries and an access
// token.
type caller struct {
	client *retryablehttp.Client
	once   *retryablehttp.Client // nil if the provider requires no token
	tokens *tokens               // nil if the provider requires no token
	base   string                // the provider's URL without a slash at the end
	now    func() time.Time
}

func newCaller(o Options) (*caller, error) {
	o.Egress.Total = cmp.Or(o.Egress.Total, tryTimeout)
	if err := o.Egress.Validate(); err != nil {
		return nil, err
	}
	if err := o.Egress.CheckURL(o.URL); err != nil {
		return nil, fmt.Errorf("REGISTRAR_IDP_URL: %w", err)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Egress.MaxPerHost = max(o.Egress.MaxPerHost, o.Calls) // a call that waits for a connection would count as lost
	c := &caller{client: newClient(o.Egress, retries), once: newClient(o.Egress, 0), base: strings.TrimRight(o.URL, "/"), now: o.Now}
	if o.TokenURL != "" {
		if err := o.Egress.CheckURL(o.TokenURL); err != nil {
			return nil, fmt.Errorf("REGISTRAR_IDP_TOKEN_URL: %w", err)
		}
		c.tokens = c.tokensOf(o, o.ClientID, o.ClientSecret)
	}
	return c, nil
}

// check gets an access token and calls the provider's address. Any answer below 500 proves the
// provider reachable.
func (c *caller) check(ctx context.Context) error {
	if c.tokens != nil {
		if _, err := c.tokens.get(ctx, ""); err != nil {
			return err
		}
	}
	_, err := c.jsonWith(ctx, c.once, http.MethodGet, c.base, nil, "")
	return err
}

// tokensOf returns the token source for a client of the provider's token endpoint.
func (c *caller) tokensOf(o Options, id string, secret registrar.Secret) *tokens {
	return &tokens{caller: c, lock: make(chan struct{}, 1), config: clientcredentials.Config{
		TokenURL: o.TokenURL, ClientID: id, ClientSecret: string(secret), Scopes: strings.Fields(o.Scope),
		AuthStyle: oauth2.AuthStyleInHeader,
	}}
}

// tooLong matches the texts of databases about a value that exceeds its column.
var tooLong = regexp.MustCompile(`(?i)too long|exceeds (the )?maximum|data truncat|right truncation`)

// isTooLong reports whether a failed answer says that a value is too long. It leaves the body to be read.
func isTooLong(r *http.Response) bool {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxAnswer))
	r.Body = struct {
		io.Reader
		io.Closer
	}{bytes.NewReader(body), r.Body}
	return err == nil && tooLong.Match(body)
}

// newClient returns a client that records for each try whether the provider may have acted. An answer that
// a value is too long ends the tries.
func newClient(p egress.Policy, retries int) *retryablehttp.Client {
	client := egress.NewRetrying(p, retries)
	policy := client.CheckRetry
	client.CheckRetry = func(ctx context.Context, r *http.Response, err error) (bool, error) {
		a, ok := ctx.Value(answerKey{}).(*answer)
		if ok && err == nil && r.StatusCode >= 500 {
			if a.tooLong = a.tooLong || isTooLong(r); a.tooLong {
				return false, nil
			}
		}
		if ok && mayHaveActed(r, err) {
			a.acted = true
		}
		return policy(ctx, r, err)
	}
	return client
}

// answerKey is the context key of the *answer that the tries of a call fill.
type answerKey struct{}

// mayHaveActed reports whether a failed try may have had its effect.
func mayHaveActed(r *http.Response, err error) bool {
	if err == nil {
		return r.StatusCode >= 500
	}
	dial, ok := errors.AsType[*net.OpError](err)
	return !(ok && dial.Op == "dial") && !errors.Is(err, egress.ErrBlocked)
}

// answer is the provider's answer.
type answer struct {
	status int
	body   []byte

	// acted reports that an earlier try of the same call may have had an effect.
	acted bool

	// tooLong reports a failure because of a value that is too long.
	tooLong bool
}

// errTooLong is the provider's refusal of a value that exceeds its column.
var errTooLong = newRefusal("", "a value is too long for it")

// unusable returns the error of an answer that is not one of the protocol.
func (a answer) unusable(format string, args ...any) error {
	if a.status >= 400 && tooLong.Match(a.body) {
		return errTooLong
	}
	return unreachableError(format, args...)
}

// plainText is a body that is not JSON.
type plainText string

// json calls the provider with a body and a token of source, if any. After a 401 it tries once
// more with a new token.
func (c *caller) json(
	ctx context.Context, client *retryablehttp.Client, source *tokens, method, target string, body any,
) (answer, error) {
	if source == nil {
		return c.jsonWith(ctx, client, method, target, body, "")
	}
	token, err := source.get(ctx, "")
	if err != nil {
		return answer{}, notSentError{err}
	}
	a, err := c.jsonWith(ctx, client, method, target, body, token)
	if err != nil || a.status != http.StatusUnauthorized {
		return a, err
	}
	if token, err = source.get(ctx, token); err != nil {
		if !a.acted {
			err = notSentError{err}
		}
		return a, err
	}
	again, err := c.jsonWith(ctx, client, method, target, body, token)
	if a.acted && errors.Is(err, ErrNotSent) {
		err = unreachableError("%s: status %d, then no answer", method, a.status)
	}
	again.acted = again.acted || a.acted
	return again, err
}

// jsonWith makes a call with the given client and token; the token may be empty.
func (c *caller) jsonWith(ctx context.Context, client *retryablehttp.Client, method, target string, body any, token string) (answer, error) {
	var raw []byte
	header := http.Header{"Accept": {"application/json, text/plain;q=0.5"}}
	switch body := body.(type) {
	case nil:
	case plainText:
		raw = []byte(body)
		header.Set("Content-Type", "text/plain; charset=utf-8")
	default:
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return answer{}, fmt.Errorf("encode a call to the identity provider: %w", err)
		}
		header.Set("Content-Type", "application/json")
	}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	return send(ctx, client, method, target, raw, header)
}

// send makes one call with its tries. The body of the answer is complete, and its status is one of
// the protocol. Any other outcome is ErrUnreachable.
func send(ctx context.Context, client *retryablehttp.Client, method, target string, body []byte, header http.Header) (answer, error) {
	var a answer
	ctx = context.WithValue(ctx, answerKey{}, &a)
	req, err := retryablehttp.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return answer{}, notSentError{unreachableError("%s: the address is not a URL", method)}
	}
	req.Header = header
	oversize := false
	// The body is read here, so that a truncated answer counts as a failed try.
	req.SetResponseHandler(func(r *http.Response) (err error) {
		a.body, err = io.ReadAll(io.LimitReader(r.Body, maxAnswer+1))
		oversize = len(a.body) > maxAnswer
		return err
	})
	where := method + " " + req.URL.Host // a path or a query may contain a secret
	r, err := client.Do(req)
	if r != nil {
		defer r.Body.Close()
		a.status = r.StatusCode
	}
	switch {
	case a.tooLong:
		return a, errTooLong
	case err != nil && !a.acted:
		return a, notSentError{unreachableError("%s: %w", where, egress.WithoutURL(err))}
	case err != nil:
		return a, unreachableError("%s: %w", where, egress.WithoutURL(err))
	case a.status == http.StatusTooManyRequests && !a.acted:
		return a, notSentError{unreachableError("%s: status %d", where, a.status)}
	case a.status >= 500, a.status == http.StatusTooManyRequests:
		return a, unreachableError("%s: status %d", where, a.status)
	case a.status >= 300 && a.status < 400:
		return a, unreachableError("%s: status %d is a redirect, which is not followed", where, a.status)
	case oversize:
		return a, unreachableError("%s: the answer is longer than %d bytes", where, maxAnswer)
	}
	return a, nil
}

// decode parses a JSON answer.
func (a answer) decode(v any) error {
	if strictjson.Decode(a.body, strictjson.Default, v) != nil {
		return a.unusable("status %d with a body that is not the JSON expected", a.status)
	}
	return nil
}

// tokenRejection returns the error of a call with a rejected token.
func (a answer) tokenRejection(what string) error {
	err := unreachableError("%s: %s", what, a.denial())
	if !a.acted {
		err = notSentError{err}
	}
	return err
}

// isDenied reports whether the provider rejected this service's token. That is independent of the
// client.
func (a answer) isDenied() bool {
	return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden
}

// failure is an OAuth 2.0 error (RFC 6750 §3, RFC 7591 §3.2.2).
type failure struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

// denial returns the reason of a rejection for the log.
func (a answer) denial() string {
	text := fmt.Sprintf("status %d: this service was not let in", a.status)
	var failure failure
	_ = a.decode(&failure) // the body may be another page
	for _, words := range []string{failure.Code, failure.Description} {
		if words = printablePrefix(words); words != "" {
			text += ": " + words
		}
	}
	return text
}
