package wf

import (
	"time"

	"github.com/countersign/countersign/libs/paging"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/policy"
)

// Page is a page of a list. The filter contains the visible rows, so a cursor is not valid for a caller with
// other rows. Other strings are refused.
//
// A row that exists during all pages appears exactly once, unless its sort key changes.
type Page = paging.Page

// RequestFilter filters a list of requests. In all filters, zero members have no effect and the values of
// a slice are alternatives.
type RequestFilter struct {
	Status       []RequestStatus
	PolicyKey    []string
	ArtifactType []string
	ArtifactID   []string
	Requester    string // user id
	Participant  string // user id of a participant
	Own          string // like Participant, for a caller without a role

	// Owned adds the requests of these policies to those of Own: the caller is an owner.
	Owned []string

	CreatedAfter, CreatedBefore time.Time // both exclusive

	Standing    []Standing
	ValidBefore time.Time // exclusive; approvals whose validity ends before

	Q      string // part of the title or the artifact's id, in any case
	Labels map[string]string

	// Due selects open requests with a running stage whose due date meets it.
	Due DueFilter

	Sort string // see TaskFilter

	// AsOf is the time of Status and Standing: an open request past its expiry at AsOf is expired, an approval
	// past its validity has lapsed. Zero is the time of the read.
	AsOf time.Time `json:"-"` // pages of one list are read at different times
}

// DueFilter selects by a due date.
type DueFilter struct {
	Overdue *bool     // the date is reached, or is not, or there is none
	Before  time.Time // exclusive
}

// TaskFilter filters a list of tasks.
type TaskFilter struct {
	Own       string // user id of a caller without a role: only tasks of requests in which they participate
	Assignee  string // user id of the holder
	Candidate string // user id of an eligible claimant
	Inbox     string // user id of a holder, candidate or delegate

	// Role limits Inbox to tasks on which the person may act in this role.
	Role InboxRole

	// Delegations holds the delegations in force to the person of Inbox: the tasks of their delegators are included.
	Delegations []approver.Delegation `json:"-"`

	RequestID    string
	Status       []TaskStatus
	StageKey     []string
	PolicyKey    []string
	ArtifactType []string
	Kind         TaskKind
	Due          DueFilter
	Q            string // part of the request's title or artifact id, in any case

	// Sort is created_at, newest first, when empty; age, oldest first; priority, most urgent first, then oldest; or
	// due_at, earliest first, those without a date last.
	Sort string

	// AsOf is the time of Status and of permissions: tasks of requests past their expiry at AsOf are cancelled.
	// Zero is the time of the read; counts then use the stored status.
	AsOf time.Time `json:"-"` // pages of one list are read at different times
}

// TaskItem is a task in a list with its policy, stage run and request.
type TaskItem struct {
	Task    Task
	Run     StageRun
	Policy  policy.Definition
	Request Request
	Now     time.Time // of the read

	Delegations []approver.Delegation // in force to the reader
}

// Stage returns the definition of the task's stage. Templates call it.
func (i TaskItem) Stage() policy.Stage {
	stage, _ := i.Policy.Stage(i.Task.StageKey)
	return stage
}

// Case returns the request of the item.
func (i TaskItem) Case() Case {
	return Case{Request: i.Request, Definition: i.Policy, Now: i.Now, Delegations: i.Delegations}
}

// ItemOf returns a task of a request at a time. It ends with its request, also before a job records the end.
func (r Request) ItemOf(task string, now time.Time) TaskItem {
	i := TaskItem{Request: r.AsOf(now), Now: now}
	i.Task, _ = i.Request.Task(task)
	i.Run = i.Request.Run(i.Task)
	return i
}

// MaxCount bounds the counts of lists.
const MaxCount = 10_000

// TaskCount is the number of tasks of a policy with a status.
type TaskCount struct {
	Status    TaskStatus
	PolicyKey string
	Count     int64
	Overdue   int64 // of these
}

// TotalOf returns the sum of counts.
func TotalOf(counts []TaskCount) (total int64) {
	for _, c := range counts {
		total += c.Count
	}
	return total
}

// InboxFigures are the numbers of a person's open tasks, of MaxCount and one at most.
type InboxFigures struct {
	Tasks, Overdue       int64
	Day, ThreeDays, Week int64 // created within this time
}

// PolicyFigures are the numbers of a policy's tasks and requests at a time. Times are Unix milliseconds.
type PolicyFigures struct {
	PolicyKey                string
	Tasks, Overdue, OldestMS int64 // open tasks, and the creation of the oldest; 0 without one
	Requests                 int64 // created in the last 30 days
	Decided                  int64 // approved or rejected in the last 30 days
	MedianMS, NinetyMS       int64 // from the creation of these to the decision: at most that for 50 % and 90 % of them
	AtMS                     int64
}

// PolicyFilter filters a list of policies. One version, the active or the latest, must satisfy all
// conditions.
type PolicyFilter struct {
	Status []policy.VersionStatus
	Q      string // part of the key or of the name, in any case
	Labels map[string]string
	Keys   []string // of the policies; nil for all
	Brief  bool     `json:"-"` // without the numbers of open requests, which are counted for each version
}

// Policy is a key with its active and its latest version.
type Policy struct {
	Key    string
	Active *policy.Version // nil when none is active
	Latest policy.Version  // the highest number; it may be the active one
}

// DelegationFilter filters a list of delegations.
type DelegationFilter struct {
	User       string // user id of the owner
	DelegateTo string // user id
	Own        string // user id of either, for a caller without a role
	Status     []approver.DelegationStatus
}

// AuditFilter filters a list of events of all chains.
type AuditFilter struct {
	Types     []audit.EventType
	Actor     string // user id
	RequestID string // its chain and the service's events about it
	Chain     string // the id of a request, or service
	Outcome   EventOutcome

	// The object of events of the service's own chain.
	ResourceType ResourceType
	ResourceID   string

	CreatedAfter, CreatedBefore time.Time // both exclusive
}

// AuditEvent is an event with the name of its chain.
type AuditEvent struct {
	Chain string
	Event
}

// StoredEvent is a stored event: its place in a chain, its hash, and the hashed bytes.
type StoredEvent struct {
	Chain string
	Seq   int64
	Hash  string
	Body  string
}

// InboxRole is the role of a person for a task in their inbox.
type InboxRole string

// The roles: the holder, the candidates for an unassigned pool task, and the delegates of either. Only lists of tasks
// have InboxDelegate.
const (
	InboxHolder    InboxRole = "holder"
	InboxCandidate InboxRole = "candidate"
	InboxDelegate  InboxRole = "delegate"
)

// InboxEntry is a task with a user permitted to act now.
type InboxEntry struct {
	UserID string
	Role   InboxRole
	Task   Task
}

// Inbox returns the users permitted to act on each task now, once per task, without their delegates.
func (r Request) Inbox() []InboxEntry {
	var entries []InboxEntry
	for _, t := range r.Tasks {
		if !t.Status.live() {
			continue
		}
		seen := map[string]bool{}
		add := func(id string, role InboxRole) {
			if !seen[id] {
				seen[id] = true
				entries = append(entries, InboxEntry{id, role, t})
			}
		}
		if t.Assignee != nil {
			add(t.Assignee.ID, InboxHolder)
			continue
		}
		for _, taker := range r.Run(t).EligibleClaimants(t, r.Tasks) {
			add(taker.ID, InboxCandidate)
		}
	}
	return entries
}
