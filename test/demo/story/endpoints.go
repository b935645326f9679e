package story

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// endpoints is the part about an application that is told of every request under a
// policy: what keeps its messages from being forged, and what happens to them when it
// is down.
func (s *story) endpoints() {
	s.chapter("An endpoint of webhooks")
	const webhooks, deliveries = "/v1/wf/admin/webhooks", "/v1/wf/admin/deliveries"
	policy, name := "petty-cash-"+s.run, "ledger-"+s.run
	ledger, err := s.port.receiver("/ledger", newSecret())
	if err != nil {
		s.fail("%w", err)
		return
	}

	s.step("Ana makes an endpoint for the ledger, which pays what is approved")
	s.ana.post("/v1/wf/policies", object{
		"policy_key": policy, "name": "Petty cash", "settings": object{"auto_approve_when": "context.amount < 100"},
		"stages": []object{{"key": "check", "name": "Check", "approvers": []object{{"type": "user", "ids": []string{"fatima"}}}}},
	}).is(201)
	s.ana.post("/v1/wf/policies/"+policy+"/versions/1/activate", nil).is(200)
	made := s.ana.post(webhooks, object{"name": name, "url": ledger.url, "events": []string{"request.approved"}, "policy_keys": []string{policy}}).
		is(201).has("enabled", true)
	secret, endpoint := made.value("secret"), webhooks+"/"+made.value("id")
	hint := secret[max(0, len(secret)-4):]
	s.line("     secret = whsec_…%s", hint)
	s.ana.get(endpoint).is(200).has("secret_hint", hint).lacks(secret)
	s.proves("Its secret was shown once, and is stored encrypted. Nobody can ask for it again.")

	s.step("The ledger has another secret, and refuses a test")
	sent := s.ana.post(endpoint+"/test", nil).is(200).has("event_type", "webhook.test")
	first := deliveries + "/" + sent.value("id")
	s.ana.until(first, "attempt", 1).has("status", "pending").has("last_status_code", 401)
	refused := s.arrived(ledger, 1)
	if s.err == nil && refused[0].err == nil {
		s.fail("the ledger trusts what another secret has signed")
	}
	s.line("POST %s  signature bad", ledger.url)
	s.proves("The library of Standard Webhooks verifies it, and wf tries again after 1 min, then 5, 15, 60 and 360.")

	s.step("It gets the right one, and Ana sends the test again by hand")
	s.trust(ledger, secret)
	s.ana.post(first+"/retry", nil).is(200).has("cycle", 2)
	s.ana.until(first, "status", "delivered")
	s.again(s.accepted(ledger, 1), refused)
	s.proves("A message keeps its webhook-id, so that nobody takes a repetition for something new.")

	s.rotation(ledger, endpoint, policy)
	s.outage(ledger, endpoint, policy, name)

	s.step("Ana removes what she has made")
	s.ana.delete(endpoint).is(200)
	s.ana.post("/v1/wf/policies/"+policy+"/versions/1/deactivate", nil).is(200)
	s.proves("What was sent stays in the log.")
}

// rotation changes the secret of the ledger's endpoint while there is something to send.
func (s *story) rotation(ledger *receiver, endpoint, policy string) {
	s.step("Ana changes the secret while Rosa goes on asking")
	s.ask(policy, 4)
	secret := s.ana.post(endpoint+"/rotate-secret", object{"overlap": "PT1H"}).is(200).value("secret")
	s.ask(policy, 4)
	last := s.accepted(ledger, 8)
	s.trust(ledger, secret)
	s.line("the ledger takes the new secret")
	s.ask(policy, 4)
	last = append(last, s.accepted(ledger, 4)...)
	if s.err == nil {
		signatures := strings.Fields(last[len(last)-1].header.Get(standardwebhooks.HeaderWebhookSignature))
		if len(signatures) != 2 {
			s.fail("the message has %d signatures, want 2", len(signatures))
		}
		s.line("each with two signatures")
	}
	s.proves("Both secrets sign for an hour, so the ledger may change its own at any time in it. Its code stays as it is.")
}

