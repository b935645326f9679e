package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/condition"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// planner returns the plan of each stage that a request reaches: whether it
// applies, and whom its rules yield. Creation, decisions and simulation use it
// alike, so a simulation foretells what creation does.
func (e *Engine) planner(ctx context.Context, tx *store.Tx, def wf.Definition, now time.Time) func(wf.Request, wf.Stage) (wf.StagePlan, error) {
	return func(r wf.Request, stage wf.Stage) (wf.StagePlan, error) {
		in := facts(r, def, now)
		if stage.When != "" {
			// An expression that fails runs the stage: nothing is skipped by mistake.
			if applies, err := e.Conditions.Bool(ctx, stage.When, in); err == nil && !applies {
				return wf.StagePlan{Skip: &wf.Skip{Reason: "when_false", Detail: stage.When}}, nil
			}
		}
		var plan wf.StagePlan
		for i, rule := range stage.Approvers {
			people, err := e.people(ctx, rule, r, in)
			if err != nil {
				plan.Problem = fmt.Sprintf("approver rule %d: %s", i, err)
			}
			plan.Rules = append(plan.Rules, people)
		}
		if stage.OnEmpty == wf.EmptyFallback {
			for _, rule := range def.Settings.FallbackApprovers {
				people, err := e.people(ctx, rule, r, in)
				if err != nil {
					plan.Problem = fmt.Sprintf("fallback approvers: %s", err)
				}
				plan.Fallback = append(plan.Fallback, people...)
			}
		}
		if hops := def.Settings.Hops(stage); hops > 0 {
			var err error
			if plan.Delegations, err = tx.DelegationsOf(ids(plan), hops); err != nil {
				return plan, err
			}
		}
		return plan, nil
	}
}

// people returns whom a rule yields. An error is about the rule, not about the
// service: its message is for the caller.
func (e *Engine) people(ctx context.Context, rule wf.Rule, r wf.Request, in condition.Input) ([]wf.User, error) {
	switch rule.Type {
	case wf.RuleUser:
		return users(rule.IDs)
	case wf.RuleStageActor:
		return r.ApproversOf(rule.Stage), nil
	case wf.RuleExpression:
		names, err := e.Conditions.Strings(ctx, rule.CEL, in)
		if err != nil {
			return nil, err
		}
		return users(names)
	default:
		return nil, fmt.Errorf("no directory answers rules of type %s", rule.Type)
	}
}

// maxYield is how many people one rule may yield.
const maxYield = 1000

func users(ids []string) ([]wf.User, error) {
	if len(ids) > maxYield {
		return nil, fmt.Errorf("yields %d people; at most %d are taken", len(ids), maxYield)
	}
	out := make([]wf.User, 0, len(ids))
	for _, id := range ids {
		if err := wf.CheckUserID(id); err != nil {
			return nil, err
		}
		out = append(out, wf.User{ID: id})
	}
	return out, nil
}

func ids(plan wf.StagePlan) []string {
	var out []string
	for _, people := range append(plan.Rules, plan.Fallback) {
		for _, u := range people {
			out = append(out, u.ID)
		}
	}
	return out
}

// facts is what conditions may read of a request.
func facts(r wf.Request, def wf.Definition, now time.Time) condition.Input {
	in := condition.Input{
		Context: r.Context,
		Request: condition.Request{
			ID: r.ID, PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID,
			Revision: r.Revision, CreatedAt: r.CreatedAt, Priority: string(r.Priority), Labels: r.Labels,
		},
		Requester: condition.Requester{ID: r.Requester.ID, Username: r.Requester.Username, Email: r.Requester.Email},
		Stages:    make(map[string]condition.Stage, len(def.Stages)),
		Now:       now,
	}
	for _, stage := range def.Stages {
		fact := condition.Stage{Status: string(wf.StagePending)}
		for _, run := range r.Stages { // oldest first: the last run stands
			if run.Key == stage.Key {
				fact.Status, fact.Approvals = string(run.Status), run.Count.Approvals
			}
		}
		for _, u := range r.ApproversOf(stage.Key) {
			fact.Approvers = append(fact.Approvers, u.ID)
		}
		in.Stages[stage.Key] = fact
	}
	return in
}
