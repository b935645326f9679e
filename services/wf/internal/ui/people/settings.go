package people

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/countersign/countersign/libs/ui/form"
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
	Display signin.Display
	Often   form.Input // frequency of mail
}

// ShowSettings shows the reader's settings.
func ShowSettings(req *page.Request) error {
	n, err := req.Engine.Notices.GetNotifications(req.R.Context(), req.By)
	if err != nil {
		return err
	}
	chosen := cmp.Or(req.Submitted.Values.Get("mail"), string(n.Settings.Mail))
	often := req.Input("choice", "mail", "notifications.frequency", chosen, 0).Must().
		WithOptions(page.Choices(req, "notice.mail", n.Settings.Mail.Values()...)...)
	if n.Sends {
		often.Help = req.T("notifications.daily", fmt.Sprintf("%d:00", n.Hour))
	}
	return req.Show(req.FormStatus(), "settings", req.T("settings.title"), settingsPage{n, req.Display(), often})
}

const settingsPath = page.Root + "/settings"

// SetSettings stores the reader's settings: those of the display and the keyboard in cookies of the
// browser, those of mail in the service. Mail has the language and the time zone of the display.
func SetSettings(req *page.Request) error {
	f := req.R.PostForm
	s := notice.Default()
	if m := notice.Mail(f.Get("mail")); slices.Contains(m.Values(), m) {
		s.Mail = m
	}
	if wanted := f.Get("language"); slices.Contains(words.Languages, wanted) {
		s.Language = wanted
	}
	if name := f.Get("zone"); frame.Zone(name) != nil {
		s.Zone = name
	}
	if err := req.Engine.Notices.PutNotifications(req.R.Context(), req.By, s); err != nil {
		return err
	}
	req.StoreReader()
	req.StoreShortcuts()
	return req.Complete(nil, settingsPath, "settings")
}
