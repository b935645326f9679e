package engine

import (
	"context"
	"time"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// Rekey encrypts the keys of every endpoint with the first of the service's keys, and
// returns how many endpoints it changed. The service's other keys can go after that.
func (e *Engine) Rekey(ctx context.Context) (changed int, err error) {
	err = e.store.Do(ctx, func(tx *store.Tx) (err error) {
		changed, err = e.endpoints().Rekey(tx.Outbox)
		return err
	})
	return changed, err
}

// Signs reports whether the service can sign for an endpoint at a time. If not, what waits
// for the endpoint stays as it is.
func (e *Engine) Signs(endpoint outbox.Endpoint, at time.Time) bool {
	return e.endpoints().Signs(endpoint, at)
}

// CheckKeys returns the names of the enabled endpoints that the service cannot sign for,
// and remembers how many they are.
func (e *Engine) CheckKeys(ctx context.Context) (names []string, err error) {
	err = e.store.Do(ctx, func(tx *store.Tx) (err error) {
		names, err = e.endpoints().Unsigned(tx.Outbox)
		return err
	})
	if err == nil {
		e.unsigned.Store(int64(len(names)))
	}
	return names, err
}

// Unsigned is how many endpoints CheckKeys has found last.
func (e *Engine) Unsigned() int { return int(e.unsigned.Load()) }
