package outbox

import (
	"regexp"
	"time"
)

// Endpoint is a receiver of webhooks that admins manage.
type Endpoint struct {
	ID         string
	Name       string // unique, and fixed: deliveries refer to it
	URL        string // address of the receiver; of a chat without its secret part
	Format     Format
	Events     []string // patterns of event types
	PolicyKeys []string // patterns of the policies whose events it receives
	Include    []string // requested parts of messages; the service defines them
	Signature  SignatureScheme

	Enabled        bool
	DisabledReason DisabledReason // empty while it is enabled
	DisabledAt     time.Time

	Key           SealedKey
	Previous      SealedKey // also signs until PreviousUntil
	PreviousUntil time.Time

	Health Health

	CreatedBy Person
	CreatedAt time.Time
	UpdatedAt time.Time
	Rev       int64 // grows with every visible change
}

// Format is the message format of an endpoint.
type Format string

// The formats: the signed event, or a message to a chat channel through its incoming webhook. The URL of
// such a webhook permits writes to the channel, so it is stored like a secret and not shown again.
const (
	FormatEvent      Format = ""
	FormatSlack      Format = "slack"
	FormatMattermost Format = "mattermost"
	FormatTeams      Format = "teams"
)

// Formats lists every format.
var Formats = []Format{FormatEvent, FormatSlack, FormatMattermost, FormatTeams}

// Chat reports whether the endpoint is a channel of a chat. Its Key seals the URL.
func (e Endpoint) Chat() bool { return e.Format != FormatEvent }

// EndpointState is the state of an Endpoint.
type EndpointState string

// The states of an endpoint.
const (
	EndpointEnabled  EndpointState = "enabled"
	EndpointPaused   EndpointState = "paused"   // failing; nothing is sent until PausedUntil
	EndpointDisabled EndpointState = "disabled" // nothing is sent until an admin enables it
)

// State returns the state of the endpoint at a time.
func (e Endpoint) State(at time.Time) EndpointState {
	switch {
	case !e.Enabled:
		return EndpointDisabled
	case at.Before(e.Health.PausedUntil):
		return EndpointPaused
	default:
		return EndpointEnabled
	}
}

// SignatureScheme selects the Standard Webhooks signatures of a message.
type SignatureScheme string

// The schemes: HMAC-SHA256 with the shared secret, Ed25519, or both.
const (
	SignHMAC    SignatureScheme = "v1"
	SignEd25519 SignatureScheme = "v1a"
	SignBoth    SignatureScheme = "both"
)

// Values returns every value.
func (SignatureScheme) Values() []SignatureScheme {
	return []SignatureScheme{SignHMAC, SignEd25519, SignBoth}
}

// SealedKey is the stored, encrypted signing key of an endpoint. The other members are public.
type SealedKey struct {
	Sealed    string
	Hint      string // last characters of the secret, for identification
	PublicKey string // whpk_…, verifies v1a
}

// DisabledReason is the reason of a disabled endpoint.
type DisabledReason string

// The reasons.
const (
	DisabledByAdmin  DisabledReason = "admin"
	DisabledGone     DisabledReason = "gone"     // the receiver returned 410
	DisabledFailing  DisabledReason = "failing"  // only failures for maxFailing
	DisabledFailures DisabledReason = "failures" // maxFailures in a row
)

// Values returns every value.
func (DisabledReason) Values() []DisabledReason {
	return []DisabledReason{DisabledByAdmin, DisabledGone, DisabledFailing, DisabledFailures}
}

// Health summarises the last attempts at an endpoint.
type Health struct {
	Failures     int       // in a row
	FailingSince time.Time // the first of them
	PausedUntil  time.Time // nothing is sent before
}

const (
	maxFailing  = 5 * 24 * time.Hour
	maxFailures = 100

	// An endpoint is paused from this number of failures in a row. After each pause one delivery is
	// attempted; the others wait without using attempts.
	breakAt  = 5
	minPause = 30 * time.Second
	maxPause = 5 * time.Minute
)

