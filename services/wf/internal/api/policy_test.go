package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/internal/server"
)

func TestAPolicyGoesThroughItsStates(t *testing.T) {
	w := boot(t, Options{})
	created := w.root.Post("/v1/wf/policies", definition("pay.out", "", bothApprove)).Want(201)
	same(t, "Location", created.Header.Get("Location"), "/v1/wf/policies/pay.out/versions/1")
	same(t, "ETag", created.Header.Get("ETag"), created.Response("etag"))
	same(t, "status", created.Response("status"), "draft")
	same(t, "created_by", created.Response("created_by", "id"), "root")
	same(t, "created_at", created.Response("created_at"), "2026-03-01T12:00:00.000Z")
	w.root.Post("/v1/wf/policies", definition("pay.out", "", bothApprove)).Refused(409, "WF-002")

	edited := w.root.Patch("/v1/wf/policies/pay.out/versions/1", `{"name":"Pay out"}`).Want(200)
	same(t, "name", edited.Response("name"), "Pay out")
	if edited.Response("etag") == created.Response("etag") || edited.Response("content_hash") == created.Response("content_hash") {
		t.Errorf("%s has the tag and hash of before", edited)
	}

	first := w.root.Post("/v1/wf/policies/pay.out/versions/1/activate", nil).Want(200)
	same(t, "status", first.Response("status"), "active")
	same(t, "activated_by", first.Response("activated_by", "id"), "root")
	again := w.root.Post("/v1/wf/policies/pay.out/versions/1/activate", nil).Want(200)
	same(t, "etag after a second activation", again.Response("etag"), first.Response("etag"))

	added := w.root.Put("/v1/wf/policies/pay.out", `{"name":"Two","stages":[]}`).Want(201)
	same(t, "Location", added.Header.Get("Location"), "/v1/wf/policies/pay.out/versions/2")
	same(t, "version", added.Response("version"), "2")
	same(t, "policy_key", added.Response("policy_key"), "pay.out")
	same(t, "active version", w.vic.Get("/v1/wf/policies/pay.out").Want(200).Response("version"), "1")

	w.root.Post("/v1/wf/policies/pay.out/versions/2/activate", nil).Want(200)
	same(t, "version 1", w.vic.Get("/v1/wf/policies/pay.out/versions/1").Want(200).Response("status"), "retired")
	w.root.Post("/v1/wf/policies/pay.out/versions/1/deactivate", nil).Refused(409, "WF-007")
	w.root.Post("/v1/wf/policies/pay.out/versions/2/deactivate", nil).Want(200)
	w.root.Post("/v1/wf/policies/pay.out/versions/2/deactivate", nil).Refused(409, "WF-007")
	same(t, "latest version", w.vic.Get("/v1/wf/policies/pay.out").Want(200).Response("version"), "2")
	same(t, "the roll-back", w.root.Post("/v1/wf/policies/pay.out/versions/1/activate", nil).Want(200).Response("status"), "active")
}

