package trail

import (
	"encoding/json"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// ServiceChain is the name of the chain of events outside any request.
const ServiceChain = "service"

// Gaps maps the first sequence number of each purged run of events of the service chain to the run.
type Gaps map[int64]audit.Gap

// Add adds the gaps of an event audit.purged. A forged gap must not end a verification.
func (g Gaps) Add(resourceID string, purged *audit.Purged) {
	if purged == nil || resourceID != ServiceChain {
		return
	}
	for _, gap := range purged.Gaps {
		if gap.First <= gap.Last {
			g[gap.First] = gap
		}
	}
}

// Event is a stored event with the members of its body that a verification reads. It omits the rest, because a
// verification decodes up to a million events.
type Event struct {
	Stored wf.StoredEvent `json:"-"`

	ID        string              `json:"id"`
	Seq       int64               `json:"seq"`
	PrevHash  string              `json:"prev_hash"`
	Type      audit.EventType     `json:"type"`
	At        identity.Stamp      `json:"at"`
	Actor     struct{ ID string } `json:"actor"`
	RequestID string              `json:"request_id"`
	Resource  wf.Resource         `json:"resource"`
	Outcome   wf.EventOutcome     `json:"outcome"`
	Reason    string              `json:"reason"`
	StateHash string              `json:"state_hash"`
	Request   *wf.RequestSummary  `json:"request"`

	Breaks     []audit.Break     `json:"breaks"`
	Checkpoint *audit.Checkpoint `json:"checkpoint"`
	Purged     *audit.Purged     `json:"purged"`
}

// Read decodes a stored event. An event without a readable body follows no event.
func Read(stored wf.StoredEvent) (e Event, readable bool) {
	if readable = json.Unmarshal([]byte(stored.Body), &e) == nil; !readable {
		e = Event{}
	}
	e.Stored = stored
	return e, readable
}

// Chain verifies the events of one chain in their order: those of a database and those of an export.
type Chain struct {
	audit.Chain // the last event
	Name        string
	Gaps        Gaps

	lost bool // the last event is invalid: the next one is checked against its own prev_hash
}

// Next verifies the next event. missing is the number of the first event that is missing before it, 0 for none. It
// skips purged gaps; the prev_hash of the event confirms the hash at the end of the gap. A restart of the service chain
// begins a new one. Unless readable, the event is invalid.
func (c *Chain) Next(e Event, readable bool) (missing int64, valid bool) {
	seq := e.Stored.Seq
	if c.Name == ServiceChain {
		for gap, purged := c.Gaps[c.Seq+1]; purged && gap.Last < seq; gap, purged = c.Gaps[c.Seq+1] {
			c.Chain, c.lost = audit.Chain{Seq: gap.Last, Hash: gap.Hash}, false
		}
	}
	if seq != c.Seq+1 {
		missing, c.Seq, c.lost = c.Seq+1, seq-1, true
	}
	before := c.Chain
	if c.lost || c.Restarts(e.Type) {
		before.Hash = e.PrevHash
	}
	_, fits := before.Next(e.Seq, e.PrevHash, e.Stored.Hash, []byte(e.Stored.Body))
	valid = fits && readable
	c.Chain, c.lost = audit.Chain{Seq: seq, Hash: e.Stored.Hash}, !valid
	return missing, valid
}

// Ends reports whether the chain ends with an event. The hash of an invalid last event is not compared.
func (c *Chain) Ends(end audit.Chain) bool {
	return c.Seq == end.Seq && (c.lost || c.Hash == end.Hash)
}

// Restarts reports whether an event starts a new service chain.
func (c *Chain) Restarts(t audit.EventType) bool {
	return c.Name == ServiceChain && t == audit.EventAuditRestarted
}
