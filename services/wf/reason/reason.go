// Package reason declares the reasons of wf's refusals.
package reason

import (
	"fmt"
	"time"

	"github.com/countersign/countersign/libs/refusal"
)

// The reasons, in the order of the error catalogue.
const (
	PolicyNotFound     refusal.Reason = "policy_not_found"     // no such key or version, or none active
	PolicyExists       refusal.Reason = "policy_exists"        // the key has a version already
	RequestNotFound    refusal.Reason = "request_not_found"    //
	TaskNotFound       refusal.Reason = "task_not_found"       //
	DelegationNotFound refusal.Reason = "delegation_not_found" // or it has ended
	EndpointNotFound   refusal.Reason = "endpoint_not_found"   // no such webhook endpoint; outside the catalogue
	DatabaseDown       refusal.Reason = "database_unavailable" //
	EngineRefused      refusal.Reason = "engine_refused"       // the request cannot start: invalid context or no stage
	WrongState         refusal.Reason = "wrong_state"          // the transition is not permitted in this state
	ResolverFailed     refusal.Reason = "resolver_failed"      // the upstream of an approver rule did not respond
	Forbidden          refusal.Reason = "forbidden"            // the caller lacks permission
	KeyReused          refusal.Reason = "key_reused"           // the Idempotency-Key has another body
	BadDefinition      refusal.Reason = "bad_definition"       // the policy definition is invalid
	BadInput           refusal.Reason = "bad_input"            // a member of the body is invalid; see Error.Where
)

// The cases of BadInput.
const (
	BadParameter = BadInput + "/parameter" // of the query
	BadDuration  = BadInput + "/duration"
	BadName      = BadInput + "/name"
	BadPolicy    = BadInput + "/policy" // part of a policy definition
	BadURL       = BadInput + "/url"
	Missing      = BadInput + "/missing"
	NotListed    = BadInput + "/not_listed" // not a value of the enumeration
	TooLong      = BadInput + "/too_long"
	TooShort     = BadInput + "/too_short"
)

// Cases lists the cases of BadInput.
var Cases = []refusal.Reason{BadParameter, BadDuration, BadName, BadPolicy, BadURL, Missing, NotListed, TooLong, TooShort}

// Reasons lists every reason, without the cases of BadInput.
var Reasons = []refusal.Reason{
	PolicyNotFound, PolicyExists, RequestNotFound, TaskNotFound, DelegationNotFound, EndpointNotFound,
	DatabaseDown, EngineRefused, WrongState, ResolverFailed,
	Forbidden, KeyReused, BadDefinition, BadInput,
}

// VersionChanged is a case of WrongState: another version of the policy is active than the caller has seen.
const VersionChanged = WrongState + "/version"

// NoAnswer refuses because a directory or resolver does not respond. The caller may retry at the interval of
// the service's own retries.
func NoAnswer(format string, args ...any) error {
	return &refusal.Error{Reason: ResolverFailed, Message: fmt.Sprintf(format, args...), RetryAfter: retryAfter}
}

// retryAfter is the first delay of the service's own retries.
const retryAfter = 5 * time.Second
