package api_test

import (
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
