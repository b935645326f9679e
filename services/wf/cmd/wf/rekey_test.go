package main

import (
	"strings"
	"syscall"
	"testing"

	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// An operator replaces the key that encrypts the secrets of endpoints.
func TestRekeyReplacesTheKey(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, url string) {
		dir := t.TempDir()
		first, second := "k1:"+seal.NewKey(), "k2:"+seal.NewKey()
		with := func(keys string) []string { return append(development(url), "WF_ENC_KEYS="+keys) }
		_, token, _ := runs(t, dir, nil, "token", "--sub", "ana", "--role", "WF_ADMIN")
		token = strings.TrimSpace(token)

		serves := func(keys string, during func(admin *wftest.Client)) {
			t.Helper()
			p := start(t, dir, with(keys), "serve")
			if url := p.ready(); during != nil {
				during(wftest.At(t, url, token))
			}
			must(t, p.cmd.Process.Signal(syscall.SIGTERM))
			if status := p.status(); status != 0 {
				t.Errorf("ended with %d:\n%s", status, &p.err)
			}
		}
		fails := func(keys string, args ...string) {
			t.Helper()
			status, out, text := runs(t, dir, with(keys), args...)
			if status != 1 || !strings.Contains(text, "WF_ENC_KEYS") || !strings.Contains(text, "ledger") {
				t.Errorf("%s ended with %d, want words of WF_ENC_KEYS and ledger:\n%s", args, status, text)
			}
			for key := range strings.SplitSeq(keys, ",") {
				if _, secret, _ := strings.Cut(key, ":"); strings.Contains(out+text, secret) {
					t.Errorf("%s shows a key:\n%s%s", args, out, text)
				}
			}
		}
		rekeys := func(keys, want string) {
			t.Helper()
			if status, out, text := runs(t, dir, with(keys), "rekey"); status != 0 || !strings.HasSuffix(out, ": "+want+" endpoints re-encrypted\n") {
				t.Fatalf("rekey ended with %d, printed %q:\n%s", status, out, text)
			}
		}

		serves(first, func(admin *wftest.Client) {
			admin.Post("/v1/wf/admin/webhooks", `{"name":"ledger","url":"https://ledger.example/"}`).Want(201)
		})
		fails(second, "rekey")
		serves(second, func(admin *wftest.Client) {
			if health := string(admin.Get("/v1/wf/health").Body); !strings.Contains(health, "no key decrypts their secrets: 1") {
				t.Errorf("health without the key: %s", health)
			}
			list := string(admin.Get("/v1/wf/admin/webhooks").Body)
			if !strings.Contains(list, `"paused_reason":"key_unavailable"`) {
				t.Errorf("endpoints without the key: %s", list)
			}
		})
		serves(second+","+first, nil)
		rekeys(second+","+first, "1")
		rekeys(second+","+first, "0")
		serves(first, func(admin *wftest.Client) {
			if health := string(admin.Get("/v1/wf/health").Body); !strings.Contains(health, "no key decrypts their secrets: 1") {
				t.Errorf("health with the old key: %s", health)
			}
		})
		serves(second, func(admin *wftest.Client) {
			if health := string(admin.Get("/v1/wf/health").Body); strings.Contains(health, "notes") {
				t.Errorf("health with the new key: %s", health)
			}
		})
	})
}
