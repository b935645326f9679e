package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/libs/timetest"
)

const keptPolicy = `{"policy_key":"kept","name":"Kept","context_schema":{"type":"object","properties":{"note":{"type":"string","title":"Note","maxLength":100000}}},
	"settings":{"require_comment":{"reject":true}},"stages":[{"key":"s","name":"Desk","approvers":[{"type":"user","ids":["tom"]}],"allow":{"reassign":"any"}}]}`

// kept starts a service with a policy whose approver is tom and returns a request.
func (s *service) kept() (request, task string, tom *browser) {
	s.t.Helper()
	for _, key := range []string{"kept", "other"} {
		s.called("root1", http.MethodPost, "/v1/wf/policies", strings.Replace(keptPolicy, `"kept"`, `"`+key+`"`, 1), 201, "WF_ADMIN")
		s.called("root2", http.MethodPost, "/v1/wf/policies/"+key+"/versions/1/activate", "", 200, "WF_ADMIN")
	}
	request = "/inbox/requests/" + s.asked("mia", `{"policy_key":"kept","title":"A desk"}`)
	tom = s.signedIn("tom")
	return request, tom.get(request).find(`/inbox/tasks/([0-9a-f-]{36})/decision`), tom
}

// Each operation of a request's page keeps the texts of the others.
func TestNoOperationOfARequestDiscardsTheTextsOfTheOthers(t *testing.T) {
	sqldbtest.Any(t, func(t *testing.T, database string) {
		s := begin(t, development(t, database))
		request, task, tom := s.kept()
		texts := url.Values{"page": {request}, "comment": {"My reasons"}, "text": {"A question"}, "mention": {"mia"}, "reason-" + task: {"On leave"}, "other-" + task: {"ada"}}
		with := func(more url.Values) url.Values {
			all := url.Values{"kept": {tom.find(`name="kept" value="([A-Z2-7]+)"`)}}
			for _, some := range []url.Values{texts, more} {
				for name, values := range some {
					all[name] = values
				}
			}
			return all
		}
		shows := func(texts ...string) {
			t.Helper()
			tom.sees(tom.code, texts...)
		}
		comment, question, leave := ">My reasons</textarea>", ">A question</textarea>", `value="On leave"`
		tom.post("/inbox/keep", with(nil))
		shows(comment, question, leave, `value="mia" checked`)
		tom.post("/inbox/tasks/"+task+"/claim", with(nil)).sees(200, "Task claimed")
		shows(comment, question, leave)
		tom.post("/inbox/tasks/"+task+"/decision", with(url.Values{"action": {"reject"}, "comment": {" "}})).sees(422, "This decision requires a comment")
		shows(question, leave, `<a href="#comment">`, `aria-invalid="true" aria-describedby="comment-error comment-help comment-count"`, "<title>Error: A desk")
		tom.get(tom.path).sees(422, "A question") // a reload
		tom.post(request+"/comments", with(nil)).sees(200, "Comment added", "A question</p>", "For Mia")
		shows(comment, leave)
		if strings.Contains(tom.page, question) {
			t.Error("the field of the comment still has the text that was sent")
		}
		tom.post(request+"/comments", with(url.Values{"text": {" "}})).sees(422, `id="text-error"`)
		shows(comment, leave)
		tom.post("/inbox/tasks/"+task+"/reassign", with(url.Values{"other-" + task: {""}})).sees(422, "Enter a user id")
		shows(comment, question, leave)
		tom.post("/inbox/tasks/"+task+"/reassign", with(url.Values{"reason-" + task: {strings.Repeat("x", 4097)}})).sees(422, "This text has 4097", strings.Repeat("x", 4097))

		// A search for a user, and other settings.
		tom.post("/inbox/keep", with(url.Values{"find": {"other-" + task}}))
		shows(comment, question, leave, "Ada Osei")
		tom.post("/inbox/keep", with(url.Values{"leave": {"/inbox/settings"}})).sees(200, "Back to the page before")
		tom.post("/inbox/settings", url.Values{"language": {"fr"}, "zone": {"Asia/Tokyo"}, "from": {tom.find(`name="from" value="([^"]+)"`)}}).sees(200, "Enregistré")
		tom.get(tom.find(`<a href="(/inbox/requests/[^"]+)">`)).sees(200, "Votre décision")
		shows(comment, question, leave)

		tom.post("/inbox/tasks/"+task+"/decision", with(url.Values{"action": {"approve"}})).sees(200, "Vous avez approuvé", "My reasons", question)
	})
}

