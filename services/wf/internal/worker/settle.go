package worker

import (
	"context"
	"errors"
	"log/slog"
	"slices"

	"github.com/google/uuid"

	"github.com/countersign/countersign/libs/trace"
	"github.com/countersign/countersign/services/wf"
	"github.com/countersign/countersign/services/wf/internal/store"
)

// settle stores outcomes and what they mean for the endpoints, also when ctx has ended.
// The leases of those that it cannot store run out, and they are sent again.
func (w *Webhooks) settle(ctx context.Context, batch []*outcome) error {
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
func (w *Webhooks) write(ctx context.Context, done []*outcome) error {
	var lost []store.Finished
	var disabled []wf.Endpoint
	err := w.Store.Do(ctx, func(tx *store.Tx) error {
		disabled = nil
		endpoints, err := lockEndpoints(tx, done)
		if err != nil {
			return err
		}
		finished := make([]store.Finished, len(done))
		for i, o := range done {
			finished[i] = o.finished
		}
		if lost, err = tx.FinishDeliveries(finished); err != nil {
			return err
		}
		for _, before := range endpoints {
			after := judge(before, done, lost)
			if err := tx.PutEndpoint(after); err != nil {
				return err
			}
			if before.Enabled && !after.Enabled {
				disabled = append(disabled, after)
			}
		}
		return disable(tx, disabled)
	})
	if err == nil {
		w.report(ctx, done, lost, disabled)
	}
	return err
}

// lockEndpoints loads the endpoints whose health the outcomes may change. Whether an
// endpoint had failed before comes from the claim. So a success that was under way at
// the first failure does not end the failure; the next success does.
func lockEndpoints(tx *store.Tx, done []*outcome) ([]wf.Endpoint, error) {
	var ids []string
	for _, o := range done {
		if o.Endpoint.ID != "" && (o.finished.Attempt.Outcome == wf.AttemptFailed || o.Endpoint.Health.Failures > 0) {
			ids = append(ids, o.Endpoint.ID)
		}
	}
	slices.Sort(ids) // everybody locks in this order
	var list []wf.Endpoint
	for _, id := range slices.Compact(ids) {
		e, err := tx.Endpoint(id)
		if errors.Is(err, wf.EndpointNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// judge changes the health of an endpoint by the outcomes. Attempts that were under way
// when a pause began do not make it longer.
func judge(e wf.Endpoint, done []*outcome, lost []store.Finished) wf.Endpoint {
	for _, o := range done {
		attempt := o.finished.Attempt
		switch {
		case o.Endpoint.ID != e.ID, leaseLost(o, lost):
		case attempt.Outcome == wf.AttemptDelivered:
			e = e.Succeeded()
		case attempt.Outcome == wf.AttemptFailed && (o.gone || !attempt.StartedAt.Before(e.Health.PausedUntil)):
			e = e.Failed(o.gone, attempt.FinishedAt)
		}
	}
	return e
}

func leaseLost(o *outcome, lost []store.Finished) bool {
	return slices.ContainsFunc(lost, func(f store.Finished) bool { return f.Delivery.ID == o.ID })
}

// disable cancels what waits for endpoints that have become disabled, and tells the
// other endpoints.
func disable(tx *store.Tx, endpoints []wf.Endpoint) error {
	for _, e := range endpoints {
		if err := tx.CancelDeliveries(e.ID); err != nil {
			return err
		}
	}
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	for _, e := range endpoints {
		_, err := tx.Append(wf.Event{
			Type: wf.EventEndpointDisabled, At: wf.Stamp{Time: tx.Now}, Actor: wf.SystemDelivery.Ref(),
			Resource: e.Resource(), Reason: string(e.DisabledReason),
		}, newID)
		if err != nil {
			return err
		}
	}
	return nil
}

// log writes the line of an attempt, in the trace of the call that caused the event.
func (w *Webhooks) log(ctx context.Context, level slog.Level, message string, d wf.Delivery) {
	attrs := []slog.Attr{
		slog.String("delivery", d.ID), slog.String("event", string(d.EventType)), slog.String("event_id", d.EventID), slog.String("request", d.RequestID),
		slog.String("endpoint", d.Target.Endpoint), slog.Int("attempt", d.Attempt), slog.Duration("took", d.LastDuration), slog.String("status", string(d.Status)),
	}
	if d.LastError != "" {
		attrs = append(attrs, slog.String("reason", d.LastError))
	}
	w.Logger.LogAttrs(trace.Resume(ctx, d.Traceparent), level, message, attrs...)
}

// report logs what operators may want to know.
func (w *Webhooks) report(ctx context.Context, done []*outcome, lost []store.Finished, disabled []wf.Endpoint) {
	for _, o := range done {
		d, dropped := o.finished.Delivery, leaseLost(o, lost)
		w.measures.attempt(o, dropped)
		switch {
		case dropped:
			w.log(ctx, slog.LevelWarn, "result of a delivery dropped: its lease was lost", d)
		case d.Status != wf.DeliveryDelivered:
			w.log(ctx, slog.LevelWarn, "delivery not accepted", d)
		default:
			w.log(ctx, slog.LevelInfo, "delivery accepted", d)
		}
	}
	for _, e := range disabled {
		w.Logger.ErrorContext(ctx, "webhook endpoint disabled", "endpoint", e.Name, "reason", e.DisabledReason)
	}
}
