package inbox

import (
	"maps"
	"net/http"
	"net/url"

	"github.com/countersign/countersign/libs/ui/frame"
)

// sessionCookie is the name of the cookie with the session secret.
const sessionCookie = "session"

// secret returns the session secret of the browser.
func (v *visit) secret() string { return v.Cookie(sessionCookie) }

// findSession loads the session of the request.
func (v *visit) findSession() (bool, error) {
	secret := v.secret()
	if secret == "" {
		return false, nil
	}
	var found bool
	var err error
	if v.session, found, err = v.engine.Session(v.R.Context(), secret, v.Times); err != nil || !found {
		return false, err
	}
	token, err := v.Verifier.Verify(v.R.Context(), v.session.Tokens.Access)
	ends := err != nil || token.ExpiresAt.Sub(v.Begun) < renewBefore
	if ends && v.Provider != nil && v.session.Tokens.Refresh != "" {
		if going, err := v.renew(); err != nil || !going {
			return false, err
		}
		token, err = v.Verifier.Verify(v.R.Context(), v.session.Tokens.Access)
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

// signInPath returns the path of the sign-in before a page. more holds further authorization
// parameters.
func (v *visit) signInPath(to string, more url.Values) string {
	query := url.Values{}
	maps.Copy(query, more)
	query.Set("to", v.Local(to))
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
	p := keepPage{why, v.signInPath(Root+"/signed-in", more), v.R.URL.RequestURI(), v.R.PostForm}
	if err := v.show(http.StatusUnauthorized, "keep", v.T("keep.title"), p); err != nil {
		return err
	}
	return frame.ErrShown
}

// signedIn shows the end of the sign-in of a keepPage.
func (v *visit) signedIn() error {
	return v.show(http.StatusOK, "signed-in", v.T("signedin.title"), nil)
}
