package api

import (
	"context"
	"runtime"
)

type healthView struct {
	Status string `json:"status" enum:"UP" doc:"UP when the service works."`
}

// health answers GET /v1/registrar/health, and ready GET /readyz.
func (a *API) health(ctx context.Context, _ *struct{}) (healthView, error) {
	return healthView{"UP"}, a.Health(ctx)
}

func (a *API) ready(ctx context.Context, _ *struct{}) (healthView, error) {
	return healthView{"UP"}, a.Ready(ctx)
}

func (a *API) livez(context.Context, *struct{}) (healthView, error) { return healthView{"UP"}, nil }

type versionView struct {
	Version string `json:"version" doc:"Version of the build."`
	Go      string `json:"go" doc:"Version of Go that it was built with."`

	Development bool `json:"development" doc:"The service runs with --dev and accepts development tokens."`
}

func (a *API) version(context.Context, *struct{}) (versionView, error) {
	return versionView{a.Version, runtime.Version(), a.Development}, nil
}
