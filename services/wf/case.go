package wf

import (
	"slices"
	"time"

	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/policy"
)

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
	_, waits := c.WaitsFor(id)
	return waits || c.Request.Participates(id)
}

// WaitsFor returns the first task on which a user may act now: their own, or as a delegate.
func (c Case) WaitsFor(id string) (Task, bool) {
	for _, entry := range c.Request.Inbox() {
		if entry.UserID == id {
			return entry.Task, true
		}
	}
	for _, entry := range c.Request.Inbox() {
		given := c.Request.delegators(c.Request.Run(entry.Task), id, c.Delegations, c.Now)
		if slices.ContainsFunc(given, func(u identity.User) bool { return u.ID == entry.UserID }) {
			return entry.Task, true
		}
	}
	return Task{}, false
}
