package api_test

import (
	"fmt"
	"testing"
)

// Approvers without a directory were never mailed and had no name: the service stores the
// name and the address of the token at every claim, decision, comment and delegation.
func TestEveryActingCallerIsStored(t *testing.T) {
	for name, act := range map[string]func(*Client, string){
		"claim": func(c *Client, task string) { c.Post("/v1/wf/tasks/"+task+"/claim", nil).Want(200) },
		"decision": func(c *Client, task string) {
			c.Post("/v1/wf/tasks/"+task+"/decision", `{"action":"approve"}`).Want(200)
		},
		"delegation": func(c *Client, _ string) {
			c.Post("/v1/wf/delegations", `{"delegate_to":"dan","ends_at":"2026-03-05T00:00:00Z"}`).Want(201)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := boot(t, Options{})
			w.policy("p", "", bothApprove)
			for _, verified := range []any{nil, false, true, "false"} {
				claims, email := map[string]any{"name": "Ana B", "email": "ana@example.org"}, "ana@example.org"
				if verified != nil {
					claims["email_verified"] = verified
				}
				if verified == false || verified == "false" {
					email = ""
				}
				act(w.ClientWith(t, "ana", claims), task(t, w.request("p", ""), "ana"))
				same(t, "the name", w.root.Get("/v1/wf/people?q=Ana%20B").Want(200).Response("items", 0, "id"), "ana")
				address := w.ana.Get("/v1/wf/me/notifications").Want(200).Response("email")
				same(t, fmt.Sprint("the address, verified: ", verified), address, email)
			}
		})
	}
}

// A later token with email_verified: false clears the stored address of that token, and no
// other one.
func TestAnUnverifiedTokenClearsItsStoredAddress(t *testing.T) {
	for unverified, want := range map[string]string{"ana@example.org": "", "old@example.org": "ana@example.org"} {
		t.Run(unverified, func(t *testing.T) {
			w := boot(t, Options{})
			w.policy("p", "", bothApprove)
			act := func(email string, verified bool) {
				ana := w.ClientWith(t, "ana", map[string]any{"name": "Ana B", "email": email, "email_verified": verified})
				ana.Post("/v1/wf/tasks/"+task(t, w.request("p", ""), "ana")+"/decision", `{"action":"approve"}`).Want(200)
			}
			address := func() string { return w.ana.Get("/v1/wf/me/notifications").Want(200).Response("email") }
			act("ana@example.org", true)
			same(t, "before", address(), "ana@example.org")
			act(unverified, false)
			same(t, "after", address(), want)
			act("ana@example.org", true)
			same(t, "verified again", address(), "ana@example.org")
		})
	}
}
