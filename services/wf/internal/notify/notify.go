// Package notify sends the notices of a person as one mail. They are stored with their events; a job of the engine
// makes a delivery of those that are due. This package writes the mail from the present state, without the notices
// that no longer hold, and sends it.
//
// notify.go processes a delivery, mail.go writes it, and smtp.go connects to the mail server.
package notify

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/mail"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	gomail "github.com/wneessen/go-mail"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/webhooks"
	"github.com/countersign/countersign/libs/ui/i18n"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/notice"
	"github.com/countersign/countersign/services/wf/policy"
	"github.com/countersign/countersign/services/wf/reason"
)

// Limit is the time limit of an attempt: to connect and to send, each within ioLimit.
const Limit = 2*ioLimit + time.Second

// Options holds the dependencies and settings of a Notifier.
type Options struct {
	Store  *store.Store
	Server Server
	From   mail.Address
	Pages  string // base URL of the inbox pages
	Content
	Notifications engine.NotificationDefaults

	// Lookup returns a user of the directory without a usable stored address; nil without a
	// directory. It returns wf.ResolverFailed for a temporary failure.
	Lookup func(ctx context.Context, id string) (identity.User, error)

	Logger  *slog.Logger
	Metrics *metrics.Registry // may be nil
}

// Content selects the user texts in mails and chat messages. The setting is WF_NOTIFY_CONTENT.
type Content string

// Values of Content.
const (
	ContentAll  Content = "all"
	ContentNone Content = "none" // no titles and no comments
)

// filterText returns a user text, or "" if texts are excluded.
func (c Content) filterText(text string) string {
	if c == ContentNone {
		return ""
	}
	return text
}

// Notifier sends mail to users. It is safe for concurrent use.
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
	n := &Notifier{
		Options: o, server: s,
		sent: o.Metrics.Counter("notices_total",
			"Attempts to send a mail, by outcome: sent, refused (permanently, by the mail "+
				"server), failed, or skipped (nothing holds any more, or no address).", "outcome"),
	}
	for _, outcome := range []string{"sent", "refused", "failed", "skipped"} {
		n.sent.WithLabelValues(outcome) // a rate needs the series before its first increase
	}
	return n, nil
}

// Sender returns the transport for notification deliveries.
func (n *Notifier) Sender() *webhooks.NoticeSender {
	return &webhooks.NoticeSender{Limit: Limit, Ready: n.server.isReady, Send: n.deliver}
}

// IsUnavailable reports whether the mail server is unavailable. It accepts a nil Notifier.
func (n *Notifier) IsUnavailable() bool { return n != nil && n.server.isUnavailable() }

// Reasons to skip a mail.
const (
	notTrue    = "no_longer_true" // no notice holds any more
	notWanted  = "not_wanted"     // disabled in the user's settings
	noAddress  = "no_address"
	badAddress = "bad_address"
)

// deliver writes and sends the mail of a delivery.
func (n *Notifier) deliver(ctx context.Context, d outbox.Delivery) webhooks.NoticeResult {
	result := n.attempt(ctx, d)
	outcome := "failed"
	switch {
	case result.Later:
		return result // no attempt
	case result.Unwanted != "":
		outcome = "skipped"
	case result.Error == "":
		outcome = "sent"
	case result.Gone:
		outcome = "refused"
	}
	n.sent.WithLabelValues(outcome).Inc()
	return result
}

func (n *Notifier) attempt(ctx context.Context, d outbox.Delivery) webhooks.NoticeResult {
	failed := func(err error) webhooks.NoticeResult {
		if errors.Is(err, reason.DatabaseDown) {
			return webhooks.NoticeResult{Later: true}
		}
		n.Logger.ErrorContext(ctx, "notice not written", "delivery", d.ID, "error", err)
		return webhooks.NoticeResult{Error: "cannot_be_written"}
	}
	person, _ := engine.ReadNoticeTarget(d.Target)
	to, settings, err := n.Store.Notices.Recipient(ctx, person)
	if err != nil {
		return failed(err)
	}
	if settings.Mail == notice.Off {
		return webhooks.NoticeResult{Unwanted: notWanted}
	}
	l, err := n.write(ctx, d.ID, person, n.reader(settings))
	switch {
	case err != nil:
		return failed(err)
	case len(l.Entries) == 0:
		return webhooks.NoticeResult{Unwanted: notTrue}
	}
	address, unwanted, err := n.address(ctx, to)
	switch {
	case unwanted != "":
		return webhooks.NoticeResult{Unwanted: unwanted}
	case err != nil:
		return webhooks.NoticeResult{Error: "directory"}
	}
	message, err := n.message(l, address, d)
	if err != nil {
		return webhooks.NoticeResult{Unwanted: badAddress}
	}
	return n.server.send(ctx, message)
}

// address returns the mail address of a recipient, or the reason to skip.
func (n *Notifier) address(ctx context.Context, to identity.User) (address mail.Address, unwanted string, err error) {
	if !engine.Deliverable(to.Email) && n.Lookup != nil { // a token may contain an undeliverable address
		found, err := n.Lookup(ctx, to.ID)
		if err != nil && !errors.Is(err, reason.EngineRefused) {
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

// reader returns the language and zone of a recipient.
func (n *Notifier) reader(s notice.Settings) i18n.Reader {
	r := words.Reader(cmp.Or(s.Language, n.Notifications.Language), n.Notifications.Zone)
	if zone, err := time.LoadLocation(s.Zone); s.Zone != "" && err == nil {
		r.Zone = zone
	}
	return r
}

// Definition returns a version of a policy, as store.Policies.Definition.
type Definition func(ctx context.Context, key string, version int) (policy.Definition, error)

// policyName returns the name of a policy in the reader's language as a line, or its key for a purged version.
func (of Definition) policyName(ctx context.Context, r i18n.Reader, key string, version int) string {
	def, err := of(ctx, key, version)
	if err != nil {
		return line(key, maxName)
	}
	r.Content = def.Settings.Language
	return cmp.Or(line(r.Translate(def.NameI18n, def.Name).Text, maxName), line(key, maxName))
}

// stageName returns the name of a stage in the reader's language. name is the one that the stage had at its start; it
// is returned for a purged version.
func (of Definition) stageName(ctx context.Context, r i18n.Reader, key string, version int, stage, name string) string {
	if def, err := of(ctx, key, version); err == nil {
		found, _ := def.Stage(stage)
		r.Content = def.Settings.Language
		return r.Translate(found.NameI18n, name).Text
	}
	return name
}

// message returns the mail of a letter. A retry has the same Message-ID, so that readers detect
// duplicates. The mails about one request refer to one id, so that readers show them as a thread; no mail has that id.
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
	if l.Request != "" {
		thread := "<request." + l.Request + "@" + domain + ">"
		m.SetGenHeader(gomail.HeaderInReplyTo, thread)
		m.SetGenHeader(gomail.HeaderReferences, thread)
	}
	m.SetDateWithValue(d.CreatedAt.In(l.Zone))
	m.Subject(strings.ReplaceAll(line(l.Subject, maxSubject), "=?", "= ?")) // no encoded word, which readers decode (RFC 2047)
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader("X-Auto-Response-Suppress", "All")
	m.SetGenHeader("Content-Language", l.Language)
	m.SetGenHeader("List-Id", "<notices."+domain+">") // RFC 2919
	m.SetGenHeaderPreformatted(gomail.HeaderListUnsubscribe, "<"+l.Settings+">")
	if err := m.SetBodyTextTemplate(mailText, l); err != nil {
		return nil, err
	}
	return m, m.AddAlternativeHTMLTemplate(mailHTML, l)
}
