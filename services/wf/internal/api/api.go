// Package api is the HTTP API of the service. Each resource has a type: its method mount registers the
// operations, and each other method handles one. Each refusal is one row of reply.go.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/ui/session"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/waiting"
)

// Options holds the dependencies and settings of an API.
type Options struct {
	Verifier     *bearer.Verifier
	RolePointers []string // JSON pointers to arrays of roles in tokens
	Identity     Identity

	IdempotencyTTL time.Duration    // lifetime of stored replies
	Version        string           // of the build
	Development    bool             // shown by /version; requires a loopback Host
	HTTPS          bool             // browsers reach the service over https
	ReadOnly       bool             // rejects every method except GET
	MaxInFlight    int              // concurrent calls
	MaxWaiting     int              // concurrent long polls
	Agents         Agents           // the endpoint of agents
	Rates          web.Rates        // of all calls
	PolicyWrites   limit.Rate       // of operations that change policies
	People         limit.Rate       // of searches for people
	Now            func() time.Time // the process's clock, for the times of replies
	Logger         *slog.Logger
	Metrics        *metrics.Registry
	Patience       time.Duration // minimum time limit of a call, for tests; 0 in production
}

// API serves the operations after Start.
type API struct {
	Options
	*web.Server
	engine   *engine.Engine // set before calls are accepted
	sessions *session.Store
	watcher  *waiting.Watcher
}

// SetEngine sets the engine, the sessions of the pages and the watcher of waiting calls. It must be called before
// Start.
func (a *API) SetEngine(e *engine.Engine, sessions *session.Store, w *waiting.Watcher) {
	a.engine, a.sessions, a.watcher = e, sessions, w
}

// Access levels of operations. Rights on a single object are checked by the read of the object.
var (
	anyone  = web.Access{Token: true}
	viewers = web.Access{Token: true, Roles: []string{string(identity.RoleViewer), string(identity.RoleAdmin)}}
	admins  = web.Access{Token: true, Roles: []string{string(identity.RoleAdmin)}}
)

// policyWrites lists the operations with the rate limit for policy changes. Each of them compiles a
// definition and stores it permanently.
var policyWrites = []string{"createPolicy", "addVersion", "updateVersion", "activateVersion", "deactivateVersion", "deleteVersion"}

// SearchPeople is the operation that searches for people.
const SearchPeople = "findPeople"

// documentVersion is the version of the API, not of the build. The document is identical in every
// build.
const documentVersion = "1.0"

// objects maps path segments to the log attributes of their ids.
var objects = map[string]string{
	"policies": "policy", "versions": "version", "requests": "request", "tasks": "task", "deliveries": "delivery", "delegations": "delegation",
	"webhooks": "endpoint",
}

// operation is an operation of the document.
type operation web.Operation

const (
	get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
)

// New returns the API with every operation registered. Before Start, calls receive the refusal for
// a starting service.
func New(o Options) (*API, error) {
	a := &API{Options: o}
	o.Rates.Operations = append(o.Rates.Operations,
		web.OperationRate{Name: "policy-writes", Operations: policyWrites, Rate: o.PolicyWrites},
		web.OperationRate{Name: "people", Operations: []string{SearchPeople}, Rate: o.People})
	a.Server = web.New(web.Options{
		Title: "wf", Version: documentVersion, Local: "http://127.0.0.1:8081",
		Description: "Approval requests under versioned policies. Every reply but 422 is in one envelope; branch on errors[0].errorCode. An optional member of a body that is null is as if it were absent, but where null is said to mean something.",
		Failure:     a.fail, Open: []string{"/v1/wf/health"}, ReadOnly: o.ReadOnly, MaxInFlight: o.MaxInFlight, MaxLongPolls: o.MaxWaiting,
		Loopback: o.Development, HTTPS: o.HTTPS, Patience: o.Patience, Logger: o.Logger, Metrics: o.Metrics, Objects: objects,
		Rates: o.Rates, Service: isService, Long: []string{"listAudit", "restartAudit"}, Now: o.Now,
		Verifier: o.Verifier, RolePointers: o.RolePointers, Caller: a.caller,
		Descriptions: descriptions, Examples: examples, Tag: tag, FailureHeaders: failureHeaders, Code: Code,
		FailureSchema: func(string) *huma.Schema { return &huma.Schema{Ref: "#/components/schemas/Failure"} },
	})
	a.document()

	policyHandlers{a}.mount()
	requestHandlers{a}.mount()
	receiptHandlers{a}.mount()
	taskHandlers{a}.mount()
	delegationHandlers{a}.mount()
	noticeHandlers{a}.mount()
	personHandlers{a}.mount()
	auditHandlers{a}.mount()
	webhookHandlers{a}.mount()
	healthHandlers{a}.mount()
	agentHandlers{a}.mount()
	a.showRules()
	a.ServeDocuments()
	return a, nil
}

// with returns a function that registers a handler for an operation.
func with[I, T any](a *API, handle func(context.Context, *I) (result[T], error)) func(web.Operation) {
	return func(op web.Operation) { register(a, operation(op), handle) }
}

// tag returns the group of an operation in the document, by the resource in its path.
func tag(path string) string {
	segments := strings.Split(strings.TrimPrefix(path, "/v1/wf/"), "/")
	for _, group := range tags {
		if slices.Contains(segments, group.Name) {
			return group.Name
		}
	}
	return "service"
}
