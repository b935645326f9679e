package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"github.com/countersign/countersign/libs/outbox/webhooks"
)

const (
	// ioLimit bounds one exchange: connecting with authentication, or sending one message.
	ioLimit = 12 * time.Second

	// Limits of the pause after a failure. The pause doubles each time.
	minPause = time.Second
	maxPause = 5 * time.Minute
)

// TLSPolicy selects the encryption of the connection to the mail server.
type TLSPolicy string

// Values of TLSPolicy.
const (
	TLSRequired      TLSPolicy = "required"      // by STARTTLS, or no mail is sent
	TLSOpportunistic TLSPolicy = "opportunistic" // if the server offers it
	TLSNone          TLSPolicy = "none"
)

// Server configures the mail server.
type Server struct {
	Host        string
	Port        int
	Implicit    bool // TLS from the first byte
	TLS         TLSPolicy
	User        string // empty without authentication
	Password    string
	Connections int // maximum number of connections
}

// server sends messages to the mail server, each by a connection of its own.
type server struct {
	client *gomail.Client
	log    *slog.Logger
	slots  chan struct{} // one per permitted connection

	mu    sync.Mutex
	since time.Time     // start of the failure; zero while available
	pause time.Duration // current pause
	until time.Time
	why   string // as last logged
}

func newServer(s Server, log *slog.Logger) (*server, error) {
	options := []gomail.Option{gomail.WithPort(s.Port), gomail.WithTimeout(ioLimit)}
	switch {
	case s.Implicit:
		options = append(options, gomail.WithSSL())
	case s.TLS == TLSNone:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	case s.TLS == TLSOpportunistic:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.User != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.User),
			gomail.WithPassword(s.Password))
	}
	client, err := gomail.NewClient(s.Host, options...)
	if err != nil {
		return nil, fmt.Errorf("mail server: %w", err)
	}
	return &server{client: client, log: log, slots: make(chan struct{}, s.Connections)}, nil
}

// Check connects to a mail server and authenticates once. It sends no message.
func Check(ctx context.Context, to Server) error {
	s, err := newServer(to, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	conn, err := s.client.DialToSMTPClientWithContext(ctx)
	if err == nil {
		s.drop(conn)
	}
	return err
}

// isReady reports whether no pause is in effect.
func (s *server) isReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !time.Now().Before(s.until)
}

func (s *server) isUnavailable() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.since.IsZero()
}

// send sends a message and returns the result.
//
// If the server is unreachable or rejects the credentials or the sender, the message stays pending
// without a lost attempt. Replies about the recipient or the message apply to that delivery: 5xx is
// permanent, 4xx is retried on schedule. Without a reply, the outcome is unknown.
func (s *server) send(ctx context.Context, m *gomail.Msg) webhooks.NoticeResult {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return webhooks.NoticeResult{Later: true}
	}
	conn, err := s.client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return s.backOff(ctx, err)
	}
	defer s.drop(conn)
	err = s.client.SendWithSMTPClient(conn, m)
	if m.IsDelivered() { // later errors have no effect
		s.endPause(ctx)
		return webhooks.NoticeResult{StatusCode: 250}
	}
	refusal, ok := errors.AsType[*gomail.SendError](err)
	code := refusal.ErrorCode() // 0 without a refusal
	switch {
	case !ok, refusal.Reason == gomail.ErrConnCheck, refusal.Reason == gomail.ErrSMTPMailFrom, code == 421:
		return s.backOff(ctx, err)
	case refusal.Reason == gomail.ErrGetSender, refusal.Reason == gomail.ErrGetRcpts:
		return webhooks.NoticeResult{Error: badAddress, Gone: true}
	}
	s.endPause(ctx)
	if code == 0 {
		return webhooks.NoticeResult{Error: word(err)}
	}
	return webhooks.NoticeResult{StatusCode: code, Error: fmt.Sprintf("status %d", code), Gone: code >= 500}
}

// word returns the reason of a connection error. The error text may contain addresses.
func word(err error) string {
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() || errors.Is(err, os.ErrDeadlineExceeded) {
		return "timeout"
	}
	return "connection_failed"
}

// drop closes a connection, with QUIT if possible.
func (s *server) drop(conn *smtp.Client) {
	_ = conn.UpdateDeadline(time.Second) // bounds QUIT
	if s.client.CloseWithSMTPClient(conn) != nil {
		_ = conn.Close()
	}
}

// backOff starts or extends the pause. It logs each new reason once.
func (s *server) backOff(ctx context.Context, err error) webhooks.NoticeResult {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) { // the service stops
		return webhooks.NoticeResult{Later: true}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.since.IsZero() {
		s.since, s.pause = now, minPause
	} else if now.After(s.until) { // an earlier attempt does not extend the pause
		s.pause = min(2*s.pause, maxPause)
	}
	s.until = now.Add(s.pause)
	if why := err.Error(); s.why != why {
		s.why = why
		s.log.ErrorContext(ctx, "mail server unreachable or refusing; notices wait", "setting", "WF_NOTIFY_SMTP_URL", "error",
			why)
	}
	return webhooks.NoticeResult{Later: true}
}

// endPause ends the pause and logs the recovery once.
func (s *server) endPause(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		return
	}
	s.log.InfoContext(ctx, "mail server accepts messages again", "down_for", time.Since(s.since).Round(time.Second))
	s.since, s.until, s.why = time.Time{}, time.Time{}, ""
}
