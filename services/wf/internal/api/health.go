package api

import (
	"context"
	"fmt"

	"github.com/countersign/countersign/libs/web"
)

// healthHandlers serves the operations on the state of the service.
type healthHandlers struct{ *API }

func (h healthHandlers) mount() {
	web.Probes{
		Health: with(h.API, h.health), Ready: with(h.API, h.checkReady), Live: with(h.API, h.livez), Version: with(h.API, h.version),
	}.Mount("/v1/wf/health")
}

// healthView is the result of the health checks.
type healthView struct {
	Status string       `json:"status" enum:"UP" doc:"UP when every check is."`
	Checks healthChecks `json:"checks" doc:"Checks."`
	Notes  []string     `json:"notes,omitempty" doc:"Warnings that do not affect the status."`
}

type healthChecks struct {
	Database string `json:"database" enum:"UP" doc:"The database answers and takes writes."`
	Schema   string `json:"schema" enum:"UP" doc:"The schema is in place."`
	Workers  string `json:"workers" enum:"UP,OFF" doc:"UP while the workers run; OFF with --read-only."`
}

// up is the only successful health; other states are refusals.
var up = healthView{Status: "UP", Checks: healthChecks{"UP", "UP", "UP"}}

// health handles GET /v1/wf/health, and ready GET /readyz.
func (h healthHandlers) health(ctx context.Context, _ *struct{}) (result[healthView], error) {
	view, err := up, h.Health(ctx)
	if err == nil {
		if n := h.engine.Webhooks.UnsignedCount(); n > 0 {
			view.Notes = append(view.Notes, fmt.Sprintf("webhook endpoints that are paused because no key decrypts their secrets: %d", n))
		}
		if h.ReadOnly {
			view.Checks.Workers = "OFF"
			view.Notes = append(view.Notes, "read-only: there are no workers, and every call but GET is 503")
		}
	}
	return result[healthView]{Value: view}, err
}

func (h healthHandlers) checkReady(ctx context.Context, _ *struct{}) (result[healthView], error) {
	return result[healthView]{Value: up}, h.Ready(ctx)
}

type liveView struct {
	Status string `json:"status" enum:"UP" doc:"UP while the process runs."`
}

func (h healthHandlers) livez(context.Context, *struct{}) (result[liveView], error) {
	return result[liveView]{Value: liveView{"UP"}}, nil
}

type versionView struct {
	Service string `json:"service" doc:"Name of the service."`
	Version string `json:"version" doc:"Version of the build."`

	Development bool `json:"development" doc:"Whether the service runs with --dev and accepts tokens of the development issuer."`
}

func (h healthHandlers) version(context.Context, *struct{}) (result[versionView], error) {
	return result[versionView]{Value: versionView{"wf", h.Version, h.Development}}, nil
}
