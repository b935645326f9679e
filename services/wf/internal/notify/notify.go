// Package notify tells people by mail what waits for them, and what has become of what they
// asked for. What to tell whom is decided with the event, and stored with it as a delivery
// of the outbox; here it is written as a mail and sent, as long as it is still true.
//
// notify.go carries a delivery, mail.go writes it, and smtp.go knows the server.
package notify

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"slices"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/webhooks"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/words"
)

// Limit is how long an attempt may take: to connect and to send, each within ioLimit.
const Limit = 2*ioLimit + time.Second

// Options is what a Notifier works with.
type Options struct {
	Store  *store.Store
	Server Server
	From   mail.Address
	Pages  string // where the pages of the inbox are
	Content
	Tells engine.Telling

	// Lookup asks the directory for somebody whose address is not known; nil without one.
	// It refuses with wf.ResolverFailed when there is no answer now.
	Lookup func(ctx context.Context, id string) (wf.User, error)

	Logger  *slog.Logger
	Metrics *metrics.Registry // may be nil
}

// Content is which texts of people a mail or a message to a chat has. WF_NOTIFY_CONTENT names
// it.
type Content string

// The contents.
const (
	ContentAll  Content = "all"
	ContentNone Content = "none" // no titles and no comments
)

// shown is a text of a person, as far as messages have it.
func (c Content) shown(text string) string {
	if c == ContentNone {
		return ""
	}
	return text
}

// Notifier sends mail to people. It is safe for concurrent use.
type Notifier struct {
	Options
	server *server
	sent   *prometheus.CounterVec
}

// New returns a Notifier.
func New(o Options) (*Notifier, error) {
	s, err := newServer(o.Server, o.Logger)
	if err != nil {
		return nil, err
	}
	return &Notifier{
		Options: o, server: s,
		sent: o.Metrics.Counter("notices_total", "Attempts to tell somebody by mail, by what of and how they ended: sent, refused by the mail server for good, failed, or skipped because it is not true any more or there is no address.", "kind", "outcome"),
	}, nil
}

// Carrier makes the sender of deliveries tell people.
func (n *Notifier) Carrier() *webhooks.Carrier {
	return &webhooks.Carrier{Limit: Limit, Ready: n.server.ready, Tell: n.tell}
}

// Down reports whether the mail server takes nothing. There may be no Notifier.
func (n *Notifier) Down() bool { return n != nil && n.server.down() }

// Close ends the connections to the mail server. There may be no Notifier.
func (n *Notifier) Close() {
	if n != nil {
		n.server.close()
	}
}

// Words why nobody is told any more.
const (
	notTrue    = "no_longer_true" // decided or claimed by somebody else, or over
	notTheirs  = "no_part"        // they have no part in the request
	notWanted  = "not_wanted"     // they have said so meanwhile
	noAddress  = "no_address"
	badAddress = "bad_address"
	nothingNew = "nothing_to_tell"
	notKnown   = "unknown_notice" // of another version
)

// tell writes a delivery as a mail and sends it.
func (n *Notifier) tell(ctx context.Context, d outbox.Delivery) webhooks.Told {
	person, kind, ok := engine.ReadNoticeTarget(d.Target)
	if !ok {
		return webhooks.Told{Unwanted: notKnown}
	}
	told := n.attempt(ctx, d, person, kind)
	outcome := "failed"
	switch {
	case told.Later:
		return told // no attempt
	case told.Unwanted != "":
		outcome = "skipped"
	case told.Error == "":
		outcome = "sent"
	case told.Gone:
		outcome = "refused"
	}
	n.sent.WithLabelValues(string(kind), outcome).Inc()
	return told
}

func (n *Notifier) attempt(ctx context.Context, d outbox.Delivery, person string, kind wf.NoticeKind) webhooks.Told {
	m, to, unwanted, err := n.compose(ctx, d, person, kind)
	switch {
	case unwanted != "":
		return webhooks.Told{Unwanted: unwanted}
	case errors.Is(err, wf.DatabaseDown):
		return webhooks.Told{Later: true}
	case err != nil:
		n.Logger.ErrorContext(ctx, "a notice cannot be written", "delivery", d.ID, "error", err)
		return webhooks.Told{Error: "cannot_be_written"}
	}
	address, unwanted, err := n.address(ctx, to)
	switch {
	case unwanted != "":
		return webhooks.Told{Unwanted: unwanted}
	case err != nil:
		return webhooks.Told{Error: "directory"}
	}
	message, err := n.message(m, address, d)
	if err != nil {
		return webhooks.Told{Unwanted: badAddress}
	}
	return n.server.send(ctx, message)
}

