package server_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// holiday returns the form of a leave.
func holiday(from, until, days string) url.Values {
	return url.Values{
		"title": {"June"}, "c/kind": {`"holiday"`}, "c/from": {from}, "c/until": {until}, "c/days": {days}, "comment": {"See you"}, "priority": {"high"},
	}
}

// sendable returns the form of the check page that is shown.
func (b *browser) sendable() url.Values {
	b.t.Helper()
	form := url.Values{}
	for _, hidden := range regexp.MustCompile(`type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(b.shown(), -1) {
		form.Add(html.UnescapeString(hidden[1]), html.UnescapeString(hidden[2]))
	}
	if form.Get("seen") == "" {
		b.t.Fatalf("%s is no check page\n%s", b.path, b.shown())
	}
	return form
}

func TestAViolatedCheckIsShownAtItsField(t *testing.T) {
	s := start(t)
	mia := s.signedIn("mia")
	mia.post("/inbox/new/time-off", holiday("2027-06-21", "2027-06-01", "3")).sees(400, "<title>Error: Leave",
		`<a href="#c%2funtil">Last day: Last day is before the first day`,
		`id="c/until-error"><span class="hidden-text">Error: </span>Last day is before the first day`, `value="2027-06-21"`, ">See you</textarea>")
	if strings.Contains(mia.path, "/check") || strings.Contains(mia.page, `name="seen"`) {
		t.Errorf("a refused form is shown for sending at %s", mia.path)
	}
	mia.confirm("/inbox/new/time-off", holiday("2027-06-01", "2027-06-21", "3"), "Check the request").sees(200, "Request submitted")
}

// The check page shows every entry, read only, and sends exactly them.
func TestTheCheckedRequestIsSent(t *testing.T) {
	s := start(t)
	mia := s.signedIn("mia")
	mia.post("/inbox/new/time-off", holiday("2027-06-01", "2027-06-21", "15")).sees(200, "Check the request", "June", "1 June 2027", "See you", "High",
		`#c%2funtil">Change<span class="hidden-text"> Last day</span>`, `#title">Change`, "Without a decision it expires", "Tom Lindqvist")
	send := mia.sendable()
	if page := mia.shown(); strings.Contains(page, "<textarea") || strings.Contains(page, "<select") || strings.Contains(page, `type="text"`) {
		t.Errorf("the check page has fields:\n%s", page)
	}
	send.Set("edit", "c/until")
	mia.post("/inbox/new/time-off", send).sees(200, `value="2027-06-21"`, ">See you</textarea>")
	send.Del("edit")
	mia.post("/inbox/new/time-off", send).sees(200, "Request submitted", "June", "15")
	request := mia.path
	if mia.post("/inbox/new/time-off", send); mia.path != request { // a second click, and Back
		t.Errorf("a second click leads to %s, not %s", mia.path, request)
	}
	if n := strings.Count(mia.get("/inbox/mine").page, ">June</a>"); n != 1 {
		t.Errorf("%d requests", n)
	}
	mia.post("/inbox/new/time-off", url.Values{"seen": send["seen"]}).sees(422, "First day", "Continue")
}

// A version that differs from the shown one is shown again before the request is sent.
func TestAChangedRequestIsCheckedAgain(t *testing.T) {
	s := start(t)
	mia := s.signedIn("mia")
	mia.post("/inbox/new/time-off", holiday("2027-06-01", "2027-06-21", "15")).sees(200)
	first := mia.sendable()
	s.called("root1", http.MethodPut, "/v1/wf/policies/time-off",
		`{"name":"Leave","stages":[{"key":"s","name":"Desk","approvers":[{"type":"user","ids":["ada"]}]}]}`, 201, "WF_ADMIN")
	s.called("root2", http.MethodPost, "/v1/wf/policies/time-off/versions/2/activate", "", 200, "WF_ADMIN")
	mia.post("/inbox/new/time-off", first).sees(409, "Check again before you send", "Ada")
	mia.post("/inbox/new/time-off", mia.sendable()).sees(200, "Request submitted", "Ada")
}

func TestAResubmissionIsCheckedBeforeItIsSent(t *testing.T) {
	s := start(t)
	mia, tom := s.signedIn("mia"), s.signedIn("tom")
	request := "/inbox/requests/" + s.asked("mia", strings.Replace(leave, "%q", `"June"`, 1))
	sendBack := func() {
		t.Helper()
		task := tom.get(request).find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
		tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"request_changes"}, "comment": {"Shorter"}}).sees(200)
	}
	sendBack()
	mia.post(request+"/change", holiday("2027-06-21", "2027-06-01", "3")).sees(400,
		`<a href="#c%2funtil">Last day: Last day is before`, ">See you</textarea>")
	mia.post(request+"/change", holiday("2027-06-01", "2027-06-02", "2")).sees(200, "Check the request", "2 June 2027", "See you", "Tom Lindqvist",
		`Change<span class="hidden-text"> Working days`)
	first := mia.sendable()
	mia.post(request+"/change", url.Values{"seen": {"9"}, "c/kind": first["c/kind"], "c/from": first["c/from"],
		"c/until": first["c/until"], "c/days": first["c/days"]}).
		sees(409, "Check again before you send")
	mia.post(request+"/change", mia.sendable()).sees(200, "Request resubmitted", "Revision 2", "2 June 2027")
	mia.post(request+"/change", first).sees(409)

	// The check page of an earlier revision sends nothing.
	sendBack()
	mia.post(request+"/change", holiday("2027-06-01", "2027-06-03", "3")).sees(200)
	stale := mia.sendable()
	s.called("mia", http.MethodPost, "/v1/wf/requests/"+request[len("/inbox/requests/"):]+"/resubmit", `{}`, 200)
	sendBack()
	mia.post(request+"/change", stale).sees(409, "Check again before you send", "3 June 2027")
	mia.get(request).sees(200, "Revision 3")
}

