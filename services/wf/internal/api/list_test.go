package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// walk reads a list to its end, page by page; between runs after each page.
func walk(t *testing.T, c *Client, path string, between func()) []string {
	t.Helper()
	var seen []string
	for cursor := ""; ; {
		page := c.Get(path + cursor).Want(200)
		seen = append(seen, page.Items("id")...)
		if page.Response("next_cursor") == "" {
			return seen
		}
		cursor = "&cursor=" + url.QueryEscape(page.Response("next_cursor"))
		between()
	}
}

func TestAListIsWalkedWhileRowsAreAdded(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	var old, tasks []string
	for i := range 23 {
		request := w.request("p", fmt.Sprintf(`"priority":%q`, []string{"low", "normal", "urgent"}[i%3]))
		old = append(old, request.Response("id"))
		tasks = append(tasks, task(t, request, "ana"), task(t, request, "bo"))
		if i%4 == 0 {
			w.Clock.Advance(time.Millisecond)
		}
	}
	grow := func() {
		w.Clock.Advance(time.Second)
		w.request("p", "")
	}
	for path, want := range map[string][]string{
		"/v1/wf/requests?limit=5":               old,
		"/v1/wf/requests?limit=5&sort=priority": old,
		"/v1/wf/requests?limit=5&sort=due_at":   old,
		"/v1/wf/tasks?limit=7":                  tasks,
		"/v1/wf/tasks?limit=7&sort=created_at":  tasks,
		"/v1/wf/tasks?limit=7&sort=priority":    tasks,
	} {
		t.Run(path, func(t *testing.T) {
			seen := walk(t, w.Client(t, "vic", "WF_VIEWER"), path, grow)
			sorted := slices.Sorted(slices.Values(seen))
			if len(slices.Compact(sorted)) != len(seen) {
				t.Errorf("a row was seen twice")
			}
			for _, id := range want {
				if !slices.Contains(seen, id) {
					t.Errorf("%s was missed", id)
				}
			}
		})
	}
}

func TestEveryListTakesTheParametersOfItsDocumentOnly(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	request := w.request("p", "")
	lists := 0
	for _, op := range w.Operations() {
		if op.Method != "GET" || !strings.HasPrefix(op.ID, "list") {
			continue
		}
		lists++
		path := strings.NewReplacer("{key}", "p", "{id}", request.Response("id")).Replace(op.Path)
		for _, query := range []string{
			"sort=id;DROP%20TABLE", "sort=id%3BDROP%20TABLE", "sort=password", "sort=", "limit=", "limit", "cursor=", "no_such=",
			"limit=1&limit=2", "limit=0", "limit=201", "limit=-1", "limit=x", "limit=1e1",
			"filter[$ne]=", "no_such=1", "Limit=1", "cursor=x", "cursor=" + strings.Repeat("x", 1025), "cursor=eyJzIjoieCJ9", "%zz=1", "limit=%zz",
			"policy_key=" + strings.Repeat("a&policy_key=", 50) + "a", "status=no-such", "status=open%27%20OR%201=1--", "created_after=yesterday",
		} {
			if reply := w.root.Get(path + "?" + query); reply.Status != 422 {
				t.Errorf("%s, want 422", reply)
			}
		}
		w.root.Get(path + "?limit=200").Want(200)
		same(t, "a page of one", len(w.root.Get(path+"?limit=1").Want(200).Value("response", "items").([]any)) <= 1, true)
	}
	same(t, "lists", lists, 12)
}

