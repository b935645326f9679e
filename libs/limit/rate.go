// Package limit bounds what one caller may take of what all share: calls in a time, by a
// Limiter, and memory, by a Budget.
package limit

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Rate is how many calls may come in a time, in the long run, and how many at once. The
// zero value is any number.
type Rate struct {
	Calls int
	Per   time.Duration
	Burst int
}

// units are what a rate may be written for.
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

// MarshalText writes what UnmarshalText reads.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// String is the rate as people write it.
func (r Rate) String() string {
	for _, u := range units {
		if u.Duration == r.Per {
			return fmt.Sprintf("%d/%s:%d", r.Calls, u.name, r.Burst)
		}
	}
	return "0"
}

// perSecond is how many calls a second are allowed in the long run.
func (r Rate) perSecond() float64 { return float64(r.Calls) / r.Per.Seconds() }

// Window is the time in which a burst is allowed again.
func (r Rate) Window() time.Duration {
	return time.Duration(float64(r.Burst) / r.perSecond() * float64(time.Second))
}
