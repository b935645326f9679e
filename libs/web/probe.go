package web

import "net/http"

const readyPath, livePath, versionPath = "/readyz", "/livez", "/version"

// probes are paths that answer while the process runs.
var probes = []string{livePath, versionPath}

// Probes register a handler for each operation on the state of a service, with the view and the envelope of
// the service.
type Probes struct{ Health, Ready, Live, Version func(Operation) }

// Mount registers the operations, which need no token. health is the path of the health check.
func (p Probes) Mount(health string) {
	p.Health(Operation{ID: "health", Method: http.MethodGet, Path: health, Status: http.StatusOK, Summary: "Check health"})
	p.Ready(Operation{ID: "readyz", Method: http.MethodGet, Path: readyPath, Status: http.StatusOK, Summary: "Check readiness"})
	p.Live(Operation{ID: "livez", Method: http.MethodGet, Path: livePath, Status: http.StatusOK, Summary: "Check liveness"})
	p.Version(Operation{ID: "version", Method: http.MethodGet, Path: versionPath, Status: http.StatusOK, Summary: "Read the version"})
}
