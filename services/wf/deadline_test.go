package wf_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/calendar"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// due returns the stage with a due date in an hour.
func due(s policy.Stage, change ...func(*policy.Deadline)) policy.Stage {
	s.Deadline = &policy.Deadline{DueIn: "PT1H"}
	for _, apply := range change {
		apply(s.Deadline)
	}
	return s
}

func expires(d *policy.Deadline) { d.OnDue = policy.OnDueExpire }

func escalates(rules ...policy.Rule) func(*policy.Deadline) {
	return func(d *policy.Deadline) { d.OnDue, d.EscalateTo = policy.OnDueEscalate, rules }
}

func reminds(every policy.Duration, before ...policy.Duration) func(*policy.Deadline) {
	return func(d *policy.Deadline) { d.RemindEvery, d.RemindBefore = every, before }
}

// after is a time after the start of every story.
func after(d time.Duration) time.Time { return noon.Add(d) }

// TestPassesOfTheDeadlines runs the job at some minutes after the start.
func TestPassesOfTheDeadlines(t *testing.T) {
	for name, tt := range map[string]struct {
		stage  policy.Stage
		passes []int    // minutes after the start
		want   []string // minute and event
	}{
		"nothing before the date": {due(each("s", "a")), []int{0, 59}, nil},
		"the date once":           {due(each("s", "a")), []int{60, 61, 200}, []string{"60 stage.due"}},
		"a late date":             {due(each("s", "a")), []int{300, 301}, []string{"300 stage.due"}},
		"reminders before": {due(each("s", "a"), reminds("", "PT30M", "PT10M")), []int{29, 30, 31, 50, 60, 61},
			[]string{"30 before 30", "50 before 50", "60 stage.due"}},
		"the newest missed one": {due(each("s", "a"), reminds("", "PT30M", "PT10M")), []int{55, 60}, []string{"55 before 50", "60 stage.due"}},
		"the newest of a list":  {due(each("s", "a"), reminds("", "PT10M", "PT30M")), []int{55, 60}, []string{"55 before 50", "60 stage.due"}},
		"none before, once due": {due(each("s", "a"), reminds("", "PT30M", "PT10M")), []int{60, 61}, []string{"60 stage.due"}},
		"one at the start":      {due(each("s", "a"), reminds("", "PT60M", "PT61M")), []int{0, 1, 60}, []string{"60 stage.due"}},
		"reminders after": {due(each("s", "a"), reminds("PT1H")), []int{60, 119, 120, 180},
			[]string{"60 stage.due", "120 after 120", "180 after 180"}},
		"the newest missed after": {due(each("s", "a"), reminds("PT1H")), []int{250, 299, 300},
			[]string{"250 stage.due", "250 after 240", "300 after 300"}},
		"thirty after": {due(each("s", "a"), reminds("PT1H")), []int{60, 60 * 31, 60 * 32, 60 * 33},
			[]string{"60 stage.due", "1860 after 1860"}},
		"the clock goes back": {due(each("s", "a"), reminds("PT1H", "PT30M")),
			[]int{30, 20, 30, 60, 40, 60, 120, 90, 121}, []string{"30 before 30", "60 stage.due", "120 after 120"}},
		"expiry instead of a date": {due(each("s", "a"), expires, reminds("", "PT30M")), []int{30, 60, 61},
			[]string{"30 before 30", "60 request.expired"}},
		"expiry, of missed reminds": {due(each("s", "a"), expires, reminds("", "PT30M")), []int{75}, []string{"75 request.expired"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, tt.stage)
			var got []string
			for _, minute := range tt.passes {
				s.at = after(time.Duration(minute) * time.Minute)
				n := len(s.events)
				s.must(s.deadlines())
				for _, e := range s.events[n:] {
					if e.Type == audit.EventTaskClosed {
						continue
					}
					what := string(e.Type)
					if e.Stage != nil && e.Stage.Reminder != nil {
						what = fmt.Sprintf("%s %.0f", e.Stage.Reminder.Phase, e.Stage.Reminder.At.Sub(noon).Minutes())
					}
					got = append(got, fmt.Sprintf("%d %s", minute, what))
					if e.Actor.ID != identity.SystemDeadline.ID || e.Stage != nil && !e.Stage.DueAt.Equal(after(time.Hour)) {
						t.Errorf("event %s by %s", e.Type, e.Actor.ID)
					}
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("events %q, want %q", got, tt.want)
			}
		})
	}
}

