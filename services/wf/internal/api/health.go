package api

import "context"

// healthView tells what works.
type healthView struct {
	Status string       `json:"status" enum:"UP" doc:"UP when every check is."`
	Checks healthChecks `json:"checks" doc:"What was checked."`
}

type healthChecks struct {
	Database string `json:"database" enum:"UP" doc:"The database answers."`
	Schema   string `json:"schema" enum:"UP" doc:"The schema is in place."`
	Workers  string `json:"workers" enum:"UP" doc:"The workers run."`
}

// health answers GET /v1/wf/health and /readyz.
func (a *API) health(ctx context.Context, _ *struct{}) (result[healthView], error) {
	up := healthView{Status: "UP", Checks: healthChecks{"UP", "UP", "UP"}}
	return result[healthView]{Value: up}, a.Health(ctx)
}

type liveView struct {
	Status string `json:"status" enum:"UP" doc:"UP while the process runs."`
}

func (a *API) livez(context.Context, *struct{}) (result[liveView], error) {
	return result[liveView]{Value: liveView{"UP"}}, nil
}

type versionView struct {
	Service string `json:"service" doc:"Name of the service."`
	Version string `json:"version" doc:"Version of the build."`
}

func (a *API) version(context.Context, *struct{}) (result[versionView], error) {
	return result[versionView]{Value: versionView{"wf", a.Version}}, nil
}
