package inbox

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/countersign/countersign/services/wf/identity"
)

// Person returns the display name of a user.
func (v *visit) Person(u identity.User) string {
	known := ""
	if v.Dev != nil {
		known = devNames[u.ID]
	}
	if name := cmp.Or(u.Name, known, u.Username, u.ID); name != "" {
		return name
	}
	return v.T("somebody")
}

// Actor returns the display name of an actor: a person or the service.
func (v *visit) Actor(a identity.ActorRef) string {
	if a.Kind == identity.ActorSystem {
		return v.Word("system", strings.TrimPrefix(a.ID, "system:"))
	}
	return v.Person(a.User())
}

// Initials returns the initials of a user.
func (v *visit) Initials(u identity.User) string {
	words := strings.FieldsFunc(v.Person(u), func(r rune) bool { return strings.ContainsRune(" .-_@", r) })
	out := ""
	for _, word := range words[:min(len(words), 2)] {
		out += strings.ToUpper(string([]rune(word)[:1]))
	}
	return out
}

// Hue returns one of six colours for a user, constant by id.
func (v *visit) Hue(u identity.User) string {
	sum := 0
	for _, b := range []byte(u.ID) {
		sum += int(b)
	}
	return fmt.Sprint("hue", sum%6)
}

// Me reports whether the user is the reader.
func (v *visit) Me(u identity.User) bool { return u.ID == v.By.ID }
