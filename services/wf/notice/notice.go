// Package notice computes the notifications that a transition of a request causes.
package notice

import (
	"cmp"
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf"
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

	// Delegated is about a delegation in the person's name. It has no mode: each is sent immediately, because the
	// delegate may decide for the person.
	Delegated Kind = "delegated"

	// Digest is one daily mail with all notifications of mode daily.
	Digest Kind = "digest"
)

// Kinds lists the kinds with a mode per person.
var Kinds = []Kind{Waits, Expires, Decided, Changes, Mentioned}

// Mode is the delivery mode of a notification.
type Mode string

// The modes: immediate, daily digest, or off.
const (
	Instant Mode = "instant"
	Daily   Mode = "daily"
	None    Mode = "none"
)

// Values returns every value.
func (Mode) Values() []Mode {
	return []Mode{Instant, Daily, None}
}

// Settings holds the notification settings of a person.
type Settings struct {
	Waits, Expires, Decided, Changes, Mentioned Mode

	Language string // a language of package words; empty for that of the service
	Zone     string // IANA time zone such as Europe/Paris; empty for that of the service
}

// Default returns the default settings: immediate notification of every kind.
func Default() Settings {
	return Settings{Waits: Instant, Expires: Instant, Decided: Instant, Changes: Instant, Mentioned: Instant}
}

// Mode returns the delivery mode of a kind.
func (s Settings) Mode(k Kind) Mode {
	mode, known := map[Kind]Mode{
		Waits: s.Waits, Expires: s.Expires, Decided: s.Decided, Changes: s.Changes, Mentioned: s.Mentioned,
	}[k]
	if !known {
		return Instant
	}
	return mode
}

// Without returns the settings without the mails of a kind; Digest stands for every kind of mode daily.
func (s Settings) Without(kind Kind) Settings {
	for k, mode := range map[Kind]*Mode{
		Waits: &s.Waits, Expires: &s.Expires, Decided: &s.Decided, Changes: &s.Changes, Mentioned: &s.Mentioned,
	} {
		if k == kind || kind == Digest && *mode == Daily {
			*mode = None
		}
	}
	return s
}

// HasDaily reports whether any kind has mode daily.
func (s Settings) HasDaily() bool {
	return slices.ContainsFunc(Kinds, func(k Kind) bool { return s.Mode(k) == Daily })
}

// NextDigest returns the time of the next digest after a time, at the given hour in the time zone.
func NextDigest(after time.Time, hour int, zone *time.Location) time.Time {
	day := after.In(zone)
	next := time.Date(day.Year(), day.Month(), day.Day(), hour, 0, 0, 0, zone)
	if !next.After(after) {
		next = time.Date(day.Year(), day.Month(), day.Day()+1, hour, 0, 0, 0, zone)
	}
	return next
}

// Notice is a notification of a user about an event.
type Notice struct {
	Person  identity.User
	Kind    Kind
	EventID string
}

// Collect returns the notifications caused by a transition, one per person and kind. People are not
// notified of their own actions, nor of requests without a part in them.
//
// The receivers are new holders and new candidates of tasks (not those of a task returned to its
// pool), and people mentioned in comments. Requester and submitter receive final outcomes,
// the end of an approval (except its consumption) and requests for changes. Before the expiry, the
// requester and all possible actors are notified. Reminders of a stage go to its possible actors, and its due date
// also to requester, submitter and observers. An approver added by the same transition is notified of the task only.
func Collect(before, after wf.Request, events []wf.Event) []Notice {
	c := collector{notified: map[Notice]bool{}}
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
			c.add(e, Expires, possibleActors(after)...)
			c.add(e, Expires, after.Requester, after.SubmittedBy)
		case audit.EventStageReminded:
			c.add(e, Expires, actorsOf(before, e.Stage)...)
		case audit.EventStageDue:
			c.add(e, Expires, actorsOf(before, e.Stage)...)
			c.add(e, Expires, after.Requester, after.SubmittedBy)
			c.add(e, Expires, observersOf(after, e.Stage)...)
		}
	}
	if len(events) > 0 {
		c.addWaiting(before, after, events)
	}
	return c.list
}

// possibleActors returns the users that may act on a task of the request now, with their names if present.
func possibleActors(r wf.Request) []identity.User {
	people := r.People()
	var list []identity.User
	for _, entry := range r.Inbox() {
		list = append(list, person(people, entry.UserID))
	}
	return list
}

// actorsOf returns the users that may act on a task of a stage.
func actorsOf(r wf.Request, stage *wf.StageSummary) []identity.User {
	people := r.People()
	var list []identity.User
	for _, entry := range r.Inbox() {
		if entry.Task.StageKey == stage.Key && entry.Task.StageRun == stage.Run {
			list = append(list, person(people, entry.UserID))
		}
	}
	return list
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
		c.add(causeOf(entry.Task, events), Waits, person(people, entry.UserID))
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
