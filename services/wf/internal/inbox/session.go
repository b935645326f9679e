package inbox

import (
	"maps"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// sessionCookie has the secret of a session.
const sessionCookie = "wf_session"

// cookieName is that of a cookie of ours. Behind __Host- a browser takes it over https
// alone, from this host alone, and for the whole of it.
func (v *visit) cookieName(name string) string {
	if v.Secure {
		return "__Host-" + name
	}
	return name
}

// secret is what the browser has of a session.
func (v *visit) secret() string {
	cookie, err := v.r.Cookie(v.cookieName(sessionCookie))
	if err != nil || len(cookie.Value) > 100 {
		return ""
	}
	return cookie.Value
}

// findSession finds who is signed in.
func (v *visit) findSession() (bool, error) {
	secret := v.secret()
	if secret == "" {
		return false, nil
	}
	var found bool
	var err error
	if v.session, found, err = v.engine.Session(v.r.Context(), secret, v.Times); err != nil || !found {
		return false, err
	}
	token, err := v.Verifier.Verify(v.r.Context(), v.session.Tokens.Access)
	ends := err != nil || token.ExpiresAt.Sub(v.now) < renewBefore
	if ends && v.Provider != nil && v.session.Tokens.Refresh != "" {
		if going, err := v.renew(); err != nil || !going {
			return false, err
		}
		token, err = v.Verifier.Verify(v.r.Context(), v.session.Tokens.Access)
	}
	if err != nil || v.engine.LoggedOut(token.Subject, token.String("sid"), token.IssuedAt) {
		return false, nil
	}
	by, service := v.Inbox.Actor(token)
	if service != "" {
		return false, nil
	}
	v.By = v.actor(by)
	return true, nil
}

// local is a path of these pages that somebody wants to go to; anything else, such as the
// address of another site, is the first page.
func local(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || strings.ContainsAny(to, "\\\t\r\n") || len(to) > 2048 {
		return Root
	}
	if u.Path != Root && !strings.HasPrefix(u.Path, Root+"/") || path.Clean(u.Path) != u.Path {
		return Root
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// signInPath is where somebody signs in who wants to go on to a page. more is what the
// issuer is asked for.
func signInPath(to string, more url.Values) string {
	query := url.Values{}
	maps.Copy(query, more)
	query.Set("to", local(to))
	return Root + "/signin?" + query.Encode()
}

// keepPage holds what somebody has written while they sign in.
type keepPage struct {
	Why    string // a word of the catalogue
	SignIn string
	Action string // where the form goes
	Form   url.Values
}

// keep answers a form that cannot be taken before its sender signs in, again or more
// strongly: what they have written is in the page, and is sent from there. more is what
// the issuer is asked for.
func (v *visit) keep(why string, more url.Values) error {
	p := keepPage{why, signInPath(Root+"/signed-in", more), v.r.URL.RequestURI(), v.r.PostForm}
	if err := v.show(http.StatusUnauthorized, "keep", v.T("keep.title"), p); err != nil {
		return err
	}
	return errShown
}

// signedIn is where the sign-in of a page that keeps something ends.
func (v *visit) signedIn() error {
	return v.show(http.StatusOK, "signed-in", v.T("signedin.title"), nil)
}
