// Package notice computes the notifications that a transition of a request causes.
package notice

import (
	"cmp"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// Kind is the kind of a notification.
type Kind string

// The kinds of notice.
const (
	Waits     Kind = "waits_for_you"
	Expires   Kind = "expires_soon"
	Decided   Kind = "decided"
	Changes   Kind = "changes_asked"
	Mentioned Kind = "mentioned"
	Delegated Kind = "delegated"          // of a delegation in the person's name; it has no request
	Started   Kind = "delegation_started" // of a delegation to the person; it has no request
)

// Kinds lists the kinds in the order of a mail.
var Kinds = []Kind{Waits, Expires, Decided, Changes, Mentioned, Delegated, Started}

// Mail is the frequency of a person's mail.
type Mail string

// The frequencies. Frequent is one mail for the notices of some minutes.
const (
	Off      Mail = "off"
	Frequent Mail = "frequent"
	Daily    Mail = "daily"
)

// Values returns every value.
func (Mail) Values() []Mail { return []Mail{Off, Frequent, Daily} }

// Settings holds the notification settings of a person.
type Settings struct {
	Mail     Mail
	Language string // a language of package words; empty for that of the service
	Zone     string // IANA time zone such as Europe/Paris; empty for that of the service
}

// Default returns the settings of a person without a choice.
func Default() Settings { return Settings{Mail: Frequent} }

// Schedule holds the times of mail of a person.
type Schedule struct {
	Collect time.Duration // from the first notice of a frequent mail to the mail
	Hour    int           // of the day of a daily mail
	Zone    *time.Location
}

// Due returns the time of the mail with a notice of now.
func (s Schedule) Due(mail Mail, now time.Time) time.Time {
	if mail != Daily {
		return now.Add(s.Collect)
	}
	day := now.In(s.Zone)
	next := time.Date(day.Year(), day.Month(), day.Day(), s.Hour, 0, 0, 0, s.Zone)
	if !next.After(now) {
		next = time.Date(day.Year(), day.Month(), day.Day()+1, s.Hour, 0, 0, 0, s.Zone)
	}
	return next
}

// Notice is a notification of a user about an event.
type Notice struct {
	Person  identity.User
	Kind    Kind
	EventID string
}

// Holds reports whether a notice about an event of a request still holds at its mail: the person has a part in the
// request, and
//   - Waits: a task waits for them;
//   - Expires: the request is open and the stage of the event runs, and they may act, or asked for the request; or the
//     stage is overdue, which observers learn too;
//   - Changes: the changes are still expected.
func Holds(kind Kind, e wf.Event, c wf.Case, id string) bool {
	r := c.Request
	if !c.HasPart(id) {
		return false
	}
	_, waits := c.WaitsFor(id)
	switch kind {
	case Waits:
		return waits
	case Expires:
		asks := id == r.Requester.ID || id == r.SubmittedBy.ID
		return !r.Status.Final() && runs(r, e.Stage) && (waits || asks || e.Type == audit.EventStageDue)
	case Changes:
		return r.Status == wf.RequestChangesRequested
	default:
		return true
	}
}

// runs reports whether the stage run of an event still accepts decisions. An event of no stage concerns the request.
func runs(r wf.Request, stage *wf.StageSummary) bool {
	if stage == nil {
		return true
	}
	run, ok := r.LatestRun(stage.Key)
	return ok && run.Run == stage.Run && (run.Status == wf.StageActive || run.Status == wf.StageBlocked)
}

// Collect returns the notifications caused by a transition, one per person and kind. People are not
// notified of their own actions, nor of requests without a part in them.
//
// The receivers are new holders and new candidates of tasks (not those of a task returned to its
// pool), and people mentioned in comments. Requester and submitter receive final outcomes,
// the end of an approval (except its consumption) and requests for changes. Before the expiry, the
// requester and all possible actors are notified. Reminders of a stage go to its possible actors, and its due date
// also to requester, submitter and observers. An approver added by the same transition is notified of the task only.
func Collect(before, after wf.Request, events []wf.Event, given []approver.Delegation) []Notice {
	c := collector{notified: map[Notice]bool{}, given: given, now: after.UpdatedAt}
	for _, e := range events {
		switch e.Type {
		case audit.EventRequestApproved, audit.EventRequestRejected, audit.EventRequestCancelled, audit.EventRequestExpired,
			audit.EventRequestLapsing, audit.EventRequestLapsed, audit.EventRequestRevoked:
			c.add(e, Decided, after.Requester, after.SubmittedBy)
		case audit.EventRequestChangesRequested:
			c.add(e, Changes, after.Requester, after.SubmittedBy)
		case audit.EventRequestCommented:
			c.add(e, Mentioned, e.Comment.Mentions...)
		case audit.EventRequestExpiring:
			c.add(e, Expires, c.actorsOf(after, nil)...)
			c.add(e, Expires, after.Requester, after.SubmittedBy)
		case audit.EventStageReminded:
			c.add(e, Expires, c.actorsOf(before, e.Stage)...)
		case audit.EventStageDue:
			c.add(e, Expires, c.actorsOf(before, e.Stage)...)
			c.add(e, Expires, after.Requester, after.SubmittedBy)
			c.add(e, Expires, observersOf(after, e.Stage)...)
		}
	}
	if len(events) > 0 {
		c.addWaiting(before, after, events)
	}
	return c.list
}

// actorsOf returns the users that may act on a task of a stage, with their delegates; nil is any stage.
func (c *collector) actorsOf(r wf.Request, stage *wf.StageSummary) []identity.User {
	people := r.People()
	var list []identity.User
	for _, entry := range r.Inbox() {
		if stage == nil || entry.Task.StageKey == stage.Key && entry.Task.StageRun == stage.Run {
			list = append(list, c.withDelegates(r, entry, people)...)
		}
	}
	return list
}

// withDelegates returns the person of an inbox entry and their delegates.
func (c *collector) withDelegates(r wf.Request, entry wf.InboxEntry, people map[string]identity.User) []identity.User {
	return append(r.DelegatesOf(entry.UserID, r.Run(entry.Task), c.given, c.now), person(people, entry.UserID))
}

// observersOf returns the observers of a stage.
func observersOf(r wf.Request, stage *wf.StageSummary) []identity.User {
	run, _ := r.LatestRun(stage.Key)
	return run.Observers
}

func person(people map[string]identity.User, id string) identity.User {
	u := people[id]
	u.ID = id
	return u
}

// collector collects notices without duplicates.
type collector struct {
	list     []Notice
	notified map[Notice]bool // with only the id of the person, and without the event
	given    []approver.Delegation
	now      time.Time
}

func (c *collector) add(e wf.Event, kind Kind, people ...identity.User) {
	for _, u := range people {
		key := Notice{Person: identity.User{ID: u.ID}, Kind: kind}
		if u.ID == "" || u.ID == e.Actor.ID || c.notified[key] {
			continue
		}
		c.notified[key] = true
		c.list = append(c.list, Notice{u, kind, e.ID})
	}
}

// addWaiting notifies the new holders and the new eligible claimants of tasks.
func (c *collector) addWaiting(before, after wf.Request, events []wf.Event) {
	type place struct{ task, person string }
	held, offered := map[place]bool{}, map[place]bool{} // of a pool by its run: its tasks are alike
	for _, entry := range before.Inbox() {
		if entry.Role == wf.InboxCandidate {
			offered[place{before.Run(entry.Task).ID, entry.UserID}] = true
		} else {
			held[place{entry.Task.ID, entry.UserID}] = true
		}
	}
	released := map[string]bool{}
	for _, e := range events {
		if e.Type == audit.EventTaskUnclaimed {
			released[e.Task.ID] = true
		}
	}
	people := after.People()
	for _, entry := range after.Inbox() {
		if entry.Role == wf.InboxCandidate {
			if released[entry.Task.ID] || offered[place{after.Run(entry.Task).ID, entry.UserID}] {
				continue
			}
		} else if held[place{entry.Task.ID, entry.UserID}] {
			continue
		}
		c.add(causeOf(entry.Task, events), Waits, c.withDelegates(after, entry, people)...)
	}
}

// causeOf returns the event behind the assignment of a task: the last one of the task, else of its
// stage, else of the request.
func causeOf(t wf.Task, events []wf.Event) wf.Event {
	var ofTask, ofStage *wf.Event
	for i := range events {
		e := &events[i]
		if e.Task != nil && e.Task.ID == t.ID {
			ofTask = e
		}
		if e.Stage != nil && e.Stage.Key == t.StageKey && e.Stage.Run == t.StageRun {
			ofStage = e
		}
	}
	return *cmp.Or(ofTask, ofStage, &events[len(events)-1])
}
