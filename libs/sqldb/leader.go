package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"sync"
	"time"
)

// Leader is for what one of several processes should do: the one that holds a lock on
// PostgreSQL, with a connection that it keeps. If that process dies, or loses the
// connection, another one gets the lock. On SQLite, which is for one process, everybody
// leads.
type Leader struct {
	db   *DB
	key  int64
	mu   sync.Mutex
	conn *sql.Conn // while it leads
}

// Leader returns the candidate of this process for what the name says.
func (db *DB) Leader(name string) *Leader {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(name))
	return &Leader{db: db, key: int64(sum.Sum64())} // #nosec G115 -- any number will do
}

// Leads reports whether this process leads now, and takes the lead if nobody has it.
func (l *Leader) Leads(ctx context.Context) (bool, error) {
	if !l.db.Postgres() {
		return true, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		if _, err := l.conn.ExecContext(ctx, "SELECT 1"); err == nil {
			return true, nil
		}
		l.resign()
	}
	conn, err := l.db.poolConn(ctx)
	if err != nil {
		return false, err
	}
	var won bool
	err = conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", l.key).Scan(&won)
	if err != nil {
		endConn(conn) // it may have the lock
	}
	if err != nil || !won {
		_ = conn.Close()
		if err != nil {
			err = fmt.Errorf("take the lead: %w", err)
		}
		return false, err
	}
	l.conn = conn
	return true, nil
}

// Resign lets another process lead.
func (l *Leader) Resign() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resign()
}

// resign gives the lock back. It ends the connection too, since the lock is not to stay
// with the pool if that fails.
func (l *Leader) resign() {
	if l.conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, _ = l.conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", l.key)
		endConn(l.conn)
		_ = l.conn.Close()
		l.conn = nil
	}
}
