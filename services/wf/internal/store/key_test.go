package store_test

import (
	"testing"
	"time"

	"github.com/countersign/countersign/services/wf/internal/store"
)

func key(value, fingerprint string) store.Key {
	return store.Key{
		Principal: "iss|ana", Method: "POST", Route: "/v1/wf/requests", Value: value, Fingerprint: fingerprint,
		TTL: time.Hour,
	}
}

var created = store.Reply{Status: 201, Location: "/v1/wf/requests/1", ETag: `"1"`, Body: []byte(`{"id": "1",  "é":1}`)}

// claimKey claims a key. For a used key it returns the stored reply, or reused for a different body.
func claimKey(tx *store.Tx, k store.Key) (replay *store.Reply, reused bool, err error) {
	start, err := tx.Start(&k, "p")
	return start.Replay, start.Reused, err
}

func TestAnExpiredKeyIsAsGoodAsNone(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		k, later := key("k", "body"), key("l", "body")
		later.TTL = 2 * time.Hour
		f.do(func(tx *store.Tx) error {
			for _, k := range []store.Key{k, later} {
				if _, _, err := claimKey(tx, k); err != nil {
					return err
				}
				if err := tx.PutReply(store.KeyReply{Key: k, Reply: created}); err != nil {
					return err
				}
			}
			return nil
		})
		f.advance(time.Hour)
		renewed := key("k", "another body")
		renewed.TTL = 30 * time.Minute
		f.do(func(tx *store.Tx) error {
			if reply, reused, err := claimKey(tx, renewed); reply != nil || reused || err != nil {
				t.Errorf("claimKey = %v, %v, %v", reply, reused, err)
			}
			return tx.PutReply(store.KeyReply{Key: renewed, Reply: created})
		})
		for _, step := range []struct{ limit, want int }{{10, 0}, {1, 1}, {10, 1}} {
			n, err := f.PurgeKeys(t.Context(), step.limit)
			same(t, "purged", step.want, n, err)
			f.advance(30 * time.Minute)
		}
	})
}
