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
//   - [Facts] holds the external data of a transition. A transition without an answer stops and returns its questions.
//   - A [Step] is one transition with its input, such as [Decide]. [Request.Apply] applies it (change.go).
//
// Values: request.go, run.go, task.go and event.go; their stored form: document.go. The steps of callers: create.go,
// claim.go, decision.go, reassign.go, cancel.go, resubmit.go, comment.go and standing.go. The guards: rights.go
// (may act) and reader.go (may read). The steps of a stage: start.go, staffing.go, exclusion.go, membership.go,
// outcome.go, deadline.go, escalation.go and sweep.go. Lists and messages: list.go and webhook.go.
//
// Packages below wf: policy (definitions), approver (rules to approvers), quorum (counting), audit (event types and
// hash chain), identity and reason. docs/states.md has the charts.
package wf