func TestMergePatchChangesOnlyGivenMembers(t *testing.T) {
	w := boot(t, Options{})
	w.root.Post("/v1/wf/policies", `{"policy_key":"p","name":"Policy","description":"text","labels":{"a":"1","b":"2"},
		"context_schema":{"type":"object"},"settings":{"expires_in":"P1D","on_behalf":"none","require_comment":{"reject":true}},"stages":[`+bothApprove+`]}`).Want(201)
	const path = "/v1/wf/policies/p/versions/1"
	for _, step := range []struct {
		patch string
		at    []any
		want  string
	}{
		{`{}`, []any{"name"}, "Policy"},
		{`{"policy_key":"p","version":1}`, []any{"name"}, "Policy"},
		{`{"description":null}`, []any{"description"}, ""},
		{`{"labels":{"a":null,"c":"3"}}`, []any{"labels"}, `{"b":"2","c":"3"}`},
		{`{"settings":{"on_behalf":null}}`, []any{"settings"}, `{"expires_in":"P1D","require_comment":{"reject":true}}`},
		{`{"settings":{"require_comment":null}}`, []any{"settings"}, `{"expires_in":"P1D"}`},
		{`{"settings":{"expires_in":null}}`, []any{"settings"}, ""}, // the default again: a merge patch cannot write null
		{`{"context_schema":null}`, []any{"context_schema"}, ""},
		{`{"context_schema":{"type":"object","required":["n"]}}`, []any{"context_schema"}, `{"required":["n"],"type":"object"}`},
		{`{"settings":{"max_revisions":2}}`, []any{"settings"}, `{"max_revisions":2}`},
		{`{"settings":null}`, []any{"settings"}, ""},
		{`{"stages":[]}`, []any{"stages"}, "[]"},
		{`{"stages":[{"key":"s","name":"S","decision_schema":null,"approvers":[{"type":"user","ids":["ana"],"params":null}]}]}`,
			[]any{"stages", 0, "approvers"}, `[{"ids":["ana"],"type":"user"}]`},
	} {
		w.root.Patch(path, step.patch).Want(200)
		same(t, step.patch, w.root.Get(path).Want(200).Response(step.at...), step.want)
	}

	w.root.Put("/v1/wf/policies/p", `{"name":"Policy","settings":{"expires_in":null},"stages":[]}`).Want(201)
	w.root.Patch("/v1/wf/policies/p/versions/2", `{"name":"Changed"}`).Want(200)
	same(t, "never", w.root.Get("/v1/wf/policies/p/versions/2").Response("settings"), `{"expires_in":null}`)
}

func TestMissingPolicyFieldsEqualDefaults(t *testing.T) {
	w := boot(t, Options{})
	null := `{"policy_key":"null","name":"Policy","description":null,"artifact_type":null,"context_schema":null,"settings":null,"labels":null,"change_note":null,
		"stages":[{"key":"s","name":"S","when":null,"decision_schema":null,"reauth":null,"quorum":null,"approvers":[{"type":"user","ids":["ana"],"params":null,"label":null}]}]}`
	absent := `{"policy_key":"absent","name":"Policy","stages":[{"key":"s","name":"S","approvers":[{"type":"user","ids":["ana"]}]}]}`
	same(t, "content_hash", w.root.Post("/v1/wf/policies", null).Want(201).Response("content_hash"),
		w.root.Post("/v1/wf/policies", absent).Want(201).Response("content_hash"))

	settings := func(key, params string) string {
		rule := `[{"type":"user","ids":["ana"]` + params + `}]`
		return definition(key, `{"submitters":`+rule+`,"fallback_approvers":`+rule+`}`, bothApprove)
	}
	same(t, "content_hash with settings", w.root.Post("/v1/wf/policies", settings("n", `,"params":null`)).Want(201).Response("content_hash"),
		w.root.Post("/v1/wf/policies", settings("a", "")).Want(201).Response("content_hash"))
}

