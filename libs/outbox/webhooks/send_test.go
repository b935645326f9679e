package webhooks

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/signing"
)

// post sends a message to url and returns the result.
func post(t *testing.T, url string, client *http.Client) outbox.Result {
	t.Helper()
	now := time.Now()
	key, err := signing.NewKey("")
	if err != nil {
		t.Fatal(err)
	}
	m := message{
		delivery: outbox.Delivery{EventID: "e", Payload: []byte("{}")},
		url:      url, keys: []signing.Key{key}, scheme: outbox.SignHMAC, clock: clock{now, now},
	}
	r, _ := m.send(t.Context(), client)
	return r
}

func within(total time.Duration) *http.Client {
	p := local()
	p.Total = total
	return egress.New(p)
}

// raw serves one connection after another with a function of the bytes on it.
func raw(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// replyWith replies to a request with text and closes the connection.
func replyWith(text string) func(net.Conn) {
	return func(conn net.Conn) {
		request := make([]byte, 64<<10)
		for got := ""; !strings.HasSuffix(got, "}"); {
			n, err := conn.Read(request)
			if err != nil {
				return
			}
			got += string(request[:n])
		}
		io.WriteString(conn, text)
	}
}

// drips answers a request with text and then with more, again and again, until the
// client goes away.
func drips(text, more string) func(net.Conn) {
	return func(conn net.Conn) {
		replyWith(text)(conn)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if _, err := io.WriteString(conn, more); err != nil {
				return
			}
		}
	}
}

// resets answers a request with text and breaks the connection.
func resets(text string) func(net.Conn) {
	return func(conn net.Conn) {
		replyWith(text)(conn)
		conn.(*net.TCPConn).SetLinger(0)
	}
}

func server(t *testing.T, start func(*httptest.Server), h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	start(s)
	t.Cleanup(s.Close)
	return s
}

func TestAFailedExchangeIsExplainedInAWord(t *testing.T) {
	refusing := raw(t, replyWith(""))
	closed, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	untrusted := server(t, (*httptest.Server).StartTLS, answer(200)).URL
	old := server(t, func(s *httptest.Server) {
		s.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10} // #nosec G402 -- the point of the test
		s.StartTLS()
	}, answer(200)).URL
	plain := strings.Replace(server(t, (*httptest.Server).Start, answer(200)).URL, "http:", "https:", 1)
	hung := server(t, (*httptest.Server).Start, func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}).URL

	tests := map[string]struct {
		url, want string
		status    int
	}{
		"a closed port":                {"http://" + closed.Addr().String(), "connection_refused", 0},
		"a name that does not exist":   {"http://receiver.invalid", "dns", 0},
		"a private address":            {"http://10.1.2.3", "blocked_destination", 0},
		"an untrusted certificate":     {untrusted, "tls", 0},
		"an old TLS":                   {old, "tls", 0},
		"no TLS":                       {plain, "tls", 0},
		"no answer":                    {hung, "timeout", 0},
		"no answer, connection closed": {refusing, "connection_failed", 0},
		"half of a status line":        {raw(t, replyWith("HTTP/1.1 200")), "connection_failed", 0},
		"half of the headers":          {raw(t, replyWith("HTTP/1.1 200 OK\r\nA: b\r\n")), "connection_failed", 0},
		"no answer, connection reset":  {raw(t, resets("")), "connection_failed", 0},
		"a reset in the headers":       {raw(t, resets("HTTP/1.1 200 OK\r\nA: b\r\n")), "connection_failed", 0},
		"a status line that drips":     {raw(t, drips("HTTP/1.1 200 ", "O")), "timeout", 0},
		"headers that drip":            {raw(t, drips("HTTP/1.1 200 OK\r\n", "A: b\r\n")), "timeout", 0},
		"interim answers that drip":    {raw(t, drips("", "HTTP/1.1 103 Early Hints\r\n\r\n")), "timeout", 0},
		"a short status":               {raw(t, replyWith("HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n")), "invalid_response", 0},
		"a length that is no number":   {raw(t, replyWith("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nhello")), "invalid_response", 0},
		"a negative length":            {raw(t, replyWith("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nhello")), "invalid_response", 0},
		"two lengths": {raw(t,
			replyWith("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 4\r\n\r\nhello")), "invalid_response", 0},
		"something that is not HTTP":  {raw(t, replyWith("220 ESMTP ready\r\n")), "invalid_response", 0},
		"HTTP/0.9":                    {raw(t, replyWith("<html>hello</html>")), "invalid_response", 0},
		"long headers":                {raw(t, replyWith("HTTP/1.1 200 OK\r\nA: "+strings.Repeat("a", 1<<20)+"\r\n\r\n")), "headers_too_large", 0},
		"many headers":                {raw(t, replyWith("HTTP/1.1 200 OK\r\n"+strings.Repeat("A: b\r\n", 10000)+"\r\n")), "headers_too_large", 0},
		"interim answers without end": {raw(t, replyWith(strings.Repeat("HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n", 10000))), "headers_too_large", 0},
		"a strange status":            {raw(t, replyWith("HTTP/1.1 799 What\r\nContent-Length: 0\r\n\r\n")), "status 799", 799},
		"another protocol": {raw(t,
			replyWith("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")), "status 101", 101},
		"HTTP/1.0":                         {raw(t, replyWith("HTTP/1.0 200 OK\r\n\r\nhello")), "", 200},
		"continue, then success":           {raw(t, replyWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")), "", 200},
		"success, and less than announced": {raw(t, replyWith("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")), "", 200},
		"success, and more than announced": {raw(t, replyWith("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello")), "", 200},
		"success, and bad chunks":          {raw(t, replyWith("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz")), "", 200},
		"success, reset in the body":       {raw(t, resets("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")), "", 200},
		"success, and a body that drips":   {raw(t, drips("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "x")), "", 200},
		"failure, and a body that drips":   {raw(t, drips("HTTP/1.1 500 No\r\nContent-Length: 100000\r\n\r\n", "x")), "status 500", 500},
		"success without a body, with one": {raw(t, replyWith("HTTP/1.1 204 No Content\r\n\r\nhello")), "", 204},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patience := time.Minute
			if tt.want == "timeout" || strings.HasSuffix(name, "drips") { // it has no end
				patience = 2 * time.Second
			}
			r := post(t, tt.url, within(patience))
			if r.Error != tt.want || r.StatusCode != tt.status {
				t.Errorf("result = %q, %d; want %q, %d", r.Error, r.StatusCode, tt.want, tt.status)
			}
		})
	}
}

func TestManyHeadersOverHTTP2AreNamedToo(t *testing.T) {
	s := server(t, func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() }, func(w http.ResponseWriter, _ *http.Request) {
		for range 10000 {
			w.Header().Add("A", "b")
		}
	})
	client := s.Client()
	client.Transport.(*http.Transport).MaxResponseHeaderBytes = 16 << 10
	if r := post(t, s.URL, client); r.Error != "headers_too_large" {
		t.Errorf("result = %q", r.Error)
	}
}

func TestALongBodyIsNotReadToItsEnd(t *testing.T) {
	const long, together = 1 << 30, 8
	// A gigabyte of this on the wire is a thousand when it is expanded.
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	z.Write(make([]byte, 1<<20))
	z.Close()
	tests := map[string]struct {
		encoding string
		chunk    []byte
	}{
		"as it is":   {"identity", bytes.Repeat([]byte("x"), 32<<10)},
		"compressed": {"gzip", bytes.Repeat(bomb.Bytes(), 32)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var sent atomic.Int64
			s := server(t, (*httptest.Server).Start, func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Encoding", tt.encoding)
				for mine := 0; mine < long; mine += len(tt.chunk) {
					n, err := w.Write(tt.chunk)
					sent.Add(int64(n))
					if err != nil {
						return
					}
				}
			})
			client := within(10 * time.Second)
			var posts sync.WaitGroup
			for range together {
				posts.Go(func() {
					if r := post(t, s.URL, client); r.Error != "" || r.StatusCode != 200 || len(r.Excerpt) > 2<<10 {
						t.Errorf("result = %q, %d, %d bytes", r.Error, r.StatusCode, len(r.Excerpt))
					}
				})
			}
			posts.Wait()
			s.Close()                                  // once every exchange has ended at the receiver too
			if n := sent.Load(); n > together*64<<20 { // the capacity of the system's buffers
				t.Errorf("the receiver got rid of %d bytes", n)
			}
		})
	}
}

