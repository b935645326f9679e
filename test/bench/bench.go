package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// levels are the numbers of connections that calls come on at a time.
var levels = []int{1, 8, 32}

// subject is a service to measure.
type subject struct {
	name    string // in the report
	program string // name of the program and of its folder
	rate    int    // calls a second in the paced part

	// callers are the people who call, by subject, with the claims of their tokens as
	// arguments of the program's token command.
	callers map[string][]string

	// prepare makes what the steps need, on a fresh database.
	prepare func(context.Context, *service, tokens) error

	// provider is how long an identity provider takes that the service calls; 0 for
	// none.
	provider time.Duration

	// steps are measured one after another.
	steps []step
}

// step is one operation.
type step struct {
	name string

	// follows says that it is called once for every call of the step before, and not
	// for as long as a phase lasts.
	follows bool

	// call is the n-th call. yield is what the step before yielded for its n-th
	// call, empty if it does not follow.
	call func(t tokens, n int64, yield string) call

	// yield takes the name of the new thing from a reply, and fails if the reply is not
	// a success.
	yield func(body []byte) (string, error)

	// stored are other texts that are in the database and differ with every reply; nil
	// for none.
	stored func(body []byte) []string

	// count is a query for how often the step was done in a database. It finds
	// statements that change nothing and calls that were never stored.
	count string
}

// tokens are bearer tokens by subject.
type tokens map[string]string

// bench measures one subject.
type bench struct {
	subject
	count        int // of rounds
	phase, paced time.Duration
	url          *url.URL // of the PostgreSQL server
	admin        *pgx.Conn
	pgbench      string   // path of the tool
	dir          string   // for everything that is only needed during the run
	bin          string   // folder with the program; empty to build it
	settings     []string // of the program, as variables
	progress     func(format string, args ...any)

	path   string // of the program
	tokens tokens
	used   int64 // numbers of calls that were used up
}

// result is what was measured of a subject.
type result struct {
	subject string
	rate    int
	size    int64 // of the program, in bytes
	fresh   []time.Duration
	inPlace []time.Duration
	idle    int64 // resident memory, in bytes
	peak    int64
	paced   speed
	series  []*series
}

// series is one step on one database at one number of connections.
type series struct {
	database, step string
	conns          int
	statements     int // that the service sends for one call; 0 where they are not recorded
	trips          int // in so many round trips
	http           []speed
	cpu            []time.Duration // that the service needed for a call
	wal            []int64         // bytes of it that PostgreSQL wrote for a call
	sql            []speed         // what pgbench reached in the same round; none on SQLite
}

func (b *bench) run(ctx context.Context) (result, error) {
	r := result{subject: b.name, rate: b.rate}
	if err := b.build(ctx); err != nil {
		return r, err
	}
	info, err := os.Stat(b.path)
	if err != nil {
		return r, err
	}
	r.size = info.Size()
	if err := b.issue(ctx); err != nil {
		return r, err
	}
	if b.provider > 0 {
		provider, settings := newProvider(b.provider)
		defer provider.Close()
		b.settings = append(b.settings, settings...)
	}
	if err := b.onPostgres(ctx, &r); err != nil {
		return r, fmt.Errorf("on PostgreSQL: %w", err)
	}
	if b.provider > 0 {
		return r, nil
	}
	if err := b.onSQLite(ctx, &r); err != nil {
		return r, fmt.Errorf("on SQLite: %w", err)
	}
	return r, nil
}

// build compiles the program as make build does.
func (b *bench) build(ctx context.Context) error {
	if b.bin != "" {
		b.path = filepath.Join(b.bin, b.program)
		return nil
	}
	b.progress("build")
	b.path = filepath.Join(b.dir, b.program)
	source := "github.com/countersign/countersign/services/" + b.program + "/cmd/" + b.program
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", b.path, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

// issue gets a token for every caller. The program makes the key that signs them.
func (b *bench) issue(ctx context.Context) error {
	b.tokens = tokens{}
	for subject, claims := range b.callers {
		args := append([]string{"token", "--data-dir", b.dir, "--ttl", "12h", "--sub", subject}, claims...)
		cmd := exec.CommandContext(ctx, b.path, args...)
		cmd.Env = []string{}
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("token of %s: %w", subject, err)
		}
		b.tokens[subject] = strings.TrimSpace(string(out))
	}
	return nil
}

