package story

import (
	"fmt"
	"time"

	"github.com/countersign/countersign/libs/keycloaktest"
)

// payments runs a policy with a deadline, people rules and single use to its end, with minutes for days.
func (s *story) payments(as func(string, ...string) person, realm *keycloaktest.Keycloak, mail *mailbox) {
	s.chapter("The life of an approval")
	port, err := listen(s.ctx, "127.0.0.1:0")
	if err != nil {
		s.fail("%w", err)
		return
	}
	defer port.close()
	ledger, err := port.receiver("/payments", newSecret())
	if err != nil {
		s.fail("%w", err)
		return
	}
	var officers []string
	for _, id := range []string{"fatima", "felix", "fay", "omid"} {
		officers = append(officers, realm.AddUser(keycloaktest.User{
			ID: id, Username: id + ".f", Email: id + "@example.org", EmailVerified: true, Attributes: map[string][]string{"manager": {"mia.b"}},
		}))
	}
	for _, id := range []string{"mia", "dan", "ruth"} {
		realm.AddUser(keycloaktest.User{ID: id, Username: id + ".b", Email: id + "@example.org", EmailVerified: true})
	}
	realm.AddRole("finance-officer", keycloaktest.Holders{Users: officers})
	realm.AddRole("director", keycloaktest.Holders{Users: []string{"dan"}})
	ana, ruth := as("ana", "WF_ADMIN"), as("ruth")
	ask := object{"policy_key": "payments", "title": "Grant 12", "priority": "urgent", "context": object{"author": "felix", "amount": 900}}

	s.paymentPolicy(ana, ledger)
	witness := s.witness(ana, port)

	s.step("Create a payment, written by Felix")
	made := ruth.post("/v1/wf/requests", ask).is(201).has("status", "in_review").
		has("stages.0.excluded.0.user.id", "felix").has("stages.0.excluded.0.reason", "rule").has("stages.0.overdue", false)
	made.value("stages.0.due_at")
	id := made.value("id")
	path := "/v1/wf/requests/" + id
	as("felix").decide(made.taskOf("fatima"), object{"action": "approve"}).expectCodes(403, "WF-008")
	as("fatima").get("/v1/wf/tasks?inbox=me").is(200).has("items.0.request_id", id)
	s.mails(mail, "fatima@example.org: Urgent: To decide: Grant 12 (Payments)", "dan@example.org: Urgent: To decide: Grant 12 (Payments)")
	s.proves("The author is excluded. Each approver has a task with a due date, and mail.")

	s.step("Move the due date, so that its reminder is sent now")
	move := func(to time.Duration) *answer {
		at := time.Now().Add(to).UTC().Format(time.RFC3339Nano)
		return ana.patch(path+"/stages/finance", object{"due_at": at, "reason": "The tour has no two minutes"}).is(200)
	}
	move(time.Minute + time.Second)
	s.checkWebhooks(ledger, id, "stage.due_moved", "stage.reminded")
	s.mails(mail, "fatima@example.org: Due soon: Grant 12 (Payments)")
	s.proves("Reminders follow the date. An admin moves it with a reason, which is an event.")

	s.step("Fatima approves; the due date passes")
	as("fatima").decide(made.taskOf("fatima"), object{"action": "approve"}).is(200).has("request.status", "in_review")
	move(time.Second)
	s.checkWebhooks(ledger, id, "stage.due", "stage.escalated")
	late := ruth.poll(path, "stages.0.overdue", true).has("stages.0.quorum.need", 2)
	as("mia").get("/v1/wf/tasks?inbox=me&overdue=true").is(200).has("items.0.request_id", id).has("items.0.added", "escalation")
	s.mails(mail, "ruth@example.org: Overdue: Grant 12 (Payments)", "mia@example.org: Urgent: To decide: Grant 12 (Payments)")
	s.proves("The manager of the officers that have not decided is added. No requirement is lowered, and no task is removed.")

	s.step("Mia approves")
	as("mia").decide(late.taskOf("mia"), object{"action": "approve"}).is(200).has("request.status", "approved")
	done := ruth.get(path).is(200).has("standing", "in_force").has("allowed_actions", []string{"revoke", "consume"})
	done.value("valid_until")
	s.mails(mail, "ruth@example.org: Approved: Grant 12 (Payments)")
	s.proves("Two approvals are counted. The approval is valid from now on.")

	s.step("Consume the approval once")
	use := object{"context_hash": done.value("context_hash"), "consumer": "payment run 17"}
	as("fatima").post(path+"/consume", use).expectCodes(403, "WF-008")
	ruth.post(path+"/consume", object{"context_hash": "sha256:0", "consumer": "payment run 17"}).expectCodes(409, "WF-007")
	consumed := ruth.post(path+"/consume", use).is(200).has("standing", "consumed")
	ruth.post(path+"/consume", use).expectCodes(409, "WF-007")
	s.checkWebhooks(ledger, id, "request.approved", "request.consumed")
	s.proves("A payment run uses exactly the approved content, and once.")

	s.step("Read and verify the audit trail")
	timeline := ana.get(path+"/events?verify=true&limit=200").is(200).has("verification.valid", true)
	for i := range timeline.list("items") {
		at := fmt.Sprintf("items.%d.", i)
		s.line("     %2d  %-20s %s", i+1, timeline.value(at+"type"), timeline.value(at+"actor.id"))
	}
	s.proves("Reminder, due date and escalation have the actor system:deadline.")

	s.proofs(ana, witness, consumed)

	s.step("The director vetoes another payment")
	ask["title"] = "Gold taps"
	vetoed := ruth.post("/v1/wf/requests", ask).is(201)
	as("fay").decide(vetoed.taskOf("fay"), object{"action": "reject"}).is(200).has("request.status", "in_review")
	as("dan").decide(vetoed.taskOf("dan"), object{"action": "reject"}).is(200).
		has("request.status", "rejected").has("request.status_reason.code", "veto")
	s.proves("One officer alone does not reject a payment, the director does.")
}

