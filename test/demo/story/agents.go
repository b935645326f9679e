package story

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/test/demo/agent"
)

// agents shows an agent that acts for a person after an approval.
func (s *story) agents(as func(string, ...string) person) {
	s.chapter("An agent")
	ana, ruth := as("ana", "WF_ADMIN"), as("ruth")

	s.step("Create a policy for the payments of an agent")
	ana.post("/v1/wf/policies", object{
		"policy_key": "agent-payments", "name": "Payments of agents", "settings": object{"single_use": true},
		"stages": []object{{"key": "finance", "name": "Finance", "approvers": []object{{"type": "user", "ids": []string{"fatima"}}}}},
	}).is(201)
	ana.post("/v1/wf/policies/agent-payments/versions/1/activate", nil).is(200)
	s.proves("An approval of this policy may be used once.")

	s.step("The agent requests an approval, and Fatima approves")
	program := s.enter(ruth.base, bearer.DevToken{Subject: "ruth", Claims: map[string]any{"act": map[string]any{"sub": "payments-agent"}}})
	invoice := object{"invoice": "2026-117", "amount": 900}
	ctx, cancel := context.WithTimeout(s.ctx, 30*time.Second)
	defer cancel()
	asked, ended, paid := make(chan string, 1), make(chan error, 1), 0
	run := func() {
		runner := agent.Agent{URL: program.base, Token: program.token, Policy: "agent-payments", Print: func(text string) { asked <- text }}
		ended <- runner.Run(ctx, invoice, func() error { paid++; return nil })
	}
	go run()
	id := s.asked(asked, ended)
	path := "/v1/wf/requests/" + id
	request := ruth.get(path).is(200).has("requester.id", "ruth").has("submitted_by.acting.0.sub", "payments-agent").has("context.amount", 900)
	program.decide(request.taskOf("fatima"), object{"action": "approve"}).expectCodes(403, "WF-008")
	as("fatima").decide(request.taskOf("fatima"), object{"action": "approve"}).is(200).has("request.status", "approved")
	if s.err == nil {
		if err := <-ended; err != nil || paid != 1 {
			s.fail("the agent has paid %d times: %w", paid, errors.Join(err))
		}
	}
	s.line("ruth's agent: paid")
	s.proves("The agent has no tool to decide, and its token may not decide elsewhere. It continues after the approval.")

	s.step("Read the use of the approval")
	done := ruth.get(path).is(200).has("standing", "consumed")
	ruth.post(path+"/consume", object{"context_hash": done.value("context_hash")}).expectCodes(409, "WF-007")
	go run()
	if again := s.asked(asked, ended); again == id {
		s.fail("the agent uses request %s again", id)
	}
	cancel()
	s.proves("The approval was for these arguments, and for one payment. The next run needs another one.")
}

// asked waits for the request of the agent and returns its id.
func (s *story) asked(asked chan string, ended chan error) string {
	if s.err != nil {
		return ""
	}
	select {
	case text := <-asked:
		s.line("ruth's agent: %s", text)
		return text[strings.LastIndexByte(text, '/')+1:]
	case err := <-ended:
		s.fail("the agent has ended: %w", errors.Join(err))
		return ""
	}
}