// A form that is complete leaves nothing behind it: its page is new again.
func TestTheFormOfACompleteOperationIsNotShownAgain(t *testing.T) {
	sqldbtest.Any(t, func(t *testing.T, database string) {
		s := begin(t, development(t, database))
		s.kept()
		mia := s.signedIn("mia").get("/inbox/new/kept")
		form := url.Values{"once": {mia.find(`name="once" value="([^"]+)"`)}, "kept": {mia.find(`name="kept" value="([^"]+)"`)}, "title": {""}, "c/note": {"A long note"}}
		mia.post("/inbox/new/kept", form).sees(422, "A long note", "Title: This field is required")
		back := mia.path
		form.Set("title", "Another desk")
		mia.post("/inbox/new/kept", form).sees(200, "Approvers, in this order", "A long note")
		mia.get(mia.path).sees(200, "Approvers, in this order", "A long note") // a reload
		mia.confirm("/inbox/new/kept", form, "A long note").sees(200, "Request submitted", "A long note")
		if mia.get(back).sees(200); strings.Contains(mia.page, "A long note") || strings.Contains(mia.page, "Error:") {
			t.Errorf("Back after the submission shows the form again:\n%s", mia.shown())
		}
	})
}

// The result of a bulk decision is shown again by a reload, and recorded once.
func TestTheReloadOfABulkResultRepeatsNothing(t *testing.T) {
	sqldbtest.Any(t, func(t *testing.T, database string) {
		s := begin(t, development(t, database))
		_, task, tom := s.kept()
		vera := s.signedIn("vera", "WF_VIEWER")
		denials := func() int {
			return strings.Count(vera.get("/inbox/console/audit?outcome=denied").page, `class="none">auth.denied`)
		}
		picked := tom.get("/inbox?policy=kept").find(`name="task" value="([^"]+)"`)
		other := task[:len(task)-1] + "x" // not a task
		form := url.Values{"page": {"/inbox?policy=kept"}, "action": {"reject"}, "task": {picked, other + " y"}}
		tom.post("/inbox/tasks", form).sees(200, "Result: 0 rejected, 2 not", "This decision requires a comment", `value="`+picked+`" checked`)
		before := denials()
		for range 3 {
			tom.get(tom.path).sees(200, "Result: 0 rejected, 2 not", `value="`+picked+`" checked`)
		}
		if got := denials(); got != before {
			t.Errorf("%d refusals are recorded, then %d", before, got)
		}
		form.Set("comment", "Too many desks")
		tom.post("/inbox/tasks", form).sees(200, "Result: 1 rejected, 1 not", "Too many desks")
		if !strings.HasPrefix(tom.path, "/inbox?kept=") || !strings.Contains(tom.path, "policy=kept") {
			t.Errorf("the result is at %s, without the filter of the list", tom.path)
		}
		// Without a selection, or a decision, nothing is lost either.
		s.asked("mia", `{"policy_key":"kept","title":"A chair"}`)
		tom.post("/inbox/tasks", url.Values{"action": {"approve"}, "comment": {"Fine"}}).sees(422, "Select at least one task", ">Fine</textarea>")
		picked = tom.find(`name="task" value="([^"]+)"`)
		tom.post("/inbox/keep", url.Values{"page": {"/inbox"}, "task": {picked}, "comment": {"Fine"}}).sees(200, ">Fine</textarea>", `value="`+picked+`" checked`)
		tom.post("/inbox/tasks", url.Values{"action": {"approve"}, "task": {picked}, "comment": {"Fine"}}).sees(200, "Result: 1 approved, 0 not")
		if strings.Contains(tom.page, ">Fine<") {
			t.Error("the comment of a decision without a refusal is kept")
		}
	})
}

