package identity

import "time"

// Stamp is the wire form of a point in time in events, decisions and webhooks: RFC 3339 in UTC with
// milliseconds.
type Stamp struct{ time.Time }

// StampLayout is the layout of every timestamp of the service.
const StampLayout = "2006-01-02T15:04:05.000Z"

// String returns the wire form, with exactly three digits of a second, so that equal times are equal bytes.
func (s Stamp) String() string { return s.UTC().Format(StampLayout) }

// MarshalJSON writes the wire form.
func (s Stamp) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

// StampOf returns nil for the zero time.
func StampOf(t time.Time) *Stamp {
	if t.IsZero() {
		return nil
	}
	return &Stamp{t}
}
