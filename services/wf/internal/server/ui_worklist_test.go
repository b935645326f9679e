package server_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// payments is a policy whose lists show an amount, its recipient and a date.
const payments = `{"policy_key":"pay","name":"Payment","settings":{"summary":["/amount","/to/name","/day"]},"stages":[{"key":"lead","name":"Team lead",
	"approvers":[{"type":"user","ids":["tom"]}]}],"context_schema":{"type":"object","properties":{"amount":{"type":"number","title":"Sum","x-currency":"EUR"},
	"to":{"type":"object","properties":{"name":{"type":"string","title":"Recipient"}}},"day":{"type":"string","format":"date"}}}}`

// payment creates a request of payments.
func (s *service) payment(title string, amount any, to string) string {
	s.t.Helper()
	return s.asked("mia", fmt.Sprintf(`{"policy_key":"pay","title":%q,"context":{"amount":%v,"to":{"name":%q},"day":"2027-06-01"}}`, title, amount, to))
}

func TestATaskRowShowsTheFactsOfItsRequest(t *testing.T) {
	s := start(t)
	s.addPolicy("pay", payments)
	tom, mia := s.signedIn("tom"), s.signedIn("mia")
	id := s.payment("A crane", 12500, "Nordlicht <GmbH>")
	untitled := s.payment("", "7.5", "Acme")
	tom.get("/inbox").sees(200, ">Mia Keller<", "Payment, Team lead", "Expires",
		`title="Sum 12,500 EUR, Recipient Nordlicht <GmbH>, Day 1 June 2027">12,500 EUR<`)
	if !strings.Contains(tom.page, "Nordlicht &lt;GmbH&gt;") {
		t.Error("the recipient is not escaped")
	}
	title := "Sum 7.50 EUR, Recipient Acme, Day 1 June 2027"
	tom.sees(200, ">"+title+"</a>", "Select "+title)
	tom.get("/inbox/requests/"+untitled).sees(200, "<h1><bdi>"+title+"</bdi></h1>")
	mia.get("/inbox/mine").sees(200, ">"+title+"</a>")

	task := tom.get("/inbox/requests/" + id).find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
	tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"request_changes"}, "comment": {"Less"}}).sees(200)
	mia.confirm("/inbox/requests/"+id+"/change", url.Values{"c/amount": {"9000"}, "c/to/name": {"Nordlicht"}}).sees(200, "Request resubmitted")
	if tom.get("/inbox").sees(200, "9,000 EUR"); strings.Contains(tom.page, "12,500") {
		t.Error("the row shows the former amount")
	}
}

// titles returns the titles of the rows of a list, in order.
func (b *browser) titles() string {
	var all []string
	for _, match := range regexp.MustCompile(`<a class="row-title"[^>]*>([^<]*)</a>`).FindAllStringSubmatch(b.page, -1) {
		all = append(all, match[1])
	}
	return strings.Join(all, " ")
}