// address is where somebody gets mail.
func (n *Notifier) address(ctx context.Context, to store.Recipient) (address mail.Address, unwanted string, err error) {
	if !engine.Deliverable(to.Email) && n.Lookup != nil { // the address of a token may be of no use
		found, err := n.Lookup(ctx, to.ID)
		if err != nil && !errors.Is(err, wf.EngineRefused) {
			return address, "", err
		}
		to.Email, to.Name = cmp.Or(found.Email, to.Email), cmp.Or(found.Name, to.Name)
	}
	switch {
	case to.Email == "":
		return address, noAddress, nil
	case !engine.Deliverable(to.Email):
		return address, badAddress, nil
	}
	return mail.Address{Name: line(to.Name, maxName), Address: to.Email}, "", nil
}

// compose says what the mail says, or why there is to be none.
func (n *Notifier) compose(ctx context.Context, d outbox.Delivery, person string, kind wf.NoticeKind) (*letter, store.Recipient, string, error) {
	if kind == wf.NoticeDigest {
		content, err := n.Store.DigestContent(ctx, person, d.ID)
		switch {
		case err != nil:
			return nil, content.Recipient, "", err
		case len(content.Waiting)+len(content.News) == 0:
			return nil, content.Recipient, nothingNew, nil
		}
		return n.digest(n.reader(content.Settings), content), content.Recipient, "", nil
	}
	var said wf.Payload
	if err := json.Unmarshal(d.Payload, &said); err != nil {
		return nil, store.Recipient{}, "", fmt.Errorf("read the event of delivery %s: %w", d.ID, err)
	}
	to, err := n.Store.Recipient(ctx, person, said.Data.Actor.ID, d.Subject)
	if err != nil {
		return nil, to, "", err
	}
	if why := unwanted(kind, to); why != "" {
		return nil, to, why, nil
	}
	return n.letter(n.reader(to.Settings), kind, said, to), to, "", nil
}

// unwanted is why somebody is not to be told any more; empty when they are.
func unwanted(kind wf.NoticeKind, to store.Recipient) string {
	switch {
	case to.Status == "" || !to.Part:
		return notTheirs
	case to.Settings.Mode(kind) == wf.NoticeNone:
		return notWanted
	case kind == wf.NoticeWaits && !to.Waits,
		kind == wf.NoticeExpires && (to.Status.Final() || !to.Waits && !to.Asks),
		kind == wf.NoticeChanges && to.Status != wf.RequestChangesRequested:
		return notTrue
	}
	return ""
}

// reader is how somebody reads.
func (n *Notifier) reader(s wf.NoticeSettings) words.Reader {
	r := words.Reader{Language: cmp.Or(s.Language, n.Tells.Language), Zone: n.Tells.Zone}
	if zone, err := time.LoadLocation(s.Zone); s.Zone != "" && err == nil {
		r.Zone = zone
	}
	return r
}

// setSubject sets the subject. An ASCII text with "=?" is encoded too: else a reader would
// decode what a person wrote as an encoded word (RFC 2047).
func setSubject(m *gomail.Msg, text string) {
	if !strings.Contains(text, "=?") {
		m.Subject(text)
		return
	}
	var words []string
	for part := range slices.Chunk([]rune(text), 11) { // a word has at most 75 characters, a rune 4 bytes
		words = append(words, "=?UTF-8?B?"+base64.StdEncoding.EncodeToString([]byte(string(part)))+"?=")
	}
	m.SetGenHeaderPreformatted(gomail.HeaderSubject, strings.Join(words, "\r\n "))
}

// message is a letter as it is sent. A repeat of it is the same to the byte, and has the
// same id: a reader who gets it twice can tell.
func (n *Notifier) message(l *letter, to mail.Address, d outbox.Delivery) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent(), gomail.WithBoundary(strings.ReplaceAll(d.ID, "-", "")))
	if err := m.FromFormat(n.From.Name, n.From.Address); err != nil {
		return nil, err
	}
	if err := m.AddToFormat(to.Name, to.Address); err != nil {
		return nil, err
	}
	_, domain, _ := strings.Cut(n.From.Address, "@")
	m.SetMessageIDWithValue(d.ID + "@" + domain)
	m.SetDateWithValue(d.CreatedAt.In(l.Zone))
	setSubject(m, line(l.Subject, maxSubject))
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader("X-Auto-Response-Suppress", "All")
	m.SetGenHeader("Content-Language", l.Language)
	m.SetListUnsubscribe("<" + l.Settings + ">")
	if err := m.SetBodyTextTemplate(mailText, l); err != nil {
		return nil, err
	}
	return m, m.AddAlternativeHTMLTemplate(mailHTML, l)
}
