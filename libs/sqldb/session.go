package sqldb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// sessionSettings are set by a statement on each new connection, because a connection pooler refuses or drops them as
// startup parameters.
var sessionSettings = []string{
	"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "default_transaction_read_only",
}

// errSession rejects a server session that belongs to another connection. Its limits and its server are unknown.
var errSession = errors.New("the server of the connection changed: set pool_mode = session in the pooler, or connect directly")

// ownSession is 1 in the session of the connection with the mark $1. In another one it fails the statement, and with it
// the statements that are pipelined behind.
const ownSession = "(1 / coalesce(current_setting('countersign.session', true) = $1, false)::int)"

// sessionKey is the key of a connection's mark in CustomData.
const sessionKey = "session"

// withSession returns config with a hook that marks the session of each new connection, and sets the sessionSettings.
func withSession(config *postgresConfig) *postgresConfig {
	config = config.Copy()
	query, args := "SELECT set_config('countersign.session', $1, false)", [][]byte{nil}
	for _, name := range sessionSettings {
		if value, ok := config.RuntimeParams[name]; ok {
			delete(config.RuntimeParams, name)
			args = append(args, []byte(value))
			query += fmt.Sprintf(", set_config('%s', $%d, false)", name, len(args))
		}
	}
	validate := config.ValidateConnect
	config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if validate != nil {
			if err := validate(ctx, conn); err != nil {
				return err
			}
		}
		mark, args := rand.Text(), slices.Clone(args)
		args[0] = []byte(mark)
		if err := conn.ExecParams(ctx, query, args, nil, nil, nil).Read().Err; err != nil {
			return fmt.Errorf("set the limits of the connection: %w", err)
		}
		conn.CustomData()[sessionKey] = mark
		return nil
	}
	return config
}

// sessionOf returns the mark of a connection.
func sessionOf(conn *pgx.Conn) string {
	mark, _ := conn.PgConn().CustomData()[sessionKey].(string)
	return mark
}

// sessionFailure returns errSession for the failure of ownSession.
func sessionFailure(err error) error {
	if hasCode(err, "22012") { // division by zero
		return errSession
	}
	return err
}

// inSession runs a query with ownSession in the session of conn.
func inSession(ctx context.Context, conn *sql.Conn, query string, into any) error {
	return onPostgres(conn, func(pg *pgx.Conn) error {
		return sessionFailure(pg.QueryRow(ctx, query, sessionOf(pg)).Scan(into))
	})
}

// checkPooler returns an error, which is not temporary, if a pooler is in transaction mode: another
// connection then receives the server of the idle first one, and marks it. Under other load
// it can miss that; transactions then fail with errSession.
func (db *DB) checkPooler(ctx context.Context, conn *pgx.Conn) error {
	other, err := pgx.ConnectConfig(ctx, withSession(db.postgres))
	if err != nil {
		return err
	}
	defer func() { _ = other.Close(ctx) }()
	_, err = conn.Exec(ctx, "SELECT "+ownSession, pgx.QueryExecModeExec, sessionOf(conn))
	if err = sessionFailure(err); errors.Is(err, errSession) {
		err = errors.New(errSession.Error())
	}
	return err
}
