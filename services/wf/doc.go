// Package wf is the aggregate of the approval domain: requests with their stage runs and tasks, and the transitions
// between their states.
//
// The package does no I/O and reads no clock. Every input of a transition is an argument. Every effect is a return
// value: a changed copy and the events to store with it.
//
//   - A [Request] is approved under one version of a policy (request.go). It holds stage runs (run.go) and tasks
//     (task.go), and changes only through its transitions.
//   - A [Task] is a request for one decision. It fills a seat of its stage.
//   - An [Event] records a change and is linked to the previous event (event.go).
//   - [Facts] holds the external data of a transition (facts.go). A transition without an answer stops and returns its
//     questions.
//
// The files are layers; each refers to those before it. Values: request.go, run.go, task.go, event.go, facts.go
// and approval.go; the stored form: document.go and eventbody.go.
// A transition in progress: change.go. The approvers and the outcome of one stage: exclusion.go, rules.go,
// computed.go and rights.go, then staffing.go, membership.go, outcome.go, deadline.go and escalation.go.
// The progress of the request: start.go and advance.go. The transitions of callers: create.go with check.go, claim.go,
// decision.go, reassign.go, cancel.go, resubmit.go, comment.go and standing.go; those of the service: expiry.go,
// reevaluate.go and sweep.go. Views for readers: actions.go, case.go, inbox.go, list.go, worklist.go, reader.go and
// webhook.go.
//
// Packages below wf: policy (definitions), approver (rules to approvers), quorum (counting), audit (event types and
// hash chain), identity and reason. docs/states.md has the charts.
package wf
