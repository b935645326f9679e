// Package admin has the use cases of admins for endpoints and deliveries. Each runs in one transaction
// of the service, which records the actor.
package admin

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/outbox/signing"
	"github.com/countersign/countersign/libs/paging"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/seal"
)

// Tx is the outbox in a transaction of the service.
type Tx = outboxdb.Tx

// Options configures a Service. By is the service's type of callers.
type Options[By any] struct {
	Rules
	Store *outboxdb.Store

	Person func(By) outbox.Person                // creator of an endpoint
	Match  func(ifMatch string, rev int64) error // refuses a revision other than the caller's

	// Do runs fn in a transaction of the service, records the returned Done, and wakes the sender. It
	// records nothing without a Kind.
	Do func(ctx context.Context, by By, fn func(*Tx) (Done, error)) error

	Metrics *metrics.Registry // may be nil
}

// Rules are the rules of endpoints.
type Rules struct {
	Keys        seal.Keys // encrypt the secrets of endpoints; required for endpoints
	KeysSetting string    // name of the variable that sets Keys, for a refusal

	// Events are the patterns of a new endpoint without patterns.
	Events []string

	// CheckURL rejects URLs outside the outbound policy, Check endpoints outside other rules of the service.
	// Their errors are returned unchanged.
	CheckURL func(url string) error
	Check    func(outbox.Endpoint) error
}

// Kind is the kind of a change.
type Kind string

// The kinds.
const (
	EndpointCreated     Kind = "endpoint.created"
	EndpointUpdated     Kind = "endpoint.updated"
	EndpointRotated     Kind = "endpoint.rotated"
	EndpointDeleted     Kind = "endpoint.deleted"
	DeliveryRetried     Kind = "delivery.retried"
	DeliveriesRecovered Kind = "deliveries.recovered"
)

// Done is a change and its object.
type Done struct {
	Kind     Kind
	Endpoint outbox.Endpoint // of DeliveriesRecovered its name, which is empty for all
	Changed  []string        // of EndpointUpdated: the names of the members
	Delivery string          // of DeliveryRetried: the id
	Retried  int             // of DeliveriesRecovered
}

// Service has the use cases.
type Service[By any] struct {
	options  Options[By]
	unsigned atomic.Int64
}

// New returns a Service.
func New[By any](o Options[By]) *Service[By] {
	s := &Service[By]{options: o}
	o.Metrics.Func("webhook_endpoints_without_key", "Enabled endpoints whose secrets none of the keys decrypts, so that nothing is sent to them.",
		func() float64 { return float64(s.UnsignedCount()) })
	return s
}

// CreateEndpoint adds a webhook endpoint. Its secret is the given one, or a new one. Without patterns it gets
// those of the rules and every policy, without a signature scheme HMAC.
func (s *Service[By]) CreateEndpoint(ctx context.Context, by By, draft outbox.Endpoint, secret string) (made Shown, err error) {
	err = s.options.Do(ctx, by, func(tx *Tx) (_ Done, err error) {
		made, err = s.options.create(tx, draft, secret, s.options.Person(by))
		return Done{Kind: EndpointCreated, Endpoint: made.Endpoint}, err
	})
	return made, err
}

// UpdateEndpoint changes an endpoint. Disabling cancels its waiting deliveries; enabling resets its
// health.
func (s *Service[By]) UpdateEndpoint(ctx context.Context, by By, id, ifMatch string, change Change) (after outbox.Endpoint, err error) {
	err = s.withEndpoint(ctx, by, id, ifMatch, func(tx *Tx, before outbox.Endpoint) (_ Done, err error) {
		var changed []string
		if after, changed, err = s.options.update(tx, before, change); changed == nil {
			return Done{}, err
		}
		return Done{Kind: EndpointUpdated, Endpoint: after, Changed: changed}, err
	})
	return after, err
}

// RotateSecret replaces the key of an endpoint, with the given or a new secret. The previous key also
// signs during the overlap.
func (s *Service[By]) RotateSecret(ctx context.Context, by By, id, secret string, overlap time.Duration) (shown Shown, err error) {
	err = s.withEndpoint(ctx, by, id, "", func(tx *Tx, before outbox.Endpoint) (Done, error) {
		if before.Chat() {
			return Done{}, refusal.New(outbox.WrongState, "endpoint %s is a chat, whose secret is its url: change that", before.Name)
		}
		text, key, err := s.options.newKey(before.ID, secret)
		if err != nil {
			return Done{}, err
		}
		shown = Shown{before.Rotate(key, overlap, tx.Now()), text}
		return Done{Kind: EndpointRotated, Endpoint: shown.Endpoint}, tx.PutEndpoint(shown.Endpoint)
	})
	return shown, err
}

// DeleteEndpoint deletes an endpoint and cancels its waiting deliveries. References to it stay.
func (s *Service[By]) DeleteEndpoint(ctx context.Context, by By, id, ifMatch string) (gone outbox.Endpoint, err error) {
	err = s.withEndpoint(ctx, by, id, ifMatch, func(tx *Tx, before outbox.Endpoint) (Done, error) {
		gone = before
		return Done{Kind: EndpointDeleted, Endpoint: gone}, errors.Join(tx.CancelDeliveries(before.ID), tx.DeleteEndpoint(before.ID))
	})
	return gone, err
}

