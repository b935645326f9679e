package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/receipt"
)

// chainRow is the end of the service chain and its last signed checkpoint.
type chainRow struct {
	End audit.Chain `gorm:"embedded"`

	SealedSeq  int64
	SealedHash string
	SealedMS   int64  // 0 before the first
	Checkpoint string // JWS
	Invalid    int64
}

// dueAt returns the time at which a checkpoint of changes since a time is due: at once, but not within an interval of
// the last one. It does not wait for a clock that was set back.
func (r chainRow) dueAt(since, now time.Time, every time.Duration) time.Time {
	last := at(r.SealedMS)
	if last.Sub(now) >= every {
		return since
	}
	if next := last.Add(every); since.Before(next) {
		return next
	}
	return since
}

// Checkpoint is the last signed checkpoint.
type Checkpoint struct {
	JWS     string
	Seq     int64
	At      time.Time
	Invalid int64 // invalid chains of the last pass, which may have signed nothing
}

// Checkpoint returns the last signed checkpoint; without JWS before the first.
func (s Audit) Checkpoint(ctx context.Context) (Checkpoint, error) {
	var row chainRow
	err := s.db.Read(ctx).Table("chain").Take(&row, "name = ?", ServiceChain).Error
	return Checkpoint{row.Checkpoint, row.SealedSeq, at(row.SealedMS), row.Invalid}, wrapError(err, "read the checkpoint")
}

// CheckpointDue returns the time since which a checkpoint is due; zero without events after the last one. It may be
// in the future.
func (s Audit) CheckpointDue(ctx context.Context, now time.Time, every time.Duration) (due time.Time, err error) {
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		var row chainRow
		if err := db.Table("chain").Take(&row, "name = ?", ServiceChain).Error; err != nil {
			return err
		}
		var since sql.NullInt64
		err := db.Raw("SELECT min(since) FROM (SELECT min(updated_ms) AS since FROM request WHERE "+unsealed+" UNION ALL "+
			"SELECT at_ms FROM (SELECT at_ms FROM event WHERE chain = ? AND seq > ? ORDER BY seq LIMIT 1) AS next) AS changes",
			ServiceChain, row.SealedSeq).Scan(&since).Error
		if err == nil && since.Valid {
			due = row.dueAt(at(min(since.Int64, ms(now))), now, every)
		}
		return err
	})
	return due, wrapError(err, "find changes without a checkpoint")
}

// unsealed selects requests with events after the last listed one, by a partial index.
const unsealed = "chain_seq > sealed_seq"

// errNotDue rolls back a checkpoint that another process has made.
var errNotDue = errors.New("no checkpoint is due")

// SignEnd returns the JWS of the end of the service chain. before is the previous one, nil for the first.
type SignEnd func(end receipt.Link, before *receipt.Link, at time.Time) (string, error)

// Seal verifies the service chain and the request chains that moved since they were last listed, and appends events
// audit.checkpoint with the ends of at most limit chains each. An invalid chain is not attested but listed as invalid.
// With the last event it signs the end of the service chain, stores the checkpoint and returns its deliveries. It signs
// nothing if the service chain is invalid. It does nothing if no checkpoint is due: of concurrent calls one makes the
// checkpoint of an interval.
func (s *Store) Seal(
	ctx context.Context, every time.Duration, limit int, sign SignEnd,
) (deliveries []outbox.Delivery, err error) {
	bad, _, err := s.Audit.VerifyChain(ctx, "")
	if err != nil {
		return nil, err
	}
	if bad.FirstBad > 0 {
		err := s.Do(ctx, func(tx *Tx) error {
			return tx.Batch(sqldb.Stmt{SQL: "UPDATE chain SET invalid = 1 WHERE name = ?", Args: []any{ServiceChain}})
		})
		return nil, errors.Join(err, fmt.Errorf("audit chain invalid: %s from event %d (%s); nothing is signed until its "+
			"repair, or wf audit restart", ServiceChain, bad.FirstBad, bad.Breaks[0].What))
	}
	part := sealedPart{more: true}
	for after := firstID; part.more; {
		if after, err = s.verifyMoved(ctx, after, limit, &part); err != nil {
			return nil, err
		}
		err = s.Do(ctx, func(tx *Tx) error {
			deliveries, err = tx.seal(every, part, sign)
			return err
		})
		if err != nil {
			break
		}
		for _, bad := range part.bad {
			s.db.Logger().ErrorContext(ctx, "audit chain invalid", "chain", bad.Chain, "breaks", len(bad.Breaks),
				"first_bad", bad.FirstBad, "what", bad.Breaks[0].What)
		}
	}
	if errors.Is(err, errNotDue) {
		return nil, nil
	}
	return deliveries, err
}

