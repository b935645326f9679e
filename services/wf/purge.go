package wf

import "github.com/countersign/countersign/services/wf/identity"

// Purged is what is left of events that were deleted because they were old enough. It
// stands in the service's chain, so that what follows them can be verified, and so that
// a deletion without it is seen.
type Purged struct {
	Events int64  `json:"events" doc:"How many events were deleted."`
	Last   int64  `json:"last" doc:"seq of the last of them."`
	Hash   string `json:"hash" doc:"Hash of the last of them; of a request the end of its chain."`
	Gaps   []Gap  `json:"gaps,omitempty" doc:"Where the chain has lost events, in order. Absent when all of it is deleted."`
}

// Gap is a run of events that were deleted from the middle of a chain.
type Gap struct {
	First int64  `json:"first" doc:"seq of the first of them."`
	Last  int64  `json:"last" doc:"seq of the last of them."`
	Hash  string `json:"hash" doc:"Hash of the last of them, which is prev_hash of the event after."`
}

// PurgeRequest is the event that stands for the events of a request that is deleted,
// whose chain has ended at end.
func PurgeRequest(id string, end Chain, at identity.Stamp) Event {
	return Event{
		Type: EventAuditPurged, At: at, Actor: identity.SystemRetention.Ref(), Resource: Resource{Type: "request", ID: id}, RequestID: id,
		Purged: &Purged{Events: end.Seq, Last: end.Seq, Hash: end.Hash},
	}
}

// PurgeFrom is the event that stands for events of the chain with a name that are
// deleted. ends are the chain after each of them, in order.
func PurgeFrom(name string, ends []Chain, at identity.Stamp) Event {
	purged := &Purged{Events: int64(len(ends))}
	for _, end := range ends {
		if n := len(purged.Gaps); n > 0 && purged.Last+1 == end.Seq {
			purged.Gaps[n-1].Last, purged.Gaps[n-1].Hash = end.Seq, end.Hash
		} else {
			purged.Gaps = append(purged.Gaps, Gap{First: end.Seq, Last: end.Seq, Hash: end.Hash})
		}
		purged.Last, purged.Hash = end.Seq, end.Hash
	}
	return Event{Type: EventAuditPurged, At: at, Actor: identity.SystemRetention.Ref(), Resource: Resource{Type: "chain", ID: name}, Purged: purged}
}