func TestRequestsAreFound(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	w.policy("q", "", poolOfTwo)
	one := w.request("p",
		`"priority":"high","title":"Alpha 100%","artifact_type":"batch","artifact_id":"A_1","labels":{"team":"finance","eu":"yes"}`).Response("id")
	w.Clock.Advance(time.Minute)
	two := w.request("q", `"priority":"urgent","title":"beta","artifact_type":"other","artifact_id":"A21","labels":{"team":"field"}`).Response("id")
	w.Clock.Advance(time.Minute)
	three := w.eve.Post("/v1/wf/requests", `{"policy_key":"p","labels":{"team":"finance","a.b[c]":"d"}}`).Want(201).Response("id")
	w.eve.Post("/v1/wf/requests/"+three+"/cancel", nil).Want(200)
	w.Clock.Advance(time.Minute)
	w.bo.Post("/v1/wf/tasks/"+task(t, w.vic.Get("/v1/wf/requests/"+one), "bo")+"/claim", nil).Want(200)

	names := map[string]string{one: "one", two: "two", three: "three"}
	for _, row := range []struct {
		by    string
		query string
		want  string
	}{
		{"vic", "", "three two one"},
		{"vic", "sort=priority", "two one three"},
		{"vic", "sort=due_at", "one two three"},
		{"vic", "status=in_review", "two one"},
		{"vic", "status=cancelled,expired", "three"},
		{"vic", "policy_key=p&status=in_review", "one"},
		{"vic", "artifact_type=batch&artifact_type=other", "two one"},
		{"vic", "artifact_id=A_1", "one"},
		{"vic", "requester=rita", "two one"},
		{"vic", "requester=me", ""},
		{"vic", "participant=ana", "three two one"},
		{"vic", "participant=me", ""},
		{"vic", "created_after=2026-03-01T12:00:30Z", "three two"},
		{"vic", "created_before=2026-03-01T12:00:30Z", "one"},
		{"vic", "created_after=2026-03-01T12:00:30Z&created_before=2026-03-01T12:01:30Z", "two"},
		{"vic", "q=ALPHA", "one"},
		{"vic", "q=a_1", "one"}, // no wildcard: A21 does not match
		{"vic", "label.team=finance", "three one"},
		{"vic", "label.team=finance&label.eu=yes", "one"},
		{"vic", "label.a.b[c]=d", "three"},
		{"rita", "", "two one"},
		{"eve", "", "three"},
	} {
		t.Run(row.by+" "+row.query, func(t *testing.T) {
			var c *Client
			if row.by == "vic" {
				c = w.Client(t, "vic", "WF_VIEWER")
			} else {
				c = w.Client(t, row.by)
			}
			var found []string
			for _, id := range c.Get("/v1/wf/requests?" + row.query).Want(200).Items("id") {
				found = append(found, names[id])
			}
			same(t, "found", strings.Join(found, " "), row.want)
		})
	}
}

func TestALabelFilterHasItsLimits(t *testing.T) {
	w := boot(t, Options{})
	var many []string
	for i := range 21 {
		many = append(many, fmt.Sprintf("label.l%d=x", i))
	}
	w.vic.Get("/v1/wf/requests?"+strings.Join(many, "&")).Refused(422, "")
	w.vic.Get("/v1/wf/requests?" + strings.Join(many[:20], "&")).Want(200)
	w.vic.Get("/v1/wf/policies?"+strings.Join(many, "&")).Refused(422, "")
	w.vic.Get("/v1/wf/requests?label.a=1&label.a=2").Refused(422, "")
}

func TestTasksAreFound(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	w.policy("q", "", poolOfTwo)
	names := map[string]string{}
	first := w.request("p", `"title":"Alpha","artifact_type":"batch","priority":"low"`)
	names[task(t, first, "ana")], names[task(t, first, "bo")] = "ana", "bo"
	w.Clock.Advance(time.Minute)
	second := w.request("q", `"priority":"urgent"`)
	names[task(t, second, "")] = "pool"
	w.bo.Post("/v1/wf/tasks/"+task(t, first, "bo")+"/claim", nil).Want(200)
	for _, row := range []struct{ by, query, want string }{
		{"ana", "inbox=me", "pool ana"},
		{"ana", "assignee=me", "ana"},
		{"ana", "candidate=me", "pool"},
		{"bo", "inbox=me&status=claimed", "bo"},
		{"bo", "inbox=me&status=claimed,open&policy_key=q", "pool"},
		{"vic", "sort=created_at&policy_key=q&policy_key=p&kind=approver&stage_key=s&assignee=ana", "ana"},
		{"vic", "sort=priority&inbox=ana", "pool ana"},
		{"vic", "q=alpha&assignee=bo", "bo"},
		{"vic", "artifact_type=batch&status=open", "ana"},
		{"vic", "request_id=" + second.Response("id"), "pool"},
	} {
		t.Run(row.by+" "+row.query, func(t *testing.T) {
			c := w.Client(t, row.by)
			if row.by == "vic" {
				c = w.Client(t, "vic", "WF_VIEWER")
			}
			var found []string
			for _, id := range c.Get("/v1/wf/tasks?" + row.query).Want(200).Items("id") {
				found = append(found, names[id])
			}
			same(t, "found", strings.Join(found, " "), row.want)
		})
	}
	w.ana.Get("/v1/wf/tasks").Refused(403, "WF-008")
	w.ana.Get("/v1/wf/tasks?inbox=bo").Refused(403, "WF-008")
	w.vic.Get("/v1/wf/tasks?request_id=x").Refused(422, "")

	stats := w.vic.Get("/v1/wf/tasks/stats").Want(200)
	same(t, "total", stats.Response("total"), "3")
	same(t, "own", w.ana.Get("/v1/wf/tasks/stats?inbox=me").Want(200).Response("total"), "2")
	same(t, "own, for the inbox of another user", w.eve.Get("/v1/wf/tasks/stats?inbox=ana").Want(200).Response("total"), "0")
}

