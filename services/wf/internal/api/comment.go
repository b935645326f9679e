package api

import (
	"context"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/view"
)

type addCommentInput struct {
	Identified
	Keyed
	Body struct {
		Text     string   `json:"text" minLength:"1" maxLength:"4096" doc:"Text of the comment."`
		Mentions []string `json:"mentions,omitempty" maxItems:"20" doc:"User ids of mentioned users; they must be participants of the request."`
	}
}

func (h requestHandlers) addComment(ctx context.Context, in *addCommentInput) (result[view.Comment], error) {
	comment := wf.CommentInput{Text: in.Body.Text, Mentions: in.Body.Mentions}
	return renderedReply[view.Comment](h.engine.Requests.AddComment(ctx, actorOf(ctx), in.ID, comment, in.key))
}

type listCommentsInput struct {
	Identified
	Paged
}

func (h requestHandlers) listComments(ctx context.Context, in *listCommentsInput) (result[Page[view.Comment]], error) {
	events, next, err := h.engine.Requests.ListComments(ctx, actorOf(ctx), in.ID, in.page())
	return listReply(events, next, err, view.NewComment)
}