// TestTheDueDateEndsARequest: with expire it applies like the expiry, from its instant on and without a job.
func TestTheDueDateEndsARequest(t *testing.T) {
	for name, tt := range map[string]struct {
		expiry time.Duration // of the request
		at     time.Duration
		want   wf.ReasonCode // empty while the request is open
	}{
		"before":              {2 * time.Hour, time.Hour - time.Millisecond, ""},
		"at the date":         {2 * time.Hour, time.Hour, wf.BecauseDeadline},
		"a date after expiry": {30 * time.Minute, 30 * time.Minute, wf.BecauseExpired},
		"both at once":        {time.Hour, time.Hour, wf.BecauseExpired},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(due(each("s", "a", "b"), expires), each("next", "c")))
			s.def.Settings.ExpiresIn = policy.Lifetime(fmt.Sprintf("PT%.0fM", tt.expiry.Minutes()))
			s.must(s.start())
			s.at = after(tt.at)
			shown := s.now.AsOf(s.at)
			err := s.approve(s.of("s", "a"), "a")
			if tt.want == "" {
				s.must(err)
				s.status(wf.RequestInReview)
				return
			}
			s.refused(err, reason.WrongState)
			s.status(wf.RequestExpired)
			s.because(tt.want)
			if shown.Status != wf.RequestExpired || *shown.StatusReason != *s.now.StatusReason {
				t.Errorf("read as %s, %+v", shown.Status, shown.StatusReason)
			}
			actor, key := identity.SystemExpiry.ID, ""
			if tt.want == wf.BecauseDeadline {
				actor, key = identity.SystemDeadline.ID, "s"
			}
			if last := s.events[len(s.events)-1]; last.Actor.ID != actor || s.now.StatusReason.StageKey != key {
				t.Errorf("ended by %s, stage %q", last.Actor.ID, s.now.StatusReason.StageKey)
			}
		})
	}
}

// TestTheEarliestDateWithExpireEndsTheRequest, and its stage is the reason.
func TestTheEarliestDateWithExpireEndsTheRequest(t *testing.T) {
	parallel := func(key string, in policy.Duration, change ...func(*policy.Deadline)) policy.Stage {
		return but(due(each(key, "a"), append(change, func(d *policy.Deadline) { d.DueIn = in })...), func(s *policy.Stage) { s.ParallelGroup = "g" })
	}
	s := begin(t, parallel("over", "PT1H", expires), parallel("tells", "PT1H"), parallel("late", "PT2H", expires),
		parallel("first", "PT1H", expires), parallel("later", "PT3H", expires))
	s.must(s.approve(s.of("over", "a"), "a"))
	s.at = after(time.Hour)
	s.must(s.deadlines())
	s.status(wf.RequestExpired)
	if s.because(wf.BecauseDeadline); s.now.StatusReason.StageKey != "first" {
		t.Errorf("ended by stage %s", s.now.StatusReason.StageKey)
	}
}

// TestTheDateBelongsToTheStage: what happens to its people does not move it.
func TestTheDateBelongsToTheStage(t *testing.T) {
	for name, act := range map[string]func(s *story) error{
		"reassign":      func(s *story) error { return s.reassign(s.of("s", "a"), "x", root) },
		"a lost person": func(s *story) error { return s.sweep("a") },
		"rescue": func(s *story) error {
			s.must(s.sweep("a"))
			return s.reassign(s.rescue("s"), "x", root)
		},
		"an approval": func(s *story) error { return s.approve(s.of("s", "a"), "a") },
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, due(each("s", "a", "b")))
			s.at = after(30 * time.Minute)
			s.must(act(s))
			if run := s.run("s"); !run.DueAt.Equal(after(time.Hour)) || !run.TimerAt.Equal(run.DueAt) {
				t.Errorf("due at %s, timer %s", run.DueAt, run.TimerAt)
			}
		})
	}
}

// TestStageRunDueDateAndReminder, before and after it and when the run is over, and of its next reminder.
func TestStageRunDueDateAndReminder(t *testing.T) {
	parallel := func(s *policy.Stage) { s.ParallelGroup = "g" }
	s := begin(t, but(due(each("s", "a"), reminds("PT1H", "PT30M")), parallel), but(each("free", "b"), parallel))
	show := func(minute int, overdue bool, next int) {
		t.Helper()
		s.at = after(time.Duration(minute) * time.Minute)
		s.must(s.deadlines())
		at := time.Time{}
		if next != 0 {
			at = after(time.Duration(next) * time.Minute)
		}
		run, free := s.run("s"), s.run("free")
		if got := run.NextReminder(s.def); run.Overdue(s.at) != overdue || !got.Equal(at) {
			t.Errorf("minute %d: overdue %t, next reminder %s", minute, run.Overdue(s.at), got)
		}
		if free.Overdue(s.at) || !free.NextReminder(s.def).IsZero() {
			t.Errorf("a run without a date is overdue, or has a reminder at %s", free.NextReminder(s.def))
		}
	}
	if !s.now.DueAt().Equal(after(time.Hour)) {
		t.Errorf("the request is due at %s", s.now.DueAt())
	}
	show(0, false, 30)
	show(59, false, 120)
	show(60, true, 120)
	s.must(s.approve(s.of("s", "a"), "a"))
	show(61, false, 0)
	if !s.now.DueAt().IsZero() {
		t.Errorf("the request is due at %s", s.now.DueAt())
	}
}