func TestPoliciesDelegationsAndDeliveriesAreFound(t *testing.T) {
	w := boot(t, Options{Events: cancellations})
	w.policy("alpha", "", bothApprove)
	w.root.Post("/v1/wf/policies", strings.Replace(definition("beta", "", bothApprove), `"name"`, `"labels":{"team":"x"},"name"`, 1)).Want(201)
	w.root.Put("/v1/wf/policies/alpha", definition("alpha", "", bothApprove)).Want(201)
	for query, want := range map[string]string{
		"": "alpha beta", "status=active": "alpha", "status=draft": "alpha beta", "status=retired": "", "q=ALPH": "alpha", "label.team=x": "beta",
	} {
		found := w.vic.Get("/v1/wf/policies?" + query).Want(200).Items("policy_key")
		slices.Sort(found)
		same(t, "policies with "+query, strings.Join(found, " "), want)
	}
	same(t, "versions", strings.Join(w.vic.Get("/v1/wf/policies/alpha/versions").Want(200).Items("version"), " "), "2 1")
	w.vic.Get("/v1/wf/policies/none/versions").Refused(404, "WF-001")

	w.ana.Post("/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-05T00:00:00Z"}`).Want(201)
	w.bo.Post("/v1/wf/delegations", `{"delegate_to":"ana","starts_at":"2026-03-02T00:00:00Z","ends_at":"2026-03-05T00:00:00Z"}`).Want(201)
	for query, want := range map[string]string{
		"": "ana bo", "user_id=me": "ana", "delegate_to=me": "bo", "status=active": "ana", "status=scheduled,ended": "bo", "user_id=eve": "",
	} {
		found := w.ana.Get("/v1/wf/delegations?"+query).Want(200).Items("user", "id")
		slices.Sort(found)
		same(t, "delegations with "+query, strings.Join(found, " "), want)
	}
	same(t, "another's delegations", len(w.eve.Get("/v1/wf/delegations?user_id=ana").Want(200).Items("id")), 0)

	w.policy("p", "", bothApprove)
	cancelled(t, w)
	cancelled(t, w)
	w.Deliver(t)
	for query, want := range map[string]int{
		"": 2, "status=delivered": 2, "status=pending,failed": 0, "endpoint=receiver": 2, "endpoint=other": 0, "event_type=request.cancelled": 2,
		"event_type=request.approved": 0, "request_id=" + unknownID: 0, "created_after=2026-03-01T11:59:00Z": 2, "created_after=2026-03-01T12:01:00Z": 0,
	} {
		same(t, "deliveries with "+query, len(w.vic.Get("/v1/wf/admin/deliveries?"+query).Want(200).Items("id")), want)
	}
}

func TestACursorBelongsToItsListAndFilter(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	for range 3 {
		w.request("p", "")
	}
	cursor := func(c *Client, path string) string {
		return "&cursor=" + c.Get(path).Want(200).Response("next_cursor")
	}
	next := cursor(w.rita, "/v1/wf/requests?limit=1&requester=me")
	w.rita.Get("/v1/wf/requests?limit=2&requester=me" + next).Want(200)
	w.rita.Get("/v1/wf/requests?limit=2&requester=rita" + next).Want(200) // the same filter
	for who, reply := range map[string]Reply{
		"another filter": w.rita.Get("/v1/wf/requests?limit=1&requester=ana" + next),
		"no filter":      w.rita.Get("/v1/wf/requests?limit=1" + next),
		"another list":   w.rita.Get("/v1/wf/delegations?limit=1" + next),
		"another person": w.ana.Get("/v1/wf/requests?limit=1&requester=me" + next),
		"a stranger":     w.ana.Get("/v1/wf/requests?limit=1&requester=rita" + next),
		"another byte":   w.rita.Get("/v1/wf/requests?limit=1&requester=me" + next + "x"),
	} {
		same(t, who, strings.Join(details(reply.Want(422)), ","), "value_error query.cursor")
	}
	// Viewers see the same rows, so one may go on where another was.
	w.root.Get("/v1/wf/requests?limit=1" + cursor(w.vic, "/v1/wf/requests?limit=1")).Want(200)
}

// A parameter with an empty value differs from an absent one.
func TestAnEmptyParameterIsRefused(t *testing.T) {
	w := boot(t, Options{})
	params := 0
	for _, op := range w.Operations() {
		for _, p := range op.Parameters {
			if p.In != "query" || p.Prefix != "" {
				continue
			}
			params++
			for _, query := range []string{p.Name + "=", p.Name} {
				found := details(w.root.Do(op.Method, address(op)+"?"+query, nil).Want(422))
				same(t, op.ID+"?"+query, strings.Join(found, ","), "string_too_short query."+p.Name)
			}
		}
	}
	if params < 30 {
		t.Errorf("%d parameters", params)
	}
	w.root.Get("/v1/wf/requests?policy_key=a&policy_key=&policy_key=b").Refused(422, "")
	w.root.Get("/v1/wf/requests?label.=a").Refused(422, "")
	w.root.Get("/v1/wf/requests?label.a=").Want(200) // a label may be empty
}
