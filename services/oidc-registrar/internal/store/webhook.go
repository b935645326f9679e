package store

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/trace"
	registrar "github.com/countersign/countersign/services/oidc-registrar"
)

// newID returns a UUIDv7. Ids sort by time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// subject is a client of this transaction in its current state.
type subject struct {
	registrar.Client
	gone bool // its registration was undone
}

// recordState records the current state of a client for webhooks.
func (tx *Tx) recordState(c registrar.Client) { tx.clients[c.ID] = subject{Client: c} }

// recordRemoval records that a registration was undone.
func (tx *Tx) recordRemoval(id string) {
	c := tx.clients[id]
	c.gone = true
	tx.clients[id] = c
}

// announce returns the statements that add the webhooks of the transaction's events, for every
// endpoint that selects them. Each operation reads or writes its client in the transaction, so the
// current state is available.
func (tx *Tx) announce() ([]sqldb.Stmt, error) {
	var deliveries []outbox.Delivery
	for i, e := range tx.happened {
		about, known := tx.clients[e.ClientID]
		kind, notified := e.Webhook(about.Client, about.gone)
		if !known || !notified {
			continue
		}
		targets, err := tx.listeners(kind, about.PolicyID)
		if err != nil {
			return nil, err
		}
		if targets == nil {
			continue
		}
		if about.gone { // the last webhook of this client
			about.Status, about.Rev = registrar.ClientFailed, about.Rev+1
		}
		message, err := messageOf(kind, e, about.Rev-tx.follow(i), about.Client)
		if err != nil {
			return nil, err
		}
		deliveries = append(deliveries, message.Deliveries(targets, newID)...)
	}
	tx.waiting = tx.waiting || deliveries != nil
	return tx.Outbox.Add(deliveries), nil
}

// follow counts the later events of the same client in this transaction. Each is a change of it.
func (tx *Tx) follow(i int) (n int64) {
	for _, e := range tx.happened[i+1:] {
		if e.ClientID == tx.happened[i].ClientID {
			n++
		}
	}
	return n
}

// listeners returns the endpoints that select a message about a client under a policy.
func (tx *Tx) listeners(kind registrar.WebhookType, policyID string) (targets []outbox.Target, err error) {
	endpoints, err := tx.Outbox.Endpoints()
	for _, e := range endpoints {
		if e.Selects(string(kind), policyID) {
			targets = append(targets, e.Target())
		}
	}
	return targets, wrapError(err, "load the endpoints of an event")
}

func messageOf(kind registrar.WebhookType, e registrar.Event, sequence int64, about registrar.Client) (outbox.Message, error) {
	id := newID()
	payload, err := json.Marshal(kind.Payload(e, id, sequence, about))
	return outbox.Message{
		EventID: id, EventType: string(kind), Subject: about.ID, Sequence: sequence, At: e.At, Payload: payload, Traceparent: e.Traceparent,
	}, err
}

// AddTest adds a test message to one endpoint.
func (tx *Tx) AddTest(e outbox.Endpoint, actor string) (outbox.Delivery, error) {
	event := registrar.Event{At: tx.Now(), Actor: actor, Traceparent: trace.Parent(tx.Statement.Context)}
	message, err := messageOf(registrar.WebhookTest, event, 1, registrar.Client{})
	if err != nil {
		return outbox.Delivery{}, err
	}
	list := message.Deliveries([]outbox.Target{e.Target()}, newID)
	tx.waiting = true
	return list[0], wrapError(tx.Batch(tx.Outbox.Add(list)...), "add a test of endpoint %s", e.ID)
}

// Settle runs fn, which stores outcomes of deliveries, in a transaction. Disabled endpoints appear
// only in the log and in the metrics, since no client has changed.
func (s *Store) Settle(ctx context.Context, fn func(*outboxdb.Tx) (disabled []outbox.Endpoint, err error)) error {
	return s.Do(ctx, func(tx *Tx) error {
		_, err := fn(tx.Outbox)
		return err
	})
}
