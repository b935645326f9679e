package upgrade

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/timetest"
)

const (
	clients   = "/v1/partnermanager/oidc/client"
	providers = "/v1/idp/client-mgmt/oidc-client"
	partners  = "/v1/partnermanager/partners"
)

// newKey returns a public key as a JWK.
func newKey(t *testing.T) object {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := private.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString
	return object{"kty": "EC", "crv": "P-256", "x": text(point[1:33]), "y": text(point[33:])}
}

// settings are the members that a registration and a change have in common.
func settings(more object) object {
	all := object{
		"logoUri": "https://client.example.org/logo.png", "redirectUris": []string{"https://client.example.org/callback"},
		"grantTypes": []string{"authorization_code"}, "clientAuthMethods": []string{"private_key_jwt"},
	}
	for name, value := range more {
		all[name] = value
	}
	return all
}

// client is the part of a client that the test reads.
type client struct {
	ClientID, Status, ProviderClientID string
	Approval                           struct{ State, RequestID string }
}

func (u user) client(id string) (c client) {
	u.s.t.Helper()
	u.call("GET", clients+"/"+id, nil).Is(200).Decode(&c)
	return c
}

// register registers a client of the partner API. The first word of the name selects the behaviour of
// the identity provider.
func (u user) register(name, policy string, status int) (c client) {
	t := u.s.t
	t.Helper()
	body := object{"request": settings(object{"name": name, "policyId": policy, "authPartnerId": "bank",
		"publicKey": newKey(t)})}
	r := u.call("POST", clients, body)
	if status == 200 {
		r.Is(200).Decode(&c)
		return c
	}
	r.Is(status)
	var list struct{ Items []client }
	u.call("GET", clients+"?limit=100", nil).Is(200).Decode(&list)
	for _, one := range list.Items {
		if one.Status == "PENDING" {
			c = one // the newest
		}
	}
	return c
}

// change changes a client.
func (u user) change(c client, status int, more object) {
	u.s.t.Helper()
	change := settings(object{"clientName": "ok", "status": "ACTIVE"})
	for name, value := range more {
		change[name] = value
	}
	u.call("PUT", clients+"/"+c.ClientID, object{"request": change}).Is(status)
}

// fillRegistrar creates rows of oidc-registrar in every state, except those of calls with a pending
// answer at the end.
func fillRegistrar(p, wf *process) {
	t, ada, vera := p.s.t, p.admin(), p.as("vera", "PARTNER_ADMIN")
	for path, events := range map[string]any{"ok": []string{"*"}, "busy": []string{"client.*"},
		"gone": []string{"client.activated"}, "slow": []string{"client.deactivated"}} {
		ada.call("POST", "/v1/registrar/admin/webhooks", object{"request": object{"name": path,
			"url": "http://" + outside + "/" + path, "events": events}}).Is(200)
	}
	for _, signature := range []string{"v1a", "both"} {
		ada.call("POST", "/v1/registrar/admin/webhooks", object{"request": object{"name": signature,
			"signature": signature, "url": "http://" + outside + "/ok"}}).Is(200)
	}
	for name, policy := range map[string]object{"free": {"status": "ACTIVE"}, "reviewed": {"status": "ACTIVE",
		"approvalPolicy": "oidc-client"}, "old": {"status": "INACTIVE"}} {
		for member, value := range (object{"name": name, "type": "Auth", "userClaims": []string{"name"},
			"authContextRefs": []string{"mosip:idp:acr:generated-code"}}) {
			policy[member] = value
		}
		ada.call("PUT", "/v1/partnermanager/policies/"+name, object{"request": policy}).Is(200)
	}
	for name, status := range map[string]string{"bank": "ACTIVE", "shop": "INACTIVE"} {
		ada.call("PUT", partners+"/"+name, object{"request": object{"name": name, "type": "Auth_Partner",
			"status": status}}).Is(200)
		for _, policy := range []string{"free", "reviewed", "old"} {
			ada.call("PUT", partners+"/"+name+"/policies/"+policy, nil)
		}
	}
	ada.call("DELETE", partners+"/bank/policies/old", nil).Is(200)

	// Clients without an approval.
	active := vera.register("ok", "free", 200)
	inactive := vera.register("ok", "free", 200)
	vera.change(inactive, 200, object{"status": "INACTIVE"})
	disabled := vera.register("ok", "free", 200)
	ada.call("POST", "/v1/registrar/clients/"+disabled.ClientID+"/disable",
		object{"request": object{"reason": "A leaked key"}}).Is(200)
	rolled := vera.register("ok", "free", 200)
	vera.call("POST", "/v1/registrar/clients/"+rolled.ClientID+"/keys",
		object{"request": object{"publicKey": newKey(t)}}).Is(200)
	vera.call("POST", clients, object{"request": settings(object{"name": "refused", "policyId": "free",
		"authPartnerId": "bank", "publicKey": newKey(t)})})
	vera.call("POST", providers, object{"request": settings(object{"clientId": "of-the-provider",
		"clientName": "ok", "relyingPartyId": "bank",
		"userClaims": []string{"name"}, "authContextRefs": []string{"mosip:idp:acr:generated-code"}, "publicKey": newKey(t)})}).Is(200)
	vera.register("down", "free", 503)
	updated := vera.register("ok", "free", 200)
	vera.change(updated, 503, object{"clientName": "down"})
	doubtful := vera.register("ok", "free", 200)
	vera.change(doubtful, 503, object{"clientName": "lost"})

	// Dynamic registration with initial access tokens.
	var initial struct{ Token string }
	for _, uses := range []int{2, 5} {
		ada.call("POST", "/v1/registrar/admin/initial-access-tokens",
			object{"request": object{"authPartnerId": "bank", "policyId": "free", "uses": uses}}).Is(200).Decode(&initial)
	}
	standard := object{"client_name": "ok", "redirect_uris": []string{"https://client.example.org/callback"},
		"logo_uri": "https://client.example.org/logo.png", "jwks": object{"keys": []object{newKey(t)}}}
	user{process: p, token: initial.Token}.call("POST", "/v1/registrar/register", standard).Is(201)

	// Clients with an approval, by fay in wf.
	review := func(c client, action string) {
		t.Helper()
		timetest.Eventually(t, "the approval of "+c.ClientID+" is requested",
			func() bool { return vera.client(c.ClientID).Approval.State == "waiting" })
		wf.decide(request{ID: vera.client(c.ClientID).Approval.RequestID}, "fay", action)
	}
	granted := vera.register("ok", "reviewed", 200)
	review(granted, "approve")
	review(vera.register("ok", "reviewed", 200), "reject")
	withdrawn := vera.register("ok", "reviewed", 200)
	timetest.Eventually(t, "the approval is requested",
		func() bool { return vera.client(withdrawn.ClientID).Approval.State == "waiting" })
	vera.call("DELETE", "/v1/registrar/clients/"+withdrawn.ClientID, nil).Is(200)
	waiting := vera.register("ok", "reviewed", 200)
	timetest.Eventually(t, "the approval is requested",
		func() bool { return vera.client(waiting.ClientID).Approval.State == "waiting" })
	timetest.Eventually(t, "the approved client is active",
		func() bool { return vera.client(granted.ClientID).Status == "ACTIVE" })
	vera.change(granted, 200, object{"redirectUris": []string{"https://client.example.org/new"}})

	// Clients that the identity provider has otherwise.
	for _, metadata := range []object{{"client_name": "Changed there"}, {"void": true}, nil} {
		c := vera.register("ok", "free", 200)
		p.s.outside.change(c.ProviderClientID, metadata)
	}
	p.command("reconcile", "--dev").Wait() // exits with 1, since clients differ
	p.s.outside.change(active.ProviderClientID, object{"client_name": "slow"})
}

