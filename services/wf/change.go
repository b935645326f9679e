package wf

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/quorum"
	"github.com/countersign/countersign/services/wf/reason"
)

// Step is one transition of a request, with its input. It is an act of a caller or of the service.
type Step func(*change) error

// Apply applies a step to the request. It returns a changed copy and the events to store with it. After a refusal it
// returns the request without changes and no event, unless the refusal has an effect, such as an expiry. With open
// questions it returns them alone.
func (r Request) Apply(def policy.Definition, by identity.Actor, f Facts, step Step) (Request, []Event, error) {
	c := newChange(r, def, by, f)
	return c.end(step(c))
}

// change is a transition in progress: a copy of the request and the events recorded so far.
type change struct {
	req      Request
	before   Request // without the changes
	def      policy.Definition
	facts    Facts
	finder   *approver.Finder
	ids      ids
	by       identity.Actor
	call     call   // the caller's, also while the service itself acts
	reason   string // of the event being noted
	because  StatusReason
	starting bool                    // the request is being created and may be refused
	stale    bool                    // the membership of the actor could not be rechecked
	keep     bool                    // changes are stored despite the refusal
	votes    map[string]quorum.Cause // by id of the stage run: cause from the caller's decision
	events   []Event
}

// runChange is a transition at one of its stage runs.
type runChange struct {
	c   *change
	run *StageRun
}

// taskChange is a transition at one of its tasks.
type taskChange struct {
	c    *change
	run  *StageRun
	task *Task
}

func (c *change) onRun(run *StageRun) runChange { return runChange{c, run} }

func (s runChange) onTask(task *Task) taskChange { return taskChange{s.c, s.run, task} }

// at returns the transition at the run of the task.
func (t taskChange) at() runChange { return runChange{t.c, t.run} }

// call identifies the call that caused the events.
type call struct{ id, traceparent string }

// newChange starts a transition on a copy.
func newChange(r Request, def policy.Definition, by identity.Actor, f Facts) *change {
	c := &change{
		req: r, before: r, def: def, facts: f, by: by, call: call{by.CallID, by.Traceparent},
		finder: &approver.Finder{Answers: f.Answers, Directory: f.Directory},
		ids:    ids{seed: f.Seed, at: f.At}, votes: map[string]quorum.Cause{},
	}
	c.req.Stages, c.req.Tasks = slices.Clone(r.Stages), r.WithClaims(f.Delegations, f.At).Tasks
	for i := range c.req.Stages {
		c.req.Stages[i].People = slices.Clone(c.req.Stages[i].People)
	}
	return c
}

// atTask returns the step of an act of a person on the task with the id.
func atTask(id string, act func(taskChange) error) Step {
	return func(c *change) error {
		i := slices.IndexFunc(c.req.Tasks, func(t Task) bool { return t.ID == id })
		if i < 0 {
			return refusal.New(reason.TaskNotFound, "no task %s", id)
		}
		if err := RequirePerson(c.by); err != nil {
			return err
		}
		task := &c.req.Tasks[i]
		run := slices.IndexFunc(c.req.Stages, func(run StageRun) bool { return run.Owns(*task) })
		return act(taskChange{c, &c.req.Stages[run], task})
	}
}

// stage returns the definition of the run's stage, with the values computed for the run.
func (s runChange) stage() policy.Stage { return s.run.Stage(s.c.def) }

