package engine_test

import (
	"errors"
	"testing"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Without time for its expressions a creation, a resubmission or a simulation returns 503. A
// decision is stored, and the next stage is retried.
func TestExpressionsWithoutTimeDecideNothing(t *testing.T) {
	ana := stage("check", "ana")
	byExpression := policy.Stage{Key: "next", Name: "next", Approvers: []policy.Rule{{Type: policy.RuleExpression, CEL: `["bo"]`}}}
	conditional := but(stage("next", "bo"), func(s *policy.Stage) { s.When = "true" })
	each(t, func(t *testing.T, s *service) {
		late := s.with(func(o *engine.Options) { o.EvaluationTime = -1 })
		for name, def := range map[string]policy.Definition{
			"when":              policyOf(but(ana, func(s *policy.Stage) { s.When = "true" })),
			"approvers":         policyOf(but(byExpression, func(s *policy.Stage) { s.Key = "check" })),
			"auto_approve_when": but(policyOf(ana), func(d *policy.Definition) { d.Settings.AutoApproveWhen = "true" }),
			"auto_reject_when":  but(policyOf(ana), func(d *policy.Definition) { d.Settings.AutoRejectWhen = "true" }),
			"submitters": but(policyOf(ana), func(d *policy.Definition) {
				d.Settings.Submitters = []policy.Rule{{Type: policy.RuleExpression, CEL: `["rita"]`}}
			}),
		} {
			key := s.publish(def)
			_, err := late.Requests.CreateRequest(t.Context(), rita, input(key), nil)
			refused(t, name+" at creation", err, reason.ResolverFailed)
			_, err = late.Requests.PreviewRequest(t.Context(), rita, input(key))
			refused(t, name+" at preview", err, reason.ResolverFailed)
			equal(t, name+": requests", s.rows("SELECT id FROM request WHERE policy_key = '"+key+"'"), nil)
			if name == "submitters" { // which simulations leave out
				continue
			}
			for _, tolerant := range []bool{false, true} { // of other services
				_, err = late.Policies.SimulateVersion(t.Context(), root, key, 1, engine.SimulationInput{Context: []byte(`{}`), TolerateUpstream: tolerant})
				refused(t, name+" at simulate", err, reason.ResolverFailed)
			}
		}
		for _, next := range []policy.Stage{byExpression, conditional} {
			key := s.publish(policyOf(ana, next))
			if _, err := late.Policies.SimulateVersion(t.Context(), root, key, 1, engine.SimulationInput{Context: []byte(`{}`)}); !errors.Is(err, reason.ResolverFailed) {
				t.Errorf("a later stage at simulate: %v", err)
			}
			r := s.create(key)
			must(t, late.approve(taskOf(t, r, "ana"), "ana"))
			run, _ := s.read(r.ID).LatestRun("next")
			if run.Status != wf.StageResolving || run.RetryAt.IsZero() {
				t.Errorf("the next stage is %s, tried again at %s", run.Status, run.RetryAt)
			}
			s.setClock(run.RetryAt)
			_, err := s.Timers.RetryStages(t.Context(), s.now(), 10)
			must(t, err)
			must(t, s.approve(taskOf(t, s.read(r.ID), "bo"), "bo"))
			s.status(r.ID, wf.RequestApproved)
		}

		// A resubmission leaves the request as it is.
		r := s.create(s.publish(policyOf(but(ana, func(s *policy.Stage) { s.When = "true" }))))
		must(t, s.act(taskOf(t, r, "ana"), "ana", wf.ActionRequestChanges))
		before := s.read(r.ID)
		_, err := late.Requests.ResubmitRequest(t.Context(), rita, r.ID, nil, "", "", "", nil)
		refused(t, "resubmission", err, reason.ResolverFailed)
		same(t, "request", describe(s.read(r.ID)), describe(before))
		_, err = s.Requests.ResubmitRequest(t.Context(), rita, r.ID, nil, "", "", "", nil)
		must(t, err)
	})
}
