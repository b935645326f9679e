package server

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf/approver"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/notify"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/notice"
)

// Notify holds the settings of notifications by mail.
type Notify struct {
	SMTPURL       daemon.Secret  `name:"notify-smtp-url" env:"NOTIFY_SMTP_URL" help:"Mail server: smtp://USER:PASSWORD@HOST:587 with STARTTLS, or smtps://USER:PASSWORD@HOST:465; USER:PASSWORD@ is optional. ?starttls=opportunistic or none permits smtp:// without encryption. Without it no mail is sent."`
	From          string         `name:"notify-from" env:"NOTIFY_FROM" help:"Sender address of mail, such as Approvals <approvals@example.org>."`
	Language      string         `name:"notify-language" env:"NOTIFY_LANGUAGE" default:"en" help:"Default language of mail, and that of chat messages. Their time zone is TZ, or UTC."`
	Content       notify.Content `name:"notify-content" env:"NOTIFY_CONTENT" default:"all" help:"User texts in mail and chat messages: all, or none (no titles, no comments)."`
	ExpiresBefore time.Duration  `name:"notify-expires-before" env:"NOTIFY_EXPIRES_BEFORE" default:"24h" help:"Time between the warning of an expiry and the expiry; 0 for no warning."`
}

const (
	mailConnections = 4 // of one process to the mail server
	collectNotices  = 5 * time.Minute
	dailyHour       = 8 // in the time zone of the recipient
)

// check validates the settings of mail.
func (n Notify) check(p *daemon.Problems, pages string) {
	p.AddIf(n.ExpiresBefore != 0 && n.ExpiresBefore < time.Minute, "NOTIFY_EXPIRES_BEFORE", "must be at least 1m, or 0")
	p.AddIf(!slices.Contains(words.Languages, n.Language), "NOTIFY_LANGUAGE", "must be one of %s", strings.Join(words.Languages, ", "))
	p.AddIf(n.Content != notify.ContentAll && n.Content != notify.ContentNone, "NOTIFY_CONTENT", "must be all or none")
	if n.SMTPURL == "" {
		return
	}
	server, err := n.server()
	p.AddIf(err != nil, "NOTIFY_SMTP_URL", "%w", err)
	address, wrong := mail.ParseAddress(n.From)
	p.AddIf(wrong != nil || strings.ContainsAny(address.Name, "\r\n"), "NOTIFY_FROM", "must be an address such as Approvals <approvals@example.org>")
	p.AddIf(pages == "", "INBOX_URL", "WF_NOTIFY_SMTP_URL needs it: mail has links to the pages")
	switch {
	case err == nil && (server.User == "") != (server.Password == ""):
		p.Add("NOTIFY_SMTP_URL", "must have both a user and a password, or neither")
	case err == nil && server.User != "" && server.TLS != notify.TLSRequired && !server.Implicit && !web.IsLoopback(server.Host):
		p.Add("NOTIFY_SMTP_URL", "must not have starttls: a password requires encryption")
	}
}

// server returns the settings of the mail server.
func (n Notify) server() (notify.Server, error) {
	u, err := url.Parse(string(n.SMTPURL))
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || u.Fragment != "" {
		return notify.Server{}, fmt.Errorf("must be smtp://USER:PASSWORD@HOST:PORT or smtps://USER:PASSWORD@HOST:PORT, with special characters as %%XX")
	}
	password, _ := u.User.Password()
	policy := notify.TLSRequired
	if u.RawQuery != "" {
		value, ok := strings.CutPrefix(u.RawQuery, "starttls=")
		policy = notify.TLSPolicy(value)
		if !ok || policy != notify.TLSOpportunistic && policy != notify.TLSNone {
			return notify.Server{}, fmt.Errorf("must have no parameter except starttls=opportunistic or starttls=none")
		}
	}
	s := notify.Server{
		Host: u.Hostname(), Port: 587, Implicit: u.Scheme == "smtps", TLS: policy,
		User: u.User.Username(), Password: password, Connections: mailConnections,
	}
	if s.Implicit {
		s.Port = 465
	}
	if _, text, err := net.SplitHostPort(u.Host); err == nil {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return s, fmt.Errorf("has no such port: %s", text)
		}
		s.Port = int(port)
	}
	return s, nil
}

// notificationDefaults returns the notification defaults; nil if mail is disabled.
func (n Notify) notificationDefaults() *engine.NotificationDefaults {
	if n.SMTPURL == "" {
		return nil
	}
	schedule := notice.Schedule{Collect: collectNotices, Hour: dailyHour, Zone: n.zone()}
	return &engine.NotificationDefaults{Schedule: schedule, Language: n.Language}
}

// chats returns the renderer of chat messages.
func (n Notify) chats(of notify.Definition) notify.Chats {
	return notify.Chats{Reader: words.Reader(n.Language, n.zone()), Content: n.Content, Definition: of}
}

// zone returns the zone of the variable TZ, which has the name of the zone: that of time.Local is Local.
func (n Notify) zone() *time.Location {
	zone, err := time.LoadLocation(os.Getenv("TZ"))
	if err != nil || zone == time.Local {
		return time.UTC
	}
	return zone
}

// notifier returns the mail notifier; nil if mail is disabled.
func (c *Config) notifier(o engine.Options, log *slog.Logger) (*notify.Notifier, error) {
	if o.Notifications == nil {
		return nil, nil
	}
	server, err := c.Notify.server()
	if err != nil {
		return nil, err
	}
	from, err := mail.ParseAddress(c.Notify.From)
	if err != nil {
		return nil, err
	}
	if server.TLS == notify.TLSNone && !server.Implicit && !web.IsLoopback(server.Host) {
		log.Warn("mail is not encrypted", "setting", "WF_NOTIFY_SMTP_URL")
	}
	options := notify.Options{
		Store: o.Store, Server: server, From: *from, Pages: o.Pages, Content: c.Notify.Content,
		Notifications: *o.Notifications, Logger: log, Metrics: o.Metrics,
	}
	if o.Directory {
		options.Lookup = func(ctx context.Context, id string) (identity.User, error) {
			found, err := o.Resolve(ctx, approver.ExistingUsers(id))
			if i := slices.IndexFunc(found, func(u identity.User) bool { return u.ID == id }); i >= 0 {
				return found[i], err
			}
			return identity.User{}, err
		}
	}
	return notify.New(options)
}
