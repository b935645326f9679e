// Package wf is the approval domain: policies, requests, tasks, delegations and
// deliveries, and the transitions between their states.
//
// It does no I/O and reads no clock. Everything that a transition needs is an
// argument, and everything that it causes is a return value: a changed copy and
// the events that say what happened.
//
// The nouns, in the order in which a reader meets them:
//
//   - A [Definition] says which stages a request passes and who may approve
//     (policy.go, stage.go, rule.go). A [Version] is one numbered definition of a
//     policy key, in draft, active or retired.
//   - A [Request] is one thing to be approved under one version (request.go). It
//     holds its stage runs (run.go) and its tasks (task.go), and changes only
//     through its transitions; people decide by [Request.Decide] (decision.go).
//   - A [Task] asks one person for a decision. It fills a seat: a place in a stage.
//   - A [Quorum] says how many approvals a stage needs (quorum.go). A [Ballot] counts
//     them (ballot.go).
//   - A [Delegation] lets one person stand in for another (delegation.go).
//   - An [Event] records what happened and is chained to the one before
//     (event.go). Package outbox of libs delivers events to webhook targets: the
//     callback of a request, or an endpoint.
//   - A [Reason] says why something was refused (error.go).
//
// Start with request.go: [NewRequest], [Request.Decide] and the advance loop are
// the heart. docs/states.md has the charts.
package wf
