package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/countersign/countersign/libs/outbox"
	"github.com/countersign/countersign/libs/outbox/outboxdb"
	"github.com/countersign/countersign/libs/trace"
)

// settle stores outcomes and their effect on the endpoints, also after the end of ctx. Leases of unstored
// outcomes expire, and the deliveries are sent again.
func (w *Sender) settle(ctx context.Context, batch []*outcome) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishLimit)
	defer cancel()
	var done []*outcome
	var errs []error
	for _, o := range batch {
		switch o.fate {
		case tried, cancelled:
			done = append(done, o)
		case givenBack:
			errs = append(errs, w.Store.ReleaseDelivery(ctx, o.Delivery))
		}
	}
	if done != nil {
		slices.SortStableFunc(done, func(a, b *outcome) int {
			return a.finished.Delivery.UpdatedAt.Compare(b.finished.Delivery.UpdatedAt)
		})
		errs = append(errs, w.write(ctx, done))
	}
	return errors.Join(errs...)
}

// write stores outcomes, oldest first, in one transaction.
func (w *Sender) write(ctx context.Context, done []*outcome) error {
	var lost []outboxdb.Finished
	var disabled []outbox.Endpoint
	err := w.Settle(ctx, func(tx *outboxdb.Tx) ([]outbox.Endpoint, error) {
		disabled = nil
		endpoints, err := lockEndpoints(tx, done)
		if err != nil {
			return nil, err
		}
		finished := make([]outboxdb.Finished, len(done))
		for i, o := range done {
			finished[i] = o.finished
		}
		if lost, err = tx.FinishDeliveries(finished); err != nil {
			return nil, err
		}
		for _, before := range endpoints {
			after := updateHealth(before, done, lost)
			if err := tx.PutEndpoint(after); err != nil {
				return nil, err
			}
			if before.Enabled && !after.Enabled {
				disabled = append(disabled, after)
			}
		}
		for _, e := range disabled {
			if err := tx.CancelDeliveries(e.ID); err != nil {
				return nil, err
			}
		}
		return disabled, nil
	})
	if err == nil {
		w.report(ctx, done, lost, disabled)
	}
	return err
}

// lockEndpoints loads the endpoints whose health the outcomes may change. The claim contains the earlier
// health, so a success that was in flight at the first failure does not end the failure; the next success
// does.
func lockEndpoints(tx *outboxdb.Tx, done []*outcome) ([]outbox.Endpoint, error) {
	var ids []string
	for _, o := range done {
		if o.Endpoint.ID != "" && (o.finished.Attempt.Outcome == outbox.AttemptFailed || o.Endpoint.Health.Failures > 0) {
			ids = append(ids, o.Endpoint.ID)
		}
	}
	slices.Sort(ids) // lock order of every transaction
	var list []outbox.Endpoint
	for _, id := range slices.Compact(ids) {
		e, err := tx.Endpoint(id)
		if errors.Is(err, outbox.EndpointNotFound) {
			continue // deleted since the claim
		}
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// updateHealth applies the outcomes to the health of an endpoint. Attempts that were in flight at the start of a
// pause do not extend it.
func updateHealth(e outbox.Endpoint, done []*outcome, lost []outboxdb.Finished) outbox.Endpoint {
	for _, o := range done {
		attempt := o.finished.Attempt
		switch {
		case o.Endpoint.ID != e.ID, leaseLost(o, lost):
		case attempt.Outcome == outbox.AttemptDelivered:
			e = e.RecordSuccess()
		case attempt.Outcome == outbox.AttemptFailed && (o.gone || !attempt.StartedAt.Before(e.Health.PausedUntil)):
			e = e.RecordFailure(o.gone, attempt.FinishedAt)
		}
	}
	return e
}

func leaseLost(o *outcome, lost []outboxdb.Finished) bool {
	return slices.ContainsFunc(lost, func(f outboxdb.Finished) bool { return f.Delivery.ID == o.ID })
}

// log logs an attempt, in the trace of the call that caused the event.
func (w *Sender) log(ctx context.Context, level slog.Level, message string, d outbox.Delivery) {
	attrs := []slog.Attr{
		slog.String("delivery", d.ID), slog.String("event", d.EventType), slog.String("event_id", d.EventID), slog.String(w.Store.Subject, d.Subject),
		slog.String("endpoint", d.Target.Endpoint), slog.Int("attempt", d.Attempt), slog.Duration("took", d.LastDuration),
		slog.String("status", string(d.Status)),
	}
	if d.LastError != "" {
		attrs = append(attrs, slog.String("reason", d.LastError))
	}
	w.Logger.LogAttrs(trace.Resume(ctx, d.Traceparent), level, message, attrs...)
}

// report logs the outcomes that an operator may need.
func (w *Sender) report(ctx context.Context, done []*outcome, lost []outboxdb.Finished, disabled []outbox.Endpoint) {
	for _, o := range done {
		d, dropped := o.finished.Delivery, leaseLost(o, lost)
		w.measures.attempt(o, dropped)
		switch {
		case dropped:
			w.log(ctx, slog.LevelWarn, "result of a delivery dropped: its lease was lost", d)
		case d.Status == outbox.DeliveryCancelled && d.Target.ToPeople():
			w.log(ctx, slog.LevelInfo, "notice cancelled", d)
		case d.Status != outbox.DeliveryDelivered:
			w.log(ctx, slog.LevelWarn, "delivery not accepted", d)
		default:
			w.log(ctx, slog.LevelDebug, "delivery accepted", d) // its attempts are stored, and metrics count it
		}
	}
	for _, e := range disabled {
		w.Logger.ErrorContext(ctx, "webhook endpoint disabled", "endpoint", e.Name, "reason", e.DisabledReason)
	}
}
