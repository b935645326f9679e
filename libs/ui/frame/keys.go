package frame

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keysCookie holds the reader's single-key shortcuts: one character per shortcut, a blank for none.
// Scripts of the page apply them.
const keysCookie = "keys"

// Shortcut is a single-key shortcut of the pages.
type Shortcut struct {
	Name string // also of its label: keys.NAME
	Key  string // empty if switched off
}

// shortcuts lists the shortcuts in the order of the cookie, with their default keys.
var shortcuts = []Shortcut{{"next", "j"}, {"previous", "k"}, {"select", "x"}, {"approve", "a"}, {"reject", "r"}, {"search", "/"}, {"forward", "n"}}

// Shortcuts returns the reader's shortcuts. If all are switched off, their keys are empty.
func (r *Request) Shortcuts() []Shortcut {
	all := slices.Clone(shortcuts)
	chosen, err := r.R.Cookie(r.Cookies + "_" + keysCookie)
	if err != nil {
		return all
	}
	text, _ := url.QueryUnescape(chosen.Value) // empty on error
	keys := []rune(text)
	if len(keys) == len(all)-1 { // stored before the last shortcut existed
		keys = append(keys, addedKey(text, all[len(all)-1].Key))
	}
	if len(keys) == len(all) {
		for i := range all {
			all[i].Key = strings.TrimSpace(string(keys[i]))
		}
	}
	return all
}

// addedKey returns the key of a shortcut that a stored choice does not have: its default, or a blank if the
// choice uses that or has no key.
func addedKey(chosen, key string) rune {
	if strings.TrimSpace(chosen) == "" || strings.Contains(chosen, key) {
		return ' '
	}
	return []rune(key)[0]
}

// KeyMap returns the keys for the script, as in the cookie.
func (r *Request) KeyMap() string { return keyMap(r.Shortcuts()) }

func keyMap(all []Shortcut) string {
	var out strings.Builder
	for _, s := range all {
		if s.Key == "" {
			out.WriteByte(' ')
		}
		out.WriteString(s.Key)
	}
	return out.String()
}

// StoreShortcuts stores the submitted shortcuts: fields key-NAME, and none without the field shortcuts.
// It calls fail for each invalid field, and then stores nothing.
func (r *Request) StoreShortcuts(fail func(field, label, text string)) {
	f, all, valid := r.R.PostForm, slices.Clone(shortcuts), true
	used := map[string]bool{}
	for i, s := range all {
		key := strings.ToLower(strings.TrimSpace(f.Get("key-" + s.Name)))
		problem := ""
		switch shown, _ := utf8.DecodeRuneInString(key); {
		case utf8.RuneCountInString(key) > 1 || key != "" && !unicode.IsGraphic(shown):
			problem = "keys.one"
		case used[key] && key != "":
			problem = "keys.twice"
		}
		if problem != "" {
			fail("key-"+s.Name, "keys."+s.Name, r.T(problem))
			valid = false
		}
		used[key] = true
		if all[i].Key = key; !f.Has("shortcuts") {
			all[i].Key = ""
		}
	}
	if valid {
		r.setCookie(keysCookie, url.QueryEscape(keyMap(all)))
	}
}

// HasShortcuts reports whether the reader has a shortcut.
func (r *Request) HasShortcuts() bool {
	return slices.ContainsFunc(r.Shortcuts(), func(s Shortcut) bool { return s.Key != "" })
}
