package store

import (
	"context"
	"fmt"
	"time"

	"github.com/countersign/countersign/libs/sqldb"
)

// Key is an Idempotency-Key, which is claimed and answered by statements of its own: see
// the package. Equal values of different principals, methods or
// routes are different keys.
type Key struct {
	Principal string // who sent it: issuer and subject
	Method    string
	Route     string // the template, such as /v1/wf/requests
	Value     string

	Fingerprint string // of the body
	ExpiresAt   time.Time
}

// Reply is what the first use of a key was answered. Location and ETag are headers,
// empty when it had none.
type Reply struct {
	Status         int
	Location, ETag string
	Body           []byte
}

// KeyReply stores a reply with the key that the transaction has claimed.
type KeyReply struct {
	Key   Key
	Reply Reply
}

// keyRows is what the queries of claim find.
type keyRows struct {
	claimed int
	stored  struct {
		Fingerprint    string
		Status         int
		Location, Etag string
		Body           string
	}
}

// claim returns the queries that claim a key and read what is stored with it. A key
// that a running transaction has claimed makes them wait until that one ends; if it
// rolls back, the key is claimed here. An expired key is as good as none.
func (k Key) claim(now time.Time, into *keyRows) []sqldb.Select {
	return []sqldb.Select{{
		SQL: `INSERT INTO idempotency_key AS k (principal, method, route, value, fingerprint, status, body, expires_ms)
			VALUES (?, ?, ?, ?, ?, 0, '', ?)
			ON CONFLICT (principal, method, route, value) DO UPDATE
			SET fingerprint = excluded.fingerprint, status = 0, location = '', etag = '', body = '', expires_ms = excluded.expires_ms
			WHERE k.expires_ms <= ?
			RETURNING 1 AS claimed`,
		Args: []any{k.Principal, k.Method, k.Route, k.Value, k.Fingerprint, ms(k.ExpiresAt), ms(now)},
		Into: &into.claimed,
	}, {
		SQL: `SELECT fingerprint, status, location, etag, body FROM idempotency_key
			WHERE principal = ? AND method = ? AND route = ? AND value = ?`,
		Args: []any{k.Principal, k.Method, k.Route, k.Value},
		Into: &into.stored,
	}}
}

// outcome reads what claim found: nothing when the key is claimed, or else the
// stored reply, or that it was given to another body.
func (k Key) outcome(found keyRows) (replay *Reply, reused bool, err error) {
	switch {
	case found.claimed == 1:
		return nil, false, nil
	case found.stored.Fingerprint != k.Fingerprint:
		return nil, true, nil
	case found.stored.Status == 0:
		return nil, false, fmt.Errorf("idempotency key of %s %s has no reply", k.Method, k.Route)
	default:
		stored := found.stored
		return &Reply{Status: stored.Status, Location: stored.Location, ETag: stored.Etag, Body: []byte(stored.Body)}, false, nil
	}
}

// ClaimKey claims a key for this transaction, which must then store a reply with it.
// If the key was used before, it returns the stored reply, or reused when the body
// was another. It waits for a running transaction with the same key.
func (tx *Tx) ClaimKey(k Key) (replay *Reply, reused bool, err error) {
	var found keyRows
	if err := tx.Load(k.claim(tx.Now, &found)...); err != nil {
		return nil, false, failed(err, "claim idempotency key")
	}
	return k.outcome(found)
}

func (k KeyReply) stmt() sqldb.Stmt {
	return sqldb.Stmt{
		SQL: `UPDATE idempotency_key SET status = ?, location = ?, etag = ?, body = ?
			WHERE principal = ? AND method = ? AND route = ? AND value = ?`,
		Args: []any{k.Reply.Status, k.Reply.Location, k.Reply.ETag, string(k.Reply.Body), k.Key.Principal, k.Key.Method, k.Key.Route, k.Key.Value},
		Want: 1,
	}
}

// PurgeKeys deletes at most limit expired keys and returns how many.
func (s *Store) PurgeKeys(ctx context.Context, limit int) (int, error) {
	var deleted int64
	err := s.Do(ctx, func(tx *Tx) error {
		result := tx.Exec(`DELETE FROM idempotency_key WHERE (principal, method, route, value) IN (
			SELECT principal, method, route, value FROM idempotency_key WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)`,
			ms(tx.Now), limit)
		deleted = result.RowsAffected
		return result.Error
	})
	return int(deleted), failed(err, "purge idempotency keys")
}

// StartInput is what Start looks for.
type StartInput struct {
	Key                      *Key // nil when the caller sent none
	PolicyKey                string
	ArtifactType, ArtifactID string
}

// Start is what there is before a request starts.
type Start struct {
	Replay *Reply // the stored reply; nothing is to be done
	Reused bool   // the key was used with another body

	PolicyKnown bool
	Version     int // the active one; 0 when none is active

	// OpenRequest is the open request that holds the artifact under this policy, if
	// one does. Only one may at a time; AddRequest makes sure.
	OpenRequest string
}

// ReleaseKey gives back a key that this transaction has claimed: its operation is refused,
// and may be tried again.
func (tx *Tx) ReleaseKey(k Key) error {
	err := tx.Batch(sqldb.Stmt{
		SQL:  "DELETE FROM idempotency_key WHERE principal = ? AND method = ? AND route = ? AND value = ?",
		Args: []any{k.Principal, k.Method, k.Route, k.Value}, Want: 1,
	})
	return failed(err, "release an idempotency key")
}

// Start claims the idempotency key, like ClaimKey, and reads what a new request
// needs to know, all in one round trip. It locks only the key.
func (tx *Tx) Start(in StartInput) (Start, error) {
	var start Start
	var found keyRows
	var policy struct {
		PolicyKey string
		Number    int
	}
	var selects []sqldb.Select
	if in.Key != nil {
		selects = in.Key.claim(tx.Now, &found)
	}
	selects = append(selects, sqldb.Select{
		SQL: `SELECT p.policy_key, coalesce(v.number, 0) AS number FROM policy p
			LEFT JOIN policy_version v ON v.policy_key = p.policy_key AND v.status = 'active' WHERE p.policy_key = ?`,
		Args: []any{in.PolicyKey},
		Into: &policy,
	}, endpointsVersion(&tx.endpointsVersion))
	if in.ArtifactID != "" {
		selects = append(selects, sqldb.Select{
			SQL: `SELECT id FROM request WHERE policy_key = ? AND artifact_type = ? AND artifact_id = ?
				AND one_open AND ` + openStatus,
			Args: []any{in.PolicyKey, in.ArtifactType, in.ArtifactID},
			Into: &start.OpenRequest,
		})
	}
	if err := tx.Load(selects...); err != nil {
		return start, failed(err, "start a request of policy %s", in.PolicyKey)
	}
	start.PolicyKnown, start.Version = policy.PolicyKey != "", policy.Number
	var err error
	if in.Key != nil {
		start.Replay, start.Reused, err = in.Key.outcome(found)
	}
	return start, err
}