// NamePattern is the pattern of endpoint names.
const NamePattern = `^[a-z0-9][a-z0-9_-]{0,63}$`

var endpointName = regexp.MustCompile(NamePattern)

// ValidName reports whether the name matches NamePattern.
func ValidName(name string) bool { return endpointName.MatchString(name) }

// Selects reports whether the endpoint is subscribed to events of the type and policy. Policy patterns do
// not apply to events without a policy.
func (e Endpoint) Selects(eventType, policyKey string) bool {
	return e.Enabled && Matches(eventType, e.Events) && (policyKey == "" || Matches(policyKey, e.PolicyKeys))
}

// Target returns the target of deliveries to the endpoint.
func (e Endpoint) Target() Target { return Target{EndpointID: e.ID, Endpoint: e.Name, URL: e.URL} }

// Enable enables the endpoint and resets its health.
func (e Endpoint) Enable(at time.Time) Endpoint {
	e.Enabled, e.DisabledReason, e.DisabledAt, e.Health = true, "", time.Time{}, Health{}
	return e.Touch(at)
}

// Disable disables the endpoint. The caller cancels its waiting deliveries.
func (e Endpoint) Disable(reason DisabledReason, at time.Time) Endpoint {
	e.Enabled, e.DisabledReason, e.DisabledAt = false, reason, at
	return e.Touch(at)
}

// Move changes the URL and resets the health.
func (e Endpoint) Move(url string, at time.Time) Endpoint {
	e.URL, e.Health = url, Health{}
	return e.Touch(at)
}

// Rotate makes next the key. The previous key also signs during the overlap, for receivers that
// still verify with it.
func (e Endpoint) Rotate(next SealedKey, overlap time.Duration, at time.Time) Endpoint {
	e.Previous, e.PreviousUntil = e.Key, at.Add(overlap)
	if overlap <= 0 {
		e.Previous, e.PreviousUntil = SealedKey{}, time.Time{}
	}
	e.Key = next
	return e.Touch(at)
}

// Keys returns the signing keys at a time, the current one first.
func (e Endpoint) Keys(at time.Time) []SealedKey {
	if e.Previous.Sealed != "" && at.Before(e.PreviousUntil) {
		return []SealedKey{e.Key, e.Previous}
	}
	return []SealedKey{e.Key}
}

// RecordSuccess records an accepted delivery.
func (e Endpoint) RecordSuccess() Endpoint {
	e.Health = Health{}
	return e
}

// RecordFailure records a failed attempt. It can pause or disable the endpoint. A disabled endpoint is unchanged.
func (e Endpoint) RecordFailure(gone bool, at time.Time) Endpoint {
	if !e.Enabled {
		return e
	}
	h := &e.Health
	if h.Failures++; h.Failures == 1 {
		h.FailingSince = at
	}
	if h.Failures >= breakAt {
		pause := maxPause
		if n := h.Failures - breakAt; n < 4 { // 30 s, 1, 2 and 4 min
			pause = minPause << n
		}
		h.PausedUntil = at.Add(pause)
	}
	switch {
	case gone:
		return e.Disable(DisabledGone, at)
	case at.Sub(h.FailingSince) >= maxFailing:
		return e.Disable(DisabledFailing, at)
	case h.Failures >= maxFailures:
		return e.Disable(DisabledFailures, at)
	}
	return e
}

// FreeSlots returns the permitted number of deliveries in flight: most, none during a pause, one after a pause.
func (e Endpoint) FreeSlots(at time.Time, most int) int {
	switch {
	case e.State(at) != EndpointEnabled:
		return 0
	case e.Health.Failures >= breakAt:
		return min(1, most)
	default:
		return most
	}
}

// Touch records a change of the endpoint.
func (e Endpoint) Touch(at time.Time) Endpoint {
	e.UpdatedAt, e.Rev = at, e.Rev+1
	return e
}
