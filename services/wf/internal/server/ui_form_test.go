package server_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/timetest"
)

const deskPolicy = `{"policy_key":"desk","name":"Desk","context_schema":{"type":"object","properties":{"note":{"type":"string","title":"Note","maxLength":100000}}},
	"settings":{"require_comment":{"reject":true}},"stages":[{"key":"s","name":"Desk","approvers":[{"type":"user","ids":["tom"]}],"allow":{"reassign":"any"}}]}`

// desk adds a policy whose approver is tom and returns a request.
func (s *service) desk() (request, task string, tom *browser) {
	s.t.Helper()
	s.addPolicy("desk", deskPolicy)
	request = "/inbox/requests/" + s.asked("mia", `{"policy_key":"desk","title":"A desk"}`)
	tom = s.signedIn("tom")
	return request, tom.get(request).find(`/inbox/tasks/([0-9a-f-]{36})/decision`), tom
}

// A refused form is answered with its page: with its status, an error summary with the focus, and the entries.
func TestARefusedFormIsAnsweredWithItsPage(t *testing.T) {
	s := start(t)
	request, task, tom := s.desk()
	long, day := strings.Repeat("x", 4097), time.Now().AddDate(0, 0, 3).Format(time.DateOnly)
	mia, ada := s.signedIn("mia"), s.signedIn("ada", "WF_ADMIN")
	for _, tt := range []struct {
		name, path string
		of         *browser
		form       url.Values
		code       int
		field      string // with the error; empty if the whole form has it
		kept       []string
	}{
		{"a decision without its comment", "/inbox/tasks/" + task + "/decision", tom,
			url.Values{"action": {"reject"}, "comment": {" "}, "text": {"A question"}}, 422, "comment", []string{">A question</textarea>"}},
		{"a decision on other content", "/inbox/tasks/" + task + "/decision", tom,
			url.Values{"action": {"approve"}, "seen": {"sha256:x"}, "comment": {"Fine"}}, 409, "", []string{">Fine</textarea>"}},
		{"a comment without text", request + "/comments", tom,
			url.Values{"text": {" "}, "mention": {"mia"}, "comment": {"Fine"}}, 422, "text", []string{">Fine</textarea>", `value="mia" checked`}},
		{"a reassignment to nobody", "/inbox/tasks/" + task + "/reassign", tom,
			url.Values{"to-" + task: {""}, "reason-" + task: {"On leave"}}, 422, "to-" + task, []string{`value="On leave"`}},
		{"a long reason of a reassignment", "/inbox/tasks/" + task + "/reassign", tom,
			url.Values{"to-" + task: {"ada"}, "reason-" + task: {long}}, 422, "reason-" + task, []string{long, `value="ada"`}},
		{"a long reason of a cancellation", request + "/cancel", mia, url.Values{"cancellation": {long}}, 422, "cancellation", []string{long}},
		{"tasks without a selection", "/inbox/tasks", tom,
			url.Values{"page": {"/inbox"}, "action": {"approve"}, "comment": {"Fine"}}, 422, "", []string{">Fine</textarea>"}},
		{"a request without a title", "/inbox/new/desk", mia, url.Values{"c/note": {"A note"}}, 422, "title", []string{">A note</textarea>"}},
		{"a request without a title, after its check", "/inbox/new/desk", mia,
			url.Values{"seen": {"1"}, "c/note": {"A note"}}, 422, "title", []string{">A note</textarea>"}},
		{"a delegation with a long reason", "/inbox/delegations", mia,
			url.Values{"to": {"tom"}, "from": {day}, "until": {day}, "reason": {long}}, 422, "reason", []string{`value="tom"`, long}},
		{"an endpoint with an unknown format", "/inbox/console/endpoints", ada,
			url.Values{"name": {"desk"}, "url": {"http://127.0.0.1:9/hook"}, "format": {"fax"}}, 422, "",
			[]string{`value="desk"`, `value="http://127.0.0.1:9/hook"`}},
		{"a document that is no JSON", "/inbox/console/policies/new", ada,
			url.Values{"do": {"paste"}, "json": {"{no"}}, 422, "json", []string{">{no</textarea>"}},
		{"an activation of another content", "/inbox/console/policies/desk/1/activate", ada, url.Values{"seen": {"x"}}, 409, "", nil},
		{"a simulation for an invalid user", "/inbox/console/policies/desk/1/simulate", ada,
			url.Values{"do": {"form"}, "requester": {"a\tb"}, "c/note": {"A note"}}, 422, "requester", []string{">A note</textarea>"}},
	} {
		b := tt.of.post(tt.path, tt.form)
		if b.method != http.MethodPost || b.code != tt.code {
			t.Errorf("%s: %s %d, want %d\n%s", tt.name, b.method, b.code, tt.code, b.shown())
			continue
		}
		b.sees(tt.code, append(tt.kept, "<title>Error: ", `class="problem wide" role="alert" tabindex="-1" autofocus`)...)
		if tt.field != "" {
			b.sees(tt.code, `<a href="#`+tt.field+`">`)
		}
	}
	tom.get(request).sees(200, "In review")
}

