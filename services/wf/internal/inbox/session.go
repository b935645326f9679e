package inbox

import (
	"maps"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// sessionCookie is the name of the cookie with the session secret.
const sessionCookie = "wf_session"

// cookieName returns the name of a cookie. With __Host- a browser requires https, this host alone,
// and the path "/".
func (v *visit) cookieName(name string) string {
	if v.Secure {
		return "__Host-" + name
	}
	return name
}

// secret returns the session secret of the browser.
func (v *visit) secret() string {
	cookie, err := v.r.Cookie(v.cookieName(sessionCookie))
	if err != nil || len(cookie.Value) > 100 {
		return ""
	}
	return cookie.Value
}

// findSession loads the session of the request.
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

// local returns a path of these pages for a redirect. For other values, such as an address of
// another site, it returns the first page.
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

// signInPath returns the path of the sign-in before a page. more holds further authorization
// parameters.
func signInPath(to string, more url.Values) string {
	query := url.Values{}
	maps.Copy(query, more)
	query.Set("to", local(to))
	return Root + "/signin?" + query.Encode()
}

// keepPage holds a submitted form during the sign-in.
type keepPage struct {
	Why    string // key of the catalogue
	SignIn string
	Action string // target of the form
	Form   url.Values
}

// keep replies to a form that requires a new or stronger sign-in. The page holds the submitted
// values, and sends them after the sign-in. more holds further authorization parameters.
func (v *visit) keep(why string, more url.Values) error {
	p := keepPage{why, signInPath(Root+"/signed-in", more), v.r.URL.RequestURI(), v.r.PostForm}
	if err := v.show(http.StatusUnauthorized, "keep", v.T("keep.title"), p); err != nil {
		return err
	}
	return errShown
}

// signedIn shows the end of the sign-in of a keepPage.
func (v *visit) signedIn() error {
	return v.show(http.StatusOK, "signed-in", v.T("signedin.title"), nil)
}
