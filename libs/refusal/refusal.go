// Package refusal contains the error type of refusals.
package refusal

import (
	"errors"
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

// Case returns the name of the case, or an empty string for a reason that is not a case.
func (r Reason) Case() string {
	_, name, _ := strings.Cut(string(r), "/")
	return name
}

// Error is a refusal whose Message the caller may read. Any other error is logged in
// full, and answered without detail.
type Error struct {
	Reason  Reason
	Message string

	// Where is a JSON pointer (RFC 6901) to the invalid member of the input, or empty.
	Where string

	// Problems lists the invalid members if the refusal can have several, in the order of the report.
	// Reason, Message and Where are those of the first.
	Problems []Problem

	// StepUp is set when a stronger or fresher authentication would be accepted
	// (RFC 9470).
	StepUp *StepUp

	// RetryAfter is when the caller may try again; zero means not known.
	RetryAfter time.Duration
}

// Problem is one invalid member of the input.
type Problem struct {
	Reason  Reason
	Where   string // JSON pointer (RFC 6901); empty for the whole input
	Message string // never contains the value
}

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

// Invalid returns an *Error with the problems, or nil without any.
func Invalid(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	first := problems[0]
	return &Error{Reason: first.Reason, Where: first.Where, Message: first.Message, Problems: problems}
}

// maxShown bounds the problems in the text of an error.
const maxShown = 20

// Error returns the reason and the message. With Problems it returns one line for each.
func (e *Error) Error() string {
	if len(e.Problems) == 0 {
		return string(e.Reason) + ": " + e.Message
	}
	lines := make([]string, 0, maxShown+1)
	for _, p := range e.Problems[:min(len(e.Problems), maxShown)] {
		lines = append(lines, p.Where+": "+p.Message)
	}
	if more := len(e.Problems) - maxShown; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the reasons, for errors.Is.
func (e *Error) Unwrap() []error {
	reasons := []error{e.Reason}
	for _, p := range e.Problems {
		reasons = append(reasons, p.Reason)
	}
	return reasons
}

// List returns the problems; a refusal without Problems is one itself.
func (e *Error) List() []Problem {
	if len(e.Problems) > 0 {
		return e.Problems
	}
	return []Problem{{Reason: e.Reason, Where: e.Where, Message: e.Message}}
}

// MessageOf returns the message of a refusal, or the full text of any other error.
func MessageOf(err error) string {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.Message
	}
	return err.Error()
}