// A button for the fields of a form shows its page with the entries, and runs no operation.
func TestAButtonForFieldsKeepsTheEntries(t *testing.T) {
	s := start(t)
	request, task, tom := s.desk()
	mia := s.signedIn("mia")
	texts := url.Values{"comment": {"My reasons"}, "text": {"A question"}, "mention": {"mia"}, "to-" + task: {"zz"}}
	entries := []string{">My reasons</textarea>", ">A question</textarea>", `value="mia" checked`}
	with := func(all url.Values, page, name, value string) url.Values {
		all = maps.Clone(all)
		all.Set("page", page)
		all.Set(name, value)
		return all
	}
	decision := with(texts, request, "action", "approve")
	tom.post("/inbox/tasks/"+task+"/decision", with(decision, request, "find", "to-"+task)).sees(200, append(entries, "Nobody found")...)
	tom.post("/inbox/tasks/"+task+"/decision", with(decision, request, "add", "files/attachments")).sees(200,
		append(entries, `name="files/attachments/0/url"`)...)
	tom.post(request+"/comments", with(texts, request, "edit", "yes")).sees(200, entries...)
	if strings.Contains(tom.get(request).page, "A question") {
		t.Error("the comment is stored")
	}
	note := url.Values{"title": {"A chair"}, "c/note": {"A note"}, "seen": {"1"}}
	mia.post("/inbox/new/desk", with(note, "/inbox/new/desk", "edit", "c/note")).sees(200, `value="A chair"`, ">A note</textarea>")
	if strings.Contains(mia.get("/inbox/mine").page, "A chair") {
		t.Error("the request is sent")
	}
	mia.post("/inbox/new/desk", with(note, "https://evil.example/", "edit", "yes")).sees(200, "My work")
	mia.post("/inbox/new/desk", with(note, "/inbox/console/endpoints", "edit", "yes")).sees(403)
}

// A form without a session leads to the sign-in before its page, without its entries.
func TestAFormWithoutASessionLeadsToTheSignIn(t *testing.T) {
	s := start(t)
	request, task, _ := s.desk()
	guest := s.browser().post("/inbox/tasks/"+task+"/decision", url.Values{"page": {request}, "action": {"approve"}, "comment": {"My reasons"}})
	guest.sees(200, "Choose a user")
	if to := "/inbox/signin?to=" + url.QueryEscape(request); guest.path != to || strings.Contains(guest.page, "My reasons") {
		t.Errorf("%s, want %s\n%s", guest.path, to, guest.shown())
	}
}

// The result of several decisions is shown with the selection and the comment of the refused ones.
func TestTheRefusedTasksStaySelected(t *testing.T) {
	s := start(t)
	_, task, tom := s.desk()
	picked := tom.get("/inbox?policy=desk").find(`name="task" value="([^"]+)"`)
	form := url.Values{"page": {"/inbox?policy=desk"}, "action": {"reject"}, "task": {picked, task[:len(task)-1] + "x y"}}
	tom.post("/inbox/tasks", form).sees(200, "Result: 0 rejected, 2 not", "This decision requires a comment", `value="`+picked+`" checked`)
	form.Set("comment", "Too many desks")
	tom.post("/inbox/tasks", form).sees(200, "Result: 1 rejected, 1 not", "Too many desks")
}

