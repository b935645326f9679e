package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/server"
)

// limited checks a 429 of the rate with this policy, whose next call is allowed after so many seconds.
func limited(t *testing.T, r Reply, policy string, seconds int) {
	t.Helper()
	r.Refused(429, "WF-094")
	same(t, "Retry-After", r.Header.Get("Retry-After"), fmt.Sprint(seconds))
	same(t, "RateLimit-Policy", r.Header.Get("RateLimit-Policy"), policy)
	same(t, "RateLimit", r.Header.Get("RateLimit"), fmt.Sprintf("%s;r=0;t=%d", strings.Split(policy, ";")[0], seconds))
}

func TestACallAboveTheRateIsRefusedWithTheTimeOfTheNext(t *testing.T) {
	hourly := func(burst int) limit.Rate { return limit.Rate{Calls: 1, Per: time.Hour, Burst: burst} }
	w := Boot(t, Options{Config: func(c *server.Config) { c.RatePerson, c.RateService = hourly(4), hourly(2) }})
	ana, robot := w.Client(t, "ana", identity.RoleAdmin), w.ClientWith(t, "robot", map[string]any{"client_id": "robot"}, identity.RoleAdmin)
	ana.Post("/v1/wf/policies", definition("p", "", bothApprove)).Want(201)
	for range 3 {
		ana.Get("/v1/wf/policies").Want(200)
	}
	limited(t, ana.Get("/v1/wf/policies"), `"person";q=4;w=14400`, 3600)
	robot.Get("/v1/wf/policies").Want(200)
	robot.Delete("/v1/wf/policies/p/versions/1").Want(200)
	limited(t, robot.Get("/v1/wf/policies"), `"service";q=2;w=7200`, 3600)
	w.Client(t, "bo").Get("/v1/wf/me").Want(200)

	w.Clock.Advance(time.Hour)
	ana.Get("/v1/wf/policies").Want(200)
	limited(t, ana.Get("/v1/wf/policies"), `"person";q=4;w=14400`, 3600)
}

func TestChangesOfPoliciesHaveARateOfTheirOwn(t *testing.T) {
	w := Boot(t, Options{Config: func(c *server.Config) { c.Unlimited = false }})
	ana := w.Client(t, "ana", identity.RoleAdmin)
	ana.Post("/v1/wf/policies", definition("p", "", bothApprove)).Want(201)
	for range 20 { // the last lasts a second
		ana.Post("/v1/wf/policies/p/versions/1/activate", nil).Want(200)
	}
	limited(t, ana.Post("/v1/wf/policies/p/versions/1/activate", nil), `"policy-writes";q=20;w=20`, 2)
	ana.Get("/v1/wf/policies").Want(200)
	w.Clock.Advance(time.Second)
	ana.Post("/v1/wf/policies/p/versions/1/activate", nil).Want(200)
}
