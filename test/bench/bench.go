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
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// levels are the numbers of concurrent connections.
var levels = []int{8, 32}

// subject is a service to measure.
type subject struct {
	name    string // in the report
	program string // name of the program and of its folder

	// callers are the subjects of the tokens, with the claims as arguments of the token command.
	callers map[string][]string

	// prepare creates the objects that the steps need, on a new database.
	prepare func(context.Context, *service, tokens) error

	// steps are measured one after another.
	steps []step
}

// step is one operation.
type step struct {
	name    string
	follows bool // called once for each call of the step before, with its yield

	// call is the n-th call.
	call func(t tokens, n int64, yield string) call

	// yield returns the id of the new object, or an error for a reply that is not a success.
	yield func(body []byte) (string, error)

	// count is a query for the number of completed steps. It detects calls without an effect.
	count string
}

// tokens are bearer tokens by subject.
type tokens map[string]string

// bench measures one subject.
type bench struct {
	subject
	count    int // of rounds
	phase    time.Duration
	url      *url.URL // of the PostgreSQL server
	admin    *pgx.Conn
	dir      string   // of the files of the run
	bin      string   // folder with the program; empty to build it
	settings []string // of the program, as variables
	progress func(format string, args ...any)

	path   string // of the program
	tokens tokens
	used   int64 // numbers of the calls so far
}

// result is the measurement of a subject.
type result struct {
	subject    string
	size       int64 // of the program, in bytes
	ready      time.Duration
	idle, peak int64 // resident memory, in bytes
	series     []*series
}

// series is one step on one database at one number of connections, with a value per round.
type series struct {
	database, step string
	conns          int
	http           []speed
	cpu            []time.Duration // of the service for one call
}

func (b *bench) run(ctx context.Context) (result, error) {
	r := result{subject: b.name}
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
	name, err := b.createDatabase(ctx)
	if err != nil {
		return r, err
	}
	defer b.dropDatabase(ctx, name)
	own, err := pgx.Connect(ctx, b.databaseURL(name))
	if err != nil {
		return r, err
	}
	defer own.Close(context.WithoutCancel(ctx))
	if err := b.measureDatabase(ctx, "PostgreSQL", b.databaseURL(name), own, &r); err != nil {
		return r, fmt.Errorf("%s on PostgreSQL: %w", b.name, err)
	}
	if err := b.measureDatabase(ctx, "SQLite", "sqlite:"+filepath.Join(b.dir, b.program+".db"), nil, &r); err != nil {
		return r, fmt.Errorf("%s on SQLite: %w", b.name, err)
	}
	return r, nil
}

// measureDatabase measures all rounds on one database. own is a connection for counting, or nil. Memory and start
// are those with PostgreSQL.
func (b *bench) measureDatabase(ctx context.Context, database, databaseURL string, own *pgx.Conn, r *result) error {
	s, err := b.start(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer s.kill()
	if own != nil {
		r.ready = s.ready
		if r.idle, _, err = s.memory(); err != nil {
			return err
		}
	}
	if err := b.prepare(ctx, s, b.tokens); err != nil {
		return err
	}
	if err := b.rounds(ctx, database, r, s, own); err != nil {
		return errors.Join(err, s.accident())
	}
	if own != nil {
		if _, r.peak, err = s.memory(); err != nil {
			return err
		}
	}
	return s.stop()
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

// issue gets a token for each caller. The program creates the signing key.
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

// rounds measures every level and step in every round.
func (b *bench) rounds(ctx context.Context, database string, r *result, s *service, own *pgx.Conn) error {
	all := map[int][]*series{}
	for _, conns := range levels {
		for _, step := range b.steps {
			all[conns] = append(all[conns], &series{database: database, step: step.name, conns: conns})
		}
		r.series = append(r.series, all[conns]...)
	}
	for n := range b.count {
		b.progress("round %d of %d on %s", n+1, b.count, database)
		for _, conns := range levels {
			if err := b.level(ctx, conns, all[conns], s, own); err != nil {
				return fmt.Errorf("at %d connections: %w", conns, err)
			}
		}
	}
	return nil
}

// level measures every step at one number of connections.
func (b *bench) level(ctx context.Context, conns int, all []*series, s *service, own *pgx.Conn) error {
	var yields []string
	for i, step := range b.steps {
		source := b.repeatUntil(time.Now().Add(b.phase), 2*conns, step)
		if step.follows {
			source = b.each(yields, step)
		}
		err := checkCount(ctx, own, step, func() (_ int, err error) {
			yields, err = b.measure(ctx, conns, all[i], s, step, source)
			return len(yields), err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// measure makes the calls of a source and returns the yields of the replies.
func (b *bench) measure(ctx context.Context, conns int, here *series, s *service, step step, next source) ([]string, error) {
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
	return checkSamples(step, samples)
}

// checkCount runs do, which returns its number of steps, and compares it with the database.
func checkCount(ctx context.Context, conn *pgx.Conn, s step, do func() (int, error)) error {
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

// checkSamples checks that every reply is a success, and returns the yields.
func checkSamples(s step, samples []sample) ([]string, error) {
	yields := make([]string, len(samples))
	for i := range samples {
		var err error
		if yields[i], err = s.yield(samples[i].body); err != nil {
			return nil, fmt.Errorf("%w: %s", err, samples[i].body)
		}
	}
	return yields, nil
}

// repeatUntil returns calls of a first step until the time, and at least some.
func (b *bench) repeatUntil(end time.Time, least int, first step) source {
	return func(i int) (call, bool) {
		return first.call(b.tokens, b.number(), ""), i < least || time.Now().Before(end)
	}
}

// each returns one call for each yield.
func (b *bench) each(yields []string, next step) source {
	return func(i int) (call, bool) {
		if i >= len(yields) {
			return call{}, false
		}
		return next.call(b.tokens, b.number(), yields[i]), true
	}
}

// number returns the number of the next call.
func (b *bench) number() int64 {
	b.used++
	return b.used
}

// createDatabase creates an empty database and returns its name.
func (b *bench) createDatabase(ctx context.Context) (string, error) {
	name := "bench_" + strings.ToLower(rand.Text())
	if _, err := b.admin.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
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