func TestAnExcerptIsCleanText(t *testing.T) {
	tests := map[string]struct{ body, want string }{
		"nothing":                        {"", ""},
		"text":                           {"Größe: 5 €", "Größe: 5 €"},
		"lines":                          {"a\r\nb\tc", "a  b c"},
		"control characters":             {"a\x00b\x1b[31mc\x7fd", "ab[31mcd"},
		"marks that turn the text":       {"a\u202eb\ufeffc", "abc"},
		"bytes that are not UTF-8":       {"a\xff\xfeb", "ab"},
		"a character across the limit":   {strings.Repeat("a", 2047) + "€", strings.Repeat("a", 2047)},
		"a character before the limit":   {strings.Repeat("a", 2045) + "€b", strings.Repeat("a", 2045) + "€"},
		"much more than the limit":       {strings.Repeat("ä", 5000), strings.Repeat("ä", 1024)},
		"white space from other scripts": {"a\u3000\u00a0b", "a  b"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := excerpt([]byte(tt.body))
			if got != tt.want || len(got) > 2<<10 || !utf8.ValidString(got) {
				t.Errorf("excerpt = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheClockIsNeverSlow(t *testing.T) {
	database := time.UnixMilli(1_800_000_000_000)
	asked := time.Now()
	c := clock{database: database, local: asked}
	before := time.Since(asked)
	got := c.now().Sub(database)
	if got < before || got > time.Since(asked)+time.Millisecond || got%time.Millisecond != 0 {
		t.Errorf("%s passed by the clock, at least %s in truth", got, before)
	}
}

func TestAWordIsFoundForEveryError(t *testing.T) {
	for err, want := range map[error]string{
		context.DeadlineExceeded:                    "timeout",
		fmt.Errorf("post: %w", io.ErrUnexpectedEOF): "connection_failed",
		fmt.Errorf("anything else"):                 "invalid_response",

		&url.Error{Op: "Post", Err: &net.OpError{Op: "dial", Err: &net.DNSError{Err: "i/o timeout", IsTimeout: true}}}: "dns",
		&url.Error{Op: "Post", Err: &net.DNSError{Err: "server misbehaving", IsTemporary: true}}:                       "dns",
	} {
		if got := reason(err, false); got != want {
			t.Errorf("reason(%v) = %q, want %q", err, got, want)
		}
	}
}
