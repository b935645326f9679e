package sqldb

import (
	"cmp"
	"context"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	pgdialect "gorm.io/driver/postgres"
)

// postgresClock is the time of the database at the start of the transaction, in Unix milliseconds.
const postgresClock = "(extract(epoch from now()) * 1000)::bigint"

// postgresSettings are parameters of a connection. Parameters of the URL have precedence. The compilation of a list's
// query (jit) would take longer than the query.
var postgresSettings = map[string]string{"timezone": "UTC", "application_name": "countersign", "jit": "off"}

// postgresLimits are limits of a session, or Options.Patience if that is longer.
var postgresLimits = map[string]time.Duration{
	"statement_timeout": 5 * time.Second,
	// A duplicate of an idempotency key waits for the first call. The limit is below statement_timeout, which
	// includes the wait and has the same code as a cancellation.
	"lock_timeout":                        4 * time.Second,
	"idle_in_transaction_session_timeout": 10 * time.Second,
}

// poolSize is the parameter of the URL for the pool's size, named as in pgxpool.
const poolSize = "pool_max_conns"

// postgresConfig configures new connections.
type postgresConfig = pgx.ConnConfig

func (db *DB) openPostgres(ctx context.Context, rawURL string, maxConns int) error {
	config, conns, err := parsePostgres(rawURL, db.patience)
	if err != nil {
		return err
	}
	maxConns = cmp.Or(conns, maxConns)
	if db.readOnly {
		config.RuntimeParams["default_transaction_read_only"] = "on"
	}
	db.postgres = config
	db.pool = openPool(config)
	if err := db.usePool(pgdialect.New(pgdialect.Config{Conn: db.pool}), maxConns); err != nil {
		return fmt.Errorf("open %s: %w", db.Name(), err)
	}
	if err := db.checkServer(ctx); err != nil {
		return fmt.Errorf("open %s: %w", db.Name(), connectFailure(err))
	}
	return nil
}

// openPool opens a pool of connections. It sets their limits and jit by a statement, because a connection pooler
// refuses or drops them as startup parameters; it forwards the others.
func openPool(config *postgresConfig) *sql.DB {
	config = config.Copy()
	var calls []string
	var args []any
	for _, name := range []string{
		"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "default_transaction_read_only", "jit",
	} {
		if value, ok := config.RuntimeParams[name]; ok {
			delete(config.RuntimeParams, name)
			args = append(args, name, value)
			calls = append(calls, fmt.Sprintf("set_config($%d, $%d, false)", len(args)-1, len(args)))
		}
	}
	return stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SELECT "+strings.Join(calls, ", "), append([]any{pgx.QueryExecModeExec}, args...)...)
		if err != nil {
			_ = conn.Close(ctx)
			return fmt.Errorf("set the limits of the connection: %w", err)
		}
		return nil
	}))
}

// checkServer checks the version of the server.
func (db *DB) checkServer(ctx context.Context) error {
	conn, err := db.pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return onPostgres(conn, func(pg *pgx.Conn) error {
		var version int
		err := pg.QueryRow(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version)
		if err == nil && version < 14_00_00 {
			err = fmt.Errorf("server version %d.%d is too old, want 14 or later", version/10000, version%10000)
		}
		return err
	})
}

// postgresName returns the name of the database with all its hosts.
func postgresName(config *postgresConfig) string {
	hosts := []string{net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))}
	for _, f := range config.Fallbacks {
		if host := net.JoinHostPort(f.Host, strconv.Itoa(int(f.Port))); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return "PostgreSQL " + strings.Join(hosts, ",") + "/" + config.Database
}

// connectError is a connection error without the name of the user, which the text of pgx contains.
type connectError struct {
	text string
	error
}

func (e *connectError) Error() string { return e.text }
func (e *connectError) Unwrap() error { return e.error }

// connectFailure returns the connectError of err.
func connectFailure(err error) error {
	text := ""
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case strings.HasPrefix(pg.Code, "28"):
			text = "the server rejects the user of the URL: check name, password and pg_hba.conf"
		case pg.Code == "3D000":
			text = "the server has no database of this name"
		default:
			text = pg.Message
		}
		text += " (SQLSTATE " + pg.Code + ")"
	} else if connect, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		// One line for each attempt, with TLS and without.
		lines := strings.Split(errors.Unwrap(connect).Error(), "\n")
		text = strings.Join(slices.Compact(lines), "; ")
		if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
			text += "; sslrootcert=FILE in the URL names the certificate of a private CA"
		}
	} else {
		return err
	}
	return &connectError{text, err}
}

// parsePostgres parses the URL and adds defaults. conns is the pool_max_conns of the URL, or 0.
func parsePostgres(rawURL string, patience time.Duration) (config *postgresConfig, conns int, err error) {
	// The password can be at any place of an invalid URL, so the error does not quote it.
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, 0, errors.New("want postgres://USER:PASSWORD@HOST:PORT/NAME, with special characters as %XX")
	}
	if config, err = pgx.ParseConfig(rawURL); err != nil {
		return nil, 0, errors.New("cannot be used: " + reason(err))
	}
	query := u.Query()
	if !query.Has("sslmode") && os.Getenv("PGSSLMODE") == "" && !allLocal(config) {
		query.Set("sslmode", "verify-full")
		u.RawQuery = query.Encode()
		if config, err = pgx.ParseConfig(u.String()); err != nil {
			return nil, 0, errors.New("cannot be used with sslmode=verify-full: " + reason(err))
		}
	}
	if text, set := config.RuntimeParams[poolSize]; set {
		delete(config.RuntimeParams, poolSize)
		if conns, err = strconv.Atoi(text); err != nil || conns < 2 {
			return nil, 0, errors.New(poolSize + " must be a number of at least 2")
		}
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = max(5*time.Second, patience)
	}
	settings := maps.Clone(postgresSettings)
	for name, limit := range postgresLimits {
		settings[name] = strconv.FormatInt(max(limit, patience).Milliseconds(), 10)
	}
	for name, value := range settings {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	if config.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		config.DescriptionCacheCapacity = 0 // unused in this mode, and allocated for 512 entries per connection
	}
	return config, conns, nil
}

// reason returns the text of an error of pgx.ParseConfig without the URL.
func reason(err error) string {
	_, text, _ := strings.Cut(err.Error(), "`: ")
	return text
}

// IsLocal reports whether the database at url is on this machine. It fails for an invalid URL.
func IsLocal(url string) (bool, error) {
	if strings.HasPrefix(url, "sqlite:") {
		return true, nil
	}
	if !strings.HasPrefix(url, "postgres:") && !strings.HasPrefix(url, "postgresql:") {
		return false, errScheme
	}
	config, _, err := parsePostgres(url, 0)
	if err != nil {
		return false, err
	}
	return allLocal(config), nil
}

// allLocal reports whether every host is this machine.
func allLocal(config *postgresConfig) bool {
	hosts := []string{config.Host}
	for _, f := range config.Fallbacks {
		hosts = append(hosts, f.Host)
	}
	for _, host := range hosts {
		ip := net.ParseIP(host)
		if !strings.HasPrefix(host, "/") && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return false
		}
	}
	return true
}
