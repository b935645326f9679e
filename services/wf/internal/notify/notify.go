// Package notify sends notifications by mail. The recipients of an event are determined with the
// event and stored as deliveries of the outbox. This package renders a delivery as a mail and sends
// it, unless it is obsolete.
//
// notify.go processes a delivery, mail.go renders it, and smtp.go connects to the mail server.
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
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	gomail "github.com/wneessen/go-mail"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/webhooks"
	"github.com/countersign/countersign/libs/seal"
	"github.com/countersign/countersign/libs/ui/i18n"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/audit"
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
	Pages  string    // base URL of the inbox pages
	Keys   seal.Keys // of unsubscribe links; without keys mails link to the settings only
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
	return &Notifier{
		Options: o, server: s,
		sent: o.Metrics.Counter("notices_total", "Attempts to send a notice by mail, by kind and outcome: sent, refused (permanently, by "+
			"the mail server), failed, or skipped (no longer true, or no address).", "kind", "outcome"),
	}, nil
}

// Sender returns the transport for notification deliveries.
func (n *Notifier) Sender() *webhooks.NoticeSender {
	return &webhooks.NoticeSender{Limit: Limit, Ready: n.server.isReady, Send: n.deliver}
}

// IsUnavailable reports whether the mail server is unavailable. It accepts a nil Notifier.
func (n *Notifier) IsUnavailable() bool { return n != nil && n.server.isUnavailable() }

// Close closes the connections to the mail server. It accepts a nil Notifier.
func (n *Notifier) Close() {
	if n != nil {
		n.server.close()
	}
}

// Reasons to skip a notification.
const (
	notTrue    = "no_longer_true" // decided or claimed by another user, or closed
	notTheirs  = "no_part"        // the user has no part in the request
	notWanted  = "not_wanted"     // disabled in the user's settings
	noAddress  = "no_address"
	badAddress = "bad_address"
	nothingNew = "nothing_to_tell"
	notKnown   = "unknown_notice" // from another version
)

// deliver renders a delivery as a mail and sends it.
func (n *Notifier) deliver(ctx context.Context, d outbox.Delivery) webhooks.NoticeResult {
	person, kind, ok := engine.ReadNoticeTarget(d.Target)
	if !ok {
		return webhooks.NoticeResult{Unwanted: notKnown}
	}
	result := n.attempt(ctx, d, person, kind)
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
	n.sent.WithLabelValues(string(kind), outcome).Inc()
	return result
}

func (n *Notifier) attempt(ctx context.Context, d outbox.Delivery, person string, kind notice.Kind) webhooks.NoticeResult {
	m, to, unwanted, err := n.compose(ctx, d, person, kind)
	switch {
	case unwanted != "":
		return webhooks.NoticeResult{Unwanted: unwanted}
	case errors.Is(err, reason.DatabaseDown):
		return webhooks.NoticeResult{Later: true}
	case err != nil:
		n.Logger.ErrorContext(ctx, "notice not written", "delivery", d.ID, "error", err)
		return webhooks.NoticeResult{Error: "cannot_be_written"}
	}
	address, unwanted, err := n.address(ctx, to)
	switch {
	case unwanted != "":
		return webhooks.NoticeResult{Unwanted: unwanted}
	case err != nil:
		return webhooks.NoticeResult{Error: "directory"}
	}
	if m.Stop, err = n.unsubscribeLink(person, m.Kind); err != nil {
		n.Logger.ErrorContext(ctx, "notice not written", "delivery", d.ID, "error", err)
		return webhooks.NoticeResult{Error: "cannot_be_written"}
	}
	message, err := n.message(m, address, d)
	if err != nil {
		return webhooks.NoticeResult{Unwanted: badAddress}
	}
	return n.server.send(ctx, message)
}

