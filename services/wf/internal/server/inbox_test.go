package server_test

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// browser is somebody at the pages, with cookies.
type browser struct {
	t    *testing.T
	base string
	http *http.Client
	path string // of the last page
	code int
	head http.Header
	page string
}

func (s *service) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &browser{t: s.t, base: s.url, http: &http.Client{Jar: jar}}
}

// signedIn is a browser in which somebody has signed in by the page of --dev.
func (s *service) signedIn(who string, roles ...string) *browser {
	s.t.Helper()
	b := s.browser()
	b.post("/inbox/signin", url.Values{"id": {who}, "role": roles})
	if b.code != http.StatusOK || b.path != "/inbox" {
		s.t.Fatalf("%s is at %s with %d", who, b.path, b.code)
	}
	return b
}

func (b *browser) do(r *http.Request) {
	b.t.Helper()
	response, err := b.http.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	b.code, b.head, b.page, b.path = response.StatusCode, response.Header, string(body), response.Request.URL.RequestURI()
}

func (b *browser) request(method, path, body string) *http.Request {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *browser) get(path string) *browser {
	b.t.Helper()
	b.do(b.request(http.MethodGet, path, ""))
	return b
}

// post sends a form as a browser does.
func (b *browser) post(path string, form url.Values) *browser {
	b.t.Helper()
	r := b.request(http.MethodPost, path, form.Encode())
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	b.do(r)
	return b
}

// sees fails the test unless the page has a status and the texts.
func (b *browser) sees(code int, texts ...string) *browser {
	b.t.Helper()
	if b.code != code {
		b.t.Fatalf("%s: %d, want %d\n%s", b.path, b.code, code, b.shown())
	}
	for _, text := range texts {
		if !strings.Contains(html.UnescapeString(b.page), text) {
			b.t.Errorf("%s does not say %q\n%s", b.path, text, b.shown())
		}
	}
	return b
}

// shown is the page without what every page has.
func (b *browser) shown() string {
	_, page, _ := strings.Cut(b.page, "<main")
	page, _, _ = strings.Cut(page, "</main>")
	return page
}

// find is what a pattern's group matches on the page.
func (b *browser) find(pattern string) string {
	b.t.Helper()
	match := regexp.MustCompile(pattern).FindStringSubmatch(b.page)
	if match == nil {
		b.t.Fatalf("%s has no %s\n%s", b.path, pattern, b.page)
	}
	return html.UnescapeString(match[1])
}

const leave = `{"policy_key":"leave","title":%q,"artifact_type":"leave","context":{"kind":"holiday","from":"2027-06-01","until":"2027-06-21","days":15}}`

// asked creates a request as somebody, by the API, and returns its id.
func (s *service) asked(who, body string) string {
	s.t.Helper()
	token, err := s.token(who)
	if err != nil {
		s.t.Fatal(err)
	}
	b := s.browser()
	r := b.request(http.MethodPost, "/v1/wf/requests", body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	b.do(r)
	if b.code != http.StatusCreated {
		s.t.Fatalf("%d %s", b.code, b.page)
	}
	return b.find(`"id":"([0-9a-f-]{36})","policy_key"`)
}

func TestPeopleDecideWithABrowser(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, database string) {
		s := begin(t, development(t, database))
		tom := s.signedIn("tom").sees(200, "Nothing waits for you")
		id := s.asked("mia", strings.Replace(leave, "%q", `"Three weeks in June"`, 1))

		tom.get("/inbox").sees(200, "(1) My work", "Three weeks in June", "Mia Keller asks")
		tom.get("/inbox/requests/"+id).sees(200, "1 June 2027", "Holiday", "Team lead", "Human resources", "To come")
		task := tom.find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
		seen := tom.find(`name="seen" value="([^"]+)"`)
		tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"reject"}, "seen": {seen}}).sees(422, "Please add a comment")
		tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {""}, "seen": {seen}, "comment": {"typed"}}).sees(200, "typed")
		tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"approve"}, "seen": {"sha256:other"}, "comment": {"typed"}}).sees(409, "not possible any more", "typed")
		tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"approve"}, "seen": {seen}, "comment": {"Enjoy it"}}).sees(200, "You have approved this", "Enjoy it")

		ines := s.signedIn("ines").sees(200, "You could take", "Three weeks in June")
		picked := ines.find(`name="task" value="([^"]+)"`)
		ines.post("/inbox/tasks", url.Values{"task": {picked}, "action": {"claim"}}).sees(200, "done", "Waits for you")
		ines.post("/inbox/tasks", url.Values{"task": {picked, "01a20322-ccf5-7d57-a160-ad2c44f9cd97 x"}, "action": {"approve"}}).sees(200, "done", "There is no such task", "Nothing waits for you")
		s.signedIn("mia").get("/inbox/requests/"+id).sees(200, "Approved", "Inès Moreau", "Everybody who was needed has approved")
		s.signedIn("eve").get("/inbox/requests/"+id).sees(403, "You may not see or do this")
	})
}

