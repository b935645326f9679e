package api_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/services/wf/internal/server"
)

func TestAnAddressThatTheIssuerHasNotVerifiedIsNoUserID(t *testing.T) {
	w := boot(t, Options{Config: func(c *server.Config) { c.UserClaim = "email" }})
	for verified, want := range map[any]int{nil: 401, false: 401, "false": 401, "yes": 401, true: 200, "true": 200} {
		claims := map[string]any{"email": "ana@example.org"}
		if verified != nil {
			claims["email_verified"] = verified
		}
		reply := w.ClientWith(t, "subject", claims).Get("/v1/wf/me").Want(want)
		if want == 401 {
			reply.Refused(401, "WF-008")
			continue
		}
		same(t, "id", reply.Response("id"), "ana@example.org")
	}
	w.ClientWith(t, "subject", map[string]any{"email_verified": true}).Get("/v1/wf/me").Refused(401, "WF-008")
}

func TestATokenIsAServiceAccountsBySomeRule(t *testing.T) {
	w := boot(t, Options{})
	w.policy("p", "", bothApprove)
	const ofKeycloak, ofRFC9068, ofClaims = "begins with service-account-", "the client equals sub", "names a client and has none of"
	for name, tt := range map[string]struct {
		claims map[string]any
		rule   string // empty for a person
	}{
		"nothing but the subject":    {nil, ""},
		"Keycloak's name":            {map[string]any{"preferred_username": "service-account-ana", "azp": "ana"}, ofKeycloak},
		"the client as subject":      {map[string]any{"client_id": "ana", "email": "a@example.org"}, ofRFC9068},
		"client_id alone":            {map[string]any{"client_id": "batch"}, ofClaims},
		"azp alone":                  {map[string]any{"azp": "batch"}, ofClaims},
		"an empty claim":             {map[string]any{"azp": "batch", "email": nil, "name": ""}, ofClaims},
		"claims of no person":        {map[string]any{"azp": "batch", "scope": "wf", "given_name": "Ana"}, ofClaims},
		"an application of Entra":    {map[string]any{"appid": "batch", "idtyp": "app", "name": "Batch"}, "idtyp equals app"},
		"a person of Entra":          {map[string]any{"appid": "portal", "idtyp": "user", "name": "Ana"}, ""},
		"appid alone":                {map[string]any{"appid": "batch"}, ofClaims},
		"the appid as subject":       {map[string]any{"appid": "ana", "email": "a@example.org"}, ofRFC9068},
		"a person's username":        {map[string]any{"azp": "portal", "preferred_username": "ana"}, ""},
		"a person's address":         {map[string]any{"client_id": "portal", "email": "a@example.org"}, ""},
		"a person's name":            {map[string]any{"azp": "portal", "name": "Ana"}, ""},
		"when a person signed in":    {map[string]any{"azp": "portal", "auth_time": 1700000000}, ""},
		"a session":                  {map[string]any{"azp": "portal", "sid": "x"}, ""},
		"another name of Keycloak's": {map[string]any{"azp": "portal", "preferred_username": "ana-service-account-"}, ""},
		"a client that is a number":  {map[string]any{"azp": 7}, ""},
		"no client":                  {map[string]any{"sid": "x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, logged := people(t, w.Service), len(w.Log.String())
			c := w.ClientWith(t, "ana", tt.claims)
			path := "/v1/wf/tasks/" + task(t, w.request("p", ""), "ana")
			c.Post("/v1/wf/requests", `{"policy_key":"p"}`).Want(201)
			if tt.rule == "" {
				c.Post(path+"/claim", nil).Want(200)
				c.Post(path+"/decision", `{"action":"approve"}`).Want(200)
				return
			}
			c.Post(path+"/claim", nil).Refused(403, "WF-008")
			c.Post(path+"/decision", `{"action":"approve"}`).Refused(403, "WF-008")
			log := w.Log.String()[logged:]
			if strings.Count(log, "service account refused") != 2 || strings.Count(log, tt.rule) != 2 || !strings.Contains(log, `"operation":"claimTask"`) {
				t.Errorf("the log lacks the reason: %s", log)
			}
		})
	}
}