// Any process shows a form that another one has kept, of any permitted length, to its user only.
func TestAKeptFormIsShownByEveryProcessToItsUser(t *testing.T) {
	sqldbtest.Any(t, func(t *testing.T, database string) {
		config := development(t, database)
		one := begin(t, config)
		one.kept()
		mia := one.signedIn("mia")
		long := strings.Repeat("é", 40000) // 240 KB as a form
		mia.post("/inbox/new/kept", url.Values{"title": {""}, "c/note": {long}}).sees(422, long)
		path, id := mia.path, mia.path[strings.Index(mia.path, "kept=")+5:]
		if strings.HasPrefix(database, "sqlite") { // one process at a time
			if err := one.end(); err != nil {
				t.Fatal(err)
			}
		}
		two := begin(t, config)
		mia.base = two.url
		mia.get(path).sees(422, long)
		for _, who := range []*browser{two.signedIn("tom"), two.signedIn("mia")} { // another user, and another session
			if who.get(path).sees(200); strings.Contains(who.page, "éééé") {
				t.Errorf("%s shows the form of another session", who.path)
			}
		}
		if mia.get("/inbox/new/other?kept=" + id).sees(200); strings.Contains(mia.page, "éééé") {
			t.Error("another page shows the form")
		}
		for range 10 { // newer forms of the session
			mia.post("/inbox/new/kept", url.Values{"title": {""}})
		}
		if mia.get(path).sees(200); strings.Contains(mia.page, "éééé") {
			t.Error("the session keeps more than ten forms")
		}
	})
}

// A refusal without a page of its own shows the submitted texts, and the page of a form those of the
// form itself.
func TestARefusalShowsTheSubmittedTexts(t *testing.T) {
	s := begin(t, development(t, sqldbtest.SQLite(t)))
	request, task, _ := s.kept()
	eve := s.signedIn("eve")
	eve.post(request+"/comments", url.Values{"text": {"Let me in"}}).sees(403, "You do not have access to this page or action", ">Let me in</blockquote>")
	eve.get(eve.path).sees(403, "Let me in")
	eve.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"approve"}, "comment": {"I am the boss"}}).sees(403, "I am the boss")
	ada := s.signedIn("ada", "WF_ADMIN")
	ada.post("/inbox/console/endpoints", url.Values{"name": {"desk"}, "url": {"http://127.0.0.1:9/hook"}, "format": {"fax"}, "events": {"request.*"}}).
		sees(422, `value="desk"`, `value="http://127.0.0.1:9/hook"`, `value="request.*"`)
	ada.post("/inbox/console/endpoints", url.Values{"name": {"desk"}, "url": {"http://127.0.0.1:9/hook"}}).sees(200, "whsec_")
	if ada.get(ada.path).sees(200); strings.Contains(ada.page, "whsec_") {
		t.Error("a reload shows the secret again")
	}
	day := time.Now().AddDate(0, 0, 3).Format(time.DateOnly)
	ada.post("/inbox/delegations", url.Values{"to": {"tom"}, "from": {day}, "until": {day}, "reason": {strings.Repeat("x", 1001)}}).
		sees(422, `value="tom"`, "At most 1000 characters. This text has 1001.", strings.Repeat("x", 1001))
}

