package wf

import (
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
)

// PurgeRequest is the event that stands for the events of a request that is deleted,
// whose chain has ended at end.
func PurgeRequest(id string, end audit.Chain, at identity.Stamp) Event {
	return Event{
		Type: audit.EventAuditPurged, At: at, Actor: identity.SystemRetention.Ref(), Resource: Resource{Type: "request", ID: id}, RequestID: id,
		Purged: &audit.Purged{Events: end.Seq, Last: end.Seq, Hash: end.Hash},
	}
}

// PurgeFrom is the event that stands for events of the chain with a name that are
// deleted. ends are the chain after each of them, in order.
func PurgeFrom(name string, ends []audit.Chain, at identity.Stamp) Event {
	purged := &audit.Purged{Events: int64(len(ends))}
	for _, end := range ends {
		if n := len(purged.Gaps); n > 0 && purged.Last+1 == end.Seq {
			purged.Gaps[n-1].Last, purged.Gaps[n-1].Hash = end.Seq, end.Hash
		} else {
			purged.Gaps = append(purged.Gaps, audit.Gap{First: end.Seq, Last: end.Seq, Hash: end.Hash})
		}
		purged.Last, purged.Hash = end.Seq, end.Hash
	}
	return Event{Type: audit.EventAuditPurged, At: at, Actor: identity.SystemRetention.Ref(), Resource: Resource{Type: "chain", ID: name}, Purged: purged}
}

// AcknowledgeBreaks is the event by which an admin records that breaks of a chain are known.
func AcknowledgeBreaks(chain string, breaks []audit.Break, reason string, by identity.Actor, at identity.Stamp) Event {
	return Event{
		Type: audit.EventAuditAcknowledged, At: at, Actor: by.Ref(), Auth: by.Auth, Client: by.Client, CallID: by.CallID, Traceparent: by.Traceparent,
		Resource: Resource{Type: "chain", ID: chain}, Reason: reason, Breaks: breaks,
	}
}
