package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/internal/server"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// The kinds of reader of a request with a part in it, and those with a role.
var participants = []string{
	"requester", "submitter", "asked", "asked service account", "decided", "delegate", "delegator", "observer",
}

// seenBy maps each field with user input to its permitted readers, in every reply.
var seenBy = map[string][]string{
	"context":           append([]string{"viewer", "admin", "owner"}, participants...),
	"redacted":          append([]string{"admin", "owner"}, participants...), // named by settings.redact
	"title":             append([]string{"viewer", "admin", "owner"}, participants...),
	"artifact":          append([]string{"viewer", "admin", "owner"}, participants...),
	"link":              append([]string{"viewer", "admin", "owner"}, participants...),
	"label":             append([]string{"viewer", "admin", "owner"}, participants...),
	"comment":           append([]string{"viewer", "admin", "owner"}, participants...),
	"file":              append([]string{"viewer", "admin", "owner"}, participants...),
	"callback":          append([]string{"viewer", "admin", "owner"}, participants...),
	"callback-query":    {"viewer", "admin", "owner"},
	"decision":          append([]string{"viewer", "admin", "owner"}, participants...), // its comment
	"decision-data":     {"requester", "submitter", "decided", "viewer", "admin", "owner"},
	"decision-file":     {"requester", "submitter", "decided", "viewer", "admin", "owner"},
	"decision-auth":     {"requester", "submitter", "decided", "viewer", "admin", "owner"},
	"early-comment":     append([]string{"viewer", "admin", "owner"}, participants...),
	"first-reason":      append([]string{"viewer", "admin", "owner"}, participants...), // of the first reassignment
	"middle-comment":    append([]string{"viewer", "admin", "owner"}, participants...),
	"second-reason":     append([]string{"viewer", "admin", "owner"}, participants...),
	"late-comment":      append([]string{"viewer", "admin", "owner"}, participants...),
	"delegation-reason": {"delegate", "delegator", "viewer", "admin"},
}

// carried maps each reply to its fields of this kind.
var carried = map[string]string{
	"request":     "context redacted title artifact link label comment file callback callback-query decision decision-data decision-file decision-auth",
	"revision":    "context redacted",
	"task":        "title artifact link decision decision-data decision-file decision-auth",
	"events":      "title artifact link file decision decision-data decision-file decision-auth early-comment first-reason middle-comment second-reason late-comment",
	"comments":    "early-comment middle-comment late-comment",
	"requests":    "title artifact link label",
	"delegation":  "delegation-reason",
	"delegations": "delegation-reason",
	"tasks":       "title artifact link decision decision-data decision-file decision-auth",
}

// inOwnTasks maps each field to the readers whose own tasks carry it.
var inOwnTasks = map[string][]string{
	"title": assignees, "artifact": assignees, "link": assignees,
	"decision": {"decided"}, "decision-data": {"decided"}, "decision-file": {"decided"}, "decision-auth": {"decided"},
}

var assignees = []string{"asked", "asked service account", "decided", "delegator"} // the tasks stay with the delegator

// canary is a text that occurs in one field only.
func canary(field string) string { return "canary-" + field + "-yranac" }

