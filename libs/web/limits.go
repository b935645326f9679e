package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"

	"github.com/countersign/countersign/libs/limit"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/refusal"
)

const (
	allBytes     = 64 << 20 // maximum charge for the bodies of all calls
	subjectBytes = 16 << 20 // of one subject
	decodedBytes = 8 << 20  // of bodies in decoding

	// A complete body is charged these too. A text is in memory up to five times: as received,
	// decoded, canonical, as a database parameter, and as garbage. A value costs its decoded form.
	copies    = 4   // of the body, besides the received one
	valueCost = 100 // bytes, of each JSON value

	longestWait = time.Second // maximum delay of a call above its rate
	mostWaiting = 1000        // concurrent calls in this delay
	longCalls   = 4           // concurrent long calls; each uses a database connection
)

// Rates are the call rates of callers. Zero values are unlimited.
type Rates struct {
	Person, Service limit.Rate // of one subject; Options.Service selects one

	// AuthFailures is the rate of 401 replies to one address. Further replies are delayed. Calls
	// with a valid token are not affected.
	AuthFailures limit.Rate

	// Operations are additional rates of single operations.
	Operations []OperationRate
}

// OperationRate bounds the calls of one subject to some operations together.
type OperationRate struct {
	Name       string // in replies
	Operations []string
	limit.Rate
}

// limits holds the limits of a server for each caller and for all.
type limits struct {
	slots  chan struct{} // one element per call with a token
	public chan struct{} // per call to an operation without a token, so that anonymous calls take no other slots
	long   chan struct{} // per long call

	// decoders limits the charge of bodies in decoding. Decoding needs several times the charge for a short
	// time and is bound by the processor. Without the limit, 256 of the worst bodies take up to 216 MiB.
	decoders *semaphore.Weighted

	budget                        *limit.Budget // bytes
	polls                         *limit.Budget // long polls
	person, service, authFailures *limit.Limiter
	operations                    map[string][]*limit.Limiter

	isService func(caller any) bool // see Options.Service; may be nil
	open      []string              // paths whose calls take no slot

	alone   sync.Map               // subjects with a running long call
	waiting atomic.Int64           // calls delayed by a rate
	failing atomic.Int64           // delayed 401 replies
	refused *prometheus.CounterVec // by limit
}

func newLimits(o Options) *limits {
	l := &limits{
		slots: make(chan struct{}, o.MaxInFlight), public: make(chan struct{}, o.MaxInFlight), long: make(chan struct{}, longCalls),
		decoders:     semaphore.NewWeighted(decodedBytes),
		budget:       limit.NewBudget(allBytes, subjectBytes),
		polls:        limit.NewBudget(int64(o.MaxLongPolls), subjectPolls),
		person:       limit.NewLimiter("person", o.Rates.Person, o.Now),
		service:      limit.NewLimiter("service", o.Rates.Service, o.Now),
		authFailures: limit.NewLimiter("auth-failures", o.Rates.AuthFailures, o.Now),
		operations:   map[string][]*limit.Limiter{},
		isService:    o.Service, open: o.Open,
	}
	for _, r := range o.Rates.Operations {
		limiter := limit.NewLimiter(r.Name, r.Rate, o.Now)
		for _, id := range r.Operations {
			l.operations[id] = append(l.operations[id], limiter)
		}
	}
	return l
}

// measure registers the metrics of the limits.
func (l *limits) measure(r *metrics.Registry) {
	l.refused = r.Counter("http_limited_total", "Calls refused by a limit. slots: calls at a time. "+
		"bytes: of all bodies. subject_bytes: of those of one subject. body_time: a body came too slowly. rate: of a person or service. "+
		"operation_rate: of some operations. waiting: too many calls wait already. long: exports, imports and verifications.", "limit")
	for _, limit := range []string{"slots", "bytes", "subject_bytes", "body_time", "rate", "operation_rate", "waiting", "long"} {
		l.refused.WithLabelValues(limit) // rate() needs an initial sample
	}
	r.Func("http_slots_taken", "Calls that hold a slot.", func() float64 { return float64(len(l.slots) + len(l.public)) })
	r.Func("http_body_bytes_in_flight", "Bytes charged for the bodies of calls in flight.", func() float64 { return float64(l.budget.InUse()) })
	r.Func("http_calls_waiting", "Calls delayed by a rate limit.", func() float64 { return float64(l.waiting.Load()) })
	r.Func("http_long_polls", "Long polls.", func() float64 { return float64(l.polls.InUse()) })
	r.Func("http_long_calls", "Running exports, imports and verifications.", func() float64 { return float64(len(l.long)) })
}

// refuse counts a refusal by a limit.
func (l *limits) refuse(name string, why error) error {
	l.refused.WithLabelValues(name).Inc()
	return why
}

// limitCalls delays or refuses a call above the rate of its subject. It runs before the body is
// read and without a slot.
func (l *limits) limitCalls(ctx context.Context, c *call) error {
	limiter := l.person
	if l.isService != nil && l.isService(c.by) {
		limiter = l.service
	}
	return l.take(ctx, limiter, "rate", c.subject)
}

