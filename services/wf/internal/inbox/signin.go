package inbox

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/oauth2"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// attempt is a sign-in that has begun: what the issuer has to bring back, and where it is
// to go on. It is in a sealed cookie, so that it costs nothing to begin one.
type attempt struct {
	State    string    `json:"state"`
	Nonce    string    `json:"nonce"`
	Verifier string    `json:"verifier"` // of PKCE
	To       string    `json:"to"`
	At       time.Time `json:"at"`
}

// attemptTime is how long somebody may take at the issuer.
const attemptTime = 15 * time.Minute

// attemptCookie is that of one sign-in: several can be under way in several tabs.
func (v *visit) attemptCookie(state string) string {
	return v.cookieName("wf_signin_" + cut(state, 12))
}

func attemptPlace(state string) string { return "signin|" + state }

// signIn sends somebody to where they sign in: to the issuer, by the authorization code
// flow with PKCE (RFC 7636).
func (v *visit) signIn() error {
	query := v.r.URL.Query()
	to := local(query.Get("to"))
	if v.Dev != nil {
		return v.showPeople(http.StatusOK, to)
	}
	known, err := v.Provider.discover(v.r.Context())
	if err != nil {
		return v.issuerAway(err)
	}
	a := attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), To: to, At: v.now}
	raw, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encode a sign-in: %w", err)
	}
	sealed, err := v.engine.Keys.Seal(raw, attemptPlace(a.State))
	if err != nil {
		return fmt.Errorf("seal a sign-in: %w", err)
	}
	v.cookie(v.attemptCookie(a.State), sealed, int(attemptTime.Seconds()))
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(a.Verifier), oauth2.SetAuthURLParam("nonce", a.Nonce)}
	for _, name := range []string{"max_age", "acr_values"} { // a stage asks for a fresh or stronger sign-in
		if value := query.Get(name); value != "" {
			options = append(options, oauth2.SetAuthURLParam(name, value))
		}
	}
	v.redirect(known.oauth.AuthCodeURL(a.State, options...))
	return nil
}

// cookie sets a cookie that scripts cannot read. An age below zero takes it away.
func (v *visit) cookie(name, value string, age int) {
	http.SetCookie(v.w, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: v.Secure, SameSite: http.SameSiteLaxMode}) // #nosec G124 -- plain HTTP is for --dev
}

// issuerAway answers when the issuer does not.
func (v *visit) issuerAway(why error) error {
	v.Logger.WarnContext(v.r.Context(), "the issuer does not answer for a sign-in", "error", why)
	return v.status(http.StatusServiceUnavailable, "signin.away")
}

// callback is where the issuer sends somebody back to.
func (v *visit) callback() error {
	if v.Provider == nil {
		return v.status(http.StatusNotFound, "status.Not Found")
	}
	query := v.r.URL.Query()
	a, found := v.attemptOf(query.Get("state"))
	if !found {
		return v.status(http.StatusBadRequest, "signin.lost")
	}
	v.cookie(v.attemptCookie(a.State), "", -1)
	if issuer := query.Get("iss"); issuer != "" && issuer != v.Provider.Issuer { // RFC 9207
		return v.status(http.StatusBadRequest, "signin.lost")
	}
	if query.Get("code") == "" {
		v.Logger.InfoContext(v.r.Context(), "sign-in refused by the issuer", "error", cut(query.Get("error"), 100))
		return v.status(http.StatusForbidden, "signin.refused")
	}
	got, err := v.Provider.exchange(v.r.Context(), query.Get("code"), a)
	if err != nil {
		return v.issuerAway(err)
	}
	if err := v.begin(got); err != nil {
		return err
	}
	v.redirect(a.To)
	return nil
}

// attemptOf is the sign-in that this browser has begun with a state.
func (v *visit) attemptOf(state string) (a attempt, found bool) {
	cookie, err := v.r.Cookie(v.attemptCookie(state))
	if err != nil || state == "" {
		return a, false
	}
	raw, err := v.engine.Keys.Open(cookie.Value, attemptPlace(state))
	if err != nil || json.Unmarshal(raw, &a) != nil {
		return a, false
	}
	return a, subtle.ConstantTimeCompare([]byte(a.State), []byte(state)) == 1 && v.now.Sub(a.At) < attemptTime
}

