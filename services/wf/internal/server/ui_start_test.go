package server_test

import (
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestTheStartPageShowsEachReaderTheirTasksAndPolicies(t *testing.T) {
	s := start(t)
	s.signedIn("tom") // adds the examples
	s.addPolicy("owned", `{"policy_key":"owned","name":"Owned","settings":{"owners":{"users":["olga"]}},`+
		`"stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["tom"]}]}]}`)
	s.asked("mia", `{"policy_key":"owned","title":"First"}`)
	s.asked("mia", strings.Replace(leave, "%q", `"Three weeks in June"`, 1))
	s.worker().pass()
	for who, tt := range map[string]struct {
		roles    []string
		tasks    string // of the reader; none if empty
		policies []string
	}{
		"tom":  {nil, "2", nil},
		"olga": {nil, "", []string{"Owned"}},
		"vera": {[]string{"WF_VIEWER"}, "", []string{"Leave", "Owned", "Purchase"}},
		"ada":  {[]string{"WF_ADMIN"}, "", []string{"Leave", "Owned", "Purchase"}},
		"eve":  {nil, "", nil},
	} {
		b := s.signedIn(who, tt.roles...)
		b.get("/inbox").find(`href="(/inbox/start)"`)
		b.get("/inbox/start").sees(http.StatusOK, "Waiting for me")
		if nothing := strings.Contains(b.page, "You have no open tasks"); nothing != (tt.tasks == "") {
			t.Errorf("%s has no tasks: %t\n%s", who, nothing, b.shown())
		}
		if tt.tasks != "" {
			number := b.find(`data-title="All"><div><a[^>]* href="/inbox">([^<]*)</a>`)
			if number != tt.tasks {
				t.Errorf("%s has %s tasks, want %s", who, number, tt.tasks)
			}
		}
		if got := strings.Contains(b.page, "Policies, last 30 days"); got != (tt.policies != nil) {
			t.Errorf("%s sees policies: %t", who, got)
		}
		var seen []string
		for _, name := range []string{"Leave", "Owned", "Purchase"} {
			if strings.Contains(b.page, ">"+name+"</a>") {
				seen = append(seen, name)
			}
		}
		if !slices.Equal(seen, tt.policies) {
			t.Errorf("%s sees %q, want %q", who, seen, tt.policies)
		}
		if tt.policies != nil {
			b.find(`(As of <time)`)
		}
	}
	if nobody := s.browser().get("/inbox/start"); !strings.HasPrefix(nobody.path, "/inbox/signin") {
		t.Errorf("without a session: %d at %s", nobody.code, nobody.path)
	}
}

func TestTheStartPageOfManyPoliciesHasPages(t *testing.T) {
	s := start(t)
	for i := range 30 {
		s.called("root", http.MethodPost, "/v1/wf/policies", fmt.Sprintf(`{"policy_key":"many-%d","name":"Many",`+
			`"stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["tom"]}]}]}`, i), http.StatusCreated, "WF_ADMIN")
	}
	ada := s.signedIn("ada", "WF_ADMIN").get("/inbox/start")
	for _, want := range []int{20, 10} {
		if n := strings.Count(ada.page, ">Many</a>"); n != want {
			t.Errorf("%d policies, want %d", n, want)
		}
		if want == 20 {
			ada.get(html.UnescapeString(ada.find(`href="(/inbox/start\?[^"]*cursor[^"]*)"`)))
		}
	}
}
