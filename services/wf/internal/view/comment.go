package view

import (
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
)

// Comment is the API representation of a comment.
type Comment struct {
	ID        string            `json:"id" format:"uuid" doc:"Identifier of the comment, which is the identifier of its event."`
	Text      string            `json:"text" doc:"Text of the comment."`
	Mentions  []identity.User   `json:"mentions" doc:"Mentioned users."`
	Author    identity.ActorRef `json:"author" doc:"Author of the comment."`
	Revision  int               `json:"revision" doc:"Revision of the request at the time of the comment."`
	CreatedAt identity.Stamp    `json:"created_at" doc:"Time of the comment."`
}

func NewComment(e wf.Event) Comment {
	return Comment{
		ID: e.ID, Text: e.Comment.Text, Mentions: append([]identity.User{}, e.Comment.Mentions...),
		Author: e.Actor, Revision: e.Request.Revision, CreatedAt: e.At,
	}
}
