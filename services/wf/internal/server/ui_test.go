package server_test

import (
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// browser is a user agent with cookies.
type browser struct {
	t      *testing.T
	base   string
	http   *http.Client
	path   string // of the last page
	code   int
	method string // of the last request, after redirects
	head   http.Header
	page   string
}

func (s *service) browser() *browser {
	jar, err := cookiejar.New(nil)
	must(s.t, err)
	return &browser{t: s.t, base: s.url, http: &http.Client{Jar: jar}}
}

// signedIn returns a browser that is signed in by the page of --dev.
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
	must(b.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	must(b.t, err)
	b.code, b.head, b.page, b.path = response.StatusCode, response.Header, string(body), response.Request.URL.RequestURI()
	b.method = response.Request.Method
}

func (b *browser) request(method, path, body string) *http.Request {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(body))
	must(b.t, err)
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
	if b.method != http.MethodPost && b.code >= http.StatusBadRequest {
		b.t.Errorf("POST %s redirects to a page with %d", path, b.code)
	}
	return b
}

// sure returns a form that is confirmed.
func sure(form url.Values) url.Values {
	confirmed := url.Values{"sure": {"yes"}}
	maps.Copy(confirmed, form)
	return confirmed
}

// confirm sends a form whose operation needs a confirmation, checks the texts of the question, and confirms.
func (b *browser) confirm(path string, form url.Values, texts ...string) *browser {
	b.t.Helper()
	b.post(path, form).sees(200, texts...)
	answer := sure(nil)
	for _, hidden := range regexp.MustCompile(`type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(b.shown(), -1) {
		answer.Set(html.UnescapeString(hidden[1]), html.UnescapeString(hidden[2]))
	}
	return b.post(b.find(`<form method="post" action="([^"]+)" class="buttons"`), answer)
}

// withoutDirection removes the marks of the direction of texts.
var withoutDirection = strings.NewReplacer("<bdi>", "", "</bdi>", "", ` dir="auto"`, "")

// sees fails the test unless the page has a status and the texts.
func (b *browser) sees(code int, texts ...string) *browser {
	b.t.Helper()
	if b.code != code {
		b.t.Fatalf("%s: %d, want %d\n%s", b.path, b.code, code, b.shown())
	}
	page := html.UnescapeString(b.page)
	for _, text := range texts {
		if !strings.Contains(page, text) && !strings.Contains(withoutDirection.Replace(page), text) {
			b.t.Errorf("%s does not contain %q\n%s", b.path, text, b.shown())
		}
	}
	return b
}

// shown returns the page without the common parts.
func (b *browser) shown() string {
	_, page, _ := strings.Cut(b.page, "<main")
	page, _, _ = strings.Cut(page, "</main>")
	return page
}

// find returns the match of a pattern's group on the page.
func (b *browser) find(pattern string) string {
	b.t.Helper()
	match := regexp.MustCompile(pattern).FindStringSubmatch(b.page)
	if match == nil {
		b.t.Fatalf("%s has no %s\n%s", b.path, pattern, b.page)
	}
	return html.UnescapeString(match[1])
}

const leave = `{"policy_key":"time-off","title":%q,"artifact_type":"leave","context":{"kind":"holiday","from":"2027-06-01","until":"2027-06-21","days":15}}`

// called calls the API as a user.
func (s *service) called(who, method, path, body string, want int, roles ...string) *browser {
	s.t.Helper()
	return s.shown(s.as(who, roles...).Do(method, path, body).Want(want))
}

// shown returns a reply of the API as a page.
func (s *service) shown(r wftest.Reply) *browser {
	return &browser{t: s.t, path: r.Call, code: r.Status, head: r.Header, page: string(r.Body)}
}

// asked creates a request of a user through the API and returns its id.
func (s *service) asked(who, body string) string {
	s.t.Helper()
	return s.called(who, http.MethodPost, "/v1/wf/requests", body, http.StatusCreated).find(`"id":"([0-9a-f-]{36})","policy_key"`)
}

