// Package work has the rules of leased work, such as deliveries and calls to an identity provider: the
// lease and the schedule of retries. Package workdb stores leases in the tables of the work.
package work

import (
	"crypto/rand"
	"time"
)

// Schedule is the delay after the first, second … failed attempt. The number of attempts is one more
// than its entries.
var Schedule = [...]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour}

// MaxAttempts is the number of attempts.
const MaxAttempts = len(Schedule) + 1

// Delay returns the delay after a number of attempts, from 1: an entry of Schedule, or the last one
// afterwards. jitter, in [0, 1), adds up to a tenth.
func Delay(attempts int, jitter float64) time.Duration {
	wait := Schedule[min(max(attempts, 1), len(Schedule))-1]
	return wait + time.Duration(jitter*float64(wait)/10)
}

// A lease without a result expires after LeaseTime, the time of four exchanges. The lease of a dead
// owner does not count for limits and expires after AbandonedAfter: an exchange starts within 5 s and
// takes at most 15 s.
const (
	LeaseTime      = 60 * time.Second
	AbandonedAfter = 20 * time.Second
)

// Lease is the claim of a worker to an item of work. The zero value is no lease.
type Lease struct {
	Token string    // random, so that the result of an earlier holder is rejected
	Owner string    // process of the worker; see package heartbeat
	Since time.Time // start of the lease
}

// NewLease returns a lease.
func NewLease(owner string, at time.Time) Lease { return Lease{rand.Text(), owner, at} }

// IsHeld reports whether there is a lease.
func (l Lease) IsHeld() bool { return l.Token != "" }
