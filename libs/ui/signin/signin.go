// Package signin signs users of pages in at an OpenID provider, with the authorization code flow and
// PKCE (RFC 7636). A browser holds the random secret of a session and never a token.
package signin

import (
	"cmp"
	"context"
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/session"
)

// Pages holds the templates of the package, for frame.Options.
//
//go:embed pages
var Pages embed.FS

// SignIn signs users in and out, and finds their sessions.
type SignIn struct {
	Verifier *bearer.Verifier
	Provider *Provider      // nil in development
	Sessions *session.Store // set before the first page request

	// UserID returns the user of a token, and false for a token whose subject cannot sign in.
	UserID func(bearer.Token) (id string, ok bool)

	// Begun is called at the begin of a session.
	Begun func(context.Context, bearer.Token) error
}

// User is a user of the sign-in page of --dev.
type User struct {
	ID, Name, Email string
	Roles           []string
	Claims          map[string]any // further claims of the token
	Part            string         // purpose, as a key of the catalogue
}

// attempt is a pending sign-in. It is the encrypted state parameter of the authorization request,
// so that pending sign-ins need no storage. A cookie, shared by all tabs, binds it to the browser.
type attempt struct {
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"` // of PKCE
	To       string    `json:"to"`
	At       time.Time `json:"at"`
}

const (
	attemptTime   = 15 * time.Minute // for the sign-in at the issuer
	attemptCookie = "signin"
	sessionCookie = "session"
	maxReturn     = 1024 // bytes of the path after the sign-in: some issuers limit the state
)

// sealPlace binds a sealed attempt to the browser with the cookie.
func sealPlace(cookie string) string { return "signin|" + cookie }

// browserCookie returns the random value that identifies the browser during the sign-in, or an
// empty string.
func browserCookie(r *frame.Request) string {
	value := r.Cookie(attemptCookie)
	if len(value) != len(rand.Text()) {
		return ""
	}
	return value
}

// Start redirects to the issuer. The query has the page after the sign-in.
func (s *SignIn) Start(r *frame.Request) error {
	query := r.R.URL.Query()
	known, err := s.Provider.discover(r.R.Context())
	if err != nil {
		return s.issuerUnavailable(r, err)
	}
	to := r.LocalPath(query.Get("to"))
	if len(to) > maxReturn {
		to = r.Root
	}
	a := attempt{Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), To: to, At: r.Begun}
	raw, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encode a sign-in: %w", err)
	}
	browser := cmp.Or(browserCookie(r), rand.Text())
	state, err := s.Sessions.Keys.Seal(raw, sealPlace(browser))
	if err != nil {
		return fmt.Errorf("seal a sign-in: %w", err)
	}
	r.SetCookie(attemptCookie, browser, int(attemptTime.Seconds()))
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(a.Verifier), oauth2.SetAuthURLParam("nonce", a.Nonce)}
	for _, name := range []string{"max_age", "acr_values"} { // the page requires a recent or stronger sign-in
		if value := query.Get(name); value != "" {
			options = append(options, oauth2.SetAuthURLParam(name, value))
		}
	}
	r.Redirect(known.oauth.AuthCodeURL(state, options...))
	return nil
}

// issuerUnavailable logs a failed call of the issuer and shows a page with status 503.
func (s *SignIn) issuerUnavailable(r *frame.Request, err error) error {
	r.Logger.WarnContext(r.R.Context(), "issuer not reachable for a sign-in", "setting", s.Provider.Setting, "error", err)
	return r.Status(http.StatusServiceUnavailable, "signin.away")
}

// Callback handles the redirect from the issuer.
func (s *SignIn) Callback(r *frame.Request) error {
	if s.Provider == nil {
		return r.Status(http.StatusNotFound, "status.Not Found")
	}
	query := r.R.URL.Query()
	a, found := s.attemptOf(r, query.Get("state"))
	if !found {
		return r.Status(http.StatusBadRequest, "signin.lost")
	}
	if issuer := query.Get("iss"); issuer != "" && issuer != s.Provider.Issuer { // RFC 9207
		return r.Status(http.StatusBadRequest, "signin.lost")
	}
	if query.Get("code") == "" {
		r.Logger.InfoContext(r.R.Context(), "sign-in refused by the issuer", "error", frame.Truncate(query.Get("error"), 100))
		return r.Status(http.StatusForbidden, "signin.refused")
	}
	result, err := s.Provider.exchange(r.R.Context(), query.Get("code"), a)
	if isRefusal(err) { // for example a used code (RFC 6749 §5.2)
		r.Logger.InfoContext(r.R.Context(), "authorization code refused by the issuer", "error", err)
		return r.Status(http.StatusBadRequest, "signin.lost")
	}
	if err != nil {
		return s.issuerUnavailable(r, err)
	}
	if err := s.begin(r, result); err != nil {
		return err
	}
	r.Redirect(a.To)
	return nil
}

