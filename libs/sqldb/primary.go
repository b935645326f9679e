package sqldb

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/countersign/countersign/libs/oplog"
	"github.com/countersign/countersign/libs/seal"
)

const (
	// HostsEvery is the interval of CheckHosts.
	HostsEvery = 10 * time.Second

	// hostsFresh is how long a reading of all hosts is valid for new connections.
	hostsFresh = time.Second

	// hostTime bounds the reading of a host. A slower host counts as unreachable.
	hostTime = time.Second
)

// identityQuery reads the cluster of a server and its timeline. The control file of a new primary has the old
// timeline until its first checkpoint, and the WAL position has the new one at once.
const identityQuery = `SELECT system.system_identifier,
	CASE WHEN pg_is_in_recovery() THEN greatest(checkpoint.timeline_id, recovery.min_recovery_end_timeline)
	ELSE greatest(checkpoint.timeline_id, ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int) END,
	pg_is_in_recovery(), extract(epoch FROM pg_postmaster_start_time())
	FROM pg_control_system() system, pg_control_checkpoint() checkpoint, pg_control_recovery() recovery`

// outdatedError rejects a server: its data is not the newest, or which one is the newest is undecided.
type outdatedError struct{ text string }

func (e *outdatedError) Error() string { return e.text }

// PublicText returns the text for callers, without addresses.
func (e *outdatedError) PublicText() string {
	return "the reachable database server is not the newest primary; its operator finds the servers in the log"
}

// IsOutdated reports whether err is due to a server that is not the primary of the newest timeline, such as an old
// primary after a failover. IsUnavailable is also true.
func IsOutdated(err error) bool {
	_, ok := errors.AsType[*outdatedError](err)
	return ok
}

// position is a timeline of a cluster.
type position struct {
	System   string `json:"system"` // system identifier; empty if unknown
	Timeline int64  `json:"timeline"`
}

// server is a reading of one host.
type server struct {
	position
	standby bool
	started string // distinguishes two servers from two addresses of one
}

// primaryGuard admits connections to the primary of the newest timeline of one cluster. A failover starts a new
// timeline, so an old primary that still runs, or runs again, is recognisable by its lower one.
type primaryGuard struct {
	config *postgresConfig
	mark   string // file of the newest position; empty for none
	log    *slog.Logger

	reading sync.Mutex // held during a reading of all hosts

	mu      sync.Mutex
	newest  position
	refused map[string]error // by address, as of the last reading
	denied  bool             // the role may not read the position
	read    time.Time        // of all hosts

	deniedOnce, markOnce sync.Once
	conflicts            oplog.Throttle
}

// identityKey is the key of a connection's server in CustomData.
const identityKey = "server"

// newPrimaryGuard returns the guard for a configuration, whose new connections it checks from now on. The position in
// the file mark is the least one; a missing file is created.
func newPrimaryGuard(config *postgresConfig, mark string, log *slog.Logger) (*primaryGuard, error) {
	g := &primaryGuard{config: withSession(config), mark: mark, log: log}
	if mark != "" {
		content, err := os.ReadFile(mark) // #nosec G304 -- the operator's setting
		if err == nil {
			err = json.Unmarshal(content, &g.newest)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("read the mark of the database: %w", err)
		}
	}
	validate := config.ValidateConnect
	config.ValidateConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		if validate != nil {
			if err := validate(ctx, conn); err != nil {
				return err
			}
		}
		return g.admit(ctx, conn)
	}
	return g, nil
}

// options returns the hook that discards pooled connections to refused servers.
func (g *primaryGuard) options() stdlib.OptionOpenDB {
	return stdlib.OptionResetSession(func(_ context.Context, conn *pgx.Conn) error {
		if g.check(conn.PgConn()) != nil {
			return driver.ErrBadConn
		}
		return nil
	})
}