func TestAResubmissionKeepsContentOutsideTheForm(t *testing.T) {
	s := start(t)
	s.addPolicy("desk", deskPolicy)
	request := "/inbox/requests/" + s.asked("mia", `{"policy_key":"desk","context":{"note":"Old","size":"kept"}}`)
	tom, mia := s.signedIn("tom"), s.signedIn("mia")
	decision := tom.get(request).find(`(/inbox/tasks/[0-9a-f-]{36}/decision)`)
	tom.post(decision, url.Values{"action": {"request_changes"}, "comment": {"Newer"}}).sees(200)
	mia.confirm(request+"/change", url.Values{"c/note": {"New"}}, "Check the request", "kept").
		sees(200, "Request resubmitted", ">New<", ">kept<")
}

// The texts of a policy are shown in the reader's language. A text without a translation is marked with its language.
func TestTheTextsOfAPolicyAreShownInTheLanguageOfTheReader(t *testing.T) {
	s := start(t)
	mia := s.signedIn("mia")
	mia.post("/inbox/settings", url.Values{"language": {"fr"}, "zone": {"Europe/Paris"}}).sees(200)
	mia.get("/inbox/new").sees(200, `<bdi>Congé</bdi>`, `<bdi lang="en">Purchase</bdi>`)
	mia.get("/inbox/new/purchase").sees(200, `<label for="c/total"><bdi lang="en">Total</bdi></label>`,
		`<bdi lang="en">Anything that costs money.</bdi>`)
	mia.get("/inbox/new/time-off").sees(200, `<label for="c/until">Dernier jour</label>`, ">Vacances</option>", "<title>Congé")
	mia.post("/inbox/new/time-off", holiday("2027-06-21", "2027-06-01", "3")).sees(400, "<title>Erreur",
		"Dernier jour: Le dernier jour précède le premier</a>")
	mia.confirm("/inbox/new/time-off", holiday("2027-06-01", "2027-06-21", "15"), "Vérifiez la demande", `<p class="lead"><bdi>Congé</bdi>`,
		"Dernier jour</dt>", "<bdi>Chef d’équipe</bdi>", `<bdi lang="en">Human resources</bdi>`,
		"Seulement si <code dir=\"auto\">“Jours ouvrés” > 10</code>").
		sees(200, "<bdi>Congé</bdi></p>", "Premier jour</dt>", "<bdi>Chef d’équipe</bdi>", ">Vacances</span>")
	request := mia.path[strings.LastIndex(mia.path, "/")+1 : strings.Index(mia.path, "?")]
	read := s.called("mia", http.MethodGet, "/v1/wf/requests/"+request, "", 200).page
	if !strings.Contains(read, `"name":"Team lead"`) || strings.Contains(read, "équipe") {
		t.Errorf("the API does not return the base texts: %s", read)
	}
	tom := s.signedIn("tom").get("/inbox").sees(200, `title="Leave, Team lead">Leave<`)
	tom.post("/inbox/settings", url.Values{"language": {"fr"}, "zone": {"Europe/Paris"}}).sees(200)
	tom.get("/inbox").sees(200, `title="Congé, Chef d’équipe">Congé<`)
}
