package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/identity"
)

// byDeadline is a stage with these approver rules, this deadline and further members.
func byDeadline(rules, deadline, members string) string {
	return byRule("s", rules, fmt.Sprintf(`,"deadline":{%s}%s`, deadline, members))
}

// passes runs the loop of the deadlines once.
func (w *callers) passes(t *testing.T) {
	t.Helper()
	if _, err := w.Engine.Timers.ProcessDeadlines(t.Context(), w.Clock.Now(), 100); err != nil {
		t.Fatal(err)
	}
}

func stamp(at time.Time) string { return identity.Stamp{Time: at}.String() }

// Examples 17 and 18.
func TestAnAdminMovesADueDate(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"expires_in":"P3D"}`, byDeadline(anaAndBo, `"due_in":"PT1H"`, ""))
	request := w.request("p", "")
	path, due := requestsPath+request.Response("id")+"/stages/s", Start.Add(time.Hour)
	to := func(at time.Time) string { return fmt.Sprintf(`{"due_at":%q,"reason":"Holidays"}`, stamp(at)) }
	moved := w.root.Patch(path, to(due.Add(24*time.Hour)), "If-Match", request.Header.Get("ETag")).Want(200)
	same(t, "due", moved.Response("stages", 0, "due_at"), stamp(due.Add(24*time.Hour)))
	same(t, "task", moved.Response("tasks", 0, "due_at"), stamp(due.Add(24*time.Hour)))
	same(t, "ETag", moved.Header.Get("ETag"), moved.Response("etag"))
	event := w.root.Get(auditPath + "?limit=1&type=stage.due_moved&request_id=" + request.Response("id")).Want(200)
	same(t, "event", event.Response("items", 0, "stage", "moved"),
		fmt.Sprintf(`{"from":%q,"to":%q}`, stamp(due), stamp(due.Add(24*time.Hour))))
	same(t, "reason", event.Response("items", 0, "actor", "id")+" "+event.Response("items", 0, "reason"), "root Holidays")

	in := to(due.Add(time.Hour))
	w.ana.Patch(path, in).Refused(403, "WF-008")
	w.root.Patch(path, in, "If-Match", `"1"`).Refused(409, "WF-007")
	w.root.Patch(path, to(Start.Add(72*time.Hour+time.Millisecond))).Refused(409, "WF-007")
	for body, member := range map[string]string{
		to(Start): "due_at", `{"due_at":"soon","reason":"x"}`: "due_at", `{"reason":"x"}`: "due_at",
		`{"due_at":"9999-12-31T23:59:59-00:01","reason":"x"}`:        "due_at", // the year 10000 in UTC
		fmt.Sprintf(`{"due_at":%q}`, stamp(due)):                     "reason",
		fmt.Sprintf(`{"due_at":%q,"reason":" "}`, stamp(due)):        "reason",
		fmt.Sprintf(`{"due_at":%q,"reason":"x","by":1}`, stamp(due)): "by",
	} {
		reply := w.root.Patch(path, body)
		reply.Refused(422, "")
		same(t, body, reply.Text("detail", 0, "loc"), fmt.Sprintf(`["body",%q]`, member))
	}
}

// Example 21.
func TestListsByDueDate(t *testing.T) {
	w := boot(t, Options{})
	keys := map[string]string{"two": "PT2H", "one": "PT1H", "three": "PT3H"}
	ids := map[string]string{}
	for _, key := range []string{"two", "one", "three", "none"} {
		if stage := bothApprove; key == "none" {
			w.policy(key, "", stage)
		} else {
			w.policy(key, "", byDeadline(`{"type":"user","ids":["ana"]}`, fmt.Sprintf(`"due_in":%q`, keys[key]), ""))
		}
		ids[key] = w.request(key, "").Response("id")
	}
	named := func(member string, reply Reply) string {
		var names []string
		for _, id := range reply.Want(200).Items(member) {
			for key := range ids {
				if ids[key] == id {
					names = append(names, key)
				}
			}
		}
		return strings.Join(names, " ")
	}
	tasks := func(query string) string { return named("request_id", w.ana.Get("/v1/wf/tasks?assignee=me&"+query)) }
	requests := func(query string) string { return named("id", w.rita.Get("/v1/wf/requests?"+query)) }
	w.Clock.Advance(2 * time.Hour)
	before := url.QueryEscape(stamp(Start.Add(3 * time.Hour)))
	for query, want := range map[string]string{
		"overdue=true&sort=due_at":              "one two",
		"overdue=false&sort=due_at":             "three none",
		"sort=due_at":                           "one two three none",
		"due_before=" + before + "&sort=due_at": "one two",
	} {
		same(t, "tasks "+query, tasks(query), want)
	}
	same(t, "requests overdue", requests("overdue=true"), "one two")
	same(t, "requests not overdue", requests("overdue=false"), "none three")
	same(t, "requests due before", requests("due_before="+before), "one two")
	stats := w.root.Get("/v1/wf/tasks/stats").Want(200)
	late := map[string]string{}
	for i := range 4 {
		late[stats.Response("counts", i, "policy_key")] = stats.Response("counts", i, "overdue")
	}
	same(t, "stats", fmt.Sprint(late), "map[none:0 one:1 three:0 two:1]")
	for path, parameter := range map[string]string{
		"/v1/wf/tasks?due_before=x": "due_before", "/v1/wf/tasks?overdue=x": "overdue", "/v1/wf/tasks?sort=due": "sort",
		"/v1/wf/requests?due_before=x": "due_before", "/v1/wf/requests?overdue=1": "overdue",
		"/v1/wf/requests?sort=updated_at": "sort",
		"/v1/wf/requests?standing=x":      "standing", "/v1/wf/requests?valid_before=2026": "valid_before",
	} {
		reply := w.rita.Get(path)
		reply.Refused(422, "")
		same(t, path, reply.Text("detail", 0, "loc", 1), parameter)
	}
}
