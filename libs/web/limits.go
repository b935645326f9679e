package web

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"

	"github.com/countersign/countersign/libs/limit"
)

const (
	allBytes     = 64 << 20 // what all calls together may be charged for their bodies
	subjectBytes = 16 << 20 // and those of one subject
	decodedBytes = 8 << 20  // of those that are being decoded

	// A call whose body is whole is charged these too: a text is in memory up to five times,
	// as it came, decoded, in its canonical form, on the way to the database and as what is
	// not collected yet, and a value takes what it is decoded into.
	copies    = 4   // of the body, besides the one that was read
	valueCost = 100 // bytes, of each JSON value

	longestWait = time.Second // of a call over its rate, before it is refused
	mostWaiting = 1000        // calls that wait for that at a time
	longCalls   = 4           // calls that may take long at a time: each has a connection to the database
)

// Rates are how often callers may call. Zero values are no limits.
type Rates struct {
	Person, Service limit.Rate // of the calls of one subject, by what Options.Service says of it

	// AuthFailures is the rate at which calls of one address are answered that their token
	// is refused. More wait for their answer. Nobody's valid token is refused for it.
	AuthFailures limit.Rate

	// Operations have rates of their own, besides the others.
	Operations []OperationRate
}

// OperationRate bounds the calls of one subject to some operations, all counted together.
type OperationRate struct {
	Name       string // for callers to see
	Operations []string
	limit.Rate
}

// limits are what one caller, and all of them, may take of a server.
type limits struct {
	slots  chan struct{} // one element per call with a token
	public chan struct{} // per call to an operation without: strangers cannot take the slots of callers
	long   chan struct{} // per call that may take long

	// decoders is what calls whose body is being decoded are charged. Decoding takes several
	// times what the call is charged, most of it for a moment, and nothing but a processor:
	// more of it at a time would be no faster.
	decoders *semaphore.Weighted

	budget                        *limit.Budget // bytes
	person, service, authFailures *limit.Limiter
	operations                    map[string][]*limit.Limiter

	alone   sync.Map               // subjects of which a call runs that may take long
	waiting atomic.Int64           // calls over their rate
	failing atomic.Int64           // calls whose token was refused; they take no place of the others
	refused *prometheus.CounterVec // by limit
}

func newLimits(o Options) *limits {
	l := &limits{
		slots: make(chan struct{}, o.MaxInFlight), public: make(chan struct{}, o.MaxInFlight), long: make(chan struct{}, longCalls),
		decoders:     semaphore.NewWeighted(decodedBytes),
		budget:       limit.NewBudget(allBytes, subjectBytes),
		person:       limit.NewLimiter("person", o.Rates.Person, o.Now),
		service:      limit.NewLimiter("service", o.Rates.Service, o.Now),
		authFailures: limit.NewLimiter("auth-failures", o.Rates.AuthFailures, o.Now),
		operations:   map[string][]*limit.Limiter{},
	}
	for _, r := range o.Rates.Operations {
		limiter := limit.NewLimiter(r.Name, r.Rate, o.Now)
		for _, id := range r.Operations {
			l.operations[id] = append(l.operations[id], limiter)
		}
	}
	return l
}

// measure tells the registry of the limits.
func (s *Server) measure() {
	r := s.options.Metrics
	s.refused = r.Counter("http_limited_total", "Calls refused by a limit. slots: calls at a time. "+
		"bytes: of all bodies. subject_bytes: of those of one subject. body_time: a body came too slowly. rate: of a person or service. "+
		"operation_rate: of some operations. waiting: too many calls wait already. long: exports, imports and verifications.", "limit")
	for _, limit := range []string{"slots", "bytes", "subject_bytes", "body_time", "rate", "operation_rate", "waiting", "long"} {
		s.refused.WithLabelValues(limit) // a rate needs a beginning
	}
	r.Func("http_slots_taken", "Calls that hold a slot.", func() float64 { return float64(len(s.slots) + len(s.public)) })
	r.Func("http_body_bytes_in_flight", "Bytes that calls are charged for their bodies.", func() float64 { return float64(s.budget.Taken()) })
	r.Func("http_calls_waiting", "Calls that wait because of a rate.", func() float64 { return float64(s.waiting.Load()) })
	r.Func("http_long_calls", "Exports, imports and verifications that run.", func() float64 { return float64(len(s.long)) })
}

// refuse counts a refusal by a limit.
func (l *limits) refuse(name string, why *Refusal) error {
	l.refused.WithLabelValues(name).Inc()
	return why
}

// limitCalls makes a call wait, or refuses it, if its subject calls too often. It runs
// before the body is read and before there is a slot.
func (s *Server) limitCalls(ctx context.Context, c *call) error {
	limiter := s.person
	if s.options.Service != nil && s.options.Service(c.by) {
		limiter = s.service
	}
	return s.take(ctx, limiter, "rate", c.subject)
}

// limitOperation is limitCalls for the rates that the operation has besides.
func (s *Server) limitOperation(ctx context.Context, c *call) error {
	return s.takeOperation(ctx, c.operation.ID, c.subject)
}