func TestPeopleDecideWithABrowser(t *testing.T) {
	s := start(t)
	tom := s.signedIn("tom").sees(200, "You have no open tasks")
	id := s.asked("mia", strings.Replace(leave, "%q", `"Three weeks in June"`, 1))

	tom.get("/inbox").sees(200, "(1) My work", "Three weeks in June", ">Mia Keller<")
	tom.get("/inbox/requests/"+id).sees(200, "1 June 2027", "Holiday", "Team lead", "Human resources", "Pending")
	task := tom.find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
	seen := tom.find(`name="seen" value="([^"]+)"`)
	tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"reject"}, "seen": {seen}}).sees(422, "This decision requires a comment")
	tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {""}, "seen": {seen}, "comment": {"typed"}}).sees(200, "typed")
	tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"approve"}, "seen": {"sha256:other"},
		"comment": {"typed"}}).sees(409, "This action is no longer available", "typed")
	tom.post("/inbox/tasks/"+task+"/decision",
		url.Values{"action": {"approve"}, "seen": {seen}, "comment": {"Enjoy it"}}).sees(200, "You approved this request",
		"Enjoy it")

	ines := s.signedIn("ines").sees(200, "Open to your team", "Three weeks in June")
	picked := ines.find(`name="task" value="([^"]+)"`)
	ines.post("/inbox/tasks", url.Values{"task": {picked}, "action": {"claim"}}).sees(200, "done", "Assigned to you")
	ines.post("/inbox/tasks", url.Values{"task": {picked, "01a20322-ccf5-7d57-a160-ad2c44f9cd97 x"},
		"action": {"approve"}}).sees(200, "done", "You do not have access to this page or action", "You have no open tasks")
	s.signedIn("mia").get("/inbox/requests/"+id).sees(200, "Approved", "Inès Moreau", "All required approvals are present")
	s.signedIn("eve").get("/inbox/requests/"+id).sees(403, "You do not have access to this page or action")
}

func TestPagesAreReadInTheReadersLanguageAndZone(t *testing.T) {
	s := start(t)
	b := s.browser()
	r := b.request(http.MethodGet, "/inbox/signin", "")
	r.Header.Set("Accept-Language", "fr-CH, en;q=0.5")
	b.do(r)
	b.sees(200, `<html lang="fr">`, "Choisissez un utilisateur")
	b.post("/inbox/reader", url.Values{"language": {"en"}, "zone": {"Asia/Tokyo"}, "to": {"/inbox/signin"}}).sees(200,
		"Choose a user", "<option selected>Asia/Tokyo")
}

func TestPagesResistInjectionAndCrossSiteRequests(t *testing.T) {
	s := start(t)
	tom := s.signedIn("tom")
	id := s.asked("mia", `{"policy_key":"time-off","title":"<script>alert(1)</script>","artifact_type":"leave","comment":"<img src=x onerror=alert(1)>","link":"https://example.org/\"onmouseover=\"x",
		"context":{"kind":"holiday","from":"2027-06-01","until":"2027-06-05","days":5,"handover":"javascript:alert(1)\"><svg onload=alert(1)>"},
		"attachments":[{"name":"<b>a</b>","url":"https://example.org/a\"onmouseover=\"x","media_type":"text/html"}]}`)
	page := tom.get("/inbox/requests/"+id).sees(200, "alert(1)").page
	for _, live := range []string{"<script>alert", "<img", "<svg onload", `href="javascript`, `"onmouseover="`, "<b>a"} {
		if strings.Contains(page, live) {
			t.Errorf("the page has %s", live)
		}
	}
	policy := tom.head.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'nonce-") ||
		!strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %s", policy)
	}

	task := tom.find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
	for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"} {
		r := tom.request(http.MethodPost, "/inbox/tasks/"+task+"/decision", "action=approve")
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set(name, value)
		tom.do(r)
		tom.sees(403, "sent from another site")
	}
	for _, to := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "/inbox/../v1",
		"javascript:alert(1)", "/v1/wf/me", "/inboxed",
		"https://evil.example/inbox/new", "//evil.example/inbox/new", "evil:/inbox/new", `/inbox/\ask`, "/inbox/new?q=" + strings.Repeat("x", 2048)} {
		if tom.post("/inbox/reader", url.Values{"to": {to}}); tom.path != "/inbox" {
			t.Errorf("to %s leads from the language to %s", to, tom.path)
		}
		b := s.browser().post("/inbox/signin", url.Values{"id": {"tom"}, "to": {to}})
		if b.path != "/inbox" {
			t.Errorf("to %s leads to %s", to, b.path)
		}
	}
}

