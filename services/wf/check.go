package wf

import (
	"fmt"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// check refuses content that violates settings.checks. A check that fails is violated; its cause is part of the
// message. The refusal has one problem for each violated check: the pointer of its field and its message.
func (c *change) check() error {
	checks := c.def.Settings.Checks
	var violated []refusal.Problem
	message := ""
	for i, check := range checks {
		value := c.evaluate(check.CEL, policy.YieldsBool)
		if approver.IsUnanswered(value.Failure) {
			return reason.NoAnswer("settings.checks[%d]: %s", i, value.Failure.Message)
		}
		if value.Bool && value.Failure == nil {
			continue
		}
		one := refusal.Problem{Reason: reason.EngineRefused, Where: check.Field, Message: check.Message}
		if violated = append(violated, one); len(violated) > 1 {
			continue
		}
		message = "context: " + one.Message
		if one.Where != "" {
			message = "context: " + one.Where + ": " + one.Message
		}
		if value.Failure != nil {
			message += fmt.Sprintf(" (settings.checks[%d]: %s)", i, value.Failure.Message)
		}
	}
	if len(violated) == 0 {
		return nil
	}
	if more := len(violated) - 1; more > 0 {
		message += fmt.Sprintf("; %d more", more)
	}
	return &refusal.Error{Reason: reason.EngineRefused, Message: message, Problems: violated}
}
