package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"time"
)

// keptStatements is how many statements are kept prepared, or as the database spells them.
const keptStatements = 512

// writer is the connection that the transactions of SQLite take in turn, with the
// statements that it has prepared: SQLite takes as long to parse one as to do it.
type writer struct {
	turn     chan struct{}
	joining  chan *part    // those who would share a COMMIT, while they wait for their turn
	limit    time.Duration // of the wait for it
	conn     *sql.Conn     // nil until it is needed
	prepared map[string]*sql.Stmt
}

func newWriter(limit time.Duration) *writer {
	return &writer{turn: make(chan struct{}, 1), joining: make(chan *part), limit: limit, prepared: map[string]*sql.Stmt{}}
}

// lock takes the turn and returns its release. Waiting in a channel is fair and ends with
// ctx; SQLite's own busy handler sleeps up to 100 ms between looks and is left to settle
// races with other processes. If somebody who has the turn takes p before, unlock is nil.
func (w *writer) lock(ctx context.Context, p *part) (unlock func(), err error) {
	wait, cancel := context.WithTimeout(ctx, w.limit)
	defer cancel()
	joining := w.joining
	if p == nil {
		joining = nil
	}
	select {
	case w.turn <- struct{}{}:
		return func() { <-w.turn }, nil
	case joining <- p:
		return nil, nil
	case <-wait.Done():
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("wait for the SQLite writer lock: %w", err)
		}
		return nil, fmt.Errorf("wait for the SQLite writer lock: %w", errWaitedTooLong)
	}
}

// take is lock with the connection, which stays open for the next one.
func (w *writer) take(ctx context.Context, p *part, pooled func(context.Context) (*sql.Conn, error)) (conn *sql.Conn, release func(), err error) {
	if release, err = w.lock(ctx, p); err != nil || release == nil {
		return nil, nil, err
	}
	if w.conn == nil {
		if w.conn, err = pooled(ctx); err != nil {
			release()
			return nil, nil, err
		}
	}
	return w.conn, release, nil
}

// prepare returns the statement for the one who has the turn.
func (w *writer) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	if known, ok := w.prepared[query]; ok {
		return known, nil
	}
	s, err := w.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if len(w.prepared) >= keptStatements {
		w.unprepare()
	}
	w.prepared[query] = s
	return s, nil
}

// unprepare closes the statements, which has to be done before their connection ends.
func (w *writer) unprepare() {
	for _, s := range w.prepared {
		_ = s.Close()
	}
	clear(w.prepared)
}

// discard ends the connection. Whoever calls it has the turn.
func (w *writer) discard() {
	if w.conn == nil {
		return
	}
	w.unprepare()
	endConn(w.conn)
	_ = w.conn.Close()
	w.conn = nil
}

// endConn closes a connection for good: it does not return to the pool.
func endConn(conn *sql.Conn) { _ = conn.Raw(func(any) error { return driver.ErrBadConn }) }
