package page

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/frame"
	"github.com/countersign/countersign/libs/ui/session"
)

// Each form of these pages is answered with a redirect (303). A form that a page has to show again, for
// example with an error, is kept with the session, and the address of the page names it.

// KeepForm keeps the submitted form for the page at a path, which shows it again, and redirects there.
func (req *Request) KeepForm(path string, f session.Form) error {
	if f.Values == nil {
		f.Values = req.R.PostForm
	}
	return req.keep(path, f, func(address string) string { return address })
}

// keep keeps a form and redirects to an address made from that of its page.
func (req *Request) keep(path string, f session.Form, to func(address string) string) error {
	req.keeps = true
	address, err := req.SignIn.KeepForm(req.Request, req.Session, path, f)
	if err == nil {
		req.Redirect(to(address))
	}
	return err
}

// KeepPage keeps the form of a page without an operation: for a change of its fields, such as a new
// item of a list, or while the user reads another page.
func KeepPage(req *Request) error {
	f := req.R.PostForm
	leave := f.Get("leave")
	f.Del("leave")
	return req.keep(f.Get("page"), session.Form{Values: f}, func(address string) string {
		if leave == "" {
			return address
		}
		return req.LocalPath(leave) + "?from=" + url.QueryEscape(address)
	})
}

// CompleteForm redirects to a page with a note of the completed operation. The page shows the submitted
// texts again, except those of the operation: fields with one of the prefixes.
func (req *Request) CompleteForm(path, note string, prefixes ...string) error {
	rest := maps.Clone(req.R.PostForm)
	maps.DeleteFunc(rest, func(name string, values []string) bool {
		return slices.Contains(hiddenFields, name) || strings.TrimSpace(strings.Join(values, "")) == "" ||
			slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
	})
	if len(rest) == 0 {
		return req.Complete(nil, path, note)
	}
	return req.keep(path, session.Form{Values: rest}, func(address string) string { return frame.NotedPath(address, note) })
}

// RequireStepUp replies to a form that requires a stronger sign-in.
func (req *Request) RequireStepUp(more url.Values) error {
	req.keeps = true
	return req.SignIn.RequireStepUp(req.Request, req.Session, more)
}

// hiddenFields are the values of forms that no user enters.
var hiddenFields = []string{"kept", "page", "leave", "seen", "once", "task", "action", "do", "send", "preview", "find", "add", "remove"}

// showRefusal replies with the page of a refusal. A form is kept for ShowRefused.
func (req *Request) showRefusal(refused *refusal.Error) error {
	status, text := req.StatusOf(refused), req.RefusalText(refused)
	if req.R.Method == http.MethodPost && req.Session.ID != "" {
		return req.KeepForm(Root+"/refused", session.Form{Status: status, Problem: text})
	}
	return req.Show(status, "status", text, nil)
}

// ShowRefused shows the refusal of a form that no other page shows, with the submitted texts.
func ShowRefused(req *Request) error {
	if req.Kept.ID == "" {
		req.Redirect(Root)
		return nil
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(req.Kept.Values)) {
		for _, value := range req.Kept.Values[name] {
			if !slices.Contains(hiddenFields, name) && strings.TrimSpace(value) != "" {
				texts = append(texts, value)
			}
		}
	}
	return req.Show(req.Kept.Status, "status", req.Kept.Problem, texts)
}