func TestASessionEndsWithTheSignOut(t *testing.T) {
	s := start(t)
	tom := s.signedIn("tom")
	id := s.asked("mia", strings.Replace(leave, "%q", `"Three weeks in June"`, 1))
	task := tom.get("/inbox/requests/" + id).find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
	at, err := url.Parse(s.url)
	must(t, err)
	stolen := s.browser()
	stolen.http.Jar.SetCookies(at, tom.http.Jar.Cookies(at))
	stolen.get("/inbox").sees(200, "Three weeks in June")
	tom.post("/inbox/signout", nil).sees(200, "Choose a user")
	if stolen.get("/inbox"); !strings.HasPrefix(stolen.path, "/inbox/signin") {
		t.Errorf("a cookie is good after the sign-out: %s", stolen.path)
	}
	stolen.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"approve"}, "comment": {"a long thought"}}).
		sees(200, "Choose a user")
}

func TestUserCreatesARequestAndAnswersAChangeRequest(t *testing.T) {
	s := start(t)
	mia := s.signedIn("mia").get("/inbox/new").sees(200, "Leave", "Purchase")
	mia.get("/inbox/new/time-off").sees(200, "First day", "Holiday")
	form := url.Values{"once": {mia.find(`name="once" value="([^"]+)"`)}, "title": {"June"}, "c/kind": {`"holiday"`},
		"c/from": {"2027-06-01"}, "c/until": {"someday"}, "c/days": {"1,5"}}
	mia.post("/inbox/new/time-off", form).sees(422, "Enter a date", "Enter a whole number", `value="someday"`)
	form.Set("c/until", "2027-06-21")
	form.Set("c/days", "90")
	mia.post("/inbox/new/time-off", form).sees(422, "At most 60")
	form.Set("c/days", "15")
	mia.confirm("/inbox/new/time-off", form, "Approvers, in this order", "Tom Lindqvist", "Human resources",
		"Only if <code dir=\"auto\">“Working days” > 10</code>").
		sees(200, "Request submitted", "15")
	first := mia.path
	if mia.confirm("/inbox/new/time-off", form); mia.path != first { // the browser goes back and sends it again
		t.Errorf("a form that is sent twice makes two requests: %s and %s", first, mia.path)
	}
	mia.get("/inbox/mine").sees(200, "June", "Assigned to", "Tom Lindqvist")

	request := strings.TrimSuffix(first, "?note=submitted")
	tom := s.signedIn("tom")
	task := tom.get(request).find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
	tom.post("/inbox/tasks/"+task+"/decision",
		url.Values{"action": {"request_changes"}, "comment": {"One week less"}}).sees(200, "You requested changes")
	tom.get(request + "/change").sees(409)
	mia.get("/inbox/mine").sees(200, "Changes requested: edit")
	mia.get(request+"/change").sees(200, `value="15"`, `value="2027-06-21"`)
	form.Set("c/days", "10")
	mia.confirm(request+"/change", form, "Check the request", "Tom Lindqvist").sees(200, "Request resubmitted", "Revision 2")
	tom.get(request).sees(200, "Changes since revision 1", "Working days",
		"<del><span class=\"hidden-text\">Before: </span><span class=\"number\">15</span></del>",
		"<ins><span class=\"hidden-text\">Now: </span><span class=\"number\">10</span></ins>")
	mia.post(request+"/comments", url.Values{"text": {"<b>Thank you</b>"}, "mention": {"tom"}}).sees(200, "<b>Thank you</b>", "For Tom Lindqvist")
	mia.post(request+"/cancel", url.Values{"cancellation": {"No time"}}).sees(200, "Request withdrawn", "No time")
}

