package registrar_test

import (
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/work"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

func TestPriorStateAtTheProvider(t *testing.T) {
	call := registrar.Call{ClientID: "c", Kind: registrar.CallRegister}
	if call.Prior() != registrar.PriorNone {
		t.Errorf("before the first attempt: %v", call.Prior())
	}
	call = call.Begin()
	if call.Prior() != registrar.PriorUnknown || call.Attempts != 1 {
		t.Errorf("during an attempt: %+v", call)
	}
	if call.Ours = true; call.Prior() != registrar.PriorOurs {
		t.Errorf("after a confirmation: %v", call.Prior())
	}
	if held := call.Hold(); held.DueAt.Before(born.AddDate(1000, 0, 0)) || held.Prior() != registrar.PriorOurs {
		t.Errorf("held: %+v", held)
	}
}

func TestStepAfterAnAttempt(t *testing.T) {
	const (
		register, update, remove = registrar.CallRegister, registrar.CallUpdate, registrar.CallRemove

		succeeded, refused   = registrar.CallSucceeded, registrar.CallRefused
		unreachable, unknown = registrar.CallUnreachable, registrar.CallOutcomeUnknown

		held time.Duration = -1
	)
	var (
		last      = work.MaxAttempts
		fresh     = registrar.Client{Status: registrar.ClientPending, Rev: 1}
		corrected = registrar.Client{Status: registrar.ClientPending, Rev: 2}
		active    = registrar.Client{Status: registrar.ClientActive, Rev: 2}
		inactive  = registrar.Client{Status: registrar.ClientInactive, Rev: 3}
		unsettled = registrar.Client{Status: registrar.ClientActive, Rev: 2, OutcomeUnknown: true}

		enable  = registrar.Update{Status: registrar.ClientActive}
		disable = registrar.Update{Status: registrar.ClientInactive}

		sent, ours = registrar.PriorUnknown, registrar.PriorOurs
	)
	for name, tt := range map[string]struct {
		kind     registrar.CallKind
		attempts int
		outcome  registrar.CallOutcome
		step     registrar.CallStep
		delay    time.Duration // until the call is due; 0 after the end of the call, held without limit
		left     int           // attempts counted after the step
	}{
		"a registration succeeds": {register, 1, registrar.CallOutcome{Result: succeeded, Client: fresh}, registrar.StepApply, 0, 1},
		"an update succeeds":      {update, 1, registrar.CallOutcome{Result: succeeded, Client: active}, registrar.StepApply, 0, 1},
		"a removal succeeds":      {remove, 1, registrar.CallOutcome{Result: succeeded, Client: fresh}, registrar.StepRemove, 0, 1},

		"an update is refused": {
			update, 1, registrar.CallOutcome{Result: refused, Client: active, Awaited: true}, registrar.StepDiscard, 0, 1},
		"a removal is refused": {
			remove, 1, registrar.CallOutcome{Result: refused, Client: fresh, Awaited: true}, registrar.StepFail, held, 1},
		"a registration is refused": {
			register, 1, registrar.CallOutcome{Result: refused, Client: fresh, Awaited: true}, registrar.StepRemove, 0, 1},
		"a registration is refused to the worker": {
			register, 1, registrar.CallOutcome{Result: refused, Client: fresh}, registrar.StepFail, held, 1},
		"a corrected registration is refused": {
			register, 1, registrar.CallOutcome{Result: refused, Client: corrected, Awaited: true}, registrar.StepFail, held, 1},
		"a registration that was sent before is refused": {
			register, 1, registrar.CallOutcome{Result: refused, Prior: sent, Client: fresh, Awaited: true}, registrar.StepFail, held, 1},

		"no answer": {
			register, 1, registrar.CallOutcome{Result: unreachable, Client: fresh}, registrar.StepRetry, time.Minute, 1},
		"no answer to a call without an attempt": {
			register, 0, registrar.CallOutcome{Result: unreachable, Client: fresh}, registrar.StepRetry, time.Minute, 0},
		"no answer to the last attempt of a registration": {
			register, last, registrar.CallOutcome{Result: unreachable, Prior: sent, Client: fresh}, registrar.StepFail, held, last},
		"no answer to the last attempt of a removal": {
			remove, last, registrar.CallOutcome{Result: unreachable, Prior: sent, Client: fresh}, registrar.StepFail, held, last},
		"no answer to the last attempt of an update": {
			update, last, registrar.CallOutcome{Result: unreachable, Client: active, Wanted: enable}, registrar.StepDiscard, 0, last},
		"no answer to the last attempt that disables": {
			update, last, registrar.CallOutcome{Result: unreachable, Client: inactive, Wanted: disable},
			registrar.StepRepeat, 6 * time.Hour, last - 1},
		"no answer to the last attempt that disables an ACTIVE client": {
			update, last, registrar.CallOutcome{Result: unreachable, Client: active, Wanted: disable}, registrar.StepDiscard, 0, last},
		"no answer to the last attempt that enables": {
			update, last, registrar.CallOutcome{Result: unreachable, Client: inactive, Wanted: enable}, registrar.StepDiscard, 0, last},
		"no answer while the outcome is unknown": {
			update, last, registrar.CallOutcome{Result: unreachable, Prior: sent, Client: unsettled}, registrar.StepRecheck, time.Hour, 0},

		"an unknown outcome": {
			register, 1, registrar.CallOutcome{Result: unknown, Prior: sent, Client: fresh}, registrar.StepHold, held, 1},
		"an unknown outcome at a provider that can be read": {
			update, 3, registrar.CallOutcome{Result: unknown, Prior: ours, Client: active, Readable: true}, registrar.StepRecheck, time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			call := registrar.Call{Kind: tt.kind, Attempts: tt.attempts, Sent: true, Ours: true}
			step, next := call.Next(tt.outcome, born, 0)
			if step != tt.step || next.Prior() != tt.outcome.Prior || next.Attempts != tt.left {
				t.Errorf("%s, %+v", step, next)
			}
			due := born.Add(tt.delay)
			if tt.delay == held {
				due = registrar.HeldUntil
			}
			if tt.delay != 0 && !next.DueAt.Equal(due) {
				t.Errorf("due at %s", next.DueAt)
			}
		})
	}
}

func TestCallsAreRetriedAfterTheDelays(t *testing.T) {
	call := registrar.Call{ClientID: "c", Kind: registrar.CallRegister}
	now, waited := born, []time.Duration(nil)
	for {
		step, next := call.Begin().Next(registrar.CallOutcome{Result: registrar.CallUnreachable}, now, 0.5)
		if step != registrar.StepRetry {
			break
		}
		waited = append(waited, next.DueAt.Sub(now))
		call, now = next, next.DueAt
	}
	var want []time.Duration
	for _, wait := range work.Schedule {
		want = append(want, wait+wait/20)
	}
	if !slices.Equal(waited, want) {
		t.Errorf("waited %v, want %v", waited, want)
	}
}
