package wf

import (
	"time"

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
}

// VisibleTo returns the case as visible to a reader.
func (c Case) VisibleTo(rd Reader) Case {
	c.Request = rd.Request(c.Request, c.Definition)
	return c
}

// VisibleToCaller returns the case as visible to the caller of the operation. The caller caused its events.
func (c Case) VisibleToCaller(by identity.Actor) Case {
	return c.VisibleTo(Reader{Actor: by, Part: c.Request.Participates(by.ID)})
}
