package wf

import (
	"fmt"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/reason"
)

// CommentInput is the caller's input for a comment.
type CommentInput struct {
	Text     string
	Mentions []string // user ids
}

// AddComment adds a comment to the request, open or final. Authors and mentioned people must have a
// part in the request: a mention grants no read access.
func AddComment(in CommentInput) Step {
	return func(c *change) error {
		by := c.by
		present := c.req.Participants()
		if _, ok := present[c.by.ID]; !ok {
			return refusal.New(reason.Forbidden, "the caller has no part in request %s", c.req.ID)
		}
		if identity.IsBlank(in.Text) {
			return refusal.At(reason.TooShort, "/text", "String should contain a character other than white space")
		}
		said := Comment{Text: in.Text}
		seen := map[string]bool{}
		for i, id := range in.Mentions {
			person, ok := present[id]
			if !ok {
				return refusal.At(reason.BadInput, fmt.Sprintf("/mentions/%d", i), "has no part in request %s", c.req.ID)
			}
			if !seen[id] {
				said.Mentions = append(said.Mentions, person)
			}
			seen[id] = true
		}
		_ = c.requireUnexpired() // an overdue request expires first and accepts the comment; so does a lapsed approval
		c.lapse()
		c.by = by
		c.note(audit.EventRequestCommented, nil, nil).Comment = &said
		return nil
	}
}
