package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/internal/server"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// Every page and every change of the console, by required access: a signed-in user, a viewer, an
// admin.
func TestConsoleAccess(t *testing.T) {
	s := start(t)
	people := map[string]*browser{"signed": s.signedIn("tom"), "viewer": s.signedIn("vera", "WF_VIEWER"), "admin": s.signedIn("ada", "WF_ADMIN")}
	const policy, nothing = "/console/policies/time-off", "00000000-0000-7000-8000-000000000000"
	for _, tt := range []struct {
		method, path string
		may          string // permitted users, in order of their rights
	}{
		{http.MethodGet, "/console", "viewer"},
		{http.MethodGet, "/console/policies", "viewer"},
		{http.MethodGet, policy, "viewer"},
		{http.MethodGet, policy + "/1", "viewer"},
		{http.MethodGet, "/console/policies/new", "admin"},
		{http.MethodPost, "/console/policies/new", "admin"},
		{http.MethodGet, policy + "/1/edit", "admin"},
		{http.MethodPost, policy + "/1/edit", "admin"},
		{http.MethodPost, policy + "/1/delete", "admin"},
		{http.MethodGet, policy + "/1/activate", "admin"},
		{http.MethodPost, policy + "/1/activate", "admin"},
		{http.MethodPost, policy + "/1/deactivate", "admin"},
		{http.MethodGet, policy + "/1/simulate", "viewer"},
		{http.MethodPost, policy + "/1/simulate", "viewer"},
		{http.MethodGet, "/console/endpoints", "admin"},
		{http.MethodPost, "/console/endpoints", "admin"},
		{http.MethodPost, "/console/endpoints/" + nothing, "admin"},
		{http.MethodGet, "/console/deliveries", "viewer"},
		{http.MethodPost, "/console/deliveries/recover", "admin"},
		{http.MethodPost, "/console/deliveries/" + nothing + "/retry", "admin"},
		{http.MethodGet, "/console/audit", "viewer"},
		{http.MethodGet, "/console/audit/export", "viewer"},
		{http.MethodGet, "/console/health", "viewer"},
		{http.MethodPost, "/requests/" + nothing + "/reevaluate", "admin"},
	} {
		for _, who := range []string{"signed", "viewer", "admin"} {
			b := people[who]
			if tt.method == http.MethodPost {
				b.post("/inbox"+tt.path, url.Values{"do": {"test"}})
			} else {
				b.get("/inbox" + tt.path)
			}
			may := tt.may == who || tt.may == "viewer" && who == "admin"
			if (b.code != http.StatusForbidden) != may {
				t.Errorf("%s %s as %s: %d", tt.method, tt.path, who, b.code)
			}
		}
		nobody := s.browser()
		if tt.method == http.MethodPost {
			nobody.post("/inbox"+tt.path, nil)
		} else {
			nobody.get("/inbox" + tt.path)
		}
		if nobody.code != http.StatusUnauthorized && !strings.HasPrefix(nobody.path, "/inbox/signin") {
			t.Errorf("%s %s without a session: %d at %s", tt.method, tt.path, nobody.code, nobody.path)
		}
	}
}

