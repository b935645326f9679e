// Package outbox is how a service tells others of its events: the rules of deliveries and
// of the endpoints that they go to. The packages below it store them (outboxdb), sign them
// (signing), send them (webhooks), and manage them for admins (admin).
//
// A service keeps what is its own, and hands it over as plain values: which events there
// are and what their payloads say, which endpoint hears of which, and what its audit trail
// records.
package outbox

import (
	"path"
	"slices"

	"github.com/countersign/countersign/libs/refusal"
)

// The reasons of refusals.
const (
	EndpointNotFound refusal.Reason = "endpoint_not_found"
	WrongState       refusal.Reason = "wrong_state" // not allowed in the current state; also an unknown delivery
	BadInput         refusal.Reason = "bad_input"   // a member of the input is invalid
)

// Reasons lists every reason.
var Reasons = []refusal.Reason{EndpointNotFound, WrongState, BadInput}

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