// begin signs the browser in. An older session of it ends, and it gets another secret.
func (v *visit) begin(got signedInto) error {
	ctx := v.r.Context()
	token, err := v.Verifier.Verify(ctx, got.Access)
	if err != nil || got.subject != "" && got.subject != token.Subject {
		v.Logger.WarnContext(ctx, "sign-in without a good access token", "error", err)
		return v.status(http.StatusForbidden, "signin.token")
	}
	by, service := v.Inbox.Actor(token)
	if service != "" || wf.CheckUserID(by.ID) != nil {
		return v.status(http.StatusForbidden, "refused.service")
	}
	if old := v.secret(); old != "" {
		if err := v.engine.EndSession(ctx, old); err != nil {
			return err
		}
	}
	secret := rand.Text() + rand.Text() // another than one that somebody may have given the browser
	v.cookie(v.cookieName(sessionCookie), secret, 0)
	return v.engine.BeginSession(ctx, secret, by, token.Subject, got.session, got.Tokens, v.Times)
}

// renewBefore is how long before the end of an access token another one is asked for.
const renewBefore = 30 * time.Second

// renew gets tokens for a session whose access token ends. One process does, and the
// others wait for it. It reports whether the session goes on.
func (v *visit) renew() (bool, error) {
	ctx := v.r.Context()
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
	ctx, before := v.r.Context(), v.session.Tokens.Access
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

// signOut ends the session, here and everywhere, and then the one at the issuer. The
// browser goes there without a token: that is taken back before.
func (v *visit) signOut() error {
	ctx, secret := v.r.Context(), v.secret()
	var session engine.Session
	if secret != "" {
		session, _, _ = v.engine.Session(ctx, secret, v.Times) // one that is not found has no tokens to take back
		if err := v.engine.EndSession(ctx, secret); err != nil {
			return err
		}
	}
	v.cookie(v.cookieName(sessionCookie), "", -1)
	if v.Provider == nil {
		v.redirect(Root + "/signin")
		return nil
	}
	if err := v.Provider.revoke(ctx, session.Tokens); err != nil {
		v.Logger.WarnContext(ctx, "the issuer does not answer for a sign-out", "error", err)
	}
	known, err := v.Provider.discover(ctx)
	if err != nil || known.EndSession == "" {
		v.redirect(Root + "/signed-out")
		return nil
	}
	query := url.Values{"client_id": {v.Provider.ClientID}, "post_logout_redirect_uri": {v.Provider.URL + Root + "/signed-out"}}
	v.redirect(known.EndSession + "?" + query.Encode())
	return nil
}

// signedOut is where the issuer sends somebody back to who has signed out.
func (v *visit) signedOut() error {
	return v.show(http.StatusOK, "signed-out", v.T("signedout.title"), nil)
}

// issuerSignOut is how the issuer tells that somebody has signed out elsewhere.
func (v *visit) issuerSignOut() error {
	if v.Provider == nil {
		return v.status(http.StatusNotFound, "status.Not Found")
	}
	subject, session, err := v.Provider.readLogout(v.r.Context(), v.r.PostForm.Get("logout_token"))
	if err != nil {
		v.Logger.InfoContext(v.r.Context(), "logout token refused", "error", err)
		v.w.WriteHeader(http.StatusBadRequest)
		return nil
	}
	if err := v.engine.EndSessions(v.r.Context(), subject, session); err != nil {
		return err
	}
	v.w.WriteHeader(http.StatusOK)
	return nil
}

// formTargets are other hosts to which a form may lead: that of the issuer, for a
// sign-out.
func (v *visit) formTargets() string {
	if v.Provider == nil {
		return ""
	}
	u, err := url.Parse(v.Provider.Issuer)
	if err != nil {
		return ""
	}
	return " " + u.Scheme + "://" + u.Host
}
