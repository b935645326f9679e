package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The pinned receipt is verified without a service.
func TestAReceiptIsVerifiedOffline(t *testing.T) {
	golden, err := filepath.Abs("../../internal/receipt/testdata")
	must(t, err)
	file := func(name string) string { return filepath.Join(golden, name) }
	dir := t.TempDir()
	for name, text := range map[string]string{"content.json": `{"amount":900}`, "not.json": "{"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	keys := httptest.NewServer(http.FileServer(http.Dir(golden)))
	defer keys.Close()
	for _, c := range []struct {
		want int
		out  string
		args []string
	}{
		{0, "valid: request 0198f000-0000-7000-8000-000000000001 was approved at 2027-03-01T12:00:00Z\n", nil},
		{0, "valid: ", []string{"--jwks", keys.URL + "/jwks.json"}},
		{2, "invalid: the policy is", []string{"--policy", "leave"}},
		{2, "invalid: the approved content has context_hash", []string{"--context", "content.json"}},
		{1, "", []string{"--jwks", keys.URL + "/absent.json"}},
		{1, "", []string{"--jwks", "http://keys.example.org/jwks.json"}},
		{1, "", []string{"--context", "not.json"}},
	} {
		args := []string{"receipt", "verify", file("receipt.jws"), "--jwks", file("jwks.json"), "--issuer",
			"https://approvals.example.org", "--at", "2027-03-01T12:30:00Z"}
		status, out, text := runs(t, dir, nil, append(args, c.args...)...)
		if status != c.want || !strings.HasPrefix(out, c.out) {
			t.Errorf("%v: exit status %d, %q, %s", c.args, status, out, text)
		}
	}
}

// The pinned export is verified with the pinned checkpoints, without a service.
func TestAnExportIsVerifiedOffline(t *testing.T) {
	golden, err := filepath.Abs("../../internal/trail/testdata")
	must(t, err)
	file := func(name string) string { return filepath.Join(golden, name) }
	read := func(name string) string {
		content, err := os.ReadFile(file(name))
		must(t, err)
		return string(content)
	}
	dir := t.TempDir()
	whole, kept := read("trail.ndjson"), read("checkpoints.jws")
	first, _, _ := strings.Cut(kept, "\n")
	for name, text := range map[string]string{
		"cut.ndjson": whole[:len(whole)-90], "none.jws": "", "garbled.jws": kept + "x\n",
		"webhooks.ndjson": `{"type":"audit.checkpoint","data":{"checkpoint":"` + first + `"}}`,
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, c := range []struct {
		want int
		out  string
		args []string
	}{
		{0, "valid: 14 events in 3 chains, 1 purged requests, 4 checkpoints\n", nil},
		{0, "valid: 14 events in 3 chains, 1 purged requests, 1 checkpoints\n", []string{"--checkpoints", "webhooks.ndjson"}},
		{2, "line 5 of the checkpoints: not a JWS in compact form\n", []string{"--checkpoints", "garbled.jws"}},
		{1, "", []string{"--checkpoints", "none.jws"}},
		{1, "", []string{"--jwks", ""}},
	} {
		args := []string{"audit", "verify", file("trail.ndjson"), "--checkpoints", file("checkpoints.jws"), "--jwks", file("jwks.json")}
		status, out, text := runs(t, dir, nil, append(args, c.args...)...)
		if status != c.want || !strings.HasPrefix(out, c.out) {
			t.Errorf("%v: exit status %d, %q, %s", c.args, status, out, text)
		}
	}
	for export, want := range map[string]int{"cut.ndjson": 2, "absent.ndjson": 1} {
		status, out, _ := runs(t, dir, nil, "audit", "verify", export, "--checkpoints", file("checkpoints.jws"), "--jwks", file("jwks.json"))
		if status != want || (out != "") != (want == 2) {
			t.Errorf("%s: exit status %d, %q", export, status, out)
		}
	}
}
