// Package limit bounds each caller's use of shared resources: the call rate by a Limiter, memory by
// a Budget.
package limit

import "time"

// Rate is a sustained call rate and a burst. The zero value is unlimited.
type Rate struct {
	Calls int
	Per   time.Duration
	Burst int
}

// perSecond returns the sustained rate in calls per second.
func (r Rate) perSecond() float64 { return float64(r.Calls) / r.Per.Seconds() }

// Window returns the time to refill a burst.
func (r Rate) Window() time.Duration {
	return time.Duration(float64(r.Burst) / r.perSecond() * float64(time.Second))
}
