package page

import (
	"net/http"
	"net/url"
)

// Question asks the reader to confirm an operation.
type Question struct {
	Title, Consequence string
	Do                 string // label of the button
	Back               string // page of the form
	Action             string // target of the form
	Values             url.Values
}

// Confirmed reports whether the reader has confirmed the operation of the submitted form.
func (req *Request) Confirmed() bool { return req.R.PostForm.Get("sure") == "yes" }

// Ask answers the submitted form with its question.
func (req *Request) Ask(q Question) error {
	q.Action, q.Values = req.R.URL.Path, req.R.PostForm
	q.Values.Del("page")
	return req.Show(http.StatusOK, "confirm", q.Title, q)
}
