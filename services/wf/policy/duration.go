package policy

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"time"

	"github.com/sosodev/duration"
)

// Duration is an ISO 8601 duration such as PT48H or P30D. A day is 24 hours. Years and months are rejected,
// because their length depends on the date.
type Duration string

const (
	maxDuration     = 3660 * 24 * time.Hour // ten years
	maxDurationText = 64                    // bytes
)

// isoDuration matches each unit at most once and in order. The parser does not check this.
var isoDuration = regexp.MustCompile(`^P([\d.]+Y)?([\d.]+M)?([\d.]+W)?([\d.]+D)?(T([\d.]+H)?([\d.]+M)?([\d.]+S)?)?$`)

// DurationPart is the number of one unit of a duration.
type DurationPart struct {
	Unit string // week, day, hour, minute or second
	N    float64
}

// Parts returns the units of a duration, the largest first; nil for an invalid one.
func (d Duration) Parts() (parts []DurationPart) {
	parsed, err := duration.Parse(string(d))
	if err != nil {
		return nil
	}
	for _, part := range []DurationPart{
		{"week", parsed.Weeks}, {"day", parsed.Days}, {"hour", parsed.Hours}, {"minute", parsed.Minutes}, {"second", parsed.Seconds},
	} {
		if part.N != 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

// Parse returns the length of d: positive and at most ten years.
func (d Duration) Parse() (time.Duration, error) {
	parsed, err := duration.Parse(string(d))
	if err != nil || len(d) > maxDurationText || !isoDuration.MatchString(string(d)) {
		return 0, errors.New("must be an ISO 8601 duration such as PT48H")
	}
	if parsed.Years != 0 || parsed.Months != 0 {
		return 0, errors.New("must not use years or months")
	}
	// Compared as floats first: the conversion overflows without an error.
	if hours := parsed.Weeks*168 + parsed.Days*24 + parsed.Hours + parsed.Minutes/60 + parsed.Seconds/3600; !(hours <= maxDuration.Hours()) {
		return 0, errors.New("must be at most ten years")
	}
	if length := parsed.ToTimeDuration(); length > 0 {
		return length, nil
	}
	return 0, errors.New("must be greater than zero")
}

// Lifetime is an optional Duration that distinguishes an absent value from the JSON null, which means never.
type Lifetime string

// Never is a Lifetime without an end.
const Never Lifetime = "never"

// MarshalJSON writes Never as null.
func (l Lifetime) MarshalJSON() ([]byte, error) {
	if l == Never {
		return []byte("null"), nil
	}
	return json.Marshal(string(l))
}

// UnmarshalJSON reads null as Never. It rejects the internal value of Never as a string.
func (l *Lifetime) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*l = Never
		return nil
	}
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if s == string(Never) || s == "" {
		s = "?" // rejected by Parse
	}
	*l = Lifetime(s)
	return nil
}

// End returns the end of a lifetime that begins at start; nil for never. An absent Lifetime lasts fallback.
func (l Lifetime) End(start time.Time, fallback Duration) (*time.Time, error) {
	if l == Never {
		return nil, nil
	}
	length, err := cmp.Or(Duration(l), fallback).Parse()
	if err != nil {
		return nil, err
	}
	return new(start.Add(length)), nil
}
