// Package calendar computes with working time: the working hours of the working days of one time zone.
//
// A local time that a clock change skips is the first instant after the change. A repeated local time is the
// first of the two instants. The database of time zones is compiled in.
package calendar

import (
	"fmt"
	"regexp"
	"slices"
	"time"
	_ "time/tzdata" // the zones of calendars do not depend on the machine
)

// Weekday is a day of the week.
type Weekday string

// weekdays are in the order of time.Weekday.
var weekdays = []Weekday{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// Values returns every value, from Monday.
func (Weekday) Values() []Weekday { return append(slices.Clone(weekdays[1:]), weekdays[0]) }

// WorkingTime is a calendar in a policy.
type WorkingTime struct {
	Zone     string    `json:"zone" doc:"IANA name of the time zone, such as Africa/Nairobi."`
	Days     []Weekday `json:"days" minItems:"1" maxItems:"7" doc:"Working days."`
	From     string    `json:"from" doc:"Start of the working hours, HH:MM."`
	To       string    `json:"to" doc:"End of the working hours, HH:MM; 24:00 for the end of the day."`
	Holidays []string  `json:"holidays,omitempty" maxItems:"400" doc:"Local dates without working hours, YYYY-MM-DD."`
}

// Fault is an invalid member of a WorkingTime.
type Fault struct {
	Pointer string // JSON pointer (RFC 6901), relative to the definition
	Message string
}

// Calendar is a valid WorkingTime. Its methods are safe for concurrent use.
type Calendar struct {
	zone     *time.Location
	days     [7]bool // by time.Weekday
	from, to time.Duration
	holidays map[day]bool
}

var timeOfDay = regexp.MustCompile(`^(([01]\d|2[0-3]):[0-5]\d|24:00)$`)

// Parse returns the calendar, or the faults of the definition.
func (d WorkingTime) Parse() (Calendar, []Fault) {
	c := Calendar{holidays: map[day]bool{}}
	var faults []Fault
	refuse := func(pointer, format string, args ...any) {
		faults = append(faults, Fault{pointer, fmt.Sprintf(format, args...)})
	}
	var err error
	if c.zone, err = time.LoadLocation(d.Zone); err != nil || d.Zone == "" || d.Zone == "Local" {
		refuse("/zone", "must be the name of an IANA time zone, such as Africa/Nairobi")
	}
	if len(d.Days) == 0 {
		refuse("/days", "must name at least one day")
	}
	for i, name := range d.Days {
		weekday := slices.Index(weekdays, name)
		switch {
		case weekday < 0:
			refuse(fmt.Sprintf("/days/%d", i), "must be one of mon, tue, wed, thu, fri, sat, sun")
		case c.days[weekday]:
			refuse(fmt.Sprintf("/days/%d", i), "repeats %s", name)
		default:
			c.days[weekday] = true
		}
	}
	hours := true
	for _, at := range []struct {
		pointer, text string
		into          *time.Duration
	}{{"/from", d.From, &c.from}, {"/to", d.To, &c.to}} {
		if !timeOfDay.MatchString(at.text) || at.pointer == "/from" && at.text == "24:00" {
			refuse(at.pointer, "must be a time such as 08:00")
			hours = false
			continue
		}
		*at.into, _ = time.ParseDuration(at.text[:2] + "h" + at.text[3:] + "m")
	}
	if hours && c.from >= c.to {
		refuse("/to", "must be later than from")
	}
	for i, text := range d.Holidays {
		date, err := time.Parse(time.DateOnly, text)
		switch holiday := dayOf(date); {
		case err != nil:
			refuse(fmt.Sprintf("/holidays/%d", i), "must be a date such as 2027-01-01")
		case c.holidays[holiday]:
			refuse(fmt.Sprintf("/holidays/%d", i), "repeats %s", text)
		default:
			c.holidays[holiday] = true
		}
	}
	return c, faults
}

// Span is a length of working time: whole working days, followed by working hours. A working day has no fixed
// number of hours.
type Span struct {
	Days  int
	Hours time.Duration
}

// reach bounds the search for working time, in days. Results are clamped to it.
const reach = 100 * 366

// Add returns the instant a span after t. A t outside the working hours first moves to the next opening. Days
// keep the time of day. Hours end at the earliest possible instant: at a closing rather than at the next
// opening.
func (c Calendar) Add(t time.Time, s Span) time.Time {
	d := dayOf(t.In(c.zone))
	last := d + reach
	opens, closes, working := c.hours(d)
	for ; (!working || !t.Before(closes)) && d < last; opens, closes, working = c.hours(d) {
		d++
	}
	t = maxTime(t, opens)
	if s.Days > 0 {
		clock := c.clock(t, d)
		for n := s.Days; n > 0 && d < last; {
			if d++; c.isWorkingDay(d) {
				n--
			}
		}
		t = c.instantAt(d, clock)
	}
	d-- // t may be before the midnight of d
	for rest := s.Hours; rest > 0 && d < last; d++ {
		opens, closes, working := c.hours(d)
		if !working || !t.Before(closes) {
			continue
		}
		t = maxTime(t, opens)
		step := min(rest, closes.Sub(t))
		t, rest = t.Add(step), rest-step
	}
	return t
}

// Subtract is the mirror of Add. A t outside the working hours first moves to the previous closing; an opening
// is inside. Hours begin at the latest possible instant: at an opening rather than at the previous closing.
func (c Calendar) Subtract(t time.Time, s Span) time.Time {
	d := dayOf(t.In(c.zone)) + 1 // its hours begin before t if a clock change repeats midnight
	last := d - reach
	opens, closes, working := c.hours(d)
	for ; (!working || t.Before(opens)) && d > last; opens, closes, working = c.hours(d) {
		d--
	}
	t = minTime(t, closes)
	if s.Days > 0 {
		clock := c.clock(t, d)
		for n := s.Days; n > 0 && d > last; {
			if d--; c.isWorkingDay(d) {
				n--
			}
		}
		t = c.instantAt(d, clock)
	}
	d++ // t may be after the midnight that ends d
	for rest := s.Hours; rest > 0 && d > last; d-- {
		opens, closes, working := c.hours(d)
		if !working || !t.After(opens) {
			continue
		}
		t = minTime(t, closes)
		step := min(rest, t.Sub(opens))
		t, rest = t.Add(-step), rest-step
	}
	return t
}

// hours returns the working hours of a day. A day without any is not a working day.
func (c Calendar) hours(d day) (opens, closes time.Time, working bool) {
	if !c.days[d.weekday()] || c.holidays[d] {
		return opens, closes, false
	}
	opens, closes = c.instantAt(d, c.from), c.instantAt(d, c.to)
	return opens, closes, opens.Before(closes)
}

func (c Calendar) isWorkingDay(d day) bool {
	_, _, working := c.hours(d)
	return working
}

// clock returns the local time of t since the midnight of a day. It is outside 0 to 24 hours if a clock
// change or a closing at 24:00 moves t to another date.
func (c Calendar) clock(t time.Time, d day) time.Duration {
	return localTime(t.In(c.zone)).Sub(d.midnight())
}

// instantAt returns the first instant at which the local time is a time of day, or later after a clock change.
func (c Calendar) instantAt(d day, clock time.Duration) time.Time {
	want := d.midnight().Add(clock)
	for t := want.Add(-48 * time.Hour).In(c.zone); ; {
		_, offset := t.Zone()
		begins, ends := t.ZoneBounds()
		t = want.Add(-time.Duration(offset) * time.Second).In(c.zone)
		if ends.IsZero() || t.Before(ends) {
			return maxTime(t, begins)
		}
		t = ends
	}
}

// day is a local date: the number of days since 1970-01-01.
type day int64

const hoursOfDay = 24 * time.Hour

// dayOf returns the local date of a time in its own zone.
func dayOf(t time.Time) day { return day(localTime(t).Unix() / int64(hoursOfDay/time.Second)) }

// localTime returns the local time of t as if its zone were UTC.
func localTime(t time.Time) time.Time {
	_, offset := t.Zone()
	return t.UTC().Add(time.Duration(offset) * time.Second)
}

// midnight returns the start of the day as if its zone were UTC.
func (d day) midnight() time.Time { return time.Unix(int64(d)*int64(hoursOfDay/time.Second), 0).UTC() }

func (d day) weekday() time.Weekday { return d.midnight().Weekday() }

func maxTime(t, u time.Time) time.Time {
	if t.Before(u) {
		return u
	}
	return t
}

func minTime(t, u time.Time) time.Time {
	if u.Before(t) {
		return u
	}
	return t
}
