package api_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/services/oidc-registrar/internal/registrartest"
)

// actedFor is the claim of a token with which a program acts for its subject (RFC 8693 §4.1).
var actedFor = map[string]any{"sub": "agent-7", "act": map[string]any{"sub": "runner", "iss": "https://agents.test"}}

// The table is the document: every operation with a token of an admin, and of an admin who is a partner too.
func TestAPartyThatActsForAnAdminDoesNotWriteAsAdmin(t *testing.T) {
	w := registrartest.Boot(t, registrartest.Options{})
	admin := w.Token(bearer.DevToken{Subject: "admin", Roles: []string{"PARTNER_ADMIN"}, Claims: map[string]any{"act": actedFor}})
	both := w.Token(bearer.DevToken{
		Subject: "admin", Roles: []string{"PARTNER_ADMIN", "AUTH_PARTNER"},
		Claims: map[string]any{"act": actedFor, "partner_id": "demo-partner"},
	})
	path := strings.NewReplacer(
		"{thumbprint}", "none", "{client_id}", "none", "{policyId}", "demo-policy", "{partnerId}", "demo-partner",
		"{endpointId}", "none", "{deliveryId}", "none", "{tokenId}", "none",
	)
	writes := 0
	for template, item := range w.API.API.OpenAPI().Paths {
		for method, op := range map[string]*huma.Operation{
			"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete,
		} {
			if op == nil || len(op.Security) == 0 {
				continue
			}
			partner := slices.ContainsFunc(op.Security, func(s map[string][]string) bool { return slices.Contains(s["bearer"], "AUTH_PARTNER") })
			for token, refused := range map[string]bool{admin: method != "GET", both: method != "GET" && !partner} {
				r := w.Call(method, path.Replace(template), token, nil)
				if got := r.Status == 403 && strings.Contains(r.Body, "takes no token with act"); got != refused {
					t.Errorf("%s: %d %s, want it refused: %v", op.OperationID, r.Status, r.Body, refused)
				}
			}
			if method != "GET" {
				writes++
			}
		}
	}
	if writes < 30 {
		t.Errorf("only %d writes", writes)
	}
	// Without PARTNER_ADMIN the partner owns its own clients alone.
	foreign := registrartest.PartnerRequest(registrartest.Key(t), with("authPartnerId", "other"))
	if r := w.Call("POST", partnerPath, both, foreign); r.Status != 403 || r.Code() != "PMS_POLICY_ERROR_009" {
		t.Errorf("another partner's client: %d %s", r.Status, r.Body)
	}
}

func TestEventsRecordThePartyThatActs(t *testing.T) {
	provider := registrartest.NewESignet(t)
	w := registrartest.Boot(t, registrartest.Options{Config: provider.Configure})
	agent := w.Token(bearer.DevToken{
		Subject: "ana", Roles: []string{"AUTH_PARTNER"}, Claims: map[string]any{"act": actedFor, "partner_id": "demo-partner"},
	})
	id := clientID(t, w.Call("POST", partnerPath, agent, registrartest.PartnerRequest(registrartest.Key(t), nil)))
	w.Call("PUT", partnerPath+"/"+id, agent, registrartest.UpdateRequest(with("redirectUris", []any{"x"}))) // refused
	provider.SetDown(true)
	w.Call("PUT", partnerPath+"/"+id, agent, registrartest.UpdateRequest(with("clientName", "New")))
	provider.SetDown(false)
	w.Call("PUT", partnerPath+"/"+id, agent, registrartest.UpdateRequest(with("clientName", "Newer")))
	expect(t, "by herself", w.Call("PUT", partnerPath+"/"+id, w.Partner("ana", "demo-partner"),
		registrartest.UpdateRequest(with("clientName", "Hers"))), 200, "")
	const acting = "[map[sub:agent-7] map[iss:https://agents.test sub:runner]]"
	got := map[string]bool{}
	items := w.Call("GET", clientsPath+id+"/events", w.Admin(), nil).Member("items").([]any)
	for i, e := range items {
		e := e.(map[string]any)
		got[e["kind"].(string)] = true
		want := acting
		if i == len(items)-1 {
			want = "<nil>"
		}
		if e["actor"] != "ana" || fmt.Sprint(e["acting"]) != want {
			t.Errorf("event %d, %s, has the actor %v and acting %v", i, e["kind"], e["actor"], e["acting"])
		}
	}
	if kinds := slices.Sorted(maps.Keys(got)); !slices.Equal(kinds, []string{"activated", "refused", "registered", "updated"}) {
		t.Errorf("events of the kinds %q", kinds)
	}
	exported := w.Call("GET", "/v1/registrar/admin/audit/export", w.Admin(), nil).Body
	if !strings.Contains(exported, `"actor":"ana","acting":[{"sub":"agent-7"},{"sub":"runner","iss":"https://agents.test"}]`) {
		t.Errorf("exported: %s", exported)
	}
}
