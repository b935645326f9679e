package registrar

import (
	"time"

	"github.com/countersign/countersign/libs/work"
)

// CallKind is the operation of a call to the identity provider.
type CallKind string

const (
	CallRegister CallKind = "register"
	CallUpdate   CallKind = "update"
	CallRemove   CallKind = "remove" // of an abandoned client

	// CallRead compares a client by its own token. The provider may replace the token, so no other call runs meanwhile.
	CallRead CallKind = "read"

	CallMapping CallKind = "mapping" // of an approval only: no call follows it
)

// Values returns every value.
func (CallKind) Values() []CallKind { return []CallKind{CallRegister, CallUpdate, CallRemove} }

// Call is a pending call to the identity provider. It is stored in the transaction that requires it
// and removed in the transaction that records its outcome. After a crash in between, the call is
// repeated.
type Call struct {
	ClientID string
	Kind     CallKind

	// Attempts counts the attempts that were started. It is incremented before the call, so an
	// attempt that ends in a crash counts.
	Attempts int

	// DueAt is the earliest start of the next attempt.
	DueAt time.Time

	// Sent reports that the provider may have received the call. It is set before an attempt, so it
	// survives a crash. It is cleared if no data has left this service.
	Sent bool

	// Ours reports that an admin has confirmed the provider's client with this id as this client.
	Ours bool
}

// HeldUntil is the due time of a held call.
var HeldUntil = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// Prior is the state of the client at the provider before a call.
type Prior int

const (
	PriorNone    Prior = iota // no client of this service
	PriorUnknown              // an earlier attempt may have had its effect
	PriorOurs                 // the client with this id belongs to this service
)

// Prior returns the possible state at the provider before the next attempt.
func (c Call) Prior() Prior {
	switch {
	case c.Ours:
		return PriorOurs
	case c.Sent:
		return PriorUnknown
	}
	return PriorNone
}

// Begin starts an attempt.
func (c Call) Begin() Call {
	c.Attempts++
	c.Sent = true
	return c
}

// Hold holds the call, with its record of the provider's possible state, until an admin resolves it.
func (c Call) Hold() Call {
	c.DueAt = HeldUntil
	return c
}

// CallResult is the result of an attempt.
type CallResult string

const (
	CallSucceeded      CallResult = "succeeded"
	CallRefused        CallResult = "refused"         // by the provider; a repeated call has the same result
	CallUnreachable    CallResult = "unreachable"     // no answer; the call can be repeated
	CallOutcomeUnknown CallResult = "outcome_unknown" // no answer, and a repeated call can overwrite another client
)

// CallOutcome is the result of an attempt with the facts that decide the next step.
type CallOutcome struct {
	Result   CallResult
	Prior    Prior // possible state at the provider after the attempt
	Client   Client
	Wanted   Update // of a CallUpdate
	Readable bool   // a repeated call starts with a provider read, which can resolve an unknown outcome
	Awaited  bool   // the caller of the operation receives the result of this attempt
}

// CallStep is the step after an attempt.
type CallStep string

const (
	// These steps end the call.
	StepApply   CallStep = "apply"   // activate or update the client
	StepDiscard CallStep = "discard" // leave the client unchanged
	StepRemove  CallStep = "remove"  // delete the client

	// These steps release the lease until the call is due again.
	StepRetry   CallStep = "retry"   // after the next delay of work.Schedule
	StepRepeat  CallStep = "repeat"  // after the last delay, without limit
	StepRecheck CallStep = "recheck" // after RecheckDelay, without limit

	// These steps hold the call.
	StepHold CallStep = "hold" // until an admin resolves the unknown outcome
	StepFail CallStep = "fail" // the client becomes FAILED; its call records the provider's possible state
)

// callSteps is the table of the transitions of a leased call. The first row that matches decides. An
// empty kind matches each kind.
var callSteps = []struct {
	result CallResult
	kind   CallKind
	when   func(Call, CallOutcome) bool
	step   CallStep
}{
	{CallSucceeded, CallRemove, matchAny, StepRemove},
	{CallSucceeded, "", matchAny, StepApply},

	{CallRefused, CallUpdate, matchAny, StepDiscard},
	{CallRefused, CallRegister, isNewAndAwaited, StepRemove},
	{CallRefused, "", matchAny, StepFail},

	{CallUnreachable, "", hasUnknownOutcome, StepRecheck},
	{CallUnreachable, "", hasAttempts, StepRetry},
	{CallUnreachable, CallUpdate, isDisabling, StepRepeat},
	{CallUnreachable, CallUpdate, matchAny, StepDiscard},
	{CallUnreachable, "", matchAny, StepFail},

	{CallOutcomeUnknown, "", isReadable, StepRecheck},
	{CallOutcomeUnknown, "", matchAny, StepHold},
}

func matchAny(Call, CallOutcome) bool { return true }

func hasUnknownOutcome(_ Call, o CallOutcome) bool { return o.Client.OutcomeUnknown }

func isReadable(_ Call, o CallOutcome) bool { return o.Readable }

func hasAttempts(c Call, _ CallOutcome) bool { return c.Attempts < work.MaxAttempts }

// isNewAndAwaited reports that a registration can be deleted: the provider does not have it, no other
// change has been accepted since, and the caller receives the refusal.
func isNewAndAwaited(_ Call, o CallOutcome) bool {
	return o.Prior == PriorNone && o.Client.Rev == 1 && o.Awaited
}

// isDisabling reports an update that disables a client which is INACTIVE here. Until the provider
// confirms it, users can still sign in.
func isDisabling(_ Call, o CallOutcome) bool {
	return o.Client.Status == ClientInactive && o.Wanted.Status == ClientInactive
}

// RecheckDelay is the time between two provider reads that can resolve an unknown outcome.
const RecheckDelay = time.Hour

// Next returns the step after an attempt, and the call after the step unless the step ends the call. jitter is
// that of work.Delay.
func (c Call) Next(o CallOutcome, at time.Time, jitter float64) (CallStep, Call) {
	step := c.step(o)
	c.Sent, c.Ours = o.Prior != PriorNone, o.Prior == PriorOurs
	switch step {
	case StepRetry:
		c.DueAt = at.Add(work.Delay(c.Attempts, jitter))
	case StepRepeat:
		c.DueAt, c.Attempts = at.Add(work.Delay(work.MaxAttempts, jitter)), work.MaxAttempts-1
	case StepRecheck:
		c.DueAt, c.Attempts = at.Add(RecheckDelay), 0
	case StepHold, StepFail:
		c = c.Hold()
	}
	return step, c
}

func (c Call) step(o CallOutcome) CallStep {
	for _, row := range callSteps {
		if row.result == o.Result && (row.kind == "" || row.kind == c.Kind) && row.when(c, o) {
			return row.step
		}
	}
	panic("registrar: no step after the call result " + string(o.Result))
}
