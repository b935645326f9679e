package idp

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"time"

	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// tokens gets access tokens by client credentials (RFC 6749 §4.4) and keeps the
// last one until shortly before it expires.
type tokens struct {
	caller *caller
	url    string
	id     string
	secret registrar.Secret
	scope  string

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
		return "", unreachable("wait for an access token: %w", ctx.Err())
	}
	if t.token != "" && t.token != rejected && t.caller.now().Before(t.expires) {
		return t.token, nil
	}
	token, lifetime, err := t.fetch(ctx)
	if err != nil {
		return "", err
	}
	// A token that ends during a call would cost that call.
	t.token, t.expires = token, t.caller.now().Add(lifetime-min(30*time.Second, lifetime/4))
	return t.token, nil
}

// fetch asks the token endpoint.
func (t *tokens) fetch(ctx context.Context) (token string, lifetime time.Duration, err error) {
	form := url.Values{"grant_type": {"client_credentials"}}
	if t.scope != "" {
		form.Set("scope", t.scope)
	}
	basic := url.QueryEscape(t.id) + ":" + url.QueryEscape(string(t.secret)) // RFC 6749 §2.3.1
	header := http.Header{
		"Accept":        {"application/json"},
		"Content-Type":  {"application/x-www-form-urlencoded"},
		"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(basic))},
	}
	a, err := t.caller.send(ctx, http.MethodPost, t.url, []byte(form.Encode()), header)
	if err != nil {
		return "", 0, err
	}
	if a.status != http.StatusOK {
		return "", 0, unreachable("the token endpoint answered with status %d", a.status)
	}
	var body struct {
		AccessToken string  `json:"access_token"`
		TokenType   string  `json:"token_type"`
		ExpiresIn   float64 `json:"expires_in"`
	}
	if err := a.decode(&body); err != nil {
		return "", 0, err
	}
	if body.AccessToken == "" || !strings.EqualFold(body.TokenType, "Bearer") {
		return "", 0, unreachable("the token endpoint gave no bearer token")
	}
	seconds := min(max(body.ExpiresIn, 0), 24*60*60)
	if seconds == 0 { // not said, which RFC 6749 §5.1 allows
		seconds = 60
	}
	return body.AccessToken, time.Duration(seconds * float64(time.Second)), nil
}
