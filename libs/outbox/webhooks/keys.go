package webhooks

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/metrics"
)

// KeyLoop checks for enabled endpoints without an available signing key, which find names, and logs a
// change: a key was removed from the setting too early, or was lost.
func KeyLoop(setting string, find func(context.Context) ([]string, error), log *slog.Logger, registry *metrics.Registry) *daemon.Loop {
	var last []string
	return &daemon.Loop{Name: "load_endpoint_keys", Every: time.Minute, Logger: log, Metrics: registry, Pass: func(ctx context.Context) (bool, error) {
		paused, err := find(ctx)
		if err != nil {
			return false, err
		}
		switch {
		case slices.Equal(paused, last):
		case len(paused) > 0:
			log.Error("webhook endpoints paused: no key in "+setting+" decrypts their secrets", "endpoints", paused)
		default:
			log.Info("keys of all webhook endpoints available again")
		}
		last = paused
		return false, nil
	}}
}
