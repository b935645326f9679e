package engine

import (
	"context"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// TaskDecision is the decision on one of several tasks.
type TaskDecision struct {
	TaskID string
	wf.DecisionInput
}

// DecideTasks records decisions in order, each in its own transaction, and reports each outcome to
// told. A refusal does not stop the others. A repeat with the same key replays stored decisions and
// retries refused ones.
func (e *Engine) DecideTasks(ctx context.Context, by identity.Actor, decisions []TaskDecision, rep Repeatable, told func(TaskDecision, Reply, error)) error {
	if err := e.claimCall(ctx, rep); err != nil {
		return err
	}
	for _, d := range decisions {
		d.Bulk = true
		one := rep
		if rep.Key != nil { // each decision is one effect with its own key
			key := *rep.Key
			key.Route += "/" + d.TaskID
			one.Key = &key
		}
		reply, err := e.DecideTask(ctx, by, d.TaskID, d.DecisionInput, "", one)
		told(d, reply, err)
	}
	return nil
}

// claimCall binds a key to the body of a call with several effects. It rejects another body.
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
		default: // the replies are stored with the decisions
			return tx.PutReply(store.KeyReply{Key: key, Reply: store.Reply{Status: 200}})
		}
	})
}
