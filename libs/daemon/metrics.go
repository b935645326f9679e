package daemon

import (
	"context"
	"log/slog"
	"math"
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/oplog"
)

// measure exports the metrics of the token keys.
func (s *Service) measure() {
	stats := s.Verifier.Stats
	s.Metrics.Func("jwks_age_seconds", "Age of the token issuer's keys; NaN before the first fetch and for keys from a file.", func() float64 {
		if seen := stats().KeysSeen; !seen.IsZero() {
			return time.Since(seen).Seconds()
		}
		return math.NaN()
	})
	s.Metrics.Total("jwks_refreshes_total", "Attempts to fetch the token issuer's keys.", func() float64 { return float64(stats().Fetches) })
	s.Metrics.Total("jwks_refreshes_failed_total", "Failed attempts to fetch the token issuer's keys, including rejected keys.",
		func() float64 { return float64(stats().Failures) })
}

// maxSkew is how far the clock of a process may differ from the database's. Beyond it the times in tokens cannot
// be judged: the largest leeway is as long.
const maxSkew = time.Minute

// clock compares the process's clock with the database's, and reports whether the difference is too large.
func clock(read func(context.Context) (time.Duration, error), report func(off bool), log *slog.Logger, registry *metrics.Registry) *Loop {
	var wrong oplog.Throttle
	skew := registry.Gauge("clock_skew_seconds", "Lead of this process's clock over the database's clock.").WithLabelValues()
	return &Loop{Name: "clock", Every: 15 * time.Second, Logger: log, Metrics: registry, Pass: func(ctx context.Context) (bool, error) {
		ahead, err := read(ctx)
		if err != nil {
			return false, err
		}
		skew.Set(ahead.Seconds())
		off := ahead.Abs() > maxSkew
		report(off)
		if off {
			wrong.LogFailure(ctx, log, slog.LevelError, "clock differs from the database's; calls are answered 503",
				"ahead", ahead.Round(time.Second).String())
		} else {
			wrong.LogRecovery(ctx, log, "clock agrees with the database's again")
		}
		return false, nil
	}}
}