// leaveCalls ends the process several times, so that calls to the identity provider, webhooks and calls
// to wf, which does not run, remain without an answer.
func leaveCalls(p *process, database string) {
	t := p.s.t
	db := open(t, database)
	vera := p.as("vera", "PARTNER_ADMIN")
	timetest.Eventually(t, "webhooks are sent", func() bool {
		return count(t, db, "SELECT count(*) FROM delivery WHERE status = 'delivered'") > 10
	})
	runUnguarded(t, database, "UPDATE idp_call SET due_ms = 0 WHERE kind = 'update' AND change LIKE '%lost%'")
	timetest.Eventually(t, "the unknown outcome is recorded", func() bool {
		return count(t, db,
			"SELECT count(*) FROM client WHERE outcome_unknown") == 1
	})
	timetest.Eventually(t, "no webhook is in flight", func() bool { return p.s.outside.waits("/slow") == 0 })
	vera.change(vera.register("ok", "free", 200), 200, object{"status": "INACTIVE"})
	timetest.Eventually(t, "a webhook is in flight", func() bool { return p.s.outside.waits("/slow") > 0 })
	p.kill()
	next := p.s.registrar(database)
	p.Process, p.command = next.Process, next.command
	timetest.Eventually(t, "the crash is recorded", func() bool {
		return count(t, db, "SELECT count(*) FROM delivery_attempt WHERE outcome = 'unknown'") > 0
	})
	var endpoints struct {
		Items []struct{ EndpointID, Name string }
	}
	p.admin().call("GET", "/v1/registrar/admin/webhooks?limit=100", nil).Is(200).Decode(&endpoints)
	for _, e := range endpoints.Items {
		if e.Name == "busy" {
			p.admin().call("PATCH", "/v1/registrar/admin/webhooks/"+e.EndpointID,
				object{"request": object{"enabled": false}}).Is(200)
		}
	}
	removed := vera.register("down", "free", 503)
	vera.register("ok", "reviewed", 200) // its approval is not requested: wf does not run
	for _, row := range query(t, db, "SELECT client_id FROM approval WHERE state = 'waiting' AND kind = 'register'") {
		vera.call("DELETE", "/v1/registrar/clients/"+row[0], nil).Is(200)
	}
	reader := p.command("reconcile", "--dev")
	timetest.Eventually(t, "the identity provider is read", func() bool {
		return count(t, db, "SELECT count(*) FROM idp_call WHERE kind = 'read'") > 0
	})
	reader.Signal(os.Kill)
	<-reader.Done()
	p.kill()
	// As if the process had ended between the abandonment of the registration and the call.
	runUnguarded(t, database, fmt.Sprintf("UPDATE idp_call SET kind = 'remove' WHERE client_id = '%s'",
		strings.ReplaceAll(removed.ClientID, "'", "")))
}