// paymentPolicy creates, simulates and activates the policy.
func (s *story) paymentPolicy(ana person, ledger *receiver) {
	s.step("Write the policy as JSON, and simulate it")
	s.line("two finance officers within two minutes of working time, a reminder a minute before, then their manager;")
	s.line("never the author, the director's veto, valid for 30 minutes, usable once")
	secret := ana.post("/v1/wf/admin/webhooks", object{"name": "payments", "url": ledger.url, "events": []string{"request.*"}}).is(201).value("secret")
	s.trust(ledger, secret)
	ana.post("/v1/wf/policies", object{
		"policy_key": "payments", "name": "Payments",
		"settings": object{
			"calendar":   object{"zone": "Africa/Nairobi", "days": []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}, "from": "00:00", "to": "24:00"},
			"exclude":    []object{{"type": "expression", "cel": "context.author", "label": "The author"}},
			"validity":   object{"valid_for": "PT30M"},
			"single_use": true,
			"webhooks":   []object{{"endpoint": "payments", "events": []string{"*"}}},
		},
		"stages": []object{{
			"key": "finance", "name": "Finance",
			"approvers": []object{
				{"type": "role", "role": "finance-officer", "min_approvals": 2, "label": "Finance"},
				{"type": "role", "role": "director", "veto": true, "label": "Director"},
			},
			"quorum": object{"mode": "count", "value": 2}, "rejection": object{"mode": "count", "value": 2},
			"deadline": object{
				"due_in": "PT2M", "remind_before": []string{"PT1M"}, "on_due": "escalate",
				"escalate_to": []object{{"type": "manager", "of": "assignee"}},
			},
		}},
	}).is(201)
	simulated := ana.post("/v1/wf/policies/payments/versions/1/simulate", object{"requester": "ruth", "context": object{"author": "felix"}}).is(200).
		has("outcome", "would_start").has("stages.0.escalate_to.0.id", "mia").has("stages.0.excluded.0.user.id", "felix")
	simulated.value("stages.0.due_at")
	ana.post("/v1/wf/policies/payments/versions/1/activate", nil).is(200)
	s.proves("The simulation names the due date, the people of the escalation and the excluded author.")
}

// checkWebhooks waits for webhooks of a request.
func (s *story) checkWebhooks(r *receiver, request string, types ...string) {
	if s.err != nil {
		return
	}
	hooks, err := r.await(s.ctx, request, types...)
	if err != nil {
		s.fail("%w", err)
		return
	}
	for _, kind := range types {
		s.line("POST %s  %s, event %d of the request, signature valid", r.url, kind, hooks[kind].Data.Sequence)
	}
}
