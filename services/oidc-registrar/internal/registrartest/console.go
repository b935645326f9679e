package registrartest

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/ui/session"
)

// Browser is a browser with a session of the console. It does not follow redirects.
type Browser struct {
	w        *Service
	cookies  string
	Language string // of Accept-Language; English if empty
}

// Browser returns a browser in which the user of a token has signed in; without one if the token is empty.
func (w *Service) Browser(token string) *Browser {
	w.t.Helper()
	b := &Browser{w: w}
	if token == "" {
		return b
	}
	verified, err := w.UI.SignIn.Verifier.Verify(w.t.Context(), token)
	w.require(err)
	secret := rand.Text() + rand.Text()
	w.require(w.Sessions.Begin(w.t.Context(), secret, session.Session{
		UserID: verified.Subject, Subject: verified.Subject, Tokens: session.Tokens{Access: token},
	}))
	b.cookies = "__Host-registrar_session=" + secret
	return b
}

// AdminBrowser returns the browser of a PARTNER_ADMIN.
func (w *Service) AdminBrowser() *Browser { return w.Browser(w.Admin()) }

// PartnerBrowser returns the browser of a partner's user.
func (w *Service) PartnerBrowser(partner string) *Browser {
	return w.Browser(w.Token(bearer.DevToken{
		Subject: "of-" + partner, Roles: []string{"AUTH_PARTNER"}, Claims: map[string]any{"partner_id": partner, "name": "Pia Santos"},
	}))
}

// Get returns a page at a path behind /console.
func (b *Browser) Get(path string) Reply { return b.send(http.MethodGet, path, nil) }

// Post sends a form.
func (b *Browser) Post(path string, form url.Values) Reply {
	return b.send(http.MethodPost, path, form)
}

// Submit sends a form and follows its redirect, if it has one.
func (b *Browser) Submit(path string, form url.Values) Reply {
	b.w.t.Helper()
	r := b.Post(path, form)
	to := r.Header.Get("Location")
	if r.Status != http.StatusSeeOther || !strings.HasPrefix(to, "/console") {
		return r
	}
	page := b.Get(strings.TrimPrefix(to, "/console"))
	if page.Status >= http.StatusBadRequest {
		b.w.t.Errorf("POST %s redirects to %q with %d: %s", path, to, page.Status, page.Body)
	}
	return page
}

func (b *Browser) send(method, path string, form url.Values) Reply {
	b.w.t.Helper()
	req, err := http.NewRequestWithContext(b.w.t.Context(), method, b.w.URL+"/console"+path, strings.NewReader(form.Encode()))
	b.w.require(err)
	req.Host = "clients.example"
	req.Header.Set("Cookie", b.cookies)
	req.Header.Set("Accept-Language", b.Language)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	b.w.require(err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	b.w.require(err)
	return Reply{res.StatusCode, res.Header, string(body)}
}
