package engine

import (
	"context"
	"time"

	"github.com/countersign/countersign/libs/refusal"
	"github.com/countersign/countersign/services/wf/audit"
	"github.com/countersign/countersign/services/wf/internal/receipt"
	"github.com/countersign/countersign/services/wf/internal/store"
	"github.com/countersign/countersign/services/wf/reason"
)

// MakeCheckpoint signs the end of the audit trail, at most once in an interval and only after new events. An invalid
// request chain is left out and listed as invalid; after an invalid service chain nothing is signed. It does nothing
// without a key, or with every = 0.
func (e *Audit) MakeCheckpoint(ctx context.Context, every time.Duration) error {
	late, err := e.CheckpointLag(ctx, every)
	if err != nil || late < 0 {
		return err
	}
	deliveries, err := e.store.Seal(ctx, every, audit.MaxEnds, e.signCheckpoint)
	if err == nil && len(deliveries) > 0 {
		e.Wake()
	}
	return err
}

func (e *Audit) signCheckpoint(end receipt.Link, before *receipt.Link, at time.Time) (string, error) {
	c := receipt.Checkpoint{Issuer: e.ReceiptIssuer, IssuedAt: at.Unix(), Link: end, Before: before}
	return e.Receipts.SignCheckpoint(c)
}

// CheckpointLag returns the time since which a checkpoint is due; negative if none is due.
func (e *Audit) CheckpointLag(ctx context.Context, every time.Duration) (time.Duration, error) {
	const notDue = -1
	if every == 0 || e.Receipts.Empty() {
		return notDue, nil
	}
	now, err := e.store.Now(ctx)
	if err != nil {
		return notDue, err
	}
	due, err := e.store.Audit.CheckpointDue(ctx, now, every)
	if err != nil || due.IsZero() {
		return notDue, err
	}
	return now.Sub(due), nil
}

// GetCheckpoint returns the last checkpoint.
func (e *Audit) GetCheckpoint(ctx context.Context) (store.Checkpoint, error) {
	if e.Receipts.Empty() {
		return store.Checkpoint{}, refusal.New(reason.WrongState, "the service has no key for checkpoints")
	}
	last, err := e.store.Audit.Checkpoint(ctx)
	if err == nil && last.JWS == "" {
		err = refusal.New(reason.WrongState, "there is no checkpoint yet")
	}
	return last, err
}
