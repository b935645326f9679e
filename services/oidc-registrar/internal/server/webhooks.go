package server

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/outbox/webhooks"
)

// deliveries is where webhooks may go.
func (c *Config) deliveries() (egress.Policy, error) {
	policy, err := c.Outbound("registrar-webhooks/1")
	policy.Total = 15 * time.Second
	return policy, err
}

// sender makes what sends webhooks.
func (s *Service) sender() error {
	policy, err := s.config.deliveries()
	if err != nil {
		return err
	}
	s.Sender = webhooks.New(webhooks.Options{
		Store: s.Store.Outbox, Settle: s.Store.Settle, Service: "registrar", Process: s.heart.ID(),
		Client: egress.New(policy), Keys: s.core.Keys, Logger: s.log, Metrics: s.Metrics,
	})
	s.Store.Wake = s.Sender.Wake
	return nil
}

// checkKeys looks for endpoints whose secrets none of the keys decrypts: one was taken out
// of REGISTRAR_ENC_KEYS too soon, or was lost. It logs when that changes.
func (s *Service) checkKeys() func(context.Context) (bool, error) {
	var last []string
	return func(ctx context.Context) (bool, error) {
		paused, err := s.Core.CheckKeys(ctx)
		switch {
		case err != nil, slices.Equal(paused, last):
		case len(paused) > 0:
			s.log.Error("webhook endpoints are paused: no key in REGISTRAR_ENC_KEYS decrypts their secrets; what waits for them stays", "endpoints", paused)
		default:
			s.log.Info("every webhook endpoint has its key again")
		}
		if err == nil {
			last = paused
		}
		return false, err
	}
}
