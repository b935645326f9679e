package sqldb

import (
	"context"
	"crypto/x509"
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

// postgresClock is the database's time in Unix milliseconds. It is that of the
// transaction's beginning, in each of its statements.
const postgresClock = "(extract(epoch from now()) * 1000)::bigint"

// postgresSettings are sent when a connection starts, so they cost no round
// trip. A parameter in the URL wins. A pooler between service and database must
// be told to pass them on.
var postgresSettings = map[string]string{"timezone": "UTC", "application_name": "countersign"}

// postgresLimits are settings too, unless Options.Patience is longer.
var postgresLimits = map[string]time.Duration{
	"statement_timeout": 5 * time.Second,
	// A request that repeats an idempotency key waits here for the first one, so
	// this is as long as it can be and still end the wait by its own name:
	// statement_timeout counts the wait too and is not told apart from a cancel.
	"lock_timeout":                        4 * time.Second,
	"idle_in_transaction_session_timeout": 10 * time.Second,
}

// postgresConfig is how new connections are made.
type postgresConfig = pgx.ConnConfig

func (db *DB) openPostgres(ctx context.Context, rawURL string, maxConns int) error {
	config, err := parsePostgres(rawURL, db.patience)
	if err != nil {
		return err
	}
	if db.readOnly {
		config.RuntimeParams["default_transaction_read_only"] = "on"
	}
	db.postgres = config
	db.pool = stdlib.OpenDB(*config)
	if err := db.usePool(pgdialect.New(pgdialect.Config{Conn: db.pool}), maxConns); err != nil {
		return fmt.Errorf("open %s: %w", db.Name(), err)
	}
	var version int
	err = db.pool.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version)
	if err != nil {
		return fmt.Errorf("open %s: %w", db.Name(), connectFailure(err))
	}
	if version < 14_00_00 {
		return fmt.Errorf("open %s: server version %d.%d is too old, want 14 or later", db.Name(), version/10000, version%10000)
	}
	return nil
}

// postgresName has every host that a connection may go to.
func postgresName(config *postgresConfig) string {
	hosts := []string{net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))}
	for _, f := range config.Fallbacks {
		if host := net.JoinHostPort(f.Host, strconv.Itoa(int(f.Port))); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return "PostgreSQL " + strings.Join(hosts, ",") + "/" + config.Database
}

// connectError says why there is no connection. The text of pgx names the user.
type connectError struct {
	text string
	error
}

func (e *connectError) Error() string { return e.text }
func (e *connectError) Unwrap() error { return e.error }

// connectFailure removes the user from the text of a connection error.
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
		// One line for each way in that was tried: with TLS, and without.
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

// parsePostgres parses the URL and adds defaults.
func parsePostgres(rawURL string, patience time.Duration) (*postgresConfig, error) {
	// A URL that is no URL may have its password anywhere, so nothing of it is shown.
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, errors.New("is no URL as postgres://USER:PASSWORD@HOST:PORT/NAME; special characters in the parts are written as %XX")
	}
	config, err := pgx.ParseConfig(rawURL)
	if err != nil {
		return nil, errors.New("cannot be used: " + reason(err))
	}
	query := u.Query()
	if !query.Has("sslmode") && os.Getenv("PGSSLMODE") == "" && !allLocal(config) {
		query.Set("sslmode", "verify-full")
		u.RawQuery = query.Encode()
		if config, err = pgx.ParseConfig(u.String()); err != nil {
			return nil, errors.New("cannot be used with sslmode=verify-full: " + reason(err))
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
		config.DescriptionCacheCapacity = 0 // of another mode; each connection would make room for 512
	}
	return config, nil
}

// reason is the text of an error of pgx.ParseConfig without the URL that it begins with.
func reason(err error) string {
	_, why, _ := strings.Cut(err.Error(), "`: ")
	return why
}

// IsLocal reports whether the database at url is on this machine, and what is wrong with
// the URL.
func IsLocal(url string) (bool, error) {
	if strings.HasPrefix(url, "sqlite:") {
		return true, nil
	}
	if !strings.HasPrefix(url, "postgres:") && !strings.HasPrefix(url, "postgresql:") {
		return false, errScheme
	}
	config, err := parsePostgres(url, 0)
	if err != nil {
		return false, err
	}
	return allLocal(config), nil
}

// allLocal reports whether no connection can leave this machine.
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
