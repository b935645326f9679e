package page

import (
	"net/url"

	"github.com/countersign/countersign/libs/ui/signin"
)

type settingsPage struct {
	signin.Display
	From string // the page before
}

// ShowSettings shows the reader's language, time zone and shortcuts.
func ShowSettings(req *Request) error {
	p := settingsPage{Display: req.Display()}
	if from := req.R.URL.Query().Get("from"); from != "" {
		p.From = req.LocalPath(from)
	}
	return req.Show(req.KeptStatus(), "settings", req.T("settings.title"), p)
}

// SetSettings stores the reader's settings in cookies of the browser.
func SetSettings(req *Request) error {
	fields, to := req.Fields(), Root+"/settings"
	if from := req.R.PostForm.Get("from"); from != "" {
		to += "?from=" + url.QueryEscape(req.LocalPath(from))
	}
	if req.StoreShortcuts(fields.Fail); len(fields.Errors) > 0 {
		return fields.Invalid(to)
	}
	req.StoreReader()
	return req.Complete(nil, to, "settings")
}
