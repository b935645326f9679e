package wf_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// TestEveryOrderOfTheClock drives requests with one stage and a deadline through every order of clock steps, one of
// them backward; passes of the loops, late and repeated, with and without an answer of the directory; votes; a moved
// date; one resubmission; revocation and consumption. Instants are whole hours. A model with integers (timed)
// predicts the events of each step. Each state is checked for the invariants 13 to 15 and 19:
//
//   - the stored timers are the first instants of a pass with an effect;
//   - no reminder, date, end or lapse comes before its instant; each date is recorded once, and reminders of a run
//     come at strictly rising instants; people are added once per run;
//   - from the effective end on only the end is possible, with and without a pass; a read shows it;
//   - an approval is consumed at most once and in force, and nothing follows the end of its standing.
//
// A kill before the commit of a pass has no effect, and a kill after it equals a pass. By default a sample of the
// policies runs; with WF_ENUMERATE=full all.
func TestEveryOrderOfTheClock(t *testing.T) {
	t.Parallel()
	full := os.Getenv("WF_ENUMERATE") == "full"
	cases, states, transitions := 0, 0, 0
	for n, p := range timedPolicies() {
		if !full && !slices.Contains([]int{52, 88, 159}, n) { // one of each effect
			continue
		}
		e := clockwork{t: t, timedPolicy: p, seen: map[string]bool{}}
		e.explore()
		cases++
		states += len(e.seen)
		transitions += e.transitions
	}
	t.Logf("%d policies, %d states, %d transitions", cases, states, transitions)
}

// timedPolicy is a policy of the enumeration, in hours; 0 for none.
type timedPolicy struct {
	onDue          policy.OnDue
	dueIn          int
	before, every  bool // a reminder an hour before, and each hour after the date
	expires, valid int
	single         bool
}

func timedPolicies() (all []timedPolicy) {
	both := []bool{false, true}
	for _, onDue := range (policy.OnDue)("").Values() {
		for _, dueIn := range []int{1, 2} {
			for _, before := range both {
				for _, every := range both {
					for _, expires := range []int{0, 3} {
						for _, valid := range []int{0, 1} {
							for _, single := range both {
								if !every || onDue != policy.OnDueExpire {
									all = append(all, timedPolicy{onDue, dueIn, before, every, expires, valid, single})
								}
							}
						}
					}
				}
			}
		}
	}
	return all
}

func (p timedPolicy) definition() policy.Definition {
	deadline := policy.Deadline{DueIn: policy.Duration(fmt.Sprintf("PT%dH", p.dueIn)), OnDue: p.onDue}
	if p.before {
		deadline.RemindBefore = []policy.Duration{"PT1H"}
	}
	if p.every {
		deadline.RemindEvery = "PT1H"
	}
	if p.onDue == policy.OnDueEscalate {
		deadline.EscalateTo = []policy.Rule{{Type: policy.RuleRole, Role: "boss"}}
	}
	stage := each("s", "a")
	stage.Quorum, stage.Deadline = quorum.Quorum{Mode: quorum.QuorumAny}, &deadline
	def := policyOf(stage)
	def.Settings.OnBehalf, def.Settings.SingleUse = policy.OnBehalfSubmitters, p.single
	def.Settings.ExpiresIn = "P1D" // after the last hour
	if p.expires != 0 {
		def.Settings.ExpiresIn = policy.Lifetime(fmt.Sprintf("PT%dH", p.expires))
	}
	if p.valid != 0 {
		def.Settings.Validity = &policy.Validity{ValidFor: policy.Duration(fmt.Sprintf("PT%dH", p.valid))}
	}
	return def
}

const (
	lastHour = 5
	never    = 99
)

// timed is a state of the model.
type timed struct {
	at        int  // the present hour
	back      bool // the clock has gone back
	status    wf.RequestStatus
	run       int
	due       int
	since     int // the start of the run, or the move of its date
	told      bool
	moved     bool
	added     bool
	retry     time.Time // of an escalation without an answer; zero for none
	reminded  int       // of the run; -1 for none
	standing  wf.Standing
	until     int
	consumed  int
	escalated int // in this run
}

// instant is a state of the model and of the code.
type instant struct {
	timed
	request wf.Request
	path    []string
}

type clockwork struct {
	surroundings
	timedPolicy
	t           *testing.T
	def         policy.Definition
	seen        map[string]bool
	stack       []instant
	transitions int
	answers     bool // the directory does
}

func (e *clockwork) hour(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }

// end is the effective end of an open request.
func (e *clockwork) end(m timed) int {
	end := cmp.Or(e.expires, never)
	if m.status == wf.RequestInReview && e.onDue == policy.OnDueExpire {
		end = min(end, m.due)
	}
	return end
}

