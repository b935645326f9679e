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

// endpoints shows a webhook endpoint: signatures, rotation of the secret, and an outage of the
// receiver.
func (s *story) endpoints() {
	s.chapter("Webhook endpoints")
	const webhooks, deliveries = "/v1/wf/admin/webhooks", "/v1/wf/admin/deliveries"
	policy, name := "petty-cash-"+s.run, "ledger-"+s.run
	ledger, err := s.port.receiver("/ledger", newSecret())
	if err != nil {
		s.fail("%w", err)
		return
	}

	s.step("Create an endpoint for a ledger, which pays approved requests")
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
	s.proves("The secret is shown once and stored encrypted.")

	s.step("Send a test to a ledger with another secret")
	sent := s.ana.post(endpoint+"/test", nil).is(200).has("event_type", "webhook.test")
	first := deliveries + "/" + sent.value("id")
	s.ana.poll(first, "attempt", 1).has("status", "pending").has("last_status_code", 401)
	refused := s.receive(ledger, 1)
	if s.err == nil && refused[0].err == nil {
		s.fail("the ledger accepts the signature of another secret")
	}
	s.line("POST %s  signature invalid", ledger.url)
	s.proves("The ledger rejects the signature. wf retries after 1, 5, 15, 60 and 360 minutes.")

	s.step("Correct the secret and retry the delivery")
	s.trust(ledger, secret)
	s.ana.post(first+"/retry", nil).is(200).has("cycle", 2)
	s.ana.poll(first, "status", "delivered")
	s.expectRepeated(s.receiveAccepted(ledger, 1), refused)
	s.proves("A retry has the same webhook-id, so receivers recognise duplicates.")

	s.rotation(ledger, endpoint, policy)
	s.outage(ledger, endpoint, policy, name)

	s.step("Delete the endpoint")
	s.ana.delete(endpoint).is(200)
	s.ana.post("/v1/wf/policies/"+policy+"/versions/1/deactivate", nil).is(200)
	s.proves("Its deliveries remain.")
}

// rotation rotates the secret of the endpoint while webhooks are sent.
func (s *story) rotation(ledger *receiver, endpoint, policy string) {
	s.step("Rotate the secret under load")
	s.ask(policy, 4)
	secret := s.ana.post(endpoint+"/rotate-secret", object{"overlap": "PT1H"}).is(200).value("secret")
	s.ask(policy, 4)
	last := s.receiveAccepted(ledger, 8)
	s.trust(ledger, secret)
	s.line("the ledger switches to the new secret")
	s.ask(policy, 4)
	last = append(last, s.receiveAccepted(ledger, 4)...)
	if s.err == nil {
		signatures := strings.Fields(last[len(last)-1].header.Get(standardwebhooks.HeaderWebhookSignature))
		if len(signatures) != 2 {
			s.fail("the message has %d signatures, want 2", len(signatures))
		}
		s.line("each with two signatures")
	}
	s.proves("Both secrets sign for an hour, within which the ledger may switch.")
}

// outage makes the ledger unavailable, and then gone.
func (s *story) outage(ledger *receiver, endpoint, policy, name string) {
	const deliveries = "/v1/wf/admin/deliveries"
	secret := newSecret()
	watch, err := s.port.receiver("/watch", secret)
	if err != nil {
		s.fail("%w", err)
		return
	}

	s.step("Retry a delivery after an outage of the ledger")
	ledger.answer(http.StatusServiceUnavailable)
	s.ask(policy, 3)
	waiting := s.receive(ledger, 3)
	if s.err != nil {
		return
	}
	var paths []string
	for _, h := range waiting {
		path := deliveries + "/" + h.delivery
		s.ana.poll(path, "attempt", 1).has("status", "pending").has("attempts.0.status_code", 503)
		paths = append(paths, path)
	}
	ledger.answer(http.StatusNoContent)
	s.ana.post(paths[0]+"/retry", nil).is(200).has("status", "pending")
	s.ana.poll(paths[0], "status", "delivered")
	s.expectRepeated(s.receiveAccepted(ledger, 1), waiting)
	s.proves("A delivery lists its attempts. A manual retry does not wait for the schedule.")

	s.step("Answer 410: the endpoint is disabled")
	other := s.ana.post("/v1/wf/admin/webhooks", object{
		"name": "watch-" + s.run, "url": watch.url, "events": []string{"endpoint.disabled"}, "secret": secret,
	}).is(201).value("id")
	ledger.answer(http.StatusGone)
	s.ana.post(paths[1]+"/retry", nil).is(200)
	s.ana.poll(paths[1], "status", "failed").has("last_status_code", 410)
	s.receive(ledger, 1)
	s.ana.get(paths[2]).is(200).has("status", "cancelled")
	disabled := s.ana.get(endpoint).is(200).has("enabled", false).has("disabled_reason", "gone")
	s.receivesDisabled(watch, name)
	s.ana.post(paths[2]+"/retry", nil).expectCodes(409, "WF-007")
	s.proves("A disabled endpoint receives nothing, and its deliveries are cancelled. Other endpoints receive endpoint.disabled.")

	s.step("Enable the endpoint and recover its deliveries")
	ledger.answer(http.StatusNoContent)
	s.ana.patch(endpoint, object{"enabled": true}).is(200).has("enabled", true)
	since := disabled.value("created_at")
	for _, status := range []string{"failed", "cancelled"} {
		s.ana.post(deliveries+"/recover", object{
			"endpoint": name, "status": status, "created_after": since, "created_before": time.Now().Add(time.Minute).UTC().Format(time.RFC3339),
		}).is(200).has("retried", 1).has("more", false)
	}
	s.expectRepeated(s.receiveAccepted(ledger, 2), waiting)
	for _, path := range paths[1:] {
		s.ana.poll(path, "status", "delivered")
	}
	s.ana.delete("/v1/wf/admin/webhooks/" + other).is(200)
	s.proves("Every webhook has reached the ledger.")
}

// ask creates requests that the policy approves automatically.
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

// receive returns the next n webhooks of a receiver.
func (s *story) receive(r *receiver, n int) []hook {
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

// receiveAccepted returns the next n webhooks of a receiver, none of which it refuses.
func (s *story) receiveAccepted(r *receiver, n int) []hook {
	hooks := s.receive(r, n)
	for _, h := range hooks {
		if h.err != nil {
			s.fail("webhook %s: %w", h.id, h.err)
		}
	}
	if n == 1 {
		s.line("POST %s  signature valid", r.url)
	} else {
		s.line("POST %s  %d times, every signature valid", r.url, n)
	}
	return hooks
}

// expectRepeated expects repetitions of webhooks.
func (s *story) expectRepeated(hooks, before []hook) {
	ids := map[string]bool{}
	for _, h := range before {
		ids[h.id] = true
	}
	for _, h := range hooks {
		if !ids[h.id] {
			s.fail("webhook %s is new, want a repetition", h.id)
		}
	}
}

// receivesDisabled waits for the webhook about the disabled endpoint.
func (s *story) receivesDisabled(r *receiver, name string) {
	for s.err == nil {
		for _, h := range s.receive(r, 1) {
			switch {
			case h.err != nil:
				s.fail("webhook %s: %w", h.id, h.err)
			case h.Data.Resource.Name == name:
				s.line("POST %s  %s, %s, reason %s, signature valid", r.url, h.Type, name, h.Data.Reason)
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
