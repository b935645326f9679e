package server_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/notice"
)

// An unsubscribe link works without a session: its page changes nothing, the page's form and the request of a mail
// program (RFC 8058) do. It has no other use.
func TestAnUnsubscribeLinkNeedsNoSession(t *testing.T) {
	sqldbtest.Any(t, func(t *testing.T, database string) {
		config := development(t, database)
		config.EncKeys = daemon.Secret("k1:" + seal.NewKey())
		s := begin(t, config)
		keys, err := seal.Parse(string(config.EncKeys))
		if err != nil {
			t.Fatal(err)
		}
		link := func(who string, kind notice.Kind) string {
			t.Helper()
			token, err := engine.UnsubscribeToken(keys, engine.Unsubscription{Person: who, Kind: kind})
			if err != nil {
				t.Fatal(err)
			}
			return "/inbox/unsubscribe?" + url.Values{"token": {token}}.Encode()
		}
		settings := func(who, want string) {
			t.Helper()
			if got := s.called(who, http.MethodGet, "/v1/wf/me/notifications", "", 200).page; !strings.Contains(got, want) {
				t.Errorf("%s has %s, want %s", who, got, want)
			}
		}
		guest := s.browser()
		guest.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		send := func(path, contentType, body string) {
			r := guest.request(http.MethodPost, path, body)
			r.Header.Set("Content-Type", contentType)
			guest.do(r)
		}
		const form, all = "application/x-www-form-urlencoded", `"waits_for_you":"instant","expires_soon":"instant","decided":"instant","changes_asked":"instant","mentioned":"instant"`

		waits := link("tom", notice.Waits)
		guest.get(waits).sees(200, "Stop this kind of mail", "Kind of mail: A task is assigned to me", "Stop this mail")
		if strings.Contains(guest.page, "tom") || guest.head.Get("Referrer-Policy") != "no-referrer" {
			t.Error("the page names the person, or its address is sent to other pages")
		}
		settings("tom", all)
		send(waits, form, "List-Unsubscribe=One-Click")
		guest.sees(200, "This kind of mail is off")
		settings("tom", `"waits_for_you":"none","expires_soon":"instant","decided":"instant","changes_asked":"instant","mentioned":"instant"`)
		settings("ana", all)

		var body bytes.Buffer
		parts := multipart.NewWriter(&body)
		if err := parts.WriteField("List-Unsubscribe", "One-Click"); err != nil || parts.Close() != nil {
			t.Fatal(err)
		}
		send(link("tom", notice.Mentioned), parts.FormDataContentType(), body.String())
		guest.sees(200)
		settings("tom", `"mentioned":"none"`)

		send(link("ana", notice.Decided), form, "page=1") // the page's own form
		if guest.sees(303); guest.head.Get("Location") != "" {
			guest.get(guest.head.Get("Location")).sees(200, "This kind of mail is off")
		}
		settings("ana", `"waits_for_you":"instant","expires_soon":"instant","decided":"none"`)
		s.called("mia", http.MethodPut, "/v1/wf/me/notifications", `{"kinds":{"decided":"daily","mentioned":"daily"}}`, 200)
		send(link("mia", notice.Digest), form, "List-Unsubscribe=One-Click")
		settings("mia", `"waits_for_you":"instant","expires_soon":"instant","decided":"none","changes_asked":"instant","mentioned":"none"`)

		_, token, _ := strings.Cut(link("tom", notice.Expires), "token=")
		for _, bad := range []string{"", token[:len(token)-3] + "AAA", token[:len(token)-1]} {
			if guest.get("/inbox/unsubscribe?token=" + bad); guest.code != http.StatusNotFound {
				t.Errorf("GET with %q: %d", bad, guest.code)
			}
			if send("/inbox/unsubscribe?token="+bad, form, "List-Unsubscribe=One-Click"); guest.code != http.StatusNotFound {
				t.Errorf("POST with %q: %d", bad, guest.code)
			}
		}
		settings("tom", `"expires_soon":"instant"`)
		guest.get("/inbox?token=" + token).sees(303) // the sign-in
		r := guest.request(http.MethodGet, "/v1/wf/me/notifications", "")
		r.Header.Set("Authorization", "Bearer "+token)
		if guest.do(r); guest.code != http.StatusUnauthorized {
			t.Errorf("the API accepts the token: %d", guest.code)
		}
		r = guest.request(http.MethodGet, waits, "")
		r.Header.Set("Accept-Language", "fr")
		guest.do(r)
		guest.sees(200, "Ce type de courriel est désactivé : Une tâche m’est attribuée.")
	})
}
