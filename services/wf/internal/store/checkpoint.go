package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
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
	Seq  int64
	Hash string

	SealedSeq  int64
	SealedHash string
	SealedMS   int64  // 0 before the first
	Checkpoint string // JWS
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
	JWS string
	Seq int64
	At  time.Time
}

// Checkpoint returns the last signed checkpoint; zero before the first.
func (s Audit) Checkpoint(ctx context.Context) (Checkpoint, error) {
	var row chainRow
	err := s.db.Read(ctx).Table("chain").Take(&row, "name = ?", ServiceChain).Error
	if err != nil || row.SealedMS == 0 {
		return Checkpoint{}, wrapError(err, "read the checkpoint")
	}
	return Checkpoint{row.Checkpoint, row.SealedSeq, at(row.SealedMS)}, nil
}

// CheckpointDue returns the time since which a checkpoint is due; zero without events after the last one. It may be
// in the future.
func (s Audit) CheckpointDue(ctx context.Context, now time.Time, every time.Duration) (due time.Time, err error) {
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		var row chainRow
		if err := db.Table("chain").Take(&row, "name = ?", ServiceChain).Error; err != nil {
			return err
		}
		var request, service sql.NullInt64
		if err := db.Table("request").Select("min(updated_ms)").Where(unsealed).Scan(&request).Error; err != nil {
			return err
		}
		next := db.Table("event").Select("at_ms").Where("chain = ? AND seq > ?", ServiceChain, row.SealedSeq).Order("seq").Limit(1)
		err := next.Scan(&service).Error
		if err != nil || !request.Valid && !service.Valid {
			return err
		}
		since := cmp.Or(service.Int64, request.Int64)
		if request.Valid {
			since = min(since, request.Int64)
		}
		due = row.dueAt(at(min(since, ms(now))), now, every)
		return nil
	})
	return due, wrapError(err, "find changes without a checkpoint")
}

// unsealed selects requests with events after the last listed one, by a partial index.
const unsealed = "chain_seq > sealed_seq"

// errNotDue rolls back a checkpoint that another process has made.
var errNotDue = errors.New("no checkpoint is due")

// SignEnd returns the JWS of the end of the service chain. before is the previous one, nil for the first.
type SignEnd func(end receipt.Link, before *receipt.Link, at time.Time) (string, error)

// Seal appends an event audit.checkpoint with the ends of at most limit request chains that moved since the previous
// one. It reports more if others may be left. Without others it signs the end of the service chain, stores the
// checkpoint and returns its deliveries. It does nothing if no checkpoint is due: of concurrent calls one makes the
// checkpoint of an interval.
func (s *Store) Seal(
	ctx context.Context, every time.Duration, limit int, sign SignEnd, newID func() string,
) (more bool, deliveries []outbox.Delivery, err error) {
	err = s.Do(ctx, func(tx *Tx) error {
		more, deliveries, err = tx.seal(every, limit, sign, newID)
		return err
	})
	if errors.Is(err, errNotDue) {
		return false, nil, nil
	}
	return more, deliveries, err
}

func (tx *Tx) seal(every time.Duration, limit int, sign SignEnd, newID func() string) (more bool, deliveries []outbox.Delivery, err error) {
	ends, err := tx.sealRequests(limit)
	if err != nil {
		return false, nil, err
	}
	endpoints, err := tx.Outbox.Endpoints()
	if err != nil {
		return false, nil, err
	}
	var row chainRow
	if err := tx.lockServiceChain(&row); err != nil {
		return false, nil, err
	}
	idle := len(ends) == 0 && row.Seq == row.SealedSeq
	if idle || row.dueAt(time.Time{}, tx.Now(), every).After(tx.Now()) {
		return false, nil, errNotDue
	}
	more = len(ends) == limit
	e := wf.SealChains(ends, more, identity.Stamp{Time: tx.Now()})
	e.ID = wf.Seed(uuid.New()).EventID(tx.Now(), row.Seq+1)
	chain, e, err := e.Link(audit.Chain{Seq: row.Seq, Hash: row.Hash})
	if err != nil {
		return false, nil, err
	}
	stmts := append(tx.addEvents(ServiceChain, []wf.Event{e}), endChain(chain))
	if !more {
		var before *receipt.Link
		if row.SealedMS > 0 {
			before = &receipt.Link{Seq: row.SealedSeq, Hash: row.SealedHash}
		}
		jws, err := sign(receipt.Link(chain), before, tx.Now())
		if err != nil {
			return false, nil, err
		}
		if deliveries, err = e.Deliveries(endpoints, wf.Audience{Checkpoint: jws}, newID); err != nil {
			return false, nil, err
		}
		stmts = append(append(stmts, tx.Outbox.Add(deliveries)...), sqldb.Stmt{
			SQL:  "UPDATE chain SET sealed_seq = ?, sealed_hash = ?, sealed_ms = ?, checkpoint = ? WHERE name = ?",
			Args: []any{chain.Seq, chain.Hash, ms(tx.Now()), jws, ServiceChain}, Want: 1,
		})
	}
	return more, deliveries, wrapError(tx.Batch(stmts...), "append a checkpoint")
}

// sealRequests marks at most limit request chains as listed, those that moved first, and returns their ends. It waits
// for transactions that change these requests.
func (tx *Tx) sealRequests(limit int) ([]audit.End, error) {
	var rows []struct {
		ID        string
		ChainSeq  int64
		ChainHash string
	}
	err := tx.Load(sqldb.Select{
		SQL: "UPDATE request SET sealed_seq = chain_seq WHERE " + unsealed + " AND id IN (SELECT id FROM request" +
			" WHERE " + unsealed + " ORDER BY updated_ms LIMIT ?) RETURNING id, chain_seq, chain_hash",
		Args: []any{limit}, Into: &rows,
	})
	ends := make([]audit.End, len(rows))
	for i, r := range rows {
		ends[i] = audit.End{Request: r.ID, Chain: audit.Chain{Seq: r.ChainSeq, Hash: r.ChainHash}}
	}
	return ends, wrapError(err, "seal requests")
}
