package page

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
)

// Named returns a value whose users have their stored names.
func Named[T any](req *Request, value T) T {
	named, _ := view.WithNames(value, req.Engine.People.Known(req.R.Context())) // after an error the page shows ids
	return named
}

// Person returns the display name of a user.
func (req *Request) Person(u identity.User) string {
	if name := cmp.Or(u.Name, u.Username, u.ID); name != "" {
		return name
	}
	return req.T("unnamed")
}

// Names returns the display names of users.
func (req *Request) Names(users []identity.User) string {
	var names []string
	for _, u := range users {
		names = append(names, req.Person(u))
	}
	return strings.Join(names, ", ")
}

// Actor returns the display name of an actor: a person or the service.
func (req *Request) Actor(a identity.ActorRef) string {
	if a.Kind == identity.ActorSystem {
		return req.Label("system", strings.TrimPrefix(a.ID, "system:"))
	}
	return req.Person(a.User())
}

// Initials returns the initials of a user.
func (req *Request) Initials(u identity.User) string {
	words := strings.FieldsFunc(req.Person(u), func(r rune) bool { return strings.ContainsRune(" .-_@", r) })
	out := ""
	for _, word := range words[:min(len(words), 2)] {
		out += strings.ToUpper(string([]rune(word)[:1]))
	}
	return out
}

// Hue returns one of six colours for a user, constant by id.
func (req *Request) Hue(u identity.User) string {
	sum := 0
	for _, b := range []byte(u.ID) {
		sum += int(b)
	}
	return fmt.Sprint("hue", sum%6)
}

// IsReader reports whether the user is the reader.
func (req *Request) IsReader(u identity.User) bool { return u.ID == req.By.ID }