// malformed are definitions that match the JSON Schema and break a rule of policies, with the pointer
// of the message.
var malformed = []struct{ name, settings, stage, pointer string }{
	{"a schema that takes too long", "", `"decision_schema":` + doublingSchema(22), "/stages/0/decision_schema"},
	{"a condition that does not compile", "", `"when":"context.amount >"`, "/stages/0/when"},
	{"a condition that is too deep", "", fmt.Sprintf(`"when":"%strue%s"`, strings.Repeat("(", 2000), strings.Repeat(")", 2000)), "/stages/0/when"},
	{"an expiry that is none", `{"expires_in":"tomorrow"}`, "", "/settings/expires_in"},
	{"a due date that is a number", "", `"deadline":{"due_cel":"1"}`, "/stages/0/deadline/due_cel"},
	{"a due date by the clock", "", `"deadline":{"due_cel":"now + duration('1h')"}`, "/stages/0/deadline/due_cel"},
	{"a due date by a stage", "", `"deadline":{"due_cel":"stages['s'].status"}`, "/stages/0/deadline/due_cel"},
	{"a rule by the clock", "", `"approvers":[{"type":"user","ids":["ana"],"when":"now > request.created_at"}]`,
		"/stages/0/approvers/0/when"},
	{"no validity", `{"validity":{}}`, "", "/settings/validity"},
	{"a validity of seconds", `{"validity":{"valid_for":"PT59S"}}`, "", "/settings/validity/valid_for"},
	{"a validity over ten years", `{"validity":{"valid_for":"P3661D"}}`, "", "/settings/validity/valid_for"},
	{"a validity in years", `{"validity":{"valid_for":"P11Y"}}`, "", "/settings/validity/valid_for"},
	{"two validities", `{"validity":{"valid_for":"P1D","valid_for_cel":"'P1D'"}}`, "",
		"/settings/validity/valid_for_cel"},
	{"a validity that is a time", `{"validity":{"valid_for_cel":"timestamp(context.a)"}}`, "",
		"/settings/validity/valid_for_cel"},
	{"a validity by the clock", `{"validity":{"valid_for_cel":"now - now"}}`, "", "/settings/validity/valid_for_cel"},
	{"a start by the clock", `{"validity":{"from_cel":"now"}}`, "", "/settings/validity/from_cel"},
	{"a start that is a text", `{"validity":{"from_cel":"'soon'"}}`, "", "/settings/validity/from_cel"},
	{"an end by the clock", `{"validity":{"until_cel":"now"}}`, "", "/settings/validity/until_cel"},
	{"an end by a stage", `{"validity":{"until_cel":"stages['s'].approvals"}}`, "", "/settings/validity/until_cel"},
	{"an end that is a text", `{"validity":{"until_cel":"'soon'"}}`, "", "/settings/validity/until_cel"},
	{"an end that does not compile", `{"validity":{"until_cel":"timestamp("}}`, "", "/settings/validity/until_cel"},
	{"consumers without single use", `{"consumers":{"users":["ana"]}}`, "", "/settings/consumers"},
	{"no consumers", `{"single_use":true,"consumers":{}}`, "", "/settings/consumers"},
	{"a consumer of the service's", `{"single_use":true,"consumers":{"users":["system:policy"]}}`, "",
		"/settings/consumers/users/0"},
	{"a consumer without a role", `{"single_use":true,"consumers":{"roles":["a",""]}}`, "",
		"/settings/consumers/roles/1"},
	{"no owners", `{"owners":{}}`, "", "/settings/owners"},
	{"an owner of the service's", `{"owners":{"users":["system:policy"]}}`, "", "/settings/owners/users/0"},
	{"an owner without a role", `{"owners":{"roles":[""]}}`, "", "/settings/owners/roles/0"},
}

// Definitions that violate the JSON Schema are refused alike by every operation.
func TestADefinitionOfAnotherShapeIsRefused(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	many := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	const ana = `{"type":"user","ids":["ana"]}`
	for _, row := range []struct{ settings, stage string }{
		{"", `"deadline":{"due_in":"PT1H","on_due":"approve"}`}, {"", `"deadline":{"due_in":"PT1H","on_due":"reject"}`},
		{"", `"deadline":{"due_in":1}`},
		{"", `"deadline":{"due_in":"PT1H","remind_before":[` + many(6, `"PT1M"`) + `]}`},
		{"", `"deadline":{"due_in":"PT1H","on_due":"escalate","escalate_to":[]}`},
		{"", `"deadline":{"due_in":"PT1H","on_due":"escalate","escalate_to":[` + many(11, ana) + `]}`},
		{"", `"exclude":[` + many(21, ana) + `]`}, {`{"exclude":[` + many(21, ana) + `]}`, ""},
		{`{"validity":{"valid_for":1}}`, ""}, {`{"validity":{"valid_until":"PT1H"}}`, ""}, {`{"single_use":"yes"}`, ""},
		{`{"single_use":true,"consumers":{"groups":["a"]}}`, ""}, {`{"owners":["olga"]}`, ""},
		{`{"single_use":true,"consumers":{"roles":[` + many(51, `"a"`) + `]}}`, ""},
	} {
		stage := bothApprove
		if row.stage != "" {
			stage = override(bothApprove, row.stage)
		}
		body := definition("p", row.settings, stage)
		w.root.Put("/v1/wf/policies/p", body).Refused(422, "")
		w.root.Patch("/v1/wf/policies/p/versions/1", body).Refused(422, "")
		posted := w.root.Post("/v1/wf/policies", body)
		posted.Refused(422, "")
		if found := details(posted); len(found) == 0 || strings.HasPrefix(found[0], "policy_invalid") {
			t.Errorf("POST: %s, want an error of the shape", posted)
		}
	}
}

