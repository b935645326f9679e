package webhooks

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/metrics"
)

// KeyLoop looks for enabled endpoints that the service cannot sign for, which find names,
// and logs when they change: a key was taken out of the setting too soon, or was lost.
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
			log.Error("webhook endpoints are paused: no key in "+setting+" decrypts their secrets; what waits for them stays", "endpoints", paused)
		default:
			log.Info("keys of all webhook endpoints available again")
		}
		last = paused
		return false, nil
	}}
}
