package idp

import (
	"context"
	"errors"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/countersign/countersign/libs/egress"
)

// tokens gets access tokens by client credentials (RFC 6749 §4.4) and caches the last one until
// shortly before it expires.
type tokens struct {
	caller *caller
	config clientcredentials.Config

	lock    chan struct{} // held while token is read or fetched; waiting for it ends with the context
	token   string
	expires time.Time
}

// get returns a token that is not the rejected one.
func (t *tokens) get(ctx context.Context, rejected string) (string, error) {
	select {
	case t.lock <- struct{}{}:
		defer func() { <-t.lock }()
	case <-ctx.Done():
		return "", unreachableError("wait for an access token: %w", ctx.Err())
	}
	if t.token != rejected && t.caller.now().Before(t.expires) {
		return t.token, nil
	}
	token, lifetime, err := t.fetch(ctx)
	if err != nil {
		return "", err
	}
	// A token that expires during a call would fail that call.
	t.token, t.expires = token, t.caller.now().Add(lifetime-min(30*time.Second, lifetime/4))
	return t.token, nil
}

// fetch requests a token from the token endpoint.
func (t *tokens) fetch(ctx context.Context) (token string, lifetime time.Duration, err error) {
	got, err := t.config.Token(context.WithValue(ctx, oauth2.HTTPClient, t.caller.client.StandardClient()))
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok { // its text quotes the answer
		return "", 0, unreachableError("the token endpoint answered with status %d", refused.Response.StatusCode)
	}
	if err != nil {
		return "", 0, unreachableError("the token endpoint: %w", egress.WithoutURL(err))
	}
	if !strings.EqualFold(got.TokenType, "Bearer") {
		return "", 0, unreachableError("the token endpoint gave no bearer token")
	}
	if got.Expiry.IsZero() { // missing, as RFC 6749 §5.1 allows
		return got.AccessToken, time.Minute, nil
	}
	return got.AccessToken, min(max(time.Until(got.Expiry), 0), 24*time.Hour), nil
}
