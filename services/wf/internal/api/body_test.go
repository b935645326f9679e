package api_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
)

// target is an operation that takes a body, with one that it would accept.
type target struct {
	name, method, path string
	valid              string
	text               string // a member that takes a text
	object             string // a member that takes an object; empty when there is none
	optional           bool   // the body may be left out
}

// targets returns an operation of each kind, each with something to act on.
func targets(t *testing.T, w *callers) []target {
	w.policy("p", "", bothApprove)
	w.root.Put("/v1/wf/policies/p", definition("p", "", bothApprove)).Want(201) // a draft
	request := w.request("p", "")
	ana := "/v1/wf/tasks/" + task(t, request, "ana")
	policy := definition("new", "", bothApprove)
	return []target{
		{"createPolicy", "POST", "/v1/wf/policies", policy, "description", "labels", false},
		{"addVersion", "PUT", "/v1/wf/policies/p", definition("p", "", bothApprove), "description", "labels", false},
		{"updateVersion", "PATCH", "/v1/wf/policies/p/versions/2", `{"name":"Draft"}`, "description", "labels", false},
		{"simulateVersion", "POST", "/v1/wf/policies/p/versions/1/simulate", `{"artifact_id":"a"}`, "artifact_type", "context", false},
		{"createRequest", "POST", "/v1/wf/requests", `{"policy_key":"p"}`, "title", "context", false},
		{"cancelRequest", "POST", "/v1/wf/requests/" + request.Response("id") + "/cancel", `{}`, "reason", "", true},
		{"decideTask", "POST", ana + "/decision", `{"action":"approve"}`, "comment", "data", false},
		{"reassignTask", "POST", "/v1/wf/tasks/" + task(t, request, "bo") + "/reassign", `{"new_assignee":"dan"}`, "reason", "", false},
		{"createDelegation", "POST", "/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-05T00:00:00Z"}`, "reason", "scope", false},
	}
}

// with puts a member in front of a body.
func with(body, member string) string {
	if body == "{}" {
		return "{" + member + "}"
	}
	return "{" + member + "," + body[1:]
}

// badBodies are the bodies that strict JSON rejects, for a target. An empty body does not apply to it.
var badBodies = map[string]func(o target) string{
	"null":          func(target) string { return "null" },
	"a list":        func(target) string { return "[]" },
	"two documents": func(o target) string { return o.valid + o.valid },
	"cut off":       func(o target) string { return o.valid[:len(o.valid)-1] },
	"a member twice": func(o target) string {
		return with(with(o.valid, fmt.Sprintf(`%q:"a"`, o.text)), fmt.Sprintf(`%q:"b"`, o.text))
	},
	"twice, nested":         func(o target) string { return nested(o, `{"a":"1","a":"2"}`) },
	"in capitals":           func(o target) string { return with(o.valid, fmt.Sprintf(`%q:"a"`, strings.ToUpper(o.text))) },
	"a NUL":                 func(o target) string { return with(o.valid, fmt.Sprintf("%q:\"a\x00\"", o.text)) },
	"not UTF-8":             func(o target) string { return with(o.valid, fmt.Sprintf("%q:\"a\xff\"", o.text)) },
	"too deep":              func(o target) string { return nested(o, `{"a":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+"}") },
	"a number of 65 digits": func(o target) string { return nested(o, `{"a":`+strings.Repeat("9", 65)+"}") },
	"an unknown member":     func(o target) string { return with(o.valid, `"no_such_member":1`) },
	"a number for a text":   func(o target) string { return with(o.valid, fmt.Sprintf(`%q:1`, o.text)) },
	"a text of 200 KiB": func(o target) string {
		return with(o.valid, fmt.Sprintf(`%q:%q`, o.text, strings.Repeat("x", 200<<10)))
	},
}

func nested(o target, value string) string {
	if o.object == "" {
		return ""
	}
	return with(o.valid, fmt.Sprintf("%q:%s", o.object, value))
}

func TestABodyThatIsNotStrictJSONIs422AndWritesNothing(t *testing.T) {
	w := boot(t, Options{})
	all := targets(t, w)
	before := w.Rows(t)
	for _, o := range all {
		t.Run(o.name, func(t *testing.T) {
			w := people(t, w.Service)
			as := caller(w, o)
			if !o.optional {
				same(t, "no body", strings.Join(details(as.Do(o.method, o.path, "").Want(422)), ","), "missing body")
			}
			for name, make := range badBodies {
				body := make(o)
				if body == "" {
					continue
				}
				if reply := as.Do(o.method, o.path, body); reply.Status != 422 || len(details(reply)) == 0 {
					t.Errorf("%s: %s", name, reply)
				}
			}
			unchanged(t, w, before)
		})
	}
	// Each body is valid except for the change of its row.
	for _, o := range []int{0, 1, 2, 3, 4, 6, 7, 8, 5} {
		if reply := caller(w, all[o]).Do(all[o].method, all[o].path, all[o].valid); reply.Status >= 300 {
			t.Errorf("%s", reply)
		}
	}
}

// caller is an authorized caller of the target.
func caller(w *callers, o target) *Client {
	switch o.name {
	case "createRequest", "cancelRequest":
		return w.rita
	case "decideTask", "createDelegation":
		return w.ana
	default:
		return w.root
	}
}

