package api_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/identity"
)

// wellFormedKey is a second, independent definition of a policy key.
var wellFormedKey = regexp.MustCompile(`^("[!-~]{1,255}"|[!#-~]([!-~]{0,253}[!#-~])?)$`)

// Any header value is either refused or names the first reply for good.
func FuzzIdempotencyKey(f *testing.F) {
	for _, key := range []string{"k", `"k"`, "", `"`, `""`, "a b", "\t", "ключ", strings.Repeat("k", 256), `a"b`, `"a`, "a,b", "~!"} {
		f.Add(key)
	}
	w := Boot(f, Options{})
	root := w.Client(f, "root", identity.RoleAdmin)
	root.Post("/v1/wf/policies", definition("p", "", bothApprove)).Want(201)
	root.Post("/v1/wf/policies/p/versions/1/activate", nil).Want(200)
	f.Fuzz(func(t *testing.T, key string) {
		if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			t.Skip("no client sends this, and no server takes it")
		}
		post := func(body string) Reply { return w.Client(t, "rita").Post("/v1/wf/requests", body, header, key) }
		if !wellFormedKey.MatchString(strings.Trim(key, " \t")) {
			post(`{"policy_key":"p"}`).Refused(422, "")
			return
		}
		first := post(`{"policy_key":"p"}`).Want(201)
		if again := post(`{ "policy_key": "p" }`); string(again.Body) != string(first.Body) {
			t.Errorf("%s\nis not a replay of\n%s", again, first)
		}
		post(`{"policy_key":"p","title":"x"}`).Refused(409, "WF-009")
	})
}

// No policy causes an internal error when it is created, used or changed.
func FuzzCreatePolicyBody(f *testing.F) {
	f.Add(definition("p", "", bothApprove))
	f.Add(definition("p", `{"expires_in":null,"auto_approve_when":"context.a == 1"}`, poolOfTwo))
	f.Add(definition("p", `{"on_no_stages":"approve"}`))
	f.Add(definition("p", "",
		`{"key":"s","name":"S","when":"[1].all(x, x / 0 == 1)","on_empty":"skip","approvers":[{"type":"expression","cel":"context.who"}]}`))
	f.Add(strings.Replace(definition("p", ""), `"name"`, `"context_schema":{"properties":{"a":{"pattern":"(a+)+$"}}},"name"`, 1))
	for _, m := range malformed {
		if m.stage != "" {
			f.Add(definition("p", m.settings, override(bothApprove, m.stage)))
		}
	}
	for _, make := range badBodies {
		f.Add(make(target{valid: definition("p", ""), text: "description", object: "labels"}))
	}
	w := Boot(f, Options{})
	f.Fuzz(func(t *testing.T, body string) {
		root, rita := w.Client(t, "root", identity.RoleAdmin), w.Client(t, "rita")
		created := root.Post("/v1/wf/policies", []byte(body))
		switch created.Status {
		case 201:
		case 409, 413, 422:
			return
		default:
			t.Fatalf("%s", created)
		}
		version := fmt.Sprintf("/v1/wf/policies/%s/versions/1", url.PathEscape(created.Response("policy_key")))
		root.Patch(version, `{}`).Want(200)
		root.Post(version+"/activate", nil).Want(200)
		for _, reply := range []Reply{
			root.Post(version+"/simulate", `{"context":{"a":1,"who":["ana"]}}`),
			rita.Post("/v1/wf/requests", fmt.Sprintf(`{"policy_key":%q,"context":{"a":1,"who":["ana"]}}`, created.Response("policy_key"))),
		} {
			if reply.Status >= 500 {
				t.Errorf("%s", reply)
			}
		}
	})
}