func (e *clockwork) over(m timed) bool {
	return (m.status == wf.RequestInReview || m.status == wf.RequestChangesRequested) && m.at >= e.end(m)
}

func (m timed) lapsed() bool { return m.standing == wf.StandingInForce && m.at >= m.until }

func (e *clockwork) explore() {
	e.def = e.definition()
	e.at = noon
	e.yields = answering(policy.RuleRole, func(rule policy.Rule, age time.Duration) ([]identity.User, error) {
		if e.answers {
			return now("c")(rule, age)
		}
		return down(rule, age)
	})
	request, _, err := e.settle(func(f wf.Facts) (wf.Request, []wf.Event, error) { return wf.NewRequest(draft(), e.def, sam, f) })
	if err != nil {
		e.t.Fatal(err)
	}
	e.stack = []instant{{timed{status: wf.RequestInReview, run: 1, due: e.dueIn, reminded: -1, until: never}, request, nil}}
	for len(e.stack) > 0 {
		s := e.stack[len(e.stack)-1]
		e.stack = e.stack[:len(e.stack)-1]
		e.timers(s)
		if s.at < lastHour {
			e.tick(s, "an hour passes", 1)
		}
		if s.at > 0 && !s.back {
			e.tick(s, "the clock goes back", -1)
		}
		e.passes(s)
		e.people(s)
	}
}

// tick moves the clock.
func (e *clockwork) tick(s instant, what string, hours int) {
	s.at += hours
	s.back = s.back || hours < 0
	s.path = append(slices.Clone(s.path), what)
	e.add(s)
}

func (e *clockwork) add(s instant) {
	run := s.request.Stages[len(s.request.Stages)-1]
	key := fmt.Sprint(s.timed, s.request.Status, s.request.Standing, s.request.ValidUntil.Unix(), s.request.DueEnd.Unix(),
		run.Run, run.Status, run.DueAt.Unix(), run.TimerAt.UnixMilli(), run.RemindedAt.Unix(), run.DueRecorded, run.EscalatedAt.Unix())
	if !e.seen[key] {
		e.seen[key] = true
		e.stack = append(e.stack, s)
	}
}

func (e *clockwork) fail(s instant, format string, args ...any) {
	e.t.Helper()
	e.t.Fatalf("%+v: %s\nafter %s\nat %+v", e.timedPolicy, fmt.Sprintf(format, args...), strings.Join(s.path, ", "), s.timed)
}

// try runs a transition at a time and returns its events in short.
func (e *clockwork) try(s instant, at time.Time, transition func(wf.Facts) (wf.Request, []wf.Event, error)) (wf.Request, []string, error) {
	e.transitions++
	e.surroundings.at = at
	after, events, err := e.settle(transition)
	var what []string
	for _, event := range events {
		switch {
		case !strings.HasPrefix(string(event.Type), "stage.") && !strings.HasPrefix(string(event.Type), "request."):
		case event.Type == audit.EventStageReminded:
			what = append(what, fmt.Sprintf("%s %s %.0f", event.Type, event.Stage.Reminder.Phase, event.Stage.Reminder.At.Sub(noon).Hours()))
		default:
			what = append(what, string(event.Type))
		}
	}
	return after, what, err
}

// step makes a transition, requires these events, and adds the state after it.
func (e *clockwork) step(
	s instant, what string, after timed, want []string, refused bool, transition func(wf.Facts) (wf.Request, []wf.Event, error),
) {
	e.t.Helper()
	s.path = append(slices.Clone(s.path), what)
	request, got, err := e.try(s, e.hour(s.at), transition)
	if !slices.Equal(got, want) || refused != (err != nil) || refused && !errors.Is(err, reason.WrongState) {
		e.fail(s, "events %q, %v; want %q, refused %t", got, err, want, refused)
	}
	if after.consumed > 1 || after.escalated > 1 {
		e.fail(s, "consumed %d times, escalated %d times", after.consumed, after.escalated)
	}
	run := request.Stages[len(request.Stages)-1]
	if request.Status != after.status || request.Standing != after.standing || run.Run != after.run ||
		!run.DueAt.Equal(e.hour(after.due)) {
		e.fail(s, "the request is %s %s, run %d due at %s; want %+v", request.Status, request.Standing, run.Run, run.DueAt, after)
	}
	s.timed, s.request = after, request
	e.add(s)
}

