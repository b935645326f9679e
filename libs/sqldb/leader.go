package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"sync"
	"time"
)

// Leader elects one of several processes by an advisory lock of PostgreSQL, held by a connection of its own.
// If the process or the connection ends, another process acquires the lock. SQLite has one process, which
// always leads.
type Leader struct {
	db   *DB
	key  int64
	mu   sync.Mutex
	conn *sql.Conn // while it leads
}

// Leader returns the candidate of this process in the election with the name.
func (db *DB) Leader(name string) *Leader {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(name))
	return &Leader{db: db, key: int64(sum.Sum64())} // #nosec G115 -- any number will do
}

// TryLead reports whether this process is the leader. It acquires a free lock.
func (l *Leader) TryLead(ctx context.Context) (bool, error) {
	if !l.db.Postgres() {
		return true, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != nil {
		if err := l.conn.PingContext(ctx); err == nil {
			return true, nil
		}
		l.resign()
	}
	conn, err := l.db.poolConn(ctx)
	if err != nil {
		return false, err
	}
	var acquired bool
	err = conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", l.key).Scan(&acquired)
	if err != nil {
		endConn(conn) // releases the lock if the server has granted it
	}
	if err != nil || !acquired {
		_ = conn.Close()
		if err != nil {
			err = fmt.Errorf("acquire leadership: %w", err)
		}
		return false, err
	}
	l.conn = conn
	return true, nil
}

// Resign releases the lock.
func (l *Leader) Resign() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.resign()
}

// resign releases the lock and closes the connection, so that the lock cannot remain with a pooled
// connection.
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
