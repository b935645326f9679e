package api

import (
	"context"
	"runtime"

	"github.com/countersign/countersign/libs/web"
)

// mountHealth registers the operations on the state of the service.
func (a *API) mountHealth() {
	web.Probes{
		Health: with(a, a.health), Ready: with(a, a.checkReady), Live: with(a, a.livez), Version: with(a, a.version),
	}.Mount("/v1/registrar/health")
}

type healthView struct {
	Status string `json:"status" enum:"UP" doc:"UP when the service works."`

	IdentityProvider string `json:"identityProvider,omitempty" doc:"What an operator must repair at the identity provider, such as a missing role. Calls to it wait meanwhile."`
}

// health answers GET /v1/registrar/health, and ready GET /readyz.
func (a *API) health(ctx context.Context, _ *struct{}) (healthView, error) {
	if err := a.Health(ctx); err != nil {
		return healthView{}, err
	}
	return healthView{Status: "UP", IdentityProvider: a.registrar.Calls.ProviderFault()}, nil
}

func (a *API) checkReady(ctx context.Context, _ *struct{}) (healthView, error) {
	return healthView{Status: "UP"}, a.Ready(ctx)
}

func (a *API) livez(context.Context, *struct{}) (healthView, error) {
	return healthView{Status: "UP"}, nil
}

type versionView struct {
	Version string `json:"version" doc:"Version of the build."`
	Go      string `json:"go" doc:"Version of Go that it was built with."`

	Development bool `json:"development" doc:"The service runs with --dev and accepts development tokens."`
}

func (a *API) version(context.Context, *struct{}) (versionView, error) {
	return versionView{a.Version, runtime.Version(), a.Development}, nil
}
