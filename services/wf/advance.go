package wf

import (
	"slices"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// advance evaluates the running stages and starts the next ones, until decisions are pending or the
// request ends.
func (c *change) advance() error {
	for {
		c.judgeAll()
		pending, over := c.frontier()
		switch {
		case c.because.Code != "" && c.hasRejected():
			c.finish(RequestRejected, c.because)
			return nil
		case over:
			return c.conclude()
		case len(pending) == 0:
			c.updateStatus()
			return nil
		}
		for _, run := range pending {
			if err := c.onRun(run).start(); err != nil {
				return err
			}
		}
	}
}

// judgeAll evaluates the running stages. The end of one releases its approvers for parallel stages,
// so those are evaluated again.
func (c *change) judgeAll() {
	for again := true; again; {
		again = false
		for i := range c.Stages {
			if run := &c.Stages[i]; run.Status.running() {
				c.onRun(run).judge()
				again = again || !run.Status.running()
			}
		}
	}
}

// frontier returns the runs to start now, and whether all stages are over.
func (c *change) frontier() (pending []*StageRun, over bool) {
	for _, group := range c.def.Groups() {
		open := false
		for _, stage := range group {
			run := c.current(stage.Key)
			switch run.Status {
			case StageApproved, StageSkipped:
			case StagePending:
				pending = append(pending, run)
				open = true
			default:
				open = true
			}
		}
		if open {
			return pending, false
		}
	}
	return nil, true
}

func (c *change) current(stage string) *StageRun {
	for i := len(c.Stages) - 1; i >= 0; i-- {
		if c.Stages[i].Key == stage {
			return &c.Stages[i]
		}
	}
	panic("stage " + stage + " has no run")
}

// enter adds a pending run of every stage whose last run is not kept.
func (c *change) enter(keep func(last StageRun) bool) {
	for _, stage := range c.def.Stages {
		last, ran := c.LatestRun(stage.Key)
		if ran && keep(last) {
			continue
		}
		c.Stages = append(c.Stages, StageRun{
			ID: c.ids.next(), Key: stage.Key, Name: stage.Name, Run: last.Run + 1,
			Status: StagePending, ParallelGroup: stage.ParallelGroup, Pool: stage.Assignment == policy.AssignmentPool,
			Delegable: c.def.Delegable(stage),
		})
	}
}

func (c *change) hasRejected() bool {
	return slices.ContainsFunc(c.def.Stages, func(s policy.Stage) bool { return c.current(s.Key).Status == StageRejected })
}

// conclude ends a request after its last stage.
func (c *change) conclude() error {
	skipped := !slices.ContainsFunc(c.def.Stages, func(s policy.Stage) bool { return c.current(s.Key).Status != StageSkipped })
	why := StatusReason{Code: BecauseQuorumMet}
	if c.because.Code == BecauseOverride {
		why = c.because
	}
	if !skipped {
		c.finish(RequestApproved, why)
		return nil
	}
	why = StatusReason{Code: BecauseNoStageApplies}
	c.by = identity.SystemPolicy
	switch c.def.Settings.OnNoStages {
	case policy.OnNoStagesApprove:
		c.finish(RequestApproved, why)
	case policy.OnNoStagesReject:
		c.finish(RequestRejected, why)
	default:
		return refusal.New(reason.EngineRefused, "no stage of policy %s applies to this request", c.PolicyKey)
	}
	return nil
}

// updateStatus derives the status of the request from its running stages.
func (c *change) updateStatus() {
	i := slices.IndexFunc(c.Stages, func(run StageRun) bool { return run.Status == StageBlocked })
	switch {
	case i >= 0 && c.Status != RequestBlocked:
		c.Status = RequestBlocked
		blocked := c.Stages[i]
		code := BecauseNoApprovers
		if c.votes[blocked.ID] != "" {
			code = BecauseQuorumUnreachable
		}
		c.StatusReason = &StatusReason{Code: code, StageKey: blocked.Key, Message: blocked.LastError}
		c.note(audit.EventRequestBlocked, nil, nil)
	case i < 0 && c.Status == RequestBlocked:
		c.Status, c.StatusReason = RequestInReview, nil
		c.note(audit.EventRequestUnblocked, nil, nil)
	}
}
