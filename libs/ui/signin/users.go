package signin

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
)

// User is a user of the sign-in page of --dev.
type User struct {
	ID, Name, Email string
	Roles           []string
	Claims          map[string]any // further claims of the token
	Part            string         // purpose, as a key of the catalogue
}

type usersPage struct {
	Users []User
	To    string
	ID    string // a rejected id
}

// ShowUsers shows users to sign in as. Other ids can be entered, with the fields of the service's template
// user-rights.
func ShowUsers(r *frame.Request, users []User) error {
	query := r.R.URL.Query()
	p := usersPage{users, r.LocalPath(query.Get("to")), query.Get("rejected")}
	status := http.StatusOK
	if p.ID != "" {
		status = http.StatusUnprocessableEntity
		r.Errors = []form.FieldError{{Field: "id", Label: r.T("dev.id"), Text: r.T("dev.bad")}}
	}
	return r.Show(status, "users", r.T("dev.title"), p)
}

// ChosenUser returns the chosen user of ShowUsers. listed is false for an entered id.
func ChosenUser(r *frame.Request, users []User) (chosen User, listed bool) {
	if at := slices.IndexFunc(users, func(u User) bool { return u.ID == r.R.PostForm.Get("person") }); at >= 0 {
		return users[at], true
	}
	return User{ID: r.R.PostForm.Get("id")}, false
}

// RejectUser shows the users again with the error of the entered id.
func RejectUser(r *frame.Request) {
	id := cmp.Or(frame.Truncate(r.R.PostForm.Get("id"), 300), " ")
	r.Redirect(r.Root + "/signin?" + url.Values{"to": {r.LocalPath(r.R.PostForm.Get("to"))}, "rejected": {id}}.Encode())
}