// LimitAs takes a call from the rates of an operation, for a page that does the same as the operation.
func LimitAs(ctx context.Context, operation string) error {
	called := callOf(ctx)
	return called.server.takeOperation(ctx, operation, called.subject)
}

func (s *Server) takeOperation(ctx context.Context, operation, subject string) error {
	for _, own := range s.limits.operations[operation] {
		if err := s.take(ctx, own, "operation_rate", subject); err != nil {
			return err
		}
	}
	return nil
}

// take takes one call of a subject from a limiter, and waits if it says so.
func (s *Server) take(ctx context.Context, l *limit.Limiter, name, subject string) error {
	wait, err := l.Take(subject, longestWait)
	if err != nil {
		return s.refuse(name, overRate(err))
	}
	if wait > 0 && !pause(ctx, &s.waiting, wait) {
		return s.refuse("waiting", &Refusal{Reason: TooMany, Message: "too many calls wait already", RetryAfter: longestWait})
	}
	return nil
}

// pause waits, and reports whether there was room to among those who do.
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

// OverRate is the refusal of a call to an operation that has a limit.Limiter of its own,
// which has refused it with err.
func (s *Server) OverRate(err error) error { return s.refuse("operation_rate", overRate(err)) }

func overRate(err error) *Refusal {
	refusal := &Refusal{Reason: TooMany, Message: err.Error()}
	if exceeded, ok := errors.AsType[*limit.Exceeded](err); ok {
		refusal.RetryAfter, refusal.Rate = exceeded.After, exceeded
	}
	return refusal
}

// slowFailure makes a call wait whose token was refused, if its address has had many.
// There the caller can guess no faster, and others on that address are not bothered.
func (s *Server) slowFailure(ctx context.Context, remote string) {
	wait, err := s.authFailures.Take(addressOf(remote), longestWait)
	if err != nil {
		wait = longestWait
	}
	if wait > 0 {
		pause(ctx, &s.failing, wait)
	}
}

// addressOf is the address of a peer; of IPv6 the network that one customer has.
func addressOf(remote string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		return remote
	}
	address, err := netip.ParseAddr(host)
	if err != nil || address.Unmap().Is4() {
		return host
	}
	network, _ := address.WithZone("").Prefix(64) // an IPv6 address has 64 bits
	return network.String()
}

// charge takes n bytes for a call, until it ends.
func (s *Server) charge(c *call, n int64) error {
	switch err := s.budget.Take(c.subject, n); {
	case errors.Is(err, limit.ErrEach):
		return s.refuse("subject_bytes", &Refusal{
			Reason: TooMany, Message: "the bodies of the caller's calls in flight are too large together", RetryAfter: time.Second,
		})
	case err != nil:
		return s.refuse("bytes", &Refusal{Reason: Busy, Message: "the bodies of all calls in flight are too large together"})
	}
	c.charged += n
	return nil
}

// occupy takes a slot for a call, until it ends. Paths that always answer need none.
func (s *Server) occupy(c *call) error {
	if slices.Contains(s.options.Open, c.operation.Path) {
		return nil
	}
	slots := s.public
	if c.operation.Access.Token {
		slots = s.slots
	}
	select {
	case slots <- struct{}{}:
		c.slot = slots
		return nil
	default:
		return s.refuse("slots", &Refusal{Reason: Busy, Message: "too many requests in flight"})
	}
}

// startDecoding waits until the body of a call may be decoded.
func (s *Server) startDecoding(ctx context.Context, c *call) error {
	n := min(c.charged, decodedBytes)
	err := s.decoders.Acquire(ctx, n)
	if err == nil {
		c.decoding = n
	}
	return err
}

// decoded says that the body of a call is decoded, or that there is none.
func (c *call) decoded() {
	c.server.decoders.Release(c.decoding)
	c.decoding = 0
}

// release gives back what a call holds. enter calls it, however the call ends.
func (s *Server) release(c *call) {
	c.decoded()
	if c.slot != nil {
		<-c.slot
	}
	if c.charged > 0 {
		s.budget.Give(c.subject, c.charged)
	}
	if c.alone {
		s.alone.Delete(c.subject)
	}
}

// Alone makes the call that ctx belongs to, of one of Options.Long, one that may take
// long: see Long and Stream. A subject has one of them at a time, and there are four in
// all. It gives back its slot, which it would hold for longer than others wait.
func Alone(ctx context.Context) error {
	c := callOf(ctx)
	s := c.server
	if !slices.Contains(s.options.Long, c.operation.ID) {
		panic("web: " + c.operation.ID + " is not one of Options.Long")
	}
	if _, busy := s.alone.LoadOrStore(c.subject, true); busy {
		return s.refuse("long", &Refusal{Reason: TooMany, Message: "an export, import or verification of this caller is running", RetryAfter: 10 * time.Second})
	}
	c.alone = true
	select {
	case s.long <- struct{}{}:
	default:
		return s.refuse("long", &Refusal{Reason: Busy, Message: "other exports, imports and verifications are running", RetryAfter: 10 * time.Second})
	}
	if c.slot != nil {
		<-c.slot
	}
	c.slot = s.long
	return nil
}
