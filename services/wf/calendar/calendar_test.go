package calendar

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func office(change ...func(*WorkingTime)) WorkingTime {
	d := WorkingTime{
		Zone: "Africa/Nairobi", Days: []Weekday{"mon", "tue", "wed", "thu", "fri"}, From: "08:00", To: "17:00",
	}
	for _, apply := range change {
		apply(&d)
	}
	return d
}

func TestFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*WorkingTime)
		want   string
	}{
		"none":                  {func(*WorkingTime) {}, ""},
		"the end of the day":    {func(d *WorkingTime) { d.To = "24:00" }, ""},
		"an unknown zone":       {func(d *WorkingTime) { d.Zone = "Africa/Atlantis" }, "/zone"},
		"no zone":               {func(d *WorkingTime) { d.Zone = "" }, "/zone"},
		"the machine's zone":    {func(d *WorkingTime) { d.Zone = "Local" }, "/zone"},
		"a file":                {func(d *WorkingTime) { d.Zone = "../etc/passwd" }, "/zone"},
		"no days":               {func(d *WorkingTime) { d.Days = nil }, "/days"},
		"an unknown day":        {func(d *WorkingTime) { d.Days = []Weekday{"mon", "day"} }, "/days/1"},
		"a day twice":           {func(d *WorkingTime) { d.Days = []Weekday{"mon", "tue", "mon"} }, "/days/2"},
		"a time of 25 hours":    {func(d *WorkingTime) { d.To = "25:00" }, "/to"},
		"a time without a zero": {func(d *WorkingTime) { d.From = "8:00" }, "/from"},
		"from 24:00":            {func(d *WorkingTime) { d.From, d.To = "24:00", "24:00" }, "/from"},
		"past 24:00":            {func(d *WorkingTime) { d.To = "24:01" }, "/to"},
		"no hours":              {func(d *WorkingTime) { d.From = "17:00" }, "/to"},
		"an impossible date":    {func(d *WorkingTime) { d.Holidays = []string{"2027-02-29"} }, "/holidays/0"},
		"a date twice":          {func(d *WorkingTime) { d.Holidays = []string{"2027-01-01", "2027-01-01"} }, "/holidays/1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := office(tt.change).Parse()
			got := ""
			for _, f := range faults {
				got += f.Pointer
			}
			if got != tt.want {
				t.Errorf("faults = %v, want %q", faults, tt.want)
			}
		})
	}
}

