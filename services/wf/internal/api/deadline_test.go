package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/identity"
)

// byDeadline is a stage with these approver rules, this deadline and further members.
func byDeadline(rules, deadline, members string) string {
	return byRule("s", rules, fmt.Sprintf(`,"deadline":{%s}%s`, deadline, members))
}

// toCy escalates to cy after an hour.
const toCy = `"due_in":"PT1H","on_due":"escalate","escalate_to":[{"type":"user","ids":["cy"]}]`

// passes runs the loop of the deadlines once.
func (w *callers) passes(t *testing.T) {
	t.Helper()
	if _, err := w.Engine.Timers.ProcessDeadlines(t.Context(), w.Clock.Now(), 100); err != nil {
		t.Fatal(err)
	}
}

// ofStages returns the events of the deadlines of a request in one text.
func (w *callers) ofStages(request Reply) string {
	return strings.Join(slices.DeleteFunc(w.actions(request), func(event string) bool {
		return !strings.HasPrefix(event, "stage.") || event == "stage.started"
	}), " ")
}

// last returns a page of the last event of a type.
func (w *callers) last(request Reply, kind string) Reply {
	return w.root.Get("/v1/wf/admin/audit?limit=1&request_id=" + request.Response("id") + "&type=" + kind).Want(200)
}

func stamp(at time.Time) string { return identity.Stamp{Time: at}.String() }

// Example 1.
func TestAStageHasADueDate(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", byDeadline(anaAndBo, `"due_in":"PT1H","remind_before":["PT10M"]`, ""), byRule("next", anaAndBo, ""))
	request := w.request("p", "")
	due := stamp(Start.Add(time.Hour))
	for _, at := range []struct {
		after time.Duration
		late  string
	}{{0, "false"}, {time.Hour - time.Millisecond, "false"}, {time.Millisecond, "true"}} {
		w.Clock.Advance(at.after)
		read := w.read(request)
		same(t, "stage", read.Response("stages", 0, "due_at")+" "+read.Response("stages", 0, "overdue"), due+" "+at.late)
		same(t, "task", read.Response("tasks", 0, "due_at")+" "+read.Response("tasks", 0, "overdue"), due+" "+at.late)
		one := w.ana.Get("/v1/wf/tasks/" + task(t, request, "ana")).Want(200)
		same(t, "one task", one.Response("due_at")+" "+one.Response("overdue"), due+" "+at.late)
		same(t, "request", read.Response("due_at"), due)
		same(t, "next stage", read.Response("stages", 1, "due_at")+read.Response("stages", 1, "overdue"), "false")
	}
	same(t, "deadline", request.Response("stages", 0, "deadline"),
		fmt.Sprintf(`{"next_reminder_at":%q,"on_due":"notify"}`, stamp(Start.Add(50*time.Minute))))
	same(t, "started", request.Response("stages", 0, "started_at"), stamp(Start))
	w.approve(t, request)
	over := w.read(request)
	same(t, "stage over", over.Response("stages", 0, "due_at")+" "+over.Response("stages", 0, "overdue"), due+" false")
	same(t, "the request then", over.Response("due_at"), "")
	same(t, "its task", w.ana.Get("/v1/wf/tasks/"+task(t, request, "ana")).Response("overdue"), "false")
}