// LimitAs delays or refuses a call above the rates of an operation: its own, or that which a page is equivalent to.
func LimitAs(ctx context.Context, operation string) error {
	c := callOf(ctx)
	for _, own := range c.server.operations[operation] {
		if err := c.server.take(ctx, own, "operation_rate", c.subject); err != nil {
			return err
		}
	}
	return nil
}

// take counts a call of a subject and delays it as the limiter requires.
func (l *limits) take(ctx context.Context, by *limit.Limiter, name, subject string) error {
	wait, err := by.Take(subject, longestWait)
	if err != nil {
		return l.refuse(name, overRate(err))
	}
	if wait > 0 && !pause(ctx, &l.waiting, wait) {
		return l.refuse("waiting", &refusal.Error{Reason: TooMany, Message: "too many calls wait already", RetryAfter: longestWait})
	}
	return nil
}

// pause delays a call. It returns false if too many calls are delayed.
func pause(ctx context.Context, waiting *atomic.Int64, d time.Duration) bool {
	defer waiting.Add(-1)
	if waiting.Add(1) > mostWaiting {
		return false
	}
	waited, end := context.WithTimeout(ctx, d)
	defer end()
	<-waited.Done()
	return true
}

// OverRate returns the refusal of a call by an operation's own limit.Limiter with the error err.
func (l *limits) OverRate(err error) error { return l.refuse("operation_rate", overRate(err)) }

func overRate(err error) error {
	refused := &refusal.Error{Reason: TooMany, Message: err.Error()}
	if exceeded, ok := errors.AsType[*limit.Exceeded](err); ok {
		refused.RetryAfter = exceeded.After
	}
	return fmt.Errorf("%w: %w", refused, err)
}

// slowFailure delays the 401 reply of an address with many of them. It bounds the guessing of
// tokens and does not affect valid calls from the address.
func (l *limits) slowFailure(ctx context.Context, remote string) {
	wait, err := l.authFailures.Take(AddressOf(remote), longestWait)
	if err != nil {
		wait = longestWait
	}
	if wait > 0 {
		pause(ctx, &l.failing, wait)
	}
}

// AddressOf returns the address of a peer, for IPv6 its /64 network.
func AddressOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	address, err := netip.ParseAddr(host)
	if err != nil || address.Unmap().Is4() {
		return host
	}
	network, _ := address.WithZone("").Prefix(64) // valid for every IPv6 address
	return network.String()
}

// charge adds n bytes to the charge of a call, until its end.
func (l *limits) charge(c *call, n int64) error {
	switch err := l.budget.Take(c.subject, n); {
	case errors.Is(err, limit.ErrEach):
		return l.refuse("subject_bytes", &refusal.Error{
			Reason: TooMany, Message: "the bodies of the caller's calls in flight are too large together", RetryAfter: time.Second,
		})
	case err != nil:
		return l.refuse("bytes", &refusal.Error{Reason: Busy, Message: "the bodies of all calls in flight are too large together"})
	}
	c.charged += n
	return nil
}

// occupy takes a slot for a call, until its end. Open paths need none.
func (l *limits) occupy(c *call) error {
	if slices.Contains(l.open, c.operation.Path) {
		return nil
	}
	slots := l.public
	if c.operation.Access.Token {
		slots = l.slots
	}
	select {
	case slots <- struct{}{}:
		c.slot = slots
		return nil
	default:
		return l.refuse("slots", &refusal.Error{Reason: Busy, Message: "too many requests in flight"})
	}
}

// startDecoding waits for capacity to decode the body of a call.
func (l *limits) startDecoding(ctx context.Context, c *call) error {
	n := min(c.charged, decodedBytes)
	err := l.decoders.Acquire(ctx, n)
	if err == nil {
		c.decoding = n
	}
	return err
}

// releaseDecoding releases the decoding capacity of a call.
func (c *call) releaseDecoding() {
	c.server.decoders.Release(c.decoding)
	c.decoding = 0
}

// release returns the resources of a call. enter calls it at every end of a call.
func (l *limits) release(c *call) {
	c.releaseDecoding()
	if c.slot != nil {
		<-c.slot
	}
	if c.end != nil {
		c.end()
	}
	if c.charged > 0 {
		l.budget.Release(c.subject, c.charged)
	}
	if c.alone {
		l.alone.Delete(c.subject)
	}
}

// BeginLong converts the call of ctx, an operation of Options.Long, into a long call; see Long and
// Stream. A subject has one long call, and all subjects have four. A long call releases its slot.
func BeginLong(ctx context.Context) error {
	c := callOf(ctx)
	s := c.server
	if !slices.Contains(s.options.Long, c.operation.ID) {
		panic("web: " + c.operation.ID + " is not one of Options.Long")
	}
	if _, busy := s.alone.LoadOrStore(c.subject, true); busy {
		return s.refuse(
			"long",
			&refusal.Error{Reason: TooMany, Message: "an export, import or verification of this caller is running", RetryAfter: 10 * time.Second},
		)
	}
	c.alone = true
	select {
	case s.long <- struct{}{}:
	default:
		return s.refuse("long", &refusal.Error{Reason: Busy, Message: "other exports, imports and verifications are running", RetryAfter: 10 * time.Second})
	}
	if c.slot != nil {
		<-c.slot
	}
	c.slot = s.long
	return nil
}