func TestSpans(t *testing.T) {
	holiday := func(dates ...string) func(*WorkingTime) { return func(d *WorkingTime) { d.Holidays = dates } }
	berlin := func(from, to string) func(*WorkingTime) {
		return func(d *WorkingTime) {
			d.Zone, d.From, d.To = "Europe/Berlin", from, to
			d.Days = Weekday("").Values()
		}
	}
	for name, tt := range map[string]struct {
		calendar WorkingTime
		start    string // local; 2026-11-20 is a Friday
		span     Span
		want     string
	}{
		"a day over the weekend":          {office(), "2026-11-20 16:00", Span{Days: 1}, "2026-11-23 16:00"},
		"a day over a holiday":            {office(holiday("2026-11-23")), "2026-11-20 16:00", Span{Days: 1}, "2026-11-24 16:00"},
		"a day from Saturday":             {office(), "2026-11-21 11:00", Span{Days: 1}, "2026-11-24 08:00"},
		"ten hours from Monday noon":      {office(), "2026-11-23 12:00", Span{Hours: 10 * time.Hour}, "2026-11-24 13:00"},
		"hours up to the closing":         {office(), "2026-11-23 12:00", Span{Hours: 5 * time.Hour}, "2026-11-23 17:00"},
		"a start at the closing":          {office(), "2026-11-20 17:00", Span{Days: 1}, "2026-11-24 08:00"},
		"a start before the opening":      {office(), "2026-11-20 07:00", Span{Hours: time.Minute}, "2026-11-20 08:01"},
		"a day and hours":                 {office(), "2026-11-20 16:00", Span{Days: 1, Hours: 2 * time.Hour}, "2026-11-24 09:00"},
		"a day of 9 hours":                {office(), "2026-11-23 12:00", Span{Hours: 24 * time.Hour}, "2026-11-26 09:00"},
		"a reminder before the weekend":   {office(), "2026-11-23 16:00", Span{Days: -1}, "2026-11-20 16:00"},
		"a reminder of an opening":        {office(), "2026-11-24 08:00", Span{Days: -1}, "2026-11-23 08:00"},
		"a reminder of a Sunday":          {office(), "2026-11-22 10:00", Span{Days: -1}, "2026-11-19 17:00"},
		"hours before an opening":         {office(), "2026-11-24 08:00", Span{Hours: -4 * time.Hour}, "2026-11-23 13:00"},
		"hours from opening to closing":   {office(), "2026-11-23 17:00", Span{Hours: -9 * time.Hour}, "2026-11-23 08:00"},
		"a skipped time of day":           {office(berlin("00:00", "24:00")), "2027-03-27 02:30", Span{Days: 1}, "2027-03-28 03:00"},
		"a repeated time of day":          {office(berlin("00:00", "24:00")), "2027-10-30 02:30", Span{Days: 1}, "2027-10-31 02:30"},
		"a night of 23 hours":             {office(berlin("00:00", "24:00")), "2027-03-27 12:00", Span{Hours: 24 * time.Hour}, "2027-03-28 13:00"},
		"a night of 25 hours":             {office(berlin("00:00", "24:00")), "2027-10-30 12:00", Span{Hours: 24 * time.Hour}, "2027-10-31 11:00"},
		"hours that the change skips":     {office(berlin("02:00", "03:00")), "2027-03-27 02:30", Span{Hours: time.Hour}, "2027-03-29 02:30"},
		"a day that the change skips":     {office(berlin("02:00", "03:00")), "2027-03-27 02:30", Span{Days: 1}, "2027-03-29 02:30"},
		"a closing at the end of the day": {office(berlin("08:00", "24:00")), "2027-05-03 20:00", Span{Hours: 4 * time.Hour}, "2027-05-04 00:00"},
	} {
		t.Run(name, func(t *testing.T) {
			c, faults := tt.calendar.Parse()
			if faults != nil {
				t.Fatal(faults)
			}
			const layout = "2006-01-02 15:04"
			start, err := time.ParseInLocation(layout, tt.start, c.zone)
			if err != nil {
				t.Fatal(err)
			}
			got := c.Add(start, tt.span)
			if back := (Span{-tt.span.Days, -tt.span.Hours}); back.Days > 0 || back.Hours > 0 {
				got = c.Subtract(start, back)
			}
			if got.In(c.zone).Format(layout) != tt.want {
				t.Errorf("%s, want %s", got.In(c.zone).Format(layout), tt.want)
			}
		})
	}
}

// A repeated local time is the first of the two instants.
func TestARepeatedTimeIsTheFirst(t *testing.T) {
	c, _ := WorkingTime{Zone: "Europe/Berlin", Days: Weekday("").Values(), From: "00:00", To: "24:00"}.Parse()
	got := c.Add(time.Date(2027, 10, 30, 0, 30, 0, 0, time.UTC), Span{Days: 1}) // 02:30
	if want := time.Date(2027, 10, 31, 0, 30, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("%s, want %s", got.UTC(), want)
	}
}

