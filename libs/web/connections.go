package web

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

// connections bounds those that are open. One that no call runs on costs memory alone, so
// when there are too many the one goes that has been without a call for the longest time:
// idle connections of one client make way for active ones.
type connections struct {
	most int

	mu      sync.Mutex
	open    map[net.Conn]*connection
	idle    list.List // of *connection, the longest idle first
	counter func()    // called for each closed connection
}

type connection struct {
	net.Conn
	element *list.Element // in idle; nil while a call runs
}

type connectionKey struct{}

// LimitConnections lets a server, whose handler is s, have at most so many connections
// open. Call it before the server serves, for one server.
func (s *Server) LimitConnections(server *http.Server, most int) {
	c := &s.connections
	c.mu.Lock() // the metrics may be read already
	c.most, c.open = most, map[net.Conn]*connection{}
	c.counter = func() { s.refused.WithLabelValues("connections").Inc() }
	c.mu.Unlock()
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _ := r.Context().Value(connectionKey{}).(*connection)
		c.busy(conn)
		defer c.rest(conn)
		handler.ServeHTTP(w, r)
	})
	server.ConnContext = func(ctx context.Context, conn net.Conn) context.Context {
		return context.WithValue(ctx, connectionKey{}, c.add(conn))
	}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		if state == http.StateClosed || state == http.StateHijacked {
			c.remove(conn)
		}
	}
}

// add counts a new connection, and closes the longest idle one if it is one too many: the
// new one, if there is a call on every other.
func (c *connections) add(conn net.Conn) *connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	this := &connection{Conn: conn}
	this.element = c.idle.PushBack(this)
	c.open[conn] = this
	if len(c.open) > c.most {
		victim := c.idle.Front().Value.(*connection)
		c.forget(victim)
		_ = victim.Close()
		c.counter()
	}
	return this
}

// busy marks a connection as in use by a call; rest marks it as idle.
func (c *connections) busy(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn.element != nil {
		c.idle.Remove(conn.element)
		conn.element = nil
	}
}

func (c *connections) rest(conn *connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[conn.Conn] == conn && conn.element == nil {
		conn.element = c.idle.PushBack(conn)
	}
}

func (c *connections) remove(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.open[conn]; known != nil {
		c.forget(known)
	}
}

// forget takes a connection out of all lists. The lock is held.
func (c *connections) forget(conn *connection) {
	delete(c.open, conn.Conn)
	if conn.element != nil {
		c.idle.Remove(conn.element)
		conn.element = nil
	}
}

// count is how many are open.
func (c *connections) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}
