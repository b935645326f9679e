package page

import (
	"github.com/countersign/countersign/libs/ui/signin"
)

type settingsPage struct {
	signin.Display
}

const settingsPath = Root + "/settings"

// ShowSettings shows the reader's language, time zone and shortcuts.
func ShowSettings(req *Request) error {
	p := settingsPage{Display: req.Display()}
	return req.Show(req.FormStatus(), "settings", req.T("settings.title"), p)
}

// SetSettings stores the reader's settings in cookies of the browser.
func SetSettings(req *Request) error {
	req.StoreReader()
	req.StoreShortcuts()
	return req.Complete(nil, settingsPath, "settings")
}
