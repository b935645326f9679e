package api

import (
	"context"
	"errors"
	"strconv"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

// revisionView is the API representation of a revision.
type revisionView struct {
	RequestID   string          `json:"request_id" format:"uuid" doc:"Identifier of the request."`
	Revision    int             `json:"revision" doc:"Number of the revision, from 1."`
	Context     view.Object     `json:"context" doc:"Context of this revision; numbers keep all their digits."`
	ContextHash string          `json:"context_hash" doc:"Hash of the canonical form of the content."`
	EndedAt     *identity.Stamp `json:"ended_at" nullable:"true" doc:"When the next revision began; null for the present one."`
}

type getRevisionInput struct {
	Identified
	Number string `path:"n" doc:"Number of the revision, from 1"`
}

func (h requestHandlers) getRevision(ctx context.Context, in *getRevisionInput) (result[revisionView], error) {
	number, err := strconv.Atoi(in.Number)
	known := err == nil && strconv.Itoa(number) == in.Number && number > 0 && number <= 1<<30
	if !known {
		number = 0 // no such revision; the read permission is checked first
	}
	r, err := h.engine.Requests.GetRevision(ctx, actorOf(ctx), in.ID, number)
	if errors.Is(err, reason.RequestNotFound) && !known {
		err = refusal.New(reason.RequestNotFound, "no revision %.20q", in.Number)
	}
	return result[revisionView]{
		Value: revisionView{
			RequestID:   in.ID,
			Revision:    r.Number,
			Context:     view.Object{RawMessage: r.Context},
			ContextHash: r.ContextHash,
			EndedAt:     identity.StampOf(r.EndedAt),
		},
	}, err
}
