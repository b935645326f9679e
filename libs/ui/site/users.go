package site

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/countersign/countersign/libs/ui/form"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/signin"
)

type usersPage struct {
	Users []signin.User
	To    string
	ID    string // a rejected id
}

// showSignIn redirects to the issuer. With --dev it shows users to sign in as. Other ids can be entered, with the
// fields of the service's template user-rights.
func (s *Site[R]) showSignIn(req R) error {
	r := req.Base().Request
	if s.DevToken == nil {
		return s.SignIn.Start(r)
	}
	query := r.R.URL.Query()
	p := usersPage{s.Users, r.LocalPath(query.Get("to")), query.Get("rejected")}
	status := http.StatusOK
	if p.ID != "" {
		status = http.StatusUnprocessableEntity
		r.Errors = []form.FieldError{{Field: "id", Label: r.T("dev.id"), Text: r.T("dev.bad")}}
	}
	return r.Show(status, "users", r.T("dev.title"), p)
}

// signInAs signs in as a user of the page. It is available only with --dev.
func (s *Site[R]) signInAs(req R) error {
	r := req.Base().Request
	if s.DevToken == nil {
		return r.Status(http.StatusNotFound, "status.Not Found")
	}
	f := r.R.PostForm
	to := r.LocalPath(f.Get("to"))
	as := signin.User{ID: f.Get("id")}
	if i := slices.IndexFunc(s.Users, func(u signin.User) bool { return u.ID == f.Get("person") }); i >= 0 {
		as = s.Users[i]
	} else if !s.Entered(req, &as) {
		id := cmp.Or(frame.Truncate(as.ID, 300), " ")
		r.Redirect(r.Root + "/signin?" + url.Values{"to": {to}, "rejected": {id}}.Encode())
		return nil
	}
	if s.Prepare != nil {
		if err := s.Prepare(req); err != nil {
			return err
		}
	}
	access, err := s.DevToken(as)
	if err != nil {
		return err
	}
	if err := s.SignIn.Begin(r, access); err != nil {
		return err
	}
	r.Redirect(to)
	return nil
}
