package egress

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// zone answers one question of a name server.
type zone func(dnsmessage.Question) (dnsmessage.RCode, []dnsmessage.ResourceBody)

// addresses answers with the addresses of the requested type.
func addresses(question dnsmessage.Question, list []netip.Addr) (dnsmessage.RCode, []dnsmessage.ResourceBody) {
	var bodies []dnsmessage.ResourceBody
	for _, a := range list {
		switch {
		case a.Is4() && question.Type == dnsmessage.TypeA:
			bodies = append(bodies, &dnsmessage.AResource{A: a.As4()})
		case a.Is6() && question.Type == dnsmessage.TypeAAAA:
			bodies = append(bodies, &dnsmessage.AAAAResource{AAAA: a.As16()})
		}
	}
	return dnsmessage.RCodeSuccess, bodies
}

// resolver queries a name server on UDP and TCP. Answers are not cached: the TTL is 0.
func resolver(t *testing.T, z zone) *net.Resolver {
	t.Helper()
	packets, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { packets.Close() })
	streams, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { streams.Close() })
	go func() {
		packet := make([]byte, 1500)
		for {
			n, from, err := packets.ReadFrom(packet)
			if err != nil {
				return
			}
			if reply := z.reply(packet[:n], 1232); reply != nil {
				packets.WriteTo(reply, from)
			}
		}
	}()
	go func() {
		for {
			conn, err := streams.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				var size uint16 // RFC 1035 §4.2.2
				if binary.Read(conn, binary.BigEndian, &size) != nil {
					return
				}
				query := make([]byte, size)
				if _, err := io.ReadFull(conn, query); err != nil {
					return
				}
				reply := z.reply(query, 64<<10-1)
				conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
			}()
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		if strings.HasPrefix(network, "tcp") {
			return new(net.Dialer).DialContext(ctx, "tcp4", streams.Addr().String())
		}
		return new(net.Dialer).DialContext(ctx, "udp4", packets.LocalAddr().String())
	}}
}

// reply answers a query, truncated at limit with the TC bit.
func (z zone) reply(packet []byte, limit int) []byte {
	var query dnsmessage.Message
	if query.Unpack(packet) != nil || len(query.Questions) != 1 {
		return nil
	}
	question := query.Questions[0]
	code, bodies := z(question)
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: query.ID, Response: true, Authoritative: true, RCode: code},
		Questions: query.Questions,
	}
	for _, body := range bodies {
		reply.Answers = append(reply.Answers, dnsmessage.Resource{
			Header: dnsmessage.ResourceHeader{Name: question.Name, Class: question.Class}, // the body has the type
			Body:   body,
		})
	}
	packed, err := reply.Pack()
	if err == nil && len(packed) > limit {
		reply.Truncated, reply.Answers = true, nil
		packed, err = reply.Pack()
	}
	if err != nil {
		panic(err)
	}
	return packed
}

// rebound is a policy with 127.0.0.2 in the role of the public address. On the same port of
// 127.0.0.1 and ::1 canaries count the connections that reach this machine.
func rebound(t *testing.T, z zone) (p Policy, port string, hits *atomic.Int64) {
	t.Helper()
	hits = new(atomic.Int64)
	listener, err := net.Listen("tcp4", "127.0.0.2:0")
	if err != nil {
		t.Skipf("no second loopback address: %v", err)
	}
	good := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	good.Listener.Close()
	good.Listener = listener
	good.Config.SetKeepAlivesEnabled(false) // so that each request resolves the name
	good.Start()
	t.Cleanup(good.Close)
	port = good.URL[strings.LastIndexByte(good.URL, ':'):]

	for network, host := range map[string]string{"tcp4": "127.0.0.1", "tcp6": "[::1]"} {
		protected, err := net.Listen(network, host+port)
		if err != nil && network == "tcp4" {
			t.Skipf("port taken on 127.0.0.1: %v", err)
		}
		if err != nil {
			continue // a machine without IPv6
		}
		bad := &http.Server{ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				hits.Add(1)
			}
		}}
		go bad.Serve(protected)
		t.Cleanup(func() { bad.Close() })
	}
	p = Policy{AllowHTTP: true, AnyPort: true, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}, resolver: resolver(t, z)}
	if err := p.CheckURL("http://rp.example" + port); err != nil {
		t.Fatalf("CheckURL = %v, want nil: the name is harmless", err)
	}
	return p, port, hits
}

func addrs(texts ...string) (list []netip.Addr) {
	for _, text := range texts {
		list = append(list, netip.MustParseAddr(text))
	}
	return list
}