func TestListsInFormsGrowAndShrink(t *testing.T) {
	s := start(t)
	mia := s.signedIn("mia").get("/inbox/new/purchase").sees(200, `name="c/lines/0/item"`, "EUR")
	form := url.Values{"title": {"Laptops"}, "c/lines#": {"1"}, "c/lines/0/item": {"Laptop"},
		"c/lines/0/price": {"1249.50"}, "c/lines/0/quantity": {"2"}, "add": {"c/lines"}, "page": {"/inbox/new/purchase"}}
	mia.post("/inbox/new/purchase", form).sees(200, `name="c/lines/1/item"`, `value="1249.50"`)
	form.Del("add")
	form.Set("c/lines#", "2")
	form.Set("c/lines/1/item", "Dock")
	form.Set("remove", "c/lines/0")
	mia.post("/inbox/new/purchase", form).sees(200, `name="c/lines/0/item" value="Dock"`)
	if strings.Contains(mia.page, "Laptop\"") {
		t.Error("the item that was removed is still there")
	}
}

// JSON input is parsed as by the API.
func TestInvalidJSONIsReportedAtItsField(t *testing.T) {
	s := start(t)
	s.addPolicy("desk", `{"policy_key":"desk","name":"Desk","context_schema":{"properties":{"any":{}}},
		"stages":[{"key":"s","name":"Desk","approvers":[{"type":"user","ids":["tom"]}]}]}`)
	mia := s.signedIn("mia")
	for _, text := range []string{`{`, `{"a":1,"a":2}`, `1e4000`, `"\u0000"`, `"\ud800"`, strings.Repeat("[", 65) + strings.Repeat("]", 65)} {
		mia.post("/inbox/new/desk", url.Values{"title": {"A desk"}, "c/any": {text}}).sees(422,
			`id="c/any-error"><span class="hidden-text">Error: </span>Enter valid JSON`)
	}
	mia.post("/inbox/new/desk", url.Values{"title": {"A desk"},
		"c/any": {`"` + strings.Repeat("a", 200<<10) + `"`}}).sees(422, "Content: At most 204,800 characters")
	mia.post("/inbox/new/desk", url.Values{"title": {"A desk"}, "c/any": {` {"a":[1e3]} `}}).sees(200, "Approvers, in this order")
}

// A refused action is answered with the request, which shows who decided or withdrew it.
func TestARefusedActionShowsTheRequest(t *testing.T) {
	s := start(t)
	tom, mia, vera := s.signedIn("tom"), s.signedIn("mia"), s.signedIn("vera", "WF_VIEWER")
	id := s.asked("mia", strings.Replace(leave, "%q", `"Three weeks in June"`, 1))
	decision := tom.get("/inbox/requests/" + id).find(`(/inbox/tasks/[0-9a-f-]{36}/decision)`)
	approve := url.Values{"action": {"approve"}}
	vera.post(decision, approve).sees(403, "You do not have access to this page or action", "Three weeks in June")
	tom.post(decision, approve).sees(200, "You approved this request")
	tom.post(decision, approve).sees(409, "This action is no longer available", "Tom Lindqvist approved")
	mia.post("/inbox/requests/"+id+"/cancel", nil).sees(200, "Request withdrawn")
	mia.post("/inbox/requests/"+id+"/cancel", nil).sees(409, "This action is no longer available", "Mia Keller withdrew")
}