func (b *bench) onPostgres(ctx context.Context, r *result) error {
	b.progress("start on PostgreSQL")
	name, err := b.timeStarts(ctx, r)
	if err != nil {
		return err
	}
	defer b.dropDatabase(ctx, name)
	// The program itself says what it sends. It has ended before the copy is made and
	// before anything is measured, and so has the recorder.
	b.progress("record what it sends to PostgreSQL")
	scripts, err := b.record(ctx, name)
	if err != nil {
		return fmt.Errorf("record the statements: %w", err)
	}
	twin, err := b.createDatabase(ctx, name)
	if err != nil {
		return err
	}
	defer b.dropDatabase(ctx, twin)
	sql, err := b.newSQLSide(ctx, twin, scripts)
	if err != nil {
		return err
	}
	defer sql.close(ctx)
	own, err := b.connect(ctx, name)
	if err != nil {
		return err
	}
	defer own.Close(context.WithoutCancel(ctx))

	s, err := b.start(ctx, b.databaseURL(name))
	if err != nil {
		return err
	}
	defer s.kill()
	if r.idle, _, err = s.memory(); err != nil {
		return err
	}
	where := "PostgreSQL"
	if b.provider > 0 {
		where += ", provider"
	}
	if err := b.rounds(ctx, where, r, s, own, sql); err != nil {
		return errors.Join(err, s.accident())
	}
	b.progress("%d calls a second on PostgreSQL", b.rate)
	if r.paced, err = b.pace(ctx, s); err != nil {
		return errors.Join(err, s.accident())
	}
	if _, r.peak, err = s.memory(); err != nil {
		return err
	}
	return s.stop()
}

func (b *bench) onSQLite(ctx context.Context, r *result) error {
	s, err := b.start(ctx, "sqlite:"+filepath.Join(b.dir, b.program+".db"))
	if err != nil {
		return err
	}
	defer s.kill()
	if err := b.prepare(ctx, s, b.tokens); err != nil {
		return err
	}
	if err := b.rounds(ctx, "SQLite", r, s, nil, nil); err != nil {
		return errors.Join(err, s.accident())
	}
	return s.stop()
}

// starts is how often the time to start is measured.
const starts = 3

// timeStarts starts the program on empty databases and then on one that is in place,
// whose name it returns.
func (b *bench) timeStarts(ctx context.Context, r *result) (name string, err error) {
	for i := range starts {
		if name, err = b.createDatabase(ctx, ""); err != nil {
			return "", err
		}
		took, err := b.startOnce(ctx, b.databaseURL(name))
		if err != nil || i < starts-1 {
			b.dropDatabase(ctx, name)
		}
		if err != nil {
			return "", err
		}
		r.fresh = append(r.fresh, took)
	}
	for range starts {
		took, err := b.startOnce(ctx, b.databaseURL(name))
		if err != nil {
			b.dropDatabase(ctx, name)
			return "", err
		}
		r.inPlace = append(r.inPlace, took)
	}
	return name, nil
}

// startOnce starts the program, stops it and returns how long it took to be ready.
func (b *bench) startOnce(ctx context.Context, databaseURL string) (time.Duration, error) {
	s, err := b.start(ctx, databaseURL)
	if err != nil {
		return 0, err
	}
	defer s.kill()
	return s.ready, s.stop()
}

// rounds measures every level and step in every round: over HTTP, then as often in
// SQL. own is a connection to the service's database, to count in; it and sql are nil
// where nothing but HTTP is measured.
func (b *bench) rounds(ctx context.Context, database string, r *result, s *service, own *pgx.Conn, sql *sqlSide) error {
	var all []*series // by level, and in it by step
	defer func() {    // what was measured counts when a later round fails
		r.series = append(r.series, slices.DeleteFunc(all, func(s *series) bool { return len(s.http) == 0 })...)
	}()
	for _, conns := range levels {
		for i, step := range b.steps {
			here := &series{database: database, step: step.name, conns: conns}
			if sql != nil {
				here.statements, here.trips = sql.scripts[i].statements, sql.scripts[i].trips
			}
			all = append(all, here)
		}
	}
	for n := range b.count {
		b.progress("round %d of %d on %s", n+1, b.count, database)
		for level, conns := range levels {
			if err := b.level(ctx, conns, all[level*len(b.steps):], s, own, sql); err != nil {
				return fmt.Errorf("at %d connections: %w", conns, err)
			}
		}
	}
	return nil
}

