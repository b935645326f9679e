package api

import (
	"context"
	"net/http"
	"runtime"

	"github.com/countersign/countersign/libs/web"
)

type healthView struct {
	Status string `json:"status" enum:"UP" doc:"UP when the service works."`
}

// health answers 503 with the reason while the service cannot do its work.
func (a *API) health(ctx context.Context, _ *struct{}) (healthView, error) {
	if err := a.ping(ctx); err != nil {
		a.log.ErrorContext(ctx, "health", "error", err.Error())
		return healthView{}, web.Refuse(http.StatusServiceUnavailable,
			a.failure(partnerDoor, http.StatusServiceUnavailable, "the service cannot do its work"), http.Header{"Retry-After": {"1"}})
	}
	return healthView{"UP"}, nil
}

// livez answers as long as the process can.
func (a *API) livez(context.Context, *struct{}) (healthView, error) { return healthView{"UP"}, nil }

type versionView struct {
	Version string `json:"version" doc:"Version of the build."`
	Go      string `json:"go" doc:"Version of Go that it was built with."`
}

func (a *API) version(context.Context, *struct{}) (versionView, error) {
	return versionView{a.Version, runtime.Version()}, nil
}