// In 2009 the clocks of St. John's went from 00:01 of November 1 back to 23:01 of October 31.
func TestARepeatedMidnight(t *testing.T) {
	c, _ := WorkingTime{Zone: "America/St_Johns", Days: []Weekday{"thu", "fri", "sat", "sun"}, From: "00:00", To: "24:00"}.Parse()
	again := time.Date(2009, 11, 1, 2, 48, 0, 0, time.UTC) // 23:18 for the second time, in the hours of November 1
	for name, tt := range map[string]struct{ got, want time.Time }{
		"days and hours after": {c.Add(again, Span{2, 7 * time.Hour}), time.Date(2009, 11, 6, 9, 48, 0, 0, time.UTC)},
		"days before":          {c.Subtract(again, Span{Days: 1}), time.Date(2009, 10, 31, 1, 48, 0, 0, time.UTC)},
		"hours before":         {c.Subtract(again, Span{Hours: time.Hour}), time.Date(2009, 11, 1, 1, 48, 0, 0, time.UTC)},
	} {
		if !tt.got.Equal(tt.want) {
			t.Errorf("%s: %s, want %s", name, tt.got.UTC(), tt.want)
		}
	}
}

// A calendar with hardly any working time has a result too.
func TestTheSearchForWorkingTimeEnds(t *testing.T) {
	c, faults := office(func(d *WorkingTime) { d.Days, d.To = []Weekday{"mon"}, "08:01" }).Parse()
	if faults != nil {
		t.Fatal(faults)
	}
	start := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	span := Span{Days: 3660, Hours: 3660 * 24 * time.Hour}
	if got := c.Add(start, span); got.Before(start) || got.Year() > 2127 {
		t.Errorf("Add = %s", got)
	}
	if got := c.Subtract(start, span); got.After(start) || got.Year() < 1926 {
		t.Errorf("Subtract = %s", got)
	}
}

// TestAgainstEachMinuteOfTenYears compares with a list of the minutes of ten years.
func TestAgainstEachMinuteOfTenYears(t *testing.T) {
	for zone, year := range map[string]int{
		"Europe/Berlin":       2020,
		"America/New_York":    2020,
		"America/Sao_Paulo":   2008, // changes at midnight
		"Australia/Lord_Howe": 2020, // changes by 30 minutes
		"Africa/Cairo":        2008, // several changes a year
		"Pacific/Apia":        2008, // skips a date
		"America/St_Johns":    2004, // repeats midnight
	} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, uint64(year)))
			m := minutesOf(t, zone, year)
			for _, hours := range [][2]string{
				{"08:00", "17:00"}, {"00:00", "24:00"}, {"23:10", "24:00"}, {"00:00", "00:50"}, {"01:30", "02:30"},
				{"00:30", "23:30"}, {"02:00", "03:00"},
			} {
				d := WorkingTime{Zone: zone, From: hours[0], To: hours[1], Days: Weekday("").Values()}
				random.Shuffle(7, func(i, j int) { d.Days[i], d.Days[j] = d.Days[j], d.Days[i] })
				d.Days = d.Days[:3+random.IntN(5)]
				for range 40 {
					date := m.start.AddDate(0, 0, random.IntN(3650)).Format(time.DateOnly)
					if !slices.Contains(d.Holidays, date) {
						d.Holidays = append(d.Holidays, date)
					}
				}
				c, faults := d.Parse()
				if faults != nil {
					t.Fatal(faults)
				}
				w := m.work(c)
				const margin = 60 * 24 * 60
				for n := range 300 {
					i := margin + random.IntN(len(m.wall)-2*margin)
					if n%3 > 0 { // near a clock change
						i = min(max(m.changes[random.IntN(len(m.changes))]+random.IntN(4000)-2000, margin), len(m.wall)-margin)
					}
					span := Span{random.IntN(5), time.Duration(random.IntN(600)) * time.Minute}
					start := m.start.Add(time.Duration(i) * time.Minute)
					if got, want := c.Add(start, span), m.start.Add(time.Duration(w.add(i, span))*time.Minute); !got.Equal(want) {
						t.Fatalf("%+v: %s + %+v = %s, want %s", d, start.In(c.zone), span, got.In(c.zone), want.In(c.zone))
					}
					if got, want := c.Subtract(start, span), m.start.Add(time.Duration(w.subtract(i, span))*time.Minute); !got.Equal(want) {
						t.Fatalf("%+v: %s - %+v = %s, want %s", d, start.In(c.zone), span, got.In(c.zone), want.In(c.zone))
					}
				}
			}
		})
	}
}