func TestMalformedDefinitionIsDistinctFromInvalidShape(t *testing.T) {
	w := boot(t, Options{})
	w.root.Post("/v1/wf/policies", definition("p", "", bothApprove)).Want(201)
	w.policy("active", "", bothApprove)
	for _, m := range malformed {
		t.Run(m.name, func(t *testing.T) {
			w := people(t, w.Service)
			stage := bothApprove
			if m.stage != "" {
				stage = override(bothApprove, m.stage)
			}
			before := w.Rows(t)
			posted := w.root.Post("/v1/wf/policies", definition("new", m.settings, stage))
			posted.Refused(422, "")
			want := "policy_invalid body" + strings.ReplaceAll(m.pointer, "/", ".")
			if found := details(posted); len(found) == 0 || found[0] != want {
				t.Errorf("POST: %s, want %s", posted, want)
			}
			body := strings.Replace(definition("p", m.settings, stage), `"policy_key":"p",`, "", 1)
			for _, reply := range []Reply{w.root.Put("/v1/wf/policies/p", body), w.root.Patch("/v1/wf/policies/p/versions/1", body)} {
				if message := reply.Refused(400, "WF-010"); !strings.HasPrefix(message, m.pointer+":") {
					t.Errorf("%s, want %s first", reply, m.pointer)
				}
			}
			w.root.Put("/v1/wf/policies/none", body).Refused(404, "WF-001")
			w.root.Patch("/v1/wf/policies/none/versions/1", body).Refused(404, "WF-001")
			w.root.Patch("/v1/wf/policies/active/versions/1", body).Refused(400, "WF-010")
			unchanged(t, w, before)
		})
	}
}

