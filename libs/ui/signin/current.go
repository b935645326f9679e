package signin

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/session"
)

// CurrentSession returns the session of a page request with its verified access token. found is false
// without a valid session.
func (s *SignIn) CurrentSession(r *frame.Request) (current session.Session, token bearer.Token, found bool, err error) {
	ctx, secret := r.R.Context(), r.Cookie(sessionCookie)
	if secret == "" {
		return current, token, false, nil
	}
	if current, found, err = s.Sessions.Find(ctx, secret); err != nil || !found {
		return current, token, false, err
	}
	token, err = s.Verifier.Verify(ctx, current.Tokens.Access)
	ends := err != nil || token.ExpiresAt.Sub(r.Begun) < renewBefore
	if ends && s.Provider != nil && current.Tokens.Refresh != "" {
		if current, found, err = s.renew(r, current); err != nil || !found {
			return current, token, false, err
		}
		token, err = s.Verifier.Verify(ctx, current.Tokens.Access)
	}
	if err != nil || s.Sessions.IsLoggedOut(token.Subject, token.String("sid"), token.IssuedAt) {
		return current, token, false, nil
	}
	_, found = s.UserID(token)
	return current, token, found, nil
}

// renewBefore is the time before the expiry of an access token at which it is renewed.
const renewBefore = 30 * time.Second

// renew renews the tokens of a session before the access token expires. One process renews and the
// others wait. It reports whether the session continues.
func (s *SignIn) renew(r *frame.Request, old session.Session) (session.Session, bool, error) {
	ctx := r.R.Context()
	claimed, err := s.Sessions.ClaimRenewal(ctx, old)
	if err != nil {
		return old, false, err
	}
	if !claimed {
		return s.awaitRenewal(r, old)
	}
	tokens, err := s.Provider.refresh(ctx, old.Tokens)
	switch {
	case errors.Is(err, errRefused):
		return old, false, s.Sessions.End(ctx, r.Cookie(sessionCookie))
	case err != nil:
		return old, false, s.issuerUnavailable(r, err)
	}
	err = s.Sessions.Renew(ctx, old, tokens)
	old.Tokens = tokens
	return old, err == nil, err
}

const (
	renewalPoll = 100 * time.Millisecond
	renewalWait = 30 // polls
)

// awaitRenewal waits until another process has renewed the tokens of a session.
func (s *SignIn) awaitRenewal(r *frame.Request, old session.Session) (session.Session, bool, error) {
	ctx := r.R.Context()
	for range renewalWait {
		select {
		case <-ctx.Done():
			return old, false, ctx.Err()
		case <-time.After(renewalPoll):
		}
		current, found, err := s.Sessions.Find(ctx, r.Cookie(sessionCookie))
		if err != nil || !found || current.Tokens.Access != old.Tokens.Access {
			return current, found, err
		}
	}
	return old, false, nil
}

// path returns the path of the sign-in before a page. more holds further authorization parameters.
func path(r *frame.Request, to string, more url.Values) string {
	query := url.Values{}
	maps.Copy(query, more)
	query.Set("to", r.LocalPath(to))
	return r.Root + "/signin?" + query.Encode()
}

// Require redirects a page request to the sign-in, and a form to that before its page, without its entries.
func (s *SignIn) Require(r *frame.Request) error {
	to := r.R.URL.RequestURI()
	if r.R.Method != http.MethodGet {
		to = r.R.PostForm.Get("page")
	}
	r.Redirect(path(r, to, nil))
	return frame.ErrShown
}
