package frame

// keysCookie holds "off" for a reader without single-key shortcuts (WCAG 2.1.4).
const keysCookie = "keys"

// Shortcut is a single-key shortcut of the pages. The script of the page applies it.
type Shortcut struct{ Name, Key string } // the name is also that of its label: keys.NAME

var shortcuts = []Shortcut{
	{"next", "j"}, {"previous", "k"}, {"select", "x"}, {"approve", "a"}, {"reject", "r"}, {"search", "/"},
	{"forward", "n"},
}

// Shortcuts returns the shortcuts; none if the reader has switched them off.
func (r *Request) Shortcuts() []Shortcut {
	if chosen, err := r.R.Cookie(r.Cookies + "_" + keysCookie); err == nil && chosen.Value == "off" {
		return nil
	}
	return shortcuts
}

// StoreShortcuts stores the field shortcuts of a form.
func (r *Request) StoreShortcuts() {
	value := "on"
	if !r.R.PostForm.Has("shortcuts") {
		value = "off"
	}
	r.setCookie(keysCookie, value)
}
