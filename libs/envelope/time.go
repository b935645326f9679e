package envelope

import (
	"fmt"
	"time"
)

// layout is RFC 3339 with exactly three decimals, always in UTC.
const layout = "2006-01-02T15:04:05.000Z"

// Time is a point in time as it is written on the wire: RFC 3339, UTC,
// milliseconds, for example 2026-11-21T07:30:00.120Z. Finer parts are cut off,
// not rounded, so a written time is never in the future.
//
// Time is a text type: encoding/json writes it as a string, and schema
// generators describe it as one.
type Time time.Time

// String returns the wire form.
func (t Time) String() string {
	return time.Time(t).UTC().Format(layout)
}

// MarshalText returns the wire form. Years that RFC 3339 cannot write are an
// error.
func (t Time) MarshalText() ([]byte, error) {
	if y := time.Time(t).UTC().Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("time: year %d is outside 0 to 9999", y)
	}
	return []byte(t.String()), nil
}

// UnmarshalText reads any RFC 3339 time and keeps it in UTC, to the
// millisecond.
func (t *Time) UnmarshalText(text []byte) error {
	at, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return fmt.Errorf("time: %q is not RFC 3339", text)
	}
	*t = Time(at.UTC().Truncate(time.Millisecond))
	return nil
}
