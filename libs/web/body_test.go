package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/countersign/countersign/libs/web"
)

// pipes is a network in a synctest bubble.
type pipes struct {
	conns chan net.Conn
	close sync.Once
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.close.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours
}

// serve starts the desk behind a network.
func (d *desk) serve() (*pipes, *http.Server) {
	server := web.HTTPServer("", d.server)
	p := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	go func() { _ = server.Serve(p) }()
	return p, server
}

func TestABodyThatComesTooSlowlyIsRefusedAndHoldsNoSlot(t *testing.T) {
	for name, tt := range map[string]struct {
		first  int           // bytes that come at once
		more   int           // bytes that come each
		every  time.Duration // time after that; none when zero
		length int
		status int
		after  time.Duration
	}{
		"nothing":                           {0, 0, 0, 100, 408, time.Second},
		"3 KiB and then nothing":            {3 << 10, 0, 0, 8000, 408, 4 * time.Second},
		"a lot and then nothing":            {200_000, 0, 0, 200_001, 408, 5 * time.Second},
		"a byte now and then":               {0, 1, 400 * time.Millisecond, 100, 408, 1002 * time.Millisecond},
		"slowly and whole":                  {20, 2000, time.Second, 8020, 200, 4 * time.Second},
		"fast enough but for too long":      {20, 1500, time.Second, 20_000, 408, 5 * time.Second},
		"almost all, and the rest too late": {99, 1, 2 * time.Second, 100, 408, time.Second + 99*time.Second/1024},
	} {
		t.Run(name, func(t *testing.T) {
			atADesk(t, func(o *web.Options) { o.MaxInFlight = 1 }, func(t *testing.T, d *desk) {
				p, server := d.serve()
				defer server.Close()
				conn := p.dial()
				defer conn.Close()
				begun, ended := time.Now(), make(chan struct{})
				body := `{"name":"` + strings.Repeat(" ", tt.length)
				body = body[:tt.length]
				if tt.status == 200 {
					body = "{}" + strings.Repeat(" ", tt.length-2)
				}
				go func() {
					defer close(ended)
					_, err := fmt.Fprintf(conn,
						"POST /write HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
						d.token("ana"), tt.length, body[:tt.first])
					for body = body[tt.first:]; err == nil && tt.every > 0 && len(body) > 0; {
						time.Sleep(tt.every)
						n := min(tt.more, len(body))
						_, err = io.WriteString(conn, body[:n])
						body = body[n:]
					}
				}()
				synctest.Wait()
				d.expect(d.call("bo", "POST", "/write", "{}"), 200) // there is one slot
				res, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				spread := time.Duration(0)
				if tt.status == 408 && tt.after < 5*time.Second { // which is the end for every body
					spread = time.Second / 2
				}
				took := time.Since(begun)
				if late := took - tt.after.Truncate(time.Millisecond); res.StatusCode != tt.status || late < 0 ||
					late > spread+time.Millisecond || res.Close != (tt.status == 408) {
					t.Errorf("%d after %s, close %t; want %d after %s", res.StatusCode, took, res.Close, tt.status, tt.after)
				}
				_ = conn.Close()
				<-ended
				synctest.Wait()
				d.holds(0, 0, 0, 0)
			})
		})
	}
}

func TestBodiesThatBeginAtOneMomentAreNotRefusedAtOne(t *testing.T) {
	atADesk(t, nil, func(t *testing.T, d *desk) {
		const calls = 20
		p, server := d.serve()
		defer server.Close()
		begun, ended := time.Now(), make(chan time.Duration)
		for range calls {
			go func() {
				conn := p.dial()
				defer conn.Close()
				_, err := fmt.Fprintf(conn,
					"POST /write HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n", d.token("ana"))
				if err == nil {
					_, err = conn.Read(make([]byte, 1))
				}
				if err != nil {
					t.Error(err)
				}
				ended <- time.Since(begun)
			}()
		}
		moments := map[time.Duration]bool{}
		for range calls {
			moments[(<-ended).Round(time.Millisecond)] = true
		}
		if len(moments) < calls/2 {
			t.Errorf("%d bodies were refused at %d moments", calls, len(moments))
		}
	})
}

// A token is verified before the body arrives. A slow body delays the 401 only by the time for
// reading the rest.
func TestABodyWithoutATokenIsChargedNothing(t *testing.T) {
	atADesk(t, nil, func(t *testing.T, d *desk) {
		p, server := d.serve()
		defer server.Close()
		conn := p.dial()
		defer conn.Close()
		if _, err := io.WriteString(
			conn, "POST /write HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n{"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		d.holds(0, 0, 0, 0)
	})
}
