package engine

import (
	"context"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/schema"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// onTask is change for an operation on one task.
func (e *Engine) onTask(ctx context.Context, id, ifMatch string, rep Repeatable, step transition) (Reply, error) {
	return e.change(ctx, rep, func(tx *store.Tx) (wf.Request, error) { return tx.RequestOfTask(id) },
		func(r wf.Request, def wf.Definition, w wf.World) (wf.Request, []wf.Event, error) {
			after, events, err := step(r, def, w)
			if err == nil {
				task, _ := r.Task(id)
				err = match(ifMatch, task.Rev)
			}
			return after, events, err
		})
}

// mayAct refuses a service account: a human decision is made by a human.
func (e *Engine) mayAct(by wf.Actor) error {
	if by.Kind == wf.ByService && !e.ServiceApprovers {
		return wf.Refuse(wf.Forbidden, "service accounts may not claim or decide tasks")
	}
	return nil
}

// ClaimTask takes a task up.
func (e *Engine) ClaimTask(ctx context.Context, by wf.Actor, id, ifMatch string, rep Repeatable) (Reply, error) {
	return e.onTask(ctx, id, ifMatch, rep, func(r wf.Request, def wf.Definition, w wf.World) (wf.Request, []wf.Event, error) {
		if err := e.mayAct(by); err != nil {
			return r, nil, err
		}
		return r.Claim(def, id, by, w)
	})
}

// UnclaimTask puts a task back.
func (e *Engine) UnclaimTask(ctx context.Context, by wf.Actor, id, ifMatch string, rep Repeatable) (Reply, error) {
	return e.onTask(ctx, id, ifMatch, rep, func(r wf.Request, def wf.Definition, w wf.World) (wf.Request, []wf.Event, error) {
		return r.Unclaim(def, id, by, w)
	})
}

// DecideTask records a decision and what follows from it.
func (e *Engine) DecideTask(ctx context.Context, by wf.Actor, id string, in wf.DecisionInput, ifMatch string, rep Repeatable) (Reply, error) {
	return e.onTask(ctx, id, ifMatch, rep, func(r wf.Request, def wf.Definition, w wf.World) (wf.Request, []wf.Event, error) {
		if err := e.mayAct(by); err != nil {
			return r, nil, err
		}
		in.ID = w.NewID()
		after, events, err := r.Decide(def, id, in, by, w)
		if err != nil {
			return after, events, err
		}
		task, _ := r.Task(id)
		return after, events, checkData(def, task.StageKey, in.Data)
	})
}

// checkData applies a stage's decision_schema.
func checkData(def wf.Definition, stageKey string, data []byte) error {
	stage, _ := def.Stage(stageKey)
	if len(stage.DecisionSchema) == 0 {
		return nil
	}
	loc := []any{"body", "data"}
	if len(data) == 0 {
		return wf.RefuseInput("missing", loc, "Stage %s needs data", stageKey)
	}
	if err := schema.Validate(stage.DecisionSchema, data); err != nil {
		return wf.RefuseInput("value_error", loc, "Value error, %s", err)
	}
	return nil
}

// ReassignTask hands a task to somebody else.
func (e *Engine) ReassignTask(ctx context.Context, by wf.Actor, id, to, reason, ifMatch string, rep Repeatable) (Reply, error) {
	return e.onTask(ctx, id, ifMatch, rep, func(r wf.Request, def wf.Definition, w wf.World) (wf.Request, []wf.Event, error) {
		if err := wf.CheckUserID(to); err != nil {
			return r, nil, wf.RefuseInput("value_error", []any{"body", "new_assignee"}, "Value error, %s", err)
		}
		return r.Reassign(def, id, wf.User{ID: to}, reason, by, w)
	})
}

// Task returns a task, with its request, to those who may see it.
func (e *Engine) Task(ctx context.Context, by wf.Actor, id string) (Case, error) {
	r, err := e.store.ReadRequestOfTask(ctx, id)
	if err != nil {
		return Case{}, err
	}
	task, _ := r.Task(id)
	if !by.Has(wf.Viewer) && !task.Concerns(by.ID, r.Run(task)) {
		return Case{}, wf.Refuse(wf.Forbidden, "no part in task %s", id)
	}
	return e.withDefinition(ctx, r)
}

// Tasks lists tasks. A caller without a role sees his own inbox.
func (e *Engine) Tasks(ctx context.Context, by wf.Actor, f store.TaskFilter, p store.Page) ([]store.TaskItem, string, error) {
	if !by.Has(wf.Viewer) && f.Assignee != by.ID && f.Candidate != by.ID && f.Inbox != by.ID {
		return nil, "", wf.Refuse(wf.Forbidden, "may list only the caller's own tasks: use inbox=me, assignee=me or candidate=me")
	}
	return e.store.Tasks(ctx, f, p)
}

// TaskStats counts tasks by status and policy; a caller without a role counts his
// own.
func (e *Engine) TaskStats(ctx context.Context, by wf.Actor, f store.TaskFilter) ([]store.TaskCount, error) {
	if !by.Has(wf.Viewer) {
		f.Inbox = by.ID
	}
	return e.store.TaskStats(ctx, f)
}
