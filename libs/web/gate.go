package web

import (
	"context"
	"sync/atomic"
	"time"
)

// gate is whether the service can take calls. Every call asks it, so ping is set
// before started is.
type gate struct {
	started atomic.Bool // what the service needs is in place
	stopped atomic.Bool // for good
	down    atomic.Bool // the database did not answer when it was last asked
	ping    func(context.Context) error
}

const (
	pingTime   = 2 * time.Second
	probeEvery = time.Second
)

// Start lets calls in. ping asks the database.
func (s *Server) Start(ping func(context.Context) error) {
	s.ping = ping
	s.started.Store(true)
}

// Stop lets no call in any more.
func (s *Server) Stop() { s.stopped.Store(true) }

// closed says why no call is let in; nil when they are.
func (g *gate) closed() *Refusal {
	switch {
	case g.stopped.Load():
		return &Refusal{Reason: Starting, Message: "the service is stopping"}
	case !g.started.Load():
		return &Refusal{Reason: Starting, Message: "the service is starting"}
	case g.down.Load():
		return &Refusal{Reason: DatabaseDown, Message: "the database cannot be reached"}
	default:
		return nil
	}
}

// Probe asks the database, and lets calls in or not by its answer. It asks also when
// ctx has ended: that a caller hung up says nothing about the database.
func (s *Server) Probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingTime)
	defer cancel()
	err := s.ping(ctx)
	if down := err != nil; s.down.Swap(down) != down {
		s.options.Logger.WarnContext(ctx, "database", "reachable", !down, "error", err)
	}
	return err
}

// Watch probes until ctx ends, so that calls are let in again without anybody asking
// for the health. It then returns nil.
func (s *Server) Watch(ctx context.Context) error {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			_ = s.Probe(ctx)
		}
	}
}

// Health says why the service takes no calls, and nil when it does. It asks the
// database each time.
func (s *Server) Health(ctx context.Context) error {
	if why := s.closed(); why != nil && why.Reason == Starting {
		return why
	}
	_ = s.Probe(ctx) // which has logged what the caller is not told
	if why := s.closed(); why != nil {
		return why
	}
	return nil
}