// Pages follow the table of readers of the API: TestVisibilityOfUserSuppliedFields in package api.
func TestPagesShowEachReaderTheirPart(t *testing.T) {
	config := development(t, wftest.Schema.Fresh(t))
	config.CallbackHosts = server.Secrets{"x.example": whsec}
	s := begin(t, config)
	canary := func(field string) string { return "canary-" + field + "-yranac" }
	s.addPolicy("pages", `{"policy_key":"pages","name":"Pages","settings":{"redact":["/secret"]},"stages":[
			{"key":"s","name":"S","approvers":[{"type":"user","ids":["ana","bo","fay"]}],"observers":[{"type":"user","ids":["olga"]}],"allow":{"reassign":"any"}}]}`)
	digest := strings.Repeat("c0ffee00", 8)
	file := func(field string) string {
		return fmt.Sprintf(`[{"name":%q,"media_type":"text/plain","url":"https://x.example/%s","sha256":%q}]`, canary(field), canary(field), digest)
	}
	created := s.called("rita", http.MethodPost, "/v1/wf/requests", fmt.Sprintf(
		`{"policy_key":"pages","title":%q,"comment":%q,"attachments":%s,"context":{"open":%q,"secret":%q},"callback_url":"https://x.example/cb?token=%s"}`,
		canary("title"), canary("comment"), file("file"), canary("context"), canary("redacted"), canary("query")), 201)
	id := created.find(`"id":"([0-9a-f-]{36})","policy_key"`)
	tasks := s.called("root", http.MethodGet, "/v1/wf/requests/"+id, "", 200, "WF_ADMIN")
	bos := tasks.find(`"id":"([0-9a-f-]{36})"[^{}]*"assignee":\{"id":"bo"`)
	s.called("bo", http.MethodPost, "/v1/wf/tasks/"+bos+"/decision",
		fmt.Sprintf(`{"action":"approve","comment":%q,"data":{"d":%q},"attachments":%s}`, canary("decision"), canary("data"), file("evidence")), 200)

	fays := tasks.find(`"id":"([0-9a-f-]{36})"[^{}]*"assignee":\{"id":"fay"`)
	s.called("root", http.MethodPost, "/v1/wf/tasks/"+fays+"/reassign", `{"new_assignee":"gil"}`, 200, "WF_ADMIN")

	everyone := "rita ana bo olga vera ada" // not fay, who has no part now
	seenBy := map[string]string{
		"title": everyone, "comment": everyone, "file": everyone, "context": everyone, "redacted": "rita ana bo olga ada", "decision": everyone,
		"data": "rita bo vera ada", "evidence": "rita bo vera ada", "query": "vera ada",
	}
	readers := map[string]*browser{
		"rita": s.signedIn("rita"), "ana": s.signedIn("ana"), "bo": s.signedIn("bo"), "olga": s.signedIn("olga"),
		"eve": s.signedIn("eve"), "fay": s.signedIn("fay"),
		"vera": s.signedIn("vera", "WF_VIEWER"), "ada": s.signedIn("ada", "WF_ADMIN"),
	}
	for who, b := range readers {
		pages := ""
		for _, path := range []string{"/requests/" + id, "/tasks/" + bos, "/requests/" + id + "/events", "/requests/" + id + "/history", "", "/requests"} {
			pages += b.get("/inbox" + path).page
		}
		for field, may := range seenBy {
			got, want := strings.Contains(pages, canary(field)), slices.Contains(strings.Fields(may), who)
			if got && !want || !got && want && field != "query" {
				t.Errorf("%s, %s: %t, want %t", who, field, got, want)
			}
		}
		if got, want := strings.Contains(pages, digest), slices.Contains(strings.Fields(everyone), who); got != want {
			t.Errorf("%s, digest of a file: %t, want %t", who, got, want)
		}
	}
}

// The action applies to each of several tasks and the content shown, and each refusal is in the
// trail.
func TestBulkDecisionAppliesToSelectedTasksAsShown(t *testing.T) {
	s := start(t)
	tom, mia, vera := s.signedIn("tom"), s.signedIn("mia"), s.signedIn("vera", "WF_VIEWER")
	first := s.asked("mia", strings.Replace(leave, "%q", `"The first"`, 1))
	second := s.asked("mia", strings.Replace(leave, "%q", `"The second"`, 1))
	pick := func(request string) (value, task string) {
		task = tom.get("/inbox/requests/" + request).find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
		return tom.get("/inbox").find(`name="task" value="(` + task + ` [^"]+)"`), task
	}
	picked, task := pick(first)
	_, other := pick(second)
	tom.post("/inbox/tasks", url.Values{"task": {picked, other + " sha256:other"}, "action": {"reject"},
		"comment": {"Not in June"}}).sees(200, "Result: 1 rejected, 1 not", "no longer available")
	mia.get("/inbox/requests/"+first).sees(200, "Rejected", "Not in June")
	mia.get("/inbox/requests/"+second).sees(200, "In review")
	vera.get("/inbox/console/audit?outcome=denied").sees(200, `title="auth.denied">`)
	s.called("ada", http.MethodGet, "/v1/wf/admin/audit?outcome=denied", "", 200, "WF_ADMIN").
		sees(200, `"error_code":"WF-007"`)
	s.called("tom", http.MethodGet, "/v1/wf/tasks/"+task, "", 200).sees(200, `"source":"page"`)
	many := url.Values{"action": {"approve"}}
	for range 201 {
		many.Add("task", "00000000-0000-7000-8000-000000000000 x")
	}
	if n := strings.Count(tom.post("/inbox/tasks", many).sees(200).page, "You do not have access to this page or action"); n != 200 {
		t.Errorf("%d of 201 are looked at", n)
	}
}

