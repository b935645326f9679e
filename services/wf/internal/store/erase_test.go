package store_test

import (
	"fmt"
	"testing"

	"github.com/countersign/countersign/services/wf/internal/store"
)

func TestAColumnLosesThePersonAndNothingElse(t *testing.T) {
	for text, want := range map[string]string{
		``: ``,
		`{"id":"ana","username":"a","name":"A","email":"e"}`:                          `{"id":"ana"}`,
		`{"name":"A","id":"ana","kind":"user"}`:                                       `{"id":"ana","kind":"user"}`,
		`{"id":"bo","name":"A"}`:                                                      `{"id":"bo","name":"A"}`,
		`[{"id":"ana","name":"A"},{"id":"bo","name":"B"}]`:                            `[{"id":"ana"},{"id":"bo","name":"B"}]`,
		`{"a":{"b":[{"id":"\u0061na","email":"e"}]},"n":1.50}`:                        `{"a":{"b":[{"id":"\u0061na"}]},"n":1.50}`,
		`{"id":"ana","name":{"given":"A"}}`:                                           `{"id":"ana","name":{"given":"A"}}`, // not a person of ours
		`{"id":"ana","data":{"id":"ana","name":"A"}}`:                                 `{"id":"ana","data":{"id":"ana","name":"A"}}`,
		`{"x":"\u003c\/é<","n":12345678901234567890,"e":[],"o":{},"t":true,"z":null}`: `{"x":"\u003c\/é<","n":12345678901234567890,"e":[],"o":{},"t":true,"z":null}`,
		"{\"id\":\"ana\",\"name\":\"A\"}\n":                                           "{\"id\":\"ana\"}\n",
	} {
		if got, err := store.Nameless(text, "ana", []string{"data"}); err != nil || got != want {
			t.Errorf("%s becomes %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{`{"id":"ana"`, `{"id":"ana","name":}`, `nonsense`} {
		if got, err := store.Nameless(text, "ana", nil); err == nil {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}

func TestNamesAreFoundPageByPage(t *testing.T) {
	defer store.EraseAtOnce(store.EraseAtOnce(2))
	each(t, func(t *testing.T, f *fixture) {
		const n = 5
		f.addPolicy("p")
		for i := range n {
			f.exec("INSERT INTO idempotency_key (principal, method, route, value, fingerprint, status, body, expires_ms) VALUES ('p', 'POST', '/', ?, 'f', 201, ?, 1)",
				fmt.Sprint(i), `{"id":"ana","name":"Ana"}`)
			f.exec("INSERT INTO policy_version SELECT policy_key, number + ?, 'draft', folded_name, labels, definition, content_hash, ?, updated_by, activated_by, retired_by, created_ms, updated_ms, activated_ms, retired_ms, rev FROM policy_version WHERE number = 1",
				i+1, `{"id":"ana","name":"Ana"}`)
		}
		for _, want := range []int{n, 0} {
			found := map[string]int{}
			err := f.Names(t.Context(), "ana", func(page store.Named) error {
				found[page.Table] += page.Len()
				return f.Do(t.Context(), func(tx *store.Tx) error { return tx.Erase(page) })
			})
			if err != nil || found["idempotency_key"] != want || found["policy_version"] != want {
				t.Errorf("found %v, %v; want %d of each", found, err, want)
			}
		}
	})
}
