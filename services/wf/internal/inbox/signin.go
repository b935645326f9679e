package inbox

import (
	"fmt"
	"net/http"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

func tokens(access string) engine.Tokens { return engine.Tokens{Access: access} }

// begin signs the browser in with the tokens of the issuer. issuerID is the issuer's name
// for the session. An older session of the browser ends.
func (v *visit) begin(t engine.Tokens, issuerID string) error {
	ctx := v.r.Context()
	token, err := v.Verifier.Verify(ctx, t.Access)
	if err != nil {
		return fmt.Errorf("the token of a sign-in: %w", err)
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
	return v.engine.BeginSession(ctx, v.setSession(), by.ID, token.Subject, issuerID, t, v.Times)
}

// signIn sends somebody to where they sign in.
func (v *visit) signIn() error {
	to := local(v.r.URL.Query().Get("to"))
	if v.Dev != nil {
		return v.showPeople(to, false)
	}
	return v.status(http.StatusNotFound, "status.Not Found")
}

// signOut ends the session, here and everywhere.
func (v *visit) signOut() error {
	if secret := v.secret(); secret != "" {
		if err := v.engine.EndSession(v.r.Context(), secret); err != nil {
			return err
		}
	}
	http.SetCookie(v.w, &http.Cookie{Name: v.cookieName(), Path: "/", MaxAge: -1, HttpOnly: true, Secure: v.Secure, SameSite: http.SameSiteLaxMode})
	v.redirect(Root + "/signin")
	return nil
}

// formTargets are other hosts to which a form may lead: that of the issuer, for a logout.
func (v *visit) formTargets() string { return "" }
