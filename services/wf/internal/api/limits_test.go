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

func TestACallerWhoCallsTooOftenIsToldHowOftenTheyMay(t *testing.T) {
	hourly := func(burst int) limit.Rate { return limit.Rate{Calls: 1, Per: time.Hour, Burst: burst} }
	w := Boot(t, Options{Config: func(c *server.Config) {
		c.RatePerson, c.RateService, c.RatePolicyWrites = hourly(4), hourly(2), hourly(1)
	}})
	refused := func(r Reply, policy string) {
		t.Helper()
		r.Refused(429, "WF-094")
		same(t, "Retry-After", r.Header.Get("Retry-After"), "3600")
		same(t, "RateLimit-Policy", r.Header.Get("RateLimit-Policy"), policy)
		same(t, "RateLimit", r.Header.Get("RateLimit"), strings.Split(policy, ";")[0]+";r=0;t=3600")
	}
	ana, robot := w.Client(t, "ana", identity.RoleAdmin), w.ClientWith(t, "robot", map[string]any{"client_id": "robot"}, identity.RoleAdmin)
	ana.Post("/v1/wf/policies", definition("p", "", bothApprove)).Want(201)
	refused(ana.Post("/v1/wf/policies/p/versions/1/activate", nil), `"policy-writes";q=1;w=3600`)
	ana.Get("/v1/wf/policies").Want(200)
	ana.Get("/v1/wf/policies").Want(200)
	refused(ana.Get("/v1/wf/policies"), `"person";q=4;w=14400`)
	robot.Get("/v1/wf/policies").Want(200)
	robot.Delete("/v1/wf/policies/p/versions/1").Want(200)
	refused(robot.Get("/v1/wf/policies"), `"service";q=2;w=7200`)
	w.Client(t, "bo").Get("/v1/wf/me").Want(200)

	w.Clock.Advance(time.Hour)
	ana.Get("/v1/wf/policies").Want(200)
	refused(ana.Get("/v1/wf/policies"), `"person";q=4;w=14400`)
}

// The scan refuses it in the words that huma has for it.
func TestAListOverItsLimitIsRefusedBeforeItIsDecoded(t *testing.T) {
	w := Boot(t, Options{})
	ana := w.Client(t, "ana")
	for _, count := range []int{21, 80_000} {
		r := ana.Post("/v1/wf/requests", fmt.Sprintf(`{"attachments":[{}%s]}`, strings.Repeat(",{}", count-1)))
		same(t, "message", r.Refused(422, ""), "List should have at most 20 items")
		same(t, "type", r.Text("detail", 0, "type"), "too_long")
		same(t, "location", fmt.Sprint(r.Value("detail", 0, "loc")), "[body attachments]")
	}
}