func TestDelegateActsForTheDelegator(t *testing.T) {
	s := start(t)
	tom := s.signedIn("tom").get("/inbox/delegations").sees(200, "None")
	s.asked("mia", strings.Replace(leave, "%q", `"Three weeks in June"`, 1))
	tom.post("/inbox/delegations", url.Values{"to": {"tom"}, "from": {"2020-01-01"}, "until": {"2126-01-01"}}).sees(422,
		"Choose another user as the delegate")
	tom.post("/inbox/delegations", url.Values{"to": {"ada"}, "until": {"2126-01-01"}}).sees(422, "Enter the first day")
	tom.post("/inbox/delegations", url.Values{"to": {"ada"}, "from": {"2020-01-02"}, "until": {"2020-01-01"}}).sees(422,
		"The last day must be today or later")
	until := time.Now().AddDate(0, 0, 7).Format(time.DateOnly)
	form := url.Values{"to": {"Ada"}, "from": {"2020-01-01"}, "until": {until}, "reason": {"lakes"}, "find": {"to"}, "page": {"/inbox/delegations"}}
	s.signedIn("ada", "WF_ADMIN") // stored from then on
	tom.post("/inbox/delegations", form).sees(200, `value="lakes"`)
	for who, finds := range map[*browser]bool{tom: true, s.signedIn("vera", "WF_VIEWER"): false, s.signedIn("eve"): false,
		s.signedIn("ada", "WF_ADMIN"): false} { // vera and eve have no part, and ada is Ada
		if found := strings.Contains(who.get("/inbox/people?q=ada").page, `<option value="ada">Ada Osei</option>`); found != finds {
			t.Errorf("the search finds Ada: %t, want %t", found, finds)
		}
	}
	form.Del("find")
	form.Set("to", "ada")
	tom.post("/inbox/delegations", form).sees(200, "Delegation created", "Ada Osei")
	s.signedIn("ada").sees(200, "As a delegate", "Three weeks in June", "for Tom Lindqvist")
	tom.post(tom.find(`action="(/inbox/delegations/[0-9a-f-]{36}/end)"`), nil).sees(200, "Delegation ended")
}

