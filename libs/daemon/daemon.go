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
	"github.com/countersign/countersign/libs/web"
)

// shutdownTime is how long running calls may take after the drain delay.
const shutdownTime = 20 * time.Second

// Service is what Serve runs.
type Service struct {
	Handler  http.Handler
	Verifier *bearer.Verifier

	// Work does everything behind the handler. It opens what the service needs,
	// calls ready when the handler takes calls, and runs the workers. start ends
	// when the service is told to stop, and with it what has not begun; work ends
	// when the last call is answered. Work returns when the workers have stopped
	// and everything is closed.
	Work func(start, work context.Context, ready func()) error

	// Stop makes the handler refuse calls.
	Stop func()

	// Ready is called once, with the address that is served, when calls are taken.
	// It may be nil.
	Ready func(address string)
}

// Serve listens, then works, until ctx ends or something fails that the service
// cannot do without. The handler answers from the first moment: it has to refuse
// calls until the work is ready.
//
// When ctx ends the handler refuses calls again; after the drain delay running calls
// may finish, and then the workers stop.
func (s *Settings) Serve(ctx context.Context, log *slog.Logger, service Service) error {
	listener, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("%sLISTEN: %w", s.Prefix, err)
	}
	address := listener.Addr().String()
	log.Info("listening", "address", address)

	group, ctx := errgroup.WithContext(ctx)
	// The workers outlive the calls: they stop when the last call is answered.
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWork()
	server := web.HTTPServer(s.Listen, service.Handler)
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	})
	group.Go(func() error { return service.Verifier.Run(work) })
	group.Go(func() error {
		return service.Work(ctx, work, func() {
			log.Info("ready")
			if service.Ready != nil {
				service.Ready(address)
			}
		})
	})
	group.Go(func() error {
		<-ctx.Done()
		defer stopWork()
		service.Stop()
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

// Await polls until ok or the end of ctx, and reports which it was.
func Await(ctx context.Context, ok func() bool) bool {
	for !ok() {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return true
}
