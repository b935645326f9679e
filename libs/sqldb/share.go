package sqldb

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// maxParts bounds how long the first waits for the others.
const maxParts = 16

// part is a transaction on SQLite that is committed together with another one, by whoever
// has the turn to write. It has a savepoint: when its function fails, what it wrote is
// undone, and the others go on.
type part struct {
	ctx context.Context
	fn  func(*Tx) error

	done      chan struct{} // closed when the rest is known
	committed bool
	err       error
	panicked  any
}

// result waits for the end. It does not end with the caller: fn may be running.
func (p *part) result() (committed bool, err error) {
	<-p.done
	if p.panicked != nil {
		panic(p.panicked)
	}
	return p.committed, p.err
}

// errEnded says that the transaction that was to commit a part did not come to its end.
var errEnded = errors.New("the transaction has ended before its commit")

// end says how the transaction ended that p was a part of.
func (p *part) end(committed bool, err error) {
	if p.err == nil && p.panicked == nil {
		if p.committed = committed; !committed {
			p.err = cmp.Or(err, errEnded)
		}
	}
	close(p.done)
}

// share makes those who wait to be a part of tx, which is done but for its COMMIT. After an
// error nothing of it can be committed.
func (tx *Tx) share(parts *[]*part) error {
	for len(*parts) < maxParts {
		select {
		case p := <-tx.db.writer.joining:
			*parts = append(*parts, p)
			if err := tx.include(p); err != nil {
				return fmt.Errorf("share a transaction: %w", err)
			}
		default:
			return nil
		}
	}
	return nil
}

// include runs a part. It runs to its end when its caller leaves: SQLite rolls back the
// whole transaction when a statement is interrupted.
func (tx *Tx) include(p *part) (err error) {
	ctx, cancel := tx.db.toTheEnd(p.ctx)
	defer cancel()
	if _, err := tx.conn.ExecContext(ctx, "SAVEPOINT part"); err != nil {
		return err
	}
	p.run(ctx, tx)
	if p.err == nil && p.panicked == nil {
		_, err = tx.conn.ExecContext(ctx, "RELEASE part")
		return err
	}
	_, err = tx.conn.ExecContext(ctx, "ROLLBACK TO part; RELEASE part")
	if cause, ok := errors.AsType[*sqlite.Error](p.err); ok && err != nil {
		err = cause // SQLite has rolled back everything
	}
	return err
}

func (p *part) run(ctx context.Context, whole *Tx) {
	tx := whole.db.open(ctx, whole.conn)
	tx.began, tx.now = true, whole.db.localNow()
	defer tx.stop()
	defer func() { p.panicked = recover() }()
	p.err = p.fn(tx)
	if p.err == nil && p.ctx.Err() != nil {
		p.err = fmt.Errorf("commit transaction: %w", p.ctx.Err())
	}
}
