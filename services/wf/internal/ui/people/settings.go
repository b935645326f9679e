package people

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/notice"
)

// settingsPage shows the reader's display, keyboard and notification settings.
type settingsPage struct {
	engine.NotificationSettings
	signin.Display
	Chosen                 notice.Mail
	Mails                  []notice.Mail
	MailLanguage, MailZone string
	MailZones              []string
	At                     string // time of daily mail
}

// ShowSettings shows the reader's settings.
func ShowSettings(req *page.Request) error {
	n, err := req.Engine.Notices.GetNotifications(req.R.Context(), req.By)
	if err != nil {
		return err
	}
	sent := req.Submitted.Values
	p := settingsPage{
		NotificationSettings: n, Display: req.Display(), Mails: n.Settings.Mail.Values(), MailZones: req.Zones(),
		At:           fmt.Sprintf("%d:00", n.Hour),
		Chosen:       cmp.Or(notice.Mail(sent.Get("mail")), n.Settings.Mail),
		MailLanguage: cmp.Or(sent.Get("mail_language"), n.Settings.Language, req.Language),
		MailZone:     cmp.Or(sent.Get("mail_zone"), n.Settings.Zone, req.ZoneName()),
	}
	if !slices.Contains(p.MailZones, p.MailZone) {
		p.MailZones = append([]string{p.MailZone}, p.MailZones...)
	}
	return req.Show(req.FormStatus(), "settings", req.T("settings.title"), p)
}

const settingsPath = page.Root + "/settings"

// SetSettings stores the reader's settings: those of the display and the keyboard in cookies of the
// browser, those of mail in the service.
func SetSettings(req *page.Request) error {
	f := req.R.PostForm
	s := notice.Default()
	if m := notice.Mail(f.Get("mail")); slices.Contains(m.Values(), m) {
		s.Mail = m
	}
	if wanted := f.Get("mail_language"); slices.Contains(words.Languages, wanted) {
		s.Language = wanted
	}
	if name := f.Get("mail_zone"); frame.Zone(name) != nil {
		s.Zone = name
	}
	if err := req.Engine.Notices.PutNotifications(req.R.Context(), req.By, s); err != nil {
		return err
	}
	req.StoreReader()
	req.StoreShortcuts()
	return req.Complete(nil, settingsPath, "settings")
}