// level measures every step at one number of connections.
func (b *bench) level(ctx context.Context, conns int, all []*series, s *service, own *pgx.Conn, sql *sqlSide) error {
	var yields []string
	for i, step := range b.steps {
		source := b.until(time.Now().Add(b.phase), 2*conns, step)
		if step.follows {
			source = b.each(yields, step)
		}
		err := counted(ctx, own, step, func() (_ int, err error) {
			before, err := written(ctx, own)
			if err != nil {
				return 0, err
			}
			if yields, err = b.overHTTP(ctx, conns, all[i], s, step, source); err != nil {
				return 0, err
			}
			after, err := written(ctx, own)
			all[i].wal = append(all[i].wal, (after-before)/int64(len(yields)))
			return len(yields), err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		if sql == nil {
			continue
		}
		if !step.follows {
			sql.begin(conns, len(yields))
		}
		reached, err := sql.run(ctx, i)
		if err != nil {
			return fmt.Errorf("%s in SQL: %w", step.name, err)
		}
		all[i].sql = append(all[i].sql, reached)
	}
	return nil
}

// overHTTP makes the calls of a source and returns what the replies yield.
func (b *bench) overHTTP(ctx context.Context, conns int, here *series, s *service, step step, next source) ([]string, error) {
	before, err := s.cpu()
	if err != nil {
		return nil, err
	}
	samples, err := load(ctx, s.address, conns, next)
	if err != nil {
		return nil, err
	}
	after, err := s.cpu()
	if err != nil {
		return nil, err
	}
	here.http = append(here.http, summarise(samples))
	here.cpu = append(here.cpu, (after-before)/time.Duration(len(samples)))
	return yielded(step, samples)
}

// written is how many bytes of WAL the server of the database conn has written, if there
// is one.
func written(ctx context.Context, conn *pgx.Conn) (bytes int64, err error) {
	if conn == nil {
		return 0, nil
	}
	err = conn.QueryRow(ctx, "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint").Scan(&bytes)
	return bytes, err
}

// counted runs do, which does the step as often as it returns, and checks that the
// database conn, if any, knows of it.
func counted(ctx context.Context, conn *pgx.Conn, s step, do func() (int, error)) error {
	if conn == nil {
		_, err := do()
		return err
	}
	var before, after int
	if err := conn.QueryRow(ctx, s.count).Scan(&before); err != nil {
		return err
	}
	done, err := do()
	if err != nil {
		return err
	}
	if err := conn.QueryRow(ctx, s.count).Scan(&after); err != nil {
		return err
	}
	if after-before != done {
		return fmt.Errorf("done %d times, but the database has %d more", done, after-before)
	}
	return nil
}

// yielded checks that every reply is a success, and returns what the replies yield.
func yielded(s step, samples []sample) ([]string, error) {
	yields := make([]string, len(samples))
	for i := range samples {
		var err error
		if yields[i], err = s.yield(samples[i].body); err != nil {
			return nil, fmt.Errorf("%w: %s", err, samples[i].body)
		}
	}
	return yields, nil
}

// pace calls the first step at the subject's rate.
func (b *bench) pace(ctx context.Context, s *service) (speed, error) {
	samples, err := b.atRate(ctx, s, b.rate)
	if err != nil {
		return speed{}, err
	}
	return summarise(samples), nil
}

// atRate makes calls of the first step, so many a second.
func (b *bench) atRate(ctx context.Context, s *service, perSecond int) ([]sample, error) {
	first := b.steps[0]
	begin := time.Now()
	n := int(b.paced.Seconds() * float64(perSecond))
	source := func(i int) (call, bool) {
		c := first.call(b.tokens, b.number(), "")
		c.due = begin.Add(time.Duration(i) * time.Second / time.Duration(perSecond))
		return c, i < n
	}
	samples, err := load(ctx, s.address, slices.Max(levels), source)
	if err == nil {
		_, err = yielded(first, samples)
	}
	return samples, err
}

// until gives calls of a first step until the time, but not fewer than least.
func (b *bench) until(end time.Time, least int, first step) source {
	return func(i int) (call, bool) {
		return first.call(b.tokens, b.number(), ""), i < least || time.Now().Before(end)
	}
}

// each gives one call for each yield.
func (b *bench) each(yields []string, next step) source {
	return func(i int) (call, bool) {
		if i >= len(yields) {
			return call{}, false
		}
		return next.call(b.tokens, b.number(), yields[i]), true
	}
}

// number returns a number that no call had before.
func (b *bench) number() int64 {
	b.used++
	return b.used
}

// createDatabase makes a database, empty or a copy of another, and returns its name.
func (b *bench) createDatabase(ctx context.Context, template string) (string, error) {
	name := "bench_" + strings.ToLower(rand.Text())
	if template == "" {
		template = "template0"
	}
	if _, err := b.admin.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		return "", fmt.Errorf("create database: %w", err)
	}
	return name, nil
}

// dropDatabase removes a database, also when the run was interrupted.
func (b *bench) dropDatabase(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if _, err := b.admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
		b.progress("drop database %s: %v", name, err)
	}
}

// databaseURL is the address of a database on the server.
func (b *bench) databaseURL(name string) string {
	u := *b.url
	u.Path = "/" + name
	return u.String()
}

// connect opens a connection to a database on the server.
func (b *bench) connect(ctx context.Context, name string) (*pgx.Conn, error) {
	return pgx.Connect(ctx, b.databaseURL(name))
}
