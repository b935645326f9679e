package page

import "net/http"

// Question asks the reader to confirm an operation.
type Question struct{ Title, Effect, Do, Action, Back string }

// Ask shows a question.
func (req *Request) Ask(q Question) error { return req.Show(http.StatusOK, "question", q.Title, q) }
