package api_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/countersign/countersign/services/wf/internal/server"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

const toolsPath = "/v1/wf/mcp"

// withTools enables the tools of agents at the address of the test.
func withTools(c *server.Config) { c.MCP, c.InboxURL = true, "https://approvals.example" }

// single is a policy whose approval an agent may use once.
const single = `{"single_use":true}`

// agent calls the tools as a client of the test.
type agent struct {
	t       *testing.T
	session *mcp.ClientSession
}

// sends adds the token of the client to the calls of an agent.
type sends struct{ token string }

func (s sends) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer "+s.token)
	return http.DefaultTransport.RoundTrip(r)
}

// agent returns an agent with the token of a client.
func (w *callers) agent(t *testing.T, as *Client) *agent {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: w.URL + toolsPath, HTTPClient: &http.Client{Transport: sends{as.Token}}, DisableStandaloneSSE: true,
	}, nil)
	must(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return &agent{t, session}
}

// call calls a tool. arguments are a JSON object.
func (a *agent) call(tool, arguments string) outcome {
	a.t.Helper()
	result, err := a.session.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	text := result.Content[0].(*mcp.TextContent).Text
	o := outcome{t: a.t, call: tool, failed: result.IsError}
	if err := json.Unmarshal([]byte(text), &o.members); err != nil {
		a.t.Fatalf("%s: %q", tool, text)
	}
	if structured, _ := json.Marshal(result.StructuredContent); result.IsError != (result.StructuredContent == nil) ||
		!result.IsError && !jsonEqual(string(structured), text) {
		a.t.Errorf("%s: structured content %s", tool, structured)
	}
	return o
}

func jsonEqual(a, b string) bool {
	var left, right any
	return json.Unmarshal([]byte(a), &left) == nil && json.Unmarshal([]byte(b), &right) == nil && fmt.Sprint(left) == fmt.Sprint(right)
}

// outcome is the result of a call.
type outcome struct {
	t       *testing.T
	call    string
	failed  bool
	members map[string]any
}

// done returns a member of a successful result as text.
func (o outcome) done(member string) string {
	o.t.Helper()
	if o.failed {
		o.t.Fatalf("%s: %v", o.call, o.members)
	}
	if o.members[member] == nil {
		return ""
	}
	return fmt.Sprint(o.members[member])
}

// refused returns the message of a refusal with the code.
func (o outcome) refused(code string) string {
	o.t.Helper()
	if !o.failed || o.members["errorCode"] != code {
		o.t.Fatalf("%s: %v, want %s", o.call, o.members, code)
	}
	return fmt.Sprint(o.members["message"])
}