func TestAdminsHaveAConsole(t *testing.T) {
	s := start(t)
	tom := s.signedIn("tom").sees(200, "My work")
	id := s.asked("mia", strings.Replace(leave, "%q", `"Three weeks in June"`, 1))
	for _, path := range []string{"/console", "/console/policies", "/console/endpoints", "/console/deliveries", "/console/audit", "/console/health"} {
		tom.get("/inbox" + path).sees(403)
	}
	vera := s.signedIn("vera", "WF_VIEWER")
	vera.get("/inbox/console?status=in_review&policy=time-off&requester=mia").sees(200, "Three weeks in June",
		">Status: In review<", ">Policy: Leave<", ">Requester: Mia Keller<", `href="/inbox/console?policy=time-off&requester=mia"`)
	vera.get("/inbox/console?q=nothing-like-it").sees(200, "Nothing matches this filter")
	vera.get("/inbox/console/endpoints").sees(403)
	vera.get("/inbox/console/policies").sees(200, "Leave", "Version 1 is active")
	vera.get("/inbox/console/policies/time-off").sees(200, "Team lead", "context.days > 10")
	vera.post("/inbox/console/policies/time-off/1/deactivate", nil).sees(403)
	form := url.Values{"requester": {"mia"}, "c/kind": {`"holiday"`}, "c/from": {"2027-06-01"}, "c/until": {"2027-06-21"},
		"c/days": {"5"}, "do": {"form"}}
	vera.get("/inbox/console/policies/time-off/1/simulate").sees(200, "Working days", "Kind of leave")
	vera.post("/inbox/console/policies/time-off/1/simulate", form).sees(200, "would start", "Tom Lindqvist", "Not required for this request")
	form.Set("c/days", "many")
	vera.post("/inbox/console/policies/time-off/1/simulate", form).sees(422, "Enter a number", `value="many"`)
	form.Set("c/days", "15")
	form.Set("requester", "system:policy")
	vera.post("/inbox/console/policies/time-off/1/simulate", form).sees(422, "Enter a user id")
	vera.get("/inbox/console/policies/time-off/1/simulate?request="+id).sees(200, `value="2027-06-21"`, `value="mia"`)
	vera.get("/inbox/console/audit?verify=yes").sees(200, ": none modified", "Mia Keller created the request")
	vera.get("/inbox/console/audit?verify=yes&request="+id).sees(200, "in 1 chains")
	vera.get("/inbox/console/health").sees(200, "Ready", "Read-write")

	ada := s.signedIn("ada", "WF_ADMIN")
	ada.post("/inbox/console/endpoints", url.Values{"name": {"desk"}, "url": {"http://127.0.0.1:9/hook"}}).sees(200, "whsec_", "The secret of desk")
	endpoint := ada.find(`action="(/inbox/console/endpoints/[0-9a-f-]{36})"`)
	ada.post(endpoint, url.Values{"do": {"test"}}).sees(200, "Test queued")
	ada.post(endpoint, url.Values{"do": {"rotate"}}).sees(200, "New secret for", "within 24 hours")
	if strings.Contains(ada.page, "whsec_") {
		t.Error("a secret without a confirmation")
	}
	ada.post(endpoint, sure(url.Values{"do": {"rotate"}})).sees(200, "whsec_")
	ada.post("/inbox/console/endpoints", url.Values{"name": {"ledger"}, "url": {"http://127.0.0.1:9/ledger"}, "events": {"request.*, stage.due"},
		"policies": {"pay.*, time-off"}, "include": {"context"}}).sees(200, "The secret of ledger", ">request.* stage.due<", ">pay.* time-off<")
	s.called("ada", http.MethodGet, "/v1/wf/admin/webhooks", "", 200, "WF_ADMIN").sees(200, `"include":["context"]`,
		`"policy_keys":["pay.*","time-off"]`)
	ada.get("/inbox/console/deliveries").sees(200, "webhook.test", "desk")
	ada.confirm(endpoint, url.Values{"do": {"disable"}}, "Disable desk?", "are cancelled").sees(200, "Endpoint disabled", "Disabled by an admin")
	ada.confirm("/inbox/console/policies/time-off/1/deactivate", nil, "Deactivate Leave?", "refused until").sees(200,
		"Policy deactivated: no new requests")
	ada.get("/inbox/console/policies/time-off/1/activate").sees(200, "Stages of new requests", "Human resources")
	ada.post("/inbox/console/policies/time-off/1/activate", nil).sees(409, "was edited after you opened it")
	ada.post("/inbox/console/policies/time-off/1/activate", url.Values{"seen": {ada.find(`name="seen" value="([^"]+)"`)}}).sees(200, "Version activated")
	vera.get("/inbox/console/policies/time-off/1/activate").sees(403)
	ada.get("/inbox/console/policies/time-off/1/simulate?request="+id).sees(200, `value="mia"`)
	ada.post("/inbox/console/policies/time-off/1/simulate", ada.form()).sees(200, "would start", "Tom Lindqvist", "Inès Moreau")
	ada.get("/inbox/console/policies/time-off/1/simulate?request=x").sees(404, "Request not found")

	// The activation page shows the changes and the number of open requests.
	s.called("ada", http.MethodPut, "/v1/wf/policies/time-off",
		`{"name":"Leave","stages":[{"key":"lead","name":"Team lead","approvers":[{"type":"user","ids":["tom","ada"]}]}]}`,
		201, "WF_ADMIN")
	ada.get("/inbox/console/policies/time-off/2/activate").sees(200, "Changes from version 1",
		"1 open request keeps version 1", "Human resources", "removed", "Context schema",
		`<ins><span class="hidden-text">Newly asked: </span><bdi>Tom Lindqvist, Ada Osei</bdi></ins>`)
	ada.get("/inbox/console/policies/time-off/2/simulate").sees(200, "Content, as JSON")
	ada.post("/inbox/console/policies/time-off/2/simulate", url.Values{"do": {"form"}, "context": {`{"days":`}}).sees(422, "Enter valid JSON")
	ada.post("/inbox/console/policies/time-off/2/simulate", url.Values{"do": {"form"}, "context": {`{"days":1}`}}).sees(200, "would start", "Ada Osei")
}

