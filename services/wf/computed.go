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
	failures := make([]*refusal.Error, len(c.Stages))
	c.Want(len(c.Stages), func(i int) {
		if run := &c.Stages[i]; run.Status == StagePending {
			failures[i] = c.onRun(run).compute()
		}
	})
	for i, failure := range failures {
		switch key := c.Stages[i].Key; {
		case approver.IsUnanswered(failure):
			return reason.NoAnswer("stage %s: %s", key, failure.Message)
		case failure != nil:
			return refusal.New(reason.EngineRefused, "stage %s: %s", key, failure.Message)
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
	fail := func(member string, cause *refusal.Error) {
		if failure == nil && cause != nil {
			failure = &refusal.Error{Reason: cause.Reason, Message: member + ": " + cause.Message}
		}
	}
	rules := func() {
		c.Want(len(stage.Approvers), func(i int) {
			applies, cause := true, (*refusal.Error)(nil)
			if when := stage.Approvers[i].When; when != "" {
				applies, cause = c.condition(when)
			}
			if fail(fmt.Sprintf("when of approver rule %d", i), cause); !applies {
				values.Off = append(values.Off, i)
			}
		})
	}
	quorum := func() {
		if stage.Quorum.ValueCEL == "" {
			return
		}
		value := c.evaluate(stage.Quorum.ValueCEL, policy.YieldsInt)
		if cause := value.Failure; cause == nil && (value.Int < 1 || value.Int > policy.MaxCounted) {
			fail("quorum.value_cel", approver.Invalid("yields %d, not 1 to %d", value.Int, policy.MaxCounted))
		} else {
			fail("quorum.value_cel", cause)
		}
		values.Quorum = int(value.Int)
	}
	due := func() {
		if stage.Deadline == nil || stage.Deadline.DueCEL == "" {
			return
		}
		value := c.evaluate(stage.Deadline.DueCEL, policy.YieldsDue)
		if cause := value.Failure; cause != nil {
			fail("deadline.due_cel", cause)
		} else if err := value.Due.Check(c.def.Settings); err != nil {
			fail("deadline.due_cel", approver.Invalid("yields a duration that %s", err))
		} else if at := value.Due.At; stage.Deadline.Effect() == policy.OnDueExpire && !at.IsZero() && !at.After(c.facts.At) {
			fail("deadline.due_cel", approver.Invalid("yields %s, which is not in the future", identity.Stamp{Time: at}))
		}
		values.Due = value.Due
	}
	c.WantAll(rules, quorum, due)
	c.run.Computed = values
	return failure
}
