package signin

import "cmp"

// Display holds the reader's settings of language, time zone and keyboard, for the template display.
type Display struct {
	Language, Zone string
	Shortcuts      bool
}

// Display returns the reader's settings, or those of the submitted form.
func (r *Request) Display() Display {
	sent := r.Submitted.Values
	return Display{
		Language: cmp.Or(sent.Get("language"), r.Language), Zone: cmp.Or(sent.Get("zone"), r.ZoneName()),
		Shortcuts: sent.Has("shortcuts") || sent == nil && len(r.Request.Shortcuts()) > 0,
	}
}