// A form takes nothing that the API would not: too long texts, bytes that are no text, and
// words that are not on its lists.
func TestAFormTakesNoMoreThanTheAPI(t *testing.T) {
	s := start(t)
	tom, mia := s.signedIn("tom"), s.signedIn("mia")
	ada := s.signedIn("ada", "WF_ADMIN")
	id := s.asked("mia", strings.Replace(leave, "%q", `"Three weeks in June"`, 1))
	task := tom.get("/inbox/requests/" + id).find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
	for name, text := range map[string]string{"NUL": "a\x00b", "no UTF-8": "a\xff\xfeb"} {
		for _, tt := range []struct {
			who  *browser
			path string
			form url.Values
		}{
			{tom, "/tasks/" + task + "/decision", url.Values{"action": {"approve"}, "comment": {text}}},
			{tom, "/tasks/" + task + "/reassign", url.Values{"to-" + task: {text}, "reason-" + task: {text}}},
			{tom, "/tasks", url.Values{"task": {task + " x"}, "action": {"approve"}, "comment": {text}}},
			{tom, "/delegations", url.Values{"to": {"ada"}, "from": {"2020-01-01"}, "until": {"2126-01-01"}, "reason": {text}, "policies": {text}}},
			{tom, "/settings", url.Values{"zone": {text}}},
			{mia, "/requests/" + id + "/comments", url.Values{"text": {text}}},
			{mia, "/requests/" + id + "/cancel", url.Values{"cancellation": {text}}},
			{mia, "/new/time-off", url.Values{"once": {text}, "title": {"June"}, "artifact": {text}, "comment": {text},
				"c/kind": {`"holiday"`}, "c/from": {"2027-06-01"}, "c/until": {"2027-06-02"}, "c/days": {"1"},
				"c/handover": {text}}},
			{ada, "/console/endpoints", url.Values{"name": {text}, "url": {"http://127.0.0.1:9/" + text}, "events": {text}, "format": {text}}},
			{ada, "/console/deliveries/recover", url.Values{"endpoint": {text}}},
		} {
			if tt.who.post("/inbox"+tt.path, tt.form); tt.who.code != http.StatusBadRequest {
				t.Errorf("%s to %s: %d\n%s", name, tt.path, tt.who.code, tt.who.shown())
			}
		}
	}
	long := strings.Repeat("ж", 4096) // as many as a field takes, and twice as many bytes
	const limit = "At most 4096 characters. This text has 4104."
	request := "/inbox/requests/" + id
	for path, field := range map[string]string{
		request + "/comments": "text", request + "/cancel": "cancellation", "/inbox/tasks/" + task + "/decision": "comment",
	} {
		who := tom
		if strings.HasPrefix(path, request) {
			who = mia
		}
		form := url.Values{"action": {"request_changes"}, field: {long + "and more"}}
		who.post(path, form).sees(422, limit, long+"and more", `<a href="#`+field+`">`, `id="`+field+`-error"`, "<title>Error: ")
	}
	tom.post("/inbox/tasks", url.Values{"action": {"approve"}, "task": {task + " x"}, "comment": {long + "and more"}}).sees(422, limit, long+"and more")
	mia.post(request+"/comments", url.Values{"text": {long}}).sees(200, "Comment added", long)
	tom.post("/inbox/tasks/"+task+"/decision",
		url.Values{"action": {"request_changes"}, "comment": {long + " "}}).sees(200, "You requested changes", long)
	form := url.Values{"title": {strings.Repeat("x", 201)}, "artifact": {strings.Repeat("x", 256)},
		"link": {"https://example.org/" + strings.Repeat("x", 2048)}, "c/kind": {`"holiday"`}, "c/from": {"2027-06-01"},
		"c/until": {"2027-06-02"}, "c/days": {"1"}}
	mia.post("/inbox/new/time-off", form).sees(422, "At most 200 characters. This text has 201.",
		"At most 255 characters. This text has 256.", `id="link-error"`)
	form.Set("title", "June")
	form.Set("artifact", "7")
	form.Set("link", "http://example.org/")
	mia.post("/inbox/new/time-off", form).sees(422, `id="link-error"><span class="hidden-text">Error: </span>Enter an address that begins with https://`)
	if strings.Contains(mia.page, "title-error") {
		t.Error("the problem of the link is shown at the title")
	}
	ada.post("/inbox/console/endpoints", url.Values{"name": {"desk"}, "url": {"http://127.0.0.1:9/hook"}, "format": {"fax"}}).sees(422)
}

