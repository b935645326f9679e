package wf

import (
	"cmp"
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// NoticeKind is the kind of a notification.
type NoticeKind string

// The kinds of notice.
const (
	NoticeWaits     NoticeKind = "waits_for_you"
	NoticeExpires   NoticeKind = "expires_soon"
	NoticeDecided   NoticeKind = "decided"
	NoticeChanges   NoticeKind = "changes_asked"
	NoticeMentioned NoticeKind = "mentioned"

	// NoticeDigest is one daily mail with all notifications of mode daily.
	NoticeDigest NoticeKind = "digest"
)

// NoticeKinds lists the kinds with a mode per person.
var NoticeKinds = []NoticeKind{NoticeWaits, NoticeExpires, NoticeDecided, NoticeChanges, NoticeMentioned}

// NoticeMode is the delivery mode of a notification.
type NoticeMode string

// The modes: immediate, daily digest, or off.
const (
	NoticeInstant NoticeMode = "instant"
	NoticeDaily   NoticeMode = "daily"
	NoticeNone    NoticeMode = "none"
)

// Values returns every value.
func (NoticeMode) Values() []NoticeMode {
	return []NoticeMode{NoticeInstant, NoticeDaily, NoticeNone}
}

// NoticeSettings holds the notification settings of a person.
type NoticeSettings struct {
	Waits, Expires, Decided, Changes, Mentioned NoticeMode

	Language string // a language of package words; empty for that of the service
	Zone     string // of the clock that the person reads, such as Europe/Paris; empty for that of the service
}

// DefaultNotices returns the default settings: immediate notification of every kind.
func DefaultNotices() NoticeSettings {
	return NoticeSettings{Waits: NoticeInstant, Expires: NoticeInstant, Decided: NoticeInstant, Changes: NoticeInstant, Mentioned: NoticeInstant}
}

// Mode returns the delivery mode of a kind.
func (s NoticeSettings) Mode(k NoticeKind) NoticeMode {
	mode, known := map[NoticeKind]NoticeMode{
		NoticeWaits: s.Waits, NoticeExpires: s.Expires, NoticeDecided: s.Decided, NoticeChanges: s.Changes, NoticeMentioned: s.Mentioned,
	}[k]
	if !known {
		return NoticeInstant
	}
	return mode
}

// Daily reports whether any kind has mode daily.
func (s NoticeSettings) Daily() bool {
	return slices.ContainsFunc(NoticeKinds, func(k NoticeKind) bool { return s.Mode(k) == NoticeDaily })
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

// Notice is a notification of a person about an event.
type Notice struct {
	Person  identity.User
	Kind    NoticeKind
	EventID string
}

// Notices returns the notifications caused by a transition, one per person and kind. People are not
// notified of their own actions, nor of requests without a part in them.
//
// The receivers are new holders and new candidates of tasks (not those of a task returned to its
// pool), and people mentioned in comments. Requester and submitter receive final outcomes and
// requests for changes. Before the expiry, the requester and all possible actors are notified.
func Notices(before, after Request, events []Event) []Notice {
	t := teller{seen: map[Notice]bool{}}
	for _, e := range events {
		switch e.Type {
		case audit.EventRequestApproved, audit.EventRequestRejected, audit.EventRequestCancelled, audit.EventRequestExpired:
			t.tell(e, NoticeDecided, after.Requester, after.SubmittedBy)
		case audit.EventRequestChangesRequested:
			t.tell(e, NoticeChanges, after.Requester, after.SubmittedBy)
		case audit.EventRequestCommented:
			t.tell(e, NoticeMentioned, e.Comment.Mentions...)
		case audit.EventRequestExpiring:
			t.tell(e, NoticeExpires, after.asked()...)
			t.tell(e, NoticeExpires, after.Requester, after.SubmittedBy)
		}
	}
	if len(events) > 0 {
		t.waits(before, after, events)
	}
	return t.list
}

// asked returns the people who may act on the request now, with their names if present.
func (r Request) asked() []identity.User {
	people := r.People()
	var list []identity.User
	for _, entry := range r.Inbox() {
		list = append(list, person(people, entry.UserID))
	}
	return list
}

func person(people map[string]identity.User, id string) identity.User {
	u := people[id]
	u.ID = id
	return u
}

// teller collects notices.
type teller struct {
	list []Notice
	seen map[Notice]bool // with only the id of the person, and without the event
}

func (t *teller) tell(e Event, kind NoticeKind, people ...identity.User) {
	for _, u := range people {
		key := Notice{Person: identity.User{ID: u.ID}, Kind: kind}
		if u.ID == "" || u.ID == e.Actor.ID || t.seen[key] {
			continue
		}
		t.seen[key] = true
		t.list = append(t.list, Notice{u, kind, e.ID})
	}
}

// waits notifies the new holders and the new eligible claimants of tasks.
func (t *teller) waits(before, after Request, events []Event) {
	type place struct{ task, person string }
	held, offered := map[place]bool{}, map[place]bool{} // of a pool by its run: its tasks are alike
	for _, entry := range before.Inbox() {
		if entry.Role == InboxCandidate {
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
		if entry.Role == InboxCandidate {
			if released[entry.Task.ID] || offered[place{after.Run(entry.Task).ID, entry.UserID}] {
				continue
			}
		} else if held[place{entry.Task.ID, entry.UserID}] {
			continue
		}
		t.tell(causeOf(entry.Task, events), NoticeWaits, person(people, entry.UserID))
	}
}

// causeOf returns the event behind the assignment of a task: the last one of the task, else of its
// stage, else of the request.
func causeOf(t Task, events []Event) Event {
	var ofTask, ofStage *Event
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