func TestVisibilityOfUserSuppliedFields(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"redact":["/secret"],"on_behalf":"submitters","owners":{"users":["owen"]}}`,
		byRule("s", `{"type":"user","ids":["ana","bo","fay","gil","bot"]}`, `,"observers":[{"type":"user","ids":["olga"]}],"allow":{"reassign":"any"}`))
	readers := map[string]*Client{
		"requester": w.rita, "submitter": w.Client(t, "sam"), "asked": w.ana,
		"decided":         w.ClientWith(t, "bo", map[string]any{"acr": canary("decision-auth")}),
		"former assignee": w.Client(t, "fay"), "later former assignee": w.Client(t, "cy"), "delegate": w.Client(t, "dan"), "delegator": w.Client(t, "gil"),
		"observer": w.Client(t, "olga"), "asked service account": w.ClientWith(t, "bot", map[string]any{"client_id": "bot"}),
		"viewer": w.vic, "admin": w.root,
		"owner":    w.Client(t, "owen"),
		"stranger": w.eve, "service account": w.ClientWith(t, "robot", map[string]any{"client_id": "robot"}),
	}
	delegation := readers["delegator"].Post("/v1/wf/delegations",
		fmt.Sprintf(`{"delegate_to":"dan","ends_at":"2026-03-02T12:00:00Z","reason":%q}`, canary("delegation-reason"))).Want(201).Response("id")
	attachments := func(field string) string {
		return fmt.Sprintf(`[{"name":"a","media_type":"text/plain","url":"https://x.example/%s"}]`, canary(field))
	}
	created := readers["submitter"].Post("/v1/wf/requests", fmt.Sprintf(
		`{"policy_key":"p","requester":"rita","context":{"open":%q,"secret":%q},"title":%q,"artifact_id":%q,"link":"https://x.example/%s","labels":{"l":%q},"comment":%q,
		"attachments":%s,"callback_url":"%s/%s?token=%s"}`, canary("context"), canary("redacted"), canary("title"),
		canary("artifact"), canary("link"), canary("label"), canary("comment"),
		attachments("file"), w.Receiver.URL, canary("callback"), canary("callback-query"))).Want(201)
	if strings.Contains(string(created.Body), canary("callback-query")) {
		t.Error("the reply to the submitter has the query of callback_url")
	}
	id := created.Response("id")
	path := "/v1/wf/requests/" + id
	say := func(field string) {
		w.rita.Post(path+"/comments", fmt.Sprintf(`{"text":%q}`, canary(field))).Want(200)
	}
	handOn := func(from, to, field string) {
		w.root.Post("/v1/wf/tasks/"+task(t, w.root.Get(path), from)+"/reassign",
			fmt.Sprintf(`{"new_assignee":%q,"reason":%q}`, to, canary(field))).Want(200)
	}
	say("early-comment")
	decided := task(t, created, "bo")
	readers["decided"].Post("/v1/wf/tasks/"+decided+"/decision", fmt.Sprintf(`{"action":"approve","comment":%q,"data":{"d":%q},"attachments":%s}`,
		canary("decision"), canary("decision-data"), attachments("decision-file"))).Want(200)
	handOn("fay", "cy", "first-reason")
	say("middle-comment")
	handOn("cy", "hal", "second-reason")
	say("late-comment")

	replies := map[string]string{
		"request": path, "revision": path + "/revisions/1", "task": "/v1/wf/tasks/" + decided, "events": path +
			"/events?limit=200", "comments": path + "/comments",
		"requests": "/v1/wf/requests", "delegation": "/v1/wf/delegations/" + delegation, "delegations": "/v1/wf/delegations",
		"tasks": "/v1/wf/tasks?assignee=me",
	}
	for name, address := range replies {
		for kind, reader := range readers {
			reply := reader.Get(address)
			part := slices.Contains(seenBy["title"], kind)
			if name == "delegation" {
				part = slices.Contains(seenBy["delegation-reason"], kind)
			}
			switch {
			case part || slices.Contains([]string{"requests", "tasks", "delegations"}, name):
				reply.Want(200)
			default:
				reply.Refused(403, "WF-008")
			}
			for field, kinds := range seenBy {
				if name == "tasks" {
					kinds = inOwnTasks[field]
				}
				if name == "requests" && kind == "delegate" {
					kinds = nil // lists of requests have the reader's own
				}
				want := slices.Contains(kinds, kind) && slices.Contains(strings.Fields(carried[name]), field)
				if got := strings.Contains(string(reply.Body), canary(field)); got != want {
					t.Errorf("%s, %s, %s: %t, want %t", name, kind, field, got, want)
				}
			}
		}
	}

	reply := w.rita.Get(path + "/events?verify=true&limit=200").Want(200)
	same(t, "verified", reply.Response("verification", "valid"), "true")
	same(t, "verified events", reply.Response("verification", "events"), fmt.Sprint(len(reply.Items("id"))))
	w.rita.Post(path+"/comments", `{"text":"x","mentions":["cy"]}`).Want(422)
	w.rita.Post(path+"/comments", `{"text":"x","mentions":["hal"]}`).Want(200)
}

// TestAfterTheLossOfAPartNoReplyShowsTheRequest covers each reply and list, by the document of the API.
func TestAfterTheLossOfAPartNoReplyShowsTheRequest(t *testing.T) {
	const reassignable = `,"allow":{"reassign":"any"}`
	for name, lose := range map[string]func(w *callers) (request Reply, who string, lose func()){
		"reassigned by an admin": func(w *callers) (Reply, string, func()) {
			r := w.request("each", `"title":"Cable"`)
			return r, "ana", func() { w.root.Post("/v1/wf/tasks/"+task(t, r, "ana")+"/reassign", `{"new_assignee":"cy"}`).Want(200) }
		},
		"handed over": func(w *callers) (Reply, string, func()) {
			r := w.request("each", `"title":"Cable"`)
			return r, "ana", func() { w.ana.Post("/v1/wf/tasks/"+task(t, r, "ana")+"/reassign", `{"new_assignee":"cy"}`).Want(200) }
		},
		"a delegation revoked": func(w *callers) (Reply, string, func()) {
			id := w.ana.Post("/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-02T12:00:00Z"}`).Want(201).Response("id")
			return w.request("each", `"title":"Cable"`), "dan", func() { w.ana.Delete("/v1/wf/delegations/" + id).Want(200) }
		},
		"a delegation of a pool revoked": func(w *callers) (Reply, string, func()) {
			id := w.ana.Post("/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-02T12:00:00Z"}`).Want(201).Response("id")
			return w.request("pool", `"title":"Cable"`), "dan", func() { w.ana.Delete("/v1/wf/delegations/" + id).Want(200) }
		},
		"the stage of a delegated task is over": func(w *callers) (Reply, string, func()) {
			w.ana.Post("/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-02T12:00:00Z"}`).Want(201)
			r := w.request("any", `"title":"Cable"`)
			return r, "dan", func() { w.bo.Post("/v1/wf/tasks/"+task(t, r, "bo")+"/decision", `{"action":"approve"}`).Want(200) }
		},
		"the pool is over": func(w *callers) (Reply, string, func()) {
			r := w.request("pool", `"title":"Cable"`)
			return r, "ana", func() { w.bo.Post("/v1/wf/tasks/"+task(t, r, "")+"/decision", `{"action":"approve"}`).Want(200) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := boot(t, Options{})
			w.policy("each", "", byRule("s", anaAndBo, reassignable))
			w.policy("any", "", anyApproves)
			w.policy("pool", "", poolOfTwo, byRule("next", `{"type":"user","ids":["cy"]}`, ""))
			request, who, lose := lose(w)
			id, former := request.Response("id"), w.Client(t, who)
			path := "/v1/wf/requests/" + id
			lists := []string{
				"/v1/wf/requests", "/v1/wf/requests?participant=me", "/v1/wf/requests?sort=due_at", "/v1/wf/requests?q=cable",
				"/v1/wf/tasks?assignee=me", "/v1/wf/tasks?assignee=me&request_id=" + id, "/v1/wf/tasks?inbox=me", "/v1/wf/tasks?candidate=me",
			}
			if !slices.ContainsFunc(lists, func(list string) bool { return strings.Contains(string(former.Get(list).Want(200).Body), id) }) {
				t.Fatal("no part before the loss")
			}
			waiting := make(chan Reply, 1)
			go func() { waiting <- former.Get(path + ofPoll) }()
			w.waits(t, 1)
			lose()
			w.rita.Post(path+"/comments", `{"text":"of no concern to them"}`).Want(200)
			(<-waiting).Refused(403, "WF-008")
			reads := 0
			for _, op := range w.Operations() {
				noun := strings.Split(strings.TrimPrefix(op.Path, "/v1/wf/"), "/")[0]
				if op.Method == "GET" && strings.Contains(op.Path, "{id}") && (noun == "requests" || noun == "tasks") {
					of := map[string]string{"requests": id, "tasks": request.Response("tasks", 0, "id")}[noun]
					former.Get(strings.NewReplacer("{id}", of, "{n}", "1").Replace(op.Path)).Refused(403, "WF-008")
					reads++
				}
			}
			if reads < 6 {
				t.Errorf("%d reads", reads)
			}
			former.Get(path+"/events?verify=true").Refused(403, "WF-008")
			former.Post(path+"/comments", `{"text":"x"}`).Refused(403, "WF-008")
			for _, list := range lists {
				if body := string(former.Get(list).Want(200).Body); strings.Contains(body, id) {
					t.Errorf("%s has the request: %s", list, body)
				}
			}
		})
	}
}

