package wf

import (
	"fmt"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// computeAll evaluates the expressions over the content for all new runs, so that none can fail later. A failed
// expression refuses the caller. An evaluation timeout refuses them as a missing answer.
func (c *change) computeAll() error {
	for i := range c.Stages {
		run := &c.Stages[i]
		if run.Status != StagePending {
			continue
		}
		switch failure := c.onRun(run).compute(); {
		case approver.IsUnanswered(failure):
			return reason.NoAnswer("stage %s: %s", run.Key, failure.Message)
		case failure != nil:
			return refusal.New(reason.EngineRefused, "stage %s: %s", run.Key, failure.Message)
		}
	}
	return nil
}

// compute evaluates the expressions of the run's stage over the content. It evaluates none if the condition of
// the stage is false for every later state of the request.
func (c runChange) compute() (failure *refusal.Error) {
	stage, _ := c.def.Stage(c.run.Key)
	if !stage.Computes() {
		return nil
	}
	if stage.When != "" {
		value := c.evaluate(stage.When, policy.YieldsBool)
		switch {
		case approver.IsUnanswered(value.Failure):
			return value.Failure
		case value.Failure == nil && !value.Bool && value.OverContent:
			return nil
		}
	}
	var values policy.Computed
	failed := func(member string, cause *refusal.Error) *refusal.Error {
		return &refusal.Error{Reason: cause.Reason, Message: member + ": " + cause.Message}
	}
	for i, rule := range stage.Approvers {
		if rule.When == "" {
			continue
		}
		switch applies, cause := c.condition(rule.When); {
		case cause != nil:
			return failed(fmt.Sprintf("when of approver rule %d", i), cause)
		case !applies:
			values.Off = append(values.Off, i)
		}
	}
	if stage.Quorum.ValueCEL != "" {
		value := c.evaluate(stage.Quorum.ValueCEL, policy.YieldsInt)
		if cause := value.Failure; cause == nil && (value.Int < 1 || value.Int > policy.MaxCounted) {
			value.Failure = approver.Invalid("yields %d, not 1 to %d", value.Int, policy.MaxCounted)
		}
		if value.Failure != nil {
			return failed("quorum.value_cel", value.Failure)
		}
		values.Quorum = int(value.Int)
	}
	if stage.Deadline != nil && stage.Deadline.DueCEL != "" {
		value := c.evaluate(stage.Deadline.DueCEL, policy.YieldsDue)
		at, expires := value.Due.At, stage.Deadline.Effect() == policy.OnDueExpire
		if cause := value.Failure; cause != nil {
			return failed("deadline.due_cel", cause)
		} else if err := value.Due.Check(c.def.Settings); err != nil {
			return failed("deadline.due_cel", approver.Invalid("yields a duration that %s", err))
		} else if expires && !at.IsZero() && !at.After(c.facts.At) {
			return failed("deadline.due_cel", approver.Invalid("yields %s, which is not in the future", identity.Stamp{Time: at}))
		}
		values.Due = value.Due
	}
	c.run.Computed = values
	return nil
}
