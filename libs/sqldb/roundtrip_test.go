package sqldb_test

import (
	"math"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/countersign/countersign/libs/sqldb"
	"github.com/countersign/countersign/libs/sqldb/sqldbtest"
)

// roundTrips is a proxy in front of PostgreSQL that counts how often a client
// speaks after the server has spoken.
type roundTrips struct {
	mu       sync.Mutex
	n        int
	answered bool
}

// listen returns rawURL with the proxy's address in it.
func (p *roundTrips) listen(t *testing.T, rawURL string) string {
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	server := u.Host
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			backend, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				return
			}
			go p.copy(backend, client, true)
			go p.copy(client, backend, false)
		}
	}()
	u.Host = listener.Addr().String()
	return u.String()
}

func (p *roundTrips) copy(to, from net.Conn, isClient bool) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		p.mu.Lock()
		if isClient && p.answered {
			p.n++
		}
		p.answered = !isClient
		p.mu.Unlock()
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (p *roundTrips) take() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.n
	p.n = 0
	return n
}

func TestRoundTripsOfATransaction(t *testing.T) {
	var proxy roundTrips
	db := open(t, proxy.listen(t, sqldbtest.Postgres(t)), sqldb.Options{MaxConns: 1})
	var rows []item
	var n int64
	write := func(tx *sqldb.Tx) error {
		return tx.Batch(insert("a", 1), insert("b", 2), sqldb.Stmt{SQL: "DELETE FROM items"})
	}
	read := func(tx *sqldb.Tx) error {
		return tx.Load(
			sqldb.Select{SQL: "SELECT * FROM items" + tx.RowLock("FOR UPDATE"), Into: &rows},
			sqldb.Select{SQL: "SELECT count(*) FROM items", Into: &n})
	}
	tests := []struct {
		name string
		fn   func(*sqldb.Tx) error
		want int
	}{
		{"begin with the clock, commit", func(*sqldb.Tx) error { return nil }, 2},
		{"begin with a batch, commit", write, 2},
		{"begin with a load, a batch, commit", func(tx *sqldb.Tx) error {
			if err := read(tx); err != nil {
				return err
			}
			return write(tx)
		}, 3},
		{"begin with a load, commit with the writes", func(tx *sqldb.Tx) error {
			if err := read(tx); err != nil {
				return err
			}
			tx.Last()
			return write(tx)
		}, 2},
		{"all of it together", func(tx *sqldb.Tx) error { tx.Last(); return write(tx) }, 1},
		{"begin, a statement of gorm's, commit", func(tx *sqldb.Tx) error { return tx.Find(&rows, "n = ?", 1).Error }, 3},
	}
	for _, tt := range tests {
		// The first use also prepares, and a connection that was idle for a second
		// is pinged: the fewest of several runs is the cost.
		got := math.MaxInt
		for range 4 {
			proxy.take()
			if err := db.Do(t.Context(), tt.fn); err != nil {
				t.Fatal(err)
			}
			got = min(got, proxy.take())
		}
		if got != tt.want {
			t.Errorf("%s: %d round trips, want %d", tt.name, got, tt.want)
		}
	}
}
