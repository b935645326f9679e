package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/condition"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// planner finds out whom a stage's rules yield, with the answers of one operation.
// Creation, decisions and simulation use it alike, so a simulation foretells what
// creation does.
type planner struct {
	*Engine
	*answers
	ctx context.Context
	def wf.Definition
	now time.Time
}

// plan says whether a stage that a request reaches applies, and whom its rules yield.
// It looks at every rule, so that all their questions are put at once.
func (p planner) plan(tx *store.Tx, r wf.Request, stage wf.Stage) (wf.StagePlan, error) {
	if stage.When != "" {
		// An expression that fails runs the stage: nothing is skipped by mistake.
		if applies, err := p.Conditions.Bool(p.ctx, stage.When, facts(r, p.def, p.now)); err == nil && !applies {
			return wf.StagePlan{Skip: &wf.Skip{Reason: "when_false", Detail: stage.When}}, nil
		}
	}
	var plan wf.StagePlan
	failed := func(what string, err error) {
		if errors.Is(err, wf.ResolverFailed) {
			plan.Unavailable = what + ": " + message(err)
		} else {
			plan.Problem = what + ": " + message(err)
		}
	}
	for i, rule := range stage.Approvers {
		people, err := p.people(rule, r, stage.Key, 0)
		if err != nil {
			failed(fmt.Sprintf("approver rule %d", i), err)
		}
		plan.Rules = append(plan.Rules, people)
	}
	if stage.OnEmpty == wf.EmptyFallback {
		for _, rule := range p.def.Settings.FallbackApprovers {
			people, err := p.people(rule, r, stage.Key, 0)
			if err != nil {
				failed("fallback approvers", err)
			}
			plan.Fallback = append(plan.Fallback, people...)
		}
	}
	if hops := p.def.Settings.Hops(stage); hops > 0 && plan.Unavailable == "" {
		var err error
		if plan.Delegations, err = tx.DelegationsOf(ids(plan), hops); err != nil {
			return plan, err
		}
		plan.Delegations = p.present(plan.Delegations)
	}
	return plan, nil
}

// present drops the delegations to people who have left. Without an answer they stay:
// who has left is replaced later.
func (p planner) present(delegations []wf.Delegation) []wf.Delegation {
	if !p.Directory || len(delegations) == 0 {
		return delegations
	}
	var delegates []string
	for _, d := range delegations {
		delegates = append(delegates, d.DelegateTo.ID)
	}
	known, err := p.yield(whether(delegates...))
	if err != nil {
		return delegations
	}
	return slices.DeleteFunc(delegations, func(d wf.Delegation) bool {
		return !slices.ContainsFunc(known, func(u wf.User) bool { return u.ID == d.DelegateTo.ID })
	})
}

// people returns whom a rule yields; stage is the key of the stage that it belongs
// to. An error is about the rule, not about the service: its message is for the
// caller. It is wf.ResolverFailed when there is no answer now.
func (p planner) people(rule wf.Rule, r wf.Request, stage string, maxAge time.Duration) ([]wf.User, error) {
	switch rule.Type {
	case wf.RuleUser:
		people, err := users(rule.IDs)
		if err != nil || len(rule.Usernames) == 0 {
			return people, err
		}
		named, err := p.yield(wf.Question{Rule: wf.Rule{Type: wf.RuleUser, Usernames: rule.Usernames}, MaxAge: maxAge})
		return append(people, named...), err
	case wf.RuleStageActor:
		return r.ApproversOf(rule.Stage), nil
	case wf.RuleExpression:
		return p.named(rule, r, maxAge)
	case wf.RuleManager:
		from, err := p.subject(rule, r)
		if err != nil || from == "" {
			return nil, err
		}
		return p.yield(wf.Question{Rule: rule, From: from, MaxAge: maxAge})
	case wf.RuleHTTP:
		return p.yield(wf.Question{Rule: rule, MaxAge: maxAge, About: &wf.Matter{
			PolicyKey: r.PolicyKey, PolicyVersion: r.PolicyVersion, StageKey: stage, Params: rule.Params, Context: r.Context,
			Request: wf.MatterRequest{ID: r.ID, Requester: r.Requester, ArtifactType: r.ArtifactType, ArtifactID: r.ArtifactID},
		}})
	default:
		return p.yield(wf.Question{Rule: rule, MaxAge: maxAge})
	}
}

// named returns the people whom an expression names: by themselves, by their roles,
// or by their groups.
func (p planner) named(rule wf.Rule, r wf.Request, maxAge time.Duration) ([]wf.User, error) {
	names, err := p.Conditions.Strings(p.ctx, rule.CEL, facts(r, p.def, p.now))
	if err != nil {
		return nil, err
	}
	var rules []wf.Rule
	switch rule.As {
	case wf.AsUsernames:
		rules = []wf.Rule{{Type: wf.RuleUser, Usernames: names}}
	case wf.AsRoles:
		for _, name := range names {
			rules = append(rules, wf.Rule{Type: wf.RuleRole, Role: name})
		}
	case wf.AsGroupPaths:
		for _, path := range names {
			rules = append(rules, wf.Rule{Type: wf.RuleGroup, Path: path})
		}
	default:
		return users(names)
	}
	var people []wf.User
	var failure error
	for _, rule := range rules {
		some, err := p.yield(wf.Question{Rule: rule, MaxAge: maxAge})
		if err != nil && !errors.Is(failure, wf.ResolverFailed) {
			failure = err
		}
		people = append(people, some...)
	}
	if failure != nil {
		return nil, failure
	}
	return people, nil
}

// subject is the id of the person whose manager a rule asks for; empty for nobody.
func (p planner) subject(rule wf.Rule, r wf.Request) (string, error) {
	switch rule.Of {
	case "", wf.OfRequester:
		return r.Requester.ID, nil
	case wf.OfSubmitter:
		return r.SubmittedBy.ID, nil
	}
	ids, err := p.Conditions.Strings(p.ctx, rule.Of, facts(r, p.def, p.now))
	switch {
	case err != nil || len(ids) == 0:
		return "", err
	case len(ids) > 1:
		return "", fmt.Errorf("of yields %d people, want one", len(ids))
	default:
		return ids[0], nil
	}
}

// message is what an error says to a caller.
func message(err error) string {
	if refusal, ok := errors.AsType[*wf.Error](err); ok {
		return refusal.Message
	}
	return err.Error()
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
