package sqldbtest

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// Proxy is a TCP proxy between a service and PostgreSQL whose connections a test can cut.
type Proxy struct {
	listener net.Listener
	target   string
	ways     func(near, far net.Conn) (up, down func())

	mu    sync.Mutex
	whole bool
	conns map[net.Conn]bool
}

// Between returns a proxy to the database and the URL through it. ways returns the two functions that copy the
// bytes of a pair of connections, near at the service and far at the server, until one is closed.
func Between(t testing.TB, database string, ways func(near, far net.Conn) (up, down func())) (*Proxy, string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: listener, target: u.Host, ways: ways, whole: true, conns: map[net.Conn]bool{}}
	go p.run()
	t.Cleanup(func() {
		_ = listener.Close()
		p.Cut()
	})
	u.Host = listener.Addr().String()
	return p, u.String()
}

// Cut closes every connection and rejects new ones until Mend.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.whole = false
	for conn := range p.conns {
		_ = conn.Close()
	}
}

// Mend accepts connections again.
func (p *Proxy) Mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.whole = true
}

func (p *Proxy) run() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", p.target)
		if err != nil || !p.add(near, far) {
			_ = near.Close()
			if err == nil {
				_ = far.Close()
			}
			continue
		}
		go p.serve(near, far)
	}
}

// add registers a pair of connections. It fails while the proxy is cut.
func (p *Proxy) add(near, far net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.whole {
		p.conns[near], p.conns[far] = true, true
	}
	return p.whole
}

// serve copies bytes until one side ends.
func (p *Proxy) serve(near, far net.Conn) {
	up, down := p.ways(near, far)
	done := make(chan struct{}, 2)
	for _, way := range []func(){up, down} {
		go func() {
			way()
			done <- struct{}{}
		}()
	}
	<-done
	_, _ = near.Close(), far.Close()
	<-done
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, near)
	delete(p.conns, far)
}