// Documents are attached as links, to requests and to decisions.
func TestLinksToDocumentsAreAttached(t *testing.T) {
	s := start(t)
	tom, mia := s.signedIn("tom"), s.signedIn("mia")
	form := url.Values{"title": {"June"}, "c/kind": {`"holiday"`}, "c/from": {"2027-06-01"}, "c/until": {"2027-06-02"}, "c/days": {"1"}}
	add := func(name, address string) {
		form.Set("files/attachments#", "1")
		form.Set("files/attachments/0/name", name)
		form.Set("files/attachments/0/url", address)
	}
	form.Set("add", "files/attachments")
	form.Set("page", "/inbox/new/time-off")
	mia.post("/inbox/new/time-off", form).sees(200, `name="files/attachments/0/url"`)
	form.Del("add")
	add("", "javascript:alert(1)")
	mia.post("/inbox/new/time-off", form).sees(422, "This field is required", "The format is invalid")
	add("The plan\u202e", "https://example.org/plan.pdf")
	mia.post("/inbox/new/time-off", form).sees(422, "The format is invalid")
	add("The plan", "https://example.org/plan.pdf")
	mia.confirm("/inbox/new/time-off", form, `<a href="https://example.org/plan.pdf"`, "application/pdf").
		sees(200, "Request submitted", `<a href="https://example.org/plan.pdf"`, "The plan", "application/pdf")

	request := "/inbox" + regexp.MustCompile(`/requests/[0-9a-f-]{36}`).FindString(mia.path)
	task := tom.get(request).sees(200, "The plan").find(`action="(/inbox/tasks/[0-9a-f-]{36}/decision)`)
	form = url.Values{"action": {"reject"}, "comment": {"See there"}}
	add("The rule", "not an address")
	tom.post(task, form).sees(422, "Enter an address", `value="The rule"`, "See there")
	form.Set("remove", "files/attachments/0")
	form.Del("action")
	if tom.post(task, form).sees(200, "See there"); strings.Contains(tom.page, "The rule") {
		t.Error("a document that was removed is still there")
	}
	form.Del("remove")
	form.Set("action", "reject")
	add("The rule", "https://example.org/rules")
	tom.post(task, form).sees(200, "You rejected this request", `<a href="https://example.org/rules"`)
	mia.get(request).sees(200, "The rule", "text/html")
}