// minutes are those of ten years.
type minutes struct {
	start   time.Time
	wall    []int // by minute: the local time, in minutes since 1970
	first   []int // by local time, from that of the first minute: the minute that shows it first, or a later time
	changes []int // minutes of clock changes
}

func (m minutes) reached(wall int) int { return m.first[wall-m.wall[0]] }

func minutesOf(t *testing.T, zone string, year int) minutes {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	m := minutes{start: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)}
	n := int(m.start.AddDate(10, 0, 0).Sub(m.start) / time.Minute)
	m.wall, m.first = make([]int, 0, n), make([]int, 0, n)
	offset := func(minute int) int {
		_, seconds := m.start.Add(time.Duration(minute) * time.Minute).In(loc).Zone()
		return seconds / 60
	}
	now, next := 0, offset(0)
	for i := range n {
		switch {
		case i%60 == 0:
			now, next = next, offset(i+60)
		case now != next: // the offset changes within this hour
			now = offset(i)
		}
		wall := int(m.start.Unix()/60) + i + now
		if i > 0 && wall != m.wall[i-1]+1 {
			m.changes = append(m.changes, i)
		}
		m.wall = append(m.wall, wall)
		for len(m.first) <= wall-m.wall[0] {
			m.first = append(m.first, i)
		}
	}
	if len(m.changes) < 8 {
		t.Fatalf("%s has %d clock changes", zone, len(m.changes))
	}
	return m
}

// worked are the minutes of a calendar, by local dates, in days since 1970.
type worked struct {
	minutes
	from, to []int // the minutes of the working hours; equal for none
}

func (m minutes) work(c Calendar) worked {
	days := m.wall[len(m.wall)-1]/1440 + 1
	w := worked{minutes: m, from: make([]int, days), to: make([]int, days)}
	for d := m.wall[0]/1440 + 1; d < days-1; d++ {
		if c.days[(d+4)%7] && !c.holidays[day(d)] {
			w.from[d], w.to[d] = m.reached(d*1440+int(c.from.Minutes())), m.reached(d*1440+int(c.to.Minutes()))
		}
	}
	return w
}

func (w worked) has(date int) bool { return w.from[date] < w.to[date] }

// day is the date of the working hours that contain a minute; 0 for none.
func (w worked) day(i int) int {
	d := w.wall[i] / 1440
	for _, date := range []int{d + 1, d, d - 1} { // hours may extend over the date when the clock changes
		if w.from[date] <= i && i < w.to[date] {
			return date
		}
	}
	return 0
}

func (w worked) add(i int, s Span) int {
	for w.day(i) == 0 {
		i++
	}
	if d := w.day(i); s.Days > 0 {
		clock := w.wall[i] - d*1440
		for n := s.Days; n > 0; {
			if d++; w.has(d) {
				n--
			}
		}
		i = w.reached(d*1440 + clock)
	}
	for n := int(s.Hours.Minutes()); n > 0; i++ {
		if w.day(i) != 0 {
			n--
		}
	}
	return i
}

func (w worked) subtract(i int, s Span) int {
	for w.day(i) == 0 && w.day(i-1) == 0 {
		i--
	}
	d := max(w.day(i), w.day(i-1))
	if s.Days > 0 {
		clock := w.wall[i] - d*1440
		for n := s.Days; n > 0; {
			if d--; w.has(d) {
				n--
			}
		}
		i = w.reached(d*1440 + clock)
	}
	for n := int(s.Hours.Minutes()); n > 0; {
		if i--; w.day(i) != 0 {
			n--
		}
	}
	return i
}

func ExampleCalendar_Add() {
	c, _ := WorkingTime{Zone: "Africa/Nairobi", Days: []Weekday{"mon", "fri"}, From: "08:00", To: "17:00"}.Parse()
	friday := time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC) // 16:00 in Nairobi
	fmt.Println(c.Add(friday, Span{Days: 1, Hours: 2 * time.Hour}).In(c.zone))
	// Output: 2026-11-27 09:00:00 +0300 EAT
}
