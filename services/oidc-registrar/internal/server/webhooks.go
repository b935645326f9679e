package server

import (
	"time"

	"github.com/countersign/countersign/libs/egress"
	"github.com/countersign/countersign/libs/outbox/webhooks"
)

// deliveries returns the egress policy of webhooks.
func (c *Config) deliveries() (egress.Policy, error) {
	policy, err := c.OutboundPolicy("registrar-webhooks/1")
	policy.Total = 15 * time.Second
	return policy, err
}

// sender creates the sender of webhooks.
func (s *Service) sender() error {
	policy, err := s.config.deliveries()
	if err != nil {
		return err
	}
	s.Sender = webhooks.New(webhooks.Options{
		Store: s.Store.Outbox, Settle: s.Store.Settle, Service: "registrar", Process: s.process.ID(),
		Client: egress.New(policy), Keys: s.Options.Keys, Logger: s.log, Metrics: s.Metrics,
	})
	s.Store.Wake = s.Sender.Wake
	return nil
}
