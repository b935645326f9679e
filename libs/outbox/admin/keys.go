package admin

import (
	"fmt"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/outbox/signing"
)

// rekey encrypts the keys of every endpoint with the first of the service's keys, and returns the number of
// changed endpoints.
func (m Rules) rekey(tx *outboxdb.Tx) (changed int, err error) {
	endpoints, err := tx.Endpoints()
	if err != nil {
		return 0, err
	}
	for _, listed := range endpoints {
		before, err := tx.Endpoint(listed.ID)
		if err != nil {
			return 0, err
		}
		after := before
		if before.Chat() && !m.Keys.IsCurrent(before.Key.Sealed) {
			url, err := signing.OpenURL(m.Keys, before)
			if err == nil {
				after.Key, err = signing.SealURL(m.Keys, before.ID, url)
			}
			if err != nil {
				return 0, fmt.Errorf("endpoint %s: %w", before.Name, err)
			}
		}
		for _, key := range []*outbox.SealedKey{&after.Key, &after.Previous} {
			if before.Chat() {
				break
			}
			if *key, err = signing.Reseal(m.Keys, before.ID, *key); err != nil {
				return 0, fmt.Errorf("endpoint %s: %w", before.Name, err)
			}
		}
		if after.Key == before.Key && after.Previous == before.Previous {
			continue
		}
		changed++
		if err := tx.PutEndpoint(after); err != nil {
			return 0, err
		}
	}
	return changed, nil
}
