package inbox

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

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
	maxReturn     = 1024 // bytes of the path after the sign-in: some issuers limit the state
)

// attemptPlace binds a sealed attempt to the browser with the cookie.
func attemptPlace(cookie string) string { return "signin|" + cookie }

// browserCookie returns the random value that identifies the browser during the sign-in, or an
// empty string.
func (v *visit) browserCookie() string {
	value := v.Cookie(attemptCookie)
	if len(value) != len(rand.Text()) {
		return ""
	}
	return value
}

// signIn redirects to the issuer, with the authorization code flow and PKCE (RFC 7636).
func (v *visit) signIn() error {
	query := v.R.URL.Query()
	to := v.Local(query.Get("to"))
	if v.Dev != nil {
		return v.showPeople(http.StatusOK, to)
	}
	known, err := v.Provider.discover(v.R.Context())
	if err != nil {
		return v.issuerAway(err)
	}
	if len(to) > maxReturn {
		to = Root
	}
	a := attempt{Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), To: to, At: v.Begun}
	raw, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encode a sign-in: %w", err)
	}
	browser := cmp.Or(v.browserCookie(), rand.Text())
	state, err := v.engine.Keys.Seal(raw, attemptPlace(browser))
	if err != nil {
		return fmt.Errorf("seal a sign-in: %w", err)
	}
	v.SetCookie(attemptCookie, browser, int(attemptTime.Seconds()))
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(a.Verifier), oauth2.SetAuthURLParam("nonce", a.Nonce)}
	for _, name := range []string{"max_age", "acr_values"} { // a stage requires a recent or stronger sign-in
		if value := query.Get(name); value != "" {
			options = append(options, oauth2.SetAuthURLParam(name, value))
		}
	}
	v.Redirect(known.oauth.AuthCodeURL(state, options...))
	return nil
}

// issuerAway replies if the issuer is unavailable.
func (v *visit) issuerAway(why error) error {
	v.Logger.WarnContext(v.R.Context(), "issuer not reachable for a sign-in", "setting", "WF_AUTH_ISSUER", "error", why)
	return v.Status(http.StatusServiceUnavailable, "signin.away")
}

// callback handles the redirect from the issuer.
func (v *visit) callback() error {
	if v.Provider == nil {
		return v.Status(http.StatusNotFound, "status.Not Found")
	}
	query := v.R.URL.Query()
	a, found := v.attemptOf(query.Get("state"))
	if !found {
		return v.Status(http.StatusBadRequest, "signin.lost")
	}
	if issuer := query.Get("iss"); issuer != "" && issuer != v.Provider.Issuer { // RFC 9207
		return v.Status(http.StatusBadRequest, "signin.lost")
	}
	if query.Get("code") == "" {
		v.Logger.InfoContext(v.R.Context(), "sign-in refused by the issuer", "error", cut(query.Get("error"), 100))
		return v.Status(http.StatusForbidden, "signin.refused")
	}
	got, err := v.Provider.exchange(v.R.Context(), query.Get("code"), a)
	if isRefusal(err) { // for example a used code (RFC 6749 §5.2)
		v.Logger.InfoContext(v.R.Context(), "authorization code refused by the issuer", "error", err)
		return v.Status(http.StatusBadRequest, "signin.lost")
	}
	if err != nil {
		return v.issuerAway(err)
	}
	if err := v.begin(got); err != nil {
		return err
	}
	v.Redirect(a.To)
	return nil
}

// attemptOf returns the sign-in of a state that this browser started. The issuer accepts its code
// once (RFC 6749 §4.1.2), so a replayed callback gets no tokens.
func (v *visit) attemptOf(state string) (a attempt, found bool) {
	browser := v.browserCookie()
	if browser == "" || state == "" {
		return a, false
	}
	raw, err := v.engine.Keys.Open(state, attemptPlace(browser))
	if err != nil || json.Unmarshal(raw, &a) != nil {
		return a, false
	}
	return a, v.Begun.Sub(a.At) < attemptTime
}

