package engine

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"strconv"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/reason"
)

// Audit has the use cases of the audit trail.
type Audit struct{ *core }

// appendServiceEvent appends an event to the service's own chain.
func appendServiceEvent(tx *store.Tx, kind audit.EventType, by identity.Actor, about wf.Resource, reason string) error {
	_, err := tx.Append(event(tx, kind, by, about, reason))
	return err
}

func event(tx *store.Tx, kind audit.EventType, by identity.Actor, about wf.Resource, reason string) wf.Event {
	return wf.Event{
		Type: kind, At: identity.Stamp{Time: tx.Now()}, Actor: by.Ref(), Auth: by.Auth, Client: by.Client, Acting: by.Acting,
		CallID: by.CallID, Traceparent: by.Traceparent,
		Resource: about, Reason: reason,
	}
}

// ListEvents returns the timeline of a request, oldest first, as visible to the caller.
func (e *Requests) ListEvents(ctx context.Context, by identity.Actor, id string, p wf.Page) ([]wf.Event, string, error) {
	return e.events(ctx, by, id, p, e.store.Events)
}

// eventList lists events of a request.
type eventList func(ctx context.Context, request string, p wf.Page) ([]wf.Event, string, error)

// events returns events of a request, as visible to the caller.
func (e *Requests) events(ctx context.Context, by identity.Actor, id string, p wf.Page, list eventList) ([]wf.Event, string, error) {
	c, rd, err := e.loadReadable(ctx, by, store.ByID(id), "request "+id)
	if err != nil {
		return nil, "", err
	}
	return e.eventsOf(ctx, c, rd, p, list)
}

// eventsOf returns events of a request, as visible to the reader.
func (e *Requests) eventsOf(ctx context.Context, c wf.Case, rd wf.Reader, p wf.Page, list eventList) ([]wf.Event, string, error) {
	events, next, err := list(ctx, c.Request.ID, p)
	for i := range events {
		events[i] = rd.Event(c.Request, events[i])
	}
	return events, next, err
}

// VerifyTimeline is VerifyEvents for readers of the request.
func (e *Requests) VerifyTimeline(ctx context.Context, by identity.Actor, id string) (firstBad, count int64, err error) {
	if _, _, err = e.loadReadable(ctx, by, store.ByID(id), "request "+id); err != nil {
		return 0, 0, err
	}
	found, count, err := e.store.Audit.VerifyChain(ctx, id)
	return found.FirstBad, count, err
}

// VerifyEvents verifies the chain of a request, or the service chain for an empty id, and compares
// the stored state with it. FirstBad is 0 for a valid chain. count is the number of events before
// the first invalid one.
func (e *Audit) VerifyEvents(ctx context.Context, id string) (found audit.BadChain, count int64, err error) {
	return e.store.Audit.VerifyChain(ctx, id)
}

// RestartChain starts a new service chain if the present one is invalid, and returns the breaks of the old one.
// Checkpoints are signed again. It returns wf.WrongState for a valid chain.
func (e *Audit) RestartChain(ctx context.Context, by identity.Actor, why string) (found audit.BadChain, err error) {
	if err := wf.RequirePerson(by); err != nil {
		return found, err
	}
	if found, _, err = e.store.Audit.VerifyChain(ctx, ""); err != nil {
		return found, err
	}
	if found.FirstBad == 0 {
		return found, refusal.New(reason.WrongState, "the service chain is valid; only an invalid one is restarted")
	}
	return found, e.store.Do(ctx, func(tx *store.Tx) error {
		return tx.RestartChain(wf.RestartChain(found.Breaks, why, by, identity.Stamp{Time: tx.Now()}))
	})
}

// Refusal is a refused call and its origin.
type Refusal struct {
	Operation string // operationId
	About     wf.Resource
	ErrorCode string
	Message   string // as sent to the caller
	Peer      string // address and port of the caller
	UserAgent string
}