func TestReadDoesNotDiscloseExistingIDsToUnrelatedCaller(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	request := w.request("p", "")
	delegation := w.ana.Post("/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-02T12:00:00Z"}`).Want(201).Response("id")
	known := map[string]string{"requests": request.Response("id"), "tasks": task(t, request, "ana"), "delegations": delegation}
	reads := 0
	for _, op := range w.Operations() {
		noun := strings.Split(strings.TrimPrefix(op.Path, "/v1/wf/"), "/")[0]
		if op.Method != "GET" || !strings.Contains(op.Path, "{id}") || known[noun] == "" {
			continue
		}
		reads++
		messages := map[string]bool{}
		for _, id := range []string{known[noun], unknownID, noID} {
			for _, number := range []string{"1", "99", "x"} {
				path := strings.NewReplacer("{id}", id, "{n}", number).Replace(op.Path)
				message := w.eve.Get(path).Refused(403, "WF-008")
				messages[strings.NewReplacer(id, "ID", `"`, "").Replace(message)] = true
				if id != known[noun] {
					code := map[bool]string{true: "WF-003", false: "WF-004"}[noun == "requests"]
					w.vic.Get(path).Refused(404, code)
				}
			}
		}
		same(t, op.ID+": kinds of message", len(messages), 1)
	}
	same(t, "reads", reads, 7)
	w.rita.Get("/v1/wf/requests/"+known["requests"]+"/revisions/99").Refused(404, "WF-003") // reader of the request
}