// note appends an event and returns it for further members. run and task may be nil.
func (c *change) note(kind audit.EventType, run *StageRun, task *Task) *Event {
	c.req.Standing = c.req.Standing.At(c.req.ValidFrom, c.facts.At)
	e := Event{
		Type: kind, At: identity.Stamp{Time: c.facts.At},
		Actor: c.by.Ref(), Auth: c.by.Auth, Client: c.by.Client, Acting: c.by.Acting,
		Resource: Resource{Type: "request", ID: c.req.ID}, RequestID: c.req.ID, Request: c.req.Summary(), Reason: c.reason,
		CallID: c.call.id, Traceparent: c.call.traceparent,
	}
	if run != nil {
		e.Stage = &StageSummary{
			Key: run.Key, Name: run.Name, Run: run.Run, Status: run.Status, Skip: run.Skip, Error: run.LastError,
			DueAt: identity.StampOf(run.DueAt),
		}
		e.Resource = Resource{Type: "stage", ID: run.ID}
	}
	if task != nil {
		e.Task = &TaskSummary{
			ID: task.ID, Kind: task.Kind, StageKey: task.StageKey, Seat: task.Seat, Status: task.Status,
			Assignee: task.Assignee, ClaimedBy: task.ClaimedBy, ReassignedFrom: task.ReassignedFrom, CloseReason: task.CloseReason,
		}
		if kind == audit.EventTaskDecided {
			e.Decision = task.Decision
		}
		e.MembershipStale = c.stale && (kind == audit.EventTaskDecided || kind == audit.EventTaskClaimed)
		e.Resource = Resource{Type: "task", ID: task.ID}
	}
	c.events = append(c.events, e)
	return &c.events[len(c.events)-1]
}

// end returns the changed request with its events, linked to its chain; see Apply. Without an event, only retry times
// have changed.
func (c *change) end(refused error) (Request, []Event, error) {
	if err := c.finder.Unasked(); err != nil {
		return c.before, nil, err
	}
	if refused != nil && !c.keep {
		return c.before, nil, refused
	}
	for i, t := range c.before.Tasks { // the end of a delegation writes no task
		if c.req.Tasks[i].Rev == t.Rev {
			c.req.Tasks[i].ClaimedBy = t.ClaimedBy
		}
	}
	c.setTimers()
	c.req.Encoded = nil
	if len(c.events) == 0 {
		return c.req, nil, refused
	}
	c.req.UpdatedAt = c.facts.At
	c.req.Rev++
	document, err := c.req.Document()
	if err != nil {
		return c.before, nil, err
	}
	c.req.Encoded = &document
	state := document.Hash()
	for i, e := range c.events {
		e.ID, e.StateHash = c.facts.Seed.EventID(c.facts.At, c.req.Chain.Seq+1), state
		if c.req.Chain, c.events[i], err = e.Link(c.req.Chain); err != nil {
			return c.before, nil, err
		}
	}
	return c.req, c.events, refused
}

// Facts holds the external data of a transition. A transition makes no calls. It returns missing answers as the error
// [approver.Unasked]; the caller asks them and repeats the transition.
type Facts struct {
	At        time.Time
	Seed      Seed // of the transition's ids
	Directory bool // a directory is configured
	Answers   approver.Answers

	// Delegations holds the delegations in force to the caller and to delegates with a claim.
	Delegations []approver.Delegation

	// TrustMembership skips the membership recheck. Simulations set it.
	TrustMembership bool
}

// Seed generates the ids of one transition. It is random and used for one transition only.
type Seed [16]byte

// EventID returns the id of an event by its number in the chain. Ids of one chain sort by time and number.
func (s Seed) EventID(at time.Time, seq int64) string {
	return s.uuid(at, uint16(seq&0xfff), "event") // #nosec G115 -- 12 bits
}

// uuid returns a UUIDv7 (RFC 9562, section 5.7) with a 12-bit number after the time. Equal arguments give
// equal ids.
func (s Seed) uuid(at time.Time, n uint16, kind string) string {
	hash := sha256.Sum256(append(binary.BigEndian.AppendUint16(s[:], n), kind...))
	stamp := uint64(at.UnixMilli()) << 16 // #nosec G115 -- times are after 1970
	id := binary.BigEndian.AppendUint64(nil, stamp|0x7000|uint64(n&0xfff))
	id = append(id, hash[:8]...)
	id[8] = id[8]&0x3f | 0x80
	text := hex.EncodeToString(id)
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// ids generates the ids of a transition, in order.
type ids struct {
	seed Seed
	at   time.Time
	n    uint16
}

func (i *ids) next() string {
	i.n++
	return i.seed.uuid(i.at, i.n, "")
}
