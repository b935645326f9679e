package engine_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/metrics/metricstest"
)

// Deadlines, people rules and validity add no statement to the calls of policies without them. The numbers are
// those of the commit before them.
func TestStatementsOfACreationAndADecision(t *testing.T) {
	each(t, func(t *testing.T, s *service) {
		measured := metrics.New("x", "")
		s.db.Measure(measured, "x")
		count := func(call func()) (sum float64) {
			before := metricstest.Values(t, measured)
			call()
			for series, value := range metricstest.Values(t, measured) {
				if strings.HasPrefix(series, "x_db_statements_total") {
					sum += value - before[series]
				}
			}
			return sum
		}
		key := s.publish(policyOf(stage("check", "ana", "bo"), stage("next", "ana")))
		s.create(key) // reads the policy
		r := s.create(key)
		same(t, "creation", count(func() { r = s.create(key) }), 9.0)
		same(t, "first decision", count(func() { must(t, s.approve(taskOf(t, r, "ana"), "ana")) }), 10.0)
		same(t, "decision that ends the stage", count(func() { must(t, s.approve(taskOf(t, r, "bo"), "bo")) }), 14.0)
		r = s.read(r.ID)
		same(t, "decision that ends the request", count(func() { must(t, s.approve(taskOf(t, r, "ana"), "ana")) }), 10.0)
	})
}