// Single-key shortcuts can be changed and switched off (WCAG 2.1.4). An invalid key discards no other
// setting.
func TestShortcutsAreChosenInTheSettings(t *testing.T) {
	s := begin(t, development(t, sqldbtest.SQLite(t)))
	s.kept()
	tom := s.signedIn("tom").sees(200, `data-keys="jkxar/n"`, "<kbd>j</kbd> Next row")
	keys := func(next, search string) url.Values {
		return url.Values{"shortcuts": {"on"}, "key-next": {next}, "key-previous": {"k"}, "key-select": {"x"}, "key-approve": {"a"}, "key-reject": {""}, "key-search": {search}, "decided": {"none"}, "zone": {"Asia/Tokyo"}}
	}
	tom.post("/inbox/settings", keys("N", "ß")).sees(200, "Saved", `data-keys="nkxa ß "`, `name="key-next" value="n"`)
	tom.get("/inbox").sees(200, "<kbd>n</kbd> Next row")
	if strings.Contains(tom.page, "</kbd> Reject") {
		t.Error("the list names a shortcut that is switched off")
	}
	for next, problem := range map[string]string{"jj": "Enter one character", "k": "Another shortcut has this key", "\u200b": "Enter one character"} {
		field := map[bool]string{true: "key-previous", false: "key-next"}[next == "k"]
		tom.post("/inbox/settings", keys(next, "/")).sees(422, problem, `<a href="#`+field+`">`, `data-keys="nkxa ß "`, `<option value="none" selected>`, "<option selected>Asia/Tokyo")
	}
	off := keys("j", "/")
	off.Del("shortcuts")
	tom.post("/inbox/settings", off).sees(200, "Saved", `data-keys="       "`)
	if tom.get("/inbox").sees(200); strings.Contains(tom.page, "<kbd>") {
		t.Error("the list names shortcuts")
	}
	// Choices from before the last shortcut existed.
	for stored, want := range map[string]string{"nkxar/": "nkxar/ ", "mkxar/": "mkxar/n", "      ": "       ", "mk": "jkxar/n"} {
		r := tom.request(http.MethodGet, "/inbox", "")
		tom.http.Jar.SetCookies(r.URL, []*http.Cookie{{Name: "wf_keys", Value: url.QueryEscape(stored), Path: "/inbox"}})
		tom.do(r)
		tom.sees(200, `data-keys="`+want+`"`)
	}
}

// A refused decision marks its field; buttons and links of rows name their row; texts of users have
// their own direction.
func TestErrorsRowsAndTextsAreAccessible(t *testing.T) {
	s := begin(t, development(t, sqldbtest.SQLite(t)))
	s.called("root1", http.MethodPost, "/v1/wf/policies", `{"policy_key":"data","name":"Data","stages":[{"key":"s","name":"Desk","approvers":[{"type":"user","ids":["tom"]}],
		"decision_schema":{"type":"object","required":["centre"],"properties":{"centre":{"type":"string","title":"Centre","not":{"const":"0"}}}}}]}`, 201, "WF_ADMIN")
	s.called("root2", http.MethodPost, "/v1/wf/policies/data/versions/1/activate", "", 200, "WF_ADMIN")
	request := "/inbox/requests/" + s.asked("mia", `{"policy_key":"data","title":"\u05e9\u05d5\u05dc\u05d7\u05df","comment":"Why?"}`)
	tom := s.signedIn("tom").get(request).sees(200, "<h1><bdi>\u05e9\u05d5\u05dc\u05d7\u05df</bdi></h1>", `<blockquote dir="auto">Why?`, `name="data/centre" value="" dir="auto"`)
	task := tom.find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
	for centre, problem := range map[string]string{"": "This field is required", "0": "The policy does not permit this value"} {
		tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"approve"}, "data/centre": {centre}, "comment": {"Kept"}}).
			sees(tom.code, "<title>Error: ", "Centre: "+problem, `<a href="#data%2fcentre">`, `aria-invalid="true" aria-describedby="data/centre-error`, ">Kept</textarea>")
	}
	ada := s.signedIn("ada", "WF_ADMIN")
	ada.post("/inbox/console/endpoints", url.Values{"name": {"desk"}, "url": {"http://127.0.0.1:9/hook"}}).sees(200, `Test<span class="hidden-text"> desk</span>`)
	ada.post(ada.find(`formaction="(/inbox/console/endpoints/[0-9a-f-]{36})"`), url.Values{"do": {"test"}})
	timetest.Eventually(t, "the row of the delivery has a button", func() bool { // not while it is sent
		return strings.Contains(ada.get("/inbox/console/deliveries").page, `<span class="hidden-text"> webhook.test desk, `)
	})
	day := time.Now().AddDate(0, 0, 3).Format(time.DateOnly)
	ada.post("/inbox/delegations", url.Values{"to": {"tom"}, "from": {day}, "until": {day}}).sees(200, `End<span class="hidden-text"> delegation to Tom Lindqvist from `)
	ada.get("/inbox/new/data").sees(200, `Add<span class="hidden-text"> Attachments</span>`)
}