// doublingSchema applies each of its definitions twice to one value.
func doublingSchema(levels int) string {
	var defs []string
	for i := range levels {
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s,"d%d":{}}}`, strings.Join(defs, ","), levels)
}

// override puts members in front of an object that has them already, without the old
// ones.
func override(object, members string) string {
	name, _, _ := strings.Cut(members, ":")
	start := strings.Index(object, name+":")
	switch {
	case strings.Contains(members, `,"approvers"`):
		return `{"key":"s","name":"Stage",` + members + "}"
	case start < 0:
		return object[:len(object)-1] + "," + members + "}"
	case name == `"approvers"`:
		return object[:start] + members + "}"
	default:
		end := start + strings.Index(object[start:], ",")
		return object[:start] + members + object[end:]
	}
}

// unchanged fails when a row was written since before was counted.
func unchanged(t *testing.T, w *callers, before map[string]int64) {
	t.Helper()
	for table, n := range w.Rows(t) {
		if n != before[table] {
			t.Errorf("%s has %d rows, want %d", table, n, before[table])
		}
	}
}

func TestTheKeyAndVersionOfABodyMustBeThoseOfThePath(t *testing.T) {
	w := boot(t, Options{})
	w.root.Post("/v1/wf/policies", definition("p", "", bothApprove)).Want(201)
	w.root.Put("/v1/wf/policies/p", definition("q", "", bothApprove)).Refused(400, "WF-010")
	w.root.Put("/v1/wf/policies/p", definition("p", "", bothApprove)).Want(201)
	w.root.Put("/v1/wf/policies/q", definition("q", "", bothApprove)).Refused(404, "WF-001")
	const draft = "/v1/wf/policies/p/versions/1"
	w.root.Patch(draft, `{"policy_key":"q"}`).Refused(400, "WF-010")
	w.root.Patch(draft, `{"version":2}`).Refused(400, "WF-010")
	w.root.Patch("/v1/wf/policies/p/versions/3", `{}`).Refused(404, "WF-001")
	w.root.Patch(draft, `{"version":0}`).Refused(400, "WF-010")
	w.root.Patch(draft, `{"policy_key":""}`).Refused(400, "WF-010")
	w.root.Put("/v1/wf/policies/p", `{"policy_key":"","name":"x","stages":[]}`).Refused(400, "WF-010")
	w.root.Patch(draft, `{"policy_key":null,"version":null}`).Want(200)
	for name, found := range map[string]string{ // as if the member were absent
		`{"name":null}`: "missing body.name", `{"stages":null}`: "missing body.stages",
		`{"stages":null,"name":null}`:                           "missing body.stages, missing body.name",
		`{"stages":[{"key":"s","name":null,"approvers":null}]}`: "string_type body.stages.0.name, list_type body.stages.0.approvers",
	} {
		same(t, name, strings.Join(details(w.root.Patch(draft, name).Want(422)), ", "), found)
	}
	w.root.Patch(draft, `{"name":""}`).Refused(422, "")

	labels := func(prefix string) string {
		var members []string
		for i := range 15 {
			members = append(members, fmt.Sprintf(`"%s%d":"x"`, prefix, i))
		}
		return `{"labels":{` + strings.Join(members, ",") + `}}`
	}
	w.root.Patch(draft, labels("a")).Want(200)
	w.root.Patch(draft, labels("b")).Refused(422, "")
}

func TestEveryProblemOfADefinitionIsListed(t *testing.T) {
	w := boot(t, Options{})
	w.root.Post("/v1/wf/policies", definition("p", "", bothApprove)).Want(201)
	const stages = `"stages":[{"key":"S","name":"S","when":"context.amount = 5","approvers":[{"type":"user","ids":["ana"],"role":"officer"}]}]`
	want := []string{
		"/version: differs from the version in the path",
		"/settings/max_revisions: must be between 0 and 20",
		"/stages/0/key: must match ^[a-z][a-z0-9_-]{0,63}$",
		"/stages/0/when: line 1, column 16: Syntax error: token recognition error at: '= '; 1 more",
		"/stages/0/approvers/0/role: role applies to rules of type role, not user",
	}
	patched := w.root.Patch("/v1/wf/policies/p/versions/1", `{"version":7,"settings":{"max_revisions":21},`+stages+`}`).Refused(400, "WF-010")
	same(t, "PATCH", patched, strings.Join(want, "\n"))
	want[0] = "/policy_key: differs from the key in the path"
	put := w.root.Put("/v1/wf/policies/p", `{"policy_key":"q","name":"P","settings":{"max_revisions":21},`+stages+`}`).Refused(400, "WF-010")
	same(t, "PUT", put, strings.Join(want, "\n"))
	posted := details(w.root.Post("/v1/wf/policies", `{"policy_key":"q","name":"P","settings":{"max_revisions":21},`+stages+`}`).Want(422))
	same(t, "POST", strings.Join(posted, ", "), "policy_invalid body.settings.max_revisions, policy_invalid body.stages.0.key, "+
		"policy_invalid body.stages.0.when, policy_invalid body.stages.0.approvers.0.role")

	var many []string
	for range 60 {
		many = append(many, `""`)
	}
	posted = details(w.root.Post("/v1/wf/policies",
		definition("q", "", override(bothApprove, `"approvers":[{"type":"user","ids":[`+strings.Join(many, ",")+
			`]}]`))).Want(422))
	same(t, "entries", len(posted), 50)
}

func TestAMergePatchHasItsOwnMediaType(t *testing.T) {
	w := boot(t, Options{})
	w.root.Post("/v1/wf/policies", definition("p", "", bothApprove)).Want(201)
	for media, status := range map[string]int{
		"application/merge-patch+json": 200, "application/merge-patch+json; charset=utf-8": 200, "application/json": 200,
		"application/json-patch+json": 415, "text/json": 415,
	} {
		w.root.Patch("/v1/wf/policies/p/versions/1", `{"name":"Named"}`, "Content-Type", media).Want(status)
	}
	w.root.Put("/v1/wf/policies/p", definition("p", "", bothApprove), "Content-Type", "application/merge-patch+json").Refused(415, "WF-093")
}

func TestAVersionIsAddedUnlessItIsUnchanged(t *testing.T) {
	w := boot(t, Options{})
	w.root.Post("/v1/wf/policies", definition("p", "", bothApprove)).Want(201)
	body := definition("p", "", bothApprove)
	noted := strings.Replace(body, `"name"`, `"change_note":"from the repository","name"`, 1)
	first := w.root.Get("/v1/wf/policies/p/versions/1").Want(200)
	unchanged := w.root.Put("/v1/wf/policies/p?unless_unchanged=true", noted).Want(200)
	same(t, "version", unchanged.Response("version"), "1")
	same(t, "etag", unchanged.Header.Get("ETag"), first.Header.Get("ETag"))
	same(t, "Location", unchanged.Header.Get("Location"), "")
	same(t, "version", w.root.Put("/v1/wf/policies/p?unless_unchanged=false", body).Want(201).Response("version"), "2")
	changed := w.root.Put("/v1/wf/policies/p?unless_unchanged=true", definition("p", `{"on_behalf":"none"}`, bothApprove)).Want(201)
	same(t, "Location", changed.Header.Get("Location"), "/v1/wf/policies/p/versions/3")
	w.root.Put("/v1/wf/policies/q?unless_unchanged=true", definition("q", "", bothApprove)).Refused(404, "WF-001")
	w.root.Put("/v1/wf/policies/p?unless_unchanged=perhaps", body).Refused(422, "")
}

func TestADraftIsDeletedAndItsNumberNotGivenAgain(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	draft := w.root.Put("/v1/wf/policies/p", definition("p", "", bothApprove)).Want(201)
	const path = "/v1/wf/policies/p/versions/2"
	w.vic.Delete(path).Refused(403, "WF-008")
	w.root.Do("DELETE", path, nil, "If-Match", `"99"`).Refused(409, "WF-007")
	gone := w.root.Do("DELETE", path, nil, "If-Match", draft.Header.Get("ETag")).Want(200)
	same(t, "version", gone.Response("version"), "2")
	w.root.Delete(path).Refused(404, "WF-001")
	w.root.Delete("/v1/wf/policies/p/versions/1").Refused(409, "WF-007")
	w.root.Delete("/v1/wf/policies/q/versions/1").Refused(404, "WF-001")
	same(t, "version", w.root.Put("/v1/wf/policies/p", definition("p", "", bothApprove)).Want(201).Response("version"), "3")

	w.root.Post("/v1/wf/policies", definition("lone", "", bothApprove)).Want(201)
	w.root.Delete("/v1/wf/policies/lone/versions/1").Want(200)
	w.root.Get("/v1/wf/policies/lone").Refused(404, "WF-001")
	w.root.Get("/v1/wf/policies/lone/versions").Refused(404, "WF-001")
	w.root.Post("/v1/wf/policies", definition("lone", "", bothApprove)).Refused(409, "WF-002")
	same(t, "version", w.root.Put("/v1/wf/policies/lone", definition("lone", "", bothApprove)).Want(201).Response("version"), "2")
}

func TestAnEntityTagGuardsAVersion(t *testing.T) {
	w := boot(t, Options{})
	created := w.root.Post("/v1/wf/policies", definition("p", "", bothApprove)).Want(201)
	const path = "/v1/wf/policies/p/versions/1"
	w.root.Patch(path, `{"name":"A"}`, "If-Match", `"99"`).Refused(409, "WF-007")
	edited := w.root.Patch(path, `{"name":"A"}`, "If-Match", created.Header.Get("ETag")).Want(200)
	w.root.Patch(path, `{"name":"B"}`, "If-Match", created.Header.Get("ETag")).Refused(409, "WF-007")
	w.root.Patch(path, `{"name":"B"}`, "If-Match", "*").Want(200)
	same(t, "name", w.root.Get(path).Response("name"), "B")
	active := w.root.Post(path+"/activate", nil).Want(200)
	w.root.Post(path+"/deactivate", nil, "If-Match", edited.Header.Get("ETag")).Refused(409, "WF-007")
	w.root.Post(path+"/deactivate", nil, "If-Match", active.Header.Get("ETag")).Want(200)
	w.root.Post(path+"/deactivate", nil, "If-Match", "").Refused(422, "")
}

func TestVersionsAreCompared(t *testing.T) {
	w := boot(t, Options{})
	stage := func(key, approver, rest string) string {
		return fmt.Sprintf(`{"key":%q,"name":"S","approvers":[{"type":"user","ids":[%q]}]%s}`, key, approver, rest)
	}
	w.policy("p", "", stage("a", "ana", ""), stage("b", "bo", ""), stage("c", "cy", ""), stage("d", "dan", ""))
	w.root.Put("/v1/wf/policies/p", definition("p", `{"admin_override":true}`,
		stage("c", "cy", ""), stage("b", "bea", `,"assignment":"pool","quorum":{"mode":"any"}`), stage("a", "ana", ""), stage("e", "eve", ""))).Want(201)
	path := "/v1/wf/policies/p/versions/2/diff?against="
	same(t, "difference", w.vic.Get(path+"1").Want(200).Text("response"), `{"members":[],"settings":["admin_override"],"stages":[`+
		`{"approvers_added":[],"approvers_removed":[],"change":"moved","key":"c","members":[]},`+
		`{"approvers_added":[{"ids":["bea"],"type":"user"}],"approvers_removed":[{"ids":["bo"],"type":"user"}],"change":"changed","key":"b","members":["assignment","quorum"]},`+
		`{"approvers_added":[],"approvers_removed":[],"change":"moved","key":"a","members":[]},`+
		`{"approvers_added":[{"ids":["eve"],"type":"user"}],"approvers_removed":[],"change":"added","key":"e","members":[]},`+
		`{"approvers_added":[],"approvers_removed":[{"ids":["dan"],"type":"user"}],"change":"removed","key":"d","members":[]}]}`)
	same(t, "itself", w.vic.Get(path+"2").Want(200).Text("response"), `{"members":[],"settings":[],"stages":[]}`)
	for _, against := range []string{"0", "-1", "3", "9999999999"} {
		w.vic.Get(path+against).Refused(404, "WF-001")
	}
	w.vic.Get(path+"x").Refused(422, "")
	w.vic.Get("/v1/wf/policies/p/versions/2/diff").Refused(422, "")
	w.ana.Get(path+"1").Refused(403, "WF-008")
}

func TestAVersionIsAPlainPositiveNumber(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	for _, v := range []string{"0", "-1", "1.5", "01", "+1", "99999999999", "9999999999999999999999", "abc", "latest", "2", "1%20", "%C2%B9"} {
		for _, op := range w.Operations() {
			if !strings.Contains(op.Path, "{v}") {
				continue
			}
			var body any
			if op.RequestBody != nil {
				body = "{}"
			}
			path := strings.NewReplacer("{key}", "p", "{v}", v).Replace(op.Path)
			if op.ID == "compareVersions" {
				path += "?against=1"
			}
			w.root.Do(op.Method, path, body).Refused(404, "WF-001")
		}
	}
}

func TestAPolicyKeyHasItsForm(t *testing.T) {
	w := boot(t, Options{})
	escaped := strings.NewReplacer("/", "%2F", " ", "%20", "Ä", "%C3%84", "\u0430", "%D0%B0")
	for _, key := range []string{"../x", strings.Repeat("k", 129), strings.Repeat("k", 256), "a b", "Ä", "\u0430", "", ".x", "-x", "a/b"} {
		w.root.Post("/v1/wf/policies", definition(key, "", bothApprove)).Refused(422, "")
		w.rita.Post("/v1/wf/requests", fmt.Sprintf(`{"policy_key":%q}`, key)).Want(map[bool]int{true: 422, false: 404}[key == "" || len(key) > 128])
		if strings.Contains(key, "/") {
			w.root.Get("/v1/wf/policies/"+escaped.Replace(key)).Refused(404, "WF-090")
			continue
		}
		if key == "" {
			w.root.Get("/v1/wf/policies//versions").Refused(404, "WF-090")
			continue
		}
		w.root.Get("/v1/wf/policies/"+escaped.Replace(key)).Refused(404, "WF-001")
		w.root.Put("/v1/wf/policies/"+escaped.Replace(key), `{"name":"x","stages":[]}`).Refused(404, "WF-001")
		w.root.Get("/v1/wf/policies/"+escaped.Replace(key)+"/versions").Refused(404, "WF-001")
		w.root.Get("/v1/wf/policies/"+escaped.Replace(key)+"/versions/1").Refused(404, "WF-001")
	}
	w.root.Post("/v1/wf/policies", definition(strings.Repeat("k", 128), "", bothApprove)).Want(201)
}

// Example 55.
func TestFourEyesKeepTheEditorFromActivating(t *testing.T) {
	w := boot(t, Options{Config: func(c *server.Config) { c.FourEyes = true }})
	max := w.Client(t, "max", "WF_ADMIN")
	w.root.Post("/v1/wf/policies", definition("p", "", bothApprove)).Want(201)
	const version = "/v1/wf/policies/p/versions/1"
	activate := func(c *Client, tag, hash string) Reply {
		var headers []string
		if tag != "" {
			headers = []string{"If-Match", tag}
		}
		return c.Do("POST", version+"/activate", fmt.Sprintf(`{"content_hash":%q}`, hash), headers...)
	}
	seen := max.Get(version).Want(200)
	edited := w.root.Patch(version, `{"name":"Other"}`).Want(200)
	activate(max, seen.Response("etag"), "").Refused(403, "WF-008")
	activate(max, "", seen.Response("content_hash")).Refused(403, "WF-008")
	for _, tag := range []string{"", "*"} {
		same(t, "neither", fmt.Sprint(details(activate(max, tag, "").Want(422))), "[missing body.content_hash]")
	}
	same(t, "no body", fmt.Sprint(details(max.Post(version+"/activate", nil).Want(422))), "[missing body.content_hash]")
	empty := max.Patch(version, `{}`).Want(200)
	same(t, "author after an empty PATCH", empty.Response("updated_by", "id")+" "+empty.Response("etag"), "root "+edited.Response("etag"))
	edited = max.Patch(version, `{"change_note":"As agreed"}`).Want(200)
	same(t, "author after a PATCH of the note", edited.Response("updated_by", "id"), "root")
	content := edited.Response("content_hash")
	activate(w.root, "", content).Refused(403, "WF-008")
	active := activate(max, edited.Response("etag"), content).Want(200)
	activate(w.root, active.Response("etag"), "").Want(200) // no change
	w.root.Post("/v1/wf/policies/p/versions/1/deactivate", nil).Want(200)
	activate(w.root, "", content).Refused(403, "WF-008")
	activate(max, "", content).Want(200)

	again := strings.Replace(definition("p", "", bothApprove), "Policy", "Other", 1)
	same(t, "author of the same content", max.Put("/v1/wf/policies/p", again).Want(201).Response("updated_by", "id"), "root")
	w.root.Post("/v1/wf/policies/p/versions/2/activate", fmt.Sprintf(`{"content_hash":%q}`, content)).Refused(403, "WF-008")
}
