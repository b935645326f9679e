// Package refusal contains the error type of refusals.
package refusal

import (
	"fmt"
	"strings"
	"time"
)

// Reason is the reason of a refusal, declared by each domain. An API maps it to a code and a status.
// A reason can have cases: "a/b" is a case of "a", and errors.Is finds both.
type Reason string

// Error makes a Reason a target for errors.Is.
func (r Reason) Error() string { return string(r) }

// Is reports whether r is a case of the target.
func (r Reason) Is(target error) bool { return error(r.General()) == target }

// General returns the reason of which r is a case, or r.
func (r Reason) General() Reason {
	general, _, _ := strings.Cut(string(r), "/")
	return Reason(general)
}

// Error is a refusal whose Message the caller may read. Any other error is logged in
// full, and answered without detail.
type Error struct {
	Reason  Reason
	Message string

	// Where is a JSON pointer to the invalid member of the input, or empty.
	Where string

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

// At returns an *Error about the member of the input at a JSON pointer.
func At(r Reason, where, format string, args ...any) error {
	return &Error{Reason: r, Where: where, Message: fmt.Sprintf(format, args...)}
}
