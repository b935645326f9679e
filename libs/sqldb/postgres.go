package sqldb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	pgdialect "gorm.io/driver/postgres"
)

// postgresClock is the database's time in Unix milliseconds. It is the time of
// the call; now() would be the time the transaction began to wait for.
const postgresClock = "(extract(epoch from clock_timestamp()) * 1000)::bigint"

// postgresSettings are sent when a connection starts, so they cost no round
// trip. A parameter in the URL wins. A pooler between service and database must
// be told to pass them on.
var postgresSettings = map[string]string{
	"statement_timeout": "5s",
	// A request that repeats an idempotency key waits here for the first one, so
	// this is as long as it can be and still end the wait by its own name:
	// statement_timeout counts the wait too and is not told apart from a cancel.
	"lock_timeout":                        "4s",
	"idle_in_transaction_session_timeout": "10s",
	"timezone":                            "UTC",
}

// postgresConfig is how new connections are made.
type postgresConfig = pgx.ConnConfig

func (db *DB) openPostgres(ctx context.Context, rawURL string, maxConns int) error {
	config, err := parsePostgres(rawURL)
	if err != nil {
		return err
	}
	db.postgres = config
	db.pool = stdlib.OpenDB(*config)
	where := net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))) + "/" + config.Database
	if err := db.usePool(pgdialect.New(pgdialect.Config{Conn: db.pool}), maxConns); err != nil {
		return fmt.Errorf("open PostgreSQL database %s: %w", where, err)
	}
	var version int
	err = db.pool.QueryRowContext(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version)
	if err != nil {
		return fmt.Errorf("open PostgreSQL database %s: %w", where, err)
	}
	if version < 14_00_00 {
		return fmt.Errorf("open PostgreSQL database %s: server version %d.%d is too old, want 14 or later", where, version/10000, version%10000)
	}
	return nil
}

// parsePostgres reads the URL and adds what it leaves open.
func parsePostgres(rawURL string) (*postgresConfig, error) {
	config, err := pgx.ParseConfig(rawURL) // its errors redact the password
	if err != nil {
		return nil, fmt.Errorf("database URL: %w", err)
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, errors.New("database URL: not a URL") // url.Error quotes the password
	}
	query := u.Query()
	if !query.Has("sslmode") && os.Getenv("PGSSLMODE") == "" && !allLocal(config) {
		query.Set("sslmode", "verify-full")
		u.RawQuery = query.Encode()
		if config, err = pgx.ParseConfig(u.String()); err != nil {
			return nil, fmt.Errorf("database URL with sslmode=verify-full: %w", err)
		}
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 5 * time.Second
	}
	for name, value := range postgresSettings {
		if _, set := config.RuntimeParams[name]; !set {
			config.RuntimeParams[name] = value
		}
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "countersign"
	}
	return config, nil
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
