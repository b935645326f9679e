package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/signing"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// Rekey encrypts the keys of every endpoint with the first of the service's keys, and
// returns how many endpoints it changed. The service's other keys can go after that.
func (e *Engine) Rekey(ctx context.Context) (int, error) {
	changed := 0
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		changed = 0
		endpoints, err := tx.Endpoints()
		if err != nil {
			return err
		}
		for _, listed := range endpoints {
			before, err := tx.Endpoint(listed.ID)
			if err != nil {
				return err
			}
			after := before
			for _, key := range []*wf.SealedKey{&after.Key, &after.Previous} {
				if *key, err = signing.Reseal(e.Keys, before.ID, *key); err != nil {
					return fmt.Errorf("endpoint %s: %w", before.Name, err)
				}
			}
			if after.Key == before.Key && after.Previous == before.Previous {
				continue
			}
			changed++
			if err := tx.PutEndpoint(after); err != nil {
				return err
			}
		}
		return nil
	})
	return changed, err
}

// Signs reports whether the service can sign for an endpoint at a time. If not, what waits
// for the endpoint stays as it is.
func (e *Engine) Signs(endpoint wf.Endpoint, at time.Time) bool {
	_, err := signing.Of(e.Keys, endpoint, at)
	return err == nil
}

// CheckKeys returns the names of the enabled endpoints that the service cannot sign for,
// and remembers how many they are.
func (e *Engine) CheckKeys(ctx context.Context) ([]string, error) {
	var names []string
	err := e.store.Do(ctx, func(tx *store.Tx) error {
		names = nil
		endpoints, err := tx.Endpoints()
		if err != nil {
			return err
		}
		for _, endpoint := range endpoints {
			if endpoint.Enabled && !e.Signs(endpoint, tx.Now) {
				names = append(names, endpoint.Name)
			}
		}
		return nil
	})
	if err == nil {
		e.unsigned.Store(int64(len(names)))
	}
	return names, err
}

// Unsigned is how many endpoints CheckKeys has found last.
func (e *Engine) Unsigned() int { return int(e.unsigned.Load()) }
