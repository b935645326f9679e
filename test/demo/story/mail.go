package story

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"
	"sync"
	"time"
)

// mailbox is a mail server (RFC 5321) that accepts every message.
type mailbox struct {
	listener net.Listener

	mu       sync.Mutex
	received []string // receiver and subject of each message
}

// openMailbox starts a mail server on this machine.
func openMailbox(ctx context.Context) (*mailbox, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for mail: %w", err)
	}
	m := &mailbox{listener: listener}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			go m.serve(textproto.NewConn(conn))
		}
	}()
	return m, nil
}

func (m *mailbox) url() string { return "smtp://" + m.listener.Addr().String() + "?starttls=none" }

func (m *mailbox) close() { _ = m.listener.Close() }

// serve answers one connection until its end.
func (m *mailbox) serve(conn *textproto.Conn) {
	defer conn.Close()
	_ = conn.PrintfLine("220 localhost")
	to := ""
	for {
		line, err := conn.ReadLine()
		if err != nil {
			return
		}
		verb, argument, _ := strings.Cut(line, " ")
		switch strings.ToUpper(verb) {
		case "RCPT":
			_, after, _ := strings.Cut(argument, "<")
			to, _, _ = strings.Cut(after, ">")
		case "DATA":
			_ = conn.PrintfLine("354 go ahead")
			body, err := conn.ReadDotBytes()
			if err != nil {
				return
			}
			m.keep(to, body)
		case "QUIT":
			_ = conn.PrintfLine("221 bye")
			return
		}
		if conn.PrintfLine("250 ok") != nil {
			return
		}
	}
}

func (m *mailbox) keep(to string, body []byte) {
	message, err := mail.ReadMessage(bytes.NewReader(body))
	if err != nil {
		return // the tour waits for it in vain
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(message.Header.Get("Subject"))
	if err != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.received = append(m.received, to+": "+subject)
}

// mails waits for these messages, each the receiver and the subject, and prints them.
func (s *story) mails(m *mailbox, want ...string) {
	if s.err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for _, one := range want {
		for {
			m.mu.Lock()
			found := slices.Contains(m.received, one)
			m.mu.Unlock()
			if found {
				s.line("mail to %s", one)
				break
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				s.fail("wait for the mail %q: %w; there is %q", one, ctx.Err(), m.received)
				return
			}
		}
	}
}
