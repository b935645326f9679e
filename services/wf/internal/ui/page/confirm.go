package page

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/countersign/countersign/libs/ui/session"
)

// Question asks the reader to confirm an operation.
type Question struct {
	Title, Consequence string
	Do                 string // label of the button
	Back               string // page of the form
	Action             string // target of the form
	Values             url.Values
}

const confirmPath = Root + "/confirm"

// Confirmed reports whether the reader has confirmed the operation of the submitted form.
func (req *Request) Confirmed() bool { return req.R.PostForm.Get("sure") == "yes" }

// Ask keeps the submitted form and redirects to its question.
func (req *Request) Ask(q Question) error {
	q.Action, q.Values = req.R.URL.Path, req.R.PostForm
	raw, err := json.Marshal(q)
	if err != nil {
		return fmt.Errorf("encode a question: %w", err)
	}
	return req.KeepForm(confirmPath, session.Form{Status: http.StatusOK, Result: raw})
}

// ShowQuestion shows the question of a kept form.
func ShowQuestion(req *Request) error {
	var q Question
	if json.Unmarshal(req.Kept.Result, &q) != nil { // no form: it was sent or has expired
		req.Redirect(Root)
		return nil
	}
	q.Values.Del("kept")
	q.Values.Del("page")
	return req.Show(http.StatusOK, "confirm", q.Title, q)
}