// address returns the mail address of a recipient, or the reason to skip.
func (n *Notifier) address(ctx context.Context, to store.Recipient) (address mail.Address, unwanted string, err error) {
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

// compose returns the letter of a delivery, or the reason to skip it.
func (n *Notifier) compose(ctx context.Context, d outbox.Delivery, person string, kind notice.Kind) (*letter, store.Recipient, string, error) {
	if kind == notice.Digest {
		content, err := n.Store.Notices.DigestContent(ctx, person, d.ID)
		switch {
		case err != nil:
			return nil, content.Recipient, "", err
		case len(content.Waiting)+len(content.News) == 0:
			return nil, content.Recipient, nothingNew, nil
		}
		return n.digest(ctx, n.reader(content.Settings), content), content.Recipient, "", nil
	}
	if engine.IsTaskMail(d.Target) {
		content, err := n.Store.Notices.TaskMailContent(ctx, person, d.ID)
		switch {
		case err != nil:
			return nil, content.Recipient, "", err
		case content.Settings.Waits == notice.None:
			return nil, content.Recipient, notWanted, nil
		case len(content.Waiting) == 0:
			return nil, content.Recipient, notTrue, nil
		}
		return n.taskMail(ctx, n.reader(content.Settings), content), content.Recipient, "", nil
	}
	var said wf.Payload
	if err := json.Unmarshal(d.Payload, &said); err != nil {
		return nil, store.Recipient{}, "", fmt.Errorf("read the event of delivery %s: %w", d.ID, err)
	}
	to, err := n.Store.Notices.Recipient(ctx, person, said.Data.Actor.ID, d.Subject)
	if err != nil {
		return nil, to, "", err
	}
	if kind == notice.Delegated {
		made, err := n.Store.Delegations.Delegation(ctx, said.Data.Resource.ID)
		if errors.Is(err, reason.DelegationNotFound) {
			return nil, to, notTrue, nil
		}
		known, unknown := n.Store.KnownPeople(ctx, []string{made.DelegateTo.ID})
		made.DelegateTo = cmp.Or(known[made.DelegateTo.ID], made.DelegateTo)
		return n.delegationMail(n.reader(to.Settings), made, to.Actor), to, "", errors.Join(err, unknown)
	}
	if why := skipReason(kind, said.Type, to); why != "" {
		return nil, to, why, nil
	}
	if ofDeadline(said) && kind == notice.Expires {
		running, err := n.Store.Notices.HasRunningStage(ctx, d.Subject, said.Data.Stage)
		if err != nil {
			return nil, to, "", err
		}
		if !running {
			return nil, to, notTrue, nil
		}
	}
	return n.letter(ctx, n.reader(to.Settings), kind, said, to), to, "", nil
}

// skipReason returns the reason to skip a notification, or "".
func skipReason(kind notice.Kind, about audit.EventType, to store.Recipient) string {
	switch {
	case to.Status == "" || !to.Part:
		return notTheirs
	case to.Settings.Mode(kind) == notice.None:
		return notWanted
	case kind == notice.Waits && !to.Waits,
		kind == notice.Expires && (to.Status.Final() || !to.Waits && !to.Asks && about != audit.EventStageDue), // observers
		kind == notice.Changes && to.Status != wf.RequestChangesRequested:
		return notTrue
	}
	return ""
}

// reader returns the language and zone of a recipient.
func (n *Notifier) reader(s notice.Settings) i18n.Reader {
	r := words.Reader(cmp.Or(s.Language, n.Notifications.Language), n.Notifications.Zone)
	if zone, err := time.LoadLocation(s.Zone); s.Zone != "" && err == nil {
		r.Zone = zone
	}
	return r
}

// setSubject sets the subject. ASCII text with "=?" is encoded as well, since a mail reader would
// decode it as an encoded word (RFC 2047).
func setSubject(m *gomail.Msg, text string) {
	if !strings.Contains(text, "=?") {
		m.Subject(text)
		return
	}
	var words []string
	for part := range slices.Chunk([]rune(text), 11) { // an encoded word has at most 75 characters, a rune at most 4 bytes
		words = append(words, "=?UTF-8?B?"+base64.StdEncoding.EncodeToString([]byte(string(part)))+"?=")
	}
	m.SetGenHeaderPreformatted(gomail.HeaderSubject, strings.Join(words, "\r\n "))
}

// policyName returns the name of a policy in the reader's language as a line, or its key for a purged version.
func (n *Notifier) policyName(ctx context.Context, r i18n.Reader, key string, version int) string {
	def, _, err := n.Store.Policies.Definition(ctx, key, version)
	if err != nil {
		return line(key, maxName)
	}
	r.Content = def.Settings.Language
	return cmp.Or(line(r.Translate(def.NameI18n, def.Name).Text, maxName), line(key, maxName))
}

// Definition returns a version of a policy and its hash, as store.Policies.Definition.
type Definition func(ctx context.Context, key string, version int) (policy.Definition, string, error)

func (n *Notifier) definition() Definition { return n.Store.Policies.Definition }

// stageName returns the name of a stage in the reader's language. name is the one that the stage had at its start; it
// is returned for a purged version.
func (of Definition) stageName(ctx context.Context, r i18n.Reader, key string, version int, stage, name string) string {
	if def, _, err := of(ctx, key, version); err == nil {
		found, _ := def.Stage(stage)
		r.Content = def.Settings.Language
		return r.Translate(found.NameI18n, name).Text
	}
	return name
}

// translateStage sets the name of the stage of an event in the reader's language.
func (of Definition) translateStage(ctx context.Context, r i18n.Reader, d wf.PayloadData) {
	if s, about := d.Stage, d.Request; s != nil && about != nil {
		s.Name = of.stageName(ctx, r, about.PolicyKey, about.PolicyVersion, s.Key, s.Name)
	}
}

// unsubscribeLink returns the unsubscribe link of a person and a kind, or "" without keys or without a mode of the kind.
func (n *Notifier) unsubscribeLink(person string, kind notice.Kind) (string, error) {
	if kind == notice.Delegated {
		return "", nil
	}
	token, err := engine.UnsubscribeToken(n.Keys, engine.Unsubscription{Person: person, Kind: kind})
	if errors.Is(err, seal.ErrNoKey) {
		return "", nil
	}
	return n.Pages + engine.UnsubscribePath + "?" + url.Values{"token": {token}}.Encode(), err
}

// message returns the mail of a letter. A retry has the same Message-ID, so that readers detect
// duplicates. The mails about a request refer to one id, so that readers show them as a thread; no mail has that id.
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
	setSubject(m, line(l.Subject, maxSubject))
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader("X-Auto-Response-Suppress", "All")
	m.SetGenHeader("Content-Language", l.Language)
	m.SetGenHeader("List-Id", "<"+strings.ReplaceAll(string(l.Kind), "_", "-")+".notices."+domain+">") // RFC 2919
	m.SetGenHeaderPreformatted(gomail.HeaderListUnsubscribe, "<"+cmp.Or(l.Stop, l.Settings)+">")
	if l.Stop != "" {
		m.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click") // RFC 8058
	}
	if err := m.SetBodyTextTemplate(mailText, l); err != nil {
		return nil, err
	}
	return m, m.AddAlternativeHTMLTemplate(mailHTML, l)
}
