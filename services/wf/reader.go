package wf

import (
	"net/url"
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

// Reader is a caller with read access to a request, and their part in it. Its methods are the only code that
// withholds members from users: in replies and pages. Stored values and hashes are not affected.
type Reader struct {
	identity.Actor
	Part     bool // a participant of the request, or a delegate with a right, see Case.HasPart
	Consumer bool // settings.consumers names the caller: read access to the request
}

// Participates reports whether the user with this id is a participant of the request. Participants read all of it,
// comment and are mentioned. A user that lost their part without a decision is none.
func (r Request) Participates(id string) bool {
	_, ok := r.Participants()[id]
	return ok
}

// Participants returns the participants by id: requester, submitter, observers, candidates of running stages, assignees
// of tasks, and actors of decisions.
func (r Request) Participants() people {
	present := people{r.SubmittedBy.ID: r.SubmittedBy, r.Requester.ID: r.Requester}
	for _, run := range r.Stages {
		for _, u := range run.Observers {
			present.add(&u)
		}
		for _, a := range run.People {
			if run.Pool && run.Status.running() && !a.Ineligible { // with each, only a task is a part
				present.add(&a.User)
			}
		}
	}
	for _, t := range r.Tasks {
		if t.CloseReason != ClosedApproverLost {
			present.add(t.Assignee)
		}
		if t.Decision != nil && t.Decision.Actor.Kind != identity.ActorSystem {
			present.add(new(t.Decision.Actor.User()))
		}
	}
	return present
}

// MayRead reports whether the caller may read the request.
func (rd Reader) MayRead() bool { return rd.Part || rd.Consumer || rd.isViewer() }

// isViewer reports whether the caller reads every request of the policy.
func (rd Reader) isViewer() bool { return rd.Owner || rd.Has(identity.RoleViewer) }

// Request returns the request as visible to the reader. It omits the query of callback_url (except for
// WF_VIEWER), the evidence of decisions that the reader may not see and, for WF_VIEWER and consumers without a
// part in the request, the content that settings.redact selects.
func (rd Reader) Request(r Request, def policy.Definition) Request {
	shown := r
	if !rd.isViewer() {
		shown.CallbackURL = withoutQuery(r.CallbackURL)
	}
	shown.Context = rd.Content(r.Context, def)
	shown.Tasks = slices.Clone(r.Tasks)
	for i, t := range shown.Tasks {
		if !rd.seesEvidence(r, t.StageKey, t.StageRun) {
			shown.Tasks[i].Decision = t.Decision.withoutEvidence()
		}
	}
	return shown
}

// Content returns the context of a revision as visible to the reader.
func (rd Reader) Content(context []byte, def policy.Definition) []byte {
	if rd.Part || rd.Manages() {
		return context
	}
	return def.Settings.RedactContext(context)
}

// Event returns an event of the request as visible to the reader. It omits evidence like Request, and the
// authentication of the actor.
func (rd Reader) Event(r Request, e Event) Event {
	stage, run := "", 0 // the event of no stage concerns the whole request
	if e.Stage != nil {
		stage, run = e.Stage.Key, e.Stage.Run
	}
	if !rd.seesEvidence(r, stage, run) {
		e.Auth, e.Decision = identity.Auth{}, e.Decision.withoutEvidence()
	}
	return e
}

// seesEvidence reports whether the reader sees the data, attachments and authentication of the decisions of a stage
// run: the requester, the submitter, actors with a decision in the run, and WF_VIEWER.
func (rd Reader) seesEvidence(r Request, stage string, run int) bool {
	return rd.isViewer() || rd.ID == r.Requester.ID || rd.ID == r.SubmittedBy.ID || slices.ContainsFunc(r.Tasks, func(t Task) bool {
		return t.StageKey == stage && t.StageRun == run && t.Decision != nil && t.Decision.Actor.ID == rd.ID
	})
}

// withoutEvidence returns the decision without its data, attachments and authentication. d may be nil.
func (d *Decision) withoutEvidence() *Decision {
	if d == nil {
		return nil
	}
	shown := *d
	shown.Data, shown.Attachments, shown.Auth = nil, nil, identity.Auth{}
	return &shown
}

// withoutQuery returns a URL without user, query and fragment, which may contain secrets.
func withoutQuery(text string) string {
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil {
		return "" // unreachable: the engine validates URLs
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, Opaque: u.Opaque}).String()
}

// Case is a request with its definition.
type Case struct {
	Request    Request
	Definition policy.Definition
	Events     []Event   // the events of the operation; empty for reads
	Now        time.Time // of the read or the operation
	Owner      bool      // the reader is an owner of the policy

	Delegations []approver.Delegation // in force, to the reader and behind the claims of delegates
}

// VisibleTo returns the case as visible to a reader.
func (c Case) VisibleTo(rd Reader) Case {
	c.Request = rd.Request(c.Request, c.Definition)
	return c
}

// VisibleToCaller returns the case as visible to the caller of the operation. The caller caused its events.
func (c Case) VisibleToCaller(by identity.Actor) Case {
	return c.VisibleTo(Reader{Actor: by, Part: c.HasPart(by.ID)})
}

// HasPart reports whether the user with this id is a participant of the request, or may act in it as a delegate now.
func (c Case) HasPart(id string) bool {
	if c.Request.Participates(id) {
		return true
	}
	_, waits := c.WaitsFor(id)
	return waits
}

// WaitsFor returns the first task on which a user may act now: their own, or as a delegate.
func (c Case) WaitsFor(id string) (Task, bool) {
	inbox := c.Request.Inbox()
	for _, entry := range inbox {
		if entry.UserID == id {
			return entry.Task, true
		}
	}
	for _, entry := range inbox {
		given := c.Request.delegators(c.Request.Run(entry.Task), id, c.Delegations, c.Now)
		if slices.ContainsFunc(given, func(u identity.User) bool { return u.ID == entry.UserID }) {
			return entry.Task, true
		}
	}
	return Task{}, false
}
