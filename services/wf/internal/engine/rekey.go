package engine

import (
	"context"
	"fmt"

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

// CheckKeys fails if there is an endpoint whose key the service cannot decrypt, and
// names it.
func (e *Engine) CheckKeys(ctx context.Context) error {
	return e.store.Do(ctx, func(tx *store.Tx) error {
		endpoints, err := tx.Endpoints()
		if err != nil {
			return err
		}
		for _, endpoint := range endpoints {
			for _, sealed := range endpoint.Keys(tx.Now) {
				if _, err := signing.Open(e.Keys, endpoint.ID, sealed); err != nil {
					return fmt.Errorf("endpoint %s: %w", endpoint.Name, err)
				}
			}
		}
		return nil
	})
}
