package people

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/ui/page"
	"github.com/countersign/countersign/services/wf/internal/words"
	"github.com/countersign/countersign/services/wf/notice"
)

// notificationsPage shows the reader's notification settings.
type notificationsPage struct {
	engine.NotificationSettings
	Kinds          []notice.Kind
	Modes          []notice.Mode
	Language, Zone string // of mail
	Zones          []string
	Hour           string
}

var noticeModes = notice.Mode("").Values()

// Mode returns the reader's mode for a kind.
func (p notificationsPage) Mode(k notice.Kind) notice.Mode { return p.Settings.Mode(k) }

// ShowNotifications shows the reader's notification settings.
func ShowNotifications(req *page.Request) error {
	n, err := req.Engine.Notices.GetNotifications(req.R.Context(), req.By)
	if err != nil {
		return err
	}
	p := notificationsPage{
		NotificationSettings: n, Kinds: notice.Kinds, Modes: noticeModes,
		Language: cmp.Or(n.Settings.Language, req.Language), Zone: cmp.Or(n.Settings.Zone, req.ZoneName()), Zones: req.Zones(),
		Hour: fmt.Sprintf("%d:00", n.DigestHour),
	}
	if !slices.Contains(p.Zones, p.Zone) {
		p.Zones = append([]string{p.Zone}, p.Zones...)
	}
	return req.Show(http.StatusOK, "notifications", req.T("notifications.title"), p)
}

// SetNotifications stores the reader's notification settings.
func SetNotifications(req *page.Request) error {
	f := req.R.PostForm
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
	if wanted := f.Get("language"); slices.Contains(words.Languages, wanted) {
		s.Language = wanted
	}
	if name := f.Get("zone"); frame.Zone(name) != nil {
		s.Zone = name
	}
	return req.Complete(req.Engine.Notices.PutNotifications(req.R.Context(), req.By, s), page.Root+"/notifications", "notifications")
}