// attemptOf returns the sign-in of a state that this browser started. The issuer accepts its code
// once (RFC 6749 §4.1.2), so a replayed callback gets no tokens.
func (s *SignIn) attemptOf(r *frame.Request, state string) (a attempt, found bool) {
	browser := browserCookie(r)
	if browser == "" || state == "" {
		return a, false
	}
	raw, err := s.Sessions.Keys.Open(state, sealPlace(browser))
	if err != nil || json.Unmarshal(raw, &a) != nil {
		return a, false
	}
	return a, r.Begun.Sub(a.At) < attemptTime
}

// Begin starts a session with an access token, for development.
func (s *SignIn) Begin(r *frame.Request, access string) error {
	return s.begin(r, result{Tokens: session.Tokens{Access: access}})
}

// begin starts a session. An older session of the browser ends, and the secret changes.
func (s *SignIn) begin(r *frame.Request, got result) error {
	ctx := r.R.Context()
	token, err := s.Verifier.Verify(ctx, got.Access)
	if err != nil || got.subject != "" && got.subject != token.Subject {
		r.Logger.WarnContext(ctx, "sign-in without a valid access token", "error", err)
		return r.Status(http.StatusForbidden, "signin.token")
	}
	userID, ok := s.UserID(token)
	if !ok {
		return r.Status(http.StatusForbidden, "refused.service")
	}
	old, secret := r.Cookie(sessionCookie), rand.Text()+rand.Text() // a new secret prevents session fixation
	r.SetCookie(sessionCookie, secret, 0)
	err = s.Sessions.Begin(ctx, secret, session.Session{
		UserID: userID, Subject: token.Subject, IssuerID: got.session, Agent: frame.Truncate(r.R.UserAgent(), 200),
		Tokens: got.Tokens,
	})
	if err == nil && old != "" {
		err = s.Sessions.End(ctx, old)
	}
	if err != nil {
		return err
	}
	return s.Begun(ctx, token)
}

// End ends the session, revokes its tokens, and redirects to the sign-out of the issuer without a
// token.
func (s *SignIn) End(r *frame.Request) error {
	ctx, secret := r.R.Context(), r.Cookie(sessionCookie)
	var current session.Session
	if secret != "" {
		current, _, _ = s.Sessions.Find(ctx, secret) // a missing session has no tokens to revoke
		if err := s.Sessions.End(ctx, secret); err != nil {
			return err
		}
	}
	r.SetCookie(sessionCookie, "", -1)
	if s.Provider == nil {
		r.Redirect(r.Root + "/signin")
		return nil
	}
	if err := s.Provider.revoke(ctx, current.Tokens); err != nil {
		r.Logger.WarnContext(ctx, "issuer not reachable for a sign-out", "setting", s.Provider.Setting, "error", err)
	}
	known, err := s.Provider.discover(ctx)
	if err != nil || known.EndSession == "" {
		r.Redirect(r.Root + "/signed-out")
		return nil
	}
	query := url.Values{"client_id": {s.Provider.ClientID}, "post_logout_redirect_uri": {s.Provider.URL + "/signed-out"}}
	r.Redirect(known.EndSession + "?" + query.Encode())
	return nil
}

// ShowSignedIn shows the end of a stronger sign-in.
func (s *SignIn) ShowSignedIn(r *frame.Request) error {
	return r.Show(http.StatusOK, "signed-in", r.T("signedin.title"), nil)
}

// ShowSignedOut handles the redirect from the issuer after a sign-out.
func (s *SignIn) ShowSignedOut(r *frame.Request) error {
	return r.Show(http.StatusOK, "signed-out", r.T("signedout.title"), nil)
}

// LogOut handles a back-channel logout of the issuer.
func (s *SignIn) LogOut(r *frame.Request) error {
	if s.Provider == nil {
		return r.Status(http.StatusNotFound, "status.Not Found")
	}
	logout, err := s.Provider.readLogout(r.R.Context(), s.Verifier, r.R.PostForm.Get("logout_token"))
	if err == nil {
		err = s.Sessions.LogOut(r.R.Context(), logout)
		if err != nil && !errors.Is(err, session.ErrLogoutUsed) {
			return err
		}
	}
	if err != nil {
		r.Logger.InfoContext(r.R.Context(), "logout token refused", "error", err)
		r.W.WriteHeader(http.StatusBadRequest)
		return nil
	}
	r.W.WriteHeader(http.StatusOK)
	return nil
}