// A refusal without a page of its own shows the submitted texts. A secret is shown once.
func TestARefusalShowsTheSubmittedTexts(t *testing.T) {
	s := start(t)
	request, task, _ := s.desk()
	eve := s.signedIn("eve")
	eve.post(request+"/comments", url.Values{"text": {"Let me in"}}).sees(403,
		"You do not have access to this page or action", ">Let me in</blockquote>")
	eve.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"approve"}, "comment": {"I am the boss"}}).sees(403, "I am the boss")
	ada := s.signedIn("ada", "WF_ADMIN")
	ada.post("/inbox/console/endpoints", url.Values{"name": {"desk"}, "url": {"http://127.0.0.1:9/hook"}}).sees(200, "whsec_")
	if ada.get(ada.path).sees(200); strings.Contains(ada.page, "whsec_") {
		t.Error("the page shows the secret again")
	}
}

// Single-key shortcuts can be switched off (WCAG 2.1.4).
func TestShortcutsCanBeSwitchedOff(t *testing.T) {
	s := start(t)
	s.desk()
	tom := s.signedIn("tom").sees(200, `data-keys="jkxar/n"`, "<kbd>j</kbd> Next row")
	tom.post("/inbox/settings", url.Values{"zone": {"Asia/Tokyo"}}).sees(200, "Saved", `data-keys=""`)
	if tom.get("/inbox").sees(200); strings.Contains(tom.page, "<kbd>") {
		t.Error("the list names shortcuts")
	}
	tom.post("/inbox/reader", url.Values{"zone": {"Asia/Dubai"}})
	tom.get("/inbox").sees(200, `data-keys=""`)
	tom.post("/inbox/settings", url.Values{"shortcuts": {"on"}}).sees(200, "Saved", `data-keys="jkxar/n"`)
}

// A refused decision marks its field; buttons and links of rows name their row; texts of users have
// their own direction.
func TestErrorsRowsAndTextsAreAccessible(t *testing.T) {
	s := start(t)
	s.addPolicy("data", `{"policy_key":"data","name":"Data","stages":[{"key":"s","name":"Desk","approvers":[{"type":"user","ids":["tom"]}],
		"decision_schema":{"type":"object","required":["centre"],"properties":{"centre":{"type":"string","title":"Centre","not":{"const":"0"}}}}}]}`)
	request := "/inbox/requests/" + s.asked("mia", `{"policy_key":"data","title":"\u05e9\u05d5\u05dc\u05d7\u05df","comment":"Why?"}`)
	tom := s.signedIn("tom").get(request).sees(200, "<h1><bdi>\u05e9\u05d5\u05dc\u05d7\u05df</bdi></h1>",
		`<blockquote dir="auto">Why?`, `name="data/centre" value="" dir="auto"`)
	task := tom.find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
	for centre, problem := range map[string]string{"": "This field is required", "0": "The policy does not permit this value"} {
		tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"approve"}, "data/centre": {centre}, "comment": {"Kept"}}).
			sees(tom.code, "<title>Error: ", "Centre: "+problem, `<a href="#data%2fcentre">`,
				`aria-invalid="true" aria-describedby="data/centre-error`, ">Kept</textarea>")
	}
	ada := s.signedIn("ada", "WF_ADMIN")
	ada.post("/inbox/console/endpoints", url.Values{"name": {"desk"}, "url": {"http://127.0.0.1:9/hook"}}).sees(200,
		`Test<span class="hidden-text"> desk</span>`)
	ada.post(ada.find(`action="(/inbox/console/endpoints/[0-9a-f-]{36})"`), url.Values{"do": {"test"}})
	timetest.Eventually(t, "the row of the delivery has a button", func() bool { // not while it is sent
		return strings.Contains(ada.get("/inbox/console/deliveries").page, `<span class="hidden-text"> webhook.test desk, `)
	})
	day := time.Now().AddDate(0, 0, 3).Format(time.DateOnly)
	ada.post("/inbox/delegations", url.Values{"to": {"tom"}, "from": {day}, "until": {day}}).sees(200,
		`End<span class="hidden-text"> delegation to Tom Lindqvist from `)
	ada.get("/inbox/new/data").sees(200, `Add<span class="hidden-text"> Attachments</span>`)
}