func TestMoveDueDate(t *testing.T) {
	tomorrow := after(24 * time.Hour)
	for name, tt := range map[string]struct {
		stage   policy.Stage
		key     string
		prepare func(*story)
		at      time.Duration
		to      time.Time
		reason  string
		by      identity.Actor
		want    refusal.Reason
	}{
		"an assignee":      {stage: due(each("s", "a")), to: tomorrow, reason: "x", by: person("a"), want: reason.Forbidden},
		"the past":         {stage: due(each("s", "a")), to: noon.Add(-1), reason: "x", by: root, want: reason.BadInput},
		"now":              {stage: due(each("s", "a")), to: noon, reason: "x", by: root, want: reason.BadInput},
		"no reason":        {stage: due(each("s", "a")), to: tomorrow, reason: " ", by: root, want: reason.Missing},
		"another stage":    {stage: due(each("s", "a")), key: "z", to: tomorrow, reason: "x", by: root, want: reason.WrongState},
		"no deadline":      {stage: each("s", "a"), to: tomorrow, reason: "x", by: root, want: reason.WrongState},
		"after the expiry": {stage: due(each("s", "a")), to: after(31 * 24 * time.Hour), reason: "x", by: root, want: reason.WrongState},
		"a reached end":    {stage: due(each("s", "a"), expires), at: time.Hour, to: tomorrow, reason: "x", by: root, want: reason.WrongState},
		"a final request": {stage: due(each("s", "a")),
			prepare: func(s *story) { s.must(s.approve(s.of("s", "a"), "a")) }, to: tomorrow, reason: "x", by: root,
			want: reason.WrongState},
		"a request sent back": {stage: due(each("s", "a")),
			prepare: func(s *story) { s.must(s.sendBack(s.of("s", "a"), "a")) }, to: tomorrow, reason: "x", by: root,
			want: reason.WrongState},
		"later":          {stage: due(each("s", "a")), to: tomorrow, reason: "x", by: root},
		"the expiry":     {stage: due(each("s", "a")), to: after(30 * 24 * time.Hour), reason: "x", by: root},
		"a reached date": {stage: due(each("s", "a")), at: 2 * time.Hour, to: tomorrow, reason: "x", by: root},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, tt.stage)
			if tt.prepare != nil {
				tt.prepare(s)
			}
			s.at = after(tt.at)
			n := len(s.events)
			if tt.key == "" {
				tt.key = "s"
			}
			err := s.moveDue(tt.key, tt.to, tt.reason, tt.by)
			if tt.want != "" {
				s.refused(err, tt.want)
				return
			}
			s.must(err)
			last := s.events[n]
			if len(s.events) != n+1 || last.Type != audit.EventStageDueMoved || last.Reason != "x" || last.Actor.ID != "root" ||
				!last.Stage.Moved.From.Equal(after(time.Hour)) || !last.Stage.Moved.To.Equal(tt.to) || !s.run("s").DueAt.Equal(tt.to) {
				t.Fatalf("events %v, %+v; due at %s", s.types(n), last, s.run("s").DueAt)
			}
			s.must(s.moveDue("s", tt.to, "again", tt.by)) // the same date
			s.at = after(3 * time.Hour)
			s.must(s.deadlines())
			s.at = tt.to.Add(-1)
			s.must(s.deadlines())
			if len(s.events) != n+1 {
				t.Errorf("before the new date: %v", s.types(n+1))
			}
			if s.at = tt.to; tt.to.Before(*s.now.ExpiresAt) {
				s.must(s.deadlines())
				if got := s.types(n + 1); !slices.Equal(got, []audit.EventType{audit.EventStageDue}) {
					t.Errorf("at the new date: %v", got)
				}
			}
		})
	}
}

// byContent is a stage whose due date is the value of the expression "sla".
func byContent(s policy.Stage) policy.Stage {
	return due(s, func(d *policy.Deadline) { d.DueIn, d.DueCEL = "", "sla" })
}

