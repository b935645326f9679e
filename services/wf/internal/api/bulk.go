package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/countersign/countersign/libs/envelope"
	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/libs/web"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/engine"
	"github.com/countersign/countersign/services/wf/internal/view"
	"github.com/countersign/countersign/services/wf/reason"
)

type decideTasksInput struct {
	web.Idempotent
	Body struct {
		Items []bulkDecision `json:"items" minItems:"1" maxItems:"100" doc:"The decisions, one for each task."`
	}
}

type bulkDecision struct {
	TaskID              string    `json:"task_id" minLength:"1" maxLength:"64" doc:"Task to decide."`
	Action              wf.Action `json:"action" doc:"The decision."`
	Comment             string    `json:"comment,omitempty" maxLength:"4096" doc:"Comment; the policy may require one."`
	ExpectedContextHash string    `json:"expected_context_hash,omitempty" minLength:"1" maxLength:"80" doc:"The content that the person saw; other content is a conflict."`
}

// bulkView holds the outcome of each decision.
type bulkView struct {
	Results []bulkResult `json:"results" doc:"One for each item, in their order."`
}

type bulkResult struct {
	TaskID    string            `json:"task_id" doc:"The task, as the item names it."`
	OK        bool              `json:"ok" doc:"The decision is recorded."`
	Status    int               `json:"status" doc:"HTTP status of the decision as a single call."`
	ErrorCode string            `json:"errorCode,omitempty" doc:"Code of the refusal; absent with status 422, as it is by itself."`
	Message   string            `json:"message,omitempty" doc:"Why it was refused, for people."`
	Request   *view.BulkRequest `json:"request,omitempty" doc:"The request after the decision."`
}

func (h taskHandlers) decideTasks(ctx context.Context, in *decideTasksInput) (result[bulkView], error) {
	decisions, err := in.decisions()
	if err != nil {
		return result[bulkView]{}, err
	}
	key, err := h.key(ctx, in.Idempotent, "")
	if err != nil {
		return result[bulkView]{}, err
	}
	out := result[bulkView]{Replayed: true}
	err = h.engine.Tasks.DecideTasks(ctx, actorOf(ctx), decisions, key, func(d engine.TaskDecision, r engine.Reply, err error) {
		out.Value.Results = append(out.Value.Results, h.bulkResult(ctx, d.TaskID, r, err))
		out.Replayed = out.Replayed && r.Replayed
	})
	return out, err
}

// decisions returns the items. It rejects two items for one task.
func (in *decideTasksInput) decisions() ([]engine.TaskDecision, error) {
	seen := map[string]bool{}
	list := make([]engine.TaskDecision, len(in.Body.Items))
	for i, item := range in.Body.Items {
		id := strings.ToLower(item.TaskID)
		if seen[id] {
			return nil, refusal.At(reason.BadInput, fmt.Sprintf("/items/%d/task_id", i), "is there twice")
		}
		seen[id] = true
		list[i] = engine.TaskDecision{TaskID: id, DecisionInput: wf.DecisionInput{
			Action: item.Action, Comment: item.Comment, ExpectedContextHash: item.ExpectedContextHash,
		}}
	}
	return list, nil
}

// bulkResult returns the outcome of one decision, equal to the reply of a single decision.
func (h taskHandlers) bulkResult(ctx context.Context, id string, r engine.Reply, err error) bulkResult {
	result := bulkResult{TaskID: id, OK: true, Status: http.StatusOK}
	var decided envelope.Success[view.BulkRequest]
	if err == nil {
		err = json.Unmarshal(r.Body, &decided)
	}
	if err == nil {
		result.Request = &decided.Response
		return result
	}
	result.OK = false
	refused, known := errors.AsType[*refusal.Error](err)
	switch {
	case !known:
		refused = h.InternalError(ctx, err)
		result.Status, result.ErrorCode = Code(refused.Reason)
	case errors.Is(refused, reason.BadInput):
		result.Status, result.Message = http.StatusUnprocessableEntity, details(refused)[0].Msg
		return result
	default:
		op := web.OperationOf(ctx)
		if attempt := web.CallerOf[caller](ctx).attempt; attempt != nil { // the path of a bulk call has no task id
			attempt.About.ID = id
		}
		h.record(ctx, op, refused)
		if refused.Reason == reason.DatabaseDown && err != error(refused) {
			h.Unavailable(ctx, op, err)
		}
		result.Status, result.ErrorCode = Code(refused.Reason)
	}
	result.Message = refused.Message
	return result
}