func TestAnotherMediaTypeIs415(t *testing.T) {
	w := boot(t, Options{})
	all := targets(t, w)
	before := w.Rows(t)
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(`{"policy_key":"p"}`))
	must(t, z.Close())
	for _, o := range all {
		for name, headers := range map[string][]string{
			"absent": {"Content-Type", ""},
			"text":   {"Content-Type", "text/plain"},
			"gzip":   {"Content-Encoding", "gzip"},
		} {
			body := []byte(o.valid)
			if strings.Contains(name, "gzip") {
				body = zipped.Bytes()
			}
			if reply := caller(w, o).Do(o.method, o.path, body, headers...); reply.Status != 415 || reply.Code() != "WF-093" {
				t.Errorf("%s: %s", name, reply)
			}
		}
	}
	unchanged(t, w, before)
	w.rita.Post("/v1/wf/requests", `{"policy_key":"p"}`, "Content-Type", `application/json; charset="UTF-8"`).Want(201)
}

func TestAnIntegerIsWrittenAsOne(t *testing.T) {
	w := boot(t, Options{})
	for value, status := range map[string]int{
		"1.5": 422, "1e2": 422, "99999999999999999999": 422, `"1"`: 422, "true": 422, "-1": 422, "-0": 201, "2": 201, "1.0": 422,
	} {
		mode := `"mode":"count"`
		if value == "-0" {
			mode = `"mode":"any"`
		}
		key := fmt.Sprintf("p%d", len(value)) + strings.Trim(value, `"-.`)
		stage := override(bothApprove, fmt.Sprintf(`"quorum":{%s,"value":%s}`, mode, value))
		reply := w.root.Post("/v1/wf/policies", definition(key, "", stage))
		if reply.Status != status {
			t.Errorf("%s, want %d", reply, status)
		}
		if status == 422 && !strings.HasSuffix(details(reply)[0], " body.stages.0.quorum.value") {
			t.Errorf("%s does not name the member", reply)
		}
	}
}

func TestNothingOfTheInputIsEchoed(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	const secret = "s3cr3t-value"
	for _, body := range []string{
		`{"policy_key":{"a":"%s"}}`, `{"policy_key":"p","priority":"%s"}`, `{"policy_key":"p","link":"%s"}`, `{"policy_key":"p","expires_in":"%s"}`,
		`{"policy_key":"p","labels":"%s"}`, `{"policy_key":"p","context":"%s"}`,
		`{"policy_key":"p","attachments":[{"name":"a","url":"%s %%","media_type":"b"}]}`,
		`{"policy_key":"p","attachments":[{"name":"a","url":"u:u","media_type":"b","sha256":"%s"}]}`, `{"policy_key":"p","requester":"system:%s"}`,
		`{"policy_key":"p","title":"%s\u202e"}`, `{"policy_key":"p","context":{"a":"%s","a":1}}`, `{"policy_key":"p" "%s"}`,
	} {
		reply := w.rita.Post("/v1/wf/requests", fmt.Sprintf(body, secret)).Want(422)
		if strings.Contains(string(reply.Body), secret) {
			t.Errorf("%s echoes the input", reply)
		}
	}
	for _, query := range []string{"limit=%s", "status=%s", "sort=%s", "created_after=%s", "cursor=%s", "requester=" + strings.Repeat("x", 300) + "%s"} {
		reply := w.rita.Get("/v1/wf/requests?" + fmt.Sprintf(query, secret)).Want(422)
		if strings.Contains(string(reply.Body), secret) {
			t.Errorf("%s echoes the input", reply)
		}
	}
}

func TestAContextHasItsLimit(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	w.request("p", `"context":{"a":"`+strings.Repeat("x", 200<<10-8)+`"}`)
	found := details(w.rita.Post("/v1/wf/requests", `{"policy_key":"p","context":{"a":"`+strings.Repeat("x", 200<<10)+`"}}`).Want(422))
	same(t, "details", strings.Join(found, ","), "too_long body.context")
}

// The bound holds with and without a schema: 1e70 is short, and 71 digits are not.
func TestANumberOfAContextCanBeWrittenOut(t *testing.T) {
	w := boot(t, Options{})
	w.policy("free", "", bothApprove)
	w.root.Post("/v1/wf/policies", strings.Replace(definition("typed", "", bothApprove), `"name"`,
		`"context_schema":{"type":"object"},"name"`, 1)).Want(201)
	w.root.Post("/v1/wf/policies/typed/versions/1/activate", nil).Want(200)
	for _, key := range []string{"free", "typed"} {
		for number, loc := range map[string]string{"1e70": "a", "1e-64": "a", `[1,{"b":1e70}]`: "a.1.b", "1e63": "", "0e999": ""} {
			reply := w.root.Post("/v1/wf/requests", fmt.Sprintf(`{"policy_key":%q,"context":{"a":%s}}`, key, number))
			if loc != "" {
				same(t, number, strings.Join(details(reply.Want(422)), ","), "value_error body.context."+loc)
				continue
			}
			shown := reply.Want(201).Response("context") // a response is valid as input
			w.root.Post("/v1/wf/requests", fmt.Sprintf(`{"policy_key":%q,"context":%s}`, key, shown)).Want(201)
		}
	}
}
