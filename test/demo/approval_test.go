package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/timetest"
	"github.com/countersign/countersign/test/programs"
)

type object = map[string]any

// provider is an identity provider with the client management of eSignet 1.0.
type provider struct {
	mu     sync.Mutex
	status map[string]string // by client
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Request struct{ ClientID, Status string }
	}
	err := json.NewDecoder(r.Body).Decode(&body)
	id, status := body.Request.ClientID, body.Request.Status
	if r.Method == http.MethodPut {
		id = path.Base(r.URL.Path)
	} else {
		status = "ACTIVE"
	}
	if err != nil || id == "" || !strings.HasPrefix(r.URL.Path, "/client-mgmt/oidc-client") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status[id] = status
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object{"response": object{"clientId": id, "status": status}, "errors": []any{}})
}

func (p *provider) is(id, status string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status[id] == status
}

// The validity of an approval ends, its renewal enables the client again, and the revocation of the renewal
// disables it: with both programs and an identity provider.
func TestTheEndOfAnApprovalDisablesTheClientAtTheProvider(t *testing.T) {
	dir, idp := t.TempDir(), &provider{status: map[string]string{}}
	server := httptest.NewServer(idp)
	defer server.Close()
	wf := programs.Start(t, programs.Build(t, "wf"), "WF_LISTEN", dir)
	registrar := programs.Start(t, programs.Build(t, "oidc-registrar"), "REGISTRAR_LISTEN", dir,
		"REGISTRAR_APPROVAL_URL="+wf, "REGISTRAR_APPROVAL_POLICY=clients", "REGISTRAR_IDP=esignet-1.0", "REGISTRAR_IDP_URL="+server.URL)
	data := filepath.Join(dir, ".data")
	secret, err := os.ReadFile(filepath.Join(data, "dev-webhook.secret"))
	if err != nil {
		t.Fatal(err)
	}
	call := func(base string, who bearer.DevToken, method, path string, body any) programs.Reply {
		t.Helper()
		who.Audience = map[string]string{wf: "countersign-wf", registrar: "countersign-registrar"}[base]
		token, err := daemon.DevToken(data, who)
		if err != nil {
			t.Fatal(err)
		}
		return programs.Call(t, token, "", method, base+path, body)
	}
	root, fatima := bearer.DevToken{Subject: "root", Roles: []string{"WF_ADMIN"}}, bearer.DevToken{Subject: "fatima"}
	vera := bearer.DevToken{Subject: "vera", Roles: []string{"AUTH_PARTNER"}, Claims: object{"partner_id": "demo-partner"}}

	call(wf, root, "POST", "/v1/wf/policies", object{
		"policy_key": "clients", "name": "Clients",
		"settings": object{
			"submitters": []object{{"type": "user", "ids": []string{"oidc-registrar"}}}, "on_behalf": "submitters",
			"validity": object{"until_cel": "request.created_at + duration('40s')"},
		},
		"stages": []object{{"key": "s", "name": "Review", "approvers": []object{{"type": "user", "ids": []string{"fatima"}}}}},
	}).Is(201)
	call(wf, root, "POST", "/v1/wf/policies/clients/versions/1/activate", nil).Is(200)
	call(wf, root, "POST", "/v1/wf/admin/webhooks", object{
		"name": "registrar", "url": registrar + "/v1/registrar/approvals", "secret": strings.TrimSpace(string(secret)), "policy_keys": []string{"clients"},
		"events": []string{"request.approved", "request.revoked", "request.lapsed"},
	}).Is(201)

	var made struct{ ClientID string }
	call(registrar, vera, "POST", "/v1/partnermanager/oidc/client", object{"id": "x", "version": "1.0", "requesttime": "2026-03-01T12:00:00.000Z", "metadata": object{}, "request": object{
		"name": "Kiosk", "policyId": "demo-policy", "authPartnerId": "demo-partner", "publicKey": newKey(t),
		"logoUri": "https://client.example.org/logo.png", "redirectUris": []string{"https://client.example.org/callback"},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"},
	}}).Is(200).Decode(&made)
	client := "/v1/partnermanager/oidc/client/" + made.ClientID

	requests := func() []string { // oldest first
		var list struct{ Items []struct{ ID string } }
		call(wf, root, "GET", "/v1/wf/requests?policy_key=clients", nil).Is(200).Decode(&list)
		var ids []string
		for _, item := range list.Items {
			ids = append(ids, item.ID)
		}
		slices.Reverse(ids)
		return ids
	}
	approve := func(id string) {
		t.Helper()
		var request struct{ Tasks []struct{ ID string } }
		call(wf, root, "GET", "/v1/wf/requests/"+id, nil).Is(200).Decode(&request)
		call(wf, fatima, "POST", "/v1/wf/tasks/"+request.Tasks[0].ID+"/decision", object{"action": "approve"}).Is(200)
	}
	becomes := func(status string) {
		t.Helper()
		timetest.Eventually(t, "the client is "+status+", also at the provider", func() bool {
			var shown struct{ Status string }
			call(registrar, vera, "GET", client, nil).Is(200).Decode(&shown)
			return shown.Status == status && idp.is(made.ClientID, status)
		})
	}

	timetest.Eventually(t, "the approval is requested", func() bool { return len(requests()) == 1 })
	if idp.is(made.ClientID, "ACTIVE") {
		t.Error("the client reaches the provider before its approval")
	}
	approve(requests()[0])
	becomes("ACTIVE")
	timetest.Eventually(t, "the renewal is requested before the end", func() bool { return len(requests()) == 2 })
	if !idp.is(made.ClientID, "ACTIVE") {
		t.Error("the client is disabled before the end of its approval")
	}
	becomes("INACTIVE") // the approval lapses
	approve(requests()[1])
	becomes("ACTIVE")
	call(wf, root, "POST", "/v1/wf/requests/"+requests()[1]+"/revoke", object{"reason": "the kiosk was stolen"}).Is(200)
	becomes("INACTIVE")

	var events struct {
		Items []struct{ Kind, ErrorCode, Comment string }
	}
	call(registrar, vera, "GET", client+"/events", nil).Is(200).Decode(&events)
	var found []string
	for _, e := range events.Items {
		if e.Kind == "approval_ended" || e.Kind == "renewal_requested" {
			found = append(found, strings.TrimRight(e.Kind+" "+e.ErrorCode+" "+e.Comment, " "))
		}
	}
	slices.Sort(found)
	want := []string{
		"approval_ended approval_lapsed the approval has lapsed", "approval_ended approval_revoked the kiosk was stolen", "renewal_requested",
	}
	if !slices.Equal(found, want) {
		t.Errorf("events %q, want %q", found, want)
	}
}

// newKey returns a public key as a JWK.
func newKey(t *testing.T) object {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	return object{"kty": "EC", "crv": "P-256", "x": encode(point[1:33]), "y": encode(point[33:])}
}