// RecordRefusal appends auth.denied to the service chain, in its own transaction. It stores one
// event per minute, user, object and code. The others are counted, and the next event contains
// their number. Missing objects share one entry, so that invented ids do not create events.
func (e *Audit) RecordRefusal(ctx context.Context, by identity.Actor, r Refusal) error {
	origin := &wf.Origin{UserAgent: r.UserAgent}
	var err error
	if origin.IPHash, err = e.addressHash(ctx, r.Peer); err != nil {
		return err
	}
	return e.store.Do(ctx, func(tx *store.Tx) error {
		known, requestID, err := tx.Exists(r.About)
		if err != nil {
			return err
		}
		about := r.About
		if !known {
			about = wf.Resource{Type: about.Type}
		}
		object := string(about.Type) + ":" + about.ID + ":" + strconv.Itoa(about.Version)
		tell, untold, err := tx.CountDenial(by.ID, object, r.ErrorCode)
		if err != nil || !tell {
			return err
		}
		denied := event(tx, audit.EventAuthDenied, by, about, r.Message)
		denied.RequestID, denied.Outcome = requestID, wf.OutcomeDenied
		denied.Denial = wf.Denial{Operation: r.Operation, ErrorCode: r.ErrorCode, Origin: origin, Folded: untold}
		_, err = tx.Append(denied)
		return err
	})
}

// addressHash returns a keyed pseudonym of the caller's address. The key is in the database, so a
// search over all addresses requires access to it.
func (e *Audit) addressHash(ctx context.Context, peer string) (string, error) {
	address, bad := netip.ParseAddrPort(peer)
	if bad != nil { // no network address
		return "", nil
	}
	key, err := e.store.ServiceKey(ctx, "address")
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(address.Addr().Unmap().WithZone("").String()))
	return "hmac-sha256:" + hex.EncodeToString(mac.Sum(nil)), nil
}

// ListAudit lists events of all chains.
func (e *Audit) ListAudit(ctx context.Context, f wf.AuditFilter, p wf.Page) ([]wf.AuditEvent, string, error) {
	return e.store.Audit.Events(ctx, f, p)
}

// exportBatch is the number of events that an export holds in memory.
const exportBatch = 1000

// ExportEvents passes batches of stored events to write, chain by chain, each from its start. No
// transaction stays open. Each chain is exported as of the time of its reads.
func (e *Audit) ExportEvents(ctx context.Context, f wf.AuditFilter, write func([]wf.StoredEvent) error) error {
	var last wf.StoredEvent
	for {
		batch, err := e.store.Audit.StoredEvents(ctx, f, last, exportBatch)
		if err != nil {
			return err
		}
		if err := write(batch); err != nil {
			return err
		}
		if len(batch) < exportBatch {
			return nil
		}
		last = batch[len(batch)-1]
	}
}

// ListStuckRequests lists open requests without an open task or a pending retry, oldest first.
func (e *Requests) ListStuckRequests(ctx context.Context, p wf.Page) ([]wf.Request, string, error) {
	return e.store.StuckRequests(ctx, p)
}

// VerifyAll verifies every chain.
func (e *Audit) VerifyAll(ctx context.Context) (store.Verification, error) {
	return e.store.Audit.VerifyChains(ctx)
}

// Standing holds the open work of a user.
type Standing struct {
	Given, Received          []approver.Delegation // delegations in force
	Open, Claimed, Candidate int64                 // tasks: assigned, claimed, claimable
	Delegated                int64                 // tasks of delegators
	More                     bool                  // a count is a lower bound
}

// GetMe returns the caller's open work.
func (e *People) GetMe(ctx context.Context, by identity.Actor) (Standing, error) {
	var s Standing
	page := wf.Page{Limit: 200}
	active := []approver.DelegationStatus{approver.DelegationActive}
	var err error
	if s.Given, _, err = e.store.Delegations.List(ctx, wf.DelegationFilter{User: by.ID, Status: active}, page); err != nil {
		return s, err
	}
	if s.Received, _, err = e.store.Delegations.List(ctx, wf.DelegationFilter{DelegateTo: by.ID, Status: active}, page); err != nil {
		return s, err
	}
	now, err := e.store.Now(ctx)
	if err != nil {
		return s, err
	}
	for _, count := range []struct {
		of   *int64
		what wf.TaskFilter
	}{
		{&s.Open, wf.TaskFilter{Assignee: by.ID, Status: []wf.TaskStatus{wf.TaskOpen}, AsOf: now}},
		{&s.Claimed, wf.TaskFilter{Assignee: by.ID, Status: []wf.TaskStatus{wf.TaskClaimed}, AsOf: now}},
		{&s.Candidate, wf.TaskFilter{Candidate: by.ID, AsOf: now}},
		{&s.Delegated, wf.TaskFilter{Inbox: by.ID, Role: wf.InboxDelegate, Delegations: s.Received, AsOf: now}},
	} {
		counts, more, err := e.store.TaskStats(ctx, count.what)
		if err != nil {
			return s, err
		}
		*count.of, s.More = wf.TotalOf(counts), s.More || more
	}
	return s, nil
}
