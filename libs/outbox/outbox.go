// Package outbox has the rules of webhook deliveries and endpoints. Its packages store them (outboxdb),
// sign them (signing), send them (webhooks) and manage them for admins (admin).
//
// The service defines the event types, the payloads, the subscriptions and the entries of its audit trail,
// and passes them as plain values.
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

// Person is the creator of an object. The service defines which members are set.
type Person struct {
	ID       string `json:"id"`
	Username string `json:"username,omitempty"`
	Name     string `json:"name,omitempty"`
	Email    string `json:"email,omitempty"`
}
