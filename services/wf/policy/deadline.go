package policy

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf/calendar"
	"github.com/sosodev/duration"
)

// OnDue is the effect of a stage's due date.
type OnDue string

// The effects. Each records the date and notifies people.
const (
	OnDueNotify   OnDue = "notify"   // the default: nothing else
	OnDueEscalate OnDue = "escalate" // adds approvers
	OnDueExpire   OnDue = "expire"   // ends the request
)

// Values returns every value.
func (OnDue) Values() []OnDue { return []OnDue{OnDueNotify, OnDueEscalate, OnDueExpire} }

// Deadline limits the time for the decisions of a stage. It begins when the stage first has approvers. With a
// calendar its durations are working time.
type Deadline struct {
	DueIn        Duration   `json:"due_in,omitempty" doc:"ISO 8601 duration from the start of the stage to its due date; exactly one of due_in and due_cel."`
	DueCEL       string     `json:"due_cel,omitempty" minLength:"1" maxLength:"4096" doc:"CEL that yields a duration from the start of the stage, or a timestamp, the due date regardless of the calendar; with expire in the future. Evaluated at creation and resubmission."`
	RemindBefore []Duration `json:"remind_before,omitempty" maxItems:"5" doc:"Distinct durations of reminders before the due date. One at or before the start is left out."`
	RemindEvery  Duration   `json:"remind_every,omitempty" doc:"Interval of reminders after the due date, at least PT1H; at most 30 reminders. Not with expire."`
	OnDue        OnDue      `json:"on_due,omitempty" doc:"Effect of the due date; notify when absent. escalate adds approvers, expire ends the request."`
	EscalateTo   []Rule     `json:"escalate_to,omitempty" minItems:"1" maxItems:"10" doc:"escalate: rules of the approvers to add. They raise no requirement and replace no approver."`
}

// computes reports whether the due date depends on the content.
func (d *Deadline) computes() bool { return d != nil && d.DueCEL != "" }

// Effect returns OnDue or its default.
func (d Deadline) Effect() OnDue { return cmp.Or(d.OnDue, OnDueNotify) }

// MaxReminders is the maximum number of reminders after a due date.
const MaxReminders = 30

const minLength, minInterval = time.Minute, time.Hour

// validate checks a deadline of a stage.
func (d *Deadline) validate(v *validation, s Settings, stage Stage, pointer string, earlier []string) {
	if d == nil {
		return
	}
	length := func(pointer string, given Duration, least time.Duration) {
		if err := given.checkDeadline(s.Calendar != nil, least); err != nil {
			v.add(pointer, "%s", err)
		}
	}
	switch {
	case d.DueCEL == "" && d.DueIn == "":
		v.add(pointer, "must contain due_in or due_cel")
	case d.DueCEL == "":
		length(pointer+"/due_in", d.DueIn, minLength)
	case d.DueIn != "":
		v.add(pointer+"/due_cel", "excludes due_in")
	default:
		v.overContent(pointer+"/due_cel", d.DueCEL, YieldsDue)
	}
	seen := map[any]bool{}
	for i, before := range d.RemindBefore {
		at := elementPointer(pointer+"/remind_before", i)
		length(at, before, minLength)
		key := before.deadlineKey(s.Calendar != nil)
		v.refuse(seen[key], at, "repeats another reminder")
		seen[key] = true
	}
	if d.RemindEvery != "" {
		length(pointer+"/remind_every", d.RemindEvery, minInterval)
		v.refuse(d.Effect() == OnDueExpire, pointer+"/remind_every", "does not apply with on_due expire: the stage ends at its due date")
	}
	escalates := d.Effect() == OnDueEscalate
	v.refuse(escalates && len(d.EscalateTo) == 0, pointer+"/escalate_to", "is required with on_due escalate")
	v.refuse(!escalates && len(d.EscalateTo) > 0, pointer+"/escalate_to", "applies with on_due escalate only")
	v.refuse(escalates && stage.Quorum.WaitForAll, pointer+"/on_due",
		"escalate does not apply with quorum.wait_for_all: the added approvers do not answer for the others")
	required := func(r Rule) bool { return r.Required }
	if escalates && !slices.ContainsFunc(stage.Approvers, func(r Rule) bool { return !required(r) }) {
		v.warn(pointer+"/escalate_to", "all approver rules of the stage are required, so the added approvers replace nobody; use min_approvals")
	}
	for i, rule := range d.EscalateTo {
		rule.validateEscalation(v, stage, elementPointer(pointer+"/escalate_to", i), earlier)
	}
}

// validateEscalation checks a rule of the approvers to add.
func (r Rule) validateEscalation(v *validation, stage Stage, pointer string, earlier []string) {
	v.refuse(r.Required, pointer+"/required", "required does not apply to escalate_to")
	v.refuse(r.MinApprovals != 0, pointer+"/min_approvals", "min_approvals does not apply to escalate_to")
	r.forApproversOnly(v, pointer)
	if r.Type == RuleManager && r.Of == OfAssignee {
		v.refuse(stage.Assignment == AssignmentPool, pointer+"/of", "assignee requires assignment each")
		r.Of = OfRequester
	}
	r.validate(v, pointer, earlier)
}

// checkDeadline rejects a duration outside the bounds of deadlines, and one that a calendar cannot count.
func (d Duration) checkDeadline(working bool, least time.Duration) error {
	length, err := d.Parse()
	switch {
	case err != nil:
		return err
	case length < least && least == minInterval:
		return errors.New("must be at least one hour")
	case length < least:
		return errors.New("must be at least one minute")
	case working:
		_, err = d.span()
	}
	return err
}

// span returns the duration in working time. Weeks and parts of days have no number of working days.
func (d Duration) span() (calendar.Span, error) {
	parsed, err := duration.Parse(string(d))
	switch {
	case err != nil:
		return calendar.Span{}, err
	case parsed.Weeks != 0:
		return calendar.Span{}, errors.New("must not use weeks with a calendar: use working days")
	case parsed.Days != float64(int(parsed.Days)):
		return calendar.Span{}, errors.New("must use whole days with a calendar")
	}
	span := calendar.Span{Days: int(parsed.Days)}
	parsed.Days = 0
	span.Hours = parsed.ToTimeDuration()
	return span, nil
}

// deadlineKey is the same for equal lengths.
func (d Duration) deadlineKey(working bool) any {
	if span, err := d.span(); working && err == nil {
		return span
	}
	if length, err := d.Parse(); err == nil {
		return length
	}
	return d
}

// Zone returns the time zone of the calendar, or an empty string.
func (s Settings) Zone() string {
	if s.Calendar == nil {
		return ""
	}
	return s.Calendar.Zone
}

// Timetable computes the dates of deadlines.
type Timetable struct{ calendar *calendar.Calendar }

// Timetable returns the timetable of the policy's calendar, or of elapsed time without one.
func (s Settings) Timetable() Timetable {
	if s.Calendar == nil {
		return Timetable{}
	}
	c, _ := s.Calendar.Parse() // valid since it was written
	return Timetable{&c}
}

// After returns the instant a duration after t.
func (t Timetable) After(from time.Time, d Duration) time.Time {
	if t.calendar == nil {
		length, _ := d.Parse()
		return from.Add(length)
	}
	span, _ := d.span()
	return t.calendar.Add(from, span)
}

// Before returns the instant a duration before t.
func (t Timetable) Before(to time.Time, d Duration) time.Time {
	if t.calendar == nil {
		length, _ := d.Parse()
		return to.Add(-length)
	}
	span, _ := d.span()
	return t.calendar.Subtract(to, span)
}