// Example 41 of the design.
func TestAnAgentRequestsOneApprovalForAContent(t *testing.T) {
	w := boot(t, Options{Config: withTools})
	w.policy("p", single, anyApproves)
	w.policy("q", single, anyApproves)
	one, other := w.agent(t, w.rita), w.agent(t, w.rita)
	const arguments = `{"policy_key":"p","context":{"amount":100.10,"ref":12345678901234567890},"title":"Pay"}`
	ids := make([]string, 12)
	var calls sync.WaitGroup
	for i := range ids {
		calls.Go(func() { ids[i] = []*agent{one, other}[i%2].call("request_approval", arguments).done("request_id") })
	}
	calls.Wait()
	if slices.Sort(ids); ids[0] != ids[len(ids)-1] || ids[0] == "" {
		t.Fatalf("requests %v", ids)
	}
	id := ids[0]
	same(t, "requests", len(w.rita.Get("/v1/wf/requests").Items("id")), 1)
	shown := w.rita.Get("/v1/wf/requests/" + id)
	same(t, "context", shown.Response("context"), `{"amount":100.1,"ref":12345678901234567890}`)
	same(t, "title", shown.Response("title"), "Pay")
	again := one.call("request_approval", `{"context":{"ref":12345678901234567890,"amount":1.0010e2},"policy_key":"p"}`)
	same(t, "repeat with other spelling", again.done("request_id"), id)
	same(t, "status", again.done("status"), "in_review")
	same(t, "standing", again.done("standing"), "")
	same(t, "hash", again.done("context_hash"), shown.Response("context_hash"))
	same(t, "page", again.done("page"), "https://approvals.example/inbox/requests/"+id)
	for name, arguments := range map[string]string{
		"another content": `{"policy_key":"p","context":{"amount":100.11,"ref":12345678901234567890}}`,
		"another policy":  `{"policy_key":"q","context":{"amount":100.10,"ref":12345678901234567890}}`,
	} {
		if one.call("request_approval", arguments).done("request_id") == id {
			t.Errorf("%s has the same request", name)
		}
	}
	if w.agent(t, w.bo).call("request_approval", arguments).done("request_id") == id {
		t.Error("another caller has the same request")
	}

	w.ana.Post("/v1/wf/tasks/"+task(t, shown, "ana")+"/decision", `{"action":"approve"}`).Want(200)
	approved := one.call("request_approval", arguments)
	same(t, "request in force", approved.done("request_id"), id)
	same(t, "standing", approved.done("standing"), "in_force")
	one.call("consume_approval", `{"request_id":"`+strings.ToUpper(id)+`","context":{"amount":100.10,"ref":12345678901234567890}}`).done("standing")
	next := one.call("request_approval", arguments).done("request_id")
	if next == id {
		t.Error("a used approval is returned again")
	}
	same(t, "repeat after the use", one.call("request_approval", arguments).done("request_id"), next)
	same(t, "cancelled", one.call("cancel_approval", `{"request_id":"`+next+`","reason":"no need"}`).done("status"), "cancelled")
	if third := one.call("request_approval", arguments).done("request_id"); third == next || third == id {
		t.Error("a cancelled request is returned again")
	}

	tools, err := one.session.ListTools(t.Context(), nil)
	must(t, err)
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	same(t, "tools", strings.Join(names, " "), "cancel_approval consume_approval get_approval list_policies request_approval")
}

// A key that many contents or callers share would need more attempts than there are.
func TestEachContentOfEachCallerHasItsOwnKeys(t *testing.T) {
	w := boot(t, Options{Config: withTools})
	w.policy("p", "", anyApproves)
	rita, ids := w.agent(t, w.rita), map[string]bool{}
	for i := range 22 {
		ids[rita.call("request_approval", fmt.Sprintf(`{"policy_key":"p","context":{"n":%d}}`, i)).done("request_id")] = true
		caller := w.agent(t, w.Client(t, fmt.Sprint("caller-", i)))
		ids[caller.call("request_approval", `{"policy_key":"p","context":{}}`).done("request_id")] = true
	}
	same(t, "requests", len(ids), 44)
}

func TestAnAgentFindsNoRequestThatHasEndedOrChanged(t *testing.T) {
	w := boot(t, Options{Config: withTools})
	w.policy("p", `{"single_use":true,"expires_in":"PT1H","validity":{"valid_for":"PT1H"}}`, anyApproves)
	agent := w.agent(t, w.rita)
	const arguments = `{"policy_key":"p","context":{"n":1}}`
	request := func() string { return agent.call("request_approval", arguments).done("request_id") }
	seen := map[string]bool{}
	for name, end := range map[string]func(id string){
		"expired by time": func(string) { w.Clock.Advance(time.Hour) },
		"rejected": func(id string) {
			w.ana.Post("/v1/wf/tasks/"+task(t, w.rita.Get("/v1/wf/requests/"+id), "ana")+"/decision", `{"action":"reject"}`).Want(200)
		},
		"lapsed by time": func(id string) {
			w.ana.Post("/v1/wf/tasks/"+task(t, w.rita.Get("/v1/wf/requests/"+id), "ana")+"/decision", `{"action":"approve"}`).Want(200)
			same(t, "in force", request(), id)
			w.Clock.Advance(time.Hour)
		},
		"with another content": func(id string) {
			w.ana.Post("/v1/wf/tasks/"+task(t, w.rita.Get("/v1/wf/requests/"+id), "ana")+"/decision", `{"action":"request_changes"}`).Want(200)
			same(t, "changes requested", request(), id)
			w.rita.Post("/v1/wf/requests/"+id+"/resubmit", `{"context":{"n":2}}`).Want(200)
		},
	} {
		id := request()
		if seen[id] {
			t.Errorf("before %s: an ended request is returned", name)
		}
		seen[id] = true
		end(id)
	}
	if seen[request()] {
		t.Error("an ended request is returned")
	}
}

