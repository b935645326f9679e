package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// payments is a policy whose lists show an amount, its recipient and a date.
const payments = `{"policy_key":"pay","name":"Payment","settings":{"summary":["/amount","/to/name","/day"]},"stages":[{"key":"lead","name":"Team lead",
	"approvers":[{"type":"user","ids":["tom"]}]}],"context_schema":{"type":"object","properties":{"amount":{"type":"number","title":"Sum","x-currency":"EUR"},
	"to":{"type":"object","properties":{"name":{"type":"string","title":"Recipient"}}},"day":{"type":"string","format":"date"}}}}`

// addPolicy makes an active policy.
func (s *service) addPolicy(key, body string) {
	s.t.Helper()
	s.called("root1", http.MethodPost, "/v1/wf/policies", body, http.StatusCreated, "WF_ADMIN")
	s.called("root2", http.MethodPost, "/v1/wf/policies/"+key+"/versions/1/activate", "", http.StatusOK, "WF_ADMIN")
}

// payment creates a request of payments.
func (s *service) payment(title string, amount any, to string) string {
	s.t.Helper()
	return s.asked("mia", fmt.Sprintf(`{"policy_key":"pay","title":%q,"context":{"amount":%v,"to":{"name":%q},"day":"2027-06-01"}}`, title, amount, to))
}

func TestATaskRowShowsTheFactsOfItsRequest(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, database string) {
		s := begin(t, development(t, database))
		s.addPolicy("pay", payments)
		tom, mia := s.signedIn("tom"), s.signedIn("mia")
		id := s.payment("A crane", 12500, "Nordlicht <GmbH>")
		untitled := s.payment("", "7.5", "Acme")
		const fact = `<dt>%s</dt><dd><span class="%s"%s>%s</span></dd>`
		tom.get("/inbox").sees(200, "Requested by Mia Keller", "Payment", "Team lead", "Expires", fmt.Sprintf(fact, "Sum", "money", "", "12,500 EUR"),
			fmt.Sprintf(fact, "Recipient", "text", ` dir="auto"`, "Nordlicht <GmbH>"), fmt.Sprintf(fact, "Day", "date", "", "1 June 2027"))
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
	})
}
