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
	program string // name of the program and of its folder
	rate    int    // calls a second in the paced part

	// callers are those who call, by subject, with the claims of their tokens as
	// arguments of the program's token command.
	callers map[string][]string

	// prepare makes what the steps need, on a fresh database.
	prepare func(context.Context, *service, tokens) error

	// steps are measured one after another. The first is called for as long as a
	// phase lasts, each other one once for every call of the step before.
	steps []step
}

// step is one operation.
type step struct {
	name string

	// call is the n-th call. yield is what the step before yielded for its n-th
	// call, empty in the first step.
	call func(t tokens, n int64, yield string) call

	// yield takes from a reply what names the new thing, and fails if the reply is
	// not a success.
	yield func(body []byte) (string, error)

	// count is a query for how often the step was done in a database. It guards
	// against statements that change nothing and calls that were never stored.
	count string
}

// tokens are bearer tokens by subject.
type tokens map[string]string

// bench measures one subject.
type bench struct {
	subject
	rounds       int
	phase, paced time.Duration
	url          *url.URL // of the PostgreSQL server
	admin        *pgx.Conn
	pgbench      string // path of the tool
	dir          string // for everything that is only needed during the run
	bin          string // folder with the program; empty to build it
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
	sql            []speed // what pgbench reached in the same round; none on SQLite
}

func (b *bench) run(ctx context.Context) (result, error) {
	r := result{subject: b.program, rate: b.rate}
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
	if err := b.onPostgres(ctx, &r); err != nil {
		return r, fmt.Errorf("on PostgreSQL: %w", err)
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

// starts is how often the time to start is measured.
const starts = 3

func (b *bench) onPostgres(ctx context.Context, r *result) error {
	b.progress("start on PostgreSQL")
	var name string
	for range starts {
		var err error
		if name, err = b.createDatabase(ctx, ""); err != nil {
			return err
		}
		defer b.dropDatabase(ctx, name)
		took, err := b.startOnce(ctx, b.databaseURL(name))
		if err != nil {
			return err
		}
		r.fresh = append(r.fresh, took)
	}

	// The program itself says what it sends. It is gone before the copy is made and
	// before anything is measured, and so is the recorder.
	scripts, err := b.record(ctx, name)
	if err != nil {
		return fmt.Errorf("record the statements: %w", err)
	}
	twin, err := b.createDatabase(ctx, name)
	if err != nil {
		return err
	}
	defer b.dropDatabase(ctx, twin)

	for range starts {
		took, err := b.startOnce(ctx, b.databaseURL(name))
		if err != nil {
			return err
		}
		r.inPlace = append(r.inPlace, took)
	}
	s, err := b.start(ctx, b.databaseURL(name))
	if err != nil {
		return err
	}
	defer s.kill()
	if r.idle, _, err = s.memory(); err != nil {
		return err
	}
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

	all := b.newSeries("PostgreSQL")
	for i := range all {
		all[i].statements, all[i].trips = scripts[i%len(b.steps)].statements, scripts[i%len(b.steps)].trips
	}
	for round := range b.rounds {
		b.progress("round %d of %d on PostgreSQL", round+1, b.rounds)
		if err := b.round(ctx, s, all, own, sql); err != nil {
			return errors.Join(err, s.accident())
		}
	}
	r.series = append(r.series, all...)

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
	all := b.newSeries("SQLite")
	for round := range b.rounds {
		b.progress("round %d of %d on SQLite", round+1, b.rounds)
		if err := b.round(ctx, s, all, nil, nil); err != nil {
			return errors.Join(err, s.accident())
		}
	}
	r.series = append(r.series, all...)
	return s.stop()
}

// newSeries returns an empty series for every level and step, in this order.
func (b *bench) newSeries(database string) []*series {
	var all []*series
	for _, conns := range levels {
		for _, step := range b.steps {
			all = append(all, &series{database: database, step: step.name, conns: conns})
		}
	}
	return all
}

// round measures every level and step once: over HTTP, then as often in SQL. own is
// a connection to the service's database; without it nothing but HTTP is measured.
func (b *bench) round(ctx context.Context, s *service, all []*series, own *pgx.Conn, sql *sqlSide) error {
	for level, conns := range levels {
		var yields []string
		calls := 0
		for i, step := range b.steps {
			here := all[level*len(b.steps)+i]
			source := b.until(time.Now().Add(b.phase), 2*conns, step)
			if i > 0 {
				source = b.each(yields, step)
			}
			err := counted(ctx, own, step, func() (int, error) {
				samples, err := load(ctx, s.address, conns, source)
				if err != nil {
					return 0, err
				}
				here.http = append(here.http, summarise(samples))
				yields, err = yielded(step, samples)
				return len(samples), err
			})
			if err != nil {
				return fmt.Errorf("%s at %d connections: %w", step.name, conns, err)
			}
			if sql == nil {
				continue
			}
			if i == 0 {
				calls = (len(yields) + conns - 1) / conns // of each client
				sql.begin(conns, calls)
			}
			reached, err := sql.run(ctx, i, conns, calls)
			if err != nil {
				return fmt.Errorf("%s in SQL by %d clients: %w", step.name, conns, err)
			}
			here.sql = append(here.sql, reached)
		}
	}
	return nil
}

// counted runs do, which does the step as often as it returns, and checks that the
// database conn, if any, knows of it.
func counted(ctx context.Context, conn *pgx.Conn, s step, do func() (int, error)) error {
	count := func() (n int, err error) {
		if conn != nil {
			err = conn.QueryRow(ctx, s.count).Scan(&n)
		}
		return n, err
	}
	before, err := count()
	if err != nil {
		return err
	}
	done, err := do()
	if err != nil {
		return err
	}
	after, err := count()
	if err == nil && conn != nil && after-before != done {
		err = fmt.Errorf("done %d times, but the database has %d more", done, after-before)
	}
	return err
}

// yielded holds every reply to be a success and returns what the replies yield.
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
	first := b.steps[0]
	begin := time.Now()
	n := int(b.paced.Seconds() * float64(b.rate))
	source := func(i int) (call, bool) {
		c := first.call(b.tokens, b.number(), "")
		c.due = begin.Add(time.Duration(i) * time.Second / time.Duration(b.rate))
		return c, i < n
	}
	samples, err := load(ctx, s.address, slices.Max(levels), source)
	if err != nil {
		return speed{}, err
	}
	_, err = yielded(first, samples)
	return summarise(samples), err
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

// startOnce starts the program, stops it and returns how long it took to be ready.
func (b *bench) startOnce(ctx context.Context, databaseURL string) (time.Duration, error) {
	s, err := b.start(ctx, databaseURL)
	if err != nil {
		return 0, err
	}
	defer s.kill()
	return s.ready, s.stop()
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
