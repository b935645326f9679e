package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/countersign/countersign/libs/daemon"
	"github.com/countersign/countersign/libs/metrics"
	"github.com/countersign/countersign/services/wf/internal/notify"
)

// diagnoseTime bounds each check of Diagnose.
const diagnoseTime = 10 * time.Second

// errDiagnosed indicates that a check failed.
var errDiagnosed = errors.New("a check failed")

// Diagnose checks the configuration and connects once to the database, the issuer, the directory
// and the mail server. It prints a line for each: ok, or the setting and the error. It changes
// nothing.
func Diagnose(ctx context.Context, cfg Config, out io.Writer) error {
	failed := false
	report := func(what, setting, done string, err error) {
		switch {
		case err != nil:
			failed = true
			fmt.Fprintf(out, "%s: %s%s: %s\n", what, prefix, setting, strings.ReplaceAll(err.Error(), "\n", "; "))
		case done != "":
			fmt.Fprintf(out, "%s: ok, %s\n", what, done)
		default:
			fmt.Fprintf(out, "%s: ok\n", what)
		}
	}
	if err := cfg.Validate(); err != nil {
		return fmt.Errorf("configuration:\n%w", err)
	}
	report("configuration", "", "", nil)
	quiet := slog.New(slog.DiscardHandler)
	within := func(check func(context.Context) error) error {
		limited, cancel := context.WithTimeoutCause(ctx, diagnoseTime, fmt.Errorf("no answer within %s", diagnoseTime))
		defer cancel()
		err := check(limited)
		if cause := context.Cause(limited); err != nil && cause != nil {
			return fmt.Errorf("%w (%w)", cause, err)
		}
		return err
	}
	var name string
	err := within(func(ctx context.Context) (err error) {
		name, err = Program().CheckDatabase(ctx, cfg.DatabaseURL, quiet)
		return err
	})
	report("database", "DATABASE_URL", name, err)
	setting := "AUTH_ISSUER"
	if cfg.AuthJWKSURL != "" {
		setting = "AUTH_JWKS_URL"
	}
	verifier, err := cfg.Verifier(quiet)
	if err == nil {
		err = verifier.Refresh()
	}
	report("issuer", setting, cfg.AuthIssuer, err)
	if cfg.KeycloakURL == "" {
		fmt.Fprintf(out, "directory: not configured (%sKEYCLOAK_URL)\n", prefix)
	} else {
		report("directory", "KEYCLOAK_URL", cfg.KeycloakURL, within(cfg.checkDirectory))
	}
	if cfg.Notify.SMTPURL == "" {
		fmt.Fprintf(out, "mail server: not configured (%sNOTIFY_SMTP_URL)\n", prefix)
	} else {
		report("mail server", "NOTIFY_SMTP_URL", cfg.Notify.SMTPURL, within(func(ctx context.Context) error {
			server, err := cfg.Notify.server()
			if err != nil {
				return err
			}
			return notify.Check(ctx, server)
		}))
	}
	if failed {
		return errDiagnosed
	}
	return nil
}

func (c *Config) checkDirectory(ctx context.Context) error {
	answers, err := c.answers(metrics.New("wf", daemon.Version()), slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return answers.CheckDirectory(ctx)
}