// begin starts a session. An older session of the browser ends, and the secret changes.
func (v *visit) begin(got signedInto) error {
	ctx := v.R.Context()
	token, err := v.Verifier.Verify(ctx, got.Access)
	if err != nil || got.subject != "" && got.subject != token.Subject {
		v.Logger.WarnContext(ctx, "sign-in without a valid access token", "error", err)
		return v.Status(http.StatusForbidden, "signin.token")
	}
	by, service := v.Inbox.Actor(token)
	if service != "" || identity.CheckUserID(by.ID) != nil {
		return v.Status(http.StatusForbidden, "refused.service")
	}
	if old := v.secret(); old != "" {
		if err := v.engine.EndSession(ctx, old); err != nil {
			return err
		}
	}
	secret := rand.Text() + rand.Text() // a new secret prevents session fixation
	v.SetCookie(sessionCookie, secret, 0)
	return v.engine.BeginSession(ctx, secret, engine.NewSession{
		Person: by, Subject: token.Subject, IssuerID: got.session, Agent: cut(v.R.UserAgent(), 200), Tokens: got.Tokens,
	}, v.Times)
}

// renewBefore is the time before the expiry of an access token at which it is renewed.
const renewBefore = 30 * time.Second

// renew renews the tokens of a session before the access token expires. One process renews and the
// others wait. It reports whether the session continues.
func (v *visit) renew() (bool, error) {
	ctx := v.R.Context()
	claimed, err := v.engine.ClaimRenewal(ctx, v.session)
	if err != nil || !claimed {
		return v.awaitRenewal(err)
	}
	renewed, err := v.Provider.refresh(ctx, v.session.Tokens)
	switch {
	case errors.Is(err, errRefused):
		return false, v.engine.EndSession(ctx, v.secret())
	case err != nil:
		return false, v.issuerAway(err)
	}
	if err := v.engine.RenewSession(ctx, v.session, renewed); err != nil {
		return false, err
	}
	v.session.Tokens = renewed
	return true, nil
}

const (
	renewalPoll = 100 * time.Millisecond
	renewalWait = 30 // polls
)

func (v *visit) awaitRenewal(err error) (bool, error) {
	ctx, before := v.R.Context(), v.session.Tokens.Access
	for range renewalWait {
		if err != nil {
			return false, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(renewalPoll):
		}
		var found bool
		if v.session, found, err = v.engine.Session(ctx, v.secret(), v.Times); err == nil && (!found || v.session.Tokens.Access != before) {
			return found, nil
		}
	}
	return false, err
}

// signOut ends the session, revokes its tokens, and redirects to the sign-out of the issuer without
// a token.
func (v *visit) signOut() error {
	ctx, secret := v.R.Context(), v.secret()
	var session engine.Session
	if secret != "" {
		session, _, _ = v.engine.Session(ctx, secret, v.Times) // a missing session has no tokens to revoke
		if err := v.engine.EndSession(ctx, secret); err != nil {
			return err
		}
	}
	v.SetCookie(sessionCookie, "", -1)
	if v.Provider == nil {
		v.Redirect(Root + "/signin")
		return nil
	}
	if err := v.Provider.revoke(ctx, session.Tokens); err != nil {
		v.Logger.WarnContext(ctx, "issuer not reachable for a sign-out", "setting", "WF_AUTH_ISSUER", "error", err)
	}
	known, err := v.Provider.discover(ctx)
	if err != nil || known.EndSession == "" {
		v.Redirect(Root + "/signed-out")
		return nil
	}
	query := url.Values{"client_id": {v.Provider.ClientID}, "post_logout_redirect_uri": {v.Provider.URL + Root + "/signed-out"}}
	v.Redirect(known.EndSession + "?" + query.Encode())
	return nil
}

// signedOut handles the redirect from the issuer after a sign-out.
func (v *visit) signedOut() error {
	return v.show(http.StatusOK, "signed-out", v.T("signedout.title"), nil)
}

// issuerSignOut handles a back-channel logout of the issuer.
func (v *visit) issuerSignOut() error {
	if v.Provider == nil {
		return v.Status(http.StatusNotFound, "status.Not Found")
	}
	logout, err := v.Provider.readLogout(v.R.Context(), v.R.PostForm.Get("logout_token"))
	if err == nil {
		err = v.engine.LogOut(v.R.Context(), logout)
		if err != nil && !errors.Is(err, engine.ErrLogoutUsed) {
			return err
		}
	}
	if err != nil {
		v.Logger.InfoContext(v.R.Context(), "logout token refused", "error", err)
		v.W.WriteHeader(http.StatusBadRequest)
		return nil
	}
	v.W.WriteHeader(http.StatusOK)
	return nil
}