// Example 42 of the design.
func TestAnAgentUsesAnApprovalForItsArgumentsOnly(t *testing.T) {
	w := boot(t, Options{Config: withTools})
	w.policy("p", single, anyApproves)
	agent := w.agent(t, w.rita)
	id := agent.call("request_approval", `{"policy_key":"p","context":{"to":"acme","amount":100}}`).done("request_id")
	use := func(context string) outcome {
		return agent.call("consume_approval", `{"request_id":"`+id+`","context":`+context+`}`)
	}
	same(t, "before the approval", use(`{"to":"acme","amount":100}`).refused("WF-007"), "request "+id+" is in_review, not approved")
	w.ana.Post("/v1/wf/tasks/"+task(t, w.rita.Get("/v1/wf/requests/"+id), "ana")+"/decision", `{"action":"approve"}`).Want(200)
	for _, changed := range []string{`{"to":"acme","amount":101}`, `{"to":"Acme","amount":100}`, `{"to":"acme"}`,
		`{"to":"acme","amount":100,"x":1}`, `{}`} {
		use(changed).refused("WF-007")
	}
	same(t, "standing", agent.call("get_approval", `{"request_id":"`+id+`"}`).done("standing"), "in_force")
	same(t, "standing", use(`{ "amount": 1e2, "to": "acme" }`).done("standing"), "consumed")
	use(`{"to":"acme","amount":100}`).refused("WF-007")
}

func TestAnAgentWaitsForADecision(t *testing.T) {
	w := boot(t, Options{Config: func(c *server.Config) { withTools(c); c.MaxWaiting = 1 }})
	w.policy("p", "", anyApproves)
	agent := w.agent(t, w.rita)
	id := agent.call("request_approval", `{"policy_key":"p","context":{}}`).done("request_id")
	decided := make(chan outcome, 1)
	go func() { decided <- agent.call("get_approval", `{"request_id":"`+id+`","wait":50}`) }()
	w.waits(t, 1)
	same(t, "above the limit", agent.call("get_approval", `{"request_id":"`+id+`","wait":50}`).done("status"), "in_review")
	w.ana.Post("/v1/wf/tasks/"+task(t, w.rita.Get("/v1/wf/requests/"+id), "ana")+"/decision", `{"action":"reject","comment":"too much"}`).Want(200)
	after := <-decided
	same(t, "status", after.done("status"), "rejected")
	if reason := after.done("status_reason"); !strings.Contains(reason, "too much") {
		t.Errorf("status_reason %s", reason)
	}
}

func TestAnAgentHasTheRefusalsOfTheAPI(t *testing.T) {
	w := boot(t, Options{Config: withTools})
	w.policy("p", `{"submitters":[{"type":"user","ids":["clerk"]}]}`, anyApproves)
	w.policy("open", "", anyApproves)
	rita, stranger := w.agent(t, w.rita), w.agent(t, w.eve)
	id := rita.call("request_approval", `{"policy_key":"open","context":{}}`).done("request_id")
	for i, row := range []struct {
		by              *agent
		tool, arguments string
		code, message   string
	}{
		{rita, "request_approval", `{"policy_key":"none","context":{}}`, "WF-001", "no policy none"},
		{rita, "request_approval", `{"policy_key":"p","context":{}}`, "WF-008", ""},
		{rita, "request_approval", `{"policy_key":"open"}`, "WF-099", "context"},
		{rita, "request_approval", `{"policy_key":"open","context":[]}`, "WF-099", ""},
		{rita, "request_approval", `{"policy_key":"open","context":{},"requester":"ana"}`, "WF-099", "requester"},
		{rita, "request_approval", `{"policy_key":"open","context":{},"title":"` + strings.Repeat("x", 201) + `"}`, "WF-099", "maxLength"},
		{rita, "request_approval", `{"policy_key":"open","context":{},"title":"a\u202eb"}`, "WF-099", "title"},
		{rita, "request_approval", `{"policy_key":"open","context":{"x":"` + strings.Repeat("x", 200<<10) + `"}}`, "WF-099", "200 KiB"},
		{rita, "get_approval", `{"request_id":"x"}`, "WF-008", ""},
		{rita, "get_approval", `{"request_id":"` + id + `","wait":51}`, "WF-099", "maximum"},
		{rita, "cancel_approval", `{"request_id":"x"}`, "WF-003", ""},
		{rita, "consume_approval", `{"request_id":"` + id + `","context":{}}`, "WF-007", ""},
		{stranger, "get_approval", `{"request_id":"` + id + `"}`, "WF-008", ""},
		{stranger, "consume_approval", `{"request_id":"` + id + `","context":{}}`, "WF-008", ""},
		{stranger, "cancel_approval", `{"request_id":"` + id + `"}`, "WF-008", ""},
	} {
		if got := row.by.call(row.tool, row.arguments).refused(row.code); !strings.Contains(got, row.message) {
			t.Errorf("row %d: %s: %q, want %q", i, row.tool, got, row.message)
		}
	}
	same(t, "policies", rita.call("list_policies", `{}`).done("policies"), "[map[key:open name:Policy]]")
	same(t, "status", rita.call("get_approval", `{"request_id":"`+id+`"}`).done("status"), "in_review")
}

