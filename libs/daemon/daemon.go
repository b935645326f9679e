// Package daemon is the common part of the service programs: settings, start, stop and the commands
// beside serve.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/trace"
	"github.com/countersign/countersign/libs/web"
)

const (
	// shutdownTime is how long running calls and work may take after the drain delay.
	shutdownTime = 20 * time.Second

	// longTime is the part of shutdownTime for long calls.
	longTime = 15 * time.Second
)

// Service is a service for Serve.
type Service struct {
	API      *web.Server
	Verifier *bearer.Verifier
	Metrics  *metrics.Registry
	Program  Program

	// Open builds the service on a database with the current schema. ctx ends when the service has to stop.
	// Open is called again after an error of the database.
	Open func(ctx context.Context, db *sqldb.DB) error

	// Work returns the background jobs of an open service. A job finishes or releases its current
	// work when its context ends.
	Work func() []func(context.Context) error

	// Ready is called once with the address, when the service accepts calls. It may be nil.
	Ready func(address string)
}

// Serve listens, opens the database and the service, and runs its jobs until ctx ends or an essential
// component fails. It listens first: calls are refused until the service is open and tokens can be verified.
//
// After the end of ctx the service is not ready, but accepts calls during the drain delay, until load
// balancers have removed it. Then it starts no further work and closes the listener. It closes the database
// after the running calls and jobs.
func (s *Settings) Serve(ctx context.Context, log *slog.Logger, service Service) error {
	if !s.ReadOnly {
		stopTraces, err := trace.Start(ctx, service.Program.Name, Version(), log)
		if err != nil {
			return err
		}
		defer stopTraces()
	}
	service.measure()
	s.warn(log)
	closeAdmin, err := s.serveAdmin(log, service.Metrics)
	if err != nil {
		return err
	}
	defer closeAdmin()
	listener, err := net.Listen("tcp", s.Listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%sLISTEN: another program listens on %s; stop it, or choose another address", s.Prefix, s.Listen)
	}
	if err != nil {
		return fmt.Errorf("%sLISTEN: %w", s.Prefix, err)
	}
	group, ctx := errgroup.WithContext(ctx)
	p := &process{Settings: s, log: log, service: service, group: group, address: listener.Addr().String()}
	log.Info("listening", "address", p.address)

	// Neither ends with ctx: work ends after the drain delay, calls after the last call.
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	calls, endCalls := context.WithCancel(context.WithoutCancel(ctx))
	defer endCalls()
	server := web.HTTPServer(s.Listen, service.API)
	server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	})
	group.Go(func() error { return service.Verifier.Run(calls) })
	if s.Dev || s.AllowDevValues {
		group.Go(func() error { return s.remind(log).Run(work) })
	}
	group.Go(func() error { return p.run(ctx, work, calls) })
	group.Go(func() error {
		<-ctx.Done()
		defer endCalls()
		p.drain()
		stopWork()
		p.shutDown(server)
		return nil
	})
	err = group.Wait()
	log.Info("stopped")
	return err
}

// process is a running service.
type process struct {
	*Settings
	log     *slog.Logger
	service Service
	group   *errgroup.Group // an error of one member ends the service
	address string
}

// run opens the database and the service, admits calls and runs the jobs. It returns when the jobs have
// stopped and the database is closed. start is the context of the start, work of the jobs, calls of the
// calls.
func (p *process) run(start, work, calls context.Context) error {
	db, err := p.open(start)
	if err != nil || db == nil {
		return err
	}
	defer db.Close()
	if !p.ReadOnly {
		unlock, err := db.LockServing(start)
		if err != nil {
			return fmt.Errorf("%sDATABASE_URL: %w", p.Prefix, err)
		}
		defer func() { _ = unlock() }()
	}
	if !await(start, p.service.Verifier.Ready) {
		return nil
	}
	report := p.service.API.ClockOff
	if p.Now != nil { // a test's
		report = func(bool) {}
	}
	clock := clock(db.ClockSkew, report, p.log, p.service.Metrics)
	_, _ = clock.Pass(start) // before the first call; Run tries again
	jobs := []func(context.Context) error{clock.Run}
	if !p.ReadOnly {
		jobs = append(jobs, p.service.Work()...)
	}
	var working sync.WaitGroup
	for _, job := range jobs {
		working.Add(1)
		p.group.Go(func() error {
			defer working.Done()
			return job(work)
		})
	}
	p.service.API.Start(web.Database{Ping: db.Ping, Writable: db.Writable, TryWrite: db.TryWrite})
	p.log.Info("ready")
	if p.service.Ready != nil {
		p.service.Ready(p.address)
	}
	freeStartMemory()
	err = p.service.API.Watch(calls)
	working.Wait()
	return err
}

// open opens the database and the service, and retries after errors of the database. It returns nil without
// an error if ctx ends first.
func (p *process) open(ctx context.Context) (*sqldb.DB, error) {
	db, err := p.openDatabase(ctx, p.log, p.service.Program, p.service.API.RecordDatabaseCheck)
	if err != nil || db == nil {
		return nil, err
	}
	db.Measure(p.service.Metrics, strings.ToLower(strings.TrimSuffix(p.Prefix, "_")))
	for {
		err := p.service.Open(ctx, db)
		switch {
		case err == nil:
			return db, nil
		case ctx.Err() == nil && !sqldb.IsTemporary(err):
			_ = db.Close()
			return nil, err
		}
		p.service.API.RecordDatabaseCheck(ctx, err)
		if !Sleep(ctx, time.Second) {
			_ = db.Close()
			return nil, nil
		}
	}
}

// freeStartMemory returns the memory of the start to the system; a migration uses 8 MB for its files. A sync.Pool
// is empty after two collections, of which FreeOSMemory is one.
func freeStartMemory() {
	runtime.GC()
	debug.FreeOSMemory()
}

// drain waits until load balancers have removed the service. A service that was never ready does not wait.
func (p *process) drain() {
	p.service.API.Drain()
	delay := p.drainDelay()
	if !p.service.API.Started() {
		delay = 0
	}
	p.log.Info("stopping", "after", delay.String())
	time.Sleep(delay)
}

// shutDown closes the listener and the idle connections, and waits for the running calls up to the shutdown
// deadline.
func (p *process) shutDown(server *http.Server) {
	late := time.AfterFunc(longTime, p.service.API.EndLong)
	defer late.Stop()
	deadline, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	if err := server.Shutdown(deadline); err != nil {
		p.log.Warn("calls ended at the shutdown deadline", "after", shutdownTime.String(), "error", err)
		_ = server.Close()
	}
}

// await polls until ok or the end of ctx, and reports ok.
func await(ctx context.Context, ok func() bool) bool {
	for !ok() {
		if !Sleep(ctx, 20*time.Millisecond) {
			return false
		}
	}
	return true
}
