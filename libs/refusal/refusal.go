// Package refusal contains the error type of refusals.
package refusal

import (
	"fmt"
	"time"
)

// Reason is the reason of a refusal, declared by each domain. An API maps it to a code and a status.
type Reason string

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
	StepUp *StepUp

	// RetryAfter is when the caller may try again; zero means not known.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return string(e.Reason) + ": " + e.Message }

// Unwrap makes errors.Is(err, reason) work.
func (e *Error) Unwrap() error { return e.Reason }

// StepUp is the authentication that would be accepted: RFC 9470, section 3.
type StepUp struct {
	MaxAge    time.Duration // zero without a limit
	ACRValues []string
}

// New returns an *Error with a formatted message.
func New(r Reason, format string, args ...any) error {
	return &Error{Reason: r, Message: fmt.Sprintf(format, args...)}
}
