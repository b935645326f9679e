package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
	"github.com/countersign/countersign/services/wf/internal/wftest"
)

// operated is a running service that operators call with WF_TOKEN.
type operated struct {
	t                   *testing.T
	dir, url, database  string
	env                 []string
	root, viewer, other string // tokens
}

func operate(t *testing.T, database string, env ...string) *operated {
	dir := t.TempDir()
	o := &operated{t: t, dir: dir, database: database, env: append(development(database), env...)}
	p := start(t, dir, o.env, "serve")
	o.url = p.ready()
	for token, args := range map[*string][]string{
		&o.root: {"--sub=root", "--role=WF_ADMIN"}, &o.viewer: {"--sub=vera", "--role=WF_VIEWER"}, &o.other: {"--sub=eve"},
	} {
		_, out, _ := runs(t, dir, nil, append([]string{"token"}, args...)...)
		*token = strings.TrimSpace(out)
	}
	return o
}

// run runs a command with WF_TOKEN.
func (o *operated) run(token string, status int, want string, args ...string) string {
	o.t.Helper()
	got, out, text := runs(o.t, o.dir, []string{"WF_URL=" + o.url, "WF_TOKEN=" + token}, args...)
	if got != status || !strings.Contains(out+text, want) {
		o.t.Errorf("%v ended with %d, printed %q and %s; want %d and %q", args, got, out, text, status, want)
	}
	if strings.Contains(out+text, token) {
		o.t.Errorf("%v prints the token", args)
	}
	return out
}

// request creates a request of a policy of one stage, whose approver is bo.
func (o *operated) request() (id string) {
	o.t.Helper()
	root := wftest.At(o.t, o.url, o.root)
	root.Post("/v1/wf/policies", `{"policy_key":"leave","name":"Leave",
		"stages":[{"key":"lead","name":"Team lead","approvers":[{"type":"user","ids":["bo"]}]}]}`)
	root.Post("/v1/wf/policies/leave/versions/1/activate", "{}").Want(200)
	return root.Post("/v1/wf/requests", `{"policy_key":"leave","title":"Twelve days"}`).Want(201).Response("id")
}

func TestOperatorsVerifyAndRestartTheAuditTrail(t *testing.T) {
	sqldbtest.Each(t, func(t *testing.T, database string) {
		o := operate(t, database)
		wftest.At(t, o.url, o.root).Post("/v1/wf/admin/webhooks", `{"name":"ledger","url":"http://127.0.0.1:1/"}`).Want(201)
		id := o.request()
		o.run(o.viewer, 0, "valid: ", "audit", "verify")
		o.run(o.viewer, 0, "valid: ", "audit", "verify", id)
		o.run(o.other, 1, "WF-008", "audit", "verify")
		o.run("no-token", 1, "does not accept the token of WF_TOKEN", "audit", "verify")

		statements(t, wftest.Connect(t, database, nil), "UPDATE request SET context_hash = 'sha256:0' WHERE id = '"+id+"'")
		o.run(o.viewer, 2, "chain "+id+": invalid from event ", "audit", "verify")
		o.run(o.viewer, 2, "chain "+id+": invalid from event ", "audit", "verify", id)
		o.run(o.viewer, 0, "valid: ", "audit", "verify", "service")
		o.run(o.viewer, 1, "WF-008", "audit", "restart", "--reason=x")
		o.run(o.root, 1, "body.reason: ", "audit", "restart", "--reason= ")
		o.run(o.root, 1, "WF-007", "audit", "restart", "--reason=x")
		statements(t, wftest.Connect(t, database, nil), "UPDATE chain SET hash = 'x'")
		o.run(o.viewer, 2, "chain service: invalid from event ", "audit", "verify", "service")
		o.run(o.root, 0, "chain service: restarted, invalid from event ", "audit", "restart", "--reason=incident 4711")
		o.run(o.viewer, 0, "valid: ", "audit", "verify", "service")
	})
}

// keycloak answers like the directory, and as the issuer.
func keycloak(t *testing.T) string {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	reply := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, body)
		})
	}
	reply("/realms/r/protocol/openid-connect/token", `{"access_token":"t","token_type":"Bearer","expires_in":300}`)
	reply("/admin/realms/r/users", `[]`)
	return server.URL
}

// mailServer greets and takes no messages.
func mailServer(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				fmt.Fprint(conn, "220 mail\r\n")
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					fmt.Fprint(conn, "250 ok\r\n")
				}
			}()
		}
	}()
	return "smtp://" + listener.Addr().String()
}

// The service may run during the check.
func TestCheckReportsTheSettingOfEachFailure(t *testing.T) {
	const closed = "127.0.0.1:1"
	sqldbtest.Each(t, func(t *testing.T, database string) {
		o := operate(t, database)
		directory := []string{"WF_KEYCLOAK_URL=" + keycloak(t) + "/realms/r", "WF_KEYCLOAK_CLIENT_SECRET=canary"}
		mail := []string{"WF_NOTIFY_FROM=wf@example.org", "WF_INBOX_URL=http://127.0.0.1:8081"}
		for name, tt := range map[string]struct {
			status int
			env    []string
			want   []string
		}{
			"nothing more": {0, nil, []string{"configuration: ok\n", "database: ok, ", "issuer: ok",
				"directory: not configured (WF_KEYCLOAK_URL)\n", "mail server: not configured (WF_NOTIFY_SMTP_URL)\n"}},
			"everything": {0, append(mail, append(directory, "WF_NOTIFY_SMTP_URL="+mailServer(t)+"?starttls=none")...),
				[]string{"directory: ok, http://", "mail server: ok, smtp://"}},
			"no mail server or directory": {1, append(mail, "WF_NOTIFY_SMTP_URL=smtp://"+closed+"?starttls=none",
				"WF_KEYCLOAK_URL=http://"+closed+"/realms/r", "WF_KEYCLOAK_CLIENT_SECRET=canary"),
				[]string{"database: ok, ", "issuer: ok", "directory: WF_KEYCLOAK_URL: ", "mail server: WF_NOTIFY_SMTP_URL: "}},
			"no issuer": {1, []string{"WF_DEV=false", "WF_AUTH_ISSUER=https://id.invalid"},
				[]string{"database: ok, ", "issuer: WF_AUTH_ISSUER: discovery: "}},
			"no database": {1, []string{"WF_DATABASE_URL=postgres://canary:canary@" + closed + "/wf"}, []string{"database: WF_DATABASE_URL: ", "issuer: ok"}},
			"a wrong setting": {1, []string{"WF_NOTIFY_EXPIRES_BEFORE=1s"},
				[]string{"WF_NOTIFY_EXPIRES_BEFORE: must be at least 1m"}},
		} {
			status, out, text := runs(t, o.dir, append(o.env, tt.env...), "check")
			for _, want := range tt.want {
				if status != tt.status || !strings.Contains(out+text, want) || strings.Contains(out+text, "canary") {
					t.Errorf("%s: ended with %d, printed\n%s%s\nwant %d, %q and no secrets", name, status, out, text, tt.status, want)
				}
			}
		}
	})
}
