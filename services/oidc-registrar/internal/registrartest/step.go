package registrartest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Step is a point in a call to a provider.
type Step string

const (
	Before   Step = "before the provider does anything"
	Done     Step = "after it has done all, before it answers"
	Answered Step = "after it has answered"
)

// Steps runs hooks of a test at points of each call to a provider.
type Steps struct {
	mu    sync.Mutex
	hooks map[Step]func()
}

// SetHook sets the hook for a point of each later call; nil removes it. If the hook panics with
// http.ErrAbortHandler, the provider stops processing and drops the connection.
func (s *Steps) SetHook(step Step, fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hooks == nil {
		s.hooks = map[Step]func(){}
	}
	s.hooks[step] = fn
}

// RunHook runs the hook of a point. Providers call it.
func (s *Steps) RunHook(step Step) {
	s.mu.Lock()
	fn := s.hooks[step]
	s.mu.Unlock()
	if fn != nil {
		fn()
	}
}

// provider is the common part of the providers: a server with hooks.
type provider struct {
	*httptest.Server
	Steps

	mu sync.Mutex
}

// serve runs the provider until the end of the test.
func (p *provider) serve(t testing.TB, h http.Handler) {
	p.Server = httptest.NewServer(h)
	t.Cleanup(p.Close)
}

func (p *provider) set(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fn()
}
