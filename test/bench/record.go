package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgproto3"
)

// recorder stands between a service and PostgreSQL and keeps the statements that the
// service executes. It understands connections without TLS.
type recorder struct {
	listener net.Listener
	server   string // address of PostgreSQL

	mu   sync.Mutex
	kept []statement
}

// statement is one execution of a statement.
type statement struct {
	conn, trip int // the connection, and the round trip on it
	sql        string
	args       [][]byte // nil for NULL
	formats    []int16  // of args, as in a Bind message
}

// newRecorder listens on a free port of this machine.
func newRecorder(server string) (*recorder, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &recorder{listener: listener, server: server}
	go r.serve()
	return r, nil
}

func (r *recorder) address() string { return r.listener.Addr().String() }

func (r *recorder) close() { _ = r.listener.Close() }

func (r *recorder) serve() {
	for n := 0; ; n++ {
		client, err := r.listener.Accept()
		if err != nil {
			return // closed
		}
		go func() {
			defer client.Close()
			server, err := net.Dial("tcp", r.server)
			if err != nil {
				return // the service logs what it misses
			}
			defer server.Close()
			go func() {
				_, _ = io.Copy(client, server)
				_ = client.Close()
			}()
			c := conversation{recorder: r, conn: n, names: map[string]string{}}
			_ = c.relay(server, client)
		}()
	}
}

// conversation is what one connection says.
type conversation struct {
	*recorder
	conn, trip int
	names      map[string]string // SQL of prepared statements
}

// relay passes messages on and keeps what they say. The format is that of "Frontend/
// Backend Protocol, Message Formats" in PostgreSQL's manual: a type, but for the
// first message, a length, a body.
func (c *conversation) relay(server io.Writer, client io.Reader) error {
	in := bufio.NewReader(client)
	for header := make([]byte, 4); ; header = make([]byte, 5) {
		if _, err := io.ReadFull(in, header); err != nil {
			return err
		}
		length := binary.BigEndian.Uint32(header[len(header)-4:])
		if length < 4 {
			return fmt.Errorf("message of %d bytes", length)
		}
		body := make([]byte, length-4)
		if _, err := io.ReadFull(in, body); err != nil {
			return err
		}
		if len(header) == 5 {
			if err := c.keep(header[0], body); err != nil {
				return err
			}
		}
		if _, err := server.Write(append(header, body...)); err != nil {
			return err
		}
	}
}

// keep notes the messages that execute something.
func (c *conversation) keep(kind byte, body []byte) error {
	switch kind {
	case 'P':
		var m pgproto3.Parse
		if err := m.Decode(body); err != nil {
			return err
		}
		c.names[m.Name] = m.Query
	case 'B':
		var m pgproto3.Bind
		if err := m.Decode(body); err != nil {
			return err
		}
		c.add(statement{sql: c.names[m.PreparedStatement], args: m.Parameters, formats: m.ParameterFormatCodes})
	case 'Q':
		var m pgproto3.Query
		if err := m.Decode(body); err != nil {
			return err
		}
		c.add(statement{sql: m.String})
		c.trip++
	case 'S': // Sync: the client waits for an answer
		c.trip++
	}
	return nil
}

func (c *conversation) add(s statement) {
	s.conn, s.trip = c.conn, c.trip
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept = append(c.kept, s)
}

// take returns the transactions since the last take in which a statement has one of
// the names among its arguments, and forgets everything. Names are what tells a call
// from what the service does by itself.
func (r *recorder) take(names []string) []statement {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []statement
	open := map[int][]statement{} // by connection
	for _, s := range r.kept {
		tx := append(open[s.conn], s)
		first, last := strings.ToUpper(tx[0].sql), strings.ToUpper(s.sql)
		if strings.HasPrefix(first, "BEGIN") && !strings.HasPrefix(last, "COMMIT") && !strings.HasPrefix(last, "ROLLBACK") {
			open[s.conn] = tx
			continue
		}
		delete(open, s.conn)
		if slices.ContainsFunc(tx, func(s statement) bool { return s.hasAny(names) }) {
			found = append(found, tx...)
		}
	}
	r.kept = nil
	return found
}

func (s statement) hasAny(names []string) bool {
	return slices.ContainsFunc(s.args, func(arg []byte) bool { return slices.Contains(names, string(arg)) })
}

// record starts the service behind a recorder, prepares its database, makes every
// call once and returns pgbench scripts of what it sent.
func (b *bench) record(ctx context.Context, database string) ([]script, error) {
	config := b.admin.Config()
	if config.TLSConfig != nil || strings.HasPrefix(config.Host, "/") {
		return nil, fmt.Errorf("the server must be reached over TCP and with sslmode=disable")
	}
	r, err := newRecorder(net.JoinHostPort(config.Host, fmt.Sprint(config.Port)))
	if err != nil {
		return nil, err
	}
	defer r.close()
	through := *b
	through.url = new(*b.url)
	through.url.Host = r.address()
	s, err := through.start(ctx, through.databaseURL(database))
	if err != nil {
		return nil, err
	}
	defer s.kill()
	if err := b.prepare(ctx, s, b.tokens); err != nil {
		return nil, err
	}
	conn, err := b.connect(ctx, database)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))

	var scripts []script
	for range 2 { // the first time, caches are empty
		w := writer{conn: conn, unique: map[string]int{}, wait: b.provider}
		yield := ""
		scripts = nil
		for _, step := range b.steps {
			c := step.call(b.tokens, b.number(), yield)
			body, err := s.call(ctx, c)
			if err != nil {
				return nil, err
			}
			if yield, err = step.yield(body); err != nil {
				return nil, fmt.Errorf("%s: %w: %s", step.name, err, body)
			}
			names := append(c.names, c.key, yield)
			if step.stored != nil {
				names = append(names, step.stored(body)...)
			}
			names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
			script, err := w.script(ctx, r.take(names), names)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", step.name, err)
			}
			scripts = append(scripts, script)
		}
	}
	return scripts, s.stop()
}