// sealedPart is the content of an event audit.checkpoint.
type sealedPart struct {
	ends    []audit.End
	bad     []audit.BadChain
	invalid int64 // of this part and those before it
	more    bool
}

// verifyMoved verifies the next request chains with events after the last listed one. It returns the last of them.
func (s *Store) verifyMoved(ctx context.Context, after string, limit int, part *sealedPart) (last string, err error) {
	var walks []*walk
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		walks, err = verifyRequestChains(db, db.Where(unsealed), after, limit)
		return err
	})
	part.ends, part.bad, part.more = nil, nil, len(walks) == limit
	for _, w := range walks {
		after = w.Name
		if bad := w.bad(); bad.FirstBad > 0 {
			part.bad = append(part.bad, bad)
		} else {
			part.ends = append(part.ends, audit.End{Request: w.Name, Chain: w.Chain.Chain})
		}
	}
	part.invalid += int64(len(part.bad))
	return after, wrapError(err, "verify the requests that moved")
}

func (tx *Tx) seal(
	every time.Duration, part sealedPart, sign SignEnd,
) (deliveries []outbox.Delivery, err error) {
	var sealed []sqldb.Stmt
	for _, end := range part.ends { // waits for transactions that change these requests
		sealed = append(sealed, sqldb.Stmt{
			SQL: "UPDATE request SET sealed_seq = ? WHERE id = ? AND sealed_seq < ?", Args: []any{end.Seq, end.Request, end.Seq},
		})
	}
	if err := tx.Batch(sealed...); err != nil {
		return nil, wrapError(err, "seal requests")
	}
	endpoints, err := tx.Outbox.Endpoints()
	if err != nil {
		return nil, err
	}
	row, err := tx.lockChain()
	if err != nil {
		return nil, err
	}
	idle := len(part.ends)+len(part.bad) == 0 && row.End.Seq == row.SealedSeq
	if idle || row.dueAt(time.Time{}, tx.Now(), every).After(tx.Now()) {
		return nil, errNotDue
	}
	var invalid []string
	for _, bad := range part.bad {
		invalid = append(invalid, bad.Chain)
	}
	list := []wf.Event{wf.SealChains(part.ends, invalid, part.more, identity.Stamp{Time: tx.Now()})}
	chain, stmts, err := tx.link(row.End, list)
	if err != nil {
		return nil, err
	}
	if !part.more {
		var before *receipt.Link
		if row.SealedMS > 0 {
			before = &receipt.Link{Seq: row.SealedSeq, Hash: row.SealedHash}
		}
		jws, err := sign(receipt.Link(chain), before, tx.Now())
		if err != nil {
			return nil, err
		}
		if deliveries, err = list[0].Deliveries(endpoints, wf.Audience{Checkpoint: jws}, newID); err != nil {
			return nil, err
		}
		stmts = append(append(stmts, tx.Outbox.Add(deliveries)...), sqldb.Stmt{
			SQL:  "UPDATE chain SET sealed_seq = ?, sealed_hash = ?, sealed_ms = ?, checkpoint = ?, invalid = ? WHERE name = ?",
			Args: []any{chain.Seq, chain.Hash, ms(tx.Now()), jws, part.invalid, ServiceChain}, One: true,
		})
	}
	return deliveries, wrapError(tx.Batch(stmts...), "append a checkpoint")
}

// RestartChain appends the event that starts a new service chain, also after events that the stored end lacks.
func (tx *Tx) RestartChain(e wf.Event) error {
	const last = "(SELECT max(seq) FROM event WHERE chain = ?)"
	err := tx.Batch(sqldb.Stmt{
		SQL:  "UPDATE chain SET seq = " + last + " WHERE name = ? AND seq < " + last,
		Args: []any{ServiceChain, ServiceChain, ServiceChain},
	})
	if err != nil {
		return wrapError(err, "restart the service chain")
	}
	_, err = tx.Append(e)
	return err
}
