package trail

import (
	"github.com/countersign/countersign/services/wf/audit"
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

// Link is the place of an event in its chain: the members of its body, and its stored hash and bytes.
type Link struct {
	Seq      int64 // as stored
	Said     int64 // in the body
	PrevHash string
	Type     audit.EventType
	Hash     string
	Body     []byte
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
func (c *Chain) Next(l Link, readable bool) (missing int64, valid bool) {
	if c.Name == ServiceChain {
		for gap, purged := c.Gaps[c.Seq+1]; purged && gap.Last < l.Seq; gap, purged = c.Gaps[c.Seq+1] {
			c.Chain, c.lost = audit.Chain{Seq: gap.Last, Hash: gap.Hash}, false
		}
	}
	if l.Seq != c.Seq+1 {
		missing, c.Seq, c.lost = c.Seq+1, l.Seq-1, true
	}
	before := c.Chain
	if c.lost || c.Restarts(l.Type) {
		before.Hash = l.PrevHash
	}
	_, fits := before.Next(l.Said, l.PrevHash, l.Hash, l.Body)
	valid = fits && readable
	c.Chain, c.lost = audit.Chain{Seq: l.Seq, Hash: l.Hash}, !valid
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
