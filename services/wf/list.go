package wf

import (
	"slices"
	"time"
)

// Page is a part of a list: at most Limit items (50 when zero, never more than 200)
// after the place where Cursor points. Cursor is empty for the first page and else
// what the page before returned as nextPage. A cursor is good for the list, filter and
// sort that it was made for, whoever sends it: the filter says whose rows a list shows,
// so one person's cursor is no other's where they see different rows. Any other text is
// refused.
//
// Rows that come and go between two pages are seen or not, but no row that stays is
// seen twice or missed, unless what the list is sorted by changes.
type Page struct {
	Limit  int
	Cursor string
}

// RequestFilter narrows a list of requests. In this filter and the others, what is zero
// does not narrow, and the values of a slice are alternatives.
type RequestFilter struct {
	Status       []RequestStatus
	PolicyKey    []string
	ArtifactType []string
	ArtifactID   []string
	Requester    string // user id
	Participant  string // user id of a present or former participant
	Own          string // like Participant: what a caller without a role may see

	CreatedAfter, CreatedBefore time.Time // both exclusive

	Q      string // part of the title or the artifact's id, in any case
	Labels map[string]string

	Sort string // created_at (when empty) or updated_at, newest first

	// AsOf is when Status is asked: an open request whose time is over by then has
	// expired. Zero is when the list is read.
	AsOf time.Time `json:"-"` // the pages of a list are asked for at different times
}

// TaskFilter narrows a list of tasks.
type TaskFilter struct {
	Assignee  string // user id of the holder
	Candidate string // user id of an eligible claimant
	Inbox     string // user id of a holder, delegate or candidate

	// Role narrows Inbox to the tasks on which the person may act in this role.
	Role InboxRole

	RequestID    string
	Status       []TaskStatus
	StageKey     []string
	PolicyKey    []string
	ArtifactType []string
	Kind         TaskKind
	Q            string // part of the request's title or artifact id, in any case

	// Sort is created_at, newest first, when empty; or priority, the most urgent
	// first and of those the oldest.
	Sort string

	// AsOf is when Status is asked, and who may act: with a request whose time is over by
	// then, its tasks are cancelled. Zero is when a list is read; counts then take what is
	// stored.
	AsOf time.Time `json:"-"` // the pages of a list are asked for at different times
}

// TaskItem is a task in a list, with its policy, and what lists show of the run of it and of
// its request. The people of the run and its assigned tasks, Siblings, are loaded for an
// unassigned task of a pool, and for the caller's own task if NeedsReceivers says so.
type TaskItem struct {
	Task     Task
	Run      StageRun
	Policy   Definition
	Siblings []Task
	Request  Request
}

// Stage is the definition of the task's stage.
func (i TaskItem) Stage() Stage {
	stage, _ := i.Policy.Stage(i.Task.StageKey)
	return stage
}

// NeedsReceivers reports whether the actions of the caller depend on the people of the run:
// the caller holds the task and may reassign it only to approvers of the stage.
func (i TaskItem) NeedsReceivers(by Actor) bool {
	c := &change{def: i.Policy, by: by}
	return i.Task.Status.live() && !c.reassignsToAnyone(i.Run) && c.mayReassign(i.Task, i.Stage()) == nil
}

// AsOf is the task as it is to be read: it ends with its request, whether or not
// somebody has noticed.
func (i TaskItem) AsOf(now time.Time) TaskItem {
	r := i.Request
	if !r.Overdue(now) {
		return i
	}
	r.Stages, r.Tasks = []StageRun{i.Run}, append(slices.Clone(i.Siblings), i.Task)
	r = r.AsOf(now)
	last := len(r.Tasks) - 1
	i.Run, i.Siblings, i.Task = r.Stages[0], r.Tasks[:last:last], r.Tasks[last]
	r.Stages, r.Tasks = nil, nil
	i.Request = r
	return i
}

// MaxCount is how far lists are counted.
const MaxCount = 10_000

// TaskCount is how many tasks of a policy have a status.
type TaskCount struct {
	Status    TaskStatus
	PolicyKey string
	Count     int64
}

// PolicyFilter narrows a list of policies. Its conditions must all hold for one version:
// the active one or the latest.
type PolicyFilter struct {
	Status []VersionStatus
	Q      string // part of the key or of the name, in any case
	Labels map[string]string
}

// Policy is a key with the versions that matter most.
type Policy struct {
	Key    string
	Active *Version // nil when none is active
	Latest Version  // the highest number; it may be the active one
}

// DelegationFilter narrows a list of delegations.
type DelegationFilter struct {
	User       string // user id of the owner
	DelegateTo string // user id
	Own        string // user id of either: what a caller without a role may see
	Status     []DelegationStatus
}

// AuditFilter narrows a list of events of all chains.
type AuditFilter struct {
	Types        []EventType
	Actor        string // user id
	RequestID    string // events of its chain, and those of the service that are about it
	Chain        string // the id of a request, or service
	ResourceType string
	ResourceID   string
	Outcome      EventOutcome
	ErrorCode    string

	CreatedAfter, CreatedBefore time.Time // both exclusive

	Oldest bool // first; else the newest are
}

// AuditEvent is an event with the name of its chain.
type AuditEvent struct {
	Chain string
	Event
}

// StoredEvent is an event as it is stored: its place in a chain, its hash, and the bytes
// that were hashed.
type StoredEvent struct {
	Chain string
	Seq   int64
	Hash  string
	Body  string
}