func TestTheListIsSortedFilteredAndSearched(t *testing.T) {
	s := start(t)
	s.addPolicy("pay", payments)
	s.addPolicy("dated", `{"policy_key":"dated","name":"Dated","settings":{"expires_in":null},"stages":[{"key":"s","name":"S","assignment":"pool",
		"approvers":[{"type":"user","ids":["tom","ines"]}],"quorum":{"mode":"any"},"deadline":{"due_cel":"timestamp(context.due)"}}]}`)
	s.payment("B", 20, "Émile")
	s.payment("A", 100, "ana")
	s.asked("mia", `{"policy_key":"pay","title":"C","priority":"high","context":{"to":{"name":"Zoé"}},"artifact_id":"INV-77"}`)
	s.asked("ines", `{"policy_key":"dated","title":"D","context":{"due":"2099-01-02T10:00:00Z"}}`)
	s.asked("ines", `{"policy_key":"dated","title":"E","context":{"due":"2020-01-02T10:00:00Z"}}`)
	tom := s.signedIn("tom")
	for query, want := range map[string]string{
		"": "C B A D E", "?sort=due": "E D B A C", "?sort=age": "B A C D E", "?sort=other": "C B A D E",
		"?policy=pay": "C B A", "?policy=pay&sort=age": "B A C", "?policy=pay&sort=/amount": "C B A",
		"?role=holder": "C B A", "?role=candidate": "D E", "?role=delegate": "", "?role=x": "C B A D E",
		"?due=overdue": "E", "?due=week": "E", "?q=inv-7": "C", "?q=d": "D", "?policy=none": "",
	} {
		if got := tom.get("/inbox" + query).sees(200).titles(); got != want {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
	tom.get("/inbox?policy=pay&sort=age").sees(200, "Payment (3)", "Dated (2)", "Assigned to you", "Open to your team", "(3) My work")
}

// After a decision the page links the next task in the order of the list from which the approver came.
func TestADecisionLeadsToTheNextTaskOfTheList(t *testing.T) {
	s := start(t)
	s.addPolicy("pay", payments)
	for _, title := range []string{"Four", "Three", "Two", "One"} {
		s.payment(title, 1, "Acme")
	}
	tom := s.signedIn("tom").get("/inbox?policy=pay&sort=age")
	if got := tom.titles(); got != "Four Three Two One" {
		t.Fatalf("the list has %s", got)
	}
	decide := func(action string, form url.Values) *browser {
		t.Helper()
		form.Set("page", tom.find(`name="page" value="([^"]+)"`))
		form.Set("action", action)
		return tom.post(tom.find(`formaction="(/inbox/tasks/[^"]+/decision)"`), form)
	}
	next := func() string { t.Helper(); return tom.find(`<a data-next rel="next" dir="auto" href="([^"]+)"`) }
	tom.get(tom.find(`href="([^"]+)">Three<`)).sees(200, "Next:", ">Two</a> (3 left)", `href="/inbox?policy=pay&sort=age">My work`)
	decide("reject", url.Values{}).sees(200, "Rejected. Next:", ">Two</a> (3 left)")
	tom.get(next()).sees(200, "<bdi>Two</bdi>", ">One</a> (2 left)")
	decide("approve", url.Values{"comment": {strings.Repeat("x", 4097)}}).sees(422, ">One</a> (2 left)") // the list outlives an error
	decide("approve", url.Values{}).sees(200, "Approved. Next:", ">One</a> (2 left)")
	tom.get(next())
	decide("request_changes", url.Values{"comment": {"Less"}}).sees(200, "Changes requested. Next:",
		">Four</a> (1 left)") // after the last one the first
	tom.get(next()).sees(200, "<bdi>Four</bdi>")
	decide("approve", url.Values{}).sees(200, "Approved. No task of the list is left.")
	if strings.Contains(tom.page, "data-next") {
		t.Error("a link to a next task remains")
	}
	if tom.get("/inbox/requests/" + s.payment("Five", 5, "Acme")).sees(200); strings.Contains(tom.page, "Next:") {
		t.Error("a list is shown that the approver did not come from")
	}
	mia := s.signedIn("mia").sees(200, "Sent back to you", ">Less</q>")
	if got := mia.titles(); got != "One" {
		t.Errorf("%q are sent back", got)
	}
	mia.get(mia.find(`href="([^"]+)">One<`)).sees(200, "Edit the content and resubmit")
	if mia.get("/inbox?q=x").sees(200); strings.Contains(mia.page, "Sent back to you") {
		t.Error("a search shows requests that were sent back")
	}
	mia.get("/inbox/mine?status=back").sees(200, ">One</a>")
}

func TestAPageOfTasksIsSelectedAndDecided(t *testing.T) {
	s := start(t)
	s.addPolicy("pay", payments)
	for i := range 53 {
		s.payment(fmt.Sprint("P", i), i, "Acme")
	}
	tom := s.signedIn("tom").get("/inbox?q=P").sees(200, "(50+) My work", `rel="next"`)
	tom.get(tom.find(`rel="next" href="([^"]+)"`)).sees(200, `rel="prev"`)
	if n := strings.Count(tom.titles(), "P"); n != 3 {
		t.Errorf("%d tasks on the second page", n)
	}
	tom.post("/inbox/tasks", url.Values{"page": {"/inbox?q=P"}, "select": {"page"}})
	if n := strings.Count(tom.page, " checked"); n != 50 {
		t.Errorf("%d tasks of the page are selected", n)
	}
	form := url.Values{"page": {"/inbox?q=P"}, "action": {"approve"}}
	for _, match := range regexp.MustCompile(`name="task" value="([^"]+)"`).FindAllStringSubmatch(tom.page, -1) {
		form.Add("task", match[1])
	}
	tom.post("/inbox/tasks", form).sees(200, "Result: 50 approved, 0 not", `href="#outcomes">Results`, "(3) My work")
	tom.post("/inbox/tasks", url.Values{"action": {"approve"}}).sees(422)
}