// timers checks that the stored timers are the first instants of a pass with an effect, and that a read shows
// the end.
func (e *clockwork) timers(s instant) {
	e.answers = true
	deadlines := func(f wf.Facts) (wf.Request, []wf.Event, error) {
		return s.request.Apply(e.def, identity.Actor{}, f, wf.ProcessDeadlines)
	}
	ends := func(f wf.Facts) (wf.Request, []wf.Event, error) {
		return s.request.Apply(e.def, identity.Actor{}, f, wf.EndByTime)
	}
	run := s.request.Stages[len(s.request.Stages)-1]
	end := s.request.EndsAt()
	for _, probe := range []struct {
		timer time.Time
		pass  func(wf.Facts) (wf.Request, []wf.Event, error)
		limit time.Time // of another loop
	}{{run.TimerAt, deadlines, end}, {end, ends, time.Time{}}} {
		before, at := probe.timer.Add(-time.Millisecond), probe.timer
		if probe.timer.IsZero() {
			before = e.hour(lastHour + 40)
		}
		if !probe.limit.IsZero() && !before.Before(probe.limit) {
			before = probe.limit.Add(-time.Millisecond)
		}
		if _, got, _ := e.try(s, before, probe.pass); len(got) != 0 {
			e.fail(s, "a pass at %s, before the timer %s, has %q", before, probe.timer, got)
		}
		if probe.timer.IsZero() {
			continue
		}
		if _, got, _ := e.try(s, at, probe.pass); len(got) == 0 {
			e.fail(s, "a pass at the timer %s changes nothing", at)
		}
	}
	want, shown := e.end(s.timed), s.request.AsOf(e.hour(s.at))
	if open := s.status == wf.RequestInReview || s.status == wf.RequestChangesRequested; open && want != never && !end.Equal(e.hour(want)) {
		e.fail(s, "ends at %s, want hour %d", end, want)
	}
	if (shown.Status == wf.RequestExpired) != (s.status == wf.RequestExpired || e.over(s.timed)) ||
		(shown.Standing == wf.StandingLapsed) != (s.standing == wf.StandingLapsed || s.lapsed()) {
		e.fail(s, "reads as %s %s", shown.Status, shown.Standing)
	}
}

// ended returns the state after a due end by time, with its event; ok is false without one.
func (e *clockwork) ended(m timed) (after timed, event []string, ok bool) {
	switch {
	case e.over(m):
		m.status = wf.RequestExpired
		return m, []string{string(audit.EventRequestExpired)}, true
	case m.lapsed():
		m.standing = wf.StandingLapsed
		return m, []string{string(audit.EventRequestLapsed)}, true
	default:
		return m, nil, false
	}
}

// passes runs the loops.
func (e *clockwork) passes(s instant) {
	after, events, _ := e.ended(s.timed)
	e.step(s, "the end", after, events, false, func(f wf.Facts) (wf.Request, []wf.Event, error) {
		return s.request.Apply(e.def, identity.Actor{}, f, wf.EndByTime)
	})
	for _, e.answers = range []bool{true, false} {
		if !e.answers && e.onDue != policy.OnDueEscalate {
			continue
		}
		after, events := e.work(s.timed)
		e.step(s, fmt.Sprintf("a pass (directory %t)", e.answers), after, events, false, func(f wf.Facts) (wf.Request, []wf.Event, error) {
			return s.request.Apply(e.def, identity.Actor{}, f, wf.ProcessDeadlines)
		})
	}
}

// work is a pass of the deadlines.
func (e *clockwork) work(m timed) (after timed, events []string) {
	if e.over(m) {
		after, events, _ = e.ended(m)
		return after, events
	}
	if m.status != wf.RequestInReview {
		return m, nil
	}
	if e.onDue != policy.OnDueExpire && !m.told && m.at >= m.due {
		m.told, m.retry = true, time.Time{}
		events = append(events, string(audit.EventStageDue))
	}
	if at := e.hour(m.at); e.onDue == policy.OnDueEscalate && m.told && !m.added && !at.Before(m.retry) {
		m.retry = time.Time{}
		if e.answers {
			m.added, m.escalated = true, m.escalated+1
			events = append(events, string(audit.EventStageEscalated))
		} else {
			m.retry = at.Add(min(max(at.Sub(e.hour(m.due)), 5*time.Second), 5*time.Minute))
		}
	}
	newest, phase := -1, wf.ReminderBefore
	if at := m.due - 1; e.before && !m.told && at <= m.at && at > max(m.reminded, m.since) {
		newest = at
	}
	for at := m.due + 1; e.every && at <= m.at; at++ {
		if at > max(m.reminded, m.since) {
			newest, phase = at, wf.ReminderAfter
		}
	}
	if newest >= 0 {
		m.reminded = newest
		events = append(events, fmt.Sprintf("%s %s %d", audit.EventStageReminded, phase, newest))
	}
	return m, events
}