// admit reads the server of a new connection and returns an outdatedError if it is refused. Other hosts are read
// first, unless that was done a moment ago, so that an old primary is refused while the new one is reachable.
func (g *primaryGuard) admit(ctx context.Context, conn *pgconn.PgConn) error {
	found, err := readServer(ctx, conn)
	if hasCode(err, "42501") {
		g.deny()
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the timeline: %w", err)
	}
	conn.CustomData()[identityKey] = found
	if len(g.hosts()) > 1 {
		g.readHosts(ctx, hostsFresh)
	}
	g.learn(found.position)
	return g.check(conn)
}

// deny ends the guard: the role may not read the position.
func (g *primaryGuard) deny() {
	g.mu.Lock()
	g.denied = true
	g.mu.Unlock()
	g.deniedOnce.Do(func() {
		g.log.Warn("old primaries are not recognised: the role may not execute pg_control_system, pg_control_checkpoint and pg_control_recovery")
	})
}

// learn records a position if it is newer.
func (g *primaryGuard) learn(found position) {
	g.mu.Lock()
	defer g.mu.Unlock()
	before := g.newest
	if before.System == "" || before.System == found.System && before.Timeline < found.Timeline {
		g.newest = found
		if before.System != "" {
			g.log.Info("database changed its timeline", "from", before.Timeline, "to", found.Timeline)
		}
		g.writeMark()
	}
}

// writeMark stores the newest position. The service continues without the file.
func (g *primaryGuard) writeMark() {
	if g.mark == "" {
		return
	}
	content, err := json.Marshal(g.newest)
	if err == nil {
		err = seal.ReplaceFile(g.mark, string(content))
	}
	if err != nil {
		g.markOnce.Do(func() { g.log.Error("mark of the database not written", "error", err) })
	}
}

// check returns the reason to refuse the server of a connection, or nil.
func (g *primaryGuard) check(conn *pgconn.PgConn) error {
	found, known := conn.CustomData()[identityKey].(server)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.denied {
		return nil
	}
	address := conn.Conn().RemoteAddr().String()
	if err := g.refused[address]; err != nil {
		return err
	}
	if !known || found.standby { // its timeline can be late, and a write fails by itself
		return nil
	}
	return g.newest.refuse(address, found.position)
}

// refuse returns the reason to refuse a server whose position differs from the newest one, or nil.
func (newest position) refuse(address string, found position) error {
	switch {
	case newest.System == "":
		return nil
	case found.System != newest.System:
		return &outdatedError{fmt.Sprintf("%s is another cluster: its system identifier is %s, and the database has been %s; correct the URL. "+
			"If the database was moved, restart the service, without the file of its mark", address, found.System, newest.System)}
	case found.Timeline < newest.Timeline:
		return &outdatedError{fmt.Sprintf("%s is an old primary: its timeline is %d, and timeline %d exists; stop this server, or make it a standby",
			address, found.Timeline, newest.Timeline)}
	default:
		return nil
	}
}

// judge returns the newest position and the refused servers by address. A cluster without newest is that of the
// servers, if they agree.
func (newest position) judge(found map[string]server) (position, map[string]error) {
	addresses := slices.Sorted(maps.Keys(found))
	systems := map[string]bool{}
	for _, address := range addresses {
		systems[found[address].System] = true
	}
	refused := map[string]error{}
	if newest.System == "" && len(systems) > 1 {
		for _, address := range addresses {
			refused[address] = &outdatedError{fmt.Sprintf("the hosts %s are different clusters; correct the URL", strings.Join(addresses, ", "))}
		}
		return newest, refused
	}
	for _, address := range addresses {
		if s := found[address]; newest.System == "" || s.System == newest.System && s.Timeline > newest.Timeline {
			newest = s.position
		}
	}
	starts := map[string]bool{}
	var primaries []string
	for _, address := range addresses {
		s := found[address]
		if s.standby {
			continue // a write fails by itself
		}
		if err := newest.refuse(address, s.position); err != nil {
			refused[address] = err
			continue
		}
		starts[s.started] = true
		primaries = append(primaries, address)
	}
	if len(starts) > 1 {
		for _, address := range primaries {
			refused[address] = &outdatedError{fmt.Sprintf("the hosts %s are primaries of one timeline; stop all but the one with the newest data",
				strings.Join(primaries, ", "))}
		}
	}
	return newest, refused
}