func TestANameThatMovesToABlockedAddressIsRefused(t *testing.T) {
	const public, private = "127.0.0.2", "127.0.0.1"
	records := new(atomic.Pointer[[]netip.Addr])
	p, port, hits := rebound(t, func(q dnsmessage.Question) (dnsmessage.RCode, []dnsmessage.ResourceBody) {
		return addresses(q, *records.Load())
	})
	client := New(p)
	for i, step := range []struct {
		records []netip.Addr
		blocked bool
	}{
		{addrs(public), false},
		{addrs(private), true},
		{addrs(private, public), false}, // served by the public one
		{addrs(public, private), false},
		{addrs(private, private), true},
		{addrs("::1"), true},
		{addrs("::1", public), false},
		{addrs("::ffff:127.0.0.1"), true},
		{addrs("::ffff:127.0.0.2"), false},
		{addrs("64:ff9b::7f00:1", "2002:7f00:1::", "fd00::1", "fe80::1"), true},
	} {
		records.Store(&step.records)
		response, err := client.Get("http://rp.example" + port)
		if errors.Is(err, ErrBlocked) != step.blocked || !step.blocked && err != nil {
			t.Errorf("step %d: GET = %v, want blocked: %t", i, err, step.blocked)
		}
		if err == nil {
			response.Body.Close()
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the protected server was hit %d times", n)
	}
}

// A name server that answers each query differently, also the two of one lookup.
func TestNoAnswerOfANameServerOpensABlockedAddress(t *testing.T) {
	const tries = 1000
	private := addrs(
		"127.0.0.1", "127.0.0.1", "::1", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
		"0.0.0.0", "::", "fd00::1", "fe80::1", "169.254.169.254", "10.0.0.1", "fd00:ec2::254",
	)
	public := addrs("127.0.0.2", "::ffff:127.0.0.2")
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(1, 2))
	p, port, hits := rebound(t, func(q dnsmessage.Question) (dnsmessage.RCode, []dnsmessage.ResourceBody) {
		mu.Lock()
		defer mu.Unlock()
		set := make([]netip.Addr, random.IntN(5))
		for i := range set {
			set[i] = private[random.IntN(len(private))]
			if random.IntN(3) == 0 {
				set[i] = public[random.IntN(len(public))]
			}
		}
		return addresses(q, set)
	})
	client := New(p)
	var served, blocked int
	for range tries {
		response, err := client.Get("http://rp.example" + port)
		_, unknown := errors.AsType[*net.DNSError](err)
		switch {
		case err == nil:
			response.Body.Close()
			served++
		case errors.Is(err, ErrBlocked):
			blocked++
		case !unknown: // no address at all
			t.Errorf("GET = %v", err)
		}
	}
	if served < tries/10 || blocked < tries/10 {
		t.Errorf("of %d tries %d were served and %d blocked: that shows little", tries, served, blocked)
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the protected servers were hit %d times", n)
	}
}

func TestANameWithoutAddressIsAnErrorOfDNS(t *testing.T) {
	alias := func(to string) []dnsmessage.ResourceBody {
		return []dnsmessage.ResourceBody{&dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName(to)}}
	}
	tests := map[string]zone{
		"NXDOMAIN": func(dnsmessage.Question) (dnsmessage.RCode, []dnsmessage.ResourceBody) {
			return dnsmessage.RCodeNameError, nil
		},
		"SERVFAIL": func(dnsmessage.Question) (dnsmessage.RCode, []dnsmessage.ResourceBody) {
			return dnsmessage.RCodeServerFailure, nil
		},
		"REFUSED": func(dnsmessage.Question) (dnsmessage.RCode, []dnsmessage.ResourceBody) {
			return dnsmessage.RCodeRefused, nil
		},
		"no record": func(dnsmessage.Question) (dnsmessage.RCode, []dnsmessage.ResourceBody) {
			return dnsmessage.RCodeSuccess, nil
		},
		"an alias of itself": func(q dnsmessage.Question) (dnsmessage.RCode, []dnsmessage.ResourceBody) {
			return dnsmessage.RCodeSuccess, alias(q.Name.String())
		},
		"aliases in a circle": func(q dnsmessage.Question) (dnsmessage.RCode, []dnsmessage.ResourceBody) {
			if strings.HasPrefix(q.Name.String(), "a.") {
				return dnsmessage.RCodeSuccess, alias("rp.example.")
			}
			return dnsmessage.RCodeSuccess, alias("a.example.")
		},
	}
	for name, z := range tests {
		t.Run(name, func(t *testing.T) {
			p := local()
			p.resolver = resolver(t, z)
			_, err := get(t, NewRetrying(p, 0), "http://rp.example/")
			if _, ok := errors.AsType[*net.DNSError](err); !ok {
				t.Errorf("GET = %v, want an error of DNS", err)
			}
		})
	}
}

func TestASilentNameServerIsNotWaitedForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := local()
		p.resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			here, there := net.Pipe()
			go io.Copy(io.Discard, there)
			return here, nil
		}}
		client := New(p)
		began := time.Now()
		_, err := client.Get("http://rp.example/")
		if _, ok := errors.AsType[*net.DNSError](err); !ok {
			t.Errorf("GET = %v, want an error of DNS", err)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("that took %s", took)
		}
		<-time.After(time.Minute) // of the bubble: the lookup ends after the caller
	})
}
