package envelope

import (
	"encoding/json"
	"fmt"
	"time"
)

// layout of a Time: RFC 3339 with exactly three decimals, always in UTC.
const layout = "2006-01-02T15:04:05.000Z"

// Time is a point in time as it is written on the wire: RFC 3339, UTC, milliseconds, for example
// 2026-11-21T07:30:00.120Z. Finer parts are cut off, not rounded, so a written time is never in the
// future, and equal times have equal bytes.
type Time struct{ time.Time }

// OptionalTime returns nil for the zero time.
func OptionalTime(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	return &Time{t}
}

// String returns the wire form.
func (t Time) String() string { return t.UTC().Format(layout) }

// MarshalJSON returns the wire form as a string.
func (t Time) MarshalJSON() ([]byte, error) { return []byte(`"` + t.String() + `"`), nil }

// UnmarshalJSON reads any RFC 3339 time and keeps it in UTC, to the millisecond.
func (t *Time) UnmarshalJSON(data []byte) error {
	var text *string
	if err := json.Unmarshal(data, &text); err != nil || text == nil { // null has no effect, as in encoding/json
		return err
	}
	at, err := time.Parse(time.RFC3339, *text)
	if err != nil {
		return fmt.Errorf("time: %q is not RFC 3339", *text)
	}
	t.Time = at.UTC().Truncate(time.Millisecond)
	return nil
}