// readHosts reads every host, unless the last reading is younger than fresh, and judges them. Hosts without an answer
// are left out.
func (g *primaryGuard) readHosts(ctx context.Context, fresh time.Duration) {
	g.reading.Lock()
	defer g.reading.Unlock()
	g.mu.Lock()
	skip := g.denied || time.Since(g.read) < fresh
	g.mu.Unlock()
	if skip {
		return
	}
	ctx = context.WithoutCancel(ctx) // other connections use the reading
	var mu sync.Mutex
	found := map[string]server{}
	var all sync.WaitGroup
	for _, config := range g.hosts() {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, hostTime)
			defer cancel()
			conn, err := pgconn.ConnectConfig(ctx, config)
			if err != nil {
				return
			}
			defer func() { _ = conn.Close(ctx) }()
			s, err := readServer(ctx, conn)
			if hasCode(err, "42501") {
				g.deny()
			}
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			found[conn.Conn().RemoteAddr().String()] = s
		})
	}
	all.Wait()
	g.mu.Lock()
	newest, refused := g.newest.judge(found)
	g.refused, g.read = refused, time.Now()
	g.mu.Unlock()
	if newest.System != "" {
		g.learn(newest)
	}
	if len(refused) == 0 {
		g.conflicts.LogRecovery(ctx, g.log, "hosts of the database agree again")
		return
	}
	var problems []error
	for _, address := range slices.Sorted(maps.Keys(refused)) {
		problems = append(problems, refused[address])
	}
	g.conflicts.LogFailure(ctx, g.log, slog.LevelError, "hosts of the database contradict each other", "error", errors.Join(problems...))
}

// hosts returns a configuration for each host of the URL.
func (g *primaryGuard) hosts() []*pgconn.Config {
	all := append([]*pgconn.FallbackConfig{{Host: g.config.Host, Port: g.config.Port, TLSConfig: g.config.TLSConfig}}, g.config.Fallbacks...)
	byHost := map[string]*pgconn.Config{}
	var list []*pgconn.Config
	for _, f := range all {
		name := net.JoinHostPort(f.Host, strconv.Itoa(int(f.Port)))
		if config := byHost[name]; config != nil {
			config.Fallbacks = append(config.Fallbacks, f) // the same host with or without TLS
			continue
		}
		config := g.config.Config.Copy()
		config.Host, config.Port, config.TLSConfig, config.Fallbacks = f.Host, f.Port, f.TLSConfig, nil
		config.ValidateConnect, config.ConnectTimeout = nil, hostTime
		byHost[name] = config
		list = append(list, config)
	}
	return list
}

// readServer reads the position of the server of a connection.
func readServer(ctx context.Context, conn *pgconn.PgConn) (server, error) {
	results, err := conn.Exec(ctx, identityQuery).ReadAll()
	if err != nil {
		return server{}, err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0]) != 4 {
		return server{}, errors.New("the server returned no timeline")
	}
	row := results[0].Rows[0]
	timeline, err := strconv.ParseInt(string(row[1]), 10, 64)
	return server{position{string(row[0]), timeline}, string(row[2]) == "t", string(row[3])}, err
}

// CheckHosts reads every host of a PostgreSQL URL, and refuses those that are not the primary of the newest timeline.
// It is repeated every HostsEvery. Refused hosts get no connection; calls then fail with IsOutdated.
func (db *DB) CheckHosts(ctx context.Context) {
	if db.guard != nil {
		db.guard.readHosts(ctx, 0)
	}
}

// OutdatedHosts returns the number of hosts that accept writes and are refused, as of the last reading.
func (db *DB) OutdatedHosts() int {
	if db.guard == nil {
		return 0
	}
	db.guard.mu.Lock()
	defer db.guard.mu.Unlock()
	return len(db.guard.refused)
}

// Timeline returns the newest timeline of PostgreSQL; 0 if it is unknown, and on SQLite.
func (db *DB) Timeline() int64 {
	if db.guard == nil {
		return 0
	}
	db.guard.mu.Lock()
	defer db.guard.mu.Unlock()
	return db.guard.newest.Timeline
}