func TestRightsToSearchUsers(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"on_behalf":"submitters"}`, byRule("s", `{"type":"user","ids":["ana","bo"]}`, `,"observers":[{"type":"user","ids":["olga"]}]`))
	w.policy("pool", "", `{"key":"s","name":"Stage","assignment":"pool","approvers":[{"type":"user","ids":["pia","pat"]}],"quorum":{"mode":"any"}}`)
	w.Client(t, "gina").Post("/v1/wf/delegations", `{"delegate_to":"dora","ends_at":"2026-03-02T12:00:00Z"}`).Want(201)
	w.Client(t, "lou").Post("/v1/wf/delegations", `{"delegate_to":"max","starts_at":"2026-03-02T12:00:00Z","ends_at":"2026-03-03T12:00:00Z"}`).Want(201)
	w.request("pool", "")
	of := w.Client(t, "sam").Post("/v1/wf/requests", `{"policy_key":"p","requester":"rita"}`).Want(201)
	w.root.Post("/v1/wf/tasks/"+task(t, of, "ana")+"/reassign", `{"new_assignee":"cy"}`).Want(200)
	for who, may := range map[string]bool{
		"ana": true, "bo": true, "cy": true, "pia": true, "gina": true, "dora": true,
		"rita": false, "sam": false, "olga": false, "eve": false, "lou": false, "max": false,
	} {
		reply := w.Client(t, who).Get("/v1/wf/people?q=xx")
		if same(t, who, reply.Status, map[bool]int{true: 200, false: 403}[may]); !may {
			reply.Refused(403, "WF-008")
		}
	}
	w.root.Get("/v1/wf/people?q=xx").Want(200)
	w.vic.Get("/v1/wf/people?q=xx").Refused(403, "WF-008")
	w.Clock.Advance(48 * time.Hour)
	w.Client(t, "gina").Get("/v1/wf/people?q=xx").Refused(403, "WF-008") // the delegation has ended
	w.Client(t, "ana").Get("/v1/wf/people?q=xx").Want(200)
}

func TestTheSearchForPeopleCanBeOffAndHasItsRate(t *testing.T) {
	w := boot(t, Options{Config: func(c *server.Config) { c.PeopleSearch = false }})
	w.root.Get("/v1/wf/people?q=xx").Refused(403, "WF-008")
	w = people(t, Boot(t, Options{Config: func(c *server.Config) { c.Unlimited = false }}))
	for range 32 { // the last two are pending
		w.root.Get("/v1/wf/people?q=xx").Want(200)
	}
	limited(t, w.root.Get("/v1/wf/people?q=xx"), `"people";q=30;w=15`, 2)
	w.root.Get("/v1/wf/policies").Want(200)
}

func TestAnEndpointGetsContextAndDecisionDataOnlyIfItIncludesThem(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", `{"redact":["/secret","/list/1"]}`, anyApproves)
	includes := map[string]string{"none": `[]`, "content": `["context"]`, "data": `["decision_data"]`, "both": `["decision_data","context"]`}
	for name, include := range includes {
		w.root.Post(endpoints, fmt.Sprintf(`{"name":%q,"url":%q,"events":["task.decided"],"include":%s,"secret":%q}`,
			name, w.Receiver.URL, include, wftest.Secret)).Want(201)
	}
	created := w.request("p", `"context":{"amount":12.50,"secret":"hidden","list":["a","b","c"]}`)
	signed := w.ClientWith(t, "ana", map[string]any{"acr": "gold"})
	signed.Post("/v1/wf/tasks/"+task(t, created, "ana")+"/decision", `{"action":"approve","comment":"Fine",`+evidence+`}`).Want(200)
	list := w.root.Get("/v1/wf/admin/deliveries?event_type=task.decided").Want(200)
	same(t, "deliveries", len(list.Items("id")), len(includes))
	for _, id := range list.Items("id") {
		d := w.root.Get("/v1/wf/admin/deliveries/" + id).Want(200)
		name := d.Response("endpoint", "name")
		payload := func(path ...any) string { return d.Response(append([]any{"payload", "data"}, path...)...) }
		same(t, name+": context", payload("request", "context"),
			map[bool]string{true: `{"amount":12.5,"list":["a","c"]}`}[strings.Contains(includes[name], "context")])
		for _, member := range []string{"data", "attachments", "auth"} {
			same(t, name+": "+member, payload("decision", member) != "", strings.Contains(includes[name], "decision_data"))
		}
		same(t, name+": comment", payload("decision", "comment"), "Fine")
	}
	w.Deliver(t)
	w.root.Post(endpoints, fmt.Sprintf(`{"name":"chat","format":"slack","url":%q,"include":["context"]}`, w.Receiver.URL)).Want(422)
	w.root.Post(endpoints, fmt.Sprintf(`{"name":"x","url":%q,"include":["everything"]}`, w.Receiver.URL)).Want(422)
	none := w.root.Get(endpoints + "?q=none").Want(200).Items("id")[0]
	same(t, "changed", w.root.Patch(endpoints+"/"+none, `{"include":["context"]}`).Want(200).Response("include"), `["context"]`)
	w.root.Post("/v1/wf/policies", definition("q", `{"redact":["secret"]}`, anyApproves)).Want(422)
	w.root.Post("/v1/wf/policies", definition("q", `{"redact":["/a~2"]}`, anyApproves)).Want(422)
}
