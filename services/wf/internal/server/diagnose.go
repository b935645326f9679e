package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/services/wf/internal/notify"
)

// Diagnose checks the configuration and connects once to the database, the issuer, the directory
// and the mail server.
func Diagnose(ctx context.Context, cfg Config, out io.Writer) error {
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("configuration:\n%w", err)
	}
	d := cfg.Diagnose(ctx, Program(), out)
	d.Check("directory", "KEYCLOAK_URL", cfg.KeycloakURL, cfg.checkDirectory)
	d.Check("mail server", "NOTIFY_SMTP_URL", string(cfg.Notify.SMTPURL), func(ctx context.Context) error {
		server, err := cfg.Notify.server()
		if err != nil {
			return err
		}
		return notify.Check(ctx, server)
	})
	return d.Err()
}

func (c *Config) checkDirectory(ctx context.Context) error {
	answers, err := c.answers(metrics.New("wf", daemon.Version()), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return answers.CheckDirectory(ctx)
}
