package engine

import (
	"context"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// TaskDecision is what a person decides on one of several tasks.
type TaskDecision struct {
	TaskID string
	wf.DecisionInput
}

// DecideTasks records decisions one after the other, each in a transaction of its own, and
// tells the outcome of each. One that is refused holds nothing else up. A repeat with the
// same key tells again what was decided, and tries again what was refused.
func (e *Engine) DecideTasks(ctx context.Context, by wf.Actor, decisions []TaskDecision, rep Repeatable, told func(TaskDecision, Reply, error)) error {
	if err := e.claimCall(ctx, rep); err != nil {
		return err
	}
	for _, d := range decisions {
		d.Bulk = true
		one := rep
		if rep.Key != nil { // each decision is an effect, and has a key of its own
			key := *rep.Key
			key.Route += "/" + d.TaskID
			one.Key = &key
		}
		reply, err := e.DecideTask(ctx, by, d.TaskID, d.DecisionInput, "", one)
		told(d, reply, err)
	}
	return nil
}

// claimCall binds a key to the body of a call that has several effects, and refuses
// another body.
func (e *Engine) claimCall(ctx context.Context, rep Repeatable) error {
	if rep.Key == nil {
		return nil
	}
	return e.store.Do(ctx, func(tx *store.Tx) error {
		key := *rep.Key
		replay, reused, err := tx.ClaimKey(key)
		switch {
		case err != nil:
			return err
		case reused:
			return errKeyReused()
		case replay != nil:
			return nil
		default: // the decisions have the replies
			return tx.PutReply(store.KeyReply{Key: key, Reply: store.Reply{Status: 200}})
		}
	})
}