func TestTheSettingsPageSetsPreferences(t *testing.T) {
	s := start(t)
	tom := s.signedIn("tom").get("/inbox/settings").sees(200, "Mail is disabled",
		`<option value="frequent" selected>Every five minutes at most</option>`)
	tom.post("/inbox/settings", url.Values{"mail": {"daily"},
		"language": {"fr"}, "zone": {"Asia/Tokyo"}}).
		sees(200, "Enregistré", "Les courriels signalent", `<option value="daily" selected>Chaque jour</option>`,
			"<option selected>Asia/Tokyo</option>")
	s.called("tom", http.MethodGet, "/v1/wf/me/notifications", "", 200).sees(200, `"language":"fr","zone":"Asia/Tokyo"`)
	tom.post("/inbox/settings", url.Values{"mail": {"nonsense"}, "language": {"en"}}).sees(200, `<option value="frequent" selected>`)
	if strings.Contains(tom.page, "nonsense") {
		t.Error("the page shows an unknown value")
	}
	s.signedIn("ada").get("/inbox/settings").sees(200, `<option value="frequent" selected>Every five minutes at most</option>`)
	r := tom.request(http.MethodPost, "/inbox/settings", "mail=off")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "https://evil.example")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if tom.do(r); tom.code != http.StatusForbidden {
		t.Errorf("another site chooses: %d", tom.code)
	}
}

// The settings page shows the address of sending, and the health page counts the approvers of open
// tasks without one.
func TestPagesShowTheAddressOfSendingAndCountApproversWithoutOne(t *testing.T) {
	config := development(t, wftest.Schema.Fresh(t))
	config.Notify.SMTPURL = daemon.Secret(fmt.Sprintf("smtp://127.0.0.1:%d?starttls=none", wftest.StartMail(t).Port))
	config.Notify.From = "approvals@wf.example"
	config.InboxURL = "http://127.0.0.1"
	s := begin(t, config)
	s.addPolicy("mail", `{"policy_key":"mail","name":"Mail","stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["ana"]}]}]}`)
	s.asked("tom", `{"policy_key":"mail"}`)
	s.asked("tom", `{"policy_key":"mail"}`)
	without := func() string {
		return s.signedIn("ada", "WF_ADMIN").get("/inbox/console/health").sees(200, "Approvers of open tasks without a stored address").
			find(`without a stored address</h2><p class="figure">([0-9]+)</p>`)
	}
	ana := s.signedIn("ana").get("/inbox/settings").sees(200, "sends you no mail")
	before := without()
	task := s.called("ana", http.MethodGet, "/v1/wf/tasks?inbox=me", "", 200).find(`"id":"([0-9a-f-]{36})"`)
	token, err := daemon.DevToken(s.config.DataDir, bearer.DevToken{
		Audience: s.config.AuthAudience, Subject: "ana", Claims: map[string]any{"email": "ana@people.example", "email_verified": true},
	})
	must(t, err)
	wftest.At(t, s.url, token).Post("/v1/wf/tasks/"+task+"/decision", `{"action":"approve"}`).Want(200)
	ana.get("/inbox/settings").sees(200, "Address: ana@people.example")
	if after := without(); before != "1" || after != "0" {
		t.Errorf("%s approvers without an address, then %s", before, after)
	}
}
