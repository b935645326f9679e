package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/ui/session"
)

// Provider is the OpenID provider for the sign-in, with this service as its client. The client is
// confidential if it has a secret. The provider's metadata is loaded on first use, so that the
// service starts without the provider.
type Provider struct {
	Issuer, ClientID, ClientSecret string
	Setting                        string // variable with the issuer, for the log
	Scopes                         []string
	URL                            string // external URL of the first page
	Client                         *http.Client
	Now                            func() time.Time
	Leeway                         time.Duration // permitted clock skew of the issuer

	mu    sync.Mutex
	known *endpoints // nil before the first discovery
}

// endpoints holds the provider's metadata.
type endpoints struct {
	oauth  oauth2.Config
	tokens *oidc.IDTokenVerifier

	EndSession string `json:"end_session_endpoint"`
	Revocation string `json:"revocation_endpoint"`
}

// context sets the HTTP client of the libraries.
func (p *Provider) context(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.Client)
}

// discover returns the provider's metadata. The first successful result is cached.
func (p *Provider) discover(ctx context.Context) (*endpoints, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known != nil {
		return p.known, nil
	}
	found, err := oidc.NewProvider(p.context(context.WithoutCancel(ctx)), p.Issuer)
	if err != nil {
		return nil, fmt.Errorf("discover the issuer: %w", err)
	}
	known := &endpoints{tokens: found.Verifier(&oidc.Config{ClientID: p.ClientID, Now: p.Now})}
	if err := found.Claims(known); err != nil {
		return nil, fmt.Errorf("discover the issuer: %w", err)
	}
	known.oauth = oauth2.Config{
		ClientID: p.ClientID, ClientSecret: p.ClientSecret, Endpoint: found.Endpoint(), Scopes: p.Scopes,
		RedirectURL: p.URL + "/callback",
	}
	p.known = known
	return known, nil
}

// result is the result of a sign-in.
type result struct {
	session.Tokens
	subject, session string
}

// exchange exchanges a code for tokens.
func (p *Provider) exchange(ctx context.Context, code string, a attempt) (result, error) {
	known, err := p.discover(ctx)
	if err != nil {
		return result{}, err
	}
	token, err := known.oauth.Exchange(p.context(ctx), code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return result{}, fmt.Errorf("exchange the code: %w", err)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return result{}, errors.New("the issuer has sent no ID token")
	}
	idToken, err := known.tokens.Verify(p.context(ctx), raw)
	switch {
	case err != nil:
		return result{}, fmt.Errorf("verify the ID token: %w", err)
	case idToken.Nonce != a.Nonce:
		return result{}, errors.New("the ID token is of another sign-in")
	case idToken.AccessTokenHash != "":
		if err := idToken.VerifyAccessToken(token.AccessToken); err != nil {
			return result{}, fmt.Errorf("verify the access token: %w", err)
		}
	}
	var more struct {
		Session string `json:"sid"`
	}
	if err := idToken.Claims(&more); err != nil {
		return result{}, fmt.Errorf("read the ID token: %w", err)
	}
	return result{session.Tokens{Access: token.AccessToken, Refresh: token.RefreshToken}, idToken.Subject,
		more.Session}, nil
}

// errRefused indicates that the issuer refuses to renew the tokens of a session.
var errRefused = errors.New("the issuer has ended the session")

// isRefusal reports whether the token endpoint returned an error of RFC 6749 §5.2.
func isRefusal(err error) bool {
	answer, ok := errors.AsType[*oauth2.RetrieveError](err)
	return ok && answer.Response != nil && answer.Response.StatusCode/100 == 4
}

// refresh renews tokens.
func (p *Provider) refresh(ctx context.Context, old session.Tokens) (session.Tokens, error) {
	known, err := p.discover(ctx)
	if err != nil {
		return old, err
	}
	token, err := known.oauth.TokenSource(p.context(ctx), &oauth2.Token{RefreshToken: old.Refresh}).Token()
	if isRefusal(err) {
		return old, errRefused
	}
	if err != nil {
		return old, fmt.Errorf("renew the tokens: %w", err)
	}
	return session.Tokens{Access: token.AccessToken, Refresh: cmp.Or(token.RefreshToken, old.Refresh)}, nil
}

// revoke revokes the refresh token of an ended session (RFC 7009). If the issuer has no revocation
// endpoint, the token expires.
func (p *Provider) revoke(ctx context.Context, t session.Tokens) error {
	known, err := p.discover(ctx)
	if err != nil || known.Revocation == "" || t.Refresh == "" {
		return err
	}
	form := url.Values{"token": {t.Refresh}, "token_type_hint": {"refresh_token"}, "client_id": {p.ClientID}}
	if p.ClientSecret != "" {
		form.Set("client_secret", p.ClientSecret)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, known.Revocation, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := p.Client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("the issuer answered %d", answer.StatusCode)
	}
	return nil
}

// logoutEvent is the event of a logout token (OpenID Connect Back-Channel Logout 1.0).
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

const (
	maxLogoutAge = 5 * time.Minute
	maxLogoutID  = 255 // bytes of jti
)

// readLogout verifies a logout token (OpenID Connect Back-Channel Logout 1.0 §2.6) with keys, whose refreshes for
// unknown
// key ids are limited: the caller needs no valid token. The engine enforces the single use.
func (p *Provider) readLogout(ctx context.Context, keys *bearer.Verifier, raw string) (session.Logout, error) {
	token, err := oidc.NewVerifier(p.Issuer, bearer.LogoutKeys{Verifier: keys}, &oidc.Config{
		ClientID: p.ClientID, Now: p.Now, SupportedSigningAlgs: bearer.Algorithms(),
	}).Verify(ctx, raw)
	if err != nil {
		return session.Logout{}, err
	}
	var claims struct {
		ID      string         `json:"jti"`
		Session string         `json:"sid"`
		Nonce   *string        `json:"nonce"`
		Events  map[string]any `json:"events"`
	}
	if err := token.Claims(&claims); err != nil {
		return session.Logout{}, err
	}
	_, isLogout := claims.Events[logoutEvent]
	age := p.Now().Sub(token.IssuedAt)
	switch {
	case !isLogout || claims.Nonce != nil:
		return session.Logout{}, errors.New("not a logout token")
	case token.Subject == "" && claims.Session == "":
		return session.Logout{}, errors.New("the logout token has neither sub nor sid")
	case claims.ID == "" || len(claims.ID) > maxLogoutID:
		return session.Logout{}, errors.New("the logout token has no jti")
	case age > maxLogoutAge:
		return session.Logout{}, errors.New("the logout token is too old")
	case age < -p.Leeway:
		return session.Logout{}, errors.New("the logout token was issued in the future")
	}
	return session.Logout{JTI: claims.ID, Subject: token.Subject, Session: claims.Session, IssuedAt: token.IssuedAt}, nil
}
