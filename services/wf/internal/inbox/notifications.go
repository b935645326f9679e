package inbox

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/words"
)

// notificationsPage shows the reader's notification settings.
type notificationsPage struct {
	engine.Noticed
	Kinds          []wf.NoticeKind
	Modes          []wf.NoticeMode
	Language, Zone string // of mail
	Zones          []string
	Hour           string
}

var noticeModes = wf.NoticeMode("").Values()

// Mode returns the reader's mode for a kind.
func (p notificationsPage) Mode(k wf.NoticeKind) wf.NoticeMode { return p.Settings.Mode(k) }

// notifications shows the reader's notification settings.
func (v *visit) notifications() error {
	n, err := v.engine.Notices(v.R.Context(), v.By)
	if err != nil {
		return err
	}
	p := notificationsPage{
		Noticed: n, Kinds: wf.NoticeKinds, Modes: noticeModes,
		Language: cmp.Or(n.Settings.Language, v.Language), Zone: cmp.Or(n.Settings.Zone, v.ZoneName()), Zones: v.Zones(), Hour: fmt.Sprintf("%d:00", n.DigestHour),
	}
	if !slices.Contains(p.Zones, p.Zone) {
		p.Zones = append([]string{p.Zone}, p.Zones...)
	}
	return v.show(http.StatusOK, "notifications", v.T("notifications.title"), p)
}

// chooseNotifications stores the reader's notification settings.
func (v *visit) chooseNotifications() error {
	f := v.R.PostForm
	mode := func(k wf.NoticeKind) wf.NoticeMode {
		if m := wf.NoticeMode(f.Get(string(k))); slices.Contains(noticeModes, m) {
			return m
		}
		return wf.NoticeInstant
	}
	s := wf.NoticeSettings{
		Waits: mode(wf.NoticeWaits), Expires: mode(wf.NoticeExpires), Decided: mode(wf.NoticeDecided), Changes: mode(wf.NoticeChanges), Mentioned: mode(wf.NoticeMentioned),
	}
	if wanted := f.Get("language"); slices.Contains(words.Languages, wanted) {
		s.Language = wanted
	}
	if name := f.Get("zone"); frame.Zone(name) != nil {
		s.Zone = name
	}
	return v.Done(v.engine.PutNoticeSettings(v.R.Context(), v.By, s), Root+"/notifications", "notifications")
}