// outage lets the ledger be down, and then gone.
func (s *story) outage(ledger *receiver, endpoint, policy, name string) {
	const deliveries = "/v1/wf/admin/deliveries"
	secret := newSecret()
	watch, err := s.port.receiver("/watch", secret)
	if err != nil {
		s.fail("%w", err)
		return
	}

	s.step("The ledger is down, and three payments wait")
	ledger.answer(http.StatusServiceUnavailable)
	s.ask(policy, 3)
	waiting := s.arrived(ledger, 3)
	if s.err != nil {
		return
	}
	var paths []string
	for _, h := range waiting {
		path := deliveries + "/" + h.delivery
		s.ana.until(path, "attempt", 1).has("status", "pending").has("attempts.0.status_code", 503)
		paths = append(paths, path)
	}
	ledger.answer(http.StatusNoContent)
	s.ana.post(paths[0]+"/retry", nil).is(200).has("status", "pending")
	s.ana.until(paths[0], "status", "delivered")
	s.again(s.accepted(ledger, 1), waiting)
	s.proves("The log has every attempt. Nobody has to wait for the next one.")

	s.step("The ledger moves, and what is left answers 410")
	other := s.ana.post("/v1/wf/admin/webhooks", object{
		"name": "watch-" + s.run, "url": watch.url, "events": []string{"endpoint.disabled"}, "secret": secret,
	}).is(201).value("id")
	ledger.answer(http.StatusGone)
	s.ana.post(paths[1]+"/retry", nil).is(200)
	s.ana.until(paths[1], "status", "failed").has("last_status_code", 410)
	s.arrived(ledger, 1)
	s.ana.get(paths[2]).is(200).has("status", "cancelled")
	disabled := s.ana.get(endpoint).is(200).has("enabled", false).has("disabled_reason", "gone")
	s.told(watch, name)
	s.ana.post(paths[2]+"/retry", nil).refused(409, "WF-007")
	s.proves("An endpoint that is gone is not called again, and what waits for it is kept. Endpoints that watch are told.")

	s.step("It answers again, and Ana recovers what it has missed")
	ledger.answer(http.StatusNoContent)
	s.ana.patch(endpoint, object{"enabled": true}).is(200).has("enabled", true)
	since := disabled.value("created_at")
	for _, status := range []string{"failed", "cancelled"} {
		s.ana.post(deliveries+"/recover", object{
			"endpoint": name, "status": status, "created_after": since, "created_before": time.Now().Add(time.Minute).UTC().Format(time.RFC3339),
		}).is(200).has("retried", 1).has("more", false)
	}
	s.again(s.accepted(ledger, 2), waiting)
	for _, path := range paths[1:] {
		s.ana.until(path, "status", "delivered")
	}
	s.ana.delete("/v1/wf/admin/webhooks/" + other).is(200)
	s.proves("Every payment has reached the ledger.")
}

// ask makes requests that the policy approves.
func (s *story) ask(policy string, n int) {
	if s.err != nil {
		return
	}
	a := &answer{teller: s.teller}
	s.line("rosa: POST /v1/wf/requests, %d times", n)
	body := fmt.Appendf(nil, `{"policy_key":"%s","title":"Chalk","context":{"amount":12}}`, policy)
	for range n {
		if err := a.send(s.rosa, http.MethodPost, "/v1/wf/requests", body); err != nil {
			s.fail("%w", err)
			return
		}
		if status, _ := member(a.body, "status"); a.status != http.StatusCreated || status != "approved" {
			s.fail("answered %d, want 201 and an approved request: %s", a.status, a.raw)
			return
		}
	}
	a.is(http.StatusCreated).has("status", "approved")
}

// trust gives the receiver a secret.
func (s *story) trust(r *receiver, secret string) {
	if s.err != nil {
		return
	}
	if err := r.trust(secret); err != nil {
		s.fail("%w", err)
	}
}

// arrived returns the next n webhooks of a receiver.
func (s *story) arrived(r *receiver, n int) []hook {
	var hooks []hook
	for len(hooks) < n && s.err == nil {
		h, err := r.next(s.ctx)
		if err != nil {
			s.fail("%w", err)
			break
		}
		hooks = append(hooks, h)
	}
	return hooks
}

// accepted returns the next n webhooks of a receiver, none of which it refuses.
func (s *story) accepted(r *receiver, n int) []hook {
	hooks := s.arrived(r, n)
	for _, h := range hooks {
		if h.err != nil {
			s.fail("webhook %s: %w", h.id, h.err)
		}
	}
	if n == 1 {
		s.line("POST %s  signature good", r.url)
	} else {
		s.line("POST %s  %d times, every signature good", r.url, n)
	}
	return hooks
}

// again expects webhooks that have arrived before.
func (s *story) again(hooks, before []hook) {
	ids := map[string]bool{}
	for _, h := range before {
		ids[h.id] = true
	}
	for _, h := range hooks {
		if !ids[h.id] {
			s.fail("webhook %s is new, want one that has arrived before", h.id)
		}
	}
}

// told expects that the receiver hears of the endpoint that was disabled.
func (s *story) told(r *receiver, name string) {
	for s.err == nil {
		for _, h := range s.arrived(r, 1) {
			switch {
			case h.err != nil:
				s.fail("webhook %s: %w", h.id, h.err)
			case h.Data.Resource.Name == name:
				s.line("POST %s  %s, %s, reason %s, signature good", r.url, h.Type, name, h.Data.Reason)
				return
			}
		}
	}
}

// newSecret makes one of 32 bytes (Standard Webhooks 1.0.0).
func newSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return "whsec_" + base64.StdEncoding.EncodeToString(key)
}
