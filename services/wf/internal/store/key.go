package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf/reason"
)

// Key is an Idempotency-Key. Its scope is the principal, the method and the route. Keys have
// hand-written statements, see the package comment.
type Key struct {
	Principal string // issuer and subject of the sender
	Method    string
	Route     string // the template, such as /v1/wf/requests
	Value     string

	Fingerprint string // of the body
	TTL         time.Duration
}

// Reply is the stored response to the first use of a key. Location and ETag are headers, empty if
// absent.
type Reply struct {
	Status         int
	Location, ETag string
	Body           []byte
}

// KeyReply is a reply for a key that the transaction has claimed.
type KeyReply struct {
	Key   Key
	Reply Reply
}

// claim returns the query that claims a key for the transaction and sets claimed to 1. The
// transaction must then store a reply. A key claimed by a running transaction blocks the query
// until that transaction ends. If it rolls back, the key is claimed here. An expired key is treated
// as absent.
func (k Key) claim(claimed *int, now time.Time) sqldb.Stmt {
	return sqldb.Stmt{
		SQL: `INSERT INTO idempotency_key AS k (principal, method, route, value, fingerprint, status, body, expires_ms)
			VALUES (?, ?, ?, ?, ?, 0, '', ?)
			ON CONFLICT (principal, method, route, value) DO UPDATE
			SET fingerprint = excluded.fingerprint, status = 0, location = '', etag = '', body = '', expires_ms = excluded.expires_ms
			WHERE k.expires_ms <= ?
			RETURNING 1 AS claimed`,
		Args: []any{k.Principal, k.Method, k.Route, k.Value, k.Fingerprint, ms(now.Add(k.TTL)), ms(now)},
		Into: claimed,
	}
}

// refuseInFlight turns a lock timeout of the first statement, the claim, into the refusal of an in-flight
// duplicate. Nil and other errors are returned unchanged.
func (k *Key) refuseInFlight(err error) error {
	failed, ok := errors.AsType[*sqldb.BatchError](err)
	if k == nil || !ok || failed.Statement != 0 || !sqldb.IsLockTimeout(err) {
		return err
	}
	running := &refusal.Error{Reason: reason.WrongState, Message: "the first call with this Idempotency-Key is still running", RetryAfter: time.Second}
	return fmt.Errorf("%w: %w", running, err)
}

// storedReply returns the reply of a key that is already in use. reused reports a different fingerprint.
func (tx *Tx) storedReply(k Key) (replay *Reply, reused bool, err error) {
	var row struct {
		Fingerprint    string
		Status         int
		Location, Etag string
		Body           string
	}
	err = tx.stored(k).Select("fingerprint", "status", "location", "etag", "body").Scan(&row).Error
	switch {
	case err != nil:
		return nil, false, wrapError(err, "read an idempotency key")
	case row.Fingerprint != k.Fingerprint:
		return nil, true, nil
	case row.Status == 0:
		return nil, false, fmt.Errorf("idempotency key of %s %s has no reply", k.Method, k.Route)
	default:
		return &Reply{Status: row.Status, Location: row.Location, ETag: row.Etag, Body: []byte(row.Body)}, false, nil
	}
}

// stmt returns the statement that stores the reply of a claimed key.
func (k KeyReply) stmt() sqldb.Stmt {
	return sqldb.Stmt{
		SQL: `UPDATE idempotency_key SET status = ?, location = ?, etag = ?, body = ?
			WHERE principal = ? AND method = ? AND route = ? AND value = ?`,
		Args: []any{k.Reply.Status, k.Reply.Location, k.Reply.ETag, string(k.Reply.Body), k.Key.Principal, k.Key.Method, k.Key.Route, k.Key.Value},
	}
}

// PurgeKeys deletes at most limit expired keys and returns their number.
func (s *Store) PurgeKeys(ctx context.Context, limit int) (int, error) {
	var deleted int64
	err := s.Do(ctx, func(tx *Tx) error {
		expired := tx.Table("idempotency_key").Select("principal, method, route, value").
			Where("expires_ms <= ?", ms(tx.Now())).Order("expires_ms").Limit(limit)
		result := tx.Table("idempotency_key").Where("(principal, method, route, value) IN (?)", expired).Delete(nil)
		deleted = result.RowsAffected
		return result.Error
	})
	return int(deleted), wrapError(err, "purge idempotency keys")
}

// ReleaseKey deletes a claimed key after a refusal, so that the client can retry the operation.
func (tx *Tx) ReleaseKey(k Key) error {
	return wrapError(sqldb.One(tx.stored(k).Delete(nil), sqldb.ErrRowCount), "release an idempotency key")
}

// stored selects the row of a key.
func (tx *Tx) stored(k Key) *gorm.DB {
	return tx.Table("idempotency_key").
		Where("principal = ? AND method = ? AND route = ? AND value = ?", k.Principal, k.Method, k.Route, k.Value)
}

// Start is the data that a new request needs.
type Start struct {
	Replay *Reply // the stored reply; the operation has been done before
	Reused bool   // the key was used with another body

	PolicyKnown bool
	Version     int // the active version, 0 without one
}

// Start claims the idempotency key, if any, and reads the data for a new request in one round trip.
// It locks only the key.
func (tx *Tx) Start(key *Key, policyKey string) (Start, error) {
	var start Start
	claimed := 1
	var active struct {
		PolicyKey string
		Number    int
	}
	var selects []sqldb.Stmt
	if key != nil {
		claimed = 0
		selects = append(selects, key.claim(&claimed, tx.Now()))
	}
	selects = append(selects, sqldb.Stmt{
		SQL: `SELECT p.policy_key, coalesce(v.number, 0) AS number FROM policy p
			LEFT JOIN policy_version v ON v.policy_key = p.policy_key AND v.status = 'active' WHERE p.policy_key = ?`,
		Args: []any{policyKey},
		Into: &active,
	}, tx.Outbox.LoadEndpoints())
	if err := key.refuseInFlight(tx.Batch(selects...)); err != nil {
		return start, wrapError(err, "start a request of policy %s", policyKey)
	}
	start.PolicyKnown, start.Version = active.PolicyKey != "", active.Number
	var err error
	if claimed == 0 {
		start.Replay, start.Reused, err = tx.storedReply(*key)
	}
	return start, err
}

// OpenRequest returns the id of the open request for an artifact under a policy with one open
// request per artifact, or an empty id. A unique index guarantees at most one.
func (tx *Tx) OpenRequest(policyKey, artifactType, artifactID string) (string, error) {
	var id string
	err := tx.Table("request").Select("id").
		Where("policy_key = ? AND artifact_type = ? AND artifact_id = ? AND one_open AND "+openStatus, policyKey, artifactType, artifactID).
		Scan(&id).Error
	return id, wrapError(err, "find the open request for an artifact")
}