// send sends a message to the endpoint of agents.
func (w *callers) send(t *testing.T, method, token, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.URL+toolsPath, strings.NewReader(body))
	must(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	reply, err := http.DefaultClient.Do(r)
	must(t, err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	must(t, err)
	return reply, string(text)
}

func TestTheEndpointOfAgentsHasTheLimitsOfTheAPI(t *testing.T) {
	w := boot(t, Options{Config: withTools})
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	call := func(method string) string { return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{}}` }
	for name, row := range map[string]struct {
		method, body string
		headers      []string
		token        string // "-": none; empty: that of a person
		status       int
		text         string
	}{
		"a call":                      {body: list, status: 200, text: `"request_approval"`},
		"a call of the latest form":   {body: list, headers: []string{"MCP-Protocol-Version", "2025-11-25"}, status: 200, text: `"request_approval"`},
		"a notification":              {body: `{"jsonrpc":"2.0","method":"notifications/initialized"}`, status: 202},
		"without a token":             {body: list, token: "-", status: 401, text: "WF-008"},
		"an invalid token":            {body: list, token: "x.y.z", status: 401, text: "WF-008"},
		"own origin":                  {body: list, headers: []string{"Origin", "https://approvals.example"}, status: 200},
		"another origin":              {body: list, headers: []string{"Origin", "https://evil.example"}, status: 403, text: "WF-008"},
		"an origin that is not shown": {body: list, headers: []string{"Origin", "null"}, status: 403, text: "WF-008"},
		"GET":                         {method: "GET", status: 405, text: "WF-091"},
		"DELETE":                      {method: "DELETE", status: 405, text: "WF-091"},
		"a batch":                     {body: "[" + list + "," + list + "]", status: 422},
		"no JSON":                     {body: "{", status: 422},
		"a repeated member":           {body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"ping"}`, status: 422},
		"another media type":          {body: list, headers: []string{"Content-Type", "text/plain"}, status: 415, text: "WF-093"},
		"an accept of JSON alone":     {body: list, headers: []string{"Accept", "application/json"}, status: 400, text: "WF-099"},
		"too large":                   {body: `{"x":"` + strings.Repeat("x", 256<<10) + `"}`, status: 413, text: "WF-092"},
		"an unknown version":          {body: list, headers: []string{"MCP-Protocol-Version", "1999-01-01"}, status: 400, text: "WF-099"},
		"an unknown method":           {body: call("tools/decide"), status: 200, text: "-32601"},
		"a method with a stream": {body: call("subscriptions/listen"),
			headers: []string{"MCP-Protocol-Version", "2026-07-28"}, status: 200, text: "-32601"},
		"a method in other letters": {body: `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","Method":"tools/list"}`, status: 200, text: "-32601"},
		"a method that is no text":  {body: `{"jsonrpc":"2.0","id":1,"method":7}`, status: 400, text: "WF-099"},
		"no method":                 {body: `{}`, status: 400, text: "WF-099"},
		"an unknown tool": {body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"decide"}}`,
			status: 200, text: "unknown tool"},
	} {
		token, method := strings.TrimPrefix(cmp.Or(row.token, w.rita.Token), "-"), row.method
		if method == "" {
			method = "POST"
		}
		reply, text := w.send(t, method, token, row.body, row.headers...)
		if reply.StatusCode != row.status || !strings.Contains(text, row.text) {
			t.Errorf("%s: %d %s", name, reply.StatusCode, text)
		}
		if row.status == 200 && (reply.Header.Get("Content-Type") != "application/json" || reply.Header.Get("Cache-Control") != "no-store") {
			t.Errorf("%s: headers %v", name, reply.Header)
		}
		var want []string // RFC 6750, section 3: an error code only with credentials
		if row.status == 401 {
			want = []string{`Bearer resource_metadata="https://approvals.example/.well-known/oauth-protected-resource/v1/wf/mcp"`}
			if token != "" {
				want[0] += `, error="invalid_token"`
			}
		}
		if got := reply.Header.Values("WWW-Authenticate"); !slices.Equal(got, want) {
			t.Errorf("%s: WWW-Authenticate %q", name, got)
		}
	}
	same(t, "WWW-Authenticate of other calls", w.Anonymous(t).Get("/v1/wf/me").Header.Get("WWW-Authenticate"), "Bearer")
	twice, err := http.NewRequestWithContext(t.Context(), "POST", w.URL+toolsPath, strings.NewReader(list))
	must(t, err)
	twice.Header = http.Header{
		"Authorization": {"Bearer " + w.rita.Token}, "Content-Type": {"application/json"}, "Accept": {"*/*"},
		"Origin": {"https://approvals.example", "https://evil.example"},
	}
	refused, err := http.DefaultClient.Do(twice)
	must(t, err)
	defer refused.Body.Close()
	same(t, "status with two origins", refused.StatusCode, 403)
	metadata, err := http.Get(w.URL + "/.well-known/oauth-protected-resource" + toolsPath)
	must(t, err)
	defer metadata.Body.Close()
	text, err := io.ReadAll(metadata.Body)
	same(t, "metadata", string(text), fmt.Sprintf(
		`{"authorization_servers":[%q],"bearer_methods_supported":["header"],`+
			`"resource":"https://approvals.example/v1/wf/mcp"}`,
		wftest.Issuer))
	same(t, "error", err, nil)
}

func TestWithoutTheSettingThereAreNoTools(t *testing.T) {
	w := boot(t, Options{})
	for _, path := range []string{toolsPath, "/.well-known/oauth-protected-resource" + toolsPath} {
		w.rita.Post(path, `{}`).Refused(404, "WF-090")
	}
}

// Invariant 21 of the design: no call of a tool is a decision, whichever the token.
func TestNoToolDecides(t *testing.T) {
	w := boot(t, Options{Config: withTools})
	w.policy("p", `{"requester_may_approve":true,"admin_override":true,"single_use":true}`,
		`{"key":"s","name":"Stage","approvers":[{"type":"user","ids":["ana"]}]}`)
	request := w.ana.Post("/v1/wf/requests", `{"policy_key":"p"}`).Want(201)
	id := request.Response("id")
	for _, by := range []*Client{w.ana, w.root, w.ClientWith(t, "ana", forPerson)} {
		a := w.agent(t, by)
		a.call("list_policies", `{}`)
		a.call("request_approval", `{"policy_key":"p","context":{}}`)
		a.call("get_approval", `{"request_id":"`+id+`"}`)
		a.call("consume_approval", `{"request_id":"`+id+`","context":{}}`)
		for _, tool := range []string{"decide", "claim_task", "reassign", "create_policy", "create_delegation"} {
			_, err := a.session.CallTool(context.WithoutCancel(t.Context()),
				&mcp.CallToolParams{Name: tool, Arguments: map[string]any{"id": task(t, request, "ana")}})
			if err == nil || errors.Is(err, context.Canceled) {
				t.Errorf("tool %s: %v", tool, err)
			}
		}
	}
	w.agent(t, w.root).call("cancel_approval", `{"request_id":"`+id+`"}`)
	types := w.vic.Get(auditPath + "?limit=200").Want(200).Items("type")
	for _, kind := range types {
		if slices.Contains([]string{"task.claimed", "task.decided", "task.reassigned", "request.overridden",
			"request.approved", "delegation.created"}, kind) {
			t.Errorf("a tool has caused %s", kind)
		}
	}
}
