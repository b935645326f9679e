package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"
)

// writer is the writer lock of SQLite, with the connection of all writing transactions.
type writer struct {
	held  chan struct{}
	limit time.Duration // of the wait for the lock
	conn  *sql.Conn     // nil before the first use
}

func newWriter(limit time.Duration) *writer {
	return &writer{held: make(chan struct{}, 1), limit: limit}
}

// lock acquires the writer lock and returns its release. Waiting in a channel is fair and ends with ctx. The busy
// handler of SQLite sleeps up to 100 ms between attempts and only serialises processes.
func (w *writer) lock(ctx context.Context) (unlock func(), err error) {
	wait, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	select {
	case w.held <- struct{}{}:
		return func() { <-w.held }, nil
	case <-wait.Done():
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("wait for the SQLite writer lock: %w", err)
		}
		return nil, fmt.Errorf("wait for the SQLite writer lock: %w", errWaitedTooLong)
	}
}

// take is lock with the connection, which stays open.
func (w *writer) take(ctx context.Context, poolConn func(context.Context) (*sql.Conn, error)) (conn *sql.Conn, release func(), err error) {
	if release, err = w.lock(ctx); err != nil {
		return nil, nil, err
	}
	if w.conn == nil {
		if w.conn, err = poolConn(ctx); err != nil {
			release()
			return nil, nil, err
		}
	}
	return w.conn, release, nil
}

// discard closes the connection. The caller holds the lock.
func (w *writer) discard() {
	if w.conn == nil {
		return
	}
	endConn(w.conn)
	_ = w.conn.Close()
	w.conn = nil
}

// endConn closes a connection for good: it does not return to the pool.
func endConn(conn *sql.Conn) { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }
