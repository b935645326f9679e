package wftest

import (
	"bytes"
	"io"
	"log"
	"net"
	"net/mail"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// MailServer accepts mail on loopback until the test ends.
type MailServer struct {
	Port int

	mu      sync.Mutex
	taken   []Mail
	open    int
	most    int
	tries   map[string]int // recipient commands by address
	answers MailAnswers
	inner   *smtp.Server
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

	Mail  func() error                    // to the sender
	Rcpt  func(to string, try int) error  // to a recipient
	Data  func(to string, try int) error  // to a message, which is not stored on error
	Lose  func(to string, try int) Losing // of the connection
	Delay func(to string) time.Duration   // before the reply to a message
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

// StartMail starts a mail server.
func StartMail(t testing.TB) *MailServer {
	t.Helper()
	return StartMailAt(t, "127.0.0.1:0")
}

// StartMailAt starts a mail server at an address.
func StartMailAt(t testing.TB, address string) *MailServer {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s := &MailServer{tries: map[string]int{}}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	s.Port, _ = strconv.Atoi(port)
	s.inner = smtp.NewServer(smtp.BackendFunc(s.begin))
	s.inner.Domain, s.inner.AllowInsecureAuth, s.inner.EnableSMTPUTF8 = "localhost", true, true
	s.inner.ErrorLog = log.New(io.Discard, "", 0)
	go func() { _ = s.inner.Serve(listener) }()
	t.Cleanup(s.Stop)
	return s
}

// Stop closes the server and its connections.
func (s *MailServer) Stop() { _ = s.inner.Close() }

// Answer changes the replies of the server.
func (s *MailServer) Answer(a MailAnswers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = a
}

// Accepted returns the accepted messages in order.
func (s *MailServer) Accepted() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.taken...)
}

// MaxConnections returns the maximum number of concurrent connections.
func (s *MailServer) MaxConnections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

// Attempts returns the number of times that an address was named.
func (s *MailServer) Attempts(to string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tries[to]
}

func (s *MailServer) begin(c *smtp.Conn) (smtp.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	s.most = max(s.most, s.open)
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

func (s *mailSession) currentAnswers() MailAnswers {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	return s.server.answers
}

func (s *mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		a := s.currentAnswers()
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
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.open--
	return nil
}

func (s *mailSession) Mail(string, *smtp.MailOptions) error {
	a := s.currentAnswers()
	switch {
	case a.User != "" && !s.known:
		return smtp.ErrAuthRequired
	case a.Mail != nil:
		return a.Mail()
	}
	return nil
}

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.server.mu.Lock()
	s.server.tries[to]++
	s.to, s.try = to, s.server.tries[to]
	a := s.server.answers
	s.server.mu.Unlock()
	if a.Rcpt != nil {
		return a.Rcpt(to, s.try)
	}
	return nil
}

func (s *mailSession) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	a := s.currentAnswers()
	if a.Delay != nil {
		time.Sleep(a.Delay(s.to))
	}
	if a.Data != nil {
		if err := a.Data(s.to, s.try); err != nil {
			return err
		}
	}
	losing := Never
	if a.Lose != nil {
		losing = a.Lose(s.to, s.try)
	}
	if losing == BeforeTaken {
		_ = s.conn.Conn().Close()
		return nil
	}
	s.server.mu.Lock()
	s.server.taken = append(s.server.taken, Mail{s.to, raw})
	s.server.mu.Unlock()
	if losing == BeforeSaid {
		_ = s.conn.Conn().Close()
	}
	s.lost = losing == AfterSaid
	return nil
}
