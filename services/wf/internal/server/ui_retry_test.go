package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// The page of a failed operation holds the submitted form, which can be sent again. It repeats no form of another site.
func TestAFormWhoseOperationFailsCanBeSentAgain(t *testing.T) {
	database := wftest.Schema.Fresh(t)
	s := begin(t, development(t, database))
	request, task, tom := s.desk()
	db := wftest.Connect(t, database, nil)
	rename := func(from, to string) {
		t.Helper()
		rename := func(tx *sqldb.Tx) error { return tx.Exec("ALTER TABLE " + from + " RENAME TO " + to).Error }
		must(t, db.Do(t.Context(), rename))
	}
	post := func(site string) {
		t.Helper()
		form := url.Values{"action": {"approve"}, "comment": {"My <reasons>"}, "text": {"A question"}, "page": {request}}
		r := tom.request(http.MethodPost, "/inbox/tasks/"+task+"/decision", form.Encode())
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", site)
		tom.do(r)
	}
	rename("event", "event_away")
	post("same-origin")
	if tom.code < 500 {
		t.Fatalf("the decision is answered with %d", tom.code)
	}
	tom.sees(tom.code, "Your entries are kept on this page", "Try again", `<form method="post" action="/inbox/tasks/`+task+`/decision">`,
		`name="comment" value="My <reasons>"`, `name="text" value="A question"`)
	if strings.Contains(tom.page, "My <reasons>") {
		t.Error("the text is not escaped")
	}
	if post("cross-site"); tom.code != http.StatusForbidden || strings.Contains(tom.page, "reasons") {
		t.Errorf("a form of another site: %d\n%s", tom.code, tom.shown())
	}
	rename("event_away", "event")
	post("same-origin")
	tom.sees(200, "You approved", "My <reasons>")
}
