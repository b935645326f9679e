package api

import (
	"context"
	"runtime"

	"github.com/countersign/countersign/libs/web"
)

// healthHandlers serves the operations on the state of the service.
type healthHandlers struct{ *API }

// mount registers the operations.
func (h healthHandlers) mount() {
	web.Probes{
		Health: with(h.API, h.health), Ready: with(h.API, h.checkReady), Live: with(h.API, h.livez), Version: with(h.API, h.version),
	}.Mount("/v1/registrar/health")
}

type healthView struct {
	Status string `json:"status" enum:"UP" doc:"UP when the service works."`

	IdentityProvider string `json:"identityProvider,omitempty" doc:"What an operator must repair at the identity provider, such as a missing role. Calls to it wait meanwhile."`
}

// health answers GET /v1/registrar/health, and ready GET /readyz.
func (h healthHandlers) health(ctx context.Context, _ *struct{}) (healthView, error) {
	if err := h.Health(ctx); err != nil {
		return healthView{}, err
	}
	return healthView{Status: "UP", IdentityProvider: h.registrar.Calls.ProviderFault()}, nil
}

func (h healthHandlers) checkReady(ctx context.Context, _ *struct{}) (healthView, error) {
	return healthView{Status: "UP"}, h.Ready(ctx)
}

func (h healthHandlers) livez(context.Context, *struct{}) (healthView, error) {
	return healthView{Status: "UP"}, nil
}

type versionView struct {
	Version string `json:"version" doc:"Version of the build."`
	Go      string `json:"go" doc:"Version of Go that it was built with."`

	Development bool `json:"development" doc:"The service runs with --dev and accepts development tokens."`
}

func (h healthHandlers) version(context.Context, *struct{}) (versionView, error) {
	return versionView{h.Version, runtime.Version(), h.Development}, nil
}
