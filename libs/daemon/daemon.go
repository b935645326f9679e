// Package daemon is what the services do alike as programs: their common settings,
// how they start and stop, and the commands beside serve.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/countersign/countersign/libs/bearer"
	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/web"
)

// shutdownTime is how long running calls may take after the drain delay.
const shutdownTime = 20 * time.Second

// Service is what Serve runs.
type Service struct {
	API      *web.Server
	Verifier *bearer.Verifier
	Migrate  func(context.Context, *sqldb.DB) error

	// Open builds what stands behind the API, on a database whose schema is in place.
	// ctx ends when the service is told to stop.
	Open func(ctx context.Context, db *sqldb.DB) error

	// Ping asks the database, and Work is what runs until the last call is answered.
	// Both are for an open service.
	Ping func(context.Context) error
	Work func() []func(context.Context) error

	// Ready is called once, with the address that is served, when calls are taken.
	// It may be nil.
	Ready func(address string)
}

// Serve listens, opens the database and the service, and works, until ctx ends or
// something fails that the service cannot do without. The API answers from the first
// moment: it refuses calls until the service is open and tokens can be checked.
//
// When ctx ends the API refuses calls again; after the drain delay running calls may
// finish, then the work stops, and then the database is closed.
func (s *Settings) Serve(ctx context.Context, log *slog.Logger, service Service) error {
	listener, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("%sLISTEN: %w", s.Prefix, err)
	}
	address := listener.Addr().String()
	log.Info("listening", "address", address)

	group, ctx := errgroup.WithContext(ctx)
	// The work outlives the calls: it stops when the last call is answered.
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	server := web.HTTPServer(s.Listen, service.API)
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	})
	group.Go(func() error { return service.Verifier.Run(work) })
	group.Go(func() error {
		return s.run(ctx, work, log, service, func() {
			log.Info("ready")
			if service.Ready != nil {
				service.Ready(address)
			}
		})
	})
	group.Go(func() error {
		<-ctx.Done()
		defer stopWork()
		service.API.Stop()
		log.Info("stopping")
		time.Sleep(s.DrainDelay) // load balancers learn from readiness first
		deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		if err := server.Shutdown(deadline); err != nil {
			return fmt.Errorf("shut down: %w", err)
		}
		return nil
	})
	err = group.Wait()
	log.Info("stopped")
	return err
}

// run opens the database and the service, lets calls in and works. It returns when the
// work has stopped and the database is closed. start ends what has not begun, and work
// the work.
func (s *Settings) run(start, work context.Context, log *slog.Logger, service Service, ready func()) error {
	db, err := s.OpenDatabase(start, log, service.Migrate)
	if err != nil || db == nil {
		return err
	}
	defer db.Close()
	if err := service.Open(start, db); err != nil {
		return err
	}
	if !await(start, service.Verifier.Ready) {
		return nil
	}
	group, work := errgroup.WithContext(work)
	for _, job := range service.Work() {
		group.Go(func() error { return job(work) })
	}
	service.API.Start(service.Ping)
	group.Go(func() error { return service.API.Watch(work) }) // not before Start, which says whom to ask
	ready()
	return group.Wait()
}

// await polls until ok or the end of ctx, and reports which it was.
func await(ctx context.Context, ok func() bool) bool {
	for !ok() {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return true
}
