package wf

import (
	"fmt"
	"time"
)

// Reason says why the service refused. The set is closed: internal/api maps each
// one to a code and a status, and a test fails when one is missed.
type Reason string

// The reasons, in the order of the error catalogue.
const (
	PolicyNotFound     Reason = "policy_not_found"     // no such key or version, or none active
	PolicyExists       Reason = "policy_exists"        // the key has a version already
	RequestNotFound    Reason = "request_not_found"    //
	TaskNotFound       Reason = "task_not_found"       //
	DelegationNotFound Reason = "delegation_not_found" // or it has ended
	EndpointNotFound   Reason = "endpoint_not_found"   // no such webhook endpoint; outside the catalogue
	DatabaseDown       Reason = "database_down"        //
	EngineRefused      Reason = "engine_refused"       // the request cannot start: bad context or no stage
	WrongState         Reason = "wrong_state"          // the transition is not allowed from here
	ResolverFailed     Reason = "resolver_failed"      // an approver rule's upstream did not answer
	Forbidden          Reason = "forbidden"            // known caller, not allowed to do this
	KeyReused          Reason = "key_reused"           // Idempotency-Key seen with another body
	BadDefinition      Reason = "bad_definition"       // a policy definition is wrong
	BadInput           Reason = "bad_input"            // a member of the body is wrong; see Error.Loc
)

// Reasons lists every reason.
var Reasons = []Reason{
	PolicyNotFound, PolicyExists, RequestNotFound, TaskNotFound, DelegationNotFound, EndpointNotFound,
	DatabaseDown, EngineRefused, WrongState, ResolverFailed,
	Forbidden, KeyReused, BadDefinition, BadInput,
}

// Error makes a Reason a target for errors.Is.
func (r Reason) Error() string { return string(r) }

// Error is a refusal whose Message the caller may read. Any other error is logged in
// full, and answered without detail.
type Error struct {
	Reason  Reason
	Message string

	// Loc and Kind name the member at fault when Reason is BadInput: the path
	// from "body" downwards, and a word such as "missing".
	Loc  []any
	Kind string

	// StepUp is set when a stronger or fresher authentication would be accepted
	// (RFC 9470).
	StepUp *Reauth

	// RetryAfter is when the caller may try again; zero means not known.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return string(e.Reason) + ": " + e.Message }

// Unwrap makes errors.Is(err, reason) work.
func (e *Error) Unwrap() error { return e.Reason }

// Refuse returns an *Error with a formatted message.
func Refuse(r Reason, format string, args ...any) error {
	return &Error{Reason: r, Message: fmt.Sprintf(format, args...)}
}

// RefuseInput refuses a member of the request body. kind is one of the words of
// the 422 body, such as "missing" or "value_error".
func RefuseInput(kind string, loc []any, format string, args ...any) error {
	return &Error{Reason: BadInput, Kind: kind, Loc: loc, Message: fmt.Sprintf(format, args...)}
}

// NoAnswer refuses because a directory or a resolver does not answer. The caller may
// try again when the service would.
func NoAnswer(format string, args ...any) error {
	return &Error{Reason: ResolverFailed, Message: fmt.Sprintf(format, args...), RetryAfter: minRetry}
}
