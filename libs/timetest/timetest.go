// Package timetest is time for tests: a clock that they set, and the waiting for what
// takes time.
package timetest

import (
	"sync"
	"testing"
	"time"
)

// Clock stands still until it is moved.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// At returns a clock that shows a time.
func At(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set makes the clock show another time.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

const (
	limit = 5 * time.Minute // much too long for what a test waits for, on a slow machine too
	pause = 5 * time.Millisecond
)

// Eventually waits until ok, and ends the test when that takes much too long.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	late, tick := time.NewTimer(limit), time.NewTicker(pause)
	defer late.Stop()
	defer tick.Stop()
	for !ok() {
		select {
		case <-late.C:
			t.Fatalf("waited in vain: %s", what)
		case <-tick.C:
		}
	}
}

// Await receives from c, and ends the test when that takes much too long.
func Await[T any](t testing.TB, c <-chan T, what string) T {
	t.Helper()
	late := time.NewTimer(limit)
	defer late.Stop()
	var v T
	select {
	case v = <-c:
	case <-late.C:
		t.Fatalf("waited in vain: %s", what)
	}
	return v
}
