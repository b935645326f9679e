// Package api is the HTTP API of the service. Each operation is one line of api.go, each handler
// one method in the file of its resource, each refusal one row of reply.go.
package api

import (
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
	"github.com/countersign/countersign/services/wf/reason"
)

// Options holds the dependencies and settings of an API.
type Options struct {
	Verifier     *bearer.Verifier
	RolePointers []string // JSON pointers to arrays of roles in tokens
	Identity     Identity

	ServiceID      string           // the envelope's id
	IdempotencyTTL time.Duration    // lifetime of stored replies
	Version        string           // of the build
	Development    bool             // shown by /version; requires a loopback Host
	HTTPS          bool             // browsers reach the service over https
	ReadOnly       bool             // rejects every method except GET
	MaxInFlight    int              // concurrent calls
	MaxWaiting     int              // concurrent long polls
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

// Use sets the engine, the sessions of the pages and the watcher of waiting calls. It must be called before
// Start.
func (a *API) Use(e *engine.Engine, sessions *session.Store, w *waiting.Watcher) {
	a.engine, a.sessions, a.watcher = e, sessions, w
}

// Access levels of operations. Rights on a single object are checked by the read of the object.
var (
	open    = web.Access{}
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

// operation is one row of the table below.
type operation web.Operation

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
		Rates: o.Rates, Service: isService, Long: []string{"listAudit", "acknowledgeBreaks"}, Now: o.Now,
		Verifier: o.Verifier, RolePointers: o.RolePointers, Caller: a.caller,
		Descriptions: descriptions, Examples: examples, Tag: tag, FailureHeaders: failureHeaders, Code: Code,
		FailureSchema: func(string) *huma.Schema { return &huma.Schema{Ref: "#/components/schemas/Failure"} },
	})
	a.document()

	const get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
	r := func(reasons ...error) []error { return reasons }

	// Operations of the first version.
	register(a, operation{"createPolicy", post, "/v1/wf/policies", admins, 201, r(reason.PolicyExists), "Create a policy with its first version, a draft"}, a.createPolicy)
	register(a, operation{"addVersion", put, "/v1/wf/policies/{key}", admins, 201, r(reason.PolicyNotFound, reason.BadDefinition), "Add a version to a policy, as a draft"}, a.addVersion)
	register(a, operation{"updateVersion", patch, "/v1/wf/policies/{key}/versions/{v}", admins, 200, r(reason.PolicyNotFound, reason.WrongState, reason.BadDefinition), "Update a draft by JSON merge patch (RFC 7396)"}, withNumber(a.updateVersion))
	register(a, operation{"activateVersion", post, "/v1/wf/policies/{key}/versions/{v}/activate", admins, 200, r(reason.PolicyNotFound), "Activate a version"}, withNumber(a.activateVersion))
	register(a, operation{"deactivateVersion", post, "/v1/wf/policies/{key}/versions/{v}/deactivate", admins, 200, r(reason.PolicyNotFound, reason.WrongState), "Deactivate a version"}, withNumber(a.deactivateVersion))
	register(a, operation{"simulateVersion", post, "/v1/wf/policies/{key}/versions/{v}/simulate", viewers, 200, r(reason.PolicyNotFound, reason.ResolverFailed), "Simulate a request"}, a.simulateVersion)
	register(a, operation{"createRequest", post, "/v1/wf/requests", anyone, 201, r(reason.PolicyNotFound, reason.EngineRefused, reason.WrongState, reason.ResolverFailed, reason.KeyReused), "Create an approval request"}, a.createRequest)
	register(a, operation{"getRequest", get, "/v1/wf/requests/{id}", anyone, 200, r(reason.RequestNotFound), "Read a request"}, reading(reason.RequestNotFound, a.getRequest))
	register(a, operation{"cancelRequest", post, "/v1/wf/requests/{id}/cancel", anyone, 200, r(reason.RequestNotFound, reason.WrongState, reason.KeyReused), "Cancel a request"}, withID(reason.RequestNotFound, a.cancelRequest))
	register(a, operation{"claimTask", post, "/v1/wf/tasks/{id}/claim", anyone, 200, r(reason.TaskNotFound, reason.WrongState, reason.ResolverFailed), "Claim a task"}, withID(reason.TaskNotFound, a.claimTask))
	register(a, operation{"decideTask", post, "/v1/wf/tasks/{id}/decision", anyone, 200, r(reason.RequestNotFound, reason.TaskNotFound, reason.WrongState, reason.ResolverFailed, reason.KeyReused), "Decide a task"}, a.decideTask)
	register(a, operation{"reassignTask", post, "/v1/wf/tasks/{id}/reassign", anyone, 200, r(reason.RequestNotFound, reason.TaskNotFound, reason.WrongState, reason.ResolverFailed, reason.KeyReused), "Reassign a task"}, a.reassignTask)
	register(a, operation{"createDelegation", post, "/v1/wf/delegations", anyone, 201, nil, "Create a delegation"}, a.createDelegation)
	register(a, operation{"deleteDelegation", del, "/v1/wf/delegations/{id}", anyone, 200, r(reason.DelegationNotFound), "Revoke a delegation"}, withID(reason.DelegationNotFound, a.deleteDelegation))
	register(a, operation{"health", get, "/v1/wf/health", open, 200, nil, "Check health"}, a.health)

	// Operations of later versions.
	register(a, operation{"listPolicies", get, "/v1/wf/policies", viewers, 200, nil, "List policies"}, a.listPolicies)
	register(a, operation{"getPolicy", get, "/v1/wf/policies/{key}", viewers, 200, r(reason.PolicyNotFound), "Read the active version, or the latest when none is active"}, a.getPolicy)
	register(a, operation{"listVersions", get, "/v1/wf/policies/{key}/versions", viewers, 200, r(reason.PolicyNotFound), "List the versions of a policy"}, a.listVersions)
	register(a, operation{"getVersion", get, "/v1/wf/policies/{key}/versions/{v}", viewers, 200, r(reason.PolicyNotFound), "Read a version"}, withNumber(a.getVersion))
	register(a, operation{"deleteVersion", del, "/v1/wf/policies/{key}/versions/{v}", admins, 200, r(reason.PolicyNotFound, reason.WrongState), "Delete a draft; its number is not used again"}, withNumber(a.deleteVersion))
	register(a, operation{"listRequests", get, "/v1/wf/requests", anyone, 200, nil, "Search requests; without a role, those of the caller"}, a.listRequests)
	register(a, operation{"resubmitRequest", post, "/v1/wf/requests/{id}/resubmit", anyone, 200, r(reason.RequestNotFound, reason.EngineRefused, reason.WrongState, reason.ResolverFailed, reason.KeyReused), "Resubmit a request after a request for changes"}, a.resubmitRequest)
	register(a, operation{"moveDueDate", patch, "/v1/wf/requests/{id}/stages/{key}", admins, 200,
		r(reason.RequestNotFound, reason.WrongState), "Move the due date of a stage"},
		a.moveDueDate)
	register(a, operation{"revokeRequest", post, "/v1/wf/requests/{id}/revoke", anyone, 200,
		r(reason.RequestNotFound, reason.WrongState, reason.KeyReused), "Revoke the approval of a request"},
		a.revokeRequest)
	register(a, operation{"consumeRequest", post, "/v1/wf/requests/{id}/consume", anyone, 200,
		r(reason.RequestNotFound, reason.WrongState, reason.KeyReused), "Consume the approval of a request"},
		a.consumeRequest)
	register(a, operation{"getRevision", get, "/v1/wf/requests/{id}/revisions/{n}", anyone, 200, r(reason.RequestNotFound), "Read a revision of a request"}, reading(reason.RequestNotFound, a.getRevision))
	register(a, operation{"listEvents", get, "/v1/wf/requests/{id}/events", anyone, 200, r(reason.RequestNotFound), "Read the timeline of a request, and verify it"}, reading(reason.RequestNotFound, a.listEvents))
	register(a, operation{"listComments", get, "/v1/wf/requests/{id}/comments", anyone, 200, r(reason.RequestNotFound), "List the comments on a request"}, reading(reason.RequestNotFound, a.listComments))
	register(a, operation{"addComment", post, "/v1/wf/requests/{id}/comments", anyone, 200, r(reason.RequestNotFound, reason.WrongState, reason.KeyReused), "Comment on a request"}, withID(reason.RequestNotFound, a.addComment))
	register(a, operation{"listTasks", get, "/v1/wf/tasks", anyone, 200, nil, "List tasks; without a role, the caller's own"}, a.listTasks)
	register(a, operation{"getTaskStats", get, "/v1/wf/tasks/stats", anyone, 200, nil, "Count tasks by status and policy"}, a.getTaskStats)
	register(a, operation{"getTask", get, "/v1/wf/tasks/{id}", anyone, 200, r(reason.TaskNotFound), "Read a task"}, reading(reason.TaskNotFound, a.getTask))
	register(a, operation{"unclaimTask", post, "/v1/wf/tasks/{id}/unclaim", anyone, 200, r(reason.TaskNotFound, reason.WrongState), "Release a task"}, withID(reason.TaskNotFound, a.unclaimTask))
	register(a, operation{"decideTasks", post, "/v1/wf/tasks/bulk-decision", anyone, 200, r(reason.WrongState, reason.KeyReused), "Decide several tasks"}, a.decideTasks)
	register(a, operation{"listDelegations", get, "/v1/wf/delegations", anyone, 200, nil, "List delegations; without a role, the caller's own"}, a.listDelegations)
	register(a, operation{"getDelegation", get, "/v1/wf/delegations/{id}", anyone, 200, r(reason.DelegationNotFound), "Read a delegation"}, reading(reason.DelegationNotFound, a.getDelegation))
	a.mountWebhooks()
	register(a, operation{"reevaluateRequest", post, "/v1/wf/admin/requests/{id}/reevaluate", admins, 200, r(reason.RequestNotFound, reason.WrongState, reason.ResolverFailed), "Re-evaluate a request"}, withID(reason.RequestNotFound, a.reevaluateRequest))
	register(a, operation{"listStuckRequests", get, "/v1/wf/admin/requests/stuck", viewers, 200, nil, "List stuck requests"}, a.listStuckRequests)
	registerAudit(a, operation{"listAudit", get, "/v1/wf/admin/audit", viewers, 200, r(reason.RequestNotFound), "Read, export and verify the audit trail"})
	register(a, operation{"acknowledgeBreaks", post, "/v1/wf/admin/audit/acknowledgements", admins, 201, r(reason.RequestNotFound, reason.WrongState), "Acknowledge the breaks of an audit chain"}, a.acknowledgeBreaks)
	registerGraph(a, operation{"getVersionGraph", get, "/v1/wf/policies/{key}/versions/{v}/graph", viewers, 200, r(reason.PolicyNotFound), "Draw a version"}, a.getVersionGraph)
	registerGraph(a, operation{"getRequestGraph", get, "/v1/wf/requests/{id}/graph", anyone, 200, r(reason.RequestNotFound), "Draw a request"}, a.getRequestGraph)
	register(a, operation{"getMe", get, "/v1/wf/me", anyone, 200, nil, "Read the caller and the number of their tasks"}, a.getMe)
	register(a, operation{"getNotifications", get, "/v1/wf/me/notifications", anyone, 200, nil, "Read notification settings"}, a.getNotifications)
	register(a, operation{"putNotifications", put, "/v1/wf/me/notifications", anyone, 200, nil, "Update notification settings"}, a.putNotifications)
	register(a, operation{"listUsablePolicies", get, "/v1/wf/me/policies", anyone, 200, nil, "List policies that the caller may use"}, a.listUsablePolicies)
	register(a, operation{"previewRequest", post, "/v1/wf/policies/{key}/preview", anyone, 200, r(reason.PolicyNotFound, reason.EngineRefused, reason.WrongState, reason.ResolverFailed), "Preview the approvers of a request"}, a.previewRequest)
	register(a, operation{SearchPeople, get, "/v1/wf/people", anyone, 200, r(reason.ResolverFailed), "Find people by a part of their name"}, a.findPeople)
	register(a, operation{"livez", get, "/livez", open, 200, nil, "Check liveness"}, a.livez)
	register(a, operation{"readyz", get, "/readyz", open, 200, nil, "Check readiness"}, a.ready)
	register(a, operation{"version", get, "/version", open, 200, nil, "Read the version"}, a.version)

	a.showRules()
	return a, a.ServeDocuments()
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
