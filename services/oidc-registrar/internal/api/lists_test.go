package api_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

const auditPath = "/v1/registrar/admin/audit"

// column returns a member of each item of a list, or what the list is refused with.
func column(t *testing.T, r registrartest.Reply, name string) string {
	t.Helper()
	items, ok := r.Member("items").([]any)
	if !ok {
		return r.Code()
	}
	var list []string
	for _, item := range items {
		list = append(list, fmt.Sprint(item.(map[string]any)[name]))
	}
	return strings.Join(list, " ")
}

func TestOneListHasTheClientsOfEveryAPI(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	ana, eve := w.Partner("ana", "demo-partner"), w.Partner("eve", "other")
	key := registrartest.Key(t)
	first := response(t, w.Call("POST", partnerPath, ana, registrartest.PartnerRequest(key, with("name", "Harbour portal"))))["clientId"].(string)
	response(t, w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c2", registrartest.Key(t),
		with("redirectUris", []string{"https://two.example.org/cb"}))))
	members(t, w.Call("POST", standardPath, initialToken(t, w, 1), metadata(registrartest.Key(t), nil)), 201)
	response(t, w.Call("POST", "/v1/registrar/clients/c2/disable", w.Admin(), because("lost")))

	thumbprint := response(t, w.Call("GET", clientsPath+first, ana, nil))["keys"].([]any)[0].(map[string]any)["thumbprint"].(string)
	for query, want := range map[string]string{
		"": "rfc7591 provider partner", "origin=partner": "partner", "origin=rfc7591": "rfc7591", "status=INACTIVE": "provider", "status=DOUBTFUL": "",
		"partnerId=demo-partner": "rfc7591 partner", "policyId=demo-policy&q=HARB": "partner",
		"q=arbour+p": "partner", "q=p+arbour": "",
		"keyThumbprint=" + thumbprint: "partner",
		"awaitsApproval=true":         "", "differs=true": "", "limit=1": "rfc7591", "status=GONE": "PMS_COR_001",
		"origin=x": "PMS_COR_001", "cursor=x": "PMS_COR_001",
	} {
		want := strings.ReplaceAll(want, "PMS_COR_001", "invalid_request")
		if got := column(t, w.Call("GET", "/v1/registrar/clients?"+query, w.Admin(), nil), "origin"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	for token, want := range map[string]string{ana: "rfc7591 partner", eve: "", w.Partner("ana", ""): "FORBIDDEN"} {
		if got := column(t, w.Call("GET", "/v1/registrar/clients", token, nil), "origin"); got != want {
			t.Errorf("a partner sees %q, want %q", got, want)
		}
	}
	if got := column(t, w.Call("GET", "/v1/registrar/clients?partnerId=demo-partner", eve, nil), "origin"); got != "FORBIDDEN" {
		t.Errorf("another partner sees %q", got)
	}

	before := response(t, w.Call("GET", clientsPath+first, ana, nil))
	if before["keySince"] != before["createdAt"] {
		t.Errorf("the key is from %v, the client from %v", before["keySince"], before["createdAt"])
	}
	response(t, w.Call("POST", clientsPath+first+"/keys", ana, bodyWithKey(t, "second")))
	after := response(t, w.Call("GET", clientsPath+first, ana, nil))
	if after["keySince"] != after["updatedAt"] {
		t.Errorf("the new key is from %v, the change from %v", after["keySince"], after["updatedAt"])
	}
}

func TestAdminsReadAndExportTheTrailOfAllClients(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	response(t, w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c1", registrartest.Key(t), nil)))
	response(t, w.Call("POST", providerPath, w.Provider(), registrartest.ProviderRequest("c2", registrartest.Key(t), nil)))
	response(t, w.Call("POST", clientsPath+"c1/disable", w.Admin(), because("=HYPERLINK(1)")))
	all := "updated activated registered activated registered"
	for query, want := range map[string]string{
		"": all, "kind=updated": "updated", "clientId=c2": "activated registered", "actor=admin": "updated", "actor=nobody": "",
		"since=2020-01-01T00:00:00Z&until=2021-01-01T00:00:00Z": "", "since=2020-01-01T00:00:00Z&limit=1": "updated",
		"kind=x": "PMS_COR_001", "since=x": "PMS_COR_001",
	} {
		if got := column(t, w.Call("GET", auditPath+"?"+query, w.Admin(), nil), "kind"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if got := column(t, w.Call("GET", auditPath+"?kind=updated", w.Admin(), nil), "clientId"); got != "c1" {
		t.Errorf("the client is %q", got)
	}

	out := w.Call("GET", auditPath+"/export", w.Admin(), nil)
	lines := strings.SplitAfter(out.Body, "\n")
	sum := sha256.Sum256([]byte(strings.Join(lines[:max(len(lines)-2, 0)], "")))
	end := fmt.Sprintf(`{"end":{"events":5,"sha256":"%s"}}`+"\n", hex.EncodeToString(sum[:]))
	if out.Header.Get("Content-Type") != ndjson || len(lines) != 7 || lines[5] != end ||
		!strings.Contains(lines[4], `"clientId":"c1","kind":"updated","actor":"admin","changed":["status"]`) {
		t.Errorf("%v %s", out.Header, out.Body)
	}
}

func TestAdminsListAndRevokeInitialAccessTokens(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	token, id := issueToken(t, w, 2)
	_, other := issueToken(t, w, 1)
	members(t, w.Call("POST", standardPath, token, metadata(registrartest.Key(t), nil)), 201)
	listed := w.Call("GET", tokensPath, w.Admin(), nil)
	ids := strings.Fields(column(t, listed, "tokenId"))
	if slices.Sort(ids); !slices.Equal(ids, slices.Sorted(slices.Values([]string{id, other}))) || strings.Contains(listed.Body, token) {
		t.Errorf("the list is %s", listed.Body)
	}
	if got := column(t, listed, "uses"); got != "1 1" {
		t.Errorf("the uses left are %q", got)
	}
	if revoked := response(t, w.Call("DELETE", tokensPath+"/"+id, w.Admin(), nil)); revoked["tokenId"] != id ||
		revoked["issuedBy"] != "admin" || revoked["issuedAt"] == nil {
		t.Errorf("revoked %v", revoked)
	}
	members(t, w.Call("POST", standardPath, token, metadata(registrartest.Key(t), nil)), 401)
	for _, unknown := range []string{id, token, "none"} {
		if r := w.Call("DELETE", tokensPath+"/"+unknown, w.Admin(), nil); r.Status != 200 || r.Code() != "token_not_found" {
			t.Errorf("token %s: %d %s", unknown, r.Status, r.Body)
		}
	}
	for _, path := range []string{"/v1/partnermanager/partners/demo-partner/events", "/v1/partnermanager/policies/demo-policy/events"} {
		trail := w.Call("GET", path, w.Admin(), nil)
		if got := column(t, trail, "type"); !strings.HasSuffix(got, "token_issued token_issued token_revoked") {
			t.Errorf("%s: %s", path, got)
		}
		if got := column(t, trail, "tokenId"); !strings.HasSuffix(got, id+" "+other+" "+id) {
			t.Errorf("%s: %s", path, got)
		}
	}
}
