package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
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

func TestAKeyReplaysItsReply(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		k := key("k", "body")
		f.do(func(tx *store.Tx) error {
			got, err := tx.Start(&k, "p")
			same(t, "the first Start", store.Start{PolicyKnown: true, Version: 1}, got, err)
			return tx.AddRequest(f.newRequest(), nil, nil, &store.KeyReply{Key: k, Reply: created})
		})
		f.do(func(tx *store.Tx) error {
			got, err := tx.Start(&k, "p")
			same(t, "the second Start", store.Start{Replay: &created, PolicyKnown: true, Version: 1}, got, err)
			reply, reused, err := claimKey(tx, k)
			same(t, "claimKey", &created, reply, err)
			if reused {
				t.Error("the same body is taken for another")
			}
			return nil
		})
		f.do(func(tx *store.Tx) error {
			other := key("k", "other body")
			got, err := tx.Start(&other, "no such policy")
			same(t, "Start with another body", store.Start{Reused: true}, got, err)
			return nil
		})
		for name, other := range map[string]func(*store.Key){
			"principal": func(k *store.Key) { k.Principal = "iss|bo" },
			"method":    func(k *store.Key) { k.Method = "PUT" },
			"route":     func(k *store.Key) { k.Route = "/v1/wf/tasks/{id}/decision" },
			"value":     func(k *store.Key) { k.Value = "l" },
		} {
			f.do(func(tx *store.Tx) error {
				k := key("k", "body")
				other(&k)
				if reply, reused, err := claimKey(tx, k); reply != nil || reused || err != nil {
					t.Errorf("another %s: %v, %v, %v", name, reply, reused, err)
				}
				return errors.Join(tx.PutReply(store.KeyReply{Key: k, Reply: created}))
			})
		}
	})
}

func TestAnUnknownPolicyIsNotStarted(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.do(func(tx *store.Tx) error {
			if err := tx.Policies.Add(policy.Version{Key: "p", Number: 1, Status: policy.VersionDraft, Rev: 1}); err != nil {
				return err
			}
			got, err := tx.Start(nil, "p")
			same(t, "a key without an active version", store.Start{PolicyKnown: true}, got, err)
			got, err = tx.Start(nil, "q")
			same(t, "an unknown key", store.Start{}, got, err)
			return nil
		})
	})
}

// A refusal may have changed something all the same: it is stored, and its key is free.
func TestAKeyThatIsReleasedIsFree(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		k, other := key("k", "body"), key("l", "body")
		for _, fingerprint := range []string{"body", "another body"} {
			k.Fingerprint = fingerprint
			f.do(func(tx *store.Tx) error {
				if reply, reused, err := claimKey(tx, k); reply != nil || reused || err != nil {
					t.Errorf("claimKey of %s: %v, %v, %v", fingerprint, reply, reused, err)
				}
				return tx.ReleaseKey(k)
			})
		}
		f.do(func(tx *store.Tx) error {
			_, _, err := claimKey(tx, other)
			return errors.Join(err, tx.PutReply(store.KeyReply{Key: other, Reply: created}))
		})
		if err := f.Do(t.Context(), func(tx *store.Tx) error { return tx.ReleaseKey(k) }); err == nil {
			t.Error("an unclaimed key is released")
		}
		f.do(func(tx *store.Tx) error {
			reply, _, err := claimKey(tx, other)
			same(t, "another key", &created, reply, err)
			return nil
		})
	})
}

func TestAKeyOfAFailedOperationIsFree(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		k := key("k", "body")
		f.refused(reason.EngineRefused, func(tx *store.Tx) error {
			if _, _, err := claimKey(tx, k); err != nil {
				return err
			}
			return refusal.New(reason.EngineRefused, "no")
		})
		f.do(func(tx *store.Tx) error {
			if reply, reused, err := claimKey(tx, k); reply != nil || reused || err != nil {
				t.Errorf("claimKey = %v, %v, %v", reply, reused, err)
			}
			return tx.PutReply(store.KeyReply{Key: k, Reply: created})
		})
	})
}

func TestInFlightDuplicateWaitsForFirstCall(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.addPolicy("p")
		tests := map[string]struct {
			first error // the result of the first transaction
			want  *store.Reply
		}{
			"and gets its reply":              {nil, &created},
			"and goes first if it rolls back": {refusal.New(reason.EngineRefused, "no"), nil},
		}
		for name, tt := range tests {
			t.Run(name, func(t *testing.T) {
				k := key(name, "body")
				claimed, twin := make(chan struct{}), make(chan error, 1)
				var got store.Start
				go func() {
					<-claimed
					twin <- f.Do(t.Context(), func(tx *store.Tx) (err error) {
						if got, err = tx.Start(&k, "p"); err != nil || got.Replay != nil {
							return err
						}
						return tx.PutReply(store.KeyReply{Key: k, Reply: created})
					})
				}()
				err := f.Do(t.Context(), func(tx *store.Tx) error {
					if _, err := tx.Start(&k, "p"); err != nil {
						return err
					}
					close(claimed)
					f.awaitLock(t)
					select {
					case err := <-twin:
						t.Errorf("the duplicate did not block: %v", err)
					default:
					}
					return errors.Join(tx.PutReply(store.KeyReply{Key: k, Reply: created}), tt.first)
				})
				if !errors.Is(err, tt.first) {
					t.Fatal(err)
				}
				if err := <-twin; err != nil {
					t.Fatal(err)
				}
				same(t, "the twin's Start", store.Start{Replay: tt.want, PolicyKnown: true, Version: 1}, got, nil)
			})
		}
	})
}

// awaitLock returns when a connection waits for a lock. SQLite does not expose that: a
// transaction begins only after the end of the other one.
func (f *fixture) awaitLock(t *testing.T) {
	t.Helper()
	if !f.db.Postgres() {
		return
	}
	for waiting := 0; waiting == 0; {
		err := f.db.Read(t.Context()).Raw("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").
			Scan(&waiting).Error
		if err != nil {
			t.Fatal(err)
		}
	}
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

func TestAReplyOfTheVersionBeforeIsRepeatedWithoutHeaders(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		k := key("k", "body")
		f.do(func(tx *store.Tx) error { // as it wrote it
			return tx.Exec(`INSERT INTO idempotency_key (principal, method, route, value, fingerprint, status, body, expires_ms)
				VALUES (?, ?, ?, ?, ?, 201, '{}', ?)`, k.Principal, k.Method, k.Route, k.Value, k.Fingerprint, start.Add(k.TTL).UnixMilli()).Error
		})
		f.do(func(tx *store.Tx) error {
			reply, reused, err := claimKey(tx, k)
			same(t, "claimKey", &store.Reply{Status: 201, Body: []byte("{}")}, reply, err)
			if reused {
				t.Error("the same body is taken for another")
			}
			return nil
		})
	})
}
