package server

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/metrics"
)

// Diagnose checks the configuration and connects once to the database, the issuer, the identity
// provider and the approval service.
func Diagnose(ctx context.Context, cfg Config, out io.Writer) error {
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("configuration:\n%w", err)
	}
	options, err := cfg.core(slog.New(slog.DiscardHandler), metrics.New("registrar", daemon.Version()))
	if err != nil {
		return fmt.Errorf("configuration:\n%w", err)
	}
	d := cfg.Diagnose(ctx, Program(), out)
	d.Check("identity provider", "IDP_URL", cfg.IDPURL, options.Provider.Check)
	d.Check("approval service", "APPROVAL_URL", cfg.ApprovalURL, func(ctx context.Context) error { return options.Approvals.Check(ctx) })
	return d.Err()
}