// Examples 17 and 18.
func TestAnAdminMovesADueDate(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"expires_in":"P3D"}`, byDeadline(anaAndBo, toCy, ""), byRule("next", anaAndBo, ""))
	request := w.request("p", "")
	path := requestsPath + request.Response("id") + "/stages/"
	due := Start.Add(time.Hour)
	to := func(at time.Time) string { return fmt.Sprintf(`{"due_at":%q,"reason":"Holidays"}`, stamp(at)) }
	moved := w.root.Patch(path+"s", to(due.Add(24*time.Hour)), "If-Match", request.Header.Get("ETag")).Want(200)
	same(t, "due", moved.Response("stages", 0, "due_at"), stamp(due.Add(24*time.Hour)))
	same(t, "task", moved.Response("tasks", 0, "due_at"), stamp(due.Add(24*time.Hour)))
	same(t, "ETag", moved.Header.Get("ETag"), moved.Response("etag"))
	event := w.last(request, "stage.due_moved")
	same(t, "event", event.Response("items", 0, "stage", "moved"),
		fmt.Sprintf(`{"from":%q,"to":%q}`, stamp(due), stamp(due.Add(24*time.Hour))))
	same(t, "reason", event.Response("items", 0, "actor", "id")+" "+event.Response("items", 0, "reason"), "root Holidays")
	again := w.root.Patch(path+"s", to(due.Add(24*time.Hour))).Want(200)
	same(t, "the same date", again.Response("etag"), moved.Response("etag"))
	w.Clock.Advance(time.Hour)
	w.passes(t)
	same(t, "the old date", w.ofStages(request), "stage.due_moved")
	w.Clock.Advance(24 * time.Hour)
	w.passes(t)
	same(t, "the new date", w.ofStages(request), "stage.due_moved stage.due stage.escalated")
	w.root.Patch(path+"s", to(Start.Add(72*time.Hour))).Want(200) // expires_at itself
	w.root.Patch(path+"s", to(Start.Add(26*time.Hour))).Want(200)
	w.Clock.Advance(time.Hour)
	w.passes(t)
	same(t, "a third date", w.ofStages(request),
		"stage.due_moved stage.due stage.escalated stage.due_moved stage.due_moved stage.due")

	in := to(w.Clock.Now().Add(time.Hour))
	for _, by := range []*Client{w.ana, w.rita, w.vic, w.eve} {
		by.Patch(path+"s", in).Refused(403, "WF-008")
	}
	w.root.Patch(path+"other", in).Refused(409, "WF-007")
	w.root.Patch(path+"next", in).Refused(409, "WF-007") // not reached
	w.root.Patch(path+"s", in, "If-Match", `"1"`).Refused(409, "WF-007")
	w.root.Patch(path+"s", to(Start.Add(72*time.Hour+time.Millisecond))).Refused(409, "WF-007")
	w.root.Patch(requestsPath+unknownID+"/stages/s", in).Refused(404, "WF-003")
	w.root.Patch(requestsPath+noID+"/stages/s", in).Refused(404, "WF-003")
	for body, member := range map[string]string{
		to(w.Clock.Now()): "due_at", to(Start): "due_at",
		`{"due_at":"soon","reason":"x"}`: "due_at", `{"reason":"x"}`: "due_at",
		`{"due_at":"9999-12-31T23:59:59-00:01","reason":"x"}`:                                 "due_at", // the year 10000 in UTC
		fmt.Sprintf(`{"due_at":%q}`, stamp(w.Clock.Now().Add(time.Hour))):                     "reason",
		fmt.Sprintf(`{"due_at":%q,"reason":" "}`, stamp(w.Clock.Now().Add(time.Hour))):        "reason",
		fmt.Sprintf(`{"due_at":%q,"reason":"x","by":1}`, stamp(w.Clock.Now().Add(time.Hour))): "by",
	} {
		reply := w.root.Patch(path+"s", body)
		reply.Refused(422, "")
		same(t, body, reply.Text("detail", 0, "loc"), fmt.Sprintf(`["body",%q]`, member))
	}
	w.approve(t, request)
	w.root.Patch(path+"s", in).Refused(409, "WF-007")    // a finished stage
	w.root.Patch(path+"next", in).Refused(409, "WF-007") // no deadline
	w.rita.Post(requestsPath+request.Response("id")+"/cancel", nil).Want(200)
	w.root.Patch(path+"s", in).Refused(409, "WF-007")

	late := w.request("p", "")
	w.Clock.Advance(72 * time.Hour)
	in = to(w.Clock.Now().Add(time.Hour))
	w.root.Patch(requestsPath+late.Response("id")+"/stages/s", in).Refused(409, "WF-007") // expired
	endsWith(t, w, late.Response("id"), "request.expired")
}

// A list shows the earliest date of the running stages.
func TestAListShowsTheEarliestDate(t *testing.T) {
	w := boot(t, Options{})
	const parallel = `,"parallel_group":"g"`
	w.policy("p", "", byRule("free", `{"type":"user","ids":["cy"]}`, parallel), byDeadline(anaAndBo, `"due_in":"PT2H"`, parallel),
		byRule("late", `{"type":"user","ids":["cy"]}`, parallel+`,"deadline":{"due_in":"PT3H"}`))
	request := w.request("p", "")
	listed := func() string { return w.rita.Get("/v1/wf/requests").Response("items", 0, "due_at") }
	same(t, "due", listed(), stamp(Start.Add(2*time.Hour)))
	w.approve(t, request)
	same(t, "due after the first stage", listed(), stamp(Start.Add(3*time.Hour)))
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
	const two = "/v1/wf/tasks?assignee=me&sort=due_at&limit=2"
	page := w.ana.Get(two)
	rest := w.ana.Get(two + "&cursor=" + url.QueryEscape(page.Response("next_cursor")))
	same(t, "pages", named("request_id", page)+" | "+named("request_id", rest), "one two | three none")
	w.request("none", "")
	w.request("two", "") // a second date, later than the others
	for limit := 1; limit <= 6; limit++ {
		var all []string
		for next := ""; ; {
			page := w.ana.Get(fmt.Sprintf("/v1/wf/tasks?assignee=me&sort=due_at&limit=%d%s", limit, next)).Want(200)
			for _, id := range page.Items("request_id") {
				key := w.root.Get(requestsPath + id).Response("policy_key")
				all = append(all, key)
			}
			cursor := page.Response("next_cursor")
			if next = "&cursor=" + url.QueryEscape(cursor); cursor == "" {
				break
			}
		}
		same(t, fmt.Sprintf("pages of %d", limit), strings.Join(all, " "), "one two three two none none")
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
	decide(w.ana, w.ana.Get("/v1/wf/tasks?assignee=me&sort=due_at").Response("items", 0, "id"), "approve").Want(200)
	same(t, "after a decision", tasks("overdue=true")+" "+requests("overdue=true"), "two two")
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