// TestADueDateByTheContent: the value is computed at creation and counts from the start of the stage.
func TestADueDateByTheContent(t *testing.T) {
	office := &calendar.WorkingTime{Zone: "UTC", Days: []calendar.Weekday{"mon"}, From: "08:00", To: "17:00"}
	nextWeek := noon.AddDate(0, 0, 7) // noon is on a Monday
	for name, tt := range map[string]struct {
		value    policy.Due
		calendar *calendar.WorkingTime
		want     time.Time // zero: the creation is refused
	}{
		"a duration":                    {policy.Due{In: "PT2H"}, nil, after(150 * time.Minute)},
		"one day":                       {policy.Due{In: "P1D"}, nil, after(24*time.Hour + 30*time.Minute)},
		"a working day":                 {policy.Due{In: "P1D"}, office, nextWeek.Add(30 * time.Minute)},
		"working hours":                 {policy.Due{In: "PT21600S"}, office, nextWeek.Add(-150 * time.Minute)},
		"a minute":                      {policy.Due{In: "PT60S"}, nil, after(31 * time.Minute)},
		"an instant":                    {policy.Due{At: after(40 * time.Minute)}, nil, after(40 * time.Minute)},
		"an instant outside a calendar": {policy.Due{At: after(40 * time.Minute)}, office, after(40 * time.Minute)},
		"an instant before the start":   {policy.Due{At: after(-time.Hour)}, nil, after(30 * time.Minute)},
		"less than a minute":            {policy.Due{In: "PT59.999S"}, nil, time.Time{}},
		"more than ten years":           {policy.Due{In: "P3661D"}, nil, time.Time{}},
		"no duration":                   {policy.Due{In: "soon"}, nil, time.Time{}},
		"nothing":                       {policy.Due{}, nil, time.Time{}},
		"weeks of a calendar":           {policy.Due{In: "P1W"}, office, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := tell(t, policyOf(each("first", "a"), byContent(each("s", "b"))))
			s.def.Settings.Calendar = tt.calendar
			s.values["sla"] = policy.Value{Due: tt.value, OverContent: true}
			err := s.start()
			if tt.want.IsZero() {
				s.refused(err, reason.EngineRefused)
				if message := refusal.MessageOf(err); !strings.HasPrefix(message, "stage s: deadline.due_cel: yields a duration that must") {
					t.Errorf("refused with %q", message)
				}
				return
			}
			s.must(err)
			s.values["sla"] = fails("evaluated again")
			s.at = after(30 * time.Minute)
			s.must(s.approve(s.of("first", "a"), "a"))
			if run := s.run("s"); !run.DueAt.Equal(tt.want) || !run.TimerAt.Equal(tt.want) {
				t.Errorf("due at %s, timer %s, want %s", run.DueAt, run.TimerAt, tt.want)
			}
		})
	}
}

// TestAFailedDueDateStoresNothing: also of a later stage, at creation and at a resubmission.
func TestAFailedDueDateStoresNothing(t *testing.T) {
	s := tell(t, policyOf(each("first", "a"), byContent(each("s", "b"))))
	s.values["sla"] = fails("no such member: sla")
	err := s.start()
	if s.refused(err, reason.EngineRefused); refusal.MessageOf(err) != "stage s: deadline.due_cel: no such member: sla" {
		t.Errorf("refused with %v", err)
	}
	s.values["sla"] = late
	s.refused(s.start(), reason.ResolverFailed)
	s.values["sla"] = policy.Value{Due: policy.Due{In: "PT1H"}}
	s.must(s.start())
	s.must(s.sendBack(s.of("first", "a"), "a"))
	s.values["sla"] = fails("no such member: sla")
	s.refused(s.resubmit(sam, "sha256:two"), reason.EngineRefused)
	s.status(wf.RequestChangesRequested)
}

// TestAnEndInThePastIsRefused at creation and at a resubmission, of every stage.
func TestAnEndInThePastIsRefused(t *testing.T) {
	for _, effect := range policy.OnDue("").Values() {
		for at, future := range map[time.Duration]bool{-time.Hour: false, 0: false, time.Second: true} {
			for _, key := range []string{"first", "second"} {
				s := tell(t, policyOf(each("first", "a"), each("second", "b")))
				i := slices.IndexFunc(s.def.Stages, func(stage policy.Stage) bool { return stage.Key == key })
				s.def.Stages[i] = byContent(s.def.Stages[i])
				s.def.Stages[i].Deadline.OnDue = effect
				value := policy.Value{Due: policy.Due{At: noon.Add(at)}}
				refused := effect == policy.OnDueExpire && !future
				check := func(what string, err error) {
					t.Helper()
					if refused != errors.Is(err, reason.EngineRefused) || !refused && err != nil ||
						refused && !strings.HasSuffix(refusal.MessageOf(err), "Z, which is not in the future") {
						t.Errorf("%s, %s, %s of stage %s: %v", effect, at, what, key, err)
					}
				}
				s.values["sla"] = value
				check("creation", s.start())
				s.values["sla"] = policy.Value{Due: policy.Due{In: "PT1H"}}
				if s.now.ID == "" {
					s.must(s.start())
				}
				s.must(s.sendBack(s.of("first", "a"), "a"))
				s.values["sla"] = value
				if check("resubmission", s.resubmit(sam, "sha256:two")); refused {
					s.status(wf.RequestChangesRequested)
				}
			}
		}
	}
}
