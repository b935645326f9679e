package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/heartbeat"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// The events of a client are lost, after its registration at the provider and its webhooks. recover lists all of them, and
// nothing of another client. A change of the catalogue is lost too.
func TestALossIsListedWithItsCallsAndWebhooks(t *testing.T) {
	provider := registrartest.NewESignet(t)
	heard := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { heard <- r.Header.Get("webhook-id") }))
	t.Cleanup(receiver.Close)
	c := config(t, "--dev")
	provider.Configure(&c)
	r := start(t, c)
	r.awaitLog(`"msg":"ready`)
	token, err := daemon.DevToken(c.DataDir, bearer.DevToken{Subject: "root", Audience: c.AuthAudience, Roles: []string{"PARTNER_ADMIN"}})
	if err != nil {
		t.Fatal(err)
	}
	post := func(path, body string) []byte {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.awaitLog(`"msg":"listening","address":"`)+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", "application/json")
		reply, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer reply.Body.Close()
		answer, err := io.ReadAll(reply.Body)
		if err != nil || reply.StatusCode > 299 || strings.Contains(string(answer), `"errorCode"`) {
			t.Fatalf("POST %s: %d %s %v", path, reply.StatusCode, answer, err)
		}
		return answer
	}
	post("/v1/registrar/admin/webhooks", `{"request":{"name":"portal","url":"`+receiver.URL+`","events":["*"]}}`)
	var ids, webhooks []string
	for range 2 {
		key, err := json.Marshal(registrartest.Key(t))
		if err != nil {
			t.Fatal(err)
		}
		var made struct{ Response struct{ ClientID string } }
		err = json.Unmarshal(post("/v1/partnermanager/oidc/client", `{"request":{"name":"Client","policyId":"demo-policy","authPartnerId":"demo-partner",
			"publicKey":`+string(key)+`,"logoUri":"https://client.example.org/logo.png","redirectUris":["https://client.example.org/callback"],
			"grantTypes":["authorization_code"],"clientAuthMethods":["private_key_jwt"]}}`), &made)
		if err != nil {
			t.Fatal(err)
		}
		ids, webhooks = append(ids, made.Response.ClientID), nil
		for range 2 {
			webhooks = append(webhooks, timetest.Await(t, heard, "a webhook"))
		}
	}
	kept, lost := ids[0], ids[1]
	db, err := sqldb.Open(t.Context(), string(c.DatabaseURL), sqldb.Options{Logger: r.log.Logger()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	stmts := []sqldb.Stmt{{SQL: "DROP TRIGGER client_event_no_delete"}, {SQL: "DROP TRIGGER catalog_event_no_delete"}}
	if db.Postgres() {
		stmts = []sqldb.Stmt{{SQL: "DROP TRIGGER client_event_purged ON client_event"}, {SQL: "DROP TRIGGER catalog_event_insert_only ON catalog_event"}}
	}
	err = db.Do(t.Context(), func(tx *sqldb.Tx) error {
		return tx.Batch(append(stmts, sqldb.Stmt{SQL: "DELETE FROM client_event WHERE client_id = ?", Args: []any{lost}},
			sqldb.Stmt{SQL: "DELETE FROM catalog_event WHERE policy_id = 'demo-policy' AND partner_id = ''"}, sqldb.Stmt{SQL: "DELETE FROM witness"})...)
	})
	if err != nil {
		t.Fatal(err)
	}
	var done string
	timetest.Eventually(t, "the loss is stored", func() bool {
		if done, err = heartbeat.BeginGeneration(t.Context(), db, false, 0); err != nil {
			t.Fatal(err)
		}
		return strings.Contains(done, "lost events, and")
	})
	for _, want := range append(webhooks, "\n3 lost events, and 3 messages and calls", "\nclient "+lost+"\n", " lost registered\n", " lost activated\n", " sent created at the provider\n", "\npolicy demo-policy\n") {
		if !strings.Contains(done, want) {
			t.Errorf("recover does not name %q: %s", want, done)
		}
	}
	if strings.Contains(done, kept) || strings.Contains(done, "demo-partner") {
		t.Errorf("recover lists the stored: %s", done)
	}
}
