package signin

import (
	"cmp"

	"github.com/countersign/countersign/libs/ui/form"
)

// Display holds the reader's settings of language, time zone and keyboard, for the template display.
type Display struct {
	Language, Zone string
	Shortcuts      bool // at least one is in use
	Keys           []form.Input
}

// Display returns the reader's settings, or those of the submitted form.
func (r *Request) Display() Display {
	sent := r.Submitted.Values
	d := Display{
		Language: cmp.Or(sent.Get("language"), r.Language), Zone: cmp.Or(sent.Get("zone"), r.ZoneName()),
		Shortcuts: sent.Has("shortcuts") || sent == nil && r.HasShortcuts(),
	}
	for _, s := range r.Request.Shortcuts() {
		in := r.Input("text", "key-"+s.Name, "keys."+s.Name, s.Key, 0)
		if in.Required = true; sent.Has(in.Name) { // an empty field is a choice
			in.Value = sent.Get(in.Name)
		}
		d.Keys = append(d.Keys, in)
	}
	return d
}
