package api

import (
	"context"

	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/engine"
)

// commentView is the API representation of a comment.
type commentView struct {
	ID        string            `json:"id" format:"uuid" doc:"Identifier of the comment: that of its event."`
	Text      string            `json:"text" doc:"What was said."`
	Mentions  []identity.User   `json:"mentions" doc:"Whom it is meant for."`
	Author    identity.ActorRef `json:"author" doc:"Who said it."`
	Revision  int               `json:"revision" doc:"Revision of the request at that time."`
	CreatedAt identity.Stamp    `json:"created_at" doc:"When it was said."`
}

func viewComment(e wf.Event) commentView {
	return commentView{
		ID: e.ID, Text: e.Comment.Text, Mentions: append([]identity.User{}, e.Comment.Mentions...),
		Author: e.Actor, Revision: e.Request.Revision, CreatedAt: e.At,
	}
}

type addCommentInput struct {
	Identified
	web.Idempotent
	Body struct {
		Text     string   `json:"text" minLength:"1" maxLength:"4096" doc:"What is to be said."`
		Mentions []string `json:"mentions,omitempty" maxItems:"20" doc:"User ids of whom it is meant for; they must have a part in the request."`
	}
}

func (a *API) addComment(ctx context.Context, in *addCommentInput) (result[commentView], error) {
	show := func(_ context.Context, c engine.Case) (commentView, string) {
		return viewComment(c.Events[len(c.Events)-1]), engine.ETag(c.Request.Rev)
	}
	return repeatable(ctx, a, in.Idempotent, in.ID, show, func(rep engine.Repeatable) (engine.Reply, error) {
		return a.engine.AddComment(ctx, actorOf(ctx), in.ID, wf.CommentInput{Text: in.Body.Text, Mentions: in.Body.Mentions}, rep)
	})
}

type listCommentsInput struct {
	Identified
	Paged
}

func (a *API) listComments(ctx context.Context, in *listCommentsInput) (result[Page[commentView]], error) {
	events, next, err := a.engine.Comments(ctx, actorOf(ctx), in.ID, in.page())
	return listed(events, next, err, viewComment)
}
