package main

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

func TestOperatorsFindAndDisableClientsWithAToken(t *testing.T) {
	dir := t.TempDir()
	p := serve(t, dir)
	admin := program(t, dir, "token", "--sub=ana", "--role=PARTNER_ADMIN")
	partner := program(t, dir, "token", "--sub=eve", "--role=AUTH_PARTNER", "--claim=partner_id=other")
	run := func(token string, args ...string) (string, error) {
		t.Helper()
		cmd := command(t.Context(), dir, args...)
		cmd.Env = append(cmd.Env, "REGISTRAR_URL="+p.url, "REGISTRAR_TOKEN="+token)
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), token) {
			t.Errorf("%v prints the token", args)
		}
		return string(out), err
	}
	for _, id := range []string{"c1", "c2"} {
		if status, body, err := p.call("POST", "/v1/idp/client-mgmt/oidc-client", admin, registrartest.ProviderRequest(id, registrartest.Key(t), nil)); err != nil || status != 200 {
			t.Fatalf("%d %s %v", status, body, err)
		}
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"clients"}, "c1\tACTIVE\trp-1\tHealth portal\n"},
		{[]string{"disable", "c1", "--reason", "key stolen"}, `"status": "INACTIVE"`},
		{[]string{"clients", "--status=INACTIVE"}, "c1\tINACTIVE\trp-1\tHealth portal\n"},
		{[]string{"clients", "-q", "c2"}, "c2\tACTIVE\t"},
		{[]string{"show", "c1"}, `"clientId": "c1"`},
		{[]string{"events", "c1"}, `"comment":"key stolen"`},
	} {
		if out, err := run(admin, tt.args...); err != nil || !strings.Contains(out, tt.want) {
			t.Errorf("%v: %q %v, want %q", tt.args, out, err, tt.want)
		}
	}
	for _, tt := range []struct {
		token, want string
		args        []string
	}{
		{admin, "invalid_request", []string{"disable", "c2", "--reason", " "}},
		{admin, "PMS_IDP_004", []string{"show", "none"}},
		{"no-token", "KER-ATH-401", []string{"clients"}},
		{partner, "FORBIDDEN", []string{"disable", "c2", "--reason", "x"}},
	} {
		if out, err := run(tt.token, tt.args...); err == nil || !strings.Contains(out, tt.want) {
			t.Errorf("%v: %q %v, want %q", tt.args, out, err, tt.want)
		}
	}
}
