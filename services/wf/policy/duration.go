package policy

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"time"

	"github.com/sosodev/duration"
)

// Duration is an ISO 8601 duration such as PT48H or P30D. A day is 24 hours.
// Years and months are refused: their length depends on the date.
type Duration string

const maxDuration = 3660 * 24 * time.Hour // ten years

// isoDuration is the form of a duration: each unit once and in order. The parser does
// not check that.
var isoDuration = regexp.MustCompile(`^P([\d.]+Y)?([\d.]+M)?([\d.]+W)?([\d.]+D)?(T([\d.]+H)?([\d.]+M)?([\d.]+S)?)?$`)

// Parse returns the length of d, which is positive and at most ten years.
func (d Duration) Parse() (time.Duration, error) {
	parsed, err := duration.Parse(string(d))
	if err != nil || !isoDuration.MatchString(string(d)) {
		return 0, errors.New("is not an ISO 8601 duration such as PT48H")
	}
	if parsed.Years != 0 || parsed.Months != 0 {
		return 0, errors.New("may not use years or months")
	}
	// Compared as floats first: the conversion overflows without an error.
	if hours := parsed.Weeks*168 + parsed.Days*24 + parsed.Hours + parsed.Minutes/60 + parsed.Seconds/3600; !(hours <= maxDuration.Hours()) {
		return 0, errors.New("is longer than ten years")
	}
	if length := parsed.ToTimeDuration(); length > 0 {
		return length, nil
	}
	return 0, errors.New("must be longer than zero")
}

// Lifetime is an optional Duration that tells "not given" from "never": the JSON
// null means never.
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

// UnmarshalJSON reads null as Never. The value that stands for Never is refused as a
// string, so nobody says "never" by accident.
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
		s = "?" // refused by Parse, like any other word
	}
	*l = Lifetime(s)
	return nil
}

// Since returns when a life that began at start ends; nil means never. An unset
// Lifetime lasts fallback.
func (l Lifetime) Since(start time.Time, fallback Duration) (*time.Time, error) {
	if l == Never {
		return nil, nil
	}
	length, err := cmp.Or(Duration(l), fallback).Parse()
	if err != nil {
		return nil, err
	}
	return new(start.Add(length)), nil
}
