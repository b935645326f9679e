package outbox

import (
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/work"
)

// DeliveryStatus is the state of a Delivery.
type DeliveryStatus string

// The states of a delivery.
const (
	DeliveryPending   DeliveryStatus = "pending"   // waits for its next attempt
	DeliverySending   DeliveryStatus = "sending"   // a worker holds it
	DeliveryDelivered DeliveryStatus = "delivered" // the receiver answered 2xx
	DeliveryFailed    DeliveryStatus = "failed"    // no attempt left; an admin can retry it
	DeliveryCancelled DeliveryStatus = "cancelled" // its endpoint is disabled or deleted
)

// Values returns every value.
func (DeliveryStatus) Values() []DeliveryStatus {
	return []DeliveryStatus{DeliveryPending, DeliverySending, DeliveryDelivered, DeliveryFailed, DeliveryCancelled}
}

const (
	maxRetryAfter = 6 * time.Hour

	// freeCrashes is the number of crashes in a cycle that consume no attempt. After that the
	// delivery may be the cause, and a crash is a failed attempt.
	freeCrashes = 4
)

// Delivery carries one event to one target.
type Delivery struct {
	ID        string
	EventID   string // the webhook-id: the same for every attempt, so receivers can deduplicate
	EventType string
	Subject   string // object of the event, such as the id of a request; may be empty
	Sequence  int64
	Target    Target
	Variant   string // payload variant of the event; empty for the one that every target may read
	Payload   []byte // as of the event

	Traceparent string // of the call that caused the event; empty outside a trace

	Status        DeliveryStatus
	Cycle         int // from 1; a manual retry starts another
	Attempt       int // attempts made in this cycle
	Crashes       int // leases of this cycle that ended without a result
	NextAttemptAt time.Time
	Lease         work.Lease

	LastAttemptAt   time.Time
	LastStatusCode  int
	LastError       string
	LastDuration    time.Duration
	ResponseExcerpt string
	DeliveredAt     time.Time
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// Target is where a delivery goes: an endpoint, or a request's own callback URL.
type Target struct {
	EndpointID string // empty for a callback
	Endpoint   string // its name
	URL        string
}

// People is the name of the target of notices to people, such as mail. Endpoint names cannot equal
// it. The URL identifies the person and the notice; see webhooks.NoticeSender.
const People = "(people)"

// ToPeople reports whether the target is a person.
func (t Target) ToPeople() bool { return t.Endpoint == People }

// Attempt is one attempt of a delivery.
type Attempt struct {
	DeliveryID string
	Cycle      int
	Seq        int // counts attempts and crashes
	N          int // number of the attempt; 0 for a crash that consumed none
	StartedAt  time.Time
	FinishedAt time.Time
	Outcome    AttemptOutcome
	StatusCode int
	Error      string
	Excerpt    string
}

// AttemptOutcome is the outcome of an attempt.
type AttemptOutcome string

// The outcomes. After a crash the receipt by the receiver is unknown.
const (
	AttemptDelivered AttemptOutcome = "delivered"
	AttemptFailed    AttemptOutcome = "failed"
	AttemptUnknown   AttemptOutcome = "unknown"
)

// Values returns every value.
func (AttemptOutcome) Values() []AttemptOutcome {
	return []AttemptOutcome{AttemptDelivered, AttemptFailed, AttemptUnknown}
}

// Result is the observation of a worker in one attempt.
type Result struct {
	StartedAt, FinishedAt time.Time
	StatusCode            int // 0 without a response
	Error                 string
	Excerpt               string
	RetryAfter            time.Duration // of the response; 0 without one
	Gone                  bool          // permanent failure: 410, or an undeliverable notice
}

// Finish applies the result of an attempt. jitter, in [0, 1), spreads the next
// attempt over the first tenth of the wait, never before its time.
func (d Delivery) Finish(r Result, jitter float64) (Delivery, Attempt) {
	d.Attempt++
	d.LastAttemptAt, d.LastStatusCode, d.LastError = r.StartedAt, r.StatusCode, r.Error
	d.LastDuration, d.ResponseExcerpt = r.FinishedAt.Sub(r.StartedAt), r.Excerpt
	d = d.release(r.FinishedAt)
	attempt := Attempt{
		DeliveryID: d.ID, Cycle: d.Cycle, Seq: d.seq(), N: d.Attempt,
		StartedAt: r.StartedAt, FinishedAt: r.FinishedAt, Outcome: AttemptFailed,
		StatusCode: r.StatusCode, Error: r.Error, Excerpt: r.Excerpt,
	}
	switch {
	case r.Error == "" && r.StatusCode >= 200 && r.StatusCode < 300:
		attempt.Outcome = AttemptDelivered
		d = d.end(DeliveryDelivered)
		d.DeliveredAt = r.FinishedAt
	case r.Gone:
		d = d.end(DeliveryFailed)
	default:
		d = d.wait(r.FinishedAt, r.RetryAfter, jitter)
	}
	return d, attempt
}

// wait schedules the next attempt, if one is left.
func (d Delivery) wait(at time.Time, retryAfter time.Duration, jitter float64) Delivery {
	if d.Attempt >= work.MaxAttempts {
		return d.end(DeliveryFailed)
	}
	d.Status = DeliveryPending
	d.NextAttemptAt = at.Add(max(work.Delay(d.Attempt, jitter), min(retryAfter, maxRetryAfter)))
	return d
}

// end is final except for a manual retry.
func (d Delivery) end(s DeliveryStatus) Delivery {
	d.Status, d.NextAttemptAt = s, time.Time{}
	return d
}

// release releases the lease. Its token remains, for the write of the result.
func (d Delivery) release(at time.Time) Delivery {
	d.Lease.Owner, d.Lease.Since, d.UpdatedAt = "", time.Time{}, at
	return d
}

// seq is the number of the last attempt or crash in the cycle. A crash that consumed an attempt
// counts once.
func (d Delivery) seq() int { return d.Attempt + min(d.Crashes, freeCrashes) }

// RecordCrash records a lease without a result. The first crashes of a cycle consume no attempt, and the
// delivery is due immediately. Later crashes are failed attempts, so that a delivery that crashes its
// workers stops after six more, hours apart.
func (d Delivery) RecordCrash(at time.Time, jitter float64) (Delivery, Attempt) {
	crash := Attempt{
		DeliveryID: d.ID, Cycle: d.Cycle, StartedAt: d.Lease.Since, FinishedAt: at,
		Outcome: AttemptUnknown, Error: "the worker stopped before it saved a result",
	}
	d.Crashes++
	if d.Crashes > freeCrashes {
		d.Attempt++
		crash.N = d.Attempt
		d.LastAttemptAt, d.LastStatusCode, d.LastError = crash.StartedAt, 0, "crash_loop"
		d.LastDuration, d.ResponseExcerpt = at.Sub(crash.StartedAt), ""
		d = d.release(at).wait(at, 0, jitter)
	}
	crash.Seq = d.seq()
	return d, crash
}

// Cancel ends a delivery whose endpoint is disabled or deleted. A finished delivery is unchanged.
func (d Delivery) Cancel(at time.Time) Delivery {
	if d.Status == DeliveryPending || d.Status == DeliverySending {
		d = d.release(at).end(DeliveryCancelled)
	}
	return d
}

// Retry starts a new cycle immediately, on request of an admin.
func (d Delivery) Retry(at time.Time) (Delivery, error) {
	switch d.Status {
	case DeliveryFailed, DeliveryCancelled, DeliveryPending:
	default:
		return d, refusal.New(WrongState, "delivery %s is %s", d.ID, d.Status)
	}
	d.Status, d.NextAttemptAt, d.UpdatedAt = DeliveryPending, at, at
	d.Cycle, d.Attempt, d.Crashes = d.Cycle+1, 0, 0
	return d, nil
}

// Rev grows with every write; it is the entity tag.
func (d Delivery) Rev() int64 { return d.UpdatedAt.UnixMilli() }

// Message is an event to send.
type Message struct {
	EventID     string
	Variant     string // distinguishes the payloads of one event
	EventType   string
	Subject     string // object of the event, for the search of deliveries
	Sequence    int64
	At          time.Time
	Payload     []byte
	Traceparent string
}

// Deliveries returns the deliveries of the message, one for each target and due immediately.
func (m Message) Deliveries(targets []Target, newID func() string) []Delivery {
	list := make([]Delivery, len(targets))
	for i, target := range targets {
		list[i] = Delivery{
			ID: newID(), EventID: m.EventID, Variant: m.Variant, EventType: m.EventType, Subject: m.Subject, Sequence: m.Sequence,
			Target: target, Payload: m.Payload, Traceparent: m.Traceparent,
			Status: DeliveryPending, Cycle: 1, NextAttemptAt: m.At, CreatedAt: m.At, UpdatedAt: m.At,
		}
	}
	return list
}