func TestPagesAreReadInTheReadersLanguageAndZone(t *testing.T) {
	s := begin(t, development(t, sqldbtest.SQLite(t)))
	b := s.browser()
	r := b.request(http.MethodGet, "/inbox/signin", "")
	r.Header.Set("Accept-Language", "fr-CH, en;q=0.5")
	b.do(r)
	b.sees(200, `<html lang="fr">`, "Qui voulez-vous être ?")
	b.post("/inbox/reader", url.Values{"language": {"en"}, "zone": {"Asia/Tokyo"}, "to": {"/inbox/signin"}}).sees(200, "Who do you want to be?", "<option selected>Asia/Tokyo")
}

func TestPagesResistWhatOtherSitesTry(t *testing.T) {
	s := begin(t, development(t, sqldbtest.SQLite(t)))
	tom := s.signedIn("tom")
	id := s.asked("mia", `{"policy_key":"leave","title":"<script>alert(1)</script>","artifact_type":"leave","comment":"<img src=x onerror=alert(1)>","link":"https://example.org/\"onmouseover=\"x",
		"context":{"kind":"holiday","from":"2027-06-01","until":"\"><svg onload=alert(1)>","days":5,"handover":"javascript:alert(1)"},
		"attachments":[{"name":"<b>a</b>","url":"javascript:alert(1)","media_type":"text/html"}]}`)
	page := tom.get("/inbox/requests/"+id).sees(200, "alert(1)").page
	for _, live := range []string{"<script>alert", "<img", "<svg onload", `href="javascript`, `"onmouseover="`, "<b>a"} {
		if strings.Contains(page, live) {
			t.Errorf("the page has %s", live)
		}
	}
	policy := tom.head.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'nonce-") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %s", policy)
	}

	task := tom.find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
	for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"} {
		r := tom.request(http.MethodPost, "/inbox/tasks/"+task+"/decision", "action=approve")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set(name, value)
		tom.do(r)
		tom.sees(403, "sent by another site")
	}
	for _, to := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "/inbox/../v1", "javascript:alert(1)", "/v1/wf/me", "/inboxed"} {
		b := s.browser().post("/inbox/signin", url.Values{"id": {"tom"}, "to": {to}})
		if b.path != "/inbox" {
			t.Errorf("to %s leads to %s", to, b.path)
		}
	}
}

func TestASessionEndsWithTheSignOut(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, database string) {
		s := begin(t, development(t, database))
		tom := s.signedIn("tom")
		id := s.asked("mia", strings.Replace(leave, "%q", `"Three weeks in June"`, 1))
		task := tom.get("/inbox/requests/" + id).find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
		at, err := url.Parse(s.url)
		if err != nil {
			t.Fatal(err)
		}
		stolen := s.browser()
		stolen.http.Jar.SetCookies(at, tom.http.Jar.Cookies(at))
		stolen.get("/inbox").sees(200, "Three weeks in June")
		tom.post("/inbox/signout", nil).sees(200, "Who do you want to be?")
		if stolen.get("/inbox"); !strings.HasPrefix(stolen.path, "/inbox/signin") {
			t.Errorf("a cookie is good after the sign-out: %s", stolen.path)
		}
		// What was typed is in the page that asks for a sign-in, and can be sent from there.
		stolen.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"approve"}, "comment": {"a long thought"}}).
			sees(401, "a long thought", "kept on this page", `<input type="hidden" name="action" value="approve">`)
	})
}
