package wftest

import (
	"bytes"
	"io"
	"log"
	"net"
	"net/mail"
	"slices"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// MailServer accepts mail on loopback until the test ends.
type MailServer struct {
	Port int

	mu         sync.Mutex
	taken      []Mail
	open, most int            // connections
	tries      map[string]int // recipient commands by address
	answers    MailAnswers
	inner      *smtp.Server
}

// Mail is an accepted message.
type Mail struct {
	To  string
	Raw []byte
}

// ID returns the Message-ID of the mail.
func (m Mail) ID() string { return m.Header("Message-ID") }

// Header returns a header of the mail.
func (m Mail) Header(name string) string {
	message, err := mail.ReadMessage(bytes.NewReader(m.Raw))
	if err != nil {
		return "not a message: " + err.Error()
	}
	return message.Header.Get(name)
}

// MailAnswers configures the replies of a mail server. Each function may be nil. try is the number of
// times that the address was named, from 1.
type MailAnswers struct {
	User, Password string // credentials; any sender if empty

	Rcpt func(to string, try int) error  // to a recipient
	Data func(to string, try int) error  // to a message, which is not stored on error
	Lose func(to string, try int) Losing // of the connection
}

// Losing selects the moment of a connection loss.
type Losing int

// Values of Losing.
const (
	Never       Losing = iota
	BeforeTaken        // after the message, before it is stored
	BeforeSaid         // after the message is stored, before the reply
	AfterSaid          // after the reply
)

// RefuseMail returns an SMTP error reply.
func RefuseMail(code int, text string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1}, Message: text}
}

// StartMail starts a mail server, at any address unless one is given.
func StartMail(t testing.TB, address ...string) *MailServer {
	t.Helper()
	listener, err := net.Listen("tcp", append(address, "127.0.0.1:0")[0])
	Must(t, err)
	s := &MailServer{tries: map[string]int{}, Port: listener.Addr().(*net.TCPAddr).Port}
	s.inner = smtp.NewServer(smtp.BackendFunc(s.begin))
	s.inner.Domain, s.inner.AllowInsecureAuth, s.inner.EnableSMTPUTF8 = "localhost", true, true
	s.inner.ErrorLog = log.New(io.Discard, "", 0)
	go func() { _ = s.inner.Serve(listener) }()
	t.Cleanup(s.Stop)
	return s
}

// Stop closes the server and its connections.
func (s *MailServer) Stop() { _ = s.inner.Close() }

// locked runs a function while no session changes the server.
func (s *MailServer) locked(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do()
}

// Answer changes the replies of the server.
func (s *MailServer) Answer(a MailAnswers) { s.locked(func() { s.answers = a }) }

// Accepted returns the accepted messages in order.
func (s *MailServer) Accepted() (list []Mail) {
	s.locked(func() { list = slices.Clone(s.taken) })
	return list
}

// MaxConnections returns the maximum number of concurrent connections.
func (s *MailServer) MaxConnections() (n int) {
	s.locked(func() { n = s.most })
	return n
}

// Attempts returns the number of times that an address was named.
func (s *MailServer) Attempts(to string) (n int) {
	s.locked(func() { n = s.tries[to] })
	return n
}

func (s *MailServer) begin(c *smtp.Conn) (smtp.Session, error) {
	s.locked(func() {
		s.open++
		s.most = max(s.most, s.open)
	})
	return &mailSession{server: s, conn: c}, nil
}

type mailSession struct {
	server *MailServer
	conn   *smtp.Conn
	to     string
	try    int
	known  bool // authenticated
	lost   bool // close at the next command
}

func (s *mailSession) answers() (a MailAnswers) {
	s.server.locked(func() { a = s.server.answers })
	return a
}

func (s *mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		a := s.answers()
		if user != a.User || password != a.Password {
			return smtp.ErrAuthFailed
		}
		s.known = true
		return nil
	}), nil
}

func (s *mailSession) Reset() {
	if s.lost {
		_ = s.conn.Conn().Close()
	}
}

func (s *mailSession) Logout() error {
	s.server.locked(func() { s.server.open-- })
	return nil
}

func (s *mailSession) Mail(string, *smtp.MailOptions) error {
	if s.answers().User != "" && !s.known {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.locked(func() {
		s.server.tries[to]++
		s.to, s.try = to, s.server.tries[to]
	})
	if a := s.answers(); a.Rcpt != nil {
		return a.Rcpt(to, s.try)
	}
	return nil
}

func (s *mailSession) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	a, losing := s.answers(), Never
	if err == nil && a.Data != nil {
		err = a.Data(s.to, s.try)
	}
	if err != nil {
		return err
	}
	if a.Lose != nil {
		losing = a.Lose(s.to, s.try)
	}
	if losing != BeforeTaken {
		s.server.locked(func() { s.server.taken = append(s.server.taken, Mail{s.to, raw}) })
	}
	if losing == BeforeTaken || losing == BeforeSaid {
		_ = s.conn.Conn().Close()
	}
	s.lost = losing == AfterSaid
	return nil
}
