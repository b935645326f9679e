package engine

import (
	"context"

	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/identity"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/internal/view"
)

// TaskDecision is the decision on one of several tasks.
type TaskDecision struct {
	TaskID string
	wf.DecisionInput
}

// DecideTasks records decisions in order, each in its own transaction, and reports each outcome. A refusal does not
// stop the others. A repeat with the same key replays stored decisions and retries refused ones. The body of a
// decision's reply is a view.BulkRequest in its envelope.
func (e *Tasks) DecideTasks(
	ctx context.Context, by identity.Actor, decisions []TaskDecision, key *IdempotencyKey,
	report func(TaskDecision, Reply, error),
) error {
	if err := wf.RequirePerson(by); err != nil {
		return err
	}
	if err := e.claimCall(ctx, key); err != nil {
		return err
	}
	for _, d := range decisions {
		d.Bulk = true
		c := onTask(by, d.TaskID, "", nil)
		c.show = func(_ identity.Actor, c wf.Case) (shown any, etag string, err error) {
			return view.BulkRequest{ID: c.Request.ID, Status: c.Request.Status}, "", nil
		}
		if key != nil { // each decision is one effect with its own key
			c.key = new(*key)
			c.key.Route += "/" + d.TaskID
		}
		reply, err := e.change(ctx, c, e.decision(by, d.TaskID, d.DecisionInput))
		report(d, reply, err)
	}
	return nil
}

// claimCall binds a key to the body of a call with several effects. It rejects another body.
func (e *Tasks) claimCall(ctx context.Context, key *IdempotencyKey) error {
	if key == nil {
		return nil
	}
	return e.store.Do(ctx, func(tx *store.Tx) error {
		replay, reused, err := tx.ClaimKey(*key)
		switch {
		case err != nil:
			return err
		case reused:
			return errKeyReused()
		case replay != nil:
			return nil
		default: // the replies are stored with the decisions
			return tx.PutReply(store.KeyReply{Key: *key, Reply: store.Reply{Status: 200}})
		}
	})
}
