package people

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
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
	Sent                   url.Values // of a form with an error
	Kinds                  []notice.Kind
	Modes                  []notice.Mode
	MailLanguage, MailZone string
	MailZones              []string
	Hour                   string
}

var noticeModes = notice.Mode("").Values()

// Mode returns the reader's mode for a kind.
func (p settingsPage) Mode(k notice.Kind) notice.Mode {
	return cmp.Or(notice.Mode(p.Sent.Get(string(k))), p.Settings.Mode(k))
}

// ShowSettings shows the reader's settings.
func ShowSettings(req *page.Request) error {
	n, err := req.Engine.Notices.GetNotifications(req.R.Context(), req.By)
	if err != nil {
		return err
	}
	sent := req.Submitted.Values
	p := settingsPage{
		NotificationSettings: n, Display: req.Display(), Sent: sent, Kinds: notice.Kinds, Modes: noticeModes, MailZones: req.Zones(), Hour: fmt.Sprintf("%d:00", n.DigestHour),
		MailLanguage: cmp.Or(sent.Get("mail_language"), n.Settings.Language, req.Language),
		MailZone:     cmp.Or(sent.Get("mail_zone"), n.Settings.Zone, req.ZoneName()),
	}
	if !slices.Contains(p.MailZones, p.MailZone) {
		p.MailZones = append([]string{p.MailZone}, p.MailZones...)
	}
	return req.Show(req.FormStatus(), "settings", req.T("settings.title"), p)
}

const settingsPath = page.Root + "/settings"

// MovedToSettings redirects from the former page of the notification settings.
func MovedToSettings(req *page.Request) error {
	req.W.Header().Set("Location", settingsPath)
	req.W.WriteHeader(http.StatusPermanentRedirect)
	return nil
}

// SetSettings stores the reader's settings: those of the display and the keyboard in cookies of the
// browser, those of mail in the service.
func SetSettings(req *page.Request) error {
	fields, f := req.Fields(), req.R.PostForm
	if req.StoreShortcuts(fields.Fail); len(fields.Errors) > 0 {
		return fields.Invalid(settingsPath)
	}
	mode := func(k notice.Kind) notice.Mode {
		if m := notice.Mode(f.Get(string(k))); slices.Contains(noticeModes, m) {
			return m
		}
		return notice.Instant
	}
	s := notice.Settings{
		Waits: mode(notice.Waits), Expires: mode(notice.Expires), Decided: mode(notice.Decided),
		Changes: mode(notice.Changes), Mentioned: mode(notice.Mentioned),
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
	return req.Complete(nil, settingsPath, "settings")
}
