package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"
)

// diagnoseTime bounds each check of a Diagnosis.
const diagnoseTime = 10 * time.Second

// Diagnosis prints one line for each check: ok, or the setting and the error. Checks change nothing.
type Diagnosis struct {
	ctx    context.Context
	out    io.Writer
	prefix string // of the settings
	failed bool
}

// Diagnose checks the database and the issuer of s. The configuration is valid.
func (s *Settings) Diagnose(ctx context.Context, p Program, out io.Writer) *Diagnosis {
	d := &Diagnosis{ctx: ctx, out: out, prefix: p.Prefix}
	d.report("configuration", "", "", nil)
	quiet := slog.New(slog.DiscardHandler)
	var name string
	err := d.runCheck(func(ctx context.Context) (err error) {
		name, err = p.CheckDatabase(ctx, s.DatabaseURL, quiet)
		return err
	})
	d.report("database", "DATABASE_URL", name, err)
	verifier, err := s.Verifier(quiet)
	if err == nil {
		err = verifier.Refresh()
	}
	d.report("issuer", strings.TrimPrefix(s.keySetting(), s.Prefix), s.AuthIssuer, err)
	return d
}

// Check runs the check of the service that a setting names, for at most 10 s. An empty address is
// reported as not configured.
func (d *Diagnosis) Check(what, setting, address string, check func(context.Context) error) {
	if address == "" {
		fmt.Fprintf(d.out, "%s: not configured (%s%s)\n", what, d.prefix, setting)
		return
	}
	d.report(what, setting, address, d.runCheck(check))
}

// Err returns an error if a check has failed.
func (d *Diagnosis) Err() error {
	if d.failed {
		return errors.New("a check failed")
	}
	return nil
}

func (d *Diagnosis) report(what, setting, done string, err error) {
	switch {
	case err != nil:
		d.failed = true
		fmt.Fprintf(d.out, "%s: %s%s: %s\n", what, d.prefix, setting, strings.ReplaceAll(err.Error(), "\n", "; "))
	case done != "":
		fmt.Fprintf(d.out, "%s: ok, %s\n", what, withoutPassword(done))
	default:
		fmt.Fprintf(d.out, "%s: ok\n", what)
	}
}

func (d *Diagnosis) runCheck(check func(context.Context) error) error {
	limited, cancel := context.WithTimeoutCause(d.ctx, diagnoseTime, fmt.Errorf("no answer within %s", diagnoseTime))
	defer cancel()
	err := check(limited)
	if cause := context.Cause(limited); err != nil && cause != nil {
		return fmt.Errorf("%w (%w)", cause, err)
	}
	return err
}