// people applies the actions of people.
func (e *clockwork) people(s instant) {
	e.answers = true
	// act is a step that the end by time excludes.
	act := func(what string, after timed, transition func(wf.Facts) (wf.Request, []wf.Event, error), events ...audit.EventType) {
		e.t.Helper()
		if end, event, ok := e.ended(s.timed); ok {
			e.step(s, "too late: "+what, end, event, true, transition)
			return
		}
		var want []string
		for _, event := range events {
			want = append(want, string(event))
		}
		e.step(s, what, after, want, len(want) == 0, transition)
	}
	decide := func(task string, action wf.Action) func(wf.Facts) (wf.Request, []wf.Event, error) {
		return func(f wf.Facts) (wf.Request, []wf.Event, error) {
			return s.request.Apply(e.def, person("a"), f, wf.Decide(task, wf.DecisionInput{ID: "d", Action: action}))
		}
	}
	move := func(to time.Time) func(wf.Facts) (wf.Request, []wf.Event, error) {
		return func(f wf.Facts) (wf.Request, []wf.Event, error) {
			return s.request.Apply(e.def, root, f, wf.MoveDueDate("s", to, "x"))
		}
	}
	revoke := func(f wf.Facts) (wf.Request, []wf.Event, error) {
		return s.request.Apply(e.def, sam, f, wf.Revoke("x"))
	}
	consume := func(f wf.Facts) (wf.Request, []wf.Event, error) {
		return s.request.Apply(e.def, sam, f, wf.Consume(wf.Consumption{ContextHash: s.request.ContextHash}))
	}
	switch s.status {
	case wf.RequestInReview:
		task := ""
		for _, t := range s.request.Tasks {
			if live(t) && t.HeldBy("a") {
				task = t.ID
			}
		}
		if task == "" {
			e.fail(s, "a has no task")
		}
		approved, rejected, sentBack := s.timed, s.timed, s.timed
		approved.status, approved.standing = wf.RequestApproved, wf.StandingInForce
		if e.valid != 0 {
			approved.until = s.at + e.valid
		}
		rejected.status, sentBack.status = wf.RequestRejected, wf.RequestChangesRequested
		act("approved", approved, decide(task, wf.ActionApprove), audit.EventStageApproved, audit.EventRequestApproved)
		act("rejected", rejected, decide(task, wf.ActionReject), audit.EventStageRejected, audit.EventRequestRejected)
		if s.run == 1 {
			act("sent back", sentBack, decide(task, wf.ActionRequestChanges), audit.EventRequestChangesRequested)
		}
		for to := s.at + 1; to < lastHour && !s.moved; to++ {
			moved, events := s.timed, []audit.EventType{audit.EventStageDueMoved}
			switch {
			case e.expires != 0 && to > e.expires:
				events = nil
			case to == s.due:
				continue
			default:
				moved.due, moved.moved, moved.told, moved.since, moved.retry = to, true, false, max(s.since, s.at), time.Time{}
			}
			act(fmt.Sprintf("moved to %d", to), moved, move(e.hour(to)), events...)
		}
		act("revoked", s.timed, revoke)
		act("consumed", s.timed, consume)
	case wf.RequestChangesRequested:
		again := timed{at: s.at, back: s.back, status: wf.RequestInReview, run: 2, due: s.at + e.dueIn, since: s.at, reminded: -1, until: never}
		act("resubmitted", again, func(f wf.Facts) (wf.Request, []wf.Event, error) {
			return s.request.Apply(e.def, sam, f, wf.Resubmit(nil, "", ""))
		}, audit.EventRequestResubmitted, audit.EventStageStarted)
		act("moved", s.timed, move(e.hour(s.at+1)))
	case wf.RequestApproved:
		if s.standing != wf.StandingInForce || s.lapsed() {
			act("revoked", s.timed, revoke)
			act("consumed", s.timed, consume)
			return
		}
		revoked, consumed := s.timed, s.timed
		revoked.standing, consumed.standing, consumed.consumed = wf.StandingRevoked, wf.StandingConsumed, s.consumed+1
		act("revoked", revoked, revoke, audit.EventRequestRevoked)
		if e.single {
			act("consumed", consumed, consume, audit.EventRequestConsumed)
		} else {
			act("consumed", s.timed, consume)
		}
	default:
		act("revoked", s.timed, revoke)
		act("consumed", s.timed, consume)
		act("moved", s.timed, move(e.hour(s.at+1)))
	}
}
