package api

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// state is whether the service can take requests. The gate in front of every
// operation reads it, so engine and ping are set before started is.
type state struct {
	started  atomic.Bool // the schema is in place and the workers run
	stopped  atomic.Bool // for good
	database atomic.Bool // the database answered when it was last asked
	engine   *engine.Engine
	ping     func(context.Context) error
}

const pingTime = 2 * time.Second

// Start opens the gate.
func (a *API) Start(e *engine.Engine, ping func(context.Context) error) {
	a.engine, a.ping = e, ping
	a.database.Store(true)
	a.started.Store(true)
}

// Stop closes the gate for good.
func (a *API) Stop() { a.stopped.Store(true) }

// Probe asks the database and closes or opens the gate by its answer. It asks also
// when ctx has ended: that a caller hung up says nothing about the database.
func (a *API) Probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingTime)
	defer cancel()
	err := a.ping(ctx)
	if up := err == nil; a.database.Swap(up) != up {
		a.Logger.WarnContext(ctx, "database", "reachable", up, "error", err)
	}
	return err
}

// closed says why the gate is closed; empty when it is open.
func (s *state) closed() wf.Reason {
	switch {
	case !s.started.Load() || s.stopped.Load():
		return wf.Starting
	case !s.database.Load():
		return wf.DatabaseDown
	default:
		return ""
	}
}

var closedMessages = map[wf.Reason]string{
	wf.Starting:     "the service is starting or stopping",
	wf.DatabaseDown: "the database cannot be reached",
}

// ready is the gate in front of every operation.
func (a *API) ready(*http.Request) (int, string, bool) {
	reason := a.closed()
	return http.StatusServiceUnavailable, closedMessages[reason], reason == ""
}

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

// health answers GET /v1/wf/health and /readyz: it asks the database each time.
func (a *API) health(ctx context.Context, _ *struct{}) (result[healthView], error) {
	var none result[healthView]
	if a.closed() == wf.Starting {
		return none, wf.Refuse(wf.Starting, "%s", closedMessages[wf.Starting])
	}
	if a.Probe(ctx) != nil {
		return none, wf.Refuse(wf.DatabaseDown, "%s", closedMessages[wf.DatabaseDown])
	}
	return result[healthView]{Value: healthView{Status: "UP", Checks: healthChecks{"UP", "UP", "UP"}}}, nil
}

type liveView struct {
	Status string `json:"status" enum:"UP" doc:"UP while the process runs."`
}

// livez answers GET /livez: the process runs and serves.
func (a *API) livez(context.Context, *struct{}) (result[liveView], error) {
	return result[liveView]{Value: liveView{"UP"}}, nil
}

type versionView struct {
	Service string `json:"service" doc:"Name of the service."`
	Version string `json:"version" doc:"Version of the build."`
}

// version answers GET /version.
func (a *API) version(context.Context, *struct{}) (result[versionView], error) {
	return result[versionView]{Value: versionView{"wf", a.Version}}, nil
}
