package daemon

import (
	"context"
	"log/slog"
	"math"
	"time"

	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/libs/sqldb"
)

// measure shows what Serve itself knows.
func (s *Service) measure() {
	stats := s.Verifier.Stats
	s.Metrics.Func("jwks_age_seconds", "Age of the keys of the token issuer; NaN when they are given by a file, or there are none yet.", func() float64 {
		if seen := stats().KeysSeen; !seen.IsZero() {
			return time.Since(seen).Seconds()
		}
		return math.NaN()
	})
	s.Metrics.Total("jwks_refreshes_total", "Attempts to fetch the keys of the token issuer.", func() float64 { return float64(stats().Fetches) })
	s.Metrics.Total("jwks_refreshes_failed_total", "Those that failed, or brought keys that were refused.", func() float64 { return float64(stats().Failures) })
}

// clock compares the process's clock with the database's.
func clock(db *sqldb.DB, log *slog.Logger, registry *metrics.Registry) *Loop {
	skew := registry.Gauge("clock_skew_seconds", "How far the clock of this process is ahead of the database's.").WithLabelValues()
	return &Loop{Name: "clock", Every: time.Minute, Logger: log, Metrics: registry, Pass: func(ctx context.Context) (bool, error) {
		ahead, err := db.Skew(ctx)
		if err == nil {
			skew.Set(ahead.Seconds())
		}
		return false, err
	}}
}
