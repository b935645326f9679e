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
// The files are layers. change.go is a transition in progress. exclusion.go, rules.go, delegate.go, staffing.go and
// outcome.go compute the approvers and the outcome of one stage; start.go and advance.go move the request on. Each
// transition of a caller has a file: create.go, claim.go, decision.go, reassign.go, cancel.go, resubmit.go and
// comment.go. Those of the service are in expiry.go, restaff.go, sweep.go and reroute.go.
//
// Packages below wf: policy (definitions), approver (rules to approvers), quorum (counting), audit (event types and
// hash chain), identity and reason. docs/states.md has the charts.
package wf
