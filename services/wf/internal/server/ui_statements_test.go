package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// statements returns the number of statements that one call sends to the database. Background jobs
// add to some of the calls, so that it is the minimum of several.
func (s *service) statements(call func()) float64 {
	s.t.Helper()
	count := func() (sum float64) {
		for series, value := range s.metrics() {
			if strings.HasPrefix(series, "wf_db_statements_total") {
				sum += value
			}
		}
		return sum
	}
	fewest := -1.0
	for range 12 {
		before := count()
		call()
		if n := count() - before; fewest < 0 || n < fewest {
			fewest = n
		}
	}
	return fewest
}

func TestARequestPageLoadsItsRequestOnce(t *testing.T) {
	config := development(t, sqldbtest.SQLite(t))
	config.Workers = false
	s := begin(t, config)
	tom, mia := s.signedIn("tom"), s.signedIn("mia")
	id := s.asked("mia", strings.Replace(leave, "%q", `"June"`, 1))
	task := tom.get("/inbox/requests/" + id).find(`/inbox/tasks/([0-9a-f-]{36})/decision`)
	tom.post("/inbox/tasks/"+task+"/decision", url.Values{"action": {"request_changes"}, "comment": {"Later"}}).sees(200)
	mia.confirm("/inbox/requests/"+id+"/change", url.Values{
		"c/kind": {`"holiday"`}, "c/from": {"2027-07-01"}, "c/until": {"2027-07-21"}, "c/days": {"15"},
	}).sees(200, "Request resubmitted")
	api := s.statements(func() { s.called("tom", http.MethodGet, "/v1/wf/requests/"+id, "", http.StatusOK) })
	page := s.statements(func() { tom.get("/inbox/requests/"+id).sees(200, "1 July 2027") })
	if more := page - api; more != 6 { // of the session, the events, the comments, the earlier revision and the link of owners
		t.Errorf("%v statements of the page, %v of the API", page, api)
	}
}

func TestTheListOfOwnRequestsLoadsThemTogether(t *testing.T) {
	config := development(t, sqldbtest.SQLite(t))
	config.Workers = false
	s := begin(t, config)
	mia := s.signedIn("mia")
	list := func() { mia.get("/inbox/mine").sees(200, "Assigned to", "Tom Lindqvist") }
	s.asked("mia", strings.Replace(leave, "%q", `"June"`, 1))
	one := s.statements(list)
	for _, month := range []string{"July", "August", "September"} {
		s.asked("mia", strings.Replace(leave, "%q", `"`+month+`"`, 1))
	}
	if four := s.statements(list); four != one {
		t.Errorf("%v statements for 4 requests, %v for 1", four, one)
	}
}

// A page of tasks has the same statements for any number of tasks: the session, the rows, their tasks, the requests
// that were sent back, the saved filters, and the owner of the navigation; the parts of the rows are counted, too.
func TestThePageOfTasksHasFewStatements(t *testing.T) {
	config := development(t, sqldbtest.SQLite(t))
	config.Workers = false
	s := begin(t, config)
	s.addPolicy("pay", payments)
	tom := s.signedIn("tom")
	for range 2 {
		s.payment("A", 1, "Acme")
		s.payment("B", 2, "Acme")
		for path, most := range map[string]float64{"/inbox": 10, "/inbox?q=acme&policy=pay&sort=/amount": 9} {
			if n := s.statements(func() { tom.get(path).sees(200, ">A<") }); n > most {
				t.Errorf("%v statements of %s", n, path)
			}
		}
	}
}
