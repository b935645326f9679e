package registrartest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Step is a moment of a call to a provider.
type Step string

const (
	Before   Step = "before the provider does anything"
	Done     Step = "after it has done all, before it answers"
	Answered Step = "after it has answered"
)

// Steps lets a test do something at a moment of each call to a provider.
type Steps struct {
	mu    sync.Mutex
	hooks map[Step]func()
}

// At has fn called at a moment of each call from now on; nil ends that. Where it panics with
// http.ErrAbortHandler the provider does nothing more, and drops the connection.
func (s *Steps) At(step Step, fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hooks == nil {
		s.hooks = map[Step]func(){}
	}
	s.hooks[step] = fn
}

// Reach is called by a provider at each moment.
func (s *Steps) Reach(step Step) {
	s.mu.Lock()
	fn := s.hooks[step]
	s.mu.Unlock()
	if fn != nil {
		fn()
	}
}

// provider is what every provider has: a server, and what a test tells it while it serves.
type provider struct {
	*httptest.Server
	Steps

	mu sync.Mutex
}

// serve runs the provider until the test is over.
func (p *provider) serve(t testing.TB, h http.Handler) {
	p.Server = httptest.NewServer(h)
	t.Cleanup(p.Close)
}

func (p *provider) set(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fn()
}
