// Package limit bounds each caller's use of shared resources: the call rate by a Limiter, memory by
// a Budget.
package limit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Rate is a sustained call rate and a burst. The zero value is unlimited.
type Rate struct {
	Calls int
	Per   time.Duration
	Burst int
}

// units are the time units of a written rate.
var units = []struct {
	name string
	time.Duration
}{{"s", time.Second}, {"m", time.Minute}, {"h", time.Hour}}

var errRate = errors.New("write CALLS/UNIT:BURST, such as 50/s:100 (units are s, m and h), or 0 for no limit")

// UnmarshalText reads a rate such as 50/s:100. 0 is no limit.
func (r *Rate) UnmarshalText(text []byte) error {
	if string(text) == "0" {
		*r = Rate{}
		return nil
	}
	calls, rest, _ := strings.Cut(string(text), "/")
	unit, burst, _ := strings.Cut(rest, ":")
	var read Rate
	var err, err2 error
	read.Calls, err = strconv.Atoi(calls)
	read.Burst, err2 = strconv.Atoi(burst)
	for _, u := range units {
		if u.name == unit {
			read.Per = u.Duration
		}
	}
	if err != nil || err2 != nil || read.Calls < 1 || read.Burst < 1 || read.Per == 0 {
		return errRate
	}
	*r = read
	return nil
}

// MarshalText returns the format of UnmarshalText.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// String returns the rate in the format of UnmarshalText.
func (r Rate) String() string {
	for _, u := range units {
		if u.Duration == r.Per {
			return fmt.Sprintf("%d/%s:%d", r.Calls, u.name, r.Burst)
		}
	}
	return "0"
}

// perSecond returns the sustained rate in calls per second.
func (r Rate) perSecond() float64 { return float64(r.Calls) / r.Per.Seconds() }

// Window returns the time to refill a burst.
func (r Rate) Window() time.Duration {
	return time.Duration(float64(r.Burst) / r.perSecond() * float64(time.Second))
}