// withEndpoint runs fn with a locked endpoint. A refusal of fn precedes If-Match, because it does not
// depend on the state.
func (s *Service[By]) withEndpoint(ctx context.Context, by By, id, ifMatch string, fn func(*Tx, outbox.Endpoint) (Done, error)) error {
	return s.options.Do(ctx, by, func(tx *Tx) (Done, error) {
		before, err := tx.Endpoint(id)
		if err != nil {
			return Done{}, err
		}
		done, err := fn(tx, before)
		if err != nil {
			return Done{}, err
		}
		return done, s.options.Match(ifMatch, before.Rev)
	})
}

// LoadForTest locks an endpoint for a test event. It refuses a disabled endpoint.
func LoadForTest(tx *Tx, id string) (outbox.Endpoint, error) {
	e, err := tx.Endpoint(id)
	if err == nil && !e.Enabled {
		err = refusal.New(outbox.WrongState, "endpoint %s is disabled", e.Name)
	}
	return e, err
}

// Endpoint returns a webhook endpoint.
func (s *Service[By]) Endpoint(ctx context.Context, id string) (outbox.Endpoint, error) {
	return s.options.Store.ReadEndpoint(ctx, id)
}

// Endpoints lists webhook endpoints, newest first.
func (s *Service[By]) Endpoints(ctx context.Context, f outbox.EndpointFilter, p paging.Page) ([]outbox.Endpoint, string, error) {
	return s.options.Store.Endpoints(ctx, f, p)
}

// RetryDelivery starts another cycle of attempts. A due delivery without an attempt is unchanged, so that
// a repeated call starts one cycle. An unknown id is a state conflict.
func (s *Service[By]) RetryDelivery(ctx context.Context, by By, id, ifMatch string) (d outbox.Delivery, err error) {
	err = s.options.Do(ctx, by, func(tx *Tx) (_ Done, err error) {
		var began bool
		d, began, err = retry(tx, id, func(rev int64) error { return s.options.Match(ifMatch, rev) })
		if err != nil || !began {
			return Done{}, err
		}
		return Done{Kind: DeliveryRetried, Delivery: id}, nil
	})
	return d, err
}

// maxRecovered is the maximum number of deliveries of a recovery.
const maxRecovered = 10_000

// RecoverDeliveries starts another cycle of failed and cancelled deliveries of a time range, for one
// endpoint or all, at most 10,000. Deliveries of disabled or deleted endpoints are unchanged.
func (s *Service[By]) RecoverDeliveries(ctx context.Context, by By, r outbox.Recovery) (out Recovered, err error) {
	if r.Limit <= 0 || r.Limit > maxRecovered {
		r.Limit = maxRecovered
	}
	err = s.options.Do(ctx, by, func(tx *Tx) (Done, error) {
		list, more, err := tx.LoadRecoverable(r)
		if out = (Recovered{len(list), more}); err != nil || out.Retried == 0 {
			return Done{}, err
		}
		for i, d := range list {
			if list[i], err = d.Retry(tx.Now()); err != nil {
				return Done{}, err
			}
		}
		return Done{Kind: DeliveriesRecovered, Endpoint: outbox.Endpoint{Name: r.Endpoint}, Retried: out.Retried}, tx.PutRecovered(list)
	})
	return out, err
}

// Delivery returns a delivery with its payload and its attempts.
func (s *Service[By]) Delivery(ctx context.Context, id string) (outbox.Delivery, []outbox.Attempt, error) {
	return s.options.Store.ReadDelivery(ctx, id)
}

// Deliveries lists deliveries without their payload, newest first.
func (s *Service[By]) Deliveries(ctx context.Context, f outbox.DeliveryFilter, p paging.Page) ([]outbox.Delivery, string, error) {
	return s.options.Store.Deliveries(ctx, f, p)
}

// RekeyEndpoints encrypts the keys of every endpoint with the first of the service's keys and returns the
// number of changed endpoints. The other keys are then unused.
func (s *Service[By]) RekeyEndpoints(ctx context.Context) (changed int, err error) {
	err = s.asService(ctx, func(tx *Tx) (err error) {
		changed, err = s.options.rekey(tx)
		return err
	})
	return changed, err
}

// CheckKeys returns the names of enabled endpoints without an available key and stores their number.
func (s *Service[By]) CheckKeys(ctx context.Context) (names []string, err error) {
	err = s.asService(ctx, func(tx *Tx) error {
		names = nil
		endpoints, err := tx.Endpoints()
		for _, e := range endpoints {
			if e.Enabled && !s.Signs(e, tx.Now()) {
				names = append(names, e.Name)
			}
		}
		return err
	})
	if err == nil {
		s.unsigned.Store(int64(len(names)))
	}
	return names, err
}

// asService runs a change without a caller.
func (s *Service[By]) asService(ctx context.Context, fn func(*Tx) error) error {
	var nobody By
	return s.options.Do(ctx, nobody, func(tx *Tx) (Done, error) { return Done{}, fn(tx) })
}

// Signs reports whether the keys of an endpoint are available at a time. Otherwise its deliveries wait.
func (s *Service[By]) Signs(e outbox.Endpoint, at time.Time) bool {
	return signing.HasKeys(s.options.Keys, e, at)
}

// UnsignedCount returns the number of endpoints of the last CheckKeys.
func (s *Service[By]) UnsignedCount() int { return int(s.unsigned.Load()) }