// Owners have the pages of their policies and requests, and no others of the console.
func TestOwnersHaveThePagesOfTheirPolicies(t *testing.T) {
	s := start(t)
	const definition = `"name":"Owned","settings":{"owners":{"users":["olga"]},"single_use":true},"stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["tom"]}]}]}`
	s.called("root", http.MethodPost, "/v1/wf/policies", `{"policy_key":"owned",`+definition, 201, "WF_ADMIN")
	olga, eve := s.signedIn("olga"), s.signedIn("eve")
	const page = "/inbox/console/policies/owned"
	for _, path := range []string{page, page + "/1", page + "/1/activate", page + "/1/simulate", "/inbox/console/policies"} {
		eve.get(path).sees(403)
		olga.get(path).sees(200, "Owned")
	}
	for _, path := range []string{"/inbox", "/inbox/mine", page} { // each page leads to the policies of an owner
		olga.get(path).find(`href="(/inbox/console/policies)"[^>]*>Console<`)
	}
	if strings.Contains(eve.get("/inbox").page, ">Console<") {
		t.Error("a user without policies has a link to the console")
	}
	olga.get("/inbox/console/policies")
	if strings.Contains(olga.page, "time-off") || strings.Contains(olga.page, `href="/inbox/console/audit"`) {
		t.Error("an owner sees other policies, or links to pages of viewers")
	}
	for _, path := range []string{"/inbox/console", "/inbox/console/policies/time-off", "/inbox/console/audit",
		"/inbox/console/deliveries", "/inbox/console/endpoints"} {
		olga.get(path).sees(403)
	}
	seen := olga.get(page + "/1/activate").find(`name="seen" value="([^"]+)"`)
	eve.post(page+"/1/activate", url.Values{"seen": {seen}}).sees(403)
	olga.post(page+"/1/activate", url.Values{"seen": {seen}}).sees(200, "Active")
	olga.post(page+"/1/simulate", url.Values{"context": {"{}"}, "do": {"form"}}).sees(200, "Tom")
	id := s.asked("mia", `{"policy_key":"owned","title":"A request"}`)
	olga.get("/inbox/requests/"+id).sees(200, "A request")
	eve.get("/inbox/requests/" + id).sees(403)
	eve.post(page+"/1/deactivate", nil).sees(403)
	olga.post(page+"/1/deactivate", sure(nil)).sees(200)
	olga.post("/inbox/console/policies/time-off/1/deactivate", nil).sees(403)
	eve.post("/inbox/requests/"+id+"/reevaluate", nil).sees(403)
}

// A viewer exports the trail that the page lists, whole, and the readers of a request its receipt.
func TestAuditorsExportTheTrailAndReceipts(t *testing.T) {
	s := start(t)
	s.addPolicy("pay", payments)
	id := s.payment("A crane", 12500, "Acme")
	vera := s.signedIn("vera", "WF_VIEWER").get("/inbox/requests/"+id).sees(200, "export?request="+id)
	if strings.Contains(vera.page, "/receipt") {
		t.Error("an open request has a receipt")
	}
	vera.get("/inbox/requests/" + id + "/receipt").sees(409)
	task := s.signedIn("tom").get("/inbox").find(`name="task" value="(\S+) `)
	s.called("tom", http.MethodPost, "/v1/wf/tasks/"+task+"/decision", `{"action":"approve"}`, 200)
	vera.get("/inbox/requests/"+id).sees(200, "/inbox/requests/"+id+"/receipt")
	if vera.get("/inbox/requests/" + id + "/receipt"); vera.code != 200 || strings.Count(vera.page, ".") != 2 ||
		vera.head.Get("Content-Type") != "application/jose" {
		t.Errorf("receipt: %d %s %s", vera.code, vera.head, vera.page)
	}
	s.signedIn("eve").get("/inbox/requests/" + id + "/receipt").sees(403)
	vera.get("/inbox/console/audit?request="+id).sees(200, "Mia Keller created the request", `title="request.created">`, "UTC")
	vera.get(vera.find(`href="(/inbox/console/audit/export[^"]*)"`))
	lines := strings.Split(strings.TrimSpace(vera.page), "\n")
	if last := lines[len(lines)-1]; len(lines) < 4 || !strings.HasPrefix(last, `{"end":`) || strings.Count(vera.page, id) < len(lines)-1 {
		t.Errorf("export: %s", vera.page)
	}
	if !regexp.MustCompile(`[0-9]{2}:[0-9]{2}:[0-9]{2} UTC`).MatchString(vera.get("/inbox/console/audit").page) {
		t.Error("times have no seconds")
	}
}
