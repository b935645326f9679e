package page

import (
	"errors"
	"strings"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/ui/signin"
)

// Field is a field of a form. Label is the key of its label.
type Field struct{ Name, Label string }

// CompleteForm redirects to a page with a note, or answers the form with the page at a path and the errors of a
// refusal. fields maps members of the engine to fields of the form.
func (req *Request) CompleteForm(f *signin.Fields, err error, at, to, note string, fields map[string]Field) error {
	refused, isRefused := errors.AsType[*refusal.Error](err)
	if isRefused {
		return req.RefuseForm(f, refused, at, fields)
	}
	return req.Complete(err, to, note)
}

// RefuseForm answers the form with the page at a path and the errors of a refusal.
func (req *Request) RefuseForm(f *signin.Fields, refused *refusal.Error, at string, fields map[string]Field) error {
	shown := signin.Form{Status: req.StatusOf(refused)}
	for _, problem := range refused.List() {
		name, _, _ := strings.Cut(strings.TrimPrefix(problem.Where, "/"), "/")
		if to, known := fields[name]; known {
			f.Fail(to.Name, to.Label, req.ProblemText(problem))
		} else {
			shown.Problem = req.ProblemText(problem)
		}
	}
	shown.Errors = f.Errors
	return req.ShowForm(at, shown)
}
