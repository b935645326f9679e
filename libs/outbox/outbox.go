// Package outbox is how a service tells others of its events: the rules of deliveries and
// of the endpoints that they go to. The packages below it store them (outboxdb), sign them
// (signing), send them (webhooks), and do what admins ask for (manage).
//
// A service keeps what is its own, and hands it over as plain values: which events there
// are and what their payloads say, which endpoint hears of which, and what its audit trail
// records.
package outbox

import (
	"fmt"
	"path"
	"slices"
)

// Reason says why an operation was refused. The set is closed, and each service has a code
// of its own for each.
type Reason string

// The reasons.
const (
	UnknownEndpoint Reason = "unknown_endpoint"
	WrongState      Reason = "wrong_state" // the operation is not allowed as things are; also of a delivery that does not exist
	BadSecret       Reason = "bad_secret"  // the given secret is not one
	NoKeys          Reason = "no_keys"     // the service has no keys to encrypt secrets with
)

// Reasons lists every reason.
var Reasons = []Reason{UnknownEndpoint, WrongState, BadSecret, NoKeys}

// Error makes a Reason a target for errors.Is.
func (r Reason) Error() string { return string(r) }

// Error is a refusal whose Message the caller may read.
type Error struct {
	Reason  Reason
	Message string
}

func (e *Error) Error() string { return string(e.Reason) + ": " + e.Message }

// Unwrap makes errors.Is(err, reason) work.
func (e *Error) Unwrap() error { return e.Reason }

// Refuse returns an *Error with a formatted message.
func Refuse(r Reason, format string, args ...any) error {
	return &Error{Reason: r, Message: fmt.Sprintf(format, args...)}
}

// Matches reports whether one of the patterns selects the name.
func Matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

// Person is who has made something. Which of the members are known is the service's.
type Person struct {
	ID       string `json:"id"`
	Username string `json:"username,omitempty"`
	Name     string `json:"name,omitempty"`
	Email    string `json:"email,omitempty"`
}
